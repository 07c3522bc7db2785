# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from copy import deepcopy
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import (
    ClusterOptions,
    check_options,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.status_change import (
    StatusChange,
    StatusInputs,
    find_capability_condition,
    next_status,
    status_inputs,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import data_of
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor, minor_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    ClusterError,
    InvalidOptionError,
    Problems,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version

HEAD = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"generation": 7}}
THEN, NOW = "2025-01-01T00:00:00Z", "2026-02-03T04:05:06Z"
AS_EXPECTED = {
    "type": "ImplicitlyEnabledCapabilities",
    "status": "False",
    "reason": "AsExpected",
    "message": "Capabilities match configured spec",
}


def inputs(version: str = "4.20.3", **changes: Any) -> StatusInputs:
    data = data_of(minor_of(version))
    assert data is not None
    return StatusInputs(version, "", data)._replace(**changes)


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
            "knownCapabilities": sorted(inputs().minor_data.capabilities),
        },
        "conditions": list(conditions),
        **more,
    }


def changed(of_spec: Any, of_status: Any = None, **changes: Any) -> tuple[StatusChange, list[tuple[str, str]]]:
    """Return the change, and severity and location of its problems."""
    obj = {**HEAD, "spec": of_spec, **({} if of_status is None else {"status": of_status})}
    before = deepcopy(obj)
    problems = Problems()
    change = next_status(obj, inputs(**changes), datetime.fromisoformat(NOW), problems)
    assert obj == before
    return change, [(item.severity, str(item.where)) for item in problems]


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
    change, problems = changed(spec("None", "Console", "Build"), always_enabled=frozenset({"Ingress"}))

    assert change.after == {
        "availableUpdates": [],
        "desired": {"version": "4.20.3", "image": ""},
        "observedGeneration": 7,
        "versionHash": "",
        "capabilities": {
            "enabledCapabilities": ["Build", "Console", "Ingress"],
            "knownCapabilities": sorted(inputs().minor_data.capabilities),
        },
        "conditions": [{**implicit("Ingress"), "lastTransitionTime": NOW}],
    }
    assert change.changed
    assert change.body == change.after
    assert problems == []


@pytest.mark.parametrize("given", [{}, {"capabilities": None}, {"capabilities": {}}, spec("vCurrent"), spec("")])
def test_no_selection_is_everything(given):
    change, problems = changed(given)

    assert change.after["capabilities"]["enabledCapabilities"] == sorted(inputs().minor_data.capabilities)
    assert find_capability_condition(change.after) == {**AS_EXPECTED, "lastTransitionTime": NOW}
    assert problems == []


def test_a_name_that_the_spec_no_longer_requests_stays_enabled_and_is_reported():
    current = status("Console", "Storage", conditions=[{**AS_EXPECTED, "lastTransitionTime": THEN}])

    change, problems = changed(spec("None", "Storage"), current)

    assert change.after["capabilities"]["enabledCapabilities"] == ["Console", "Storage"]
    assert change.after["conditions"] == [{**implicit("Console"), "lastTransitionTime": NOW}]
    assert change.body == {"conditions": change.after["conditions"]}
    assert problems == []


def test_an_implicit_name_becomes_explicit_if_it_is_requested():
    current = status("Console", conditions=[{**implicit("Console"), "lastTransitionTime": THEN}])

    change, _problems = changed(spec("None", "Console"), current)

    assert change.after["conditions"] == [{**AS_EXPECTED, "lastTransitionTime": NOW}]
    assert change.body == {"conditions": change.after["conditions"]}


def test_a_condition_keeps_its_time_and_index_while_its_status_is_the_same():
    others = [
        {"type": "Available", "status": "True", "lastTransitionTime": THEN},
        {**implicit("Console"), "lastTransitionTime": THEN},
        {"type": "Progressing", "status": "False", "lastTransitionTime": THEN},
    ]

    change, _problems = changed(spec(), status("Console", "Storage", conditions=others))

    expected = [others[0], {**implicit("Console", "Storage"), "lastTransitionTime": THEN}, others[2]]
    assert change.after["conditions"] == expected


def test_a_current_status_is_not_written():
    current = status("Console", conditions=[{**AS_EXPECTED, "lastTransitionTime": THEN}])

    change, problems = changed(spec("None", "Console"), current)

    assert not change.changed
    assert change.body == {}
    assert problems == []


def test_a_condition_of_the_old_type_is_removed():
    old = {**implicit("Console"), "type": "ImplicitlyEnabled", "lastTransitionTime": THEN}

    change, _problems = changed(spec(), status("Console", conditions=[old]))

    assert change.after["conditions"] == [{**implicit("Console"), "lastTransitionTime": NOW}]


def test_names_of_a_later_version_stay():
    current = status("Console", "FromTheFuture", conditions=[])

    change, problems = changed(spec("None", "Console"), current)

    assert change.after["capabilities"]["enabledCapabilities"] == ["Console", "FromTheFuture"]
    assert "FromTheFuture" not in change.after["capabilities"]["knownCapabilities"]
    assert find_capability_condition(change.after) == {**implicit("FromTheFuture"), "lastTransitionTime": NOW}
    assert problems == [("info", "status.capabilities.enabledCapabilities")]


GATED = frozenset({"ClusterAPI", "CompatibilityRequirements"})


def test_a_gated_capability_is_not_known_while_its_gate_is_disabled():
    change, problems = changed({}, version="4.23.0", minor_data=data_of(Minor(4, 23)), gated=GATED)

    assert GATED.isdisjoint(change.after["capabilities"]["enabledCapabilities"])
    assert GATED.isdisjoint(change.after["capabilities"]["knownCapabilities"])
    assert problems == []


def test_an_enabled_capability_stays_enabled_if_its_gate_is_disabled():
    current = status("ClusterAPI", desired={"version": "4.23.0", "image": ""})

    change, problems = changed(spec(), current, version="4.23.0", minor_data=data_of(Minor(4, 23)), gated=GATED)

    assert change.after["capabilities"]["enabledCapabilities"] == ["ClusterAPI"]
    assert GATED & set(change.after["capabilities"]["knownCapabilities"]) == {"ClusterAPI"}
    assert problems == [("warning", "status.capabilities.enabledCapabilities")]


# An invalid spec

SETS = '"None", "v4.11", "v4.12", "v4.13", "v4.14", "v4.15", "v4.16", "v4.17", "v4.18", "vCurrent"'
NAMES = ", ".join(f'"{name}"' for name in sorted(inputs().minor_data.capabilities))
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
    ],
)
def test_an_invalid_spec_leaves_the_capabilities_and_is_changed(given, message, wheres):
    old = {**implicit("Storage"), "lastTransitionTime": THEN}
    current = status("Console", "Storage", conditions=[old])

    change, problems = changed(given, current)

    assert change.after["capabilities"] == current["capabilities"]
    invalid = {
        "type": "Invalid",
        "status": "True",
        "reason": "InvalidClusterVersion",
        "message": message,
        "lastTransitionTime": NOW,
    }
    assert change.after["conditions"] == [old, invalid]
    assert problems == [("warning", where) for where in wheres]


def test_an_invalid_first_spec_writes_no_capabilities():
    change, _problems = changed(spec("v4.99"))

    assert "capabilities" not in change.after
    assert find_capability_condition(change.after) is None
    assert [item["type"] for item in change.after["conditions"]] == ["Invalid"]


def test_the_condition_is_removed_if_the_spec_is_valid_again():
    wrong, _problems = changed(spec("v4.99"), status("Console"))

    right, problems = changed(spec("None", "Console"), wrong.after)

    assert [item["type"] for item in right.after["conditions"]] == ["ImplicitlyEnabledCapabilities"]
    assert problems == []


def test_a_status_that_cannot_be_read_is_not_written():
    current = status(capabilities={"enabledCapabilities": "Console"})

    with pytest.raises(ClusterError) as raised:
        next_status({**HEAD, "spec": {}, "status": current}, inputs(), datetime.fromisoformat(NOW), Problems())

    assert [(item.severity, item.code, item.where.field) for item in raised.value.problems] == [
        ("error", "not-a-list", "status.capabilities.enabledCapabilities")
    ]


# The rest of the status


@pytest.mark.parametrize(
    ("current", "release", "expected"),
    [
        ({"version": "4.20.3", "image": "a", "url": "u"}, {}, {"version": "4.20.3", "image": "a", "url": "u"}),
        ({"version": "4.20.3", "image": "a"}, {"image": "b"}, {"version": "4.20.3", "image": "b"}),
        ({"version": "4.20.2", "image": "a", "url": "u"}, {}, {"version": "4.20.3", "image": ""}),
        ({"version": "4.20.4", "image": "a"}, {"image": "b"}, {"version": "4.20.3", "image": "b"}),
        ({"version": "4.19.9", "image": "a", "channels": ["x"]}, {}, {"version": "4.20.3", "image": ""}),
        ({"version": "4.21.0-rc.1", "image": "a"}, {}, {"version": "4.20.3", "image": ""}),
        ({"version": "4.20.2", "image": "a"}, {"version": "4.20"}, {"version": "4.20.2", "image": "a"}),
        ({"version": "4.19.2", "image": "a"}, {"version": "4.20"}, {"version": "4.20", "image": ""}),
        ({"version": "", "image": ""}, {}, {"version": "4.20.3", "image": ""}),
        ({"version": "no version", "image": ""}, {}, {"version": "4.20.3", "image": ""}),
    ],
)
def test_the_desired_release_is_that_of_the_inputs(current, release, expected):
    change, problems = changed({}, status(desired=current), **release)

    assert change.after["desired"] == expected
    assert problems == []
    assert merged(change.before, change.body) == change.after


def test_other_fields_stay_the_same():
    current = status("Console", history=[{"version": "4.20.3"}], availableUpdates=[{"version": "4.20.4"}])
    current["observedGeneration"] = 6

    change, _problems = changed(spec("None", "Console"), current)

    assert set(change.body) == {"observedGeneration", "conditions"}
    assert {**current, **change.body} == change.after


# Properties

NAME = st.sampled_from([*sorted(inputs().minor_data.capabilities), "FromTheFuture", "Other"])
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
def test_nothing_is_ever_disabled(of_spec, current, always):
    change, _problems = changed(of_spec, current, always_enabled=always)

    assert enabled(current) <= enabled(change.after)


@given(SPECS, STATUSES, ALWAYS)
def test_a_second_time_changes_nothing(of_spec, current, always):
    first, problems = changed(of_spec, current, always_enabled=always)

    second, again = changed(of_spec, merged(current, first.body), always_enabled=always)

    assert not second.changed
    assert second.after == first.after
    assert set(again) <= {*problems, ("info", "status.capabilities.enabledCapabilities")}


@given(SPECS, STATUSES, ALWAYS)
def test_a_valid_spec_gets_the_status_of_the_reference(of_spec, current, always):
    """The loops of lib/capability/capability.go SetCapabilities, and the texts of pkg/cvo/status.go."""
    change, _problems = changed(of_spec, current, always_enabled=always)
    requested = of_spec["capabilities"]
    known = inputs().minor_data
    explicit = set(known.sets[requested["baselineCapabilitySet"] or "vCurrent"])
    for name in requested["additionalEnabledCapabilities"]:
        if name not in known.capabilities:
            assert change.after.get("capabilities") == (current or {}).get("capabilities")
            assert "Invalid" in by_type(change.after)
            return
        explicit.add(name)
    others = sorted(name for name in enabled(current) | always if name not in explicit)

    assert change.after["capabilities"]["enabledCapabilities"] == sorted(explicit | set(others))
    assert change.after["capabilities"]["knownCapabilities"] == sorted(known.capabilities)
    condition = find_capability_condition(change.after)
    assert condition is not None
    del condition["lastTransitionTime"]
    assert condition == (implicit(*others) if others else AS_EXPECTED)
    assert "Invalid" not in by_type(change.after)


@given(SPECS, STATUSES, ALWAYS)
def test_a_condition_has_the_time_of_its_status(of_spec, current, always):
    change, _problems = changed(of_spec, current, always_enabled=always)
    before, after = by_type(current), by_type(change.after)

    for kind, condition in after.items():
        same = kind in before and before[kind]["status"] == condition["status"]
        assert condition["lastTransitionTime"] == (before[kind]["lastTransitionTime"] if same else NOW)
    assert after.get("Available") == before.get("Available")


# Inputs from options


def inputs_from(version: str | None, **options: Any) -> StatusInputs:
    minor = None if version is None else minor_of(version)
    release = release_of_version(minor)._replace(version=version)
    problems = Problems()
    criteria = check_options(ClusterOptions(**options), release.minor, problems)
    return status_inputs(criteria, release, "registry.example/release", problems)[0]


def test_inputs_depend_on_version_profile_and_feature_set():
    assert inputs_from("4.20.3").version == "4.20.3"
    assert inputs_from("4.20.3").image == "registry.example/release"
    assert inputs_from("4.20.3").always_enabled == {"Ingress"}
    assert inputs_from("4.15.3").always_enabled == frozenset()
    assert inputs_from("4.20.3", cluster_profile="hypershift").always_enabled == frozenset()
    assert inputs_from("4.20.3", always_enabled_capabilities=["Console"]).always_enabled == {"Console"}
    assert inputs_from("4.23.0").gated == GATED
    assert inputs_from("4.23.0", feature_set="TechPreviewNoUpgrade").gated == frozenset()
    assert inputs_from("4.23.0", feature_gates=["CRDCompatibilityRequirementOperator"]).gated == {"ClusterAPI"}


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
def test_an_impossible_option_is_an_error(version, options, where):
    with pytest.raises(InvalidOptionError) as raised:
        inputs_from(version, **options)

    assert [str(item.where) for item in raised.value.problems if item.severity == "error"] == [where]
