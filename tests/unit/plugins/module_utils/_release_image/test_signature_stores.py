# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stores that are asked at the same time: all their answers, and no wait for one that is silent."""

from __future__ import annotations

import base64
import threading
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_stores import (
    ConfigMapStore,
    FoundSignature,
    ParallelStores,
)

DIGEST = f"sha256:{'1' * 64}"
KEY = f"sha256-{'1' * 64}-1"


def config_maps(name: str, *entries: bytes) -> ConfigMapStore:
    data = {f"{KEY}{index}": base64.b64encode(entry).decode() for index, entry in enumerate(entries)}
    other = {f"sha256-{'2' * 64}-1": base64.b64encode(b"other").decode()}
    return ConfigMapStore(name, ({"metadata": {"name": "m"}, "binaryData": {**other, **data}}, {"metadata": {}}))


class Silent:
    """A store that answers when the test is over."""

    name = "silent"

    def __init__(self) -> None:
        self.over = threading.Event()

    def signatures(self, _digest: str, _problems: Problems) -> Any:
        self.over.wait(10)
        yield FoundSignature(b"late", "late")


def test_all_stores_answer():
    problems = Problems()
    stores = ParallelStores((config_maps("a", b"a1", b"a2"), config_maps("b", b"b1"), config_maps("c")))

    found = sorted(item.data for item in stores.signatures(DIGEST, problems))

    assert (found, problems, stores.name) == ([b"a1", b"a2", b"b1"], [], "a, b, c")


def test_an_entry_that_is_not_base64_is_reported_and_the_others_count():
    problems = Problems()
    store = ConfigMapStore("a", ({"metadata": {"name": "m"}, "binaryData": {f"{KEY}0": "?", f"{KEY}1": "eA=="}},))

    assert [item.data for item in ParallelStores((store,)).signatures(DIGEST, problems)] == [b"x"]
    assert [(item.code, str(item.where)) for item in problems] == [("signature-not-base64", f"a: m.binaryData.{KEY}0")]


def test_a_silent_store_ends_the_wait():
    problems, silent = Problems(), Silent()
    stores = ParallelStores((silent, config_maps("a", b"a1")), seconds=0.05)

    assert [item.data for item in stores.signatures(DIGEST, problems)] == [b"a1"]
    assert [item.code for item in problems] == ["store-timeout"]
    silent.over.set()
