# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the module installs and removes the admission guard, on a real API server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard import Probe
from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard_policy import GUARD_NAME
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import FIELD_MANAGER
from ansible_collections.capability.openshift.plugins.modules import capability_guard
from ansible_collections.capability.openshift.tests.cluster.helpers.guard import (
    BINDING,
    POLICY,
    VERSION,
    Run,
    asked,
    block,
    is_guarded,
    make,
    runner,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.users import Rule, certificate_user
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

POLICIES = "validatingadmissionpolicies"
WRITES = ("create", "update", "patch", "delete", "deletecollection")
GUARD_RIGHTS: tuple[Rule, ...] = (
    {
        "apiGroups": ["admissionregistration.k8s.io"],
        "resources": [POLICIES, "validatingadmissionpolicybindings"],
        "verbs": ["get", "create", "patch", "delete"],
    },
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], cluster: ControlPlane) -> Iterator[Run]:
    make(cluster.api, block("None", "Console", "Storage"))
    yield from runner(capsys, cluster)


def writes(cluster: ControlPlane, mark: int) -> list[tuple[str, str]]:
    """Return the writes of the module since a mark, dry runs included."""
    found = cluster.audit.requests(mark, user_agent=FIELD_MANAGER)
    return [(request.verb, request.uri) for request in found if request.verb in WRITES]


def test_it_is_enforced_when_the_task_ends(run: Run, cluster: ControlPlane) -> None:
    """Each change of it, too."""
    outcome = run()
    assert outcome.result["changed"]
    assert (outcome["name"], outcome["state"], outcome["mode"]) == (GUARD_NAME, "present", "enforce")
    assert outcome["allowed_capabilities"] is None
    assert outcome["verified"]
    assert asked(cluster.api, block("None")).startswith("drops Console, Storage, which")
    for names in (["Build"], ["Build", "Insights"], []):
        outcome = run(allowed_capabilities=names)
        assert outcome["verified"]
        assert (asked(cluster.api, block("None", "Console", "Insights", "Storage")) == "") is ("Insights" in names)
    outcome = run(state="absent")
    assert outcome["changed"]
    assert outcome["verified"]
    assert asked(cluster.api, block("None")) == ""
    assert not cluster.api.exists(POLICY)
    assert not cluster.api.exists(BINDING)


def test_what_is_as_it_should_be_is_only_read(run: Run, cluster: ControlPlane) -> None:
    for options in ({"allowed_capabilities": ["Build", "Storage"]}, {"mode": "audit"}, {"state": "absent"}):
        assert run(**options)["changed"]
        before = [cluster.api.get(path) for path in (POLICY, BINDING) if cluster.api.exists(path)]
        mark = cluster.audit.mark()
        again = run(**options, diff=True)
        assert not again["changed"]
        assert again["diff"] == []
        assert writes(cluster, mark) == []
        assert [cluster.api.get(path) for path in (POLICY, BINDING) if cluster.api.exists(path)] == before
    # The order of the list says nothing.
    run(allowed_capabilities=["Storage", "Build"])
    assert not run(allowed_capabilities=["Build", "Storage", "Build"])["changed"]


def test_check_mode_predicts_and_changes_nothing(run: Run, cluster: ControlPlane) -> None:
    mark = cluster.audit.mark()
    for steps in ({}, {"mode": "audit"}, {"allowed_capabilities": ["Build"]}, {"state": "absent"}):
        predicted = run(**steps, check=True, diff=True)
        assert all("dryRun=All" in uri for verb, uri in writes(cluster, mark))
        outcome = run(**steps, diff=True)
        assert predicted["changed"]
        assert predicted["diff"] == outcome["diff"] != []
        assert not predicted["verified"]
        mark = cluster.audit.mark()


def test_the_diff_is_what_the_guard_owns(run: Run, cluster: ControlPlane) -> None:
    (policy, binding) = run(check=True, diff=True)["diff"]
    assert (policy["before"], binding["before"]) == ("", "")
    assert policy["after_header"] == f"{POLICIES}.admissionregistration.k8s.io {GUARD_NAME}"
    run()
    assert yaml.safe_load(policy["after"])["spec"] == cluster.api.get(POLICY)["spec"]
    assert "managedFields" not in policy["after"]
    (change,) = run(mode="audit", check=True, diff=True)["diff"]
    assert "- Deny" in change["before"]
    assert "- Audit\n  - Warn" in change["after"]
    (first, second) = run(state="absent", check=True, diff=True)["diff"]
    assert (first["before"], first["after"]) == (binding["after"], "")
    assert (second["before"], second["after"]) == (policy["after"], "")


def test_audit_mode_lets_pass_and_leaves_a_mark(run: Run, cluster: ControlPlane) -> None:
    assert run()["verified"]
    outcome = run(mode="audit")
    # What is waited for here is that writes pass.
    assert outcome["verified"]
    assert asked(cluster.api, block("None", "Console"), dry_run=False) == ""
    patch = json.dumps({"spec": {"capabilities": block("None")}})
    kubectl = [cluster.programs["kubectl"], "--kubeconfig", cluster.kubeconfig, "patch", "clusterversion", "version"]
    said = _complaints([*kubectl, "--type=merge", "-p", patch])
    assert f"Warning: Validation failed for ValidatingAdmissionPolicy '{GUARD_NAME}'" in said
    assert "drops Console, which the spec of the cluster requests" in said
    cluster.audit.mark()
    events = [json.loads(line) for line in (cluster.folder / "audit.log").read_text(encoding="utf-8").splitlines()]
    marks = [
        event["annotations"].get("validation.policy.admission.k8s.io/validation_failure")
        for event in events
        if "annotations" in event
    ]
    (first, second) = [json.loads(mark)[0] for mark in marks if mark][-2:]
    assert first["message"].startswith("drops Storage, which")
    assert second["message"].startswith("drops Console, which")
    assert second["policy"] == GUARD_NAME
    # Back to refusing
    assert run()["verified"]
    assert is_guarded(cluster.api)


def _complaints(command: list[Any]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr


def test_wrong_names_are_told_before_anything_is_sent(run: Run, cluster: ControlPlane) -> None:
    mark = cluster.audit.mark()
    outcome = run(allowed_capabilities=["console", "Storage", "Insihgts"])
    assert [(item["where"], item["hint"]) for item in outcome.errors] == [
        ("allowed_capabilities[0]", "Write Console: names are case sensitive"),
        ("allowed_capabilities[2]", "Did you mean Insights?"),
    ]
    assert cluster.audit.requests(mark, user_agent=FIELD_MANAGER) == []


def test_a_user_without_rights_learns_which(run: Run, cluster: ControlPlane) -> None:
    nobody = certificate_user(cluster, "nobody")
    outcome = run(kubeconfig=nobody.kubeconfig)
    assert f"cannot get {POLICIES}.admissionregistration.k8s.io {GUARD_NAME}: 403 Forbidden" in outcome.message
    assert f"Give the user a role that allows get on {POLICIES}.admissionregistration.k8s.io" in outcome.message
    reader = certificate_user(cluster, "reader", [{**GUARD_RIGHTS[0], "verbs": ["get"]}])
    for check in (True, False):
        outcome = run(kubeconfig=reader.kubeconfig, check=check)
        assert f"allows patch on {POLICIES}.admissionregistration.k8s.io" in outcome.message
    run()
    outcome = run(kubeconfig=reader.kubeconfig, state="absent")
    assert "cannot delete validatingadmissionpolicybindings.admissionregistration.k8s.io" in outcome.message
    # Nothing has to be written
    assert not run(kubeconfig=reader.kubeconfig)["changed"]
    assert is_guarded(cluster.api)


def test_a_user_who_may_not_try_it_learns_that(run: Run, cluster: ControlPlane) -> None:
    installer = certificate_user(cluster, "installer", GUARD_RIGHTS)
    outcome = run(kubeconfig=installer.kubeconfig)
    assert outcome["changed"]
    assert not outcome["verified"]
    problem = outcome.problem("it cannot be told whether the guard is in force")
    assert problem["severity"] == "warning"
    assert "403 Forbidden" in problem["message"]
    wait_for(lambda: is_guarded(cluster.api), "the guard to be in force")
    # Who does not want to know is not told.
    outcome = run(kubeconfig=installer.kubeconfig, mode="audit", wait=False)
    assert outcome["changed"]
    assert outcome["problems"] == []


def test_without_a_cluster_version_it_cannot_be_tried(run: Run, cluster: ControlPlane) -> None:
    cluster.api.delete(VERSION)
    outcome = run()
    assert outcome["changed"]
    assert "the cluster has no ClusterVersion named version" in outcome.problem("cannot be told")["message"]


def test_waiting_ends(run: Run, cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capability_guard, "probe_of", lambda objects: Probe("nobody refuses this", True))
    outcome = run(wait_timeout=1)
    assert "the guard is installed, and after 1 s the API server does not enforce it" in outcome.message
    assert outcome["changed"]
    assert not outcome["verified"]


def test_what_others_wrote_is_not_overwritten(run: Run, cluster: ControlPlane) -> None:
    run()
    # A field that is one value: the API server itself says whose it is.
    cluster.api.patch(POLICY, {"spec": {"failurePolicy": "Ignore"}}, fieldManager="somebody")
    outcome = run()
    assert 'conflict with "somebody"' in outcome.message
    assert "force_conflicts=true" in outcome.message
    assert run(force_conflicts=True)["changed"]
    assert cluster.api.get(POLICY)["spec"]["failurePolicy"] == "Fail"
    # A list whose entries have owners: nothing of ours is against it, and it switches the guard off.
    conditions = cluster.api.get(POLICY)["spec"]["matchConditions"]
    never = {"spec": {"matchConditions": [*conditions, {"name": "never", "expression": "false"}]}}
    cluster.api.patch(POLICY, never, fieldManager="somebody")
    for check in (True, False):
        outcome = run(check=check)
        assert f"{GUARD_NAME}: has what somebody wrote in its spec" in outcome.message
    predicted = run(force_conflicts=True, check=True, diff=True)
    outcome = run(force_conflicts=True, diff=True)
    assert predicted["diff"] == outcome["diff"]
    assert outcome["verified"]
    assert cluster.api.get(POLICY)["spec"]["matchConditions"] == conditions
    assert not run()["changed"]
    # The same in the binding
    cluster.api.patch(BINDING, {"spec": {"validationActions": ["Audit"]}}, fieldManager="somebody")
    assert "has what somebody wrote" in run().message
    assert run(force_conflicts=True)["verified"]
    assert cluster.api.get(BINDING)["spec"]["validationActions"] == ["Deny"]


def test_labels_of_others_stay(run: Run, cluster: ControlPlane) -> None:
    run()
    cluster.api.patch(POLICY, {"metadata": {"labels": {"team": "platform"}}}, fieldManager="somebody")
    assert not run()["changed"]
    run(allowed_capabilities=[])
    assert cluster.api.get(POLICY)["metadata"]["labels"]["team"] == "platform"


def test_a_cluster_that_is_too_old_is_told_apart(run: Run, cluster: ControlPlane) -> None:
    """Where the API server has no such resource it answers as it does below a path that leads nowhere."""
    kubeconfig = cluster.folder / "nowhere.kubeconfig"
    text = cluster.kubeconfig.read_text(encoding="utf-8")
    kubeconfig.write_text(text.replace(cluster.url, f"{cluster.url}/nowhere"), encoding="utf-8")
    outcome = run(kubeconfig=kubeconfig)
    assert "does not serve ValidatingAdmissionPolicy of admissionregistration.k8s.io/v1" in outcome.message
    assert "OpenShift 4.17 (Kubernetes 1.30)" in outcome.message
    # There is nothing to remove
    assert not run(kubeconfig=kubeconfig, state="absent")["changed"]


def test_the_controller_that_checks_types_finds_nothing(
    full_cluster: ControlPlane, capsys: pytest.CaptureFixture[str]
) -> None:
    make(full_cluster.api, block("None"))
    for run in runner(capsys, full_cluster):
        run(allowed_capabilities=["Build"])
        wait_for(lambda: "typeChecking" in full_cluster.api.get(POLICY).get("status", {}), "types to be checked")
        assert full_cluster.api.get(POLICY)["status"]["typeChecking"] == {}
