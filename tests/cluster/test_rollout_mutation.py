# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A mutating webhook that rewrites what a rollout applies."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    HOME,
    Rollouts,
    config_map,
    crd,
    deployment,
    everything_but,
    ids,
    manifest,
    path_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.verifications import verified
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.server import Server
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

PATH = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


class _Webhook(BaseHTTPRequestHandler):
    """In a namespace, rewrites, removes and adds fields of ConfigMaps, and removes the labels of Deployments."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request"]
        patch: list[dict[str, Any]] = []
        if "key" in (request["object"].get("data") or {}) and request["namespace"] == HOME:
            patch.append({"op": "add", "path": "/binaryData", "value": {"seen": "dHJ1ZQ=="}})
            patch.append({"op": "replace", "path": "/data/key", "value": "rewritten"})
        if "gone" in (request["object"].get("data") or {}) and request["namespace"] == HOME:
            patch.append({"op": "remove", "path": "/data/gone"})
        if request["kind"]["kind"] == "Deployment" and request["namespace"] == HOME:
            patch.append({"op": "replace", "path": "/metadata/labels", "value": {}})
        response: dict[str, Any] = {"uid": request["uid"], "allowed": True, "patchType": "JSONPatch"}
        response["patch"] = b64encode(json.dumps(patch).encode()).decode()
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}
        body = json.dumps(review).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: Any) -> None:
        """Print nothing."""


def _stored(rollouts: Rollouts) -> str:
    """What becomes of the value in a ConfigMap, which is not written."""
    body = {"metadata": {"generateName": "probe-"}, "data": {"key": "value"}}
    return str(rollouts.api.post(f"/api/v1/namespaces/{HOME}/configmaps", body, dryRun="All")["data"]["key"])


@pytest.fixture
def webhook(rollouts: Rollouts) -> Iterator[str]:
    """The name of a webhook for all objects."""
    plane = rollouts.plane
    server = Server(_Webhook, plane.serving_context())
    authority = b64encode(plane.authority.certificate).decode()
    client = {"url": f"{server.url}/", "caBundle": authority}
    rules = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]
    hook = {"name": "fight.test.io", "rules": rules, "clientConfig": client}
    hook |= {"sideEffects": "None", "admissionReviewVersions": ["v1"]}
    rollouts.api.post(PATH, {"metadata": {"name": "fight"}, "webhooks": [hook]})
    wait_for(lambda: _stored(rollouts) == "rewritten", "the webhook")
    yield "fight.test.io"
    if rollouts.api.exists(f"{PATH}/fight"):
        rollouts.api.delete(f"{PATH}/fight")
    server.close()


@pytest.mark.usefixtures("webhook")
@pytest.mark.parametrize("check", [False, True])
def test_applied_field_that_is_rewritten_is_a_warning_whatever_rewrites_it(rollouts: Rollouts, check: bool) -> None:
    user = certificate_user(rollouts.plane, "blind", everything_but("admissionregistration.k8s.io", "all"))
    changed, removed = config_map("a"), config_map("d", data={"gone": "value", "kept": "value"})
    release = rollouts.release(
        [changed, config_map("b", data={"other": "value"}), manifest("Secret", "c", HOME), removed]
    )
    outcome = rollouts.done(release, check=check, kubeconfig=user.kubeconfig)
    assert len(outcome["created"]) == 4
    assert {(item["severity"], item["code"]) for item in outcome["problems"]} == {("warning", "rewritten-field")}
    fields = [item["message"].partition(" of the object")[0] for item in outcome["problems"]]
    assert sorted(fields) == [".data.gone", ".data.key"]
    if not check:
        assert ids(verified(rollouts, release), "different") == ["ConfigMap a", "ConfigMap d"]


def test_rewritten_object_is_applied_again_until_no_webhook_rewrites_it(rollouts: Rollouts, webhook: str) -> None:
    release = rollouts.release([config_map("a")])
    rollouts.done(release)
    again = rollouts.done(release)
    assert (again["changed"], [item["code"] for item in again["problems"]]) == (False, ["rewritten-field"])
    rollouts.api.delete(f"{PATH}/fight")
    wait_for(lambda: _stored(rollouts) == "value", f"{webhook} to be gone")
    assert ids(rollouts.done(release), "changed_resources") == ["ConfigMap a"]
    assert ids(verified(rollouts, release), "different") == []
    assert not rollouts.done(release)["changed"]


def test_webhook_that_changes_nothing_is_no_warning(rollouts: Rollouts, webhook: str) -> None:
    outcome = rollouts.done(EXAMPLE, capabilities={"baseline_capability_set": "vCurrent"}, feature_set="Default")
    assert len(outcome["created"]) > 40
    assert "rewritten-field" not in {item["code"] for item in outcome["problems"]}, webhook


def test_field_that_the_server_drops_without_an_error_is_not_rewritten(rollouts: Rollouts) -> None:
    release = rollouts.release(
        [crd("things", "Thing", {"type": "object"}), manifest("Thing", "a", HOME, api="test.io/v1", spec={"a": "b"})]
    )
    assert "rewritten-field" not in {item["code"] for item in rollouts.done(release)["problems"]}
    with rollouts.unwritten():
        rollouts.done(release)


@pytest.mark.usefixtures("webhook")
def test_an_object_without_the_label_of_the_rollout_can_be_ready(rollouts: Rollouts) -> None:
    body = deployment("a")
    rollouts.done([body])
    ready = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}
    conditions = [{"type": "Available", "status": "True"}]
    rollouts.api.patch(f"{path_of(body)}/status", {"status": {**ready, "conditions": conditions}})
    assert "labels" not in rollouts.get(body)["metadata"]
    rollouts.done([body], wait=True, wait_timeout=5)
