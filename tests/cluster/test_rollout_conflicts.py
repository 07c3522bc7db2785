# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields of other managers: reported by name, and taken over on request only."""

from __future__ import annotations

import json

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    HOME,
    Body,
    Rollouts,
    config_map,
    deployment,
    ids,
    manifest,
    path_of,
)

MINE = config_map("mine")


def applied_by_kubectl(rollouts: Rollouts, body: Body) -> None:
    rollouts.plane.kubectl("apply", "--server-side", "-f", "-", given=json.dumps(body))


def bare(**data: str) -> Body:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine", "namespace": HOME}, "data": data}


def test_field_of_kubectl_is_reported_with_its_manager_and_not_taken(rollouts: Rollouts) -> None:
    applied_by_kubectl(rollouts, bare(key="of kubectl"))
    outcome = rollouts.apply([MINE])
    expected = {"group": "", "kind": "ConfigMap", "namespace": HOME, "name": "mine"}
    assert outcome["conflicts"] == [{**expected, "manager": "kubectl", "field": ".data.key"}]
    (problem,) = outcome.errors
    assert (problem["code"], problem["where"]) == ("conflicting-managers", "0000_10_a_00.yaml, document 1")
    assert rollouts.get(MINE)["data"] == {"key": "of kubectl"}


def test_field_of_kubectl_is_taken_over_on_request(rollouts: Rollouts) -> None:
    applied_by_kubectl(rollouts, bare(key="of kubectl"))
    outcome = rollouts.done([MINE], force_conflicts=True)
    assert outcome["conflicts"] == []
    assert rollouts.get(MINE)["data"] == {"key": "value"}
    again = rollouts.done([MINE])
    assert again["changed"] is False


def test_fields_of_others_stay(rollouts: Rollouts) -> None:
    rollouts.done([MINE])
    more = {"data": {"theirs": "x"}, "metadata": {"labels": {"theirs": "y"}, "annotations": {"theirs": "z"}}}
    rollouts.api.patch(path_of(MINE), more)
    rollouts.done([{**MINE, "data": {"key": "new"}}])
    found = rollouts.get(MINE)
    assert found["data"] == {"key": "new", "theirs": "x"}
    assert found["metadata"]["labels"]["theirs"] == "y"
    assert found["metadata"]["annotations"]["theirs"] == "z"


def test_fields_that_the_release_no_longer_has_are_removed(rollouts: Rollouts) -> None:
    rollouts.done([{**MINE, "data": {"key": "value", "old": "x"}}])
    rollouts.done([MINE])
    assert rollouts.get(MINE)["data"] == {"key": "value"}


def test_replicas_that_an_autoscaler_set_are_a_conflict_with_it(rollouts: Rollouts) -> None:
    body = deployment("a")
    rollouts.done([body])
    scale = {"spec": {"replicas": 3}}
    rollouts.api.patch(f"{path_of(body)}/scale", scale, fieldManager="autoscaler")
    outcome = rollouts.apply([body])
    assert [(item["manager"], item["field"]) for item in outcome["conflicts"]] == [("autoscaler", ".spec.replicas")]


# Immutable fields


def test_immutable_selector_is_explained(rollouts: Rollouts) -> None:
    body = deployment("a")
    rollouts.done([body])
    other = deployment("a")
    labels = {"app": "another"}
    other["spec"]["selector"] = {"matchLabels": labels}
    other["spec"]["template"]["metadata"]["labels"] = labels
    outcome = rollouts.apply([other])
    (problem,) = outcome.errors
    assert (problem["code"], problem["where"]) == ("immutable-field", "0000_10_a_00.yaml, document 1")


def test_object_that_was_deleted_as_the_hint_says_is_re_created(rollouts: Rollouts) -> None:
    body = deployment("a")
    rollouts.done([body])
    other = deployment("a")
    other["spec"]["selector"] = {"matchLabels": {"app": "another"}}
    other["spec"]["template"]["metadata"]["labels"] = {"app": "another"}
    rollouts.apply([other])
    rollouts.api.delete(path_of(body))
    assert ids(rollouts.done([other]), "created") == ["Deployment a"]


def test_a_text_of_a_secret_belongs_to_the_rollout(rollouts: Rollouts) -> None:
    secret = manifest("Secret", "a", HOME, stringData={"key": "one", "other": "two"})
    rollouts.done([secret])
    rollouts.api.patch(path_of(secret), {"data": {"key": "dGhyZWU="}})
    outcome = rollouts.predicted(rollouts.release([secret]))
    assert [item["field"] for item in outcome["conflicts"]] == [".data.key"]
    rollouts.done([secret], force_conflicts=True)
    assert rollouts.get(secret)["data"] == {"key": "b25l", "other": "dHdv"}
    rollouts.done([manifest("Secret", "a", HOME, stringData={"key": "one"})])
    assert rollouts.get(secret)["data"] == {"key": "b25l"}
