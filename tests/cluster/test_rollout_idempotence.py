# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Second runs, drift, check mode and diffs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._rollout.desired_object import CREATED_BY_ROLLOUT
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    HOME,
    INVENTORY,
    PART_OF,
    SENT_HASH,
    Body,
    Rollouts,
    config_map,
    crd,
    deployment,
    ids,
    manifest,
    namespace,
    path_of,
    rollouts_of,
    versions_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import selection
from ansible_collections.capability.openshift.tests.cluster.helpers.verifications import ran
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

MINE, OTHER = config_map("mine"), config_map("other")
SECRET = "c2VjcmV0LXZhbHVl"


# Second runs


def test_second_run_of_the_example_writes_nothing_and_sends_list_requests_only(rollouts: Rollouts) -> None:
    first = rollouts.done(EXAMPLE, capabilities=selection(baseline="vCurrent"), feature_set="Default")
    before, mark = versions_of(rollouts.api), rollouts.plane.audit.mark()
    again = rollouts.done(EXAMPLE, feature_set="Default")
    asked = rollouts.requests(mark)
    assert again["changed"] is False
    assert versions_of(rollouts.api) == before
    assert {request.verb for request in asked} <= {"get", "list"}
    kinds = {(item["group"], item["kind"]) for item in first["created"]}
    assert len([request for request in asked if request.verb == "list"]) <= len(kinds)
    assert len([request for request in asked if request.verb == "get"]) <= 7
    assert len([request for request in asked if "/infrastructures" in request.uri and request.verb == "get"]) == 1
    assert len(again["unchanged"]) == len(first["created"]) > 40


def with_groups(list_type: str, *names: str) -> list[Body]:
    """A definition whose list has a type, and an object with items."""
    items = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
    keys = {"x-kubernetes-list-map-keys": ["name"]} if list_type == "map" else {}
    groups = {"type": "array", "items": items, "x-kubernetes-list-type": list_type, **keys}
    definition = crd("things", "Thing", {"type": "object", "properties": {"groups": groups}})
    return [definition, manifest("Thing", "a", HOME, api="test.io/v1", spec={"groups": [{"name": x} for x in names]})]


def test_verify_reports_items_that_a_list_kept_because_it_became_keyed(rollouts: Rollouts) -> None:
    first, then = with_groups("atomic", "a", "b", "c"), with_groups("map", "b", "d")
    rollouts.done(first)
    rollouts.done(then)
    # The server keeps a and c, unless its handler still has the old definition.
    kept = {item["name"] for item in rollouts.get(then[1])["spec"]["groups"]} - {"b", "d"}
    assert kept in ({"a", "c"}, set())
    with rollouts.unwritten():
        assert rollouts.done(then)["changed"] is False
    assert [item["name"] for item in ran(rollouts, rollouts.release(then))["different"]] == ["a"] * bool(kept)


def test_immediate_second_run_writes_nothing(rollouts: Rollouts) -> None:
    release = rollouts.release([namespace("mine"), config_map("a", "mine"), crd("things", "Thing"), deployment("a")])
    rollouts.done(release)
    with rollouts.unwritten():
        assert rollouts.done(release)["changed"] is False


def aggregated() -> Body:
    """A ClusterRole whose rules a controller sets, with the empty list of real releases."""
    rule = {"clusterRoleSelectors": [{"matchLabels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}}]}
    return manifest("ClusterRole", "aggregated", api="rbac.authorization.k8s.io/v1", aggregationRule=rule, rules=[])


def test_second_run_with_controllers_writes_nothing(
    full_plane: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rollouts = rollouts_of(full_plane, tmp_path, capsys, monkeypatch)
    release = rollouts.release([namespace("mine"), deployment("a", "mine"), aggregated(), crd("things", "Thing")])
    rollouts.done(release, wait=True, wait_timeout=600)
    wait_for(lambda: rollouts.get(aggregated()).get("rules"), "the rules of the role")
    with rollouts.unwritten():
        assert rollouts.done(release, wait=True, wait_timeout=600)["changed"] is False


def test_update_with_controllers_removes_nothing_of_theirs(
    full_plane: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rollouts = rollouts_of(full_plane, tmp_path, capsys, monkeypatch)
    rollouts.done([aggregated()])
    wait_for(lambda: rollouts.get(aggregated()).get("rules"), "the rules of the role")
    outcome = rollouts.done([{**aggregated(), "metadata": {**aggregated()["metadata"], "labels": {"new": "x"}}}])
    assert ids(outcome, "changed_resources") == ["ClusterRole aggregated"]
    assert rollouts.get(aggregated())["rules"] != []


def test_run_without_an_inventory_adopts_existing_objects(rollouts: Rollouts) -> None:
    rollouts.done([MINE, OTHER])
    rollouts.api.delete(INVENTORY)
    outcome = rollouts.done([MINE, OTHER])
    assert outcome["created"] == []
    assert rollouts.api.exists(INVENTORY)
    assert rollouts.done([MINE, OTHER])["changed"] is False


# Drift


def removed(rollouts: Rollouts) -> None:
    rollouts.api.delete(path_of(MINE))


def key_removed(rollouts: Rollouts) -> None:
    rollouts.api.patch(path_of(MINE), {"data": None})


def annotation_removed(rollouts: Rollouts) -> None:
    rollouts.api.patch(path_of(MINE), {"metadata": {"annotations": {SENT_HASH: None}}})


def label_removed(rollouts: Rollouts) -> None:
    rollouts.api.patch(path_of(MINE), {"metadata": {"labels": {PART_OF: None}}})


def replaced(rollouts: Rollouts) -> None:
    rollouts.api.delete(path_of(MINE))
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}}
    rollouts.api.post(path_of(MINE).rpartition("/")[0], body)


@pytest.mark.parametrize("drift", [removed, key_removed, annotation_removed, label_removed, replaced])
def test_drift_is_predicted_and_repaired(rollouts: Rollouts, drift: Callable[[Rollouts], None]) -> None:
    release = rollouts.release([MINE, OTHER])
    rollouts.done(release)
    marks = rollouts.get(MINE)["metadata"]
    drift(rollouts)
    outcome = rollouts.predicted(release)
    assert ids(outcome, "created") + ids(outcome, "changed_resources") == ["ConfigMap mine"]
    found = rollouts.get(MINE)
    assert found["data"] == {"key": "value"}
    assert found["metadata"]["labels"] == marks["labels"]
    annotations = found["metadata"]["annotations"]
    # An object that another client has created in its place is not ours.
    assert (annotations == marks["annotations"]) is (CREATED_BY_ROLLOUT in annotations) is (drift is not replaced)
    assert rollouts.done(release)["changed"] is False


def test_value_that_another_client_changed_is_reported_and_repaired_on_request(rollouts: Rollouts) -> None:
    release = rollouts.release([MINE, OTHER])
    rollouts.done(release)
    rollouts.api.patch(path_of(MINE), {"data": {"key": "drifted"}}, fieldManager="editor")
    outcome = rollouts.predicted(release)
    assert [item["manager"] for item in outcome["conflicts"]] == ["editor"]
    assert ids(rollouts.predicted(release, force_conflicts=True), "changed_resources") == ["ConfigMap mine"]
    assert rollouts.get(MINE)["data"] == {"key": "value"}


def test_value_that_is_changed_and_changed_back_is_repaired_without_a_report(rollouts: Rollouts) -> None:
    release = rollouts.release([MINE])
    rollouts.done(release)
    for value in ("drifted", "value"):
        rollouts.api.patch(path_of(MINE), {"data": {"key": value}}, fieldManager="editor")
    rollouts.done(release)
    assert rollouts.done(release)["changed"] is False


def test_status_that_controllers_write_is_no_drift(rollouts: Rollouts) -> None:
    body = deployment("a")
    release = rollouts.release([body])
    rollouts.done(release)
    rollouts.api.patch(f"{path_of(body)}/status", {"status": {"observedGeneration": 1, "replicas": 1}})
    with rollouts.unwritten():
        assert rollouts.done(release)["changed"] is False


def test_field_that_another_client_added_is_no_drift(rollouts: Rollouts) -> None:
    release = rollouts.release([MINE])
    rollouts.done(release)
    rollouts.api.patch(path_of(MINE), {"data": {"theirs": "x"}, "metadata": {"annotations": {"theirs": "y"}}})
    with rollouts.unwritten():
        assert rollouts.done(release)["changed"] is False


# Check mode


def test_check_counts_what_waits_for_a_later_run_level_as_the_run_does(rollouts: Rollouts) -> None:
    files = {
        "0000_50_a_1.yaml": [config_map("inside", "late"), manifest("Thing", "a", HOME, api="test.io/v1")],
        "0000_50_b_1.yaml": [config_map("good")],
        "0000_70_c_1.yaml": [namespace("late"), crd("things", "Thing")],
    }
    rollouts.done(rollouts.release(files, "first"))
    properties = {"spec": {"type": "object", "properties": {"new": {"type": "string"}}}}
    files["0000_50_b_1.yaml"] = [config_map("good", data={"key": "new"}), config_map("Bad_1")]
    files["0000_70_c_1.yaml"] = [namespace("late"), crd("things", "Thing", properties["spec"])]
    outcome = rollouts.predicted(rollouts.release(files, "second"), mode="update")
    assert outcome["run_levels"][0]["not_sent"] == 2


# Diffs


@pytest.mark.parametrize("check", [False, True], ids=["real", "check"])
def test_diff_hides_secrets(rollouts: Rollouts, check: bool) -> None:
    body = manifest("Secret", "a", HOME, data={"key": SECRET})
    rollouts.done([body])
    outcome = rollouts.done([manifest("Secret", "a", HOME, data={"key": "bmV3LXZhbHVl"})], check=check, diff=True)
    (shown,) = outcome["diff"]
    assert shown["before"] != shown["after"]
    for value in (SECRET, "bmV3LXZhbHVl", "secret-value", "new-value"):
        assert value not in json.dumps(outcome.result)
