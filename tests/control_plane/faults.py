# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A proxy in front of the API server that fails as networks and busy servers do, as often as a test says."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import struct
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.tests.control_plane.api import write_kubeconfig
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.server import Server
from ansible_collections.capability.openshift.tests.control_plane.users import EVERYTHING, token_of, token_user

USER = "through-the-proxy"
_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "proxy-authorization", "host"}
"""Headers that belong to one connection."""

_CHUNK = 65536


class Request(NamedTuple):
    """A request that came to the proxy, and whether it went on to the API server."""

    method: str
    path: str
    passed: bool


class Fault(NamedTuple):
    """What happens to requests instead of, or before, being passed on.

    ``answer``: the API server seems to answer with ``status``, and with the header Retry-After if there are
    ``seconds``; ``reset``: the connection breaks; ``lose``: the API server gets the request, but the connection breaks
    before its answer; ``delay``: it is passed on after ``seconds``; ``hold``: nothing comes back, as in a network that
    drops packets. It happens to requests with ``method`` whose path and query match the regular expression ``path``.
    """

    kind: str
    method: str = ""
    path: str = ""
    status: int = 0
    seconds: float = 0.0


class FaultProxy:
    """A server on a separate port, which passes everything on unless a fault is set.

    Clients have to use tokens: it ends their TLS, and client certificates with it.
    """

    def __init__(self, plane: ControlPlane) -> None:
        self.plane = plane
        token_user(plane, USER, EVERYTHING)
        self._lock = threading.Lock()
        self._faults: list[Fault] = []
        self._requests: list[Request] = []
        self.closed = threading.Event()
        handler = type("Handler", (_Handler,), {"proxy": self})
        self._server = Server(handler, plane.serving_context())
        self.url = self._server.url
        path = plane.folder / "proxy.kubeconfig"
        self.kubeconfig = write_kubeconfig(path, self.url, plane.authority.certificate, token_of(plane, USER))

    def __enter__(self) -> FaultProxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed.set()
        self._server.close()

    def fail(self, kind: str, times: int = 1, **fault: Any) -> None:
        """Have a ``Fault`` happen to the next ``times`` requests that it is for, after those that were set earlier."""
        with self._lock:
            self._faults += [Fault(kind, **fault)] * times

    @property
    def requests(self) -> list[Request]:
        """The requests so far."""
        with self._lock:
            return list(self._requests)

    @property
    def passed(self) -> int:
        """How many requests went on to the API server."""
        return sum(request.passed for request in self.requests)

    @property
    def pending(self) -> int:
        """How many faults did not happen yet."""
        with self._lock:
            return len(self._faults)

    def next_fault(self, method: str, path: str) -> Fault | None:
        """Return what happens to a request, and count it."""
        with self._lock:
            for index, fault in enumerate(self._faults):
                if fault.method in ("", method) and re.search(fault.path, path):
                    del self._faults[index]
                    break
            else:
                fault = None
            passes = fault is None or fault.kind in ("lose", "delay")
            self._requests.append(Request(method, path, passes))
        return fault


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy: FaultProxy

    def log_message(self, *_: Any) -> None:
        pass

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.proxy.next_fault(self.command, self.path)
        kind = fault.kind if fault else "none"
        if fault and kind == "answer":
            self._refuse(fault)
        elif kind == "reset":
            self._break()
        elif kind == "hold":
            self.proxy.closed.wait()
            self._break()
        else:
            if fault and kind == "delay":
                self.proxy.closed.wait(fault.seconds)
            self._pass_on(body, lose=kind == "lose")

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def _refuse(self, fault: Fault) -> None:
        reasons = {429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout"}
        reason = reasons.get(fault.status, "")
        text = (
            f'{{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","reason":"{reason}",'
            f'"message":"the fault proxy answers {fault.status}","code":{fault.status}}}'
        )
        self.send_response(fault.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        if fault.seconds:
            self.send_header("Retry-After", f"{fault.seconds:g}")
        self.end_headers()
        self.wfile.write(text.encode())

    def _break(self) -> None:
        """Close the connection as a crash does: with a reset instead of TLS's own farewell."""
        self.close_connection = True
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        socket.close(self.connection.detach())

    def _pass_on(self, body: bytes, *, lose: bool) -> None:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
        # A connection for each request: one that was kept could be to an API server that is gone since.
        upstream = _upstream(self.proxy.plane)
        try:
            upstream.request(self.command, self.path, body or None, headers)
            answer = upstream.getresponse()
            if lose:
                answer.read()
                self._break()
            else:
                self._send_back(answer)
        except (OSError, http.client.HTTPException):
            self._break()  # either side is gone, and the other one learns of it like this
        finally:
            upstream.close()

    def _send_back(self, answer: http.client.HTTPResponse) -> None:
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP:
                self.send_header(name, value)
        chunked = answer.getheader("Content-Length") is None and answer.status not in (204, 304)
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        # As soon as it comes: a watch goes on for minutes.
        while data := answer.read1(_CHUNK):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")


def _upstream(plane: ControlPlane) -> http.client.HTTPSConnection:
    context = ssl.create_default_context(cadata=plane.authority.certificate.decode())
    host, _colon, port = plane.url.removeprefix("https://").partition(":")
    return http.client.HTTPSConnection(host, int(port), context=context)
