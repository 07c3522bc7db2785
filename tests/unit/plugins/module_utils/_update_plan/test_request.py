# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import Override
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import ReportedCapabilities
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.live_resources import (
    read_live_resources,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import PlanRequest, read_request
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.start import (
    PlanOptions,
    StartingCluster,
)
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor

OBJECT = {
    "apiVersion": "config.openshift.io/v1",
    "kind": "ClusterVersion",
    "spec": {
        "capabilities": {"baselineCapabilitySet": "None"},
        "overrides": [{"kind": "Deployment", "group": "apps", "namespace": "a", "name": "b", "unmanaged": True}],
    },
    "status": {
        "desired": {"version": "4.13.5"},
        "capabilities": {"enabledCapabilities": ["Console"], "knownCapabilities": ["Console", "Storage"]},
    },
}
MINOR = Minor(4, 13)


def options(cluster: dict[str, Any] | None = None, **plan: Any) -> PlanOptions:
    live = plan.pop("live_resources", None)
    return PlanOptions(
        ClusterOptions(overrides=plan.pop("overrides", None), **(cluster or {})),
        live=None if live is None else read_live_resources(live),
        **plan,
    )


def asked(given: PlanOptions) -> PlanRequest:
    question, problems = read_request(given, (0, 1), MINOR)
    assert [item for item in problems if item.severity == "error"] == []
    return question


def wrong(given: PlanOptions) -> list[str]:
    return [item.where for item in read_request(given, (0, 1), MINOR)[1] if item.severity == "error"]


@pytest.mark.parametrize(
    ("given", "source"),
    [
        (options(), "capabilities"),
        (options({"capabilities": {}}), "capabilities"),
        (options(cluster_version=OBJECT), "cluster_version"),
        (options({"enabled_capabilities": []}), "enabled_capabilities"),
    ],
)
def test_the_option_that_a_plan_starts_from_is_kept(given, source):
    assert (asked(given).source, asked(given).place) == (source, source)


def test_the_place_of_an_object_is_where_it_comes_from():
    assert asked(options(cluster_version=OBJECT, place="cluster_version (a.yaml)")).place == "cluster_version (a.yaml)"
    assert asked(options(place="cluster_version (a.yaml)")).place == "capabilities"


def test_nothing_said_is_the_cluster_default():
    question = asked(options())

    assert question.path == (0, 1)
    assert question.cluster == StartingCluster(Selection())
    assert question.platform is None
    assert question.facts.feature_gates is None


@pytest.mark.parametrize(
    "given",
    [
        options(),
        options({"capabilities": {"baselineCapabilitySet": "v4.11"}}, platform="AWS", live_resources=[]),
        options({"enabled_capabilities": ["Console"], "feature_gates": ["A=true"]}),
        options(cluster_version=OBJECT, live_resources=[{"kind": "A", "name": "a"}]),
    ],
)
def test_questions_that_are_equal_are_found_among_others(given):
    assert len({asked(given), asked(given)}) == 1


def test_gates_resources_and_platforms_are_equal_in_any_order_and_case():
    resources = [{"kind": "A", "name": "a"}, {"kind": "B", "name": "b", "namespace": "", "group": None}]
    one = options({"feature_gates": ["A", "B=true", "C=false"]}, live_resources=resources, platform="AWS")
    other = options({"feature_gates": ["B", "A"]}, live_resources=resources[::-1], platform="aws")

    assert asked(one) == asked(other)


def test_a_cluster_version_tells_selection_status_and_overrides():
    question = asked(options(cluster_version=OBJECT))

    assert question.cluster.selection == Selection("None", where="cluster_version.spec.capabilities")
    assert question.cluster.status == ReportedCapabilities(frozenset({"Console"}), frozenset({"Console", "Storage"}))
    assert question.cluster.overrides == (Override("Deployment", "apps", "a", "b", True),)


@pytest.mark.parametrize("given", [[], [{"kind": "A", "name": "a", "unmanaged": True}]])
def test_overrides_that_are_given_stand_in_the_place_of_those_of_the_object(given):
    found = asked(options(cluster_version=OBJECT, overrides=given)).cluster.overrides

    assert [item.name for item in found] == [item["name"] for item in given]


MANAGED = {"kind": "A", "name": "a", "unmanaged": False}
UNMANAGED = {"kind": "B", "name": "b", "unmanaged": True}


def test_overrides_are_no_fact_so_that_clusters_share_what_does_not_depend_on_them():
    without, having = asked(options()), asked(options(overrides=[UNMANAGED]))

    assert having.facts == without.facts
    assert having.facts.overrides == ()
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
def test_overrides_without_an_unmanaged_one_are_none(given, names):
    found = asked(options(overrides=given))

    assert [item.name for item in found.cluster.overrides] == names
    assert (found == asked(options())) is (not names)


@pytest.mark.parametrize(
    ("enabled", "known", "expected"),
    [
        (["Storage", "Console", "Console"], None, ReportedCapabilities(frozenset({"Console", "Storage"}), None)),
        (["Console"], ["Storage"], ReportedCapabilities(frozenset({"Console"}), frozenset({"Storage"}))),
        ([], [], ReportedCapabilities(frozenset(), frozenset())),
    ],
)
def test_names_that_are_on_are_asked_for_by_name(enabled, known, expected):
    given = options({"enabled_capabilities": enabled, "known_capabilities": known})
    question, problems = read_request(given, (0, 1), MINOR)

    assert question.cluster.selection == Selection("None", tuple(sorted(set(enabled))))
    assert question.cluster.status == expected
    assert [(item.severity, item.where) for item in problems] == [("info", "enabled_capabilities")]


@pytest.mark.parametrize(
    ("version", "minor", "warned"),
    [
        ("4.13.5", Minor(4, 13), False),
        ("4.13.9-rc.1", Minor(4, 13), False),
        ("4.14.0", Minor(4, 13), True),
        ("5.13.0", Minor(4, 13), True),
        ("4.14.0", None, False),
        ("nonsense", Minor(4, 13), False),
        (None, Minor(4, 13), False),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_a_cluster_that_runs_another_minor_is_a_warning_and_an_error_where_that_is_said(version, minor, warned, strict):
    value = {**OBJECT, "status": {**OBJECT["status"], "desired": {"version": version}}}  # type: ignore[dict-item]
    _question, problems = read_request(options(cluster_version=value), (0, 1), minor, strict=strict)

    expected = [("error" if strict else "warning", "cluster_version.status.desired.version")]
    assert [(item.severity, item.where) for item in problems] == (expected if warned else [])


def test_no_resources_are_not_the_same_as_not_said():
    assert asked(options(live_resources=[])).cluster.present == frozenset()
    assert asked(options()).cluster.present is None


@pytest.mark.parametrize(
    ("given", "places"),
    [
        (options({"capabilities": {}}, cluster_version=OBJECT), ["capabilities"]),
        (options({"enabled_capabilities": []}, cluster_version=OBJECT), ["cluster_version"]),
        (options({"known_capabilities": []}), ["known_capabilities"]),
        (options({"capabilities": "x"}), ["capabilities"]),
        (options(cluster_version="text"), ["cluster_version"]),
        (options({"feature_set": "x", "feature_gates": ["="]}), ["feature_set", "feature_gates[0]"]),
        (options(overrides=["x"]), ["overrides[0]"]),
        (options(platform="x"), ["platform"]),
        (options(live_resources=["x", {}]), ["live_resources[0]", "live_resources[1].kind", "live_resources[1].name"]),
        (options(live_resources=[{"kind": "A", "name": "a", "uid": "x"}]), ["live_resources[0].uid"]),
        (options({"capabilities": "x", "feature_set": "x"}, platform="x"), ["capabilities", "feature_set", "platform"]),
    ],
)
def test_what_cannot_be_is_told_at_its_place(given, places):
    assert wrong(given) == places
