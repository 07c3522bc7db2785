# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An HTTP server in a thread of this process, with or without TLS."""

from __future__ import annotations

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server(ThreadingHTTPServer):
    """A server on a free port of loopback. ``host`` is its name with the port."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, handler: type[BaseHTTPRequestHandler], tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.host = f"127.0.0.1:{self.server_port}"
        self.url = f"{'http' if tls is None else 'https'}://{self.host}"
        self._tls = tls
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands in the thread of the connection: a client that does not must not stop the others."""
        if self._tls is not None:
            request = self._tls.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients of these tests break connections."""

    def close(self) -> None:
        """Stop."""
        self.shutdown()
        self.server_close()
