# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes of a spec by example: names are added, and a removal is an error. See also the properties."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.spec_changes import block, contents, outcome_of

# Additions


@pytest.mark.parametrize(
    ("spec", "options", "body"),
    [
        (block(), block("Console"), block("Console")),
        (block("Console"), block("Storage", "Console"), block("Console", "Storage")),
        (block("Console"), block(baseline="v4.12"), block(baseline="v4.12")),
        (block(), {"baseline_capability_set": "v4.11"}, block(baseline="v4.11")),
        (block("baremetal"), block(baseline="vCurrent"), block(baseline="vCurrent")),
        (block(baseline="v4.11"), block(baseline="v4.12"), block(baseline="v4.12")),
        (block(baseline="v4.18"), block(baseline="vCurrent"), block(baseline="vCurrent")),
        # Sets are expanded, so the same names can be written in another way.
        (block("Console", baseline="vCurrent"), {}, block(baseline="vCurrent")),
        (None, block(baseline="v4.18"), block(baseline="v4.18")),
        (None, block(*contents("vCurrent")), block(*contents("vCurrent"))),
        (block(baseline="v4.11"), block("Console", *contents("v4.11")), block("Console", *contents("v4.11"))),
    ],
)
def test_names_are_added_and_the_body_has_both_fields(spec, options, body):
    change = outcome_of(spec, options, enabled=["OperatorLifecycleManager"]).accepted

    assert change.changed
    assert change.body == {**body, "additionalEnabledCapabilities": sorted(body["additionalEnabledCapabilities"])}
    assert change.removed == ()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"additional_enabled_capabilities": []},
        {"baseline_capability_set": ""},
        {"baselineCapabilitySet": None, "additionalEnabledCapabilities": []},
        {"excluded_capabilities": []},
    ],
)
def test_an_empty_selection_from_a_template_adds_nothing(options):
    outcome = outcome_of(block("Ingress"), options)

    ((where, message),) = outcome.errors
    api = any(key != key.lower() for key in options)
    assert where == f"capabilities.{'baselineCapabilitySet' if api else 'baseline_capability_set'}"
    assert message.startswith("is missing, which means vCurrent and would add Build, CSISnapshot, ")
    assert ("missing-baseline", where) in outcome.codes
    assert outcome_of(None, options).errors == []
    assert outcome_of(block(baseline="vCurrent"), options).errors == []


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        (None, {}),
        ({}, {"baselineCapabilitySet": "vCurrent"}),
        (None, {"inclusionDefault": "Include"}),
        ({"baselineCapabilitySet": "vCurrent"}, {}),
        ({"baselineCapabilitySet": ""}, {}),
        ({"additionalEnabledCapabilities": ["Console"]}, block("Console", baseline="vCurrent")),
        (block("Storage", "Console"), block("Console", "Storage", "Console")),
        (block("Console", "Console"), block("Console")),
        (block("Console"), {"inclusion_default": "Exclude", "include": ["Console"]}),
    ],
)
def test_an_equal_selection_is_no_change(spec, options):
    assert not outcome_of(spec, options).accepted.changed


# Removals


@pytest.mark.parametrize(
    ("spec", "options", "removed", "named"),
    [
        (block("Console", "Storage"), block("Storage"), ["Console"], "Console (listed)"),
        (block("Console"), {"baselineCapabilitySet": "None"}, ["Console"], "Console (listed)"),
        (block("Console"), block(baseline="v4.11"), ["Console"], "Console (listed)"),
        (None, block(), contents("vCurrent"), "Build (from vCurrent), CSISnapshot (from vCurrent)"),
        (block(baseline="vCurrent"), block(), contents("vCurrent"), "(from vCurrent)"),
        (
            block(baseline="v4.12"),
            block(baseline="v4.11"),
            ["CSISnapshot", "Console", "Insights", "Storage"],
            "CSISnapshot (from v4.12), Console (from v4.12), Insights (from v4.12), Storage (from v4.12)",
        ),
        # A smaller block is a removal only if names are no longer requested.
        (block("Console", baseline="v4.11"), block(baseline="v4.11"), ["Console"], "Console (listed)"),
        (None, block(baseline="v4.17"), ["OperatorLifecycleManagerV1"], "OperatorLifecycleManagerV1 (from vCurrent)"),
    ],
)
def test_a_removal_is_an_error_that_names_it(spec, options, removed, named):
    outcome = outcome_of(spec, options, enabled=contents("vCurrent"))

    ((where, message),) = outcome.errors
    assert where == "capabilities"
    assert message.startswith("omits names that the cluster's spec requests: ")
    assert named in message
    assert message.endswith(". An enabled capability can never be disabled")
    assert ("removed-capability", "capabilities") in outcome.codes
    assert outcome.change is not None
    assert list(outcome.change.removed) == sorted(removed)


def test_a_removal_and_a_violated_rule_are_both_reported():
    outcome = outcome_of(block("Console"), block("marketplace"))

    assert [where for where, _message in outcome.errors] == [
        "capabilities",
        "capabilities.additionalEnabledCapabilities",
    ]


def test_a_requested_name_counts_even_if_it_is_not_enabled_yet():
    assert outcome_of(block("Console"), block(), enabled=[]).errors != []


# 4.14 added MachineAPI to v4.11 to v4.13: openshift/api:config/v1/types_cluster_version.go.
@pytest.mark.parametrize(("minor", "removed"), [("4.13", ()), ("4.14", ("MachineAPI",)), ("4.20", ("MachineAPI",))])
@pytest.mark.parametrize("baseline", ["v4.11", "v4.12", "v4.13"])
def test_an_amended_set_requests_more_from_then_on(minor, removed, baseline):
    names = [*contents(baseline, "4.13"), "OperatorLifecycleManager"][: None if minor == "4.20" else -1]

    outcome = outcome_of(block(baseline=baseline), block(*names), minor, enabled=["MachineAPI"])

    assert outcome.change is not None
    assert outcome.change.removed == removed
    assert bool(outcome.errors) == bool(removed)


# Names to add


@pytest.mark.parametrize(
    ("spec", "names", "body"),
    [
        (block("Storage"), ["Console"], block("Console", "Storage")),
        (block("Storage"), ["Storage", "Storage"], block("Storage")),
        (block("Storage"), [], block("Storage")),
        (block(baseline="v4.11"), ["Console", "baremetal"], block("Console", baseline="v4.11")),
        (None, ["Console"], block(baseline="vCurrent")),
        ({}, [], block(baseline="vCurrent")),
    ],
)
def test_names_are_added_to_what_the_spec_requests(spec, names, body):
    assert outcome_of(spec, enable=names, enabled=["OperatorLifecycleManager"]).accepted.body == body


@pytest.mark.parametrize(
    ("name", "code"),
    [("console", "unknown-capability"), ("vCurrent", "unknown-capability"), ("", "unknown-capability")],
)
def test_only_names_of_capabilities_can_be_added(name, code):
    outcome = outcome_of(block("Console"), enable=["Storage", name])
    assert outcome.change is None
    assert outcome.codes == [(code, "enable[1]")]


def test_a_request_needs_names():
    outcome = outcome_of(None)

    assert outcome.errors == [("enable", "is missing")]
    assert outcome.codes == [("missing-option", "enable")]


# Implicitly enabled names


def test_implicitly_enabled_names_stay_and_are_no_error():
    outcome = outcome_of(block("Console"), block("Console"), enabled=["Console", "Ingress", "MachineAPI"])

    assert not outcome.accepted.changed
    assert outcome.problems == ()


def test_implicitly_enabled_names_are_kept():
    enabled = ["Console", "MachineAPI", "Ingress"]

    change = outcome_of(block("Console"), None, keep=True, enabled=enabled).accepted

    assert change.kept == ("Ingress", "MachineAPI")
    assert change.body == block("Console", "Ingress", "MachineAPI")
    again = outcome_of(change.body, None, keep=True, enabled=enabled).accepted
    assert (again.changed, again.kept) == (False, ())


def test_selected_names_are_not_kept():
    change = outcome_of(block(), block("Console"), keep=True, enabled=["Console", "Ingress"]).accepted

    assert change.kept == ("Ingress",)
    assert change.body == block("Console", "Ingress")


def test_names_of_a_later_version_after_a_rollback_stay_and_are_not_kept():
    enabled = ["Console", "Build", "Later"]

    outcome = outcome_of(
        block(), None, "4.13", keep=True, enabled=enabled, known=[*contents("vCurrent", "4.13"), "Build"]
    )

    assert outcome.accepted.kept == ("Console",)
    assert outcome.warnings == [
        ("keep_implicit", f"{name} is enabled and not a capability of 4.13, so it cannot be requested")
        for name in ("Build", "Later")
    ]
    assert outcome.codes == [("unknown-capability", "keep_implicit")] * 2
    assert not outcome_of(block(), block(), "4.13", enabled=enabled).accepted.changed


# The first draft


@pytest.mark.parametrize("names", [["Console"], ["Console", "Storage"]])
def test_adding_to_exclude_is_a_removal(names):
    outcome = outcome_of(None, {"inclusionDefault": "Include", "exclude": names}, enabled=["Ingress"])

    ((where, message),) = outcome.errors
    assert where == "capabilities.exclude"
    assert all(f"{name} (from vCurrent)" in message for name in names)


def test_excluding_more_than_before_is_a_removal():
    spec = outcome_of(block(), {"inclusionDefault": "Include", "exclude": ["Console"]}).accepted.body

    assert "Console" not in spec["additionalEnabledCapabilities"]
    ((where, _message),) = outcome_of(spec, {"inclusionDefault": "Include", "exclude": ["Console", "Storage"]}).errors
    assert where == "capabilities.exclude"
    assert outcome_of(spec, {"inclusionDefault": "Include", "exclude": []}).accepted.changed


@pytest.mark.parametrize("default", ["inclusionDefault", "inclusion_default"])
@pytest.mark.parametrize("spec", [None, {}, block(baseline="vCurrent")])
def test_changing_include_to_exclude_is_a_removal_even_with_all_names(default, spec):
    outcome = outcome_of(spec, {default: "Exclude", "include": contents("vCurrent")})

    assert outcome.errors == [
        (f"capabilities.{default}", "changes Include to Exclude, which no longer requests what later releases add")
    ]
    assert ("removed-default", f"capabilities.{default}") in outcome.codes


def test_changing_exclude_to_include_is_not_a_removal():
    assert outcome_of(block("Console"), {"inclusionDefault": "Include"}).accepted.body == block(baseline="vCurrent")


def test_an_excluded_name_that_is_enabled_is_a_warning():
    outcome = outcome_of(block(), {"excludedCapabilities": ["Console"]}, enabled=["Console", "Storage"])

    assert "Console" not in outcome.accepted.body["additionalEnabledCapabilities"]
    (stays, adds) = outcome.warnings
    assert stays == (
        "capabilities.excludedCapabilities",
        "Console is excluded but already enabled, so it stays enabled",
    )
    assert adds[0] == "capabilities.excludedCapabilities"
    assert adds[1].startswith("requests everything else that 4.20 knows, and so adds Build, CSISnapshot, ")
    assert [code for code, _where in outcome.codes[-2:]] == ["ineffective-exclusion", "broad-exclusion"]
