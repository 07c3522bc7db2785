# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the module installs and removes the admission guard, on a real API server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard_policy import GUARD_NAME
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import FIELD_MANAGER
from ansible_collections.capability.openshift.plugins.modules import capability_guard
from ansible_collections.capability.openshift.tests.cluster.helpers.guard import (
    BINDING,
    POLICY,
    VERSION,
    Run,
    block,
    create,
    is_guarded,
    rejection,
    runner,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.users import Rule, certificate_user
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

POLICIES = "validatingadmissionpolicies"
WRITES = ("create", "update", "patch", "delete", "deletecollection")
GUARD_PERMISSIONS: tuple[Rule, ...] = (
    {
        "apiGroups": ["admissionregistration.k8s.io"],
        "resources": [POLICIES, "validatingadmissionpolicybindings"],
        "verbs": ["get", "create", "patch", "delete"],
    },
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], cluster: ControlPlane) -> Iterator[Run]:
    create(cluster.api, block("None", "Console", "Storage"))
    yield from runner(capsys, cluster)


def writes(cluster: ControlPlane, mark: int) -> list[tuple[str, str]]:
    """Return the writes of the module since a mark, dry runs included."""
    requests = cluster.audit.requests(mark, user_agent=FIELD_MANAGER)
    return [(request.verb, request.uri) for request in requests if request.verb in WRITES]


def test_it_is_enforced_when_the_task_ends(run: Run, cluster: ControlPlane) -> None:
    """Also after each change of it."""
    outcome = run()
    assert outcome.result["changed"]
    assert (outcome["state"], outcome["mode"]) == ("present", "enforce")
    assert outcome["allowed_capabilities"] is None
    assert outcome["verified"]
    assert rejection(cluster.api, block("None")).startswith("drops Console, Storage, which")
    for names in (["Build"], ["Build", "Insights"], []):
        outcome = run(allowed_capabilities=names)
        assert outcome["verified"]
        assert (rejection(cluster.api, block("None", "Console", "Insights", "Storage")) == "") is ("Insights" in names)
    outcome = run(state="absent")
    assert outcome["changed"]
    assert outcome["verified"]
    assert rejection(cluster.api, block("None")) == ""
    assert not cluster.api.exists(POLICY)
    assert not cluster.api.exists(BINDING)


def test_the_diff_is_what_the_guard_owns(run: Run, cluster: ControlPlane) -> None:
    (policy, binding) = run(check=True, diff=True)["diff"]
    assert (policy["before"], binding["before"]) == ({}, {})
    assert policy["after_header"] == f"{POLICIES}.admissionregistration.k8s.io {GUARD_NAME}"
    run()
    assert policy["after"]["spec"] == cluster.api.get(POLICY)["spec"]
    assert set(policy["after"]["metadata"]) == {"annotations", "labels"}
    (change,) = run(mode="audit", check=True, diff=True)["diff"]
    actions = [change[side]["spec"]["validationActions"] for side in ("before", "after")]
    assert actions == [["Deny"], ["Audit", "Warn"]]
    (first, second) = run(state="absent", check=True, diff=True)["diff"]
    assert (first["before"], first["after"]) == (binding["after"], {})
    assert (second["before"], second["after"]) == (policy["after"], {})


def test_audit_mode_lets_writes_pass_and_annotates_them(run: Run, cluster: ControlPlane) -> None:
    assert run()["verified"]
    outcome = run(mode="audit")
    # It waits until writes pass.
    assert outcome["verified"]
    assert rejection(cluster.api, block("None", "Console"), dry_run=False) == ""
    patch = json.dumps({"spec": {"capabilities": block("None")}})
    kubectl = [cluster.programs["kubectl"], "--kubeconfig", cluster.kubeconfig, "patch", "clusterversion", "version"]
    warnings = _warnings([*kubectl, "--type=merge", "-p", patch])
    assert f"Warning: Validation failed for ValidatingAdmissionPolicy '{GUARD_NAME}'" in warnings
    assert "drops Console, which the spec of the cluster requests" in warnings
    cluster.audit.mark()
    events = [json.loads(line) for line in (cluster.folder / "audit.log").read_text(encoding="utf-8").splitlines()]
    annotations = [
        event["annotations"].get("validation.policy.admission.k8s.io/validation_failure")
        for event in events
        if "annotations" in event
    ]
    (first, second) = [json.loads(annotation)[0] for annotation in annotations if annotation][-2:]
    assert first["message"].startswith("drops Storage, which")
    assert second["message"].startswith("drops Console, which")
    assert second["policy"] == GUARD_NAME
    # Enforced again
    assert run()["verified"]
    assert is_guarded(cluster.api)


def _warnings(command: list[Any]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr


def test_missing_permissions_are_named(run: Run, cluster: ControlPlane) -> None:
    stranger = certificate_user(cluster, "stranger")
    outcome = run(kubeconfig=stranger.kubeconfig)
    assert f"cannot get {POLICIES}.admissionregistration.k8s.io {GUARD_NAME}: 403 Forbidden" in outcome.message
    assert f"allows get on {POLICIES}.admissionregistration.k8s.io" in outcome.message
    reader = certificate_user(cluster, "reader", [{**GUARD_PERMISSIONS[0], "verbs": ["get"]}])
    for check in (True, False):
        outcome = run(kubeconfig=reader.kubeconfig, check=check)
        assert f"allows patch on {POLICIES}.admissionregistration.k8s.io" in outcome.message
    run()
    outcome = run(kubeconfig=reader.kubeconfig, state="absent")
    assert "cannot delete validatingadmissionpolicybindings.admissionregistration.k8s.io" in outcome.message
    # Nothing has to be written
    assert not run(kubeconfig=reader.kubeconfig)["changed"]
    assert is_guarded(cluster.api)


def test_a_user_without_permission_to_verify_gets_a_warning(run: Run, cluster: ControlPlane) -> None:
    installer = certificate_user(cluster, "installer", GUARD_PERMISSIONS)
    outcome = run(kubeconfig=installer.kubeconfig)
    assert outcome["changed"]
    assert not outcome["verified"]
    problem = outcome.problem("unverified-guard")
    assert problem["severity"] == "warning"
    assert "403 Forbidden" in problem["message"]
    wait_for(lambda: is_guarded(cluster.api), "the enforcement of the guard")


def test_a_hosted_cluster_is_not_guarded(run: Run, cluster: ControlPlane) -> None:
    """HyperShift writes a ClusterVersion without baremetal from 4.20 on, together with the update."""
    path = "/apis/config.openshift.io/v1/infrastructures/cluster"
    hosted = {"apiVersion": "config.openshift.io/v1", "kind": "Infrastructure", "metadata": {"name": "cluster"}}
    cluster.api.apply(path, {**hosted, "spec": {}})
    cluster.api.patch(f"{path}/status", {"status": {"controlPlaneTopology": "External"}})
    mark = cluster.audit.mark()
    assert run().faults == [("hosted-control-plane", "infrastructures.config.openshift.io cluster")]
    assert writes(cluster, mark) == []
    assert not run(state="absent")["changed"]


def test_without_a_cluster_version_it_cannot_be_verified(run: Run, cluster: ControlPlane) -> None:
    cluster.api.delete(VERSION)
    outcome = run()
    assert outcome["changed"]
    assert "ClusterVersion named version" in outcome.problem("unverified-guard")["message"]


def test_waiting_ends(run: Run, cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capability_guard, "enforced_fingerprint", lambda objects: "never rejected")
    outcome = run(wait_timeout=1)
    assert outcome.faults == [("unenforced-guard", GUARD_NAME)]
    assert outcome["changed"]
    assert not outcome["verified"]
    # A guard that is up to date can be without effect, too.
    for check in (False, True):
        outcome = run(wait_timeout=1, check=check)
        assert outcome.faults == [("unenforced-guard", GUARD_NAME)]
        assert not outcome["changed"]


def test_changes_of_other_managers_are_not_overwritten(run: Run, cluster: ControlPlane) -> None:
    run()
    # A field with one value: the API server reports the conflict.
    cluster.api.patch(POLICY, {"spec": {"failurePolicy": "Ignore"}}, fieldManager="another-manager")
    outcome = run()
    assert [code for code, _where in outcome.faults] == ["conflicting-managers"]
    assert 'conflict with "another-manager"' in outcome.message
    assert "state=absent" in outcome.message
    assert run(state="absent")["changed"]
    assert run()["verified"]
    assert cluster.api.get(POLICY)["spec"]["failurePolicy"] == "Fail"
    # A list whose entries have owners: no conflict, but the new entry disables the guard.
    conditions = cluster.api.get(POLICY)["spec"]["matchConditions"]
    never = {"spec": {"matchConditions": [*conditions, {"name": "never", "expression": "false"}]}}
    cluster.api.patch(POLICY, never, fieldManager="another-manager")
    for check in (True, False):
        outcome = run(check=check)
        where = f"{POLICIES}.admissionregistration.k8s.io {GUARD_NAME}"
        assert outcome.faults == [("conflicting-managers", where)]
        assert "has changes of another-manager in its spec" in outcome.message
    run(state="absent")
    assert run()["verified"]
    assert cluster.api.get(POLICY)["spec"]["matchConditions"] == conditions
    assert not run()["changed"]
    # The same for the binding
    cluster.api.patch(BINDING, {"spec": {"validationActions": ["Audit"]}}, fieldManager="another-manager")
    assert [code for code, _where in run().faults] == ["conflicting-managers"]
    run(state="absent")
    assert run()["verified"]
    assert cluster.api.get(BINDING)["spec"]["validationActions"] == ["Deny"]


def test_labels_of_other_managers_stay(run: Run, cluster: ControlPlane) -> None:
    run()
    cluster.api.patch(POLICY, {"metadata": {"labels": {"team": "platform"}}}, fieldManager="another-manager")
    assert not run()["changed"]
    run(allowed_capabilities=[])
    assert cluster.api.get(POLICY)["metadata"]["labels"]["team"] == "platform"


def test_the_type_checker_of_the_cluster_reports_nothing(
    full_cluster: ControlPlane, capsys: pytest.CaptureFixture[str]
) -> None:
    create(full_cluster.api, block("None"))
    for run in runner(capsys, full_cluster):
        run(allowed_capabilities=["Build"])
        wait_for(lambda: "typeChecking" in full_cluster.api.get(POLICY).get("status", {}), "types to be checked")
        assert full_cluster.api.get(POLICY)["status"]["typeChecking"] == {}
