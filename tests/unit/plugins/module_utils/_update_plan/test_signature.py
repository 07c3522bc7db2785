# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the signature of an image means for an update to it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._update_plan.signature import (
    ImageSignature,
    signature_reasons,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.update_reasons import Unchecked

STORE = "https://me:secret@store.example/signatures"
VERIFIED, INVALID, UNKNOWN = (ImageSignature(state, "why") for state in ("verified", "invalid", "unknown"))


@pytest.mark.parametrize(
    ("signature", "stores", "hosted", "reasons", "unchecked"),
    [
        (None, [STORE], False, [], []),
        (VERIFIED, [], False, [], []),
        (VERIFIED, [STORE], False, [], ["signature-stores"]),
        (INVALID, [], False, ["release-not-signed"], []),
        (INVALID, [STORE], False, [], ["signature-stores", "release-signature"]),
        (UNKNOWN, [], False, [], ["release-signature"]),
        (INVALID, [], True, [], []),
    ],
)
def test_an_invalid_signature_blocks_unless_other_stores_may_have_a_valid_one(
    signature: ImageSignature | None, stores: list[str], hosted: bool, reasons: list[str], unchecked: list[str]
) -> None:
    sides = {
        side: SimpleNamespace(hosted=hosted, release=SimpleNamespace(shown_version=side)) for side in ("start", "end")
    }
    hop: Any = SimpleNamespace(**sides)
    left: list[Unchecked] = []
    found = list(signature_reasons(hop, signature, stores, left))

    assert [(item.verdict, item.code) for item in found] == [("blocked", code) for code in reasons]
    assert [item.code for item in left] == unchecked
    assert all("secret" not in item.message for item in left)
    assert all("store.example/signatures" in item.message for item in left if item.code == "signature-stores")
