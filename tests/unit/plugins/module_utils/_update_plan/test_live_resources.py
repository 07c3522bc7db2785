# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.live_resources import (
    LiveResources,
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


def test_an_empty_list_has_no_resources():
    assert read_live_resources([]) == LiveResources(frozenset(), ())


def test_resources_are_ids():
    given = [
        {"group": "apps", "kind": "Deployment", "namespace": "a", "name": "b"},
        {"kind": "Service", "name": "c"},
        {"kind": "Service", "name": "c", "group": "", "namespace": None},
    ]

    assert read_live_resources(given) == LiveResources(
        frozenset({ResourceId("apps", "Deployment", "a", "b"), ResourceId("", "Service", "", "c")}), ()
    )


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
    assert read_live_resources([given]) == LiveResources(frozenset({expected}), ())


def test_ids_and_objects_can_be_mixed_and_mean_the_same():
    found = read_live_resources([OBJECT, {"group": "apps", "kind": "Deployment", "namespace": "a", "name": "b"}])

    assert len(found.present) == 1


@pytest.mark.parametrize(
    ("given", "places"),
    [
        (["x", 7, None, []], [f"here[{index}]" for index in range(4)]),
        ([{}], ["here[0].kind", "here[0].name"]),
        ([{"kind": "A", "name": "a"}, {"kind": "", "name": 7}], ["here[1].kind", "here[1].name"]),
        ([{"kind": "A", "name": "a", "uid": "x", 7: "y"}], ["here[0].7", "here[0].uid"]),
        ([{"kind": "A", "name": "a", "group": ["x"], "namespace": {"a": 1}}], ["here[0].group", "here[0].namespace"]),
        ([{"kind": ["A"], "name": True}], ["here[0].kind", "here[0].name"]),
    ],
)
def test_an_invalid_resource_is_reported_at_its_location(given, places):
    found = read_live_resources(given, "here")

    assert [str(item.where) for item in found.problems] == places
    assert all(item.severity == "error" and item.hint for item in found.problems)


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
    found = read_live_resources([OBJECT, given], "here")

    assert len(found.present) == 1
    assert found.problems
    assert all(str(item.where).startswith("here[1]") and item.severity == "error" for item in found.problems)


def test_valid_entries_are_read_besides_invalid_ones():
    found = read_live_resources([7, OBJECT, {"kind": "Service", "name": "c"}])

    assert [str(item.where) for item in found.problems] == ["live_resources[0]"]
    assert {item.name for item in found.present} == {"b", "c"}
