# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A server between client and registry that records requests, and cuts, delays, redirects or changes answers."""

from __future__ import annotations

import http.client
import ssl
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple

from ansible_collections.capability.openshift.tests.control_plane.server import Server
from ansible_collections.capability.openshift.tests.registry.harness.registry import Registry

_CHUNK = 1 << 16
_HOPS = {"connection", "transfer-encoding", "content-length", "host", "keep-alive"}
_SMALL = 1 << 24
"""Up to this size, an answer can be changed."""


class Seen(NamedTuple):
    """A request. ``sent``: the bytes of its body."""

    method: str
    path: str
    status: int
    authorization: str
    sent: int

    @property
    def is_blob(self) -> bool:
        return "/blobs/" in self.path


class Proxy(Server):
    """Forwards to a registry. The fields are the faults, none at first; they can be set while the proxy runs.

    ``cut``: break a connection for a blob after that many bytes. ``cuts``: how often. ``delay``: seconds before each
    answer. ``pace``: seconds after each 64 KiB of a body. ``redirect``: URL of another server that blobs are redirected
    to. ``statuses``: answered instead of the next requests. ``tamper``: changes the body of an answer, by its path.
    """

    def __init__(self, registry: Registry, tls: ssl.SSLContext | None) -> None:
        self.registry = registry
        self.seen: list[Seen] = []
        self.lock = threading.Lock()
        self.reset()
        super().__init__(_Handler, tls)

    def reset(self) -> None:
        """Forget requests and faults."""
        self.seen.clear()
        self.cut, self.cuts = 0, 0
        self.delay, self.pace = 0.0, 0.0
        self.redirect = ""
        self.statuses: list[int] = []
        self.tamper: Callable[[str, bytes], bytes] | None = None

    @property
    def blobs(self) -> list[Seen]:
        """The requests for blobs."""
        return [seen for seen in self.seen if seen.is_blob]

    @property
    def sent(self) -> int:
        """The bytes of all bodies."""
        return sum(seen.sent for seen in self.seen)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def do_GET(self) -> None:
        proxy = self.server
        time.sleep(proxy.delay)
        with proxy.lock:
            status = proxy.statuses.pop(0) if proxy.statuses else 0
        is_blob = "/blobs/" in self.path
        if status:
            self._end(status, {}, b"")
        elif proxy.redirect and is_blob:
            self._end(307, {"Location": f"{proxy.redirect}{self.path}"}, b"")
        else:
            self._forward(is_blob)

    do_HEAD = do_GET

    def _forward(self, is_blob: bool) -> None:
        proxy = self.server
        upstream = http.client.HTTPSConnection(proxy.registry.host, context=proxy.registry.site.client_tls())
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOPS}
        upstream.request(self.command, self.path, headers={**headers, "Host": proxy.registry.host})
        answer = upstream.getresponse()
        kept = {name: value for name, value in answer.getheaders() if name.lower() not in _HOPS}
        # URLs of the registry itself must lead here again.
        length = int(answer.headers.get("Content-Length") or 0)
        if proxy.tamper is not None and length < _SMALL and self.command == "GET":
            self._end(answer.status, kept, proxy.tamper(self.path, answer.read()))
        elif self.command == "HEAD":
            self._end(answer.status, kept, b"", length)
        elif answer.status >= 400:
            # A client may not read the body of an error before a test looks at the records.
            self._end(answer.status, kept, answer.read())
        else:
            self._stream(answer, kept, length, is_blob)
        upstream.close()

    def _stream(self, answer: http.client.HTTPResponse, headers: dict[str, str], length: int, is_blob: bool) -> None:
        proxy = self.server
        limit = length
        with proxy.lock:
            if is_blob and proxy.cuts > 0 and length > proxy.cut:
                proxy.cuts -= 1
                limit = proxy.cut
        if not limit:
            self._record(answer.status, 0)
        self._head(answer.status, headers, length)
        sent = 0
        try:
            while sent < limit and (data := answer.read(min(_CHUNK, limit - sent))):
                if sent + len(data) == limit:
                    # Before the client has everything: a test looks at the records then.
                    self._record(answer.status, limit)
                self.wfile.write(data)
                sent += len(data)
                time.sleep(proxy.pace)
        finally:
            if sent < limit:
                self._record(answer.status, sent)
        if limit < length:
            self.close_connection = True
            self.connection.close()

    def _end(self, status: int, headers: dict[str, str], body: bytes, length: int | None = None) -> None:
        self._record(status, len(body))
        self._head(status, headers, len(body) if length is None else length)
        self.wfile.write(body)

    def _head(self, status: int, headers: dict[str, str], length: int) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def _record(self, status: int, sent: int) -> None:
        authorization = self.headers.get("Authorization", "")
        self.server.seen.append(Seen(self.command, self.path, status, authorization, sent))

    def log_message(self, *_: object) -> None:
        pass
