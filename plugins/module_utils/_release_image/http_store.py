# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signature stores on web servers: ``URL/sha256=HEX/signature-N``."""

from __future__ import annotations

import base64
import posixpath
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from .._http.client import HttpAnswer, HttpClient, Patience
from .._http.error import HttpError
from .._problems import MISSING_LIBRARY, Problems
from .gpgv import LARGEST_MESSAGE
from .signature_stores import LAST_SIGNATURE, Found, FoundSignature, key_prefix

_PATIENCE = Patience(connect=5.0, read=10.0, tries=2, dead=False)
"""A disconnected site cannot reach these stores, and a release with no signature there is no failure."""


HttpGet = Callable[[str], HttpAnswer]
"""Gets a URL, which can contain user and password, with at most ``LARGEST_MESSAGE`` bytes and one more.

Raises ``HttpError``.
"""


class HttpStore(NamedTuple):
    """A signature store at ``url``, asked with ``get``."""

    url: str
    get: HttpGet

    @property
    def name(self) -> str:
        """The URL without the user and password that it may have."""
        return without_credentials(self.url)

    def signatures(self, digest: str, problems: Problems) -> Found:
        """Yield signature 1, 2, ... until the server has none. After another status, the next number is asked.

        Source: openshift/library-go:pkg/verify/store/sigstore/sigstore.go checkHTTPSignatures. The CVO also asks on
        after no answer, which takes long on a disconnected site.
        """
        for number in range(1, LAST_SIGNATURE + 1):
            url = _below(self.url, f"{key_prefix(digest, '=')}/signature-{number}")
            try:
                answer = self.get(url)
            except HttpError as error:
                if error.code == MISSING_LIBRARY:
                    problems.error(error.code, self.name, str(error), error.hint)
                else:
                    problems.error("store-unreachable", self.name, str(error), _HINT)
                return
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


def http_get(http: HttpClient) -> HttpGet:
    """Return what asks stores with ``http``."""

    def get(url: str) -> HttpAnswer:
        user, separator, _host = urlsplit(url).netloc.rpartition("@")
        authorization = f"Basic {base64.b64encode(unquote(user).encode()).decode()}" if separator else ""
        return http.request(
            without_credentials(url),
            most=LARGEST_MESSAGE,
            authorize=lambda _challenges: authorization,
            patience=_PATIENCE,
        )

    return get
