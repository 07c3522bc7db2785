# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import (
    read_live_resources,
)

CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "a"}}
OBJECT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "b", "namespace": "a", "uid": "1", "labels": {"x": "y"}},
    "spec": {"replicas": 1},
    "status": {},
}


def read(*given: object) -> tuple[set[ResourceId], list[Problem]]:
    problems = Problems()
    return set(read_live_resources(given, problems)), list(problems)


def test_resources_are_ids():
    given = [
        {"group": "apps", "kind": "Deployment", "namespace": "a", "name": "b"},
        {"kind": "Service", "name": "c"},
        {"kind": "Service", "name": "c", "group": "", "namespace": None},
    ]

    assert read(*given) == ({ResourceId("apps", "Deployment", "a", "b"), ResourceId("", "Service", "", "c")}, [])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (OBJECT, ResourceId("apps", "Deployment", "a", "b")),
        (CONFIG_MAP, ResourceId("", "ConfigMap", "a", "c")),
        (
            {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"}},
            ResourceId("config.openshift.io", "ClusterVersion", "", "version"),
        ),
        (
            {**OBJECT, "metadata": {**OBJECT["metadata"], "annotations": None}},
            ResourceId("apps", "Deployment", "a", "b"),
        ),
    ],
)
def test_objects_are_read_as_their_ids(given, expected):
    assert read(given) == ({expected}, [])


@pytest.mark.parametrize(
    ("given", "places"),
    [
        (["x", 7, None, []], [f"[{index}]" for index in range(4)]),
        ([{}], ["[0].kind", "[0].name"]),
        ([{"kind": "A", "name": "a"}, {"kind": "", "name": 7}], ["[1].kind", "[1].name"]),
        ([{"kind": "A", "name": "a", "uid": "x", 7: "y"}], ["[0].7", "[0].uid"]),
        ([{"kind": "A", "name": "a", "group": ["x"], "namespace": {"a": 1}}], ["[0].group", "[0].namespace"]),
        ([{"kind": ["A"], "name": True}], ["[0].kind", "[0].name"]),
    ],
)
def test_an_invalid_resource_is_reported_at_its_location(given, places):
    _present, problems = read(*given)

    assert [str(item.where) for item in problems] == [f"live_resources{place}" for place in places]
    assert all(item.severity == "error" and item.hint for item in problems)


@pytest.mark.parametrize(
    "given",
    [
        {"metadata": None},
        {"metadata": 7},
        {"metadata": {}},
        {"metadata": {"name": "a"}},
        {"kind": "Deployment", "metadata": {"name": "a"}},
        {**OBJECT, "metadata": {"name": ["b"]}},
    ],
)
def test_an_invalid_object_is_reported_at_its_location(given):
    present, problems = read(OBJECT, given)

    assert len(present) == 1
    assert problems
    assert all(str(item.where).startswith("live_resources[1]") and item.severity == "error" for item in problems)


def test_valid_entries_are_read_besides_invalid_ones():
    present, problems = read(7, OBJECT, {"kind": "Service", "name": "c"})

    assert [str(item.where) for item in problems] == ["live_resources[0]"]
    assert {item.name for item in present} == {"b", "c"}
