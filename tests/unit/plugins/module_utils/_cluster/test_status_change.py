# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._cluster.status_change import (
    StatusChange,
    StatusInputs,
    find_capability_condition,
    next_status,
    status_inputs,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import data_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor, minor_of

THEN, NOW = "2025-01-01T00:00:00Z", "2026-02-03T04:05:06Z"
AS_EXPECTED = {
    "type": "ImplicitlyEnabledCapabilities",
    "status": "False",
    "reason": "AsExpected",
    "message": "Capabilities match configured spec",
}


def facts(version: str = "4.20.3", **changes: Any) -> StatusInputs:
    known = data_of(minor_of(version))
    assert known is not None
    return StatusInputs(version, "", known)._replace(**changes)


def implicit(*names: str) -> dict[str, str]:
    return {
        "type": "ImplicitlyEnabledCapabilities",
        "status": "True",
        "reason": "CapabilitiesImplicitlyEnabled",
        "message": f"The following capabilities could not be disabled: {', '.join(names)}",
    }


def spec(baseline: Any = "None", *additional: Any) -> dict[str, Any]:
    return {"capabilities": {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(additional)}}


def status(*enabled: str, conditions: Any = (), **more: Any) -> dict[str, Any]:
    """Return the status that a cluster of 4.20.3 has."""
    return {
        "availableUpdates": None,
        "desired": {"version": "4.20.3", "image": ""},
        "observedGeneration": 7,
        "versionHash": "I3skQa0FyxU=",
        "capabilities": {
            "enabledCapabilities": sorted(enabled),
            "knownCapabilities": sorted(facts().known.capabilities),
        },
        "conditions": list(conditions),
        **more,
    }


def told(of_spec: Any, of_status: Any = None, **changes: Any) -> tuple[StatusChange, list[tuple[str, str]]]:
    """Return the change, and severity and place of its problems."""
    metadata = {"generation": 7}
    obj = {"metadata": metadata, "spec": of_spec, **({} if of_status is None else {"status": of_status})}
    before = deepcopy(obj)
    change, problems = next_status(obj, facts(**changes), NOW)
    assert obj == before
    assert change is not None
    return change, [(item.severity, item.where) for item in problems]


def merged(value: Any, patch: Any) -> Any:
    """Merge as RFC 7386 says."""
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for key, item in patch.items():
        if item is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), item)
    return result


def test_a_first_status_has_all_that_the_api_requires():
    change, problems = told(spec("None", "Console", "Build"), always_enabled=frozenset({"Ingress"}))

    assert change.after == {
        "availableUpdates": [],
        "desired": {"version": "4.20.3", "image": ""},
        "observedGeneration": 7,
        "versionHash": "",
        "capabilities": {
            "enabledCapabilities": ["Build", "Console", "Ingress"],
            "knownCapabilities": sorted(facts().known.capabilities),
        },
        "conditions": [{**implicit("Ingress"), "lastTransitionTime": NOW}],
    }
    assert change.changed
    assert change.body == change.after
    assert problems == []


@pytest.mark.parametrize("given", [{}, {"capabilities": None}, {"capabilities": {}}, spec("vCurrent"), spec("")])
def test_no_selection_is_everything(given):
    change, problems = told(given)

    assert change.after["capabilities"]["enabledCapabilities"] == sorted(facts().known.capabilities)
    assert find_capability_condition(change.after) == {**AS_EXPECTED, "lastTransitionTime": NOW}
    assert problems == []


def test_what_is_dropped_from_the_spec_stays_on_and_is_named():
    there = status("Console", "Storage", conditions=[{**AS_EXPECTED, "lastTransitionTime": THEN}])

    change, problems = told(spec("None", "Storage"), there)

    assert change.after["capabilities"]["enabledCapabilities"] == ["Console", "Storage"]
    assert change.after["conditions"] == [{**implicit("Console"), "lastTransitionTime": NOW}]
    assert change.body == {"conditions": change.after["conditions"]}
    assert problems == []


def test_what_was_implicit_is_not_once_it_is_requested():
    there = status("Console", conditions=[{**implicit("Console"), "lastTransitionTime": THEN}])

    change, _problems = told(spec("None", "Console"), there)

    assert change.after["conditions"] == [{**AS_EXPECTED, "lastTransitionTime": NOW}]
    assert change.body == {"conditions": change.after["conditions"]}


def test_a_condition_keeps_its_time_and_place_while_its_status_is_the_same():
    others = [
        {"type": "Available", "status": "True", "lastTransitionTime": THEN},
        {**implicit("Console"), "lastTransitionTime": THEN},
        {"type": "Progressing", "status": "False", "lastTransitionTime": THEN},
    ]

    change, _problems = told(spec(), status("Console", "Storage", conditions=others))

    expected = [others[0], {**implicit("Console", "Storage"), "lastTransitionTime": THEN}, others[2]]
    assert change.after["conditions"] == expected


def test_a_status_that_is_right_is_not_written():
    there = status("Console", conditions=[{**AS_EXPECTED, "lastTransitionTime": THEN}])

    change, problems = told(spec("None", "Console"), there)

    assert not change.changed
    assert change.body == {}
    assert problems == []


def test_the_condition_under_a_stray_name_goes():
    stray = {**implicit("Console"), "type": "ImplicitlyEnabled", "lastTransitionTime": THEN}

    change, _problems = told(spec(), status("Console", conditions=[stray]))

    assert change.after["conditions"] == [{**implicit("Console"), "lastTransitionTime": NOW}]


def test_names_of_a_later_version_stay():
    there = status("Console", "FromTheFuture", conditions=[])

    change, problems = told(spec("None", "Console"), there)

    assert change.after["capabilities"]["enabledCapabilities"] == ["Console", "FromTheFuture"]
    assert "FromTheFuture" not in change.after["capabilities"]["knownCapabilities"]
    assert find_capability_condition(change.after) == {**implicit("FromTheFuture"), "lastTransitionTime": NOW}
    assert problems == [("info", "status.capabilities.enabledCapabilities")]


GATED = frozenset({"ClusterAPI", "CompatibilityRequirements"})


def test_a_capability_behind_a_gate_is_not_known_while_it_is_off():
    change, problems = told({}, version="4.23.0", known=data_of(Minor(4, 23)), hidden=GATED)

    assert GATED.isdisjoint(change.after["capabilities"]["enabledCapabilities"])
    assert GATED.isdisjoint(change.after["capabilities"]["knownCapabilities"])
    assert problems == []


def test_one_that_is_on_stays_on_behind_a_gate_that_is_off():
    there = status("ClusterAPI", desired={"version": "4.23.0", "image": ""})

    change, problems = told(spec(), there, version="4.23.0", known=data_of(Minor(4, 23)), hidden=GATED)

    assert change.after["capabilities"]["enabledCapabilities"] == ["ClusterAPI"]
    assert GATED & set(change.after["capabilities"]["knownCapabilities"]) == {"ClusterAPI"}
    assert problems == [("warning", "status.capabilities.enabledCapabilities")]


# An invalid spec

SETS = '"None", "v4.11", "v4.12", "v4.13", "v4.14", "v4.15", "v4.16", "v4.17", "v4.18", "vCurrent"'
NAMES = ", ".join(f'"{name}"' for name in sorted(facts().known.capabilities))
FIELD = "spec.capabilities.additionalEnabledCapabilities"


@pytest.mark.parametrize(
    ("given", "message", "wheres"),
    [
        (
            spec("v4.99"),
            "The cluster version is invalid: spec.capabilities.baselineCapabilitySet: "
            f'Unsupported value: "v4.99": supported values: {SETS}',
            ["spec.capabilities.baselineCapabilitySet"],
        ),
        (
            spec("None", "Console", "Consoel", "Nope"),
            "The cluster version is invalid:\n"
            f'* {FIELD}[1]: Unsupported value: "Consoel": supported values: {NAMES}\n'
            f'* {FIELD}[2]: Unsupported value: "Nope": supported values: {NAMES}\n',
            [f"{FIELD}[1]", f"{FIELD}[2]"],
        ),
        (
            {"capabilities": {"additionalEnabledCapabilities": "Console"}},
            f"The cluster version is invalid: {FIELD}: Invalid value: is a string, expected a list",
            [FIELD],
        ),
        (
            {"capabilities": "vCurrent"},
            "The cluster version is invalid: spec.capabilities: Invalid value: is a string, expected a map",
            ["spec.capabilities"],
        ),
    ],
)
def test_an_invalid_spec_leaves_the_capabilities_and_is_told(given, message, wheres):
    old = {**implicit("Storage"), "lastTransitionTime": THEN}
    there = status("Console", "Storage", conditions=[old])

    change, problems = told(given, there)

    assert change.after["capabilities"] == there["capabilities"]
    invalid = {
        "type": "Invalid",
        "status": "True",
        "reason": "InvalidClusterVersion",
        "message": message,
        "lastTransitionTime": NOW,
    }
    assert change.after["conditions"] == [old, invalid]
    assert problems == [("warning", where) for where in wheres]


def test_an_invalid_first_spec_leaves_the_capabilities_out():
    change, _problems = told(spec("v4.99"))

    assert "capabilities" not in change.after
    assert find_capability_condition(change.after) is None
    assert [item["type"] for item in change.after["conditions"]] == ["Invalid"]


def test_the_condition_goes_once_the_spec_is_valid_again():
    wrong, _problems = told(spec("v4.99"), status("Console"))

    right, problems = told(spec("None", "Console"), wrong.after)

    assert [item["type"] for item in right.after["conditions"]] == ["ImplicitlyEnabledCapabilities"]
    assert problems == []


def test_a_status_that_cannot_be_read_is_not_written():
    there = status(capabilities={"enabledCapabilities": "Console"})

    change, problems = next_status({"metadata": {}, "spec": {}, "status": there}, facts(), NOW)

    assert change is None
    assert [(item.severity, item.where) for item in problems] == [("error", "status.capabilities.enabledCapabilities")]


# The rest of the status


@pytest.mark.parametrize(
    ("there", "release", "expected", "warned"),
    [
        ({"version": "4.20.3", "image": "a", "url": "u"}, {}, {"version": "4.20.3", "image": "a", "url": "u"}, False),
        ({"version": "4.20.3", "image": "a"}, {"image": "b"}, {"version": "4.20.3", "image": "b"}, False),
        ({"version": "4.20.2", "image": "a", "url": "u"}, {}, {"version": "4.20.3", "image": ""}, False),
        ({"version": "4.20.4", "image": "a"}, {"image": "b"}, {"version": "4.20.3", "image": "b"}, True),
        ({"version": "4.19.9", "image": "a", "channels": ["x"]}, {}, {"version": "4.20.3", "image": ""}, True),
        ({"version": "4.21.0-rc.1", "image": "a"}, {}, {"version": "4.20.3", "image": ""}, True),
        ({"version": "4.20.2", "image": "a"}, {"version": "4.20"}, {"version": "4.20.2", "image": "a"}, False),
        ({"version": "4.19.2", "image": "a"}, {"version": "4.20"}, {"version": "4.20", "image": ""}, True),
        ({"version": "", "image": ""}, {}, {"version": "4.20.3", "image": ""}, False),
        ({"version": "no version", "image": ""}, {}, {"version": "4.20.3", "image": ""}, False),
    ],
)
def test_the_desired_release_is_that_of_the_option(there, release, expected, warned):
    change, problems = told({}, status(desired=there), **release)

    assert change.after["desired"] == expected
    assert problems == ([("warning", "release")] if warned else [])
    assert merged(change.before, change.body) == change.after


def test_the_rest_is_left_alone():
    there = status("Console", history=[{"version": "4.20.3"}], availableUpdates=[{"version": "4.20.4"}])
    there["observedGeneration"] = 6

    change, _problems = told(spec("None", "Console"), there)

    assert set(change.body) == {"observedGeneration", "conditions"}
    assert {**there, **change.body} == change.after


# What holds of all

NAME = st.sampled_from([*sorted(facts().known.capabilities), "FromTheFuture", "Other"])
SETS_OF_NAMES = st.frozensets(NAME)
KNOWN_SETS = st.sampled_from([None, "None", "v4.11", "v4.13", "v4.18", "vCurrent"])
CONDITION = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["ImplicitlyEnabledCapabilities", "Invalid", "Available", "ImplicitlyEnabled"]),
        "status": st.sampled_from(["True", "False"]),
        "lastTransitionTime": st.sampled_from([THEN, "2025-01-02T00:00:00Z"]),
    },
    optional={"message": st.text(max_size=5), "reason": st.just("Some")},
)
STATUSES = st.none() | st.builds(
    lambda names, conditions, **more: status(*names, conditions=conditions, **more),
    SETS_OF_NAMES,
    st.lists(CONDITION, unique_by=lambda item: item["type"]),
    observedGeneration=st.integers(1, 9),
    desired=st.fixed_dictionaries({"version": st.sampled_from(["4.19.1", "4.20.3", "4.21.0"]), "image": st.just("i")}),
)
SPECS = st.builds(lambda baseline, names: spec(baseline, *names), KNOWN_SETS, st.lists(NAME, max_size=6))
ALWAYS = st.sampled_from([frozenset(), frozenset({"Ingress"})])


def enabled(of_status: Any) -> set[str]:
    return set((of_status or {}).get("capabilities", {}).get("enabledCapabilities", ()))


def by_type(of_status: Any) -> dict[str, Any]:
    return {item["type"]: item for item in (of_status or {}).get("conditions", ())}


@given(SPECS, STATUSES, ALWAYS)
def test_nothing_is_ever_turned_off(of_spec, there, always):
    change, _problems = told(of_spec, there, always_enabled=always)

    assert enabled(there) <= enabled(change.after)


@given(SPECS, STATUSES, ALWAYS)
def test_a_second_time_changes_nothing(of_spec, there, always):
    first, problems = told(of_spec, there, always_enabled=always)

    second, again = told(of_spec, merged(there, first.body), always_enabled=always)

    assert not second.changed
    assert second.after == first.after
    assert set(again) <= {*problems, ("info", "status.capabilities.enabledCapabilities")}


@given(SPECS, STATUSES, ALWAYS)
def test_a_valid_spec_gets_what_the_reference_says(of_spec, there, always):
    """The loops of lib/capability/capability.go SetCapabilities, and the words of pkg/cvo/status.go."""
    change, _problems = told(of_spec, there, always_enabled=always)
    asked = of_spec["capabilities"]
    known = facts().known
    on = set(known.sets[asked["baselineCapabilitySet"] or "vCurrent"])
    for name in asked["additionalEnabledCapabilities"]:
        if name not in known.capabilities:
            assert change.after.get("capabilities") == (there or {}).get("capabilities")
            assert "Invalid" in by_type(change.after)
            return
        on.add(name)
    left = sorted(name for name in enabled(there) | always if name not in on)

    assert change.after["capabilities"]["enabledCapabilities"] == sorted(on | set(left))
    assert change.after["capabilities"]["knownCapabilities"] == sorted(known.capabilities)
    condition = find_capability_condition(change.after)
    assert condition is not None
    del condition["lastTransitionTime"]
    assert condition == (implicit(*left) if left else AS_EXPECTED)
    assert "Invalid" not in by_type(change.after)


@given(SPECS, STATUSES, ALWAYS)
def test_the_time_of_a_condition_is_that_of_its_status(of_spec, there, always):
    change, _problems = told(of_spec, there, always_enabled=always)
    before, after = by_type(there), by_type(change.after)

    for kind, condition in after.items():
        same = kind in before and before[kind]["status"] == condition["status"]
        assert condition["lastTransitionTime"] == (before[kind]["lastTransitionTime"] if same else NOW)
    assert after.get("Available") == before.get("Available")


# Where the facts come from


def of(version: str | None, **options: Any) -> StatusInputs:
    minor = None if version is None else minor_of(version)
    release = release_of_version(minor)._replace(version=version)
    return status_inputs(ClusterOptions(**options), release, "registry.example/release")[0]


def test_the_facts_are_those_of_version_profile_and_feature_set():
    assert of("4.20.3").version == "4.20.3"
    assert of("4.20.3").image == "registry.example/release"
    assert of("4.20.3").always_enabled == {"Ingress"}
    assert of("4.15.3").always_enabled == frozenset()
    assert of("4.20.3", cluster_profile="hypershift").always_enabled == frozenset()
    assert of("4.20.3", always_enabled_capabilities=["Console"]).always_enabled == {"Console"}
    assert of("4.23.0").hidden == GATED
    assert of("4.23.0", feature_set="TechPreviewNoUpgrade").hidden == frozenset()
    assert of("4.23.0", feature_gates=["CRDCompatibilityRequirementOperator"]).hidden == {"ClusterAPI"}


@pytest.mark.parametrize(
    ("version", "options", "where"),
    [
        (None, {}, "openshift_version"),
        ("4.10.3", {}, "openshift_version"),
        ("4.20.3", {"feature_set": "Nope"}, "feature_set"),
        ("4.20.3", {"feature_gates": ["A=x"]}, "feature_gates[0]"),
        ("4.20.3", {"always_enabled_capabilities": ["ingress"]}, "always_enabled_capabilities"),
    ],
)
def test_what_is_not_possible_is_an_error(version, options, where):
    with pytest.raises(InvalidOptionError) as raised:
        of(version, **options)

    assert [item.where for item in raised.value.problems if item.severity == "error"] == [where]
