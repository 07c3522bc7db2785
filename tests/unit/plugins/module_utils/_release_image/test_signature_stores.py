# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signatures in ConfigMaps."""

from __future__ import annotations

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_stores import ConfigMapStore

DIGEST = f"sha256:{'1' * 64}"
KEY = f"sha256-{'1' * 64}-1"


def test_an_entry_that_is_not_base64_is_reported_and_the_others_count():
    problems = Problems()
    other = {f"sha256-{'2' * 64}-1": "eQ=="}
    found = {"metadata": {"name": "m"}, "binaryData": {**other, f"{KEY}0": "?", f"{KEY}1": "eA=="}}
    store = ConfigMapStore("a", (found, {"metadata": {}}))

    assert [item.data for item in store.signatures(DIGEST, problems)] == [b"x"]
    assert [(item.code, str(item.where)) for item in problems] == [("signature-not-base64", f"a: m.binaryData.{KEY}0")]
