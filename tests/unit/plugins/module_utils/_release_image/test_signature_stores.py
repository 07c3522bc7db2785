# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signatures in ConfigMaps."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_stores import (
    SIGNATURE_LABEL,
    SIGNATURE_NAMESPACE,
    ConfigMapStore,
)

DIGEST = f"sha256:{'1' * 64}"
KEY = f"sha256-{'1' * 64}-1"


def config_map(entries: dict[str, str], **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": "m", "labels": {SIGNATURE_LABEL: ""}, **metadata}, "binaryData": entries}


def test_an_entry_that_is_not_base64_is_reported_and_the_others_count():
    problems = Problems()
    other = {f"sha256-{'2' * 64}-1": "eQ=="}
    found = config_map({**other, f"{KEY}0": "?", f"{KEY}1": "eA=="})
    store = ConfigMapStore("a", (found, {"metadata": {}}))

    assert [item.data for item in store.signatures(DIGEST, problems)] == [b"x"]
    assert [(item.code, str(item.where)) for item in problems] == [("signature-not-base64", f"a: m.binaryData.{KEY}0")]


@pytest.mark.parametrize(
    ("metadata", "codes"),
    [
        ({"namespace": SIGNATURE_NAMESPACE, "labels": {SIGNATURE_LABEL: "any", "other": ""}}, []),
        ({"namespace": SIGNATURE_NAMESPACE, "labels": {"other": ""}}, ["signature-not-labeled"]),
        ({"namespace": SIGNATURE_NAMESPACE, "labels": None}, ["signature-not-labeled"]),
        ({"namespace": "openshift-config"}, ["signature-not-labeled"]),
    ],
)
def test_the_cvo_reads_config_maps_with_the_label_in_its_namespace(metadata, codes):
    problems = Problems()
    store = ConfigMapStore("a", (config_map({f"{KEY}": "eA=="}, **metadata),))
    assert len(list(store.signatures(DIGEST, problems))) == 1 - len(codes)
    assert [item.code for item in problems] == codes
