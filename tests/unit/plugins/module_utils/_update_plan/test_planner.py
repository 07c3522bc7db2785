# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What clusters of a fleet share, and what is reported for each of them alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.implicit_enablement import (
    ImplicitEnablement,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    InvalidOptionError,
    Problem,
    Problems,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._update_plan import planner as planner_module
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import (
    Planner,
    PlanResult,
    _cached,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import (
    PlanOptions,
    PlanRequest,
    SharedOptions,
    read_request,
)
from ansible_collections.capability.openshift.tests.unit.builders.plans import build_release, manifest, select_only
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference
from ansible_collections.capability.openshift.tests.unit.oracles.implicit_enablement import (
    cluster_version,
    plan_request,
)

RELEASES = [
    build_release("4.20.1", [manifest(), manifest("Storage", "two")]),
    build_release("4.21.1", [manifest("Console"), manifest("Storage", "two")]),
    build_release("4.21.2", [manifest("Console+Storage"), manifest("Storage", "two")]),
]
PATH = (0, 1)
KNOWN = reference.shared_plan(Planner(RELEASES), plan_request(RELEASES, PATH)).plan.hops[0].before.known


def request(**options: Any) -> PlanRequest:
    return plan_request(RELEASES, PATH, **options)


def request_of(value: dict[str, Any], location: str) -> PlanRequest:
    options = PlanOptions(ClusterOptions(), cluster_version=value, location=location)
    return read_request(options, PATH, frozenset(), Problems())


def planned(planner: Planner, of: PlanRequest) -> tuple[PlanResult, list[Problem]]:
    """Return the plan, and the warnings about the request."""
    problems = Problems()
    return planner.plan(*planner.resolve(of, problems)), problems


def without_status(spec: dict[str, Any]) -> dict[str, Any]:
    return {**cluster_version(spec), "status": {}}


ALIKE = [
    [{}, {"capabilities": {}}, {"capabilities": None}, {"cluster_version": without_status({})}],
    [
        {"capabilities": select_only("Console", "Storage")},
        {"capabilities": select_only("Storage", "Console", "Storage")},
        {
            "capabilities": {
                "baseline_capability_set": "None",
                "additional_enabled_capabilities": ["Storage", "Console"],
            }
        },
        {"capabilities": {"inclusionDefault": "Exclude", "include": ["Storage", "Console"]}},
        {"capabilities": {"excludedCapabilities": sorted(KNOWN - {"Console", "Storage"})}},
        {"cluster_version": without_status(select_only("Storage", "Console"))},
    ],
    [
        {"enabled_capabilities": ["Storage", "Console"]},
        {"enabled_capabilities": ["Console", "Storage", "Console"]},
        {"cluster_version": cluster_version(select_only("Console", "Storage"), ["Console", "Storage"])},
    ],
    [
        {"feature_gates": ["A", "B=true"], "platform": "aws"},
        {"feature_gates": ["B", "A", "C=false"], "platform": "AWS"},
    ],
    [{"overrides": []}, {"overrides": [{"kind": "A", "name": "a", "unmanaged": False}]}, {}],
]


@pytest.mark.parametrize("alike", ALIKE)
def test_requests_with_the_same_meaning_share_a_plan(alike):
    planner = Planner(RELEASES)
    results = [reference.shared_plan(planner, request(**options)) for options in alike]

    assert {id(item) for item in results} == {id(results[0])}
    for options in alike:
        assert reference.shared_plan(Planner(RELEASES), request(**options)) == results[0]


def test_requests_with_another_meaning_have_another_plan():
    planner = Planner(RELEASES)
    override = {"kind": "Deployment", "group": "apps", "namespace": "openshift-one", "name": "one", "unmanaged": True}
    every = [
        request(),
        request(capabilities=select_only()),
        request(capabilities=select_only(), overrides=[override]),
        request(capabilities=select_only(), live_resources=[]),
        request(capabilities=select_only(), live_resources=[], rule="presence"),
        request(capabilities=select_only(), platform="aws"),
        request(capabilities=select_only(), feature_gates=[]),
        request(enabled_capabilities=[]),
        request(enabled_capabilities=[], known_capabilities=["Console"]),
        plan_request(RELEASES, (0, 1, 2), capabilities=select_only()),
    ]

    assert len({id(reference.shared_plan(planner, item)) for item in every}) == len(every)


def test_warnings_about_one_request_are_not_reported_for_another():
    planner = Planner(RELEASES)
    value = cluster_version(select_only("Console"), ["Later"])
    (first, one), (second, other) = (planned(planner, request_of(value, name)) for name in ("a.yaml", "b.yaml"))

    assert first is second
    assert [str(item.where) for item in one] == ["a.yaml", "a.yaml"]
    assert [str(item.where) for item in other] == ["b.yaml", "b.yaml"]
    assert [item.message for item in one] == [item.message for item in other]
    assert set(first.problems).isdisjoint({*one, *other})


@pytest.mark.parametrize(
    ("selection", "field"),
    [
        ({"excludedCapabilities": ["Ingress"]}, "excludedCapabilities"),
        ({"inclusionDefault": "Include", "exclude": ["Ingress"]}, "exclude"),
    ],
)
def test_an_exclusion_without_effect_is_reported_at_its_field(selection, field):
    planner = Planner(RELEASES)
    plain = request(capabilities=select_only(*(KNOWN - {"Ingress"})))
    result, warnings = planned(planner, request(capabilities=selection))

    assert [(item.severity, str(item.where)) for item in warnings] == [("warning", f"capabilities.{field}")]
    assert planned(planner, plain) == (result, [])
    assert planned(planner, plain)[0] is result


def test_a_cluster_can_have_a_name_of_a_later_release_but_a_selection_cannot():
    planner = Planner(RELEASES)
    selection = select_only("Later")
    _result, warnings = planned(planner, request_of(without_status(selection), "a.yaml"))

    where = "a.yaml.spec.capabilities.additionalEnabledCapabilities[0]"
    assert [(item.severity, str(item.where)) for item in warnings] == [("warning", where)]
    with pytest.raises(InvalidOptionError, match=r"'Later' is .* of 4\.20"):
        planned(planner, request(capabilities=selection))


def test_all_errors_of_path_and_request_are_reported_for_every_cluster():
    planner = Planner(RELEASES)
    for selection in (select_only("Consol"), select_only("Storag")):
        invalid = plan_request(RELEASES, (1, 0), capabilities=selection, always_enabled_capabilities=["Unknown"])
        with pytest.raises(InvalidOptionError) as raised:
            planned(planner, invalid)
        assert [str(item.where) for item in raised.value.problems] == [
            "releases[1]",
            "always_enabled_capabilities",
            "capabilities.additionalEnabledCapabilities[0]",
        ]


def test_releases_are_compared_once_for_all_clusters(monkeypatch):
    compared: list[tuple[int, int]] = []

    def compare(current: Sequence[Manifest], target: Sequence[Manifest]) -> ImplicitEnablement:
        compared.append((len(current), len(target)))
        return ImplicitEnablement(current, target)

    monkeypatch.setattr(planner_module, "ImplicitEnablement", compare)
    planner = Planner(RELEASES)
    override = {"kind": "A", "name": "a", "unmanaged": True}
    for item in (
        request(),
        request(capabilities=select_only()),
        request(overrides=[override]),
        request(enabled_capabilities=[]),
    ):
        planned(planner, item)
    assert compared == [(2, 2)]

    planned(planner, plan_request(RELEASES, (0, 1, 2)))
    assert compared == [(2, 2)] * 2


def test_none_is_cached_like_any_other_value():
    computed: list[Problem | None] = []
    cache: dict[str, Problem | None] = {}

    def make() -> None:
        computed.append(None)

    assert [_cached(cache, "a", make) for _time in range(3)] == [None] * 3
    assert computed == [None]


@pytest.mark.parametrize(
    ("version", "warned"),
    [("4.20.5", False), ("4.20.9-rc.1", False), ("4.21.0", True), ("5.20.0", True), ("nonsense", False), (None, False)],
)
@pytest.mark.parametrize("forbidden", [[], ["all"]])
def test_another_minor_of_the_cluster_is_a_warning_and_an_error_if_names_are_forbidden(version, warned, forbidden):
    value = cluster_version(select_only())
    value["status"]["desired"] = {"version": version}
    planner = Planner(RELEASES, SharedOptions(forbidden_capabilities=forbidden))
    problems = Problems()
    with problems.collect(InvalidOptionError):
        planner.resolve(request_of(value, "here"), problems)

    expected = [("error" if forbidden else "warning", "here.status.desired.version")] if warned else []
    assert [(item.severity, str(item.where)) for item in problems if item.code == "version-mismatch"] == expected


def test_another_minor_of_the_cluster_has_a_hint():
    value = cluster_version(select_only())
    value["status"]["desired"] = {"version": "4.19.9"}
    problems = Problems()
    Planner(RELEASES).resolve(request_of(value, "here"), problems)

    assert (
        "here.status.desired.version: is 4.19.9, but the path begins with a release of 4.20. "
        "Begin the path with the release that the cluster runs"
    ) in list(map(str, problems))
