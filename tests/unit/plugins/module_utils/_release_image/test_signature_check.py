# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the check of a signature returns, reports and records. Here, no signature is verified."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, ReleaseError
from ansible_collections.capability.openshift.plugins.module_utils._release_image import signature_verification
from ansible_collections.capability.openshift.plugins.module_utils._release_image.opened_release import (
    OpenedRelease,
    Signer,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_source import SignatureOptions
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_check import check_signature

SIGNED_BY = (Signer("ring", "AB12", "Red Hat", "store"),)
Check = Callable[..., tuple[Any, Any, Any]]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Check a release: its signers, its problems, and how often its signature was verified."""

    def check(signed_by: Any = SIGNED_BY, **options: Any) -> Any:
        calls = 0

        def verify(_name: str, _found: Any, _options: Any, _ca: Any, problems: Problems) -> Any:
            nonlocal calls
            calls += 1
            problems.error("store-status", "store", "answers 500")
            problems.info("noted", "store", "is empty")
            return signed_by

        monkeypatch.setattr(signature_verification, "verify_release", verify)
        problems = Problems()
        found = check_signature(
            "it", OpenedRelease(str(tmp_path)), SignatureOptions(**{"mode": "warn", **options}), None, problems
        )
        return found, [(item.severity, item.code) for item in problems], calls

    return check


def test_a_signature_is_verified_once_for_the_same_keys(check: Check, tmp_path: Path) -> None:
    warned = [("warning", "store-status")]
    assert check() == (SIGNED_BY, warned, 1)
    assert check() == (SIGNED_BY, warned, 0)
    (tmp_path / "ring").write_text("key")
    keys = [str(tmp_path / "ring")]
    assert check(keys=keys) == (SIGNED_BY, warned, 1)
    assert check(keys=keys) == (SIGNED_BY, warned, 0)
    assert check(stores=["https://store"]) == (SIGNED_BY, warned, 1)
    (tmp_path / "ring").write_text("another key")
    assert check(keys=keys) == (SIGNED_BY, warned, 1)


def test_a_failure_is_not_recorded(check: Check) -> None:
    for _repeat in range(2):
        assert check(signed_by=()) == ((), [("warning", "store-status")], 1)


def test_a_problem_of_a_required_signature_is_an_error(check: Check) -> None:
    with pytest.raises(ReleaseError) as error:
        check(mode="required")
    assert [item.code for item in error.value.problems if item.severity == "error"] == ["store-status"]


def test_an_ignored_signature_is_not_verified(check: Check) -> None:
    assert check(mode="ignore") == ((), [], 0)


def test_a_key_ring_that_cannot_be_read_is_not_recorded(check: Check) -> None:
    for _repeat in range(2):
        assert check(keys=["/nowhere"])[2] == 1


def test_a_damaged_record_is_none(check: Check, tmp_path: Path) -> None:
    check()
    (tmp_path / "release-signature.json").write_text('{"verified": {"a": 1}}')
    assert check()[2] == 1
