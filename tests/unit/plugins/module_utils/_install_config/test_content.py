# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option content: what is merged into it, and the replicas of a topology."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.build import (
    has_replicas,
    merge_content,
    with_topology,
)

SINGLE = {"controlPlane": {"name": "master", "replicas": 1}, "compute": [{"name": "worker", "replicas": 0}]}


@pytest.mark.parametrize(
    ("common", "own", "merged"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}, {"a": {"b": 1, "c": 3}}),
        ({"a": [1]}, {"a": [2]}, {"a": [2]}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ("a text", {"a": 1}, {"a": 1}),
        ({"a": 1}, "a text", "a text"),
        (None, {"a": 1}, {"a": 1}),
    ],
)
def test_maps_are_merged_and_all_else_is_replaced(common, own, merged):
    assert merge_content(common, own) == merged


@pytest.mark.parametrize(("topology", "replicas"), [("sno", (1, 0)), ("compact", (3, 0)), ("full", (3, 3))])
def test_a_topology_sets_the_replicas(topology, replicas):
    found = with_topology({"platform": {}}, topology)

    assert found["platform"] == {}
    assert (found["controlPlane"]["replicas"], found["compute"][0]["replicas"]) == replicas


@pytest.mark.parametrize(
    ("content", "completed"),
    [
        ({}, SINGLE),
        ({"controlPlane": None, "compute": []}, SINGLE),
        (
            {"controlPlane": {"name": "master", "fencing": {}}, "compute": [{"name": "worker", "platform": {}}]},
            {
                "controlPlane": {"name": "master", "fencing": {}, "replicas": 1},
                "compute": [{"name": "worker", "platform": {}, "replicas": 0}],
            },
        ),
        # numbers that are set, other pools, and what is not valid stay
        ({**SINGLE, "controlPlane": {"replicas": 3}}, {**SINGLE, "controlPlane": {"replicas": 3}}),
        ({**SINGLE, "compute": [{"name": "edge"}, 7]}, {**SINGLE, "compute": [{"name": "edge"}, 7]}),
        ({"controlPlane": "x", "compute": "y"}, {"controlPlane": "x", "compute": "y"}),
    ],
)
def test_a_topology_does_not_replace_what_is_set(content, completed):
    assert with_topology(content, "sno") == completed


@pytest.mark.parametrize(
    ("content", "decided"),
    [
        ({}, False),
        ({"controlPlane": {"name": "master"}, "compute": []}, False),
        ({"controlPlane": "x"}, False),
        ({"controlPlane": {"replicas": 1}}, True),
        ({"compute": [{"name": "worker"}]}, True),
    ],
)
def test_content_decides_about_nodes(content, decided):
    assert has_replicas(content) is decided
