# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pruning deletes only objects that a rollout created, and never with an incomplete release."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    CREATE_ONLY,
    HOME,
    Body,
    Rollouts,
    config_map,
    crd,
    ids,
    manifest,
    namespace,
    path_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import selection
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

INGRESS_ONLY = selection("Ingress")
KEPT = [config_map(f"kept-{index}") for index in range(5)]
"""Enough objects that a test drops the smaller part."""


def applied(rollouts: Rollouts, *bodies: Body) -> None:
    """Roll out the kept objects and ``bodies``."""
    rollouts.done([*KEPT, *bodies], capabilities=INGRESS_ONLY)


def pruned(rollouts: Rollouts, **options: object) -> Outcome:
    """Roll out the kept objects only, and prune."""
    return rollouts.done(KEPT, capabilities=INGRESS_ONLY, prune=True, **options)


def installed(rollouts: Rollouts) -> None:
    """Roll out the example release."""
    rollouts.done(EXAMPLE, capabilities=INGRESS_ONLY, feature_set="Default")


def copy_of_example(rollouts: Rollouts) -> Path:
    """A copy of the example release that a test may damage."""
    return Path(shutil.copytree(EXAMPLE, rollouts.folder / "copy"))


def is_refused(rollouts: Rollouts, release: Path, *, check: bool = False) -> Outcome:
    """Check that a rollout with prune fails, and that nothing is written."""
    with rollouts.unwritten():
        outcome = rollouts.apply(release, prune=True, feature_set="Default", check=check)
    assert outcome.failed
    assert outcome.errors[0]["where"] == "prune"
    return outcome


# Incomplete releases


@pytest.mark.parametrize("check", [False, True])
def test_release_one_directory_too_deep_prunes_nothing(rollouts: Rollouts, check: bool) -> None:
    installed(rollouts)
    release = EXAMPLE / "release-manifests"
    with rollouts.unwritten():
        outcome = rollouts.apply(release, prune=True, check=check)
    assert outcome.faults == [("wrong-directory", str(release))]


@pytest.mark.parametrize("check", [False, True])
def test_release_without_the_definition_of_cluster_version_prunes_nothing(rollouts: Rollouts, check: bool) -> None:
    installed(rollouts)
    release = copy_of_example(rollouts)
    for definition in (release / "manifests").glob("*_clusterversions-*.crd.yaml"):
        definition.unlink()
    outcome = is_refused(rollouts, release, check=check)
    assert outcome.faults == [("unsafe-prune", "prune")]
    assert "clusterversions.config.openshift.io" in outcome.message


def test_incomplete_release_is_rolled_out_without_prune(rollouts: Rollouts) -> None:
    installed(rollouts)
    release = copy_of_example(rollouts)
    shutil.rmtree(release / "manifests")
    outcome = rollouts.done(release, feature_set="Default")
    assert {item["pruned"] for item in outcome["leftovers"]} == {False}


# Objects of rollouts and of others


def test_object_that_a_rollout_created_is_pruned(rollouts: Rollouts) -> None:
    made = [config_map("old"), crd("things", "Thing")]
    applied(rollouts, *made)
    # The API server takes longer to delete a definition on a busy machine.
    outcome = pruned(rollouts, wait=True, wait_timeout=120)
    kinds = {item["kind"]: item["pruned"] for item in outcome["leftovers"]}
    assert kinds == {"ConfigMap": True, "CustomResourceDefinition": True}
    assert outcome["problems"] == []
    assert not any(map(rollouts.has, made))


def test_namespace_that_a_rollout_created_is_deleted_once_it_is_empty(rollouts: Rollouts) -> None:
    applied(rollouts, namespace("team"))
    outcome = pruned(rollouts)
    # No controller empties the namespace.
    assert [(item["kind"], item["pruned"]) for item in outcome["leftovers"]] == [("Namespace", False)]
    assert [item["where"] for item in outcome["problems"]] == ["namespaces team"]
    assert "deletionTimestamp" in rollouts.get(namespace("team"))["metadata"]


def test_namespace_that_existed_before_stays_with_its_objects(rollouts: Rollouts) -> None:
    rollouts.api.post("/api/v1/namespaces", {"metadata": {"name": "team"}})
    rollouts.api.post("/api/v1/namespaces/team/configmaps", {"metadata": {"name": "users"}})
    applied(rollouts, namespace("team"))
    outcome = pruned(rollouts)
    assert [(item["name"], item["pruned"]) for item in outcome["leftovers"]] == [("team", False)]
    assert "deletionTimestamp" not in rollouts.get(namespace("team"))["metadata"]
    assert rollouts.has(config_map("users", "team"))


def test_kept_leftover_is_reported_with_a_hint(rollouts: Rollouts) -> None:
    rollouts.api.post("/api/v1/namespaces", {"metadata": {"name": "team"}})
    applied(rollouts, namespace("team"))
    problem = pruned(rollouts).problem("kept-leftover")
    assert (problem["severity"], problem["where"]) == ("warning", "namespaces team")
    assert problem["hint"]


def test_object_that_existed_before_and_was_adopted_later_stays(rollouts: Rollouts) -> None:
    applied(rollouts)
    theirs = config_map("theirs")
    rollouts.api.post(path_of(theirs).rpartition("/")[0], {"metadata": {"name": "theirs"}})
    applied(rollouts, theirs)
    applied(rollouts, config_map("theirs", data={"key": "other"}))
    pruned(rollouts)
    assert rollouts.has(theirs)


def test_create_only_object_stays(rollouts: Rollouts) -> None:
    once = config_map("once", annotations={CREATE_ONLY: "true"})
    applied(rollouts, once)
    outcome = pruned(rollouts)
    assert [(item["name"], item["pruned"]) for item in outcome["leftovers"]] == [("once", False)]
    assert rollouts.has(once)


def test_object_that_becomes_unmanaged_stays(rollouts: Rollouts) -> None:
    applied(rollouts, config_map("old"))
    held = {"group": "", "kind": "ConfigMap", "namespace": HOME, "name": "old", "unmanaged": True}
    outcome = pruned(rollouts, overrides=[held])
    assert [(item["name"], item["pruned"]) for item in outcome["leftovers"]] == [("old", False)]
    assert rollouts.has(config_map("old"))


def test_object_that_was_always_unmanaged_stays(rollouts: Rollouts) -> None:
    held = {"group": "", "kind": "ConfigMap", "namespace": HOME, "name": "old", "unmanaged": True}
    old = config_map("old")
    rollouts.api.post(path_of(old).rpartition("/")[0], {"metadata": {"name": "old"}})
    rollouts.done([*KEPT, old], capabilities=INGRESS_ONLY, overrides=[held])
    pruned(rollouts)
    assert rollouts.has(old)


# What this run applied. A cluster-scoped manifest can have a namespace, which the API ignores.

OTHER_NAMESPACE = "elsewhere"


def with_namespace(body: Body, name: str = OTHER_NAMESPACE) -> Body:
    """The manifest of the same object, with a namespace."""
    return {**body, "metadata": {**body["metadata"], "namespace": name}}


CLUSTER_SCOPED = [
    namespace("team"),
    crd("things", "Thing"),
    manifest("ClusterRole", "reader", api="rbac.authorization.k8s.io/v1", rules=[]),
]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([with_namespace(body) for body in CLUSTER_SCOPED], CLUSTER_SCOPED, id="dropped"),
        pytest.param(CLUSTER_SCOPED, [with_namespace(body) for body in CLUSTER_SCOPED], id="added"),
        pytest.param(
            [with_namespace(body) for body in CLUSTER_SCOPED],
            [with_namespace(body, "team") for body in CLUSTER_SCOPED],
            id="changed",
        ),
    ],
)
def test_object_whose_ignored_namespace_changes_is_no_leftover(
    rollouts: Rollouts, before: list[Body], after: list[Body]
) -> None:
    applied(rollouts, *before)
    uids = [rollouts.get(body)["metadata"]["uid"] for body in CLUSTER_SCOPED]
    users = manifest("Thing", "users", "team", api="test.io/v1")
    rollouts.api.post(path_of(users).rpartition("/")[0], users)
    outcome = rollouts.done([*KEPT, *after], capabilities=INGRESS_ONLY, prune=True)
    assert outcome["leftovers"] == []
    assert [rollouts.get(body)["metadata"]["uid"] for body in CLUSTER_SCOPED] == uids
    assert not any("deletionTimestamp" in rollouts.get(body)["metadata"] for body in [*CLUSTER_SCOPED, users])
    assert rollouts.done([*KEPT, *after], capabilities=INGRESS_ONLY, prune=True)["changed"] is False
    assert rollouts.done(KEPT, capabilities=INGRESS_ONLY)["leftovers"] != []


def test_namespace_with_its_own_name_as_namespace_does_not_wait_for_itself(rollouts: Rollouts) -> None:
    outcome = rollouts.done([with_namespace(namespace("team"), "team"), config_map("inside", "team")])
    assert sorted(ids(outcome, "created")) == ["ConfigMap inside", "Namespace team"]
    assert outcome["problems"] == []


def test_leftover_that_contains_an_object_of_other_clusters_stays(rollouts: Rollouts) -> None:
    inside = config_map("inside", "team")
    applied(rollouts, namespace("team"), inside)
    annotations = {"include.release.openshift.io/ibm-cloud-managed": "true"}
    hosted = {**inside, "metadata": {**inside["metadata"], "annotations": annotations}}
    release = rollouts.release([*KEPT, hosted])
    outcome = rollouts.predicted(release, capabilities=INGRESS_ONLY, prune=True)
    assert [(item["kind"], item["pruned"]) for item in outcome["leftovers"]] == [("Namespace", False)]
    assert rollouts.has(inside)
    assert "deletionTimestamp" not in rollouts.get(namespace("team"))["metadata"]


def test_leftover_that_contains_applied_objects_stays(rollouts: Rollouts) -> None:
    needed = [namespace("team"), crd("things", "Thing")]
    inside = [config_map("inside", "team"), manifest("Thing", "inside", HOME, api="test.io/v1")]
    applied(rollouts, *needed)
    outcome = rollouts.done([*KEPT, *inside], capabilities=INGRESS_ONLY, prune=True)
    assert [item["pruned"] for item in outcome["leftovers"]] == [False, False]
    assert {problem["code"] for problem in outcome["problems"]} == {"applied-leftover"}
    assert not any("defect" in problem["hint"] for problem in outcome["problems"])
    assert all(map(rollouts.has, inside))
    assert not any("deletionTimestamp" in rollouts.get(body)["metadata"] for body in needed)
