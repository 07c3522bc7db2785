# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The properties of a cluster in its objects, among them incomplete ones."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_properties import (
    check_feature_set,
    cluster_profile,
    feature_gate_properties,
    infrastructure_properties,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems

SELF_MANAGED = "self-managed-high-availability"


def deployment(*variables: dict[str, Any]) -> dict[str, Any]:
    containers = [{"name": "sidecar"}, {"name": "cluster-version-operator", "env": list(variables)}]
    return {"spec": {"template": {"spec": {"containers": containers}}}}


def infrastructure(**status: Any) -> dict[str, Any]:
    return {"spec": {}, "status": status}


def feature_gate(name: str | None, **gates: list[str]) -> dict[str, Any]:
    reported = [
        {"version": version, "enabled": [{"name": gate} for gate in enabled]} for version, enabled in gates.items()
    ]
    return {"spec": {} if name is None else {"featureSet": name}, "status": {"featureGates": reported}}


@pytest.mark.parametrize(
    ("of_cvo", "status", "expected"),
    [
        (deployment({"name": "CLUSTER_PROFILE", "value": "single-node-developer"}), {}, "single-node-developer"),
        (deployment({"name": "EXCLUDE_MANIFESTS", "value": "x"}), {}, SELF_MANAGED),
        (deployment({"name": "CLUSTER_PROFILE", "valueFrom": {}}), {}, SELF_MANAGED),
        (deployment({"name": "CLUSTER_PROFILE", "value": "{{ .ClusterProfile }}"}), {}, SELF_MANAGED),
        ({}, {}, SELF_MANAGED),
        (deployment(), {"controlPlaneTopology": "External"}, SELF_MANAGED),
        (None, {"controlPlaneTopology": "External"}, "ibm-cloud-managed"),
        (None, {"controlPlaneTopology": "HighlyAvailable"}, None),
        (None, {}, None),
    ],
)
def test_the_profile_is_that_of_the_cvo(of_cvo, status, expected):
    found = cluster_profile(of_cvo, infrastructure(**status))

    assert (found and found.value) == expected
    assert found is None or found.source


def test_a_cluster_without_any_object_has_no_profile():
    assert cluster_profile(None, None) is None


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (None, {}),
        ({}, {"feature_set": "", "feature_gates": {}}),
        (feature_gate(None), {"feature_set": "", "feature_gates": {}}),
        (
            feature_gate("TechPreviewNoUpgrade", **{"4.21.0": ["A", "B"], "4.22.0": []}),
            {"feature_set": "TechPreviewNoUpgrade", "feature_gates": {"4.21.0": ["A", "B"], "4.22.0": []}},
        ),
    ],
)
def test_the_feature_set_and_the_gates_of_each_version_are_read(obj, expected):
    assert {item.name: item.value for item in feature_gate_properties(obj)} == expected


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (None, {}),
        ({}, {}),
        (infrastructure(platform="AWS"), {}),
        (infrastructure(platformStatus={"type": ""}), {}),
        (
            infrastructure(
                platformStatus={"type": "BareMetal"},
                controlPlaneTopology="SingleReplica",
                infrastructureTopology="HighlyAvailable",
            ),
            {
                "platform": "baremetal",
                "control_plane_topology": "SingleReplica",
                "infrastructure_topology": "HighlyAvailable",
            },
        ),
    ],
)
def test_platform_and_topology_are_read(obj, expected):
    assert {item.name: item.value for item in infrastructure_properties(obj)} == expected


@pytest.mark.parametrize(
    ("given", "reported", "same"),
    [
        (None, "TechPreviewNoUpgrade", True),
        ("", "", True),
        ("Default", "", True),
        ("TechPreviewNoUpgrade", "TechPreviewNoUpgrade", True),
        ("", "TechPreviewNoUpgrade", False),
        ("TechPreviewNoUpgrade", "", False),
    ],
)
def test_another_feature_set_than_that_of_the_cluster_is_a_warning(given, reported, same):
    problems = Problems()

    assert check_feature_set(given, reported, problems) is same
    assert [(item.severity, item.code) for item in problems] == ([] if same else [("warning", "different-feature-set")])
