# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.cluster_entry import (
    ClusterEntry,
    read_entry,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.live_resources import (
    LiveResources,
    read_live_resources,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.start import PlanOptions

COMMON = PlanOptions(
    ClusterOptions(
        capabilities={"baselineCapabilitySet": "None"},
        cluster_profile="hypershift",
        feature_set="OKD",
        feature_gates=["A"],
        exclude_identifier="here",
        overrides=[{"kind": "A"}],
    ),
    live=LiveResources(frozenset(), ()),
    platform="aws",
)


def entry(**fields: Any) -> ClusterEntry:
    found, problems = read_entry({"name": "berlin", **fields}, "clusters[0]", COMMON)
    assert problems == []
    assert found is not None
    return found


@pytest.mark.parametrize("releases", [None, [], ["a", {"release": "b"}]])
def test_a_cluster_has_a_path_of_its_own_or_none(releases):
    assert entry(releases=releases).releases == releases


def test_what_a_cluster_does_not_say_is_as_with_the_others():
    assert entry() == ClusterEntry("berlin", None, COMMON)
    assert entry(platform=None, capabilities=None, feature_gates=None) == entry()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cluster_profile", "b"),
        ("exclude_identifier", ""),
        ("feature_set", ""),
        ("featureSet", "Default"),
        ("feature_gates", []),
        ("featureGates", ["B"]),
        ("overrides", []),
    ],
)
def test_facts_of_a_cluster_are_its_own(field, value):
    name = {"featureSet": "feature_set", "featureGates": "feature_gates"}.get(field, field)

    assert entry(**{field: value}).options == COMMON._replace(cluster=COMMON.cluster._replace(**{name: value}))


def test_what_a_plan_depends_on_is_its_own():
    assert entry(platform="gcp").options == COMMON._replace(platform="gcp")


@pytest.mark.parametrize("value", [[], [{"kind": "A", "name": "a"}], [{"kind": "A"}, 7]])
def test_resources_on_a_cluster_are_its_own_and_read_as_elsewhere(value):
    assert entry(live_resources=value).options == COMMON._replace(live=read_live_resources(value))
    assert entry(live_resources=None) == entry()


STARTS: list[tuple[str, Any]] = [
    ("capabilities", {"baselineCapabilitySet": "v4.11"}),
    ("cluster_version", {"kind": "ClusterVersion"}),
    ("clusterVersion", "/path/to/it"),
    ("enabled_capabilities", []),
    ("enabledCapabilities", ["Console"]),
    ("known_capabilities", ["Console"]),
    ("knownCapabilities", []),
]


@pytest.mark.parametrize(("field", "value"), STARTS)
@pytest.mark.parametrize(
    "common",
    [
        COMMON,
        COMMON._replace(cluster=ClusterOptions(enabled_capabilities=["Storage"], known_capabilities=["Storage"])),
        COMMON._replace(cluster=ClusterOptions(), cluster_version={"kind": "Other"}),
    ],
)
def test_a_cluster_that_says_where_it_starts_from_says_all_of_it(field, value, common):
    found, _problems = read_entry({"name": "a", field: value}, "clusters[0]", common)

    assert found is not None
    said = {**found.options.cluster._asdict(), "cluster_version": found.options.cluster_version}
    starts = ("capabilities", "cluster_version", "enabled_capabilities", "known_capabilities")
    assert [said[name] for name in starts if said[name] is not None] == [value]


@pytest.mark.parametrize("given", [None, "berlin", 7, ["name"], True])
def test_what_is_no_dict_is_no_cluster(given):
    found, (problem,) = read_entry(given, "clusters[3]", COMMON)

    assert found is None
    assert problem.where == "clusters[3]"
    assert "expected a dict with a name" in problem.message


A, B = "clusters[0] (a)", "clusters[0]"


@pytest.mark.parametrize(
    ("given", "places"),
    [
        ({}, [f"{B}.name"]),
        ({"name": None}, [f"{B}.name"]),
        ({"name": ""}, [f"{B}.name"]),
        ({"name": 7}, [f"{B}.name"]),
        ({"name": 7, "platform": 7}, [f"{B}.name", f"{B}.platform"]),
        ({"name": "a", "nam": "b"}, [f"{B}.nam"]),
        ({"name": "a", 7: "b"}, [f"{B}.7"]),
        ({"name": "a", "place": "b", "live": []}, [f"{B}.place", f"{B}.live"]),
        ({"name": "a", "featureSet": "", "feature_set": ""}, [f"{B}.feature_set"]),
        # What is of another type is told with the name of the cluster, where it has one
        ({"name": "a", "feature_set": 7}, [f"{A}.feature_set"]),
        ({"name": "a", "cluster_profile": ["b"]}, [f"{A}.cluster_profile"]),
        ({"name": "a", "featureSet": 7}, [f"{A}.feature_set"]),
        ({"name": "a", "releases": "x", "overrides": {}}, [f"{A}.releases", f"{A}.overrides"]),
        ({"name": "a", "live_resources": "x"}, [f"{A}.live_resources"]),
        (
            {"name": "a", "enabled_capabilities": [7, "a", None]},
            [f"{A}.enabled_capabilities[0]", f"{A}.enabled_capabilities[2]"],
        ),
        ({"feature_gates": ["a", 7], "platform": 7}, [f"{B}.platform", f"{B}.feature_gates[1]", f"{B}.name"]),
    ],
)
def test_what_cannot_be_is_told_at_its_place(given, places):
    found, problems = read_entry(given, "clusters[0]", COMMON)

    assert found is None
    assert [item.where for item in problems] == places
    assert all(item.severity == "error" and item.hint for item in problems)


def test_overrides_and_resources_are_left_to_those_who_read_them():
    found = entry(overrides=["x"], live_resources=[7]).options

    assert found.cluster.overrides == ["x"]
    assert found.live is not None
    assert [item.where for item in found.live.problems] == ["live_resources[0]"]
