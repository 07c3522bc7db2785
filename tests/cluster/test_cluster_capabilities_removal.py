# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the spec requests is never taken back: whatever lacks a name fails, names it, and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.support import KNOWN, Site, only, selection

# What is never taken back


@pytest.mark.parametrize(
    ("before", "wish", "lost"),
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
def test_removal_fails_and_changes_nothing(site: Site, before: Any, wish: Any, lost: list[str], check: bool) -> None:
    site.make(before, KNOWN)
    with site.untouched():
        outcome = site.ask(wish, check=check)
    message = next(item["message"] for item in outcome.errors if "lacks what" in item["message"])
    assert all(name in message for name in lost)
    assert not outcome.result.get("changed")


def test_the_deleted_block_is_a_removal_where_it_drops_a_name(site: Site) -> None:
    """An older version's vCurrent lacks what a list can hold, because the CRD is of a later one."""
    known = ["Console", "Storage", "marketplace"]
    site.make(selection("Console", "Build"), ["Console", "Build"], known=known, version="4.13.9")
    with site.untouched():
        assert "Build (listed)" in site.ask({}).message


def test_from_include_to_exclude_is_a_removal(site: Site) -> None:
    site.make(None, KNOWN)
    with site.untouched():
        outcome = site.ask({"inclusionDefault": "Exclude", "include": sorted(KNOWN)})
    assert "takes back what later releases add" in outcome.message


def test_nothing_is_asked_for_by_chance(site: Site) -> None:
    """No capabilities at all is no wish."""
    site.make(selection("Console"), ["Console"])
    with site.untouched():
        assert "capabilities: is missing" in site.ask().message
        assert "capabilities: is missing" in site.ask(append=True).message


@pytest.mark.parametrize(
    ("wish", "options", "said"),
    [
        (selection("Consol"), {}, "Did you mean Console"),
        (selection("Console", baseline="v4.99"), {}, "v4.99"),
        (only("Console"), {}, "baseline_capability_set: is missing"),
        ({"baselineCapabilitySet": "None", "include": ["Console"]}, {}, "mixes two spellings"),
        ({"inclusionDefault": "Exclude", "include": ["Build"], "exclude": ["Build"]}, {}, "Build is in include too"),
        ({"inclusionDefault": "Sometimes"}, {}, "expected Include or Exclude"),
        ({"excluded_capabilities": ["Console"]}, {"append": True}, "append"),
        ({"additional_enabled_capabilities": "Console"}, {"append": True}, "expected a list"),
    ],
)
def test_wrong_wishes_are_not_sent(site: Site, wish: Any, options: dict[str, Any], said: str) -> None:
    site.make(selection(), [])
    with site.untouched():
        assert said.lower() in site.ask(wish, **options).message.lower()


def test_rules_of_the_server_are_told_before_it_is_asked(site: Site) -> None:
    site.make(selection(), [])
    with site.untouched():
        outcome = site.append("marketplace")
    assert "OperatorLifecycleManager" in outcome.message
