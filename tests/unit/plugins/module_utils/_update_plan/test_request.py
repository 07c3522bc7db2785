# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import Override
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import ReportedCapabilities
from ansible_collections.capability.openshift.plugins.module_utils._data.platforms import PLATFORM_DATA
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.plan import StartingCluster
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import (
    PlanOptions,
    PlanRequest,
    read_request,
    resolve_platform,
)

STATUS: dict[str, Any] = {
    "desired": {"version": "4.13.5"},
    "capabilities": {"enabledCapabilities": ["Console"], "knownCapabilities": ["Console", "Storage"]},
}
OBJECT: dict[str, Any] = {
    "apiVersion": "config.openshift.io/v1",
    "kind": "ClusterVersion",
    "spec": {
        "capabilities": {"baselineCapabilitySet": "None"},
        "overrides": [{"kind": "Deployment", "group": "apps", "namespace": "a", "name": "b", "unmanaged": True}],
    },
    "status": STATUS,
}


def options(cluster: dict[str, Any] | None = None, **plan: Any) -> PlanOptions:
    own = {name: plan.pop(name) for name in ("overrides", "platform") if name in plan}
    return PlanOptions(ClusterOptions(**own, **(cluster or {})), **plan)


def read(given: PlanOptions) -> tuple[PlanRequest, list[Problem]]:
    problems = Problems()
    return read_request(given, (0, 1), frozenset(), problems), problems


def request(given: PlanOptions) -> PlanRequest:
    found, problems = read(given)
    assert [item for item in problems if item.severity == "error"] == []
    return found


def wrong(given: PlanOptions) -> list[tuple[str, str]]:
    return [(item.code, str(item.where)) for item in read(given)[1] if item.severity == "error"]


@pytest.mark.parametrize(
    ("given", "source"),
    [
        (options(), "capabilities"),
        (options({"capabilities": {}}), "capabilities"),
        (options(cluster_version=OBJECT), "cluster_version"),
        (options({"enabled_capabilities": []}), "enabled_capabilities"),
    ],
)
def test_the_option_that_a_plan_starts_from_is_its_source(given, source):
    assert (request(given).source, request(given).location) == (source, source)


def test_the_location_of_an_object_is_its_origin():
    assert (
        request(options(cluster_version=OBJECT, location="cluster_version (a.yaml)")).location
        == "cluster_version (a.yaml)"
    )
    assert request(options(location="cluster_version (a.yaml)")).location == "capabilities"


def test_without_options_the_request_is_the_cluster_default():
    found = request(options())

    assert found.path == (0, 1)
    assert found.cluster == StartingCluster(Selection())
    assert found.platform is None
    assert found.criteria.filters.feature_gates is None


@pytest.mark.parametrize(
    "given",
    [
        options(),
        options({"capabilities": {"baselineCapabilitySet": "v4.11"}}, platform="AWS", live_resources=[]),
        options({"enabled_capabilities": ["Console"], "feature_gates": ["A=true"]}),
        options(cluster_version=OBJECT, live_resources=[{"kind": "A", "name": "a"}]),
    ],
)
def test_equal_requests_have_equal_hashes(given):
    assert len({request(given), request(given)}) == 1


def test_gates_resources_and_platforms_are_equal_in_any_order_and_case():
    resources = [{"kind": "A", "name": "a"}, {"kind": "B", "name": "b", "namespace": "", "group": None}]
    one = options({"feature_gates": ["A", "B=true", "C=false"]}, live_resources=resources, platform="AWS")
    other = options({"feature_gates": ["B", "A"]}, live_resources=resources[::-1], platform="aws")

    assert request(one) == request(other)


def test_a_cluster_version_contains_selection_status_and_overrides():
    found = request(options(cluster_version=OBJECT))

    assert found.cluster.selection[:3] == Selection("None")[:3]
    assert str(found.cluster.selection.where) == "cluster_version.spec.capabilities"
    assert found.cluster.status == ReportedCapabilities(frozenset({"Console"}), frozenset({"Console", "Storage"}))
    assert found.cluster.overrides == (Override("Deployment", "apps", "a", "b", True),)


@pytest.mark.parametrize("given", [[], [{"kind": "A", "name": "a", "unmanaged": True}]])
def test_given_overrides_replace_those_of_the_object(given):
    found = request(options(cluster_version=OBJECT, overrides=given)).cluster.overrides

    assert [item.name for item in found] == [item["name"] for item in given]


MANAGED = {"kind": "A", "name": "a", "unmanaged": False}
UNMANAGED = {"kind": "B", "name": "b", "unmanaged": True}


def test_criteria_have_no_overrides_so_clusters_share_more():
    without, having = request(options()), request(options(overrides=[UNMANAGED]))

    assert having.criteria == without.criteria
    assert having.criteria.filters.overrides == ()
    assert having.cluster != without.cluster


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ([], []),
        ([MANAGED], []),
        ([UNMANAGED], ["b"]),
        # One that is managed can come before one that is not, and win
        ([MANAGED, UNMANAGED, MANAGED], ["a", "b", "a"]),
    ],
)
def test_overrides_without_an_unmanaged_one_have_no_effect(given, names):
    found = request(options(overrides=given))

    assert [item.name for item in found.cluster.overrides] == names
    assert (found == request(options())) is (not names)


@pytest.mark.parametrize(
    ("enabled", "known", "expected"),
    [
        (["Storage", "Console", "Console"], None, ReportedCapabilities(frozenset({"Console", "Storage"}), None)),
        (["Console"], ["Storage"], ReportedCapabilities(frozenset({"Console"}), frozenset({"Storage"}))),
        ([], [], ReportedCapabilities(frozenset(), frozenset())),
    ],
)
def test_enabled_names_are_requested_by_name(enabled, known, expected):
    given = options({"enabled_capabilities": enabled, "known_capabilities": known})
    found, problems = read(given)

    assert found.cluster.selection == Selection("None", tuple(sorted(set(enabled))))
    assert found.cluster.status == expected
    assert [(item.severity, str(item.where)) for item in problems] == [("info", "enabled_capabilities")]


def test_an_empty_list_of_resources_is_not_the_same_as_no_list():
    assert request(options(live_resources=[])).cluster.present == frozenset()
    assert request(options()).cluster.present is None


@pytest.mark.parametrize(
    ("given", "locations", "codes"),
    [
        (options({"capabilities": {}}, cluster_version=OBJECT), ["capabilities"], ["conflicting-options"]),
        (options({"enabled_capabilities": []}, cluster_version=OBJECT), ["cluster_version"], ["conflicting-options"]),
        (options({"capabilities": {}, "solution": "ran_du"}), ["capabilities"], ["conflicting-options"]),
        (options({"known_capabilities": []}), ["known_capabilities"], ["missing-option"]),
        (options({"capabilities": "x"}), ["capabilities"], ["not-a-map"]),
        (options(cluster_version="text"), ["cluster_version"], ["not-a-map"]),
        (
            options({"feature_set": "x", "feature_gates": ["="]}),
            ["feature_set", "feature_gates[0]"],
            ["unknown-feature-set", "invalid-feature-gate"],
        ),
        (options(overrides=["x"]), ["overrides[0]"], ["not-a-map"]),
        (options(platform="x"), ["platform"], ["unknown-platform"]),
        (
            options(live_resources=["x", {}]),
            ["live_resources[0]", "live_resources[1].kind", "live_resources[1].name"],
            ["not-a-map", "not-a-string", "not-a-string"],
        ),
        (
            options(live_resources=[{"kind": "A", "name": "a", "uid": "x"}]),
            ["live_resources[0].uid"],
            ["unknown-field"],
        ),
        (
            options({"capabilities": "x", "feature_set": "x"}, platform="x"),
            ["platform", "capabilities", "feature_set"],
            ["unknown-platform", "not-a-map", "unknown-feature-set"],
        ),
    ],
)
def test_invalid_options_are_reported_at_their_location(given, locations, codes):
    assert wrong(given) == list(zip(codes, locations, strict=True))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            options({"capabilities": {}, "enabled_capabilities": []}, cluster_version=OBJECT),
            "capabilities: cannot be combined with cluster_version and enabled_capabilities. "
            "Keep one: the selection, the solution, the ClusterVersion, or the list of enabled names",
        ),
        (
            options({"known_capabilities": []}),
            "known_capabilities: is set without enabled_capabilities. Set enabled_capabilities too, or remove it",
        ),
        (
            options({"enabled_capabilities": []}),
            "enabled_capabilities: does not contain the selection, so these names count as requested by name. "
            "Set cluster_version instead, which has both",
        ),
    ],
)
def test_a_problem_of_a_request_has_a_hint(given, expected):
    assert list(map(str, read(given)[1])) == [expected]


@pytest.mark.parametrize("name", PLATFORM_DATA)
@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title])
def test_a_platform_is_accepted_in_any_case(name, spell):
    problems = Problems()

    assert resolve_platform(spell(name), problems) == name
    assert problems == []


# openshift/api:config/v1/types_infrastructure.go PlatformType
@pytest.mark.parametrize(
    "name",
    [
        *("AWS", "AlibabaCloud", "Azure", "BareMetal", "EquinixMetal", "External", "GCP", "IBMCloud"),
        *("KubeVirt", "Libvirt", "None", "Nutanix", "OpenStack", "PowerVS", "VSphere", "oVirt"),
    ],
)
def test_every_platform_of_the_api_is_known(name):
    problems = Problems()
    resolve_platform(name, problems)

    assert problems == []


@pytest.mark.parametrize(
    ("name", "hint"), [("asw", "Did you mean aws?"), ("", "Use one of: agent, alibabacloud, aws, ")]
)
def test_an_unknown_platform_is_reported(name, hint):
    problems = Problems()
    resolve_platform(name, problems)

    assert [(item.severity, str(item.where)) for item in problems] == [("error", "platform")]
    assert problems[0].hint.startswith(hint)


def test_no_platform_is_not_a_problem():
    problems = Problems()

    assert resolve_platform(None, problems) is None
    assert problems == []
