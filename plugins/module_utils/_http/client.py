# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client of all web servers but the API server: registries, their token servers, and signature stores.

One set of rules for all of them: proxies, certificates, redirects, retries, and how long a transfer may take.
"""

from __future__ import annotations

import os
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urljoin, urlsplit

from .._problems import missing_library
from .._tls import share_context
from .error import HttpError
from .proxy import Proxy, find_proxy

if TYPE_CHECKING:
    import urllib3

_MOST_REDIRECTS = 10
_REDIRECTS = (301, 302, 303, 307, 308)
_RETRYABLE = (429, 500, 502, 503, 504)
_LONGEST_PAUSE = 30.0
_CHUNK = 1 << 17
_SHORTEST_LIMIT, _SLOWEST = 60.0, 16_384
"""Seconds that each transfer may take, and bytes per second that a longer one needs."""
_PROXY_DENIES = "connection failed: 407"
"""In the error of http.client for a proxy that demands credentials."""
_HINT = "Check the host, the network, ca_path and the proxy, and try again"


class Patience(NamedTuple):
    """Seconds to wait for a connection and for the next bytes, and how often a request is sent.

    ``dead``: whether a host to which no connection can be made is asked again.
    """

    connect: float = 10.0
    read: float = 60.0
    tries: int = 4
    dead: bool = True


class HttpAnswer(NamedTuple):
    """The status, the body and the headers of an answer. The case of names in ``headers`` has no meaning."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = MappingProxyType({})


class BodyWriter(Protocol):
    """Takes a body that is too large for memory. What its methods raise ends the request."""

    def begin(self) -> None:
        """Forget what was written: the body is sent from its start, perhaps once more."""

    def write(self, data: bytes) -> object:
        """Take the next bytes."""


class HttpClient:
    """Sends requests. Threads may share it.

    ``verified`` has the certificates that are trusted. ``is_insecure`` decides for a host, with its port, whether its
    certificate is not verified.
    """

    pause = staticmethod(time.sleep)

    def __init__(self, environ: Mapping[str, str], verified: ssl.SSLContext) -> None:
        self.is_insecure: Callable[[str], bool] = lambda _host: False
        self._environ, self._verified = environ, verified
        self._lock = threading.Lock()
        self._pools: dict[tuple[bool, Proxy | None], urllib3.PoolManager] = {}

    def request(
        self,
        url: str,
        headers: Mapping[str, str] = MappingProxyType({}),
        *,
        most: int = 0,
        writer: BodyWriter | None = None,
        authorize: Callable[[Sequence[str]], str] = lambda _challenges: "",
        method: str = "GET",
        form: str = "",
        patience: Patience = Patience(),  # noqa: B008  # a tuple
    ) -> HttpAnswer:
        """Send a request and return the answer, whatever its status, with ``most`` bytes of its body and one more.

        With a ``writer``, the body of status 200, which should have ``most`` bytes, is written there instead, and the
        body of another status is not read. Only the redirects of GET requests are followed. ``form`` is the body of a
        POST request. After a connection that breaks, also within the body, and after a temporary status, the request is
        sent again. ``authorize`` returns the header ``Authorization``, which goes to no other host: first without, and
        after the status 401 with the headers ``WWW-Authenticate``. Raises ``HttpError``.
        """
        try:
            import urllib3  # noqa: F401
        except ImportError:
            problem = missing_library("urllib3")
            raise HttpError(problem.code, problem.message, problem.hint) from None
        authorization = authorize(())
        challenged = False
        failures = 0
        while True:
            try:
                response, is_redirected = self._follow(method, url, headers, authorization, form, patience)
                # Another request can use the connection if the body was read.
                with closing(response):
                    # A realm that another host names must not get the credentials of this one.
                    is_challenged = response.status == 401 and not is_redirected
                    challenges = response.headers.getlist("WWW-Authenticate") if is_challenged else ()
                    if challenges and not challenged:
                        challenged, refused = True, authorization
                        authorization = authorize(challenges)
                        if authorization != refused:
                            continue
                    if response.status not in _RETRYABLE or failures + 1 == patience.tries:
                        return HttpAnswer(response.status, _body(response, most, writer), response.headers)
                    retry_after = response.headers.get("Retry-After", "")
            except HttpError as error:
                if error.final or failures + 1 == patience.tries:
                    raise
                retry_after = ""
            failures += 1
            self.pause(min(float(retry_after) if retry_after.isdecimal() else 0.25 * 2**failures, _LONGEST_PAUSE))

    def _follow(
        self, method: str, url: str, headers: Mapping[str, str], authorization: str, form: str, patience: Patience
    ) -> tuple[urllib3.BaseHTTPResponse, bool]:
        """Return a response, of which only the head was read, and whether it comes from another host."""
        start = urlsplit(url)
        for _number in range(_MOST_REDIRECTS + 1):
            target = urlsplit(url)
            # Another host must not get the credentials of this one (RFC 9110, 15.4).
            same = (target.scheme, target.netloc) == (start.scheme, start.netloc)
            sent = {**headers, "Accept-Encoding": "identity", "User-Agent": "capability.openshift"}
            if form:
                sent["Content-Type"] = "application/x-www-form-urlencoded"
            if same and authorization:
                sent["Authorization"] = authorization
            response = self._send(method, url, sent, form, patience)
            location = response.headers.get("Location")
            # A form contains credentials.
            if response.status not in _REDIRECTS or not location or method != "GET":
                return response, not same
            response.close()
            url = _redirect_url(url, location)
            if start.scheme == "https" and urlsplit(url).scheme != "https":
                message = f"redirects to {urlsplit(url).scheme}://{urlsplit(url).hostname}, expected https"
                raise HttpError("insecure-redirect", message, "Ask its operators")
        message = f"redirects more than {_MOST_REDIRECTS} times"
        raise HttpError("too-many-redirects", message, "Ask its operators")

    def _send(
        self, method: str, url: str, headers: Mapping[str, str], form: str, patience: Patience
    ) -> urllib3.BaseHTTPResponse:
        from urllib3 import Timeout

        with _errors(dead_is_final=not patience.dead):
            return self._pool(url).request(
                method,
                url,
                body=form or None,
                headers=headers,
                redirect=False,
                retries=False,
                timeout=Timeout(connect=patience.connect, read=patience.read),
                preload_content=False,
            )

    def _pool(self, url: str) -> urllib3.PoolManager:
        key = (self.is_insecure(urlsplit(url).netloc), find_proxy(url, self._environ))
        with self._lock:
            if key not in self._pools:
                self._pools[key] = _new_pool(_unverified() if key[0] else self._verified, self._verified, key[1])
            return self._pools[key]


def trusted_certificates(ca_path: str | None) -> ssl.SSLContext:
    """Trust the authorities of the system, and those in the file or directory ``ca_path``. Raises ``HttpError``."""
    context = share_context(ssl.create_default_context())
    hint = "Set it to a file with certificates in PEM format"
    if ca_path:
        try:
            if os.path.isdir(ca_path):
                context.load_verify_locations(capath=ca_path)
            else:
                context.load_verify_locations(cafile=ca_path)
        except ssl.SSLError:
            raise HttpError("invalid-certificate", "has no certificate in PEM format", hint) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise HttpError("unreadable-file", f"cannot be read: {reason}", hint) from None
    return context


def _body(response: urllib3.BaseHTTPResponse, most: int, writer: BodyWriter | None) -> bytes:
    if writer is not None:
        if response.status == 200:
            writer.begin()
            for chunk in _chunks(response, most):
                writer.write(chunk)
        return b""
    data = b""
    for chunk in _chunks(response, most):
        data += chunk
        if len(data) > most:
            break
    return data[: most + 1]


def _chunks(response: urllib3.BaseHTTPResponse, size: int) -> Iterator[bytes]:
    """Yield the body, about ``size`` bytes. Raises ``HttpError``, also if the transfer takes too long."""
    seconds = _SHORTEST_LIMIT + size / _SLOWEST
    end = time.monotonic() + seconds
    # Before urllib3 2.2, the limit holds only between chunks.
    read = getattr(response, "read1", response.read)
    with _errors():
        while data := read(_CHUNK, decode_content=False):
            yield data
            if time.monotonic() > end:
                message = f"is too slow: about {size} bytes were not transferred in {seconds:.0f} s"
                raise HttpError("transfer-too-slow", message, _HINT)


def _new_pool(context: ssl.SSLContext, verified: ssl.SSLContext, proxy: Proxy | None) -> urllib3.PoolManager:
    # Imported here, because most tasks send no request.
    import urllib3

    # The user named the hosts whose certificates are not verified.
    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    options: dict[str, Any] = {"ssl_context": context, "maxsize": 8}
    if proxy is None:
        return urllib3.PoolManager(**options)
    if proxy.user_password:
        options["proxy_headers"] = urllib3.make_headers(proxy_basic_auth=proxy.user_password)
    if proxy.url.startswith("https:"):
        options["proxy_ssl_context"] = verified
    return urllib3.ProxyManager(proxy.url, **options)


def _unverified() -> ssl.SSLContext:
    context = share_context(ssl.create_default_context())
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _redirect_url(url: str, location: str) -> str:
    """The target of a redirect. It is not shown if it is invalid, because it can contain a signature."""
    try:
        target = urljoin(url, location)
        urlsplit(target).port  # noqa: B018  # raises for a port that is not a number
    except ValueError:
        message = "redirects to a location that is not a URL"
        raise HttpError("invalid-redirect", message, "Ask its operators") from None
    return target


@contextmanager
def _errors(*, dead_is_final: bool = False) -> Iterator[None]:
    """Raise what urllib3 raises as ``HttpError``."""
    import urllib3.exceptions as raised

    try:
        yield
    except (raised.HTTPError, OSError, ValueError) as error:
        dead = dead_is_final and isinstance(error, (raised.NewConnectionError, raised.ConnectTimeoutError))
        reason = _reason(error)
        final = dead or isinstance(error, raised.SSLError) or _PROXY_DENIES in reason
        raise HttpError("unreachable", f"cannot be reached: {reason}", _HINT, final=final) from None


def _reason(error: Exception) -> str:
    """Return the cause of an error of urllib3, without the addresses of objects that its text begins with."""
    from urllib3.exceptions import ProxyError

    if isinstance(error, ProxyError):
        denied = _PROXY_DENIES in str(error.original_error)
        return f"the proxy {'answers' if denied else 'does not answer'}: {_reason(error.original_error)}"
    return str(error).rpartition(">: ")[2] or type(error).__name__
