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
        (selection("Console"), selection(), ["Console (listed)"]),
        (None, selection(), ["Console (from vCurrent)", "marketplace (from vCurrent)"]),
        (selection(baseline="vCurrent"), {"baseline_capability_set": "None"}, ["Console (from vCurrent)"]),
        (
            selection(baseline="v4.12"),
            selection(baseline="v4.11"),
            ["CSISnapshot (from v4.12)", "Storage (from v4.12)"],
        ),
        (selection(baseline="v4.12"), selection("Console", baseline="v4.11"), ["CSISnapshot (from v4.12)"]),
        (None, {"excluded_capabilities": ["Console"]}, ["Console (from vCurrent)"]),
        (
            selection("Console", "Storage"),
            {"inclusionDefault": "Exclude", "include": ["Console"]},
            ["Storage (listed)"],
        ),
        (None, {"inclusionDefault": "Include", "exclude": ["Console"]}, ["Console (from vCurrent)"]),
    ],
    ids=["list", "all", "none", "vCurrent", "older", "older-and-list", "excluded", "draft-list", "draft-exclude"],
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


def test_an_empty_selection_is_a_removal_if_vcurrent_lacks_a_listed_name(site: Site) -> None:
    """The CRD can be of a later version, so the list can have names that vCurrent lacks."""
    known = ["Console", "Storage", "marketplace"]
    site.make(selection("Console", "Build"), ["Console", "Build"], known=known, version="4.13.9")
    with site.untouched():
        assert "Build (listed)" in site.ask({}).message


def test_changing_include_to_exclude_is_a_removal(site: Site) -> None:
    site.make(None, KNOWN)
    with site.untouched():
        outcome = site.ask({"inclusionDefault": "Exclude", "include": sorted(KNOWN)})
    assert outcome.faults == [("removed-default", "capabilities.inclusionDefault")]


def test_capabilities_are_required(site: Site) -> None:
    site.make(selection("Console"), ["Console"])
    with site.untouched():
        assert site.ask().faults == [("missing-option", "enable")]


@pytest.mark.parametrize(
    ("requested", "code"),
    [
        (selection("Consol"), "unknown-capability"),
        (selection("Console", baseline="v4.99"), "unknown-capability-set"),
        ({"additional_enabled_capabilities": ["Console"]}, "missing-baseline"),
        ({"baselineCapabilitySet": "None", "include": ["Console"]}, "mixed-spellings"),
        ({"inclusionDefault": "Exclude", "include": ["Build"], "exclude": ["Build"]}, "conflicting-names"),
        ({"inclusionDefault": "Sometimes"}, "invalid-inclusion-default"),
        ({"baselineCapabilitySet": "None", "additionalEnabledCapabilities": "Console"}, "not-a-list"),
    ],
)
def test_invalid_selections_are_not_sent(site: Site, requested: Any, code: str) -> None:
    site.make(selection(), [])
    with site.untouched():
        assert [item["code"] for item in site.ask(requested).errors] == [code]


def test_rules_of_the_server_are_checked_before_the_request(site: Site) -> None:
    site.make(selection(), [])
    with site.untouched():
        outcome = site.enable("marketplace")
    assert "OperatorLifecycleManager" in outcome.message
