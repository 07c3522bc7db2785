# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names and sets that the cluster, its version or the collection does not know, and the rules of the CRD."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.spec_changes import (
    GATED,
    SPEC,
    block,
    contents,
    outcome_of,
)

ADDITIONAL = "capabilities.additionalEnabledCapabilities"
NOT_KNOWN = "is not known to the cluster"


def ungated(minor: str) -> list[str]:
    return sorted(set(contents("vCurrent", minor)) - GATED)


def asked(where: str, *names: str) -> dict[str, Any]:
    """Return a request for ``names``: as a selection, or as names to add."""
    return {"options": block(*names)} if where == ADDITIONAL else {"enable": names}


# Names


@pytest.mark.parametrize(
    ("options", "where", "code"),
    [
        (block("console"), f"{ADDITIONAL}[0]", "unknown-capability"),
        (block("Console", "Later"), f"{ADDITIONAL}[1]", "unknown-capability"),
        (block("ClusterAPI"), f"{ADDITIONAL}[0]", "unknown-capability"),
        (block(baseline="v4.19"), "capabilities.baselineCapabilitySet", "unknown-capability-set"),
        (block(baseline="none"), "capabilities.baselineCapabilitySet", "unknown-capability-set"),
    ],
)
def test_a_name_that_the_version_does_not_know_changes_nothing(options, where, code):
    outcome = outcome_of(block(), options)

    assert outcome.change is None
    assert [item_where for item_where, _message in outcome.errors] == [where]
    assert outcome.codes == [(code, where)]


@pytest.mark.parametrize("where", [ADDITIONAL, "enable"])
def test_a_name_behind_a_disabled_gate_is_not_known(where):
    outcome = outcome_of(block("Console"), minor="4.23", known=ungated("4.23"), **asked(where, "Console", "ClusterAPI"))

    assert outcome.errors == [(f"{where}[1]", f"ClusterAPI {NOT_KNOWN}")]
    assert [item.hint for item in outcome.problems] == ["Enable the feature gate ClusterAPIMachineManagement first"]
    assert outcome.codes == [("unknown-capability", f"{where}[1]")]


@pytest.mark.parametrize("where", [ADDITIONAL, "enable"])
def test_a_name_of_the_target_version_of_a_pending_update_is_not_known_yet(where):
    outcome = outcome_of(block(), minor="4.14", known=contents("vCurrent", "4.13"), **asked(where, "Build"))

    assert outcome.errors == [(f"{where}[0]", f"Build {NOT_KNOWN}")]
    assert [item.hint for item in outcome.problems] == ["Wait until the cluster's update is finished"]


def test_a_name_of_the_release_that_is_being_applied_may_be_requested():
    known = contents("vCurrent", "4.13")
    outcome = outcome_of(block(), block("Build"), "4.14", known=known, new_names=["Build"])

    assert outcome.accepted.added == {"Build"}


@pytest.mark.parametrize("known", [contents("vCurrent", "4.13"), None])
def test_a_selection_stays_valid_during_an_update(known):
    for spec in (block("Console"), block(baseline="v4.13"), block(baseline="vCurrent")):
        assert not outcome_of(spec, spec, "4.14", known=known, enabled=["Console"]).accepted.changed


def test_an_exclusion_pins_no_name_that_the_cluster_does_not_know():
    change = outcome_of(block(), {"excludedCapabilities": ["Console"]}, "4.23", known=ungated("4.23")).accepted

    assert change.body == block(*sorted(set(ungated("4.23")) - {"Console"}))


def test_a_gated_name_is_not_a_removal_if_its_gate_is_disabled():
    outcome = outcome_of(None, block(*ungated("4.23")), "4.23", known=ungated("4.23"))

    assert outcome.accepted.removed == ()
    assert outcome_of(None, block(*ungated("4.23")), "4.23", known=contents("vCurrent", "4.23")).errors != []


def test_a_name_that_the_spec_lists_is_requested_even_if_the_cluster_does_not_know_it():
    """An update applies the CRD first, so a list can contain names that the status does not know yet."""
    spec, known = block("Build", "Console"), contents("vCurrent", "4.13")

    outcome = outcome_of(spec, block("Console"), "4.14", known=known)

    assert outcome.change is not None
    assert outcome.change.removed == ("Build",)
    assert not outcome_of(spec, spec, "4.14", known=known).accepted.changed
    assert outcome_of(spec, minor="4.14", enable=["Storage"], known=known).accepted.body == block(
        "Build", "Console", "Storage"
    )


def test_a_name_of_another_version_that_the_spec_lists_can_be_listed_again():
    assert not outcome_of(block("Later"), block("Later")).accepted.changed
    assert outcome_of(block("Later"), block("Console", "Later")).accepted.body == block("Console", "Later")
    assert outcome_of(block("Later"), block("Console")).errors != []


# Sets


def test_an_unknown_set_in_the_spec_can_only_be_added_to():
    spec = block("Console", baseline="v4.99")

    outcome = outcome_of(spec, block("Console"))
    assert outcome.errors == [
        (f"{SPEC}.baselineCapabilitySet", "is v4.99, whose names in 4.20 are not known to the collection")
    ]
    assert outcome.codes == [("unknown-capability-set", f"{SPEC}.baselineCapabilitySet")]
    change = outcome_of(spec, enable=["Build"]).accepted
    assert change.body == block("Build", "Console", baseline="v4.99")


@pytest.mark.parametrize("options", [{}, {"excludedCapabilities": ["Build"]}, {"inclusionDefault": "Include"}])
def test_nothing_replaces_an_unknown_set(options):
    assert outcome_of(block(baseline="v4.99"), options).change is None


def test_the_hint_for_an_unknown_set_works():
    """It is to keep the set and to add names to the list."""
    (problem,) = outcome_of(block(baseline="v4.99"), block("Build")).problems
    assert problem.hint.startswith("Keep it and add names to the list")

    outcome = outcome_of(block(baseline="v4.99"), block("Build", baseline="v4.99"))

    assert outcome.accepted.body == block("Build", baseline="v4.99")


# Rules of the CRD


RULES = [
    ("4.15", "marketplace", "OperatorLifecycleManager", "api-marketplace-olm"),
    ("5.2", "marketplace", "OperatorLifecycleManager", "api-marketplace-olm"),
    ("4.14", "baremetal", "MachineAPI", "api-baremetal-machineapi"),
    ("4.16", "baremetal", "MachineAPI", "api-baremetal-machineapi"),
    # CRDs that list the name have the rule too: both came for the feature sets with the gates.
    ("4.23", "ClusterAPI", "CompatibilityRequirements", "api-clusterapi-compat"),
]


@pytest.mark.parametrize("where", [ADDITIONAL, "enable"])
@pytest.mark.parametrize(("minor", "name", "needed", "rule"), RULES)
def test_a_rule_of_the_crd_is_satisfied_by_a_listed_or_an_enabled_name(minor, name, needed, rule, where):
    known = contents("vCurrent", minor)

    outcome = outcome_of(block(), minor=minor, known=known, **asked(where, name))
    ((found, message),) = outcome.errors
    assert found == where
    assert message.startswith(f"{needed} is missing: ")
    assert (rule, where) in outcome.codes
    for given, enabled in (((name, needed), ()), ((name,), [needed])):
        request = asked(where, *given)
        assert outcome_of(block(), minor=minor, known=known, enabled=enabled, **request).accepted.changed


@pytest.mark.parametrize(
    ("minor", "spec", "options"),
    [
        ("4.14", block(), block("marketplace")),
        ("4.13", block(), block("baremetal")),
        ("4.17", block(), block("baremetal")),
        # The rules of the list apply to None only.
        ("4.20", block(), block("marketplace", baseline="v4.12")),
        ("4.15", block(), block(baseline="v4.11")),
        # The rules of installers do not apply to a running cluster.
        ("4.20", block(), block("Console")),
    ],
)
def test_other_rules_do_not_apply(minor, spec, options):
    assert outcome_of(spec, options, minor).accepted.changed


def test_an_existing_violation_is_no_error_of_a_request_that_changes_nothing():
    spec = block("marketplace")

    assert not outcome_of(spec, spec).accepted.changed
    assert outcome_of(spec, block("marketplace", "Console"), enabled=["OperatorLifecycleManager"]).accepted.changed


def test_nothing_can_be_removed_during_an_update():
    """The cluster updates to 4.18 and still knows the names of 4.17; vCurrent already requests those of 4.18."""
    before = contents("vCurrent", "4.17")
    state: dict[str, Any] = {"minor": "4.18", "enabled": before, "known": before}

    ((where, message),) = outcome_of(None, block(*before), **state).errors
    assert (where, "OperatorLifecycleManagerV1 (from vCurrent)" in message) == ("capabilities", True)
    outcome = outcome_of(None, {"excluded_capabilities": ["Console"]}, **state)
    assert "OperatorLifecycleManagerV1 (from vCurrent)" in outcome.errors[0][1]
    assert not outcome_of(None, block(baseline="vCurrent"), **state).accepted.changed


@pytest.mark.parametrize("known", [None, []])
def test_a_cluster_that_does_not_report_known_names_loses_nothing(known):
    names = contents("vCurrent")

    ((where, message),) = outcome_of(None, block(), enabled=names, known=known).errors
    assert where == "capabilities"
    assert all(f"{name} (from vCurrent)" in message for name in names)


def test_gated_names_are_not_requested_by_a_set_unless_they_are_reported():
    plain = [name for name in contents("vCurrent", "4.23") if name not in GATED]

    assert outcome_of(None, block(*plain), "4.23").accepted.removed == ()
    assert outcome_of(block("ClusterAPI"), block(), "4.23").errors != []


def test_a_name_that_only_the_cluster_knows_is_requested_by_vcurrent():
    """It runs a later release of the minor than the one in the data."""
    known = [*contents("vCurrent"), "Later"]

    ((_where, message),) = outcome_of(None, block(*contents("vCurrent")), known=known, enabled=known).errors
    assert "Later (from vCurrent)" in message
    assert outcome_of(block(), block("Later"), known=known).accepted.added == {"Later"}


@pytest.mark.parametrize("spec", [block(), block(baseline="v4.11")])
def test_an_exclusion_that_adds_is_a_warning(spec):
    outcome = outcome_of(spec, {"excluded_capabilities": ["Insights"]})

    assert "Console" in outcome.accepted.added
    assert outcome.codes.count(("broad-exclusion", "capabilities.excluded_capabilities")) == 1


@pytest.mark.parametrize("options", [{"excluded_capabilities": []}, {"inclusionDefault": "Include", "exclude": []}])
def test_pinning_what_follows_every_release_is_a_warning(options):
    outcome = outcome_of(None, options)

    assert outcome.accepted.body == block(*contents("vCurrent"))
    assert outcome.warnings[0][1].startswith("no longer requests ")
    assert ("pinned-selection", "capabilities") in outcome.codes
