# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signature stores: web servers on loopback that answer, refuse, delay and redirect."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.http_store import HttpStore, http_get
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_stores import FoundSignature
from ansible_collections.capability.openshift.tests.control_plane.ports import free_port
from ansible_collections.capability.openshift.tests.unit.builders.signature_server import (
    SignatureServer,
    client,
    forget_proxies,
)

DIGEST = f"sha256:{'d' * 64}"
FOLDER = DIGEST.replace(":", "=")


@pytest.fixture
def server() -> Iterator[SignatureServer]:
    found = SignatureServer()
    yield found
    found.close()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    forget_proxies(monkeypatch)


def found(store, problems: Problems | None = None) -> list[FoundSignature]:
    return list(store.signatures(DIGEST, Problems() if problems is None else problems))


def test_signatures_are_read_until_the_first_that_is_not_there(server):
    server.answers = {"signature-1": (200, b"one"), "signature-2": (200, b"two"), "signature-4": (200, b"four")}
    signatures = found(HttpStore(f"{server.url}/", http_get(client())))
    assert signatures == [
        (b"one", f"{server.url}/{FOLDER}/signature-1"),
        (b"two", f"{server.url}/{FOLDER}/signature-2"),
    ]
    assert len(server.paths) == 3


def test_nine_signatures_are_read_at_most(server):
    server.answers = {f"signature-{number}": (200, b"x") for number in range(1, 20)}
    assert len(found(HttpStore(server.url, http_get(client())))) == 9


def test_after_another_failure_the_next_number_is_asked(server):
    problems = Problems()
    server.answers = {"signature-1": (500, b""), "signature-2": (200, b""), "signature-3": (200, b"three")}
    assert [item.data for item in found(HttpStore(server.url, http_get(client())), problems)] == [b"three"]
    assert [(problem.code, str(problem.where)) for problem in problems] == [
        ("store-status", f"{server.url}/{FOLDER}/signature-1")
    ]


def test_a_long_answer_is_cut(server):
    server.answers = {"signature-1": (200, b"\x99" * 1_000_000)}
    assert [len(item.data) for item in found(HttpStore(server.url, http_get(client())))] == [64 * 1024 + 1]


def test_redirects_are_followed_without_the_password(server):
    target = SignatureServer()
    try:
        target.answers = {"signature-1": (200, b"one")}
        server.answers = {"signature-1": (302, f"{target.url}/signature-1".replace("127.0.0.1", "localhost").encode())}
        url = server.url.replace("://", "://user:secret@")
        (signature,) = found(HttpStore(url, http_get(client())))
        assert signature == (b"one", f"{server.url}/{FOLDER}/signature-1")
        assert "authorization" not in target.headers
        assert server.headers["authorization"] == "Basic dXNlcjpzZWNyZXQ="
    finally:
        target.close()


def test_a_server_that_is_not_there_is_asked_and_reported_once():
    problems = Problems()
    url = f"http://user:secret@127.0.0.1:{free_port()}/store"
    assert found(HttpStore(url, http_get(client())), problems) == []
    (problem,) = problems
    assert problem.code == "store-unreachable"
    assert "refused" in problem.message
    assert "secret" not in str(problem)


def test_the_proxy_of_the_environment_is_used(server, monkeypatch):
    server.answers = {"signature-1": (200, b"by proxy")}
    monkeypatch.setenv("HTTP_PROXY", server.url.partition("/signatures")[0])
    monkeypatch.setenv("NO_PROXY", "")
    assert [item.data for item in found(HttpStore("http://store.example.invalid/x", http_get(client())))] == [
        b"by proxy"
    ]
    assert server.paths[0] == f"http://store.example.invalid/x/{FOLDER}/signature-1"
