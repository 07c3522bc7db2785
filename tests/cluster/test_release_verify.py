# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What ``release_verify`` reports for a cluster: nothing after a rollout, and then exactly what was changed."""

from __future__ import annotations

from ansible_collections.capability.openshift.plugins.module_utils._rollout.inventory import applyset_id
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    INVENTORY,
    PART_OF,
    Rollouts,
    config_map,
    ids,
    manifest,
    severities,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import AGENT, OBJECT
from ansible_collections.capability.openshift.tests.cluster.helpers.verifications import (
    IDLE,
    IMAGE,
    INGRESS,
    NONE,
    SCHEDULE,
    found,
    ran,
    readers,
    set_image,
    verified,
)
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    EXAMPLE,
    capabilities_status,
)
from ansible_collections.capability.openshift.tests.control_plane.users import Rule, certificate_user
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
CVO = "/apis/apps/v1/namespaces/openshift-cluster-version/deployments/cluster-version-operator"


# A rollout is as it should be


def test_nothing_but_what_controllers_do_is_found_after_a_rollout(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=NONE)

    outcome = verified(rollouts)

    assert found(outcome, idle=False) == {"unready": IDLE}
    assert outcome["verified"] == 48
    assert outcome["capability_status"]["enabled_capabilities"] == ["Ingress"]
    assert outcome["capability_status"]["implicitly_enabled_capabilities"] == ["Ingress"]


def test_a_cluster_with_no_capabilities_has_nothing_unexpected(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=NONE)

    assert found(verified(rollouts, capabilities=NONE)) == {}


def test_only_reads_reach_the_server(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=NONE)
    set_image(rollouts, INGRESS)
    rollouts.api.delete(SCHEDULE)
    mark = rollouts.plane.audit.mark()

    verified(rollouts)

    requests = rollouts.plane.audit.requests(mark, user_agent=AGENT)
    assert {item.verb for item in requests} == {"get", "list"}
    assert not [item for item in requests if "dryRun" in item.uri]
    lists = [item.uri.partition("?")[0] for item in requests if item.verb == "list"]
    assert len(lists) == len(set(lists))


# Changed objects


def test_a_deleted_object_is_missing(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=NONE)
    rollouts.api.delete(SCHEDULE)

    outcome = verified(rollouts)

    assert found(outcome) == {"missing": ["ConfigMap insights-upload-schedule"]}
    assert outcome["missing"] == [
        {
            "group": "",
            "kind": "ConfigMap",
            "namespace": "openshift-config",
            "name": "insights-upload-schedule",
            "file": "release-manifests/0000_50_insights-operator_04-upload-schedule-configmap.yaml",
            "capabilities": [],
            "reason": "does not exist",
        }
    ]


def test_a_resource_of_a_capability_that_is_off_is_unexpected(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=NONE)
    rollouts.api.post("/api/v1/namespaces", {"metadata": {"name": "openshift-insights"}})

    outcome = verified(rollouts)

    assert found(outcome) == {"unexpected": ["Namespace openshift-insights"]}
    (item,) = outcome["unexpected"]
    assert item["capabilities"] == ["Insights"]
    assert item["file"] == "release-manifests/0000_50_insights-operator_02-namespace.yaml"
    assert item["reasons"] == [{"rule": "disabled_capability", "message": "disabled capabilities: Insights"}]


def test_a_changed_image_is_different(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=NONE)
    before = rollouts.api.get(INGRESS)["spec"]["template"]["spec"]["containers"][0]
    set_image(rollouts, INGRESS)

    outcome = verified(rollouts)

    assert found(outcome) == {"different": ["Deployment ingress-operator"]}
    (item,) = outcome["different"]
    field = f'.spec.template.spec.containers[name="{before["name"]}"].image'
    assert item["fields"] == [{"field": field, "expected": before["image"], "actual": IMAGE}]
    assert item["more_fields"] == 0


def test_a_resource_of_another_profile_is_unexpected_only_with_the_label_of_a_rollout(rollouts: Rollouts) -> None:
    theirs = config_map("theirs", annotations={"include.release.openshift.io/ibm-cloud-managed": "true"})
    theirs["metadata"]["annotations"].pop("include.release.openshift.io/self-managed-high-availability")
    release = rollouts.release([theirs, config_map("ours")])
    path = "/api/v1/namespaces/rollouts/configmaps"
    rollouts.api.post(path, {"metadata": {"name": "theirs"}})
    missing = {"missing": ["ConfigMap ours"]}
    assert found(verified(rollouts, release)) == missing

    rollouts.api.patch(f"{path}/theirs", {"metadata": {"labels": {PART_OF: applyset_id()}}})
    outcome = verified(rollouts, release)
    assert found(outcome) == {**missing, "unexpected": ["ConfigMap theirs"]}
    # No CVO deletes it.
    assert outcome["differences"] == ["1 missing"]


# Clusters of all kinds


def test_a_cluster_that_a_cvo_manages_is_compared_by_its_status(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=NONE, release_image="registry.example/release@sha256:1")
    rollouts.api.delete(INVENTORY)
    status = rollouts.api.get(OBJECT)["status"]
    status["capabilities"]["enabledCapabilities"] = ["Console", "Ingress"]
    rollouts.api.patch(f"{OBJECT}/status", {"status": status})
    available = {"type": "Available", "status": "True", "reason": "x", "message": "", "lastUpdateTime": None}
    rollouts.api.patch(f"{CVO}/status", {"status": {"conditions": [available]}})

    outcome = verified(rollouts)

    assert set(found(outcome)) == {"missing"}
    assert {tuple(item["capabilities"]) for item in outcome["missing"]} == {("Console",)}
    assert severities(outcome) == []


def test_capabilities_are_required_if_the_cluster_reports_none(rollouts: Rollouts) -> None:
    outcome = ran(rollouts)

    assert outcome.faults == [("missing-capabilities", "clusterversions.config.openshift.io version")]


def test_capabilities_of_status_and_inventory_are_united(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=NONE)
    known = rollouts.api.get(OBJECT)["status"]["capabilities"]["knownCapabilities"]
    rollouts.api.patch(INVENTORY, {"data": {"enabled-capabilities": "Insights"}})
    rollouts.api.patch(f"{OBJECT}/status", {"status": capabilities_status(["Ingress"], known)})

    outcome = verified(rollouts)

    assert outcome["capability_status"]["enabled_capabilities"] == ["Ingress", "Insights"]
    assert {tuple(item["capabilities"]) for item in outcome["missing"]} == {("Insights",)}


def test_kinds_that_the_user_may_not_list_are_errors_and_the_rest_is_checked(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=NONE)
    rollouts.api.delete(SCHEDULE)
    user = certificate_user(rollouts.plane, "no-deployments", readers(rollouts))

    outcome = ran(rollouts, kubeconfig=user.kubeconfig)

    (error,) = outcome.errors
    assert "cannot list deployments.apps: 403 Forbidden" in error["message"]
    assert "allows list on deployments.apps" in error["hint"]
    assert outcome["missing"][0]["name"] == "insights-upload-schedule"
    assert found(outcome, idle=False)["unready"] == [name for name in IDLE if "Deployment" not in name]


def test_what_the_user_may_list_and_not_get_is_reported_once_for_each_kind(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=NONE)
    lists: Rule = {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["list"]}
    user = certificate_user(rollouts.plane, "no-get", [*readers(rollouts), lists])

    outcome = ran(rollouts, kubeconfig=user.kubeconfig)

    (error,) = outcome.errors
    assert "cannot get deployments.apps" in error["message"]
    assert "missing" not in found(outcome)


def test_a_group_whose_server_does_not_answer_is_reported_and_nothing_of_it_is_missing(rollouts: Rollouts) -> None:
    stream = manifest("ImageStream", "cli", "rollouts", api="image.openshift.io/v1", spec={})
    release = rollouts.release([stream, config_map("one")])
    unserved = verified(rollouts, release)
    assert unserved.problem("unserved-kind")["where"] == "ImageStream (image.openshift.io/v1)"
    assert ids(unserved, "missing") == ["ConfigMap one"]
    spec = {
        "group": "image.openshift.io",
        "version": "v1",
        "groupPriorityMinimum": 1000,
        "versionPriority": 15,
        "insecureSkipTLSVerify": True,
        "service": {"namespace": "rollouts", "name": "missing"},
    }
    rollouts.api.post(API_SERVICES, {"metadata": {"name": "v1.image.openshift.io"}, "spec": spec})
    try:
        wait_for(lambda: ran(rollouts, release).failed, "the group to be announced")
        outcome = ran(rollouts, release)
    finally:
        rollouts.api.delete(f"{API_SERVICES}/v1.image.openshift.io")

    assert [item["message"] for item in outcome.errors] == [
        "cannot list ImageStream of image.openshift.io: the server of this API group does not answer"
    ]
    assert ids(outcome, "missing") == ["ConfigMap one"]
    assert outcome["verified"] == unserved["verified"]
