# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A release is verified with several stores on web servers, and `gpgv`."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.gpgv import read_key_ring
from ansible_collections.capability.openshift.plugins.module_utils._release_image.http_store import HttpStore, http_get
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_stores import ParallelStores
from ansible_collections.capability.openshift.plugins.module_utils._release_image.verifier import (
    Verifier,
    verify_digest,
)
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, content
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


def test_stores_are_asked_at_the_same_time_and_a_slow_one_delays_nothing(server):
    slow, key = SignatureServer(), Key()
    release = threading.Event()
    try:
        slow.answers = {"signature-1": lambda: ((release.wait(600) and 404) or 404, b"")}
        server.answers = {"signature-1": (200, key.sign(content(DIGEST), version=3))}
        stores = ParallelStores(tuple(HttpStore(item.url, http_get(client())) for item in (slow, server)))
        ring = read_key_ring("ring", key.ring, Problems())
        assert ring
        assert verify_digest("release", DIGEST, Verifier((ring,), (stores,)), Problems())
        assert not release.is_set()
    finally:
        release.set()
        slow.close()


def test_stores_before_the_last_are_asked_first(server):
    key = Key()
    signature = key.sign(content(DIGEST))
    server.answers = {"signature-1": (200, signature)}
    first = ParallelStores((HttpStore(f"{server.url}/first", http_get(client())),))
    second = ParallelStores((HttpStore(f"{server.url}/second", http_get(client())),))
    ring = read_key_ring("ring", key.ring, Problems())
    assert ring
    (signer,) = verify_digest("release", DIGEST, Verifier((ring,), (first, second)), Problems())
    assert signer.source == f"{server.url}/first/{FOLDER}/signature-1"
    assert not [path for path in server.paths if "second" in path]
