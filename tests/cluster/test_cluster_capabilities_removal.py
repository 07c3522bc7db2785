# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A selection that omits a requested name fails, names it, and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.support import KNOWN, Site, selection

# Removals


@pytest.mark.parametrize(
    ("before", "requested", "lost"),
    [
        (selection("Console", "Storage"), selection("Console"), ["Storage (listed)"]),
        (
            selection(baseline="v4.12"),
            selection(baseline="v4.11"),
            ["CSISnapshot (from v4.12)", "Storage (from v4.12)"],
        ),
    ],
    ids=["list", "older"],
)
@pytest.mark.parametrize("check", [False, True], ids=["real", "check"])
def test_removal_fails_and_changes_nothing(
    site: Site, before: Any, requested: Any, lost: list[str], check: bool
) -> None:
    site.make(before, KNOWN)
    with site.untouched():
        outcome = site.ask(requested, check=check)
    message = next(item["message"] for item in outcome.errors if item["code"] == "removed-capability")
    assert all(name in message for name in lost)
    assert not outcome.result.get("changed")


def test_capabilities_are_required(site: Site) -> None:
    site.make(selection("Console"), ["Console"])
    with site.untouched():
        assert site.ask().faults == [("missing-option", "enable")]


def test_rules_of_the_server_are_checked_before_the_request(site: Site) -> None:
    site.make(selection(), [])
    with site.untouched():
        outcome = site.enable("marketplace")
    assert "OperatorLifecycleManager" in outcome.message
