# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A client of registries: manifests and blobs of one image, from its mirrors or itself.

The requests: opencontainers/distribution-spec:spec.md, Pulling manifests, Pulling blobs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urljoin, urlsplit

from .._problems import Problem, Problems
from .access import Access, RegistryError
from .blob import BlobSink, StoredManifest, digest_of
from .image_manifest import ACCEPT, LARGEST_MANIFEST
from .pull_spec import PullSpec

if TYPE_CHECKING:
    import urllib3

CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
_TRIES = 4
_MOST_BREAKS = 1000
"""How often a connection for one blob may break. A server that sends a byte each time would never end."""
_LONGEST_PAUSE = 30.0
_MOST_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_RETRYABLE = (429, 500, 502, 503, 504)
_CHUNK = 1 << 17

Value = TypeVar("Value")


class RegistryClient:
    """Reads one image. It asks the sources of its ``Access`` in their order, and stays with the first that has it.

    ``source`` is the one that answered last. ``bytes_received`` counts bodies. ``pause`` waits for a number of seconds.
    """

    def __init__(self, access: Access, spec: PullSpec, pause: Callable[[float], None] = time.sleep) -> None:
        self.spec = spec
        self.bytes_received = 0
        self._access = access
        self._pause = pause
        self._sources = list(access.sources(spec))

    @property
    def source(self) -> PullSpec:
        """The source that answered last, before the first answer the first one."""
        return self._sources[0] if self._sources else self.spec

    def manifest(self, reference: str) -> StoredManifest:
        """Return the manifest of a tag or a digest. Raises ``RegistryError`` with what each source answered."""

        def read(source: PullSpec) -> StoredManifest:
            response = self._get(source, f"manifests/{reference}", {"Accept": ACCEPT})
            try:
                data = response.read(LARGEST_MANIFEST + 1, decode_content=False)
            except _http_errors() as error:
                raise _unreachable(str(source), error) from None
            finally:
                response.release_conn()
            self.bytes_received += len(data)
            if len(data) > LARGEST_MANIFEST:
                message, hint = f"the manifest has more than {LARGEST_MANIFEST} bytes", "Name the image of a release"
                raise RegistryError([Problem("error", "invalid-manifest", str(source), message, hint)])
            return StoredManifest(data, digest_of(data))

        return self._first(read)

    def copy_blob(self, sink: BlobSink) -> None:
        """Write a blob to ``sink``. A connection that breaks is continued where it broke."""

        def read(source: PullSpec) -> None:
            sink.restart()
            self._copy(source, sink)

        self._first(read)

    def _first(self, read: Callable[[PullSpec], Value]) -> Value:
        problems = Problems()
        for position, source in enumerate(list(self._sources)):
            with problems.collect(RegistryError):
                value = read(source)
                # The next request begins with the source that has the image.
                self._sources = self._sources[position:] + self._sources[:position]
                return value
        if not problems:
            message = "has no source that may be used"
            problems.error("no-source", str(self.spec), message, "Correct the configuration of mirrors")
        raise RegistryError(problems)

    def _copy(self, source: PullSpec, sink: BlobSink) -> None:
        failures = breaks = 0
        while True:
            before = sink.size
            headers = {"Range": f"bytes={before}-"} if before else {}
            response = self._get(source, f"blobs/{sink.descriptor.digest}", headers)
            if before and not _continues(response, before):
                sink.restart()
            try:
                while data := response.read(_CHUNK, decode_content=False):
                    self.bytes_received += len(data)
                    sink.write(data)
            except RegistryError:
                response.close()
                raise
            except _http_errors() as error:
                breaks += 1
                failures = 0 if sink.size > before else failures + 1
                if failures == _TRIES or breaks == _MOST_BREAKS:
                    raise _unreachable(str(source), error) from None
                response.close()
                self._pause(_seconds(failures, {}))
            else:
                response.release_conn()
                return

    def _get(self, source: PullSpec, path: str, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
        """Return an answer of status 200 or 206, of which only the head was read. Raises ``RegistryError``."""
        url = f"{self._access.base_url(source.registry)}/v2/{source.repository}/{path}"
        authorization = self._access.authorization(source, ())
        challenged = False
        failures = 0
        while True:
            response = self._send(source, url, headers, authorization)
            if response.status in (200, 206):
                return response
            challenges = response.headers.getlist("WWW-Authenticate")
            response.close()
            if response.status == 401 and not challenged and challenges:
                challenged = True
                authorization = self._access.authorization(source, challenges)
            elif response.status in _RETRYABLE and failures + 1 < _TRIES:
                failures += 1
                self._pause(_seconds(failures, response.headers))
            else:
                raise _status_error(source, path, response.status)

    def _send(
        self, source: PullSpec, url: str, headers: Mapping[str, str], authorization: str
    ) -> urllib3.BaseHTTPResponse:
        """Send a request, follow redirects, and try again if there is no answer."""
        failures = 0
        while True:
            try:
                return self._follow(source, url, headers, authorization)
            except _http_errors() as error:
                failures += 1
                if failures == _TRIES or self._is_final(error):
                    raise _unreachable(str(source), error) from None
                self._pause(_seconds(failures, {}))

    def _is_final(self, error: Exception) -> bool:
        """Whether not to try again: TLS would fail again, and instead of a host that is dead there are others."""
        from urllib3.exceptions import ConnectTimeoutError, NewConnectionError, SSLError

        dead = isinstance(error, (NewConnectionError, ConnectTimeoutError))
        return isinstance(error, SSLError) or (dead and len(self._sources) > 1)

    def _follow(
        self, source: PullSpec, url: str, headers: Mapping[str, str], authorization: str
    ) -> urllib3.BaseHTTPResponse:
        from urllib3 import Timeout

        timeout = Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS)
        start = urlsplit(url)
        for _number in range(_MOST_REDIRECTS + 1):
            target = urlsplit(url)
            # Another host must not get the credentials of this one (RFC 9110, 15.4).
            same = (target.scheme, target.netloc) == (start.scheme, start.netloc)
            sent = {**headers, "Accept-Encoding": "identity", "User-Agent": "capability.openshift"}
            if same and authorization:
                sent["Authorization"] = authorization
            pool = self._access.pool(url)
            response = pool.request(
                "GET", url, headers=sent, redirect=False, retries=False, timeout=timeout, preload_content=False
            )
            location = response.headers.get("Location")
            if response.status not in _REDIRECTS or not location:
                return response
            response.close()
            url = _redirect_url(url, location, source)
            if start.scheme == "https" and urlsplit(url).scheme != "https":
                message = f"redirects to {urlsplit(url).scheme}://{urlsplit(url).hostname}, expected https"
                raise RegistryError([Problem("error", "insecure-redirect", str(source), message, "Ask its operators")])
        message = f"redirects more than {_MOST_REDIRECTS} times"
        raise RegistryError([Problem("error", "too-many-redirects", str(source), message, "Ask its operators")])


def _redirect_url(url: str, location: str, source: PullSpec) -> str:
    """The target of a redirect. It is not shown if it is invalid, because it can contain a signature."""
    try:
        target = urljoin(url, location)
        urlsplit(target).port  # noqa: B018  # raises for a port that is not a number
    except ValueError:
        message, hint = "redirects to a location that is not a URL", "Ask its operators"
        raise RegistryError([Problem("error", "invalid-redirect", str(source), message, hint)]) from None
    return target


def _http_errors() -> type[Exception]:
    from urllib3.exceptions import HTTPError

    return HTTPError


def _seconds(failures: int, headers: Mapping[str, str]) -> float:
    asked = headers.get("Retry-After", "")
    return min(float(asked) if asked.isdecimal() else 0.25 * 2**failures, _LONGEST_PAUSE)


def _continues(response: urllib3.BaseHTTPResponse, start: int) -> bool:
    return response.status == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {start}-")


def _unreachable(where: str, error: Exception) -> RegistryError:
    hint = "Check the host, the network, ca_path and the proxy, and run the module again"
    message = f"cannot be reached: {_reason(error)}"
    return RegistryError([Problem("error", "registry-unreachable", where, message, hint)])


def _reason(error: Exception) -> str:
    """Return the cause of an error of urllib3, without the addresses of objects that its text begins with."""
    from urllib3.exceptions import ProxyError

    if isinstance(error, ProxyError):
        return f"the proxy does not answer: {_reason(error.original_error)}"
    return str(error).rpartition(">: ")[2] or type(error).__name__


def _status_error(source: PullSpec, path: str, status: int) -> RegistryError:
    kind = path.partition("/")[0].rstrip("s")
    if status in (401, 403):
        code, message = "registry-unauthorized", f"the registry denies access ({status})"
        hint = f"Set pull_secret or auth_file to credentials for {source.name}"
    elif status == 404:
        code, message, hint = "image-not-found", f"the registry does not have this {kind}", "Correct the pull spec"
    else:
        code, message, hint = "registry-error", f"the registry answers {status}", "Run the module again later"
    return RegistryError([Problem("error", code, str(source), message, hint)])
