# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Annotations of manifests: create-only, delete, proxy, CA. And owners of applied objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    CREATE_ONLY,
    DELETE,
    HOME,
    Body,
    Rollouts,
    config_map,
    deployment,
    ids,
    manifest,
    namespace,
    path_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT, selection
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.faults import Fault, FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE

PROXY_CRD = "0000_03_config-operator_01_proxies.crd.yaml"
PROXIES = "/apis/config.openshift.io/v1/proxies"
CA_BUNDLE = {"service.beta.openshift.io/inject-cabundle": "true"}
INJECT_PROXY = "config.openshift.io/inject-proxy"
INGRESS_ONLY = selection("Ingress")
ONCE = config_map("once", annotations={CREATE_ONLY: "True"})


# Create only


def test_create_only_is_created_and_never_touched_again(rollouts: Rollouts) -> None:
    rollouts.done([ONCE])
    rollouts.api.patch(path_of(ONCE), {"data": {"key": "of the user"}})
    before = rollouts.get(ONCE)
    with rollouts.unwritten():
        rollouts.done([ONCE])
    assert rollouts.get(ONCE) == before


def test_existing_create_only_object_is_unchanged(rollouts: Rollouts) -> None:
    rollouts.api.post(path_of(ONCE).rpartition("/")[0], {**ONCE, "data": {"key": "of the user"}})
    before = rollouts.get(ONCE)
    outcome = rollouts.done([ONCE])
    assert rollouts.get(ONCE) == before
    assert outcome["created"] == []


def test_create_only_that_was_deleted_is_created_again(rollouts: Rollouts) -> None:
    rollouts.done([ONCE])
    rollouts.api.delete(path_of(ONCE))
    assert ids(rollouts.done([ONCE]), "created") == ["ConfigMap once"]


# Delete

VICTIM = config_map("victim")
TOMBSTONE = manifest("ConfigMap", "victim", HOME, annotations={DELETE: "true"})


@pytest.mark.parametrize("mode", ["install", "reconcile"])
def test_nothing_is_deleted_but_in_an_update(rollouts: Rollouts, mode: str) -> None:
    rollouts.done([VICTIM])
    outcome = rollouts.done([TOMBSTONE], mode=mode)
    assert rollouts.has(VICTIM)
    assert outcome["deleted"] == []


def test_update_deletes(rollouts: Rollouts) -> None:
    rollouts.done([VICTIM])
    outcome = rollouts.done([TOMBSTONE], mode="update")
    assert ids(outcome, "deleted") == ["ConfigMap victim"]
    assert not rollouts.has(VICTIM)
    again = rollouts.done([TOMBSTONE], mode="update")
    assert (again["changed"], again["deleted"], again["leftovers"]) == (False, [], [])


# Owners


def owned(rollouts: Rollouts, *bodies: Body) -> str:
    """Roll out bodies with a ClusterVersion, and return its uid."""
    rollouts.done(rollouts.release(bodies, cluster_version=True), capabilities=INGRESS_ONLY)
    return str(rollouts.api.get(OBJECT)["metadata"]["uid"])


def owner(uid: str, **more: Any) -> dict[str, Any]:
    api = "config.openshift.io/v1"
    return {"apiVersion": api, "kind": "ClusterVersion", "name": "version", "uid": uid, **more}


def test_cluster_version_owns_applied_objects(rollouts: Rollouts) -> None:
    uid = owned(rollouts, config_map("a"))
    assert rollouts.get(config_map("a"))["metadata"]["ownerReferences"] == [owner(uid, controller=True)]


@pytest.mark.parametrize("diff", [False, True])
@pytest.mark.parametrize("body", [namespace("theirs"), config_map("theirs")], ids=["namespace", "config-map"])
def test_object_that_existed_before_gets_no_owner_and_stays_without(rollouts: Rollouts, body: Body, diff: bool) -> None:
    rollouts.api.post(path_of(body).rpartition("/")[0], {"metadata": {"name": "theirs"}})
    owned(rollouts, config_map("a"), body)
    assert "ownerReferences" not in rollouts.get(body)["metadata"]
    changed = {**body, "metadata": {**body["metadata"], "labels": {"l": "m"}}}
    release = rollouts.release([config_map("a"), changed], cluster_version=True)
    assert ids(rollouts.done(release, diff=diff), "changed_resources") == [f"{body['kind']} theirs"]
    assert "ownerReferences" not in rollouts.get(body)["metadata"]
    with rollouts.unwritten():
        rollouts.done(release, diff=diff)


class ReplacingProxy(FaultProxy):
    """A proxy that lets another client delete an object right before it is applied, and create it ``again``."""

    def __init__(self, plane: ControlPlane, body: Body, *, again: bool) -> None:
        super().__init__(plane)
        self._path, self._again, self._is_done = path_of(body), again, False

    def next_fault(self, method: str, path: str) -> Fault | None:
        """The fault of a request."""
        if method == "PATCH" and path.startswith(self._path) and not self._is_done:
            self._is_done = True
            self.plane.api.delete(self._path)
            if self._again:
                folder, _slash, name = self._path.rpartition("/")
                self.plane.api.post(folder, {"metadata": {"name": name}})
        return super().next_fault(method, path)


@pytest.mark.parametrize("diff", [False, True])
@pytest.mark.parametrize("again", [False, True], ids=["deleted", "replaced"])
def test_object_that_another_client_creates_again_during_the_run_gets_no_owner(
    rollouts: Rollouts, again: bool, diff: bool
) -> None:
    body = config_map("a")
    uid = owned(rollouts, body)
    release = rollouts.release([{**body, "data": {"key": "new"}}], cluster_version=True)
    with ReplacingProxy(rollouts.plane, body, again=again) as proxy:
        outcome = rollouts.done(release, diff=diff, kubeconfig=proxy.kubeconfig)
    assert ids(outcome, "changed_resources" if again else "created") == ["ConfigMap a"]
    metadata = rollouts.get(body)["metadata"]
    assert metadata.get("ownerReferences", []) == ([] if again else [owner(uid, controller=True)])
    with rollouts.unwritten():
        rollouts.done(release)


def test_conflicts_with_an_object_that_does_not_exist_are_retried(rollouts: Rollouts) -> None:
    with FaultProxy(rollouts.plane) as proxy:
        proxy.fail("answer", 3, status=409, method="PATCH", path="/configmaps/a")
        outcome = rollouts.done([config_map("a")], kubeconfig=proxy.kubeconfig)
    assert ids(outcome, "created") == ["ConfigMap a"]


@pytest.mark.parametrize("extra", [{}, {CREATE_ONLY: "true"}], ids=["applied", "create-only"])
def test_object_whose_creation_was_not_answered_gets_the_owner(rollouts: Rollouts, extra: dict[str, str]) -> None:
    body = config_map("a", annotations=extra)
    with FaultProxy(rollouts.plane) as proxy:
        proxy.fail("lose", method="PATCH", path="/configmaps/a")
        outcome = rollouts.done(
            rollouts.release([body], cluster_version=True), capabilities=INGRESS_ONLY, kubeconfig=proxy.kubeconfig
        )
    assert "ConfigMap a" in ids(outcome, "created")
    uid = str(rollouts.api.get(OBJECT)["metadata"]["uid"])
    assert rollouts.get(body)["metadata"]["ownerReferences"][0]["uid"] == uid


def test_owner_of_another_manager_stays(rollouts: Rollouts) -> None:
    uid = owned(rollouts, config_map("a"))
    other = {"apiVersion": "v1", "kind": "ConfigMap", "name": "b", "uid": "6ba7b810-9dad-41d1-80b4-00c04fd430c8"}
    path = path_of(config_map("a"))
    rollouts.api.patch(path, {"metadata": {"ownerReferences": [owner(uid, controller=True), other]}})
    rollouts.done(rollouts.folder / "release")
    assert other in rollouts.get(config_map("a"))["metadata"]["ownerReferences"]


# Injected values


def with_proxy(rollouts: Rollouts, *bodies: Body) -> Path:
    folder = rollouts.release(bodies)
    source = EXAMPLE / "release-manifests" / PROXY_CRD
    (folder / PROXY_CRD).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def set_proxy(rollouts: Rollouts, **status: str) -> None:
    body = {"apiVersion": "config.openshift.io/v1", "kind": "Proxy", "metadata": {"name": "cluster"}, "spec": {}}
    rollouts.api.apply(f"{PROXIES}/cluster", body)
    rollouts.api.patch(f"{PROXIES}/cluster/status", {"status": status})


def variables(rollouts: Rollouts, body: Body) -> dict[str, str]:
    (container,) = rollouts.get(body)["spec"]["template"]["spec"]["containers"]
    return {item["name"]: item.get("value", "") for item in container.get("env") or ()}


def test_proxy_of_the_cluster_is_injected(rollouts: Rollouts) -> None:
    env = [{"name": "A", "value": "a"}, {"name": "HTTP_PROXY", "value": "of the manifest"}]
    body = deployment("a", annotations={INJECT_PROXY: "main"}, container={"env": env})
    release = with_proxy(rollouts, body)
    rollouts.done(release)
    assert variables(rollouts, body) == {"A": "a", "HTTP_PROXY": "of the manifest"}
    set_proxy(rollouts, httpProxy="http://p:1", noProxy=".local")
    outcome = rollouts.done(release)
    assert ids(outcome, "changed_resources") == ["Deployment a"]
    assert variables(rollouts, body) == {"A": "a", "HTTP_PROXY": "http://p:1", "HTTPS_PROXY": "", "NO_PROXY": ".local"}


def test_removed_proxy_is_removed_from_the_containers(rollouts: Rollouts) -> None:
    body = deployment("a", annotations={INJECT_PROXY: "main"})
    release = with_proxy(rollouts, body)
    rollouts.done(release)
    set_proxy(rollouts, httpProxy="http://p:1", noProxy=".local")
    rollouts.done(release)
    set_proxy(rollouts, httpProxy="", noProxy="")
    rollouts.done(release)
    assert variables(rollouts, body) == {}


def webhook() -> Body:
    """A webhook of a service whose CA an operator injects."""
    hook = {
        "name": "a.test.io",
        "clientConfig": {"service": {"namespace": HOME, "name": "a"}, "caBundle": "Cg=="},
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Ignore",
        "rules": [{"apiGroups": ["unserved.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["x"]}],
    }
    api = "admissionregistration.k8s.io/v1"
    return manifest("ValidatingWebhookConfiguration", "a", api=api, annotations=CA_BUNDLE, webhooks=[hook])


def test_injected_ca_stays(rollouts: Rollouts) -> None:
    rollouts.done([webhook()])
    found = rollouts.get(webhook())
    found["webhooks"][0]["clientConfig"]["caBundle"] = "aW5qZWN0ZWQ="
    rollouts.api.put(path_of(webhook()), found)
    found["webhooks"][0]["failurePolicy"] = "Fail"
    found.pop("metadata")
    rollouts.api.patch(
        path_of(webhook()), {"metadata": {"annotations": {"capability.openshift.io/last-applied-hash": "old"}}}
    )
    rollouts.apply([webhook()], force_conflicts=True)
    (hook,) = rollouts.get(webhook())["webhooks"]
    assert hook["clientConfig"]["caBundle"] == "aW5qZWN0ZWQ="
    assert hook["failurePolicy"] == "Ignore"


# Missing and superfluous namespaces
