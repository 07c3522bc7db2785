# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Proxies before a cluster."""

from __future__ import annotations

import base64
import select
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.identities import identity_of
from ansible_collections.capability.openshift.tests.cluster.helpers.support import Site, selection, site_of
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane


@pytest.fixture
def site(cluster: ControlPlane, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Site:
    site = site_of(cluster, capsys, monkeypatch)
    site.make(selection("Console"), ["Console"])
    return site


# Proxies


class _Tunnel(socketserver.BaseRequestHandler):
    """CONNECT, and then all data in both directions."""

    server: _Proxy

    def handle(self) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.request.recv(4096)
        first, *lines = head.decode().split("\r\n")
        self.server.requests.append((first, {line.partition(":")[0].lower(): line for line in lines if line}))
        if self.server.password and self.server.password not in head.decode():
            self.request.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return
        host, _colon, port = first.split()[1].rpartition(":")
        with socket.create_connection((host, int(port))) as upstream:
            self.request.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            pairs = {self.request: upstream, upstream: self.request}
            while True:
                for side in select.select(list(pairs), [], [])[0]:
                    data = side.recv(65536)
                    if not data:
                        return
                    pairs[side].sendall(data)


class _Proxy(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    password = ""
    requests: list[tuple[str, dict[str, str]]]


@contextmanager
def proxy() -> Iterator[_Proxy]:
    with _Proxy(("127.0.0.1", 0), _Tunnel) as server:
        server.requests = []
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


def url_of(server: _Proxy) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}"


def given_as_option(_monkeypatch: pytest.MonkeyPatch, url: str) -> dict[str, Any]:
    return {"proxy": url}


def given_as_variable(monkeypatch: pytest.MonkeyPatch, url: str) -> dict[str, Any]:
    monkeypatch.setenv("K8S_AUTH_PROXY", url)
    return {}


@pytest.mark.parametrize("given", [given_as_option, given_as_variable])
def test_proxies(site: Site, given: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    address = site.plane.url.removeprefix("https://")
    with proxy() as server:
        options = {"kubeconfig": site.plane.kubeconfig, **given(monkeypatch, url_of(server))}
        assert identity_of(site, **options).user == "administrator"
        assert {first.split()[1] for first, _head in server.requests} == {address}
        server.requests.clear()
        assert identity_of(site, **options, no_proxy="127.0.0.1").user == "administrator"
        assert server.requests == []
        assert site.enable("Storage", **options)["changed"]
        assert len(server.requests) == 1  # one connection for all requests


def test_a_proxy_that_demands_credentials(site: Site) -> None:
    with proxy() as server:
        server.password = base64.b64encode(b"me:open sesame").decode()
        options = {"kubeconfig": site.plane.kubeconfig, "proxy": url_of(server)}
        outcome = site.info(**options)
        assert outcome.faults == [("unreachable-server", "")]
        assert "407" in outcome.message


def test_a_proxy_that_does_not_run(site: Site) -> None:
    outcome = site.info(kubeconfig=site.plane.kubeconfig, proxy="http://127.0.0.1:1")
    assert outcome.faults == [("unreachable-server", "")]
    assert "refused" in outcome.message
    assert "proxy" in outcome.message
