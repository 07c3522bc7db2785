# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Deletions that hang: an object is a leftover, with its finalizers, until it is gone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    DELETE,
    HOME,
    INVENTORY,
    Body,
    Rollouts,
    config_map,
    crd,
    later,
    manifest,
    namespace,
    path_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.verifications import verified
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

FINALIZER = "test.io/wait"
KEPT = [config_map(f"kept-{number}") for number in range(5)]
OLD = config_map("old")
TOMBSTONE = manifest("ConfigMap", "old", HOME, annotations={DELETE: "true"})
THING = manifest("Thing", "a", HOME, api="test.io/v1", spec={})


def hold(rollouts: Rollouts, body: Body) -> None:
    """Add the finalizer of a controller that does not run."""
    rollouts.api.patch(path_of(body), {"metadata": {"finalizers": [FINALIZER]}})


def later_deleted(body: Body) -> Body:
    """The manifest with which a later release deletes the object of ``body``."""
    metadata = body["metadata"]
    return {**body, "metadata": {**metadata, "annotations": {**metadata["annotations"], DELETE: "true"}}}


def release_hold(rollouts: Rollouts, body: Body) -> None:
    """Do what the controller would do."""
    rollouts.api.patch(path_of(body), {"metadata": {"finalizers": None}})


def leftovers(outcome: Outcome) -> list[tuple[str, bool, list[str]]]:
    """Name, result and finalizers of each leftover."""
    return [(item["name"], item["pruned"], item["finalizers"]) for item in outcome["leftovers"]]


def recorded(rollouts: Rollouts) -> list[str]:
    """The names in the inventory."""
    data = rollouts.api.get(INVENTORY)["data"]
    return [json.loads(line)[3] for line in (data["resources"] + data["earlier-resources"]).splitlines()]


@pytest.mark.parametrize(
    ("bodies", "options"),
    [pytest.param([*KEPT, TOMBSTONE], {}, id="deleted"), pytest.param(KEPT, {"prune": True}, id="pruned")],
)
def test_object_whose_deletion_hangs_is_a_leftover_until_it_is_gone(
    rollouts: Rollouts, bodies: list[Body], options: dict[str, Any]
) -> None:
    rollouts.done([*KEPT, OLD])
    hold(rollouts, OLD)
    update = rollouts.release(bodies, "update")
    options = {**options, "openshift_version": "4.21.1"}
    predicted = rollouts.done(update, check=True, **options)
    first = rollouts.done(update, **options)
    assert (predicted["deleted"], leftovers(predicted)) == ([], leftovers(first))
    assert (first["deleted"], first["changed"]) == ([], True)
    assert leftovers(first) == [("old", False, [FINALIZER])]
    problem = first.problem("terminating-object")
    assert (problem["severity"], FINALIZER in problem["message"]) == ("warning", True)
    # A later run without the option that deleted it still names it.
    again = rollouts.done(update, openshift_version="4.21.1")
    assert (again["changed"], leftovers(again)) == (False, leftovers(first))
    assert again.problem("terminating-object")["severity"] == "warning"
    assert "old" in recorded(rollouts)
    (unexpected,) = verified(rollouts, update, openshift_version="4.21.1")["unexpected"]
    assert (unexpected["name"], unexpected["reasons"][-1]["rule"]) == ("old", "terminating")
    release_hold(rollouts, OLD)
    last = rollouts.done(update, openshift_version="4.21.1")
    assert (last["changed"], last["leftovers"], last["problems"]) == (False, [], [])
    assert "old" not in recorded(rollouts)
    assert rollouts.api.get(INVENTORY)["data"]["unfinished"] == ""


@pytest.mark.deep
def test_definition_whose_objects_hang_is_a_leftover(rollouts: Rollouts) -> None:
    rollouts.done([*KEPT, crd("things", "Thing")])
    rollouts.api.post(path_of(THING).rpartition("/")[0], THING)
    hold(rollouts, THING)
    first = rollouts.done(KEPT, prune=True)
    assert [(name, pruned) for name, pruned, _finalizers in leftovers(first)] == [("things.test.io", False)]
    release_hold(rollouts, THING)
    assert rollouts.done(KEPT, prune=True, wait=True, wait_timeout=600)["problems"] == []
    assert rollouts.done(KEPT)["leftovers"] == []


def test_namespace_without_a_controller_is_a_leftover(rollouts: Rollouts) -> None:
    rollouts.done([*KEPT, namespace("team")])
    outcome = rollouts.done(KEPT, prune=True)
    assert leftovers(outcome) == [("team", False, ["kubernetes"])]


@pytest.mark.parametrize(
    ("objects", "is_pruned"),
    [([later_deleted(THING)], True), ([], True), ([], False)],
    ids=["deleted", "pruned", "left"],
)
def test_objects_that_are_deleted_with_their_definition_are_not_listed(
    rollouts: Rollouts, objects: list[Body], is_pruned: bool
) -> None:
    definition = crd("things", "Thing")
    rollouts.done([*KEPT, definition, THING])
    bodies = [later_deleted(definition), *objects, *KEPT]
    update = {f"0000_{level}_a.yaml": body for level, body in enumerate(bodies, 10)}
    outcome = rollouts.predicted(rollouts.release(update), mode="update", prune=is_pruned)
    assert not rollouts.has(THING)
    assert [item["name"] for item in outcome["deleted"]] == ["things.test.io"]
    assert outcome["leftovers"] == []
    again = rollouts.predicted(rollouts.release(update), prune=True)
    assert (again["changed"], again["leftovers"]) == (False, [])
    assert "a" not in recorded(rollouts)


@pytest.mark.parametrize("bodies", [[*KEPT, TOMBSTONE], KEPT], ids=["deleted", "pruned"])
def test_rollout_waits_for_a_deletion(rollouts: Rollouts, bodies: list[Body]) -> None:
    rollouts.done([*KEPT, OLD])
    hold(rollouts, OLD)
    with later(4, lambda: release_hold(rollouts, OLD)):
        outcome = rollouts.done(bodies, mode="update", prune=True, wait=True, wait_timeout=600)
        assert not rollouts.has(OLD)
    gone = outcome["deleted"] + [item for item in outcome["leftovers"] if item["pruned"]]
    assert [item["name"] for item in gone] == ["old"]
    assert (outcome["problems"], outcome["changed"]) == ([], True)


def test_deletion_that_hangs_does_not_keep_leftovers_from_being_pruned(rollouts: Rollouts) -> None:
    rollouts.done([*KEPT, OLD, config_map("other")])
    hold(rollouts, OLD)
    outcome = rollouts.done([*KEPT, TOMBSTONE], mode="update", prune=True)
    release_hold(rollouts, OLD)
    assert leftovers(outcome) == [("old", False, [FINALIZER]), ("other", True, [])]
