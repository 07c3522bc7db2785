# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A web server on loopback that has signatures, and the client that asks it."""

from __future__ import annotations

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from ansible_collections.capability.openshift.plugins.module_utils._http.client import HttpClient, trusted_certificates

if TYPE_CHECKING:
    import pytest


class SignatureServer:
    """Answers by path: a status and a body, or a call. ``paths`` are the requests, in their order."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.paths: list[str] = []
        self.headers: dict[str, str] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.paths.append(self.path)
                outer.headers = {name.lower(): value for name, value in self.headers.items()}
                answer = outer.answers.get(self.path.rpartition("/")[2], (404, b""))
                status, body = answer() if callable(answer) else answer
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", body.decode())
                    body = b""
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/signatures/release"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def client() -> HttpClient:
    """A client with the settings of the environment."""
    return HttpClient(os.environ, trusted_certificates(None))


def forget_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the proxies from the environment."""
    for name in ("no_proxy", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
