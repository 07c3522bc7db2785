# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Signature stores on web servers: ``URL/sha256=HEX/signature-N``."""

from __future__ import annotations

import base64
import posixpath
import time
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from .._http.client import HttpAnswer, HttpClient, Patience
from .._http.error import HttpError
from .._problems import Problems
from .digest import key_prefix
from .gpgv import LARGEST_MESSAGE
from .stores import LAST_SIGNATURE, Found, FoundSignature

_SEARCH_SECONDS = 30.0
_PATIENCE = Patience(connect=5.0, read=10.0, tries=2, dead=False)
"""A disconnected site cannot reach these stores, and a release with no signature there is no failure."""


class HttpStore(NamedTuple):
    """A signature store at ``url``, asked with ``http``."""

    url: str
    http: HttpClient

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
                status, body = self.http.request(
                    without_credentials(url), {}, _receive, authorize=self._authorize, patience=_PATIENCE
                )
            except HttpError as error:
                problems.error("store-unreachable", self.name, str(error), _HINT)
                if time.monotonic() - started > _SEARCH_SECONDS:
                    return
                continue
            if status == 404:
                return
            where = without_credentials(url)
            if not 200 <= status < 300:
                problems.error("store-status", where, f"answers with status {status}, expected a signature")
            elif body:
                yield FoundSignature(body, where)

    def _authorize(self, _challenges: Sequence[str]) -> str:
        user, separator, _host = urlsplit(self.url).netloc.rpartition("@")
        return f"Basic {base64.b64encode(unquote(user).encode()).decode()}" if separator else ""


def _receive(answer: HttpAnswer) -> tuple[int, bytes]:
    return answer.status, answer.read(LARGEST_MESSAGE)


_HINT = "Check the address and the proxy, or name a file or directory with the signature"


def without_credentials(url: str) -> str:
    """Remove the user and password of a URL."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _below(url: str, path: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=posixpath.normpath(f"/{parts.path}/{path}").replace("//", "/", 1)))
