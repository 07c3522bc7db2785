# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What update_plan reads from a cluster besides its ClusterVersion and its resources, and what it does with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.cluster.helpers.live_plans import namespace
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import deployment
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_VERSIONS,
    CRDS,
    EXAMPLE,
    capabilities_status,
    make_cluster_version,
)
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.run_module import Call, Outcome

PATH = [str(EXAMPLE), str(EXAMPLE.parent / "4.22.0")]
CONFIG = "/apis/config.openshift.io/v1"
TECH_PREVIEW = "TechPreviewNoUpgrade"
OVERRIDES = [{"kind": "Deployment", "group": "apps", "namespace": "a", "name": "b", "unmanaged": True}]


@pytest.fixture
def plain(cluster: ControlPlane) -> ControlPlane:
    """Return a cluster of 4.21.0 that has neither a FeatureGate, an Infrastructure nor a CVO."""
    status = {**capabilities_status(["Ingress"], ["Console", "Ingress"]), "desired": {"version": "4.21.0"}}
    make_cluster_version(cluster.api, {"capabilities": {"baselineCapabilitySet": "None"}}, status)
    return cluster


@pytest.fixture
def openshift(plain: ControlPlane) -> ControlPlane:
    """Return a cluster of 4.21.0 with the objects that describe it."""
    status = {
        "platformStatus": {"type": "VSphere"},
        "controlPlaneTopology": "HighlyAvailable",
        "infrastructureTopology": "SingleReplica",
        "infrastructureName": "paris-x7k2p",
    }
    configure(plain, "infrastructures", "Infrastructure", {"platformSpec": {"type": "VSphere"}})
    plain.api.patch(f"{CONFIG}/infrastructures/cluster/status", {"status": status})
    configure(plain, "featuregates", "FeatureGate", {"featureSet": TECH_PREVIEW})
    namespace(plain.api, "openshift-cluster-version")
    env = [{"name": "CLUSTER_PROFILE", "value": "self-managed-high-availability"}]
    cvo = deployment("cluster-version-operator", "openshift-cluster-version", container={"env": env})
    plain.api.apply("/apis/apps/v1/namespaces/openshift-cluster-version/deployments/cluster-version-operator", cvo)
    plain.api.patch(f"{CLUSTER_VERSIONS}/version", {"spec": {"overrides": OVERRIDES}})
    return plain


def configure(plane: ControlPlane, plural: str, kind: str, spec: dict[str, Any]) -> None:
    body = {"apiVersion": "config.openshift.io/v1", "kind": kind, "metadata": {"name": "cluster"}, "spec": spec}
    plane.api.apply(f"{CONFIG}/{plural}/cluster", body)


def test_the_cluster_is_read_and_reported(openshift: ControlPlane, call: Call) -> None:
    outcome = call(update_plan, releases=PATH, kubeconfig=openshift.kubeconfig)

    assert outcome.problem("cluster-read")["severity"] == "info"
    assert {item["reason"] for item in blockers(outcome)} == {"ClusterVersionOverridesSet", "FeatureSet"}
    given = {"feature_set": TECH_PREVIEW, "platform": "vsphere", "overrides": OVERRIDES}
    expected = call(update_plan, releases=PATH, cluster_version=version_of(openshift), **given)
    for key in ("added", "removed", "implicitly_enabled", "credentials_requests", "reasons"):
        assert outcome["hops"][0][key] == expected["hops"][0][key]


def test_a_report_names_the_cluster_that_was_read(openshift: ControlPlane, call: Call, tmp_path: Path) -> None:
    cluster_id = "11111111-2222-3333-4444-555555555555"
    openshift.api.patch(f"{CLUSTER_VERSIONS}/version", {"spec": {"clusterID": cluster_id}})
    call(update_plan, releases=PATH, kubeconfig=openshift.kubeconfig, report=tmp_path / "plan.html")

    assert f"<dt>Cluster</dt><dd>paris-x7k2p, ID {cluster_id}</dd>" in (tmp_path / "plan.html").read_text()


def blockers(outcome: Outcome) -> list[dict[str, Any]]:
    return [item for item in outcome["hops"][0]["reasons"] if item["verdict"] == "blocked"]


def version_of(plane: ControlPlane) -> dict[str, Any]:
    return dict(plane.api.get(f"{CLUSTER_VERSIONS}/version"))


def test_overrides_are_read_for_a_start_that_has_none(openshift: ControlPlane, call: Call) -> None:
    start = {"capabilities": {"baselineCapabilitySet": "None"}}
    outcome = call(update_plan, releases=PATH, kubeconfig=openshift.kubeconfig, **start)

    assert "ClusterVersionOverridesSet" in {item["reason"] for item in blockers(outcome)}


def test_an_external_control_plane_has_the_profile_of_hosted_clusters(openshift: ControlPlane, call: Call) -> None:
    openshift.api.delete("/apis/apps/v1/namespaces/openshift-cluster-version/deployments/cluster-version-operator")
    openshift.api.patch(f"{CONFIG}/infrastructures/cluster/status", {"status": {"controlPlaneTopology": "External"}})
    outcome = call(update_plan, releases=PATH, kubeconfig=openshift.kubeconfig)

    given = {"feature_set": TECH_PREVIEW, "cluster_profile": "ibm-cloud-managed"}
    expected = call(update_plan, releases=PATH, cluster_version=version_of(openshift), **given)
    assert outcome["hops"][0]["added"] == expected["hops"][0]["added"]


@pytest.mark.parametrize("served", [True, False])
def test_a_plain_cluster_without_these_objects_or_kinds_is_no_error(
    served: bool, plain: ControlPlane, call: Call
) -> None:
    if not served:
        for plural in ("featuregates", "infrastructures"):
            plain.api.delete(f"{CRDS}/{plural}.config.openshift.io")
            wait_for(lambda: not plain.api.exists(f"{CONFIG}/{plural}"), f"{plural} to be gone")  # noqa: B023
    outcome = call(update_plan, releases=PATH, kubeconfig=plain.kubeconfig)

    assert outcome.problem("cluster-read")["severity"] == "info"
    assert {item["severity"] for item in outcome["problems"]} <= {"info"}


def test_what_may_not_be_read_is_an_error_and_a_warning_if_no_plan_fails(openshift: ControlPlane, call: Call) -> None:
    rules = [
        {"apiGroups": ["config.openshift.io"], "resources": ["clusterversions"], "verbs": ["get"]},
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["list"]},
    ]
    user = certificate_user(openshift, "without-configuration", rules)
    given = {"releases": PATH, "kubeconfig": user.kubeconfig}
    outcome = call(update_plan, **given, fail_on="never")

    forbidden = [item for item in outcome["problems"] if item["code"] == "forbidden-request"]
    assert {(item["severity"], item["where"]) for item in forbidden} == {
        ("warning", "cluster_profile"),
        ("warning", "feature_set"),
        ("warning", "platform"),
    }
    assert all(item["where"] in item["hint"] for item in forbidden)
    for options in ({}, {"fail_on": "never", "forbidden_capabilities": ["all"]}):
        assert set(call(update_plan, **given, **options).faults) == {
            ("forbidden-request", "cluster_profile"),
            ("forbidden-request", "feature_set"),
        }
