# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import CapabilityStatus
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import (
    ClusterVersion,
    ReportedCapabilities,
    capability_condition,
    parse_cluster_version,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location, Problems

WHERE = Location(field="cluster_version.spec.capabilities")
EXPECTED = "expected kind ClusterVersion and apiVersion config.openshift.io/v1"


def value(spec: Any = None, **status: Any) -> dict[str, Any]:
    """Return an object with this spec and status."""
    return {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "spec": spec, "status": status}


def lists(enabled: Any = None, known: Any = None) -> dict[str, Any]:
    return {"enabledCapabilities": enabled, "knownCapabilities": known}


def reported(enabled: str, known: str | None) -> ReportedCapabilities:
    return ReportedCapabilities(frozenset(enabled.split()), None if known is None else frozenset(known.split()))


def parsed(given: Any) -> ClusterVersion:
    problems = Problems()
    cluster = parse_cluster_version(given, Location(field="cluster_version"), problems)
    assert cluster is not None
    assert not problems.has_errors
    return cluster


def problems_of(given: Any) -> Problems:
    problems = Problems()
    parse_cluster_version(given, Location(field="cluster_version"), problems)
    return problems


def severities(given: Any) -> list[tuple[str, str]]:
    return [(item.severity, str(item.where)) for item in problems_of(given)]


# openshift/cluster-version-operator:pkg/cvo/status.go setImplicitlyEnabledCapabilitiesCondition
@pytest.mark.parametrize(
    ("implicit", "expected"),
    [
        ([], ("False", "AsExpected", "Capabilities match configured spec")),
        (
            ["Ingress"],
            ("True", "CapabilitiesImplicitlyEnabled", "The following capabilities could not be disabled: Ingress"),
        ),
        (
            ["marketplace", "Build", "baremetal"],
            (
                "True",
                "CapabilitiesImplicitlyEnabled",
                "The following capabilities could not be disabled: Build, baremetal, marketplace",
            ),
        ),
    ],
)
def test_the_condition_has_the_texts_of_the_cvo(implicit, expected):
    status = CapabilityStatus(frozenset(), frozenset({"Console", *implicit}), frozenset(implicit))

    assert capability_condition(status) == ("ImplicitlyEnabledCapabilities", *expected)


def selection_of(baseline: str | None = None, *names: str) -> Selection:
    return Selection(
        baseline,
        names,
        where=WHERE,
        additional_field="additionalEnabledCapabilities",
        baseline_field="baselineCapabilitySet",
    )


@pytest.mark.parametrize(
    ("spec", "selection"),
    [
        (None, selection_of()),
        ({}, selection_of()),
        ({"capabilities": None}, selection_of()),
        ({"capabilities": {}}, selection_of()),
        ({"capabilities": {"baselineCapabilitySet": ""}}, selection_of()),
        ({"capabilities": {"baselineCapabilitySet": "None"}}, selection_of("None")),
        (
            {"capabilities": {"baselineCapabilitySet": "v4.11", "additionalEnabledCapabilities": ["Console"]}},
            selection_of("v4.11", "Console"),
        ),
        # The API accepts it; the set is vCurrent
        ({"capabilities": {"additionalEnabledCapabilities": ["Console"]}}, selection_of(None, "Console")),
    ],
)
def test_the_selection_is_that_of_the_spec(spec, selection):
    assert parsed(value(spec)).selection == selection


def test_additional_names_without_a_set_cause_no_warning():
    """In the API the set is vCurrent; only installers reject it."""
    spec = {"capabilities": {"additionalEnabledCapabilities": ["Console"]}}

    assert severities(value(spec, capabilities=lists([], []))) == []


def test_a_misspelt_field_has_a_hint():
    spec = {"capabilities": {"baselineCapabilitySets": "None"}}
    problem = problems_of(value(spec))[0]

    assert (problem.code, problem.message) == ("unknown-field", "is not a field of ClusterVersion")
    assert problem.hint == "Did you mean baselineCapabilitySet?"


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (value("x"), "is a string, expected a map"),
        (value({"overrides": {}}), "is a map, expected a list"),
        (value({"capabilities": {"baselineCapabilitySet": 4.11}}), "is a number"),
        (value(capabilities=lists([None])), "is null, expected a name"),
    ],
)
def test_a_wrong_type_is_named_as_in_yaml(given, part):
    assert part in [item.message.partition(", expected the name")[0] for item in problems_of(given)]


@pytest.mark.parametrize(
    ("capabilities", "expected"),
    [
        (None, None),
        ({}, None),
        (lists(), None),
        (lists([], []), reported("", "")),
        (lists(["Console"], ["Console", "Storage"]), reported("Console", "Console Storage")),
        # No known names differ from names that are not reported
        (lists(["Console"]), reported("Console", None)),
        (lists(["Console"], []), reported("Console", "")),
        (lists(None, ["Storage"]), reported("", "Storage")),
        # Names of a later version, after a rollback
        (lists(["Brand", "Brand"], ["Brand"]), reported("Brand", "Brand")),
    ],
)
def test_the_status_reports_capabilities_or_not(capabilities, expected):
    obj = value(capabilities=capabilities)

    assert parsed(obj).status == expected
    warnings = [(item.code, str(item.where)) for item in problems_of(obj) if item.severity == "warning"]
    assert warnings == ([] if expected else [("missing-status", "cluster_version.status.capabilities")])


@pytest.mark.parametrize(
    ("desired", "version"),
    [(None, None), ({}, None), ({"version": "4.13.5"}, "4.13.5"), ({"version": None}, None), ({"version": 4.13}, None)],
)
def test_the_version_is_the_desired_one(desired, version):
    assert parsed(value(desired=desired)).version == version


def test_overrides_are_not_checked():
    assert parsed(value({"overrides": [{"kind": "A"}, 7]})).overrides == ({"kind": "A"}, 7)
    assert parsed(value({"overrides": None})).overrides == ()


@pytest.mark.parametrize("kind", ["List", "ClusterVersionList"])
def test_a_list_of_one_object_is_that_object(kind):
    one = value({"capabilities": {"baselineCapabilitySet": "None"}})

    assert parsed({"apiVersion": "v1", "kind": kind, "items": [one]}) == parsed(one)


@pytest.mark.parametrize(
    ("history", "warned"),
    [
        (None, False),
        ([], False),
        ("x", False),
        ([7], False),
        ([{}], False),
        ([{"state": "Completed"}, {"state": "Partial", "version": "4.13.0"}], False),
        ([{"state": "Partial", "version": "4.13.5"}], True),
    ],
)
def test_only_the_latest_update_can_be_unfinished(history, warned):
    codes = {(item.code, str(item.where)) for item in problems_of(value(history=history))}

    assert (("unfinished-update", "cluster_version.status.history") in codes) is warned


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "is null, expected a ClusterVersion object"),
        (True, "is a boolean, expected a ClusterVersion object"),
        (7, "is a number, expected a ClusterVersion object"),
        (4.2, "is a number, expected a ClusterVersion object"),
        ("text", "is a string, expected a ClusterVersion object"),
        ([], "is a list, expected a ClusterVersion object"),
        ({}, f"has kind null and apiVersion null, {EXPECTED}"),
        ({"kind": "Pod", "apiVersion": "v1"}, f"has kind Pod and apiVersion v1, {EXPECTED}"),
        ({"kind": "ClusterVersion"}, f"has kind ClusterVersion and apiVersion null, {EXPECTED}"),
        ({"apiVersion": "config.openshift.io/v1"}, f"has kind null and apiVersion config.openshift.io/v1, {EXPECTED}"),
    ],
)
def test_another_value_is_named_as_in_yaml(given, message):
    problems = Problems()

    assert parse_cluster_version(given, Location(field="here"), problems) is None
    (problem,) = problems
    assert (problem.severity, str(problem.where), problem.message) == ("error", "here", message)
    assert problem.code == ("wrong-kind" if isinstance(given, dict) else "not-a-map")
    assert problem.hint


@pytest.mark.parametrize(
    ("given", "where", "codes"),
    [
        (None, ["here"], ["not-a-map"]),
        ("", ["here"], ["not-a-map"]),
        ("text", ["here"], ["not-a-map"]),
        ({}, ["here"], ["wrong-kind"]),
        ({**value(), "kind": "Pod"}, ["here"], ["wrong-kind"]),
        ({**value(), "apiVersion": "config.openshift.io"}, [], []),
        ({**value(), "apiVersion": "config.openshift.io.example/v1"}, ["here"], ["wrong-kind"]),
        ({"kind": "List", "items": []}, ["here"], ["several-objects"]),
        (value("x"), ["here.spec"], ["not-a-map"]),
        ({**value(), "status": 7}, ["here.status"], ["not-a-map"]),
        (
            value(capabilities=lists([{}], "x")),
            ["here.status.capabilities.enabledCapabilities[0]", "here.status.cap"],
            ["not-a-string", "not-a-list"],
        ),
        (
            value({"overrides": "x"}, capabilities=[]),
            ["here.spec.overrides", "here.status.capabilities"],
            ["not-a-list", "not-a-map"],
        ),
        (
            value({"capabilities": {"baselineCapabilitySet": 7}}),
            ["here.spec.capabilities.baselineCapabilitySet"],
            ["not-a-string"],
        ),
        (value({"capabilities": ["Console"]}), ["here.spec.capabilities"], ["not-a-map"]),
        (
            value({"capabilities": {"baselineCapabilitySet": [], "additionalEnabledCapabilities": "Console"}}),
            [f"here.spec.capabilities.{field}" for field in ("baselineCapabilitySet", "additionalEnabledCapabilities")],
            ["not-a-string", "not-a-list"],
        ),
        (
            value({"capabilities": {"additionalEnabledCapabilities": ["Console", 7, None]}}),
            [f"here.spec.capabilities.additionalEnabledCapabilities[{index}]" for index in (1, 2)],
            ["not-a-string", "not-a-string"],
        ),
        # Fields that a selection can have elsewhere, but not in a ClusterVersion
        (
            value({"capabilities": {"excludedCapabilities": []}}),
            ["here.spec.capabilities.excludedCapabilities"],
            ["unknown-field"],
        ),
        (
            value({"capabilities": {"baseline_capability_set": "None", "inclusionDefault": "Include", 7: "x"}}),
            [f"here.spec.capabilities.{field}" for field in ("baseline_capability_set", "inclusionDefault", "7")],
            ["unknown-field", "unknown-field", "unknown-field"],
        ),
    ],
)
def test_an_invalid_value_is_an_error_at_its_location(given, where, codes):
    problems = Problems()
    cluster = parse_cluster_version(given, Location(field="here"), problems)
    errors = [item for item in problems if item.severity == "error"]

    assert (cluster is None) is bool(where)
    assert [item.code for item in errors] == codes
    assert all(str(item.where).startswith(location) for item, location in zip(errors, where, strict=True))
