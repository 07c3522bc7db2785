# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.cluster_entry import read_entry
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


A, B = "clusters[0] (a)", "clusters[0]"


def entry(common: PlanOptions = COMMON, **fields: Any) -> PlanOptions:
    problems = Problems()
    options = read_entry({"name": "a", **fields}, "clusters[0]", common, problems)
    assert problems == []
    assert options is not None
    return options


def problems_of(value: object) -> list[Problem]:
    """Return the problems of an invalid entry."""
    problems = Problems()
    assert read_entry(value, "clusters[0]", COMMON, problems) is None
    return problems


@pytest.mark.parametrize("releases", [[], ["a", {"release": "b"}]])
def test_a_cluster_has_its_own_path_or_the_common_one(releases):
    own = entry(COMMON._replace(releases=["c"]), releases=releases)
    common = entry(COMMON._replace(releases=["c"]), releases=None)

    assert (own.releases, own.releases_where) == (releases, f"{A}.releases")
    assert (common.releases, common.releases_where) == (["c"], "releases")


def test_what_a_cluster_does_not_set_is_as_with_the_others():
    assert entry() == COMMON._replace(name="a", where=A)
    assert entry(platform=None, capabilities=None, feature_gates=None) == entry()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cluster_profile", "b"),
        ("exclude_identifier", ""),
        ("hosted_control_plane", False),
        ("feature_set", ""),
        ("featureSet", "Default"),
        ("feature_gates", []),
        ("featureGates", ["B"]),
        ("overrides", []),
    ],
)
def test_options_of_a_cluster_are_its_own(field, value):
    name = {"featureSet": "feature_set", "featureGates": "feature_gates"}.get(field, field)

    assert entry(**{field: value}).cluster == COMMON.cluster._replace(**{name: value})


def test_the_platform_of_a_cluster_is_its_own():
    assert entry(platform="gcp") == entry()._replace(platform="gcp")


def test_the_rule_of_a_cluster_is_its_own():
    assert entry(rule="presence") == entry()._replace(rule="presence")


@pytest.mark.parametrize("value", [[], [{"kind": "A", "name": "a"}], [{"kind": "A"}, 7]])
def test_live_resources_of_a_cluster_are_its_own(value):
    assert entry(live_resources=value) == entry()._replace(live=read_live_resources(value))
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
def test_a_start_of_a_cluster_replaces_the_whole_common_start(field, value, common):
    options = entry(common, **{field: value})

    values = {**options.cluster._asdict(), "cluster_version": options.cluster_version}
    starts = ("capabilities", "cluster_version", "enabled_capabilities", "known_capabilities")
    assert [values[name] for name in starts if values[name] is not None] == [value]


@pytest.mark.parametrize("given", [None, "berlin", 7, ["name"], True])
def test_a_cluster_must_be_a_dict(given):
    (problem,) = problems_of(given)

    assert (problem.code, str(problem.where)) == ("not-a-map", "clusters[0]")
    assert "expected a dict with a name" in problem.message


@pytest.mark.parametrize(
    ("given", "locations", "codes"),
    [
        ({}, [f"{B}.name"], ["missing-field"]),
        ({"name": None}, [f"{B}.name"], ["missing-field"]),
        ({"name": ""}, [f"{B}.name"], ["missing-field"]),
        ({"name": 7}, [f"{B}.name"], ["not-a-string"]),
        ({"name": 7, "platform": 7}, [f"{B}.name", f"{B}.platform"], ["not-a-string", "not-a-string"]),
        ({"name": "a", "nam": "b"}, [f"{B}.nam"], ["unknown-field"]),
        ({"name": "a", 7: "b"}, [f"{B}.7"], ["unknown-field"]),
        ({"name": "a", "place": "b", "live": []}, [f"{B}.place", f"{B}.live"], ["unknown-field", "unknown-field"]),
        ({"name": "a", "featureSet": "", "feature_set": ""}, [f"{B}.feature_set"], ["duplicate-field"]),
        # A value of another type is reported with the name of the cluster, if it has one
        ({"name": "a", "feature_set": 7}, [f"{A}.feature_set"], ["not-a-string"]),
        ({"name": "a", "cluster_profile": ["b"]}, [f"{A}.cluster_profile"], ["not-a-string"]),
        ({"name": "a", "featureSet": 7}, [f"{A}.feature_set"], ["not-a-string"]),
        ({"name": "a", "hosted_control_plane": "no"}, [f"{A}.hosted_control_plane"], ["not-a-boolean"]),
        (
            {"name": "a", "releases": "x", "overrides": {}},
            [f"{A}.releases", f"{A}.overrides"],
            ["not-a-list", "not-a-list"],
        ),
        ({"name": "a", "live_resources": "x"}, [f"{A}.live_resources"], ["not-a-list"]),
        ({"name": "a", "rule": "manifests"}, [f"{A}.rule"], ["unknown-rule"]),
        ({"name": "a", "rule": 7}, [f"{A}.rule"], ["not-a-string"]),
        (
            {"name": "a", "enabled_capabilities": [7, "a", None]},
            [f"{A}.enabled_capabilities[0]", f"{A}.enabled_capabilities[2]"],
            ["not-a-string", "not-a-string"],
        ),
        (
            {"feature_gates": ["a", 7], "platform": 7},
            [f"{B}.platform", f"{B}.feature_gates[1]", f"{B}.name"],
            ["not-a-string", "not-a-string", "missing-field"],
        ),
    ],
)
def test_invalid_options_are_reported_at_their_location(given, locations, codes):
    problems = problems_of(given)

    assert [str(item.where) for item in problems] == locations
    assert [item.code for item in problems] == codes
    assert all(item.severity == "error" and item.hint for item in problems)


def test_overrides_and_resources_are_checked_later():
    options = entry(overrides=["x"], live_resources=[7])

    assert options.cluster.overrides == ["x"]
    assert options.live is not None
    assert [str(item.where) for item in options.live.problems] == ["live_resources[0]"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, f"{B}: is 7, expected a dict with a name. Write it as a dict"),
        ({}, f"{B}.name: is missing. Set a name for each cluster"),
        ({"name": "a", "nam": "b"}, f"{B}.nam: is not a field of a cluster. Did you mean name?"),
        (
            {"name": "a", "featureSet": "", "feature_set": ""},
            f"{B}.feature_set: is set in two spellings. Keep one of them",
        ),
    ],
)
def test_a_problem_of_a_cluster_has_a_hint(value, expected):
    assert list(map(str, problems_of(value))) == [expected]
