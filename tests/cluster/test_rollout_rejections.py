# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rejected manifests: fields of new definitions, conflicting defaults, wrong types, secrets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    CREATE_ONLY,
    HOME,
    SENT_HASH,
    Body,
    Rollouts,
    config_map,
    crd,
    deployment,
    ids,
    manifest,
    path_of,
    severities,
)
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

TEXT = {"type": "string"}
SECRET = "c2VjcmV0LXZhbHVl"


def kind(*fields: str, plural: str = "things", name: str = "Thing") -> Body:
    return crd(plural, name, {"type": "object", "properties": dict.fromkeys(fields, TEXT)})


def thing(**spec: Any) -> Body:
    return manifest("Thing", "a", HOME, api="test.io/v1", spec=spec)


# Fields that a definition of the same rollout declares


@pytest.mark.parametrize("mode", ["reconcile", "update"])
@pytest.mark.parametrize("level", ["10", "20"])
def test_field_of_a_definition_that_comes_later_in_the_rollout_is_applied(
    rollouts: Rollouts, mode: str, level: str
) -> None:
    rollouts.done(rollouts.release({"0000_10_a_1.yaml": thing(a="1"), f"0000_{level}_z_1.yaml": kind("a")}))
    files: dict[str, Any] = {"0000_10_a_1.yaml": thing(a="1", b="2"), f"0000_{level}_z_1.yaml": kind("a", "b")}
    outcome = rollouts.done(rollouts.release(files), mode=mode)
    assert rollouts.get(thing())["spec"] == {"a": "1", "b": "2"}
    assert severities(outcome) == []
    with rollouts.unwritten():
        assert rollouts.done(rollouts.release(files))["changed"] is False


def test_check_does_not_warn_of_a_field_that_the_new_definition_declares(rollouts: Rollouts) -> None:
    rollouts.done([kind("a"), thing(a="1")])
    outcome = rollouts.done([kind("a", "b"), thing(a="1", b="2")], check=True)
    assert severities(outcome) == []
    assert ids(outcome, "changed_resources") == ["CustomResourceDefinition things.test.io", "Thing a"]


def test_components_that_wait_for_the_definitions_of_each_other_get_done(rollouts: Rollouts) -> None:
    other = manifest("Other", "a", HOME, api="test.io/v1", spec={"a": "1"})

    def files(*fields: str) -> dict[str, Any]:
        spec = dict.fromkeys(fields, "1")
        return {
            "0000_10_a_1.yaml": [thing(**spec), kind(*fields, plural="others", name="Other")],
            "0000_10_b_1.yaml": [{**other, "spec": spec}, kind(*fields)],
        }

    rollouts.done(rollouts.release(files("a")))
    rollouts.done(rollouts.release(files("a", "b")))
    assert rollouts.get(thing())["spec"] == rollouts.get(other)["spec"] == {"a": "1", "b": "1"}


def test_dropped_field_is_applied_once_the_definition_declares_it(rollouts: Rollouts) -> None:
    body = thing(a="1", b="2")
    assert severities(rollouts.done([kind("a"), body])) == ["warning"]
    with rollouts.unwritten():
        assert severities(rollouts.done([kind("a"), body])) == []
    assert rollouts.get(body)["metadata"]["annotations"][SENT_HASH].endswith("-normalized")
    assert severities(rollouts.done([kind("a", "b"), body])) == []
    assert rollouts.get(body)["spec"] == {"a": "1", "b": "2"}


# Conflicting defaults of the API server


@pytest.mark.parametrize("check", [False, True], ids=["real", "check"])
def test_strategy_recreate_removes_the_default_of_the_server(rollouts: Rollouts, check: bool) -> None:
    body = deployment("a")
    rollouts.done([body])
    body["spec"]["strategy"] = {"type": "Recreate"}
    outcome = rollouts.done([body], check=check, diff=True)
    assert ids(outcome, "changed_resources") == ["Deployment a"]
    assert '"type": "Recreate"' in outcome["diff"][0]["after"]
    assert "maxSurge" not in outcome["diff"][0]["after"]
    assert rollouts.get(body)["spec"]["strategy"]["type"] == ("RollingUpdate" if check else "Recreate")


def test_strategy_recreate_is_ours_without_the_default_and_changes_nothing_more(rollouts: Rollouts) -> None:
    body = deployment("a")
    rollouts.done([body])
    body["spec"]["strategy"] = {"type": "Recreate"}
    rollouts.done([body])
    entries = rollouts.get(body)["metadata"]["managedFields"]
    (ours,) = [entry["fieldsV1"] for entry in entries if entry["manager"] == "capability.openshift"]
    assert ours["f:spec"]["f:strategy"] == {"f:type": {}}
    with rollouts.unwritten():
        assert rollouts.done([body])["changed"] is False


def test_field_of_another_manager_is_not_removed(rollouts: Rollouts) -> None:
    body = deployment("a")
    rollouts.done([body])
    theirs = {"spec": {"strategy": {"rollingUpdate": {"maxSurge": 3}}}}
    rollouts.api.patch(path_of(body), theirs, fieldManager="editor")
    body["spec"]["strategy"] = {"type": "Recreate"}
    assert ids(rollouts.apply([body]), "failed_resources") == ["Deployment a"]
    assert rollouts.get(body)["spec"]["strategy"]["rollingUpdate"]["maxSurge"] == 3


# Wrong types


# Failures, and what is applied nevertheless


def broken() -> Body:
    return manifest("Service", "broken", HOME, spec={"ports": [{"port": 99999999}]})


# Create-only objects


def test_rollout_does_not_wait_for_an_existing_create_only_object(rollouts: Rollouts) -> None:
    body = deployment("a", annotations={CREATE_ONLY: "true"})
    rollouts.api.post(path_of(body).rpartition("/")[0], body)
    assert ids(rollouts.done([body], wait=True, wait_timeout=600), "unchanged") == ["Deployment a"]


# Secrets


@pytest.mark.parametrize("check", [False, True], ids=["real", "check"])
def test_diff_shows_no_annotation_with_a_copy_of_a_secret(rollouts: Rollouts, check: bool) -> None:
    given = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": HOME}}
    rollouts.plane.kubectl("apply", "-f", "-", given=json.dumps({**given, "stringData": {"key": "hunter2"}}))
    outcome = rollouts.done([manifest("Secret", "a", HOME, data={"more": SECRET})], check=check, diff=True)
    assert "last-applied-configuration" in outcome["diff"][0]["before"]
    assert "hunter2" not in json.dumps(outcome.result)
    assert "aHVudGVyMg" not in json.dumps(outcome.result)


def test_diff_hides_the_credentials_of_a_proxy(rollouts: Rollouts) -> None:
    address = "http://user:s3cr3t@proxy.example:3128"
    body = deployment("a", container={"env": [{"name": "HTTP_PROXY", "value": address}]})
    outcome = rollouts.done([body], diff=True)
    assert "s3cr3t" not in json.dumps(outcome.result)
    assert "http://(hidden)@proxy.example:3128" in outcome["diff"][0]["after"]


@pytest.mark.parametrize("reason", ["Forbidden", "Invalid"])
def test_denied_request_is_not_a_missing_permission(rollouts: Rollouts, reason: str) -> None:
    rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]
    denied = {"expression": "object.metadata.name != 'denied'", "message": "not this one", "reason": reason}
    policy = {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": rules}, "validations": [denied]}
    path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
    rollouts.api.post(f"{path}ies", {"metadata": {"name": "deny"}, "spec": policy})
    binding = {"policyName": "deny", "validationActions": ["Deny"]}
    rollouts.api.post(f"{path}ybindings", {"metadata": {"name": "deny"}, "spec": binding})
    bodies = [config_map("denied"), config_map("other")]
    wait_for(lambda: rollouts.apply(bodies, check=True).failed, "the policy to be enforced")
    outcome = rollouts.apply(bodies)
    assert outcome.faults == [("denied-request", "ConfigMap")]
    assert "not this one" in outcome.errors[0]["message"]
    assert "permission is missing" in outcome.errors[0]["hint"]
    assert [(item["name"], item["state"]) for item in outcome["failed_resources"]] == [("denied", "forbidden")]
    assert rollouts.has(config_map("other"))


def test_advice_for_an_exceeded_quota_is_about_the_quota(rollouts: Rollouts) -> None:
    path = f"/api/v1/namespaces/{HOME}/resourcequotas"
    quota = {"hard": {"count/services": "0"}}
    rollouts.api.post(path, {"metadata": {"name": "few"}, "spec": quota})
    rollouts.api.patch(f"{path}/few/status", {"status": {**quota, "used": {"count/services": "0"}}})
    body = manifest("Service", "a", HOME, spec={"ports": [{"port": 80}]})
    wait_for(lambda: rollouts.apply([body], check=True).failed, "the quota to be enforced")
    (problem,) = rollouts.apply([body]).errors
    rollouts.api.delete(f"{path}/few")
    assert "exceeded quota: few" in problem["message"]
    assert "ResourceQuota" in problem["hint"]


@pytest.mark.deep
def test_advice_for_an_entry_with_another_key_is_to_remove_it(rollouts: Rollouts) -> None:
    """The number of a port is its key, so the entry of the manifest is a second one with the same name."""
    service = manifest("Service", "a", HOME, spec={"ports": [{"name": "web", "port": 80}]})
    rollouts.done([service])
    rollouts.api.patch(path_of(service), {"spec": {"ports": [{"name": "web", "port": 81}]}})
    outcome = rollouts.predicted(rollouts.release([service]))
    assert "Remove the entry that has the same value" in outcome.message
    rollouts.api.patch(path_of(service), {"spec": {"ports": [{"name": "other", "port": 81}]}})
    rollouts.done([service])
    assert {(item["name"], item["port"]) for item in rollouts.get(service)["spec"]["ports"]} >= {("web", 80)}


def test_advice_for_a_variable_that_a_manifest_repeats_is_to_remove_it(rollouts: Rollouts) -> None:
    """The API server accepts it, but not with server-side apply."""
    body = deployment("a", container={"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]})
    outcome = rollouts.predicted(rollouts.release([body]))
    assert "Remove the entry that has the same value" in outcome.message


def test_advice_for_a_webhook_that_does_not_answer_is_about_the_webhook(rollouts: Rollouts) -> None:
    rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["services"]}]
    client = {"service": {"name": "none", "namespace": HOME}}
    webhook: Body = {"name": "a.test.io", "rules": rules, "clientConfig": client, "failurePolicy": "Fail"}
    webhook |= {"sideEffects": "None", "admissionReviewVersions": ["v1"], "timeoutSeconds": 1}
    path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    rollouts.api.post(path, {"metadata": {"name": "none"}, "webhooks": [webhook]})
    body = manifest("Service", "a", HOME, spec={"ports": [{"port": 80}]})
    wait_for(lambda: rollouts.apply([body], check=True).failed, "the webhook to be called")
    (problem,) = rollouts.apply([body]).errors
    rollouts.api.delete(f"{path}/none")
    assert "failed calling webhook" in problem["message"]
    assert "service of the webhook" in problem["hint"]


def test_an_object_that_no_longer_fits_its_definition_fails_without_waiting(rollouts: Rollouts) -> None:
    rollouts.done([kind("mode"), thing(mode="a")])
    number = crd("things", "Thing", {"type": "object", "properties": {"mode": {"type": "integer"}}})
    outcome = rollouts.apply([number, thing(mode=1)], wait=True, wait_timeout=300)
    (problem,) = outcome.errors
    assert (problem["code"], problem["where"]) == ("immutable-field", "0000_10_a_01.yaml, document 1")
    assert "Delete the object" in problem["hint"]
