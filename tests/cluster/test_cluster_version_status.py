# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The status of a ClusterVersion, written to a real API server with the schema of a real release."""

from __future__ import annotations

import time
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.tests.cluster.helpers.statuses import (
    KNOWN,
    PATH,
    THEN,
    Report,
    condition_of,
    reporter,
    select,
    status_of,
    writes,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    capabilities_status,
    make_cluster_version,
)
from ansible_collections.capability.openshift.tests.control_plane.users import Rule, certificate_user
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

READ: tuple[Rule, ...] = (
    {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]},
    {"apiGroups": ["config.openshift.io"], "resources": ["clusterversions", "infrastructures"], "verbs": ["get"]},
    {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get"]},
)
WRITE: Rule = {"apiGroups": ["config.openshift.io"], "resources": ["clusterversions/status"], "verbs": ["patch"]}


@pytest.fixture
def report(cluster: ControlPlane, capsys: pytest.CaptureFixture[str]) -> Report:
    return reporter(cluster, capsys)


# Writes


def test_a_first_run_fills_an_empty_status(cluster: ControlPlane, report: Report) -> None:
    created = make_cluster_version(cluster.api, select("None", "Console"))
    assert "status" not in created

    outcome = report(diff=True)

    status = status_of(cluster)
    (condition,) = status["conditions"]
    assert status == {
        "availableUpdates": [],
        "capabilities": {"enabledCapabilities": ["Console", "Ingress"], "knownCapabilities": KNOWN},
        "conditions": [condition],
        "desired": {"version": "4.21.0", "image": ""},
        "observedGeneration": created["metadata"]["generation"],
        "versionHash": "",
    }
    assert condition["message"] == "The following capabilities could not be disabled: Ingress"
    assert outcome["changed"]
    assert outcome["status"] == status
    assert outcome["condition"] == condition
    assert outcome["problems"] == []
    assert outcome["diff"]["before"] == {}
    assert outcome["diff"]["after"] == status
    (entry,) = [item for item in cluster.api.get(PATH)["metadata"]["managedFields"] if item.get("subresource")]
    assert (entry["manager"], entry["subresource"]) == ("capability.openshift", "status")


def test_a_raw_patch_that_drops_console_does_not_disable_it(cluster: ControlPlane, report: Report) -> None:
    make_cluster_version(cluster.api, select("None", "Console", "Ingress", "Storage"))
    assert report()["condition"]["reason"] == "AsExpected"
    others = [{"type": "Available", "status": "True", "lastTransitionTime": THEN}]
    cluster.api.patch(f"{PATH}/status", {"status": {"conditions": [*others, *status_of(cluster)["conditions"]]}})
    cluster.api.patch(PATH, {"spec": select("None", "Ingress", "Storage")})

    outcome = report()

    status = status_of(cluster)
    assert status["capabilities"]["enabledCapabilities"] == ["Console", "Ingress", "Storage"]
    assert status["observedGeneration"] == cluster.api.get(PATH)["metadata"]["generation"] == 2
    assert status["conditions"][0] == others[0]
    condition = status["conditions"][1]
    assert {**condition, "lastTransitionTime": ""} == {
        "type": "ImplicitlyEnabledCapabilities",
        "status": "True",
        "reason": "CapabilitiesImplicitlyEnabled",
        "message": "The following capabilities could not be disabled: Console",
        "lastTransitionTime": "",
    }
    assert outcome["changed"]


def test_a_larger_spec_is_reported_and_the_condition_keeps_its_time(cluster: ControlPlane, report: Report) -> None:
    before = {"type": "ImplicitlyEnabledCapabilities", "status": "True", "reason": "x", "lastTransitionTime": THEN}
    status = {"desired": {"version": "4.21.0"}, **capabilities_status(["Console"], KNOWN), "conditions": [before]}
    make_cluster_version(cluster.api, select("None", "Build"), status)

    outcome = report()

    assert outcome["status"]["capabilities"]["enabledCapabilities"] == ["Build", "Console", "Ingress"]
    assert outcome["condition"] == {
        "type": "ImplicitlyEnabledCapabilities",
        "status": "True",
        "reason": "CapabilitiesImplicitlyEnabled",
        "message": "The following capabilities could not be disabled: Console, Ingress",
        "lastTransitionTime": THEN,
    }
    cluster.api.patch(PATH, {"spec": select("vCurrent")})
    assert report()["status"]["capabilities"]["enabledCapabilities"] == KNOWN
    condition = condition_of(cluster)
    assert condition is not None
    assert (condition["reason"], condition["message"]) == ("AsExpected", "Capabilities match configured spec")
    assert condition["lastTransitionTime"] > THEN


def test_a_second_run_writes_nothing(cluster: ControlPlane, report: Report) -> None:
    make_cluster_version(cluster.api, select("None", "Console"))
    mark = cluster.audit.mark()
    report()
    (write,) = writes(cluster, mark)
    assert (write.verb, write.uri.partition("?")[0], write.code) == ("patch", f"{PATH}/status", 200)
    before = cluster.api.get(PATH)
    mark = cluster.audit.mark()

    outcome = report(diff=True)

    assert writes(cluster, mark) == []
    assert not outcome["changed"]
    assert outcome["diff"]["before"] == outcome["diff"]["after"]
    assert outcome["status"] == before["status"]
    assert cluster.api.get(PATH) == before


def test_check_mode_predicts_and_writes_nothing(cluster: ControlPlane, report: Report) -> None:
    make_cluster_version(cluster.api, select("None", "Console"))
    before = cluster.api.get(PATH)
    mark = cluster.audit.mark()

    predicted = report(check=True, diff=True)

    assert ["dryRun=All" in request.uri for request in writes(cluster, mark)] == [True]
    assert cluster.api.get(PATH) == before
    real = report(diff=True)
    for outcome in (predicted, real):
        for item in (outcome["condition"], *outcome["status"]["conditions"]):
            item["lastTransitionTime"] = ""
        outcome.result["diff"]["after"] = {}
    assert predicted == real


def test_fields_of_other_writers_stay(cluster: ControlPlane, report: Report) -> None:
    image = "registry.example/release@sha256:0123"
    history = [{"state": "Completed", "startedTime": THEN, "completionTime": THEN, "image": image, "verified": False}]
    status = {
        "desired": {"version": "4.21.0", "image": image, "url": "https://errata.example"},
        "history": [{**history[0], "version": "4.21.0"}],
        "versionHash": "I3skQa0FyxU=",
    }
    before = make_cluster_version(cluster.api, select("None", "Console"), status)["status"]
    assert before["availableUpdates"] is None

    report()

    after = status_of(cluster)
    assert {field: after[field] for field in before} == before


def test_the_desired_release_is_that_of_the_option(cluster: ControlPlane, report: Report) -> None:
    status = {"desired": {"version": "4.20.3", "image": "old", "url": "https://errata.example"}}
    make_cluster_version(cluster.api, select("None"), status)

    outcome = report(release_image="registry.example/release@sha256:4567")

    desired = {"version": "4.21.0", "image": "registry.example/release@sha256:4567"}
    assert status_of(cluster)["desired"] == desired
    problem = outcome.problem("release")
    assert (problem["severity"], problem["code"]) == ("warning", "uncompared-update")
    assert not report()["changed"]


# Other writers


def between(cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch, times: int, change: Any) -> None:
    """Have another client write between the module's read and its write, ``times`` in a row."""
    merge = Client.merge
    turns = iter(range(times))

    def late(self: Client, *arguments: Any, **options: Any) -> dict[str, Any]:
        if (turn := next(turns, None)) is not None:
            change(turn)
        return merge(self, *arguments, **options)

    monkeypatch.setattr(Client, "merge", late)


def test_concurrent_writes_of_the_spec_are_reported(
    cluster: ControlPlane, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_cluster_version(cluster.api, select("None", "Console"))
    specs = [select("None", "Console", "Build"), select("None", "Storage")]
    between(cluster, monkeypatch, 2, lambda turn: cluster.api.patch(PATH, {"spec": specs[turn]}))
    mark = cluster.audit.mark()

    outcome = report()

    assert [request.code for request in writes(cluster, mark)] == [409, 409, 200]
    assert outcome["status"]["capabilities"]["enabledCapabilities"] == ["Ingress", "Storage"]
    assert status_of(cluster)["observedGeneration"] == 3


def test_a_client_that_keeps_writing_is_an_error(
    cluster: ControlPlane, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_cluster_version(cluster.api, select("None", "Console"))
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    between(cluster, monkeypatch, 99, lambda turn: cluster.api.patch(PATH, {"spec": {"channel": f"stable-{turn}"}}))

    assert report().faults == [("conflicting-write", "clusterversions.config.openshift.io/status version")]


def create_deployment(cluster: ControlPlane, available: str, replicas: int = 1) -> None:
    cluster.kubectl("create", "namespace", "openshift-cluster-version")
    container = {"name": "cluster-version-operator", "image": "any"}
    labels = {"k8s-app": "cluster-version-operator"}
    folder = "/apis/apps/v1/namespaces/openshift-cluster-version/deployments"
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
    }
    metadata = {"name": "cluster-version-operator"}
    cluster.api.post(folder, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})
    condition = {"type": "Available", "status": available, "lastTransitionTime": THEN, "lastUpdateTime": THEN}
    status = {"status": {"conditions": [{**condition, "reason": "x", "message": "x"}]}}
    cluster.api.patch(f"{folder}/cluster-version-operator/status", status)


def test_a_cluster_with_a_running_cvo_is_an_error(cluster: ControlPlane, report: Report) -> None:
    make_cluster_version(cluster.api, select("None", "Console"))
    create_deployment(cluster, "True")
    mark = cluster.audit.mark()

    for check in (True, False):
        (error,) = report(check=check).errors
        assert (error["code"], error["where"]) == ("running-cvo", "clusterversions.config.openshift.io version")
        assert "its Deployment openshift-cluster-version/cluster-version-operator is available" in error["message"]
        assert "allow_cvo_managed" in error["hint"]

    assert writes(cluster, mark) == []
    assert report(allow_cvo_managed=True)["changed"]


@pytest.mark.parametrize(("available", "replicas"), [("False", 1), ("True", 0)])
def test_a_stopped_cvo_is_no_error(cluster: ControlPlane, report: Report, available: str, replicas: int) -> None:
    make_cluster_version(cluster.api, select("None", "Console"))
    create_deployment(cluster, available, replicas)

    assert report()["changed"]


def test_a_status_that_a_cvo_wrote_recently_is_an_error(cluster: ControlPlane, report: Report) -> None:
    make_cluster_version(cluster.api, select("None", "Console"), {"desired": {"version": "4.21.0"}})
    written = {"status": {"versionHash": "I3skQa0FyxU="}}
    cluster.api.patch(f"{PATH}/status", written, fieldManager="cluster-version-operator")

    (error,) = report().errors

    assert error["code"] == "running-cvo"
    assert "cluster-version-operator wrote the status at 20" in error["message"]
    assert report(allow_cvo_managed=True)["changed"]
    assert not report(allow_cvo_managed=True)["changed"]


# Missing objects and permissions


def refusal(outcome: Outcome) -> dict[str, str]:
    """Return the one problem of a module that failed."""
    (problem,) = outcome["problems"]
    assert outcome.message == f"{problem['message']}. {problem['hint']}"
    return dict(problem)


def test_a_missing_permission_to_write_is_named(cluster: ControlPlane, report: Report) -> None:
    make_cluster_version(cluster.api, select("None", "Console"))
    user = certificate_user(cluster, "reader", READ)

    error = refusal(report(kubeconfig=user.kubeconfig))

    assert error["code"] == "forbidden-request"
    assert error["message"].startswith("cannot patch clusterversions.config.openshift.io/status version: 403 Forbidden")
    assert "allows patch on clusterversions.config.openshift.io/status" in error["hint"]
    assert report(check=True, kubeconfig=user.kubeconfig).failed


def test_a_missing_permission_to_check_for_a_cvo_is_named(cluster: ControlPlane, report: Report) -> None:
    make_cluster_version(cluster.api, select("None", "Console"))
    user = certificate_user(cluster, "writer", [*READ[1:], WRITE])

    error = refusal(report(kubeconfig=user.kubeconfig))

    deployment = "deployments.apps openshift-cluster-version/cluster-version-operator"
    assert error["message"].startswith(f"cannot get {deployment}: 403 Forbidden")
    assert "allows get on deployments.apps, or set allow_cvo_managed" in error["hint"]
    assert report(kubeconfig=user.kubeconfig, allow_cvo_managed=True)["changed"]


def test_the_documented_permissions_are_enough(cluster: ControlPlane, report: Report) -> None:
    make_cluster_version(cluster.api, select("None", "Console"))
    user = certificate_user(cluster, "both", [*READ, WRITE])

    assert report(check=True, kubeconfig=user.kubeconfig)["changed"]
    assert report(kubeconfig=user.kubeconfig)["changed"]


def test_a_cluster_without_clusterversion_is_an_error(cluster: ControlPlane, report: Report) -> None:
    assert report().faults == [("missing-object", "clusterversions.config.openshift.io")]
