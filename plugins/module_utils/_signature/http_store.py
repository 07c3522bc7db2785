# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Signature stores on web servers: ``URL/sha256=HEX/signature-N``."""

from __future__ import annotations

import posixpath
import ssl
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from .._problems import Problems
from .digest import key_prefix
from .gpgv import LARGEST_MESSAGE
from .stores import LAST_SIGNATURE, Found, FoundSignature

if TYPE_CHECKING:
    import urllib3

_CONNECT_SECONDS, _READ_SECONDS = 5.0, 10.0
_SEARCH_SECONDS = 30.0
_REDIRECTS = 10


class HttpAnswer(NamedTuple):
    """Status and body of an answer. The body has at most ``LARGEST_MESSAGE`` bytes and one more."""

    status: int
    body: bytes


class StoreUnreachableError(Exception):
    """A server gave no answer. The text is the reason."""


HttpGet = Callable[[str], HttpAnswer]
"""Gets a URL and follows redirects. Raises ``StoreUnreachableError``."""


class HttpStore(NamedTuple):
    """A signature store at ``url``, asked with ``get``."""

    url: str
    get: HttpGet

    @property
    def name(self) -> str:
        """The URL without the user and password that it may have."""
        return without_credentials(self.url)

    def signatures(self, digest: str, problems: Problems) -> Found:
        """Yield signature 1, 2, ... until the server has none. After another failure, the next number is asked.

        Source: openshift/library-go:pkg/verify/store/sigstore/sigstore.go checkHTTPSignatures. The CVO has no limit
        of time here. A server that does not answer is given up after ``_SEARCH_SECONDS``.
        """
        started = time.monotonic()
        for number in range(1, LAST_SIGNATURE + 1):
            url = _below(self.url, f"{key_prefix(digest, '=')}/signature-{number}")
            try:
                answer = self.get(url)
            except StoreUnreachableError as error:
                problems.error("store-unreachable", self.name, f"gives no answer: {error}", _HINT)
                if time.monotonic() - started > _SEARCH_SECONDS:
                    return
                continue
            if answer.status == 404:
                return
            where = without_credentials(url)
            if not 200 <= answer.status < 300:
                problems.error("store-status", where, f"answers with status {answer.status}, expected a signature")
            elif answer.body:
                yield FoundSignature(answer.body, where)


_HINT = "Check the address and the proxy, or name a file or directory with the signature"


def without_credentials(url: str) -> str:
    """Remove the user and password of a URL."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _below(url: str, path: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=posixpath.normpath(f"/{parts.path}/{path}").replace("//", "/", 1)))


def http_get(ca_path: str | None = None) -> HttpGet:
    """Return a client that uses the proxies of the environment. Raises ``OSError`` if ``ca_path`` cannot be read.

    It trusts the authorities of the system, and those in ``ca_path``, a file or a directory.
    """
    context = ssl.create_default_context()
    if ca_path:
        try:
            context.load_verify_locations(cafile=ca_path)
        except IsADirectoryError:
            context.load_verify_locations(capath=ca_path)
    proxies = getproxies()
    pools: dict[str, urllib3.PoolManager] = {}

    def get(url: str) -> HttpAnswer:
        parts = urlsplit(url)
        bypassed = proxy_bypass(parts.hostname or "")
        proxy = "" if bypassed else proxies.get(parts.scheme, proxies.get("all", ""))
        if proxy not in pools:
            pools[proxy] = _pool(proxy, context)
        return _get(pools[proxy], url)

    return get


def _pool(proxy: str, context: ssl.SSLContext) -> urllib3.PoolManager:
    # Imported here, because most tasks ask no store.
    import urllib3

    if not proxy:
        return urllib3.PoolManager(ssl_context=context)
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    credentials = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if parts.username else None
    return urllib3.ProxyManager(
        without_credentials(urlunsplit(parts)),
        ssl_context=context,
        proxy_headers=urllib3.make_headers(proxy_basic_auth=credentials),
    )


def _get(pool: urllib3.PoolManager, url: str) -> HttpAnswer:
    import urllib3

    parts = urlsplit(url)
    credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None
    try:
        response = pool.request(
            "GET",
            without_credentials(url),
            headers=urllib3.make_headers(basic_auth=credentials),
            timeout=urllib3.Timeout(connect=_CONNECT_SECONDS, read=_READ_SECONDS),
            retries=urllib3.Retry(total=_REDIRECTS, connect=0, read=0, redirect=_REDIRECTS, status=0, other=0),
            preload_content=False,
            decode_content=False,
        )
    except (urllib3.exceptions.HTTPError, ValueError) as error:
        raise StoreUnreachableError(_reason(error)) from None
    try:
        return HttpAnswer(response.status, response.read(LARGEST_MESSAGE + 1, decode_content=False))
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise StoreUnreachableError(_reason(error)) from None
    finally:
        # Not returned to the pool: the rest of a long body would have to be read first.
        response.close()


def _reason(error: Exception) -> str:
    """The cause of an error of urllib3, whose own text repeats the pool and the URL."""
    cause = getattr(error, "reason", None) or error
    text = str(cause)
    return text.partition(">: ")[2] or text.partition(": ")[2] or text or type(cause).__name__
