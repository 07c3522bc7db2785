# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Leftovers: reported, pruned on request, and never those of other clients. And the inventory."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._resources import Target
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    HOME,
    INVENTORY,
    PART_OF,
    Rollouts,
    config_map,
    crd,
    deployment,
    finalize,
    ids,
    later,
    manifest,
    namespace,
    path_of,
)
from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError

KEPT, OLD = config_map("kept"), config_map("old")
THING = manifest("Thing", "a", HOME, api="test.io/v1", spec={})
APPLYSET = "applyset.kubernetes.io"


# Leftovers


def test_leftovers_are_reported_until_they_are_gone(rollouts: Rollouts) -> None:
    rollouts.done([KEPT, OLD])
    rollouts.done([KEPT])
    assert ids(rollouts.done([KEPT]), "leftovers") == ["ConfigMap old"]
    rollouts.api.delete(path_of(OLD))
    assert rollouts.done([KEPT])["leftovers"] == []


def test_leftover_that_another_client_replaced_is_reported_and_stays(rollouts: Rollouts) -> None:
    rollouts.done([KEPT, OLD])
    body = {field: value for field, value in OLD.items() if field != "metadata"}
    rollouts.api.put(path_of(OLD), {**body, "metadata": {"name": "old", "namespace": OLD["metadata"]["namespace"]}})
    for _run in range(2):
        outcome = rollouts.predicted(rollouts.release([KEPT]), prune=True)
        assert [(item["name"], item["pruned"]) for item in outcome["leftovers"]] == [("old", False)]
        assert [item["code"] for item in outcome["problems"]] == ["kept-leftover"]
    rollouts.api.delete(path_of(OLD))
    assert rollouts.done([KEPT])["leftovers"] == []
    assert '"old"' not in str(rollouts.api.get(INVENTORY)["data"])


def test_leftovers_are_pruned_on_request(rollouts: Rollouts) -> None:
    rollouts.done([KEPT, OLD])
    outcome = rollouts.predicted(rollouts.release([KEPT]), prune=True, diff=True)
    assert [(item["name"], item["pruned"]) for item in outcome["leftovers"]] == [("old", True)]
    assert outcome["changed"] is True
    (deleted,) = outcome["diff"]
    assert (json.loads(deleted["before"])["metadata"]["name"], deleted["after"]) == ("old", "")
    assert not rollouts.has(OLD)
    again = rollouts.done([KEPT], prune=True)
    assert (again["changed"], again["leftovers"]) == (False, [])


def test_leftovers_of_two_releases_ago_are_pruned_too(rollouts: Rollouts) -> None:
    rollouts.done([KEPT, OLD])
    rollouts.done([KEPT], openshift_version="4.21.1")
    rollouts.done([KEPT], openshift_version="4.21.2", prune=True)
    assert not rollouts.has(OLD)


MORE = [KEPT, *(config_map(f"more-{number}") for number in range(5))]
"""More objects, so the pruned ones are not most of the inventory."""


def test_definitions_and_namespaces_are_pruned_last(rollouts: Rollouts) -> None:
    bodies = [namespace("old"), crd("things", "Thing"), THING, config_map("a", "old"), OLD]
    rollouts.done([*MORE, *bodies])
    mark = rollouts.plane.audit.mark()
    outcome = rollouts.done(MORE, prune=True)
    deleted = [item for item in rollouts.writes(mark) if item.startswith("delete")]
    assert len(deleted) == len(outcome["leftovers"]) == 5
    assert {item.partition(" ")[2] for item in deleted[-2:]} == {path_of(namespace("old")), path_of(bodies[1])}


def test_manifest_that_is_merely_out_is_no_leftover(rollouts: Rollouts) -> None:
    hosted = config_map("old")
    rollouts.done([KEPT, OLD])
    hosted["metadata"]["annotations"] = {"include.release.openshift.io/ibm-cloud-managed": "true"}
    outcome = rollouts.done([KEPT, hosted], prune=True)
    assert outcome["leftovers"] == []
    assert rollouts.has(OLD)


def test_objects_of_others_of_the_same_kind_stay(rollouts: Rollouts) -> None:
    theirs = config_map("theirs")
    rollouts.api.post(path_of(theirs).rpartition("/")[0], theirs)
    rollouts.done([KEPT, OLD])
    rollouts.done([KEPT], prune=True)
    assert rollouts.has(theirs)


def test_object_that_another_client_re_created_stays(rollouts: Rollouts) -> None:
    rollouts.done([KEPT, OLD])
    rollouts.api.delete(path_of(OLD))
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "old"}}
    rollouts.api.post(path_of(OLD).rpartition("/")[0], body)
    outcome = rollouts.done([KEPT], prune=True)
    assert outcome["leftovers"] == []
    assert rollouts.has(OLD)


def test_object_that_is_re_created_during_pruning_stays(rollouts: Rollouts, monkeypatch: pytest.MonkeyPatch) -> None:
    rollouts.done([KEPT, OLD])
    delete = Client.delete

    def late(self: Client, target: Target, **options: Any) -> bool:
        rollouts.api.delete(path_of(OLD))
        rollouts.api.post(path_of(OLD).rpartition("/")[0], OLD)
        return delete(self, target, **options)

    monkeypatch.setattr(Client, "delete", late)
    rollouts.apply([KEPT], prune=True)
    assert rollouts.has(OLD)


def test_nothing_is_pruned_if_a_manifest_failed(rollouts: Rollouts) -> None:
    rollouts.done([KEPT, OLD])
    odd = manifest("Service", "odd", HOME, spec={"ports": [{"port": 99999999}]})
    outcome = rollouts.apply([KEPT, odd], prune=True)
    assert outcome.failed
    assert rollouts.has(OLD)
    assert [item["pruned"] for item in outcome["leftovers"]] == [False]


# The inventory as the parent of an ApplySet


def applyset_id() -> str:
    """The id of the specification (KEP 3659): hash of name, namespace, kind and group of the parent."""
    digest = hashlib.sha256(b"capability-openshift-rollout.kube-system.ConfigMap.").digest()
    return f"applyset-{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}-v1"


def test_all_members_have_the_label_of_the_set(rollouts: Rollouts) -> None:
    bodies = [namespace("a"), config_map("a", "a"), deployment("c"), crd("things", "Thing"), THING]
    once = config_map("once", annotations={"release.openshift.io/create-only": "true"})
    rollouts.done([*bodies, once])
    assert {rollouts.get(body)["metadata"]["labels"][PART_OF] for body in (*bodies, once)} == {applyset_id()}


def test_annotations_follow_pruned_resources(rollouts: Rollouts) -> None:
    rollouts.done([*MORE, namespace("a"), deployment("c", "a")])
    with later(3, lambda: finalize(rollouts, namespace("a"))):  # No controller does so.
        rollouts.done(MORE, prune=True, wait=True, wait_timeout=600)
    annotations = rollouts.api.get(INVENTORY)["metadata"]["annotations"]
    assert annotations[f"{APPLYSET}/contains-group-kinds"] == "ConfigMap"
    assert annotations[f"{APPLYSET}/additional-namespaces"] == HOME


def test_kubectl_knows_whose_set_it_is(rollouts: Rollouts, monkeypatch: pytest.MonkeyPatch) -> None:
    rollouts.done([KEPT])
    monkeypatch.setenv("KUBECTL_APPLYSET", "true")
    given = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
    parent = "--applyset=configmap/capability-openshift-rollout"
    options = ("--server-side", "--prune", parent, "-n", "kube-system", "-f", "-")
    with pytest.raises(ControlPlaneError, match=r"managed by tooling \"capability.openshift\""):
        rollouts.plane.kubectl("apply", *options, given=json.dumps(given))


# Inventories that another client changed


def test_deleted_inventory_is_written_again(rollouts: Rollouts) -> None:
    rollouts.done([KEPT])
    before = rollouts.api.get(INVENTORY)["data"]
    rollouts.api.delete(INVENTORY)
    rollouts.done([KEPT])
    # Which objects a rollout created is no longer known, so none of them would be pruned.
    after = rollouts.api.get(INVENTORY)["data"]
    assert after == {**before, "resources": before["resources"].replace("true]", "false]")}
