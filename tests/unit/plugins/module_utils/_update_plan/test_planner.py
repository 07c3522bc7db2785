# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What clusters of a fleet share, and what is said to each of them alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.implicit_enablement import (
    ImplicitEnablement,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError, Problem
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._update_plan import planner as fleet_module
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import Planner, _cached
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import PlanRequest, read_request
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.start import PlanOptions
from ansible_collections.capability.openshift.tests.unit.builders.plans import made, obj, only
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference
from ansible_collections.capability.openshift.tests.unit.oracles.implicit_enablement import cluster_version, question

RELEASES = [
    made("4.20.1", [obj(), obj("Storage", "two")]),
    made("4.21.1", [obj("Console"), obj("Storage", "two")]),
    made("4.21.2", [obj("Console+Storage"), obj("Storage", "two")]),
]
PATH = (0, 1)
KNOWN = Planner(RELEASES).answer(question(RELEASES, PATH))[0].plan.hops[0].before.known


def asked(**options: Any) -> PlanRequest:
    return question(RELEASES, PATH, **options)


def of_object(value: dict[str, Any], place: str) -> PlanRequest:
    found, _problems = read_request(PlanOptions(ClusterOptions(), value, place=place), PATH, RELEASES[0].minor)
    return found


def without_status(spec: dict[str, Any]) -> dict[str, Any]:
    return {**cluster_version(spec), "status": {}}


ALIKE = [
    [{}, {"capabilities": {}}, {"capabilities": None}, {"cluster_version": without_status({})}],
    [
        {"capabilities": only("Console", "Storage")},
        {"capabilities": only("Storage", "Console", "Storage")},
        {
            "capabilities": {
                "baseline_capability_set": "None",
                "additional_enabled_capabilities": ["Storage", "Console"],
            }
        },
        {"capabilities": {"inclusionDefault": "Exclude", "include": ["Storage", "Console"]}},
        {"capabilities": {"excludedCapabilities": sorted(KNOWN - {"Console", "Storage"})}},
        {"cluster_version": without_status(only("Storage", "Console"))},
    ],
    [
        {"enabled_capabilities": ["Storage", "Console"]},
        {"enabled_capabilities": ["Console", "Storage", "Console"]},
        {"cluster_version": cluster_version(only("Console", "Storage"), ["Console", "Storage"])},
    ],
    [
        {"feature_gates": ["A", "B=true"], "platform": "aws"},
        {"feature_gates": ["B", "A", "C=false"], "platform": "AWS"},
    ],
    [{"overrides": []}, {"overrides": [{"kind": "A", "name": "a", "unmanaged": False}]}, {}],
]


@pytest.mark.parametrize("alike", ALIKE)
def test_what_means_the_same_has_one_answer_however_it_is_said(alike):
    fleet = Planner(RELEASES)
    answers = [reference.answer(fleet, asked(**options)) for options in alike]

    assert {id(item) for item in answers} == {id(answers[0])}
    for options in alike:
        assert reference.answer(Planner(RELEASES), asked(**options)) == answers[0]


def test_what_means_something_else_has_an_answer_of_its_own():
    fleet = Planner(RELEASES)
    override = {"kind": "Deployment", "group": "apps", "namespace": "openshift-one", "name": "one", "unmanaged": True}
    every = [
        asked(),
        asked(capabilities=only()),
        asked(capabilities=only(), overrides=[override]),
        asked(capabilities=only(), live_resources=[]),
        asked(capabilities=only(), platform="aws"),
        asked(capabilities=only(), feature_gates=[]),
        asked(enabled_capabilities=[]),
        asked(enabled_capabilities=[], known_capabilities=["Console"]),
        question(RELEASES, (0, 1, 2), capabilities=only()),
    ]

    assert len({id(reference.answer(fleet, item)) for item in every}) == len(every)


def test_the_wording_of_one_question_is_not_told_to_another():
    fleet = Planner(RELEASES)
    value = cluster_version(only("Console"), ["Later"])
    (first, one), (second, other) = (fleet.answer(of_object(value, place)) for place in ("a.yaml", "b.yaml"))

    assert first is second
    assert [item.where for item in one] == ["a.yaml", "a.yaml"]
    assert [item.where for item in other] == ["b.yaml", "b.yaml"]
    assert [item.message for item in one] == [item.message for item in other]
    assert set(first.problems).isdisjoint({*one, *other})


@pytest.mark.parametrize(
    ("selection", "field"),
    [
        ({"excludedCapabilities": ["Ingress"]}, "excluded_capabilities"),
        ({"inclusionDefault": "Include", "exclude": ["Ingress"]}, "exclude"),
    ],
)
def test_an_exclusion_in_vain_is_told_in_the_words_of_the_question(selection, field):
    fleet = Planner(RELEASES)
    plainly = asked(capabilities=only(*(KNOWN - {"Ingress"})))
    answer, wording = fleet.answer(asked(capabilities=selection))

    assert [(item.severity, item.where) for item in wording] == [("warning", f"capabilities.{field}")]
    assert fleet.answer(plainly) == (answer, ())
    assert fleet.answer(plainly)[0] is answer


def test_a_name_that_a_cluster_holds_may_be_of_a_later_release_and_one_that_is_asked_for_may_not():
    fleet = Planner(RELEASES)
    selection = only("Later")
    _answer, wording = fleet.answer(of_object(without_status(selection), "a.yaml"))

    where = "a.yaml.spec.capabilities.additional_enabled_capabilities[0]"
    assert [(item.severity, item.where) for item in wording] == [("warning", where)]
    with pytest.raises(InvalidOptionError, match=r"'Later' is not a capability of 4\.20"):
        fleet.answer(asked(capabilities=selection))


def test_what_is_wrong_with_path_and_question_is_told_at_once_and_to_everyone():
    fleet = Planner(RELEASES)
    for selection in (only("Consol"), only("Storag")):
        with pytest.raises(InvalidOptionError) as raised:
            fleet.answer(question(RELEASES, (1, 0), capabilities=selection, always_enabled_capabilities=["Nobody"]))
        assert [item.where for item in raised.value.problems] == [
            "releases[1]",
            "always_enabled_capabilities",
            "capabilities.additional_enabled_capabilities[0]",
        ]


def test_releases_are_compared_once_however_many_clusters_go_through_them(monkeypatch):
    compared: list[tuple[int, int]] = []

    def compare(current: Sequence[Manifest], target: Sequence[Manifest]) -> ImplicitEnablement:
        compared.append((len(current), len(target)))
        return ImplicitEnablement(current, target)

    monkeypatch.setattr(fleet_module, "ImplicitEnablement", compare)
    fleet = Planner(RELEASES)
    override = {"kind": "A", "name": "a", "unmanaged": True}
    for item in (asked(), asked(capabilities=only()), asked(overrides=[override]), asked(enabled_capabilities=[])):
        fleet.answer(item)
    assert compared == [(2, 2)]

    fleet.answer(question(RELEASES, (0, 1, 2)))
    assert compared == [(2, 2)] * 2


def test_nothing_is_kept_as_well_as_something():
    made_up: list[Problem | None] = []
    cache: dict[str, Problem | None] = {}

    def make() -> None:
        made_up.append(None)

    assert [_cached(cache, "a", make) for _time in range(3)] == [None] * 3
    assert made_up == [None]
