# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names and sets that the cluster, its version or the collection do not know, and the rules of the CRD."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.spec_changes import (
    GATED,
    SPEC,
    block,
    contents,
    wished,
)

ADDITIONAL = "capabilities.additional_enabled_capabilities"
NOT_KNOWN = "is not among the capabilities that the cluster says to know"


def ungated(minor: str) -> list[str]:
    return sorted(set(contents("vCurrent", minor)) - GATED)


# Names


@pytest.mark.parametrize("append", [False, True])
@pytest.mark.parametrize(
    ("options", "where", "message"),
    [
        (block("console"), f"{ADDITIONAL}[0]", "'console' is not a capability of 4.20"),
        (block("Console", "Later"), f"{ADDITIONAL}[1]", "'Later' is not a capability of 4.20"),
        (block("ClusterAPI"), f"{ADDITIONAL}[0]", "'ClusterAPI' is not a capability of 4.20"),
        (block(baseline="v4.19"), "capabilities.baseline_capability_set", "'v4.19' is not a capability set of 4.20"),
        (block(baseline="none"), "capabilities.baseline_capability_set", "'none' is not a capability set of 4.20"),
    ],
)
def test_a_name_that_the_version_does_not_know_changes_nothing(options, where, message, append):
    told = wished(block(), options, append=append)

    assert told.change is None
    assert told.errors == [(where, message)]


@pytest.mark.parametrize("append", [False, True])
def test_a_name_behind_a_gate_that_is_off_is_not_known(append):
    told = wished(block("Console"), block("Console", "ClusterAPI"), "4.23", append=append, known=ungated("4.23"))

    assert told.errors == [(f"{ADDITIONAL}[1]", f"ClusterAPI {NOT_KNOWN}")]
    assert [item.hint for item in told.problems] == ["It needs the feature gate ClusterAPIMachineManagement"]


@pytest.mark.parametrize("append", [False, True])
def test_a_name_of_the_version_that_an_update_is_going_to_is_not_known_yet(append):
    told = wished(block(), block("Build"), "4.14", append=append, known=contents("vCurrent", "4.13"))

    assert told.errors == [(f"{ADDITIONAL}[0]", f"Build {NOT_KNOWN}")]
    assert [item.hint for item in told.problems] == ["Wait until the cluster's update is finished"]


@pytest.mark.parametrize("known", [contents("vCurrent", "4.13"), None])
def test_what_ran_before_an_update_runs_while_it_goes_on(known):
    for spec in (block("Console"), block(baseline="v4.13"), block(baseline="vCurrent")):
        assert not wished(spec, spec, "4.14", known=known, enabled=["Console"]).made.changed


@pytest.mark.parametrize("options", [{}, block(baseline="vCurrent"), block(baseline="v4.18")])
def test_append_asks_for_nothing_that_the_cluster_does_not_know(options):
    """The enum of its CRD refuses the names of other feature sets."""
    assert not GATED.intersection(wished(block(), options, "4.23", append=True, known=ungated("4.23")).made.after[1])
    assert not wished(None, options, "4.23", append=True, known=ungated("4.23")).made.changed


def test_an_exclusion_pins_no_name_that_the_cluster_does_not_know():
    change = wished(block(), {"excludedCapabilities": ["Console"]}, "4.23", known=ungated("4.23")).made

    assert change.body == block(*sorted(set(ungated("4.23")) - {"Console"}))


def test_no_gated_name_is_missed_where_its_gate_is_off():
    told = wished(None, block(*ungated("4.23")), "4.23", known=ungated("4.23"))

    assert told.made.removed == ()
    assert wished(None, block(*ungated("4.23")), "4.23", known=contents("vCurrent", "4.23")).errors != []


def test_a_name_that_the_spec_lists_is_requested_whatever_the_cluster_knows():
    """The CRD comes first in an update, so a list can name what the status does not know yet."""
    spec, known = block("Build", "Console"), contents("vCurrent", "4.13")

    told = wished(spec, block("Console"), "4.14", known=known)

    assert told.change is not None
    assert told.change.removed == ("Build",)
    assert not wished(spec, spec, "4.14", known=known).made.changed
    assert wished(spec, block("Storage"), "4.14", append=True, known=known).made.body == block(
        "Build", "Console", "Storage"
    )


def test_a_name_of_another_version_that_the_spec_lists_can_be_listed_again():
    assert not wished(block("Later"), block("Later")).made.changed
    assert wished(block("Later"), block("Console", "Later")).made.body == block("Console", "Later")
    assert wished(block("Later"), block("Console")).errors != []


# Sets


def test_an_unknown_set_in_the_spec_can_only_be_added_to():
    spec = block("Console", baseline="v4.99")

    ((where, message),) = wished(spec, block("Console")).errors
    assert (where, message) == (
        f"{SPEC}.baselineCapabilitySet",
        "is v4.99, and what that holds in 4.20 is not known here",
    )
    change = wished(spec, {"additional_enabled_capabilities": ["Build"]}, append=True).made
    assert change.body == block("Build", "Console", baseline="v4.99")


@pytest.mark.parametrize("options", [{}, {"excludedCapabilities": ["Build"]}, {"inclusionDefault": "Include"}])
def test_nothing_replaces_an_unknown_set(options):
    assert wished(block(baseline="v4.99"), options).change is None


def test_what_the_mend_of_an_unknown_set_says_works():
    """It is to keep the set and to add names to the list."""
    (problem,) = wished(block(baseline="v4.99"), block("Build")).problems
    assert problem.hint.startswith("Keep it and add names to the list")

    kept = wished(block(baseline="v4.99"), block("Build", baseline="v4.99"))

    assert kept.made.body == block("Build", baseline="v4.99")


# Rules of the CRD


RULES = [
    ("4.15", "marketplace", "OperatorLifecycleManager", "api-marketplace-olm"),
    ("5.2", "marketplace", "OperatorLifecycleManager", "api-marketplace-olm"),
    ("4.14", "baremetal", "MachineAPI", "api-baremetal-machineapi"),
    ("4.16", "baremetal", "MachineAPI", "api-baremetal-machineapi"),
    # CRDs that list the name have the rule too: both came for the feature sets with the gates.
    ("4.23", "ClusterAPI", "CompatibilityRequirements", "api-clusterapi-compat"),
]


@pytest.mark.parametrize("append", [False, True])
@pytest.mark.parametrize(("minor", "name", "needed", "rule"), RULES)
def test_a_rule_of_the_crd_is_kept_by_the_list_or_by_what_is_on(minor, name, needed, rule, append):
    known = contents("vCurrent", minor)

    ((where, message),) = wished(block(), block(name), minor, append=append, known=known).errors
    assert where == ADDITIONAL
    assert message.startswith(f"{needed} is missing: ")
    assert f"({rule}: " in message
    for given, enabled in ((block(name, needed), ()), (block(name), [needed])):
        assert wished(block(), given, minor, append=append, known=known, enabled=enabled).made.changed


@pytest.mark.parametrize(
    ("minor", "spec", "options"),
    [
        ("4.14", block(), block("marketplace")),
        ("4.13", block(), block("baremetal")),
        ("4.17", block(), block("baremetal")),
        # The rules of the list look at None alone.
        ("4.20", block(), block("marketplace", baseline="v4.12")),
        ("4.15", block(), block(baseline="v4.11")),
        # Those of installers are none of a running cluster's.
        ("4.20", block(), block("Console")),
    ],
)
def test_other_rules_hold_nothing_up(minor, spec, options):
    assert wished(spec, options, minor).made.changed


def test_what_broke_a_rule_before_is_not_held_against_a_wish_that_changes_nothing():
    spec = block("marketplace")

    assert not wished(spec, spec).made.changed
    assert wished(spec, block("marketplace", "Console"), enabled=["OperatorLifecycleManager"]).made.changed


def test_an_update_that_goes_on_lets_nothing_be_taken_back():
    """The cluster goes to 4.18 and still knows the names of 4.17; vCurrent asks for those of 4.18 already."""
    before = contents("vCurrent", "4.17")
    state: dict[str, Any] = {"minor": "4.18", "enabled": before, "known": before}

    ((where, message),) = wished(None, block(*before), **state).errors
    assert (where, "OperatorLifecycleManagerV1 (from vCurrent)" in message) == ("capabilities", True)
    told = wished(None, {"excluded_capabilities": ["Console"]}, **state)
    assert "OperatorLifecycleManagerV1 (from vCurrent)" in told.errors[0][1]
    assert not wished(None, block(baseline="vCurrent"), **state).made.changed


@pytest.mark.parametrize("known", [None, []])
def test_a_cluster_that_does_not_say_what_it_knows_loses_nothing(known):
    names = contents("vCurrent")

    ((where, message),) = wished(None, block(), enabled=names, known=known).errors
    assert where == "capabilities"
    assert all(f"{name} (from vCurrent)" in message for name in names)


def test_names_behind_gates_are_not_asked_for_by_a_set_where_nobody_says_that_they_exist():
    plain = [name for name in contents("vCurrent", "4.23") if name not in GATED]

    assert wished(None, block(*plain), "4.23").made.removed == ()
    assert wished(block("ClusterAPI"), block(), "4.23").errors != []


def test_a_name_that_only_the_cluster_knows_is_asked_for_by_vcurrent():
    """It runs a release of a minor that had it later than the registry says."""
    known = [*contents("vCurrent"), "Later"]

    ((_where, message),) = wished(None, block(*contents("vCurrent")), known=known, enabled=known).errors
    assert "Later (from vCurrent)" in message
    assert wished(block(), block("Later"), known=known).made.added == {"Later"}


@pytest.mark.parametrize("spec", [block(), block(baseline="v4.11")])
def test_an_exclusion_that_adds_is_a_warning(spec):
    told = wished(spec, {"excluded_capabilities": ["Insights"]})

    assert "Console" in told.made.added
    assert [where for where, message in told.warnings if " and so adds " in message] == [
        "capabilities.excluded_capabilities"
    ]


@pytest.mark.parametrize("options", [{"excluded_capabilities": []}, {"inclusionDefault": "Include", "exclude": []}])
def test_pinning_what_follows_every_release_is_a_warning(options):
    told = wished(None, options)

    assert told.made.body == block(*contents("vCurrent"))
    assert "asks no longer for what later releases add" in told.warnings[0][1]
