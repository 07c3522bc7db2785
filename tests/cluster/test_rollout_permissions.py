# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rollouts with missing permissions, to clusters with a cluster-version operator, and two at the same time."""

from __future__ import annotations

import json
from typing import Any

from ansible_collections.capability.openshift.tests.cluster.helpers.processes import Process
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    HOME,
    Body,
    Rollouts,
    config_map,
    deployment,
    everything_but,
    ids,
    manifest,
    namespace,
)
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for


def service(name: str) -> Body:
    return manifest("Service", name, HOME, spec={"ports": [{"port": 80}]})


# Permissions


def test_kind_that_is_forbidden_is_one_error_and_the_rest_is_applied(rollouts: Rollouts) -> None:
    user = certificate_user(rollouts.plane, "no-services", everything_but("", "services"))
    bodies = [service("a"), service("b"), config_map("other"), deployment("c")]
    outcome = rollouts.apply(bodies, kubeconfig=user.kubeconfig)
    (problem,) = outcome.errors
    assert (problem["code"], problem["where"]) == ("forbidden-request", "Service")
    assert all(name in problem["message"] for name in ("rollouts/a", "rollouts/b"))
    assert [item["state"] for item in outcome["failed_resources"]] == ["forbidden", "forbidden"]
    assert ids(outcome, "created") == ["ConfigMap other", "Deployment c"]


def test_second_run_with_missing_permissions_changes_nothing(rollouts: Rollouts) -> None:
    user = certificate_user(rollouts.plane, "no-services", everything_but("", "services"))
    bodies = [service("a"), config_map("other")]
    rollouts.apply(bodies, kubeconfig=user.kubeconfig)
    outcome = rollouts.apply(bodies, kubeconfig=user.kubeconfig)
    assert len(outcome.errors) == 1
    assert outcome["changed"] is False
    assert ids(outcome, "unchanged") == ["ConfigMap other"]


def test_user_with_all_permissions_finishes_it(rollouts: Rollouts) -> None:
    user = certificate_user(rollouts.plane, "no-services", everything_but("", "services"))
    bodies = [service("a"), config_map("other")]
    rollouts.apply(bodies, kubeconfig=user.kubeconfig)
    assert ids(rollouts.done(bodies), "created") == ["Service a"]


def test_check_predicts_missing_permissions(rollouts: Rollouts) -> None:
    user = certificate_user(rollouts.plane, "no-services", everything_but("", "services"))
    bodies = [service("a"), config_map("other")]
    predicted = rollouts.apply(bodies, kubeconfig=user.kubeconfig, check=True)
    real = rollouts.apply(bodies, kubeconfig=user.kubeconfig)
    assert predicted["failed_resources"] == real["failed_resources"]
    assert predicted["created"] == real["created"]


# Clusters with a cluster-version operator


# Two at the same time


def start(rollouts: Rollouts, **options: Any) -> Process:
    """Start a rollout in a separate process."""
    values = {"kubeconfig": rollouts.plane.kubeconfig, "openshift_version": "4.21.0", **options}
    return Process("release_apply", **values)


def test_of_two_rollouts_of_different_releases_one_fails(rollouts: Rollouts) -> None:
    slow = rollouts.release([config_map("a"), config_map("late", "later")], "slow")
    with start(rollouts, release=slow, wait=True, wait_timeout=300) as running:
        wait_for(lambda: rollouts.has(config_map("a")), "the first rollout to be on its way")
        rollouts.done(rollouts.release([config_map("b")], "quick"))
        rollouts.api.post("/api/v1/namespaces", namespace("later"))
        output, errors = running.communicate(timeout=300)
    assert not errors.strip() or running.returncode == 1
    result = json.loads(output)
    assert result["failed"] is True
    assert "another rollout" in result["msg"]
    assert rollouts.done(slow)["failed_resources"] == []


def test_two_rollouts_of_the_same_release_succeed_or_one_fails(rollouts: Rollouts) -> None:
    bodies = {f"0000_10_c{index}_1.yaml": config_map(f"c{index}") for index in range(20)}
    release = rollouts.release(bodies)
    with start(rollouts, release=release) as one, start(rollouts, release=release) as two:
        results = [json.loads(process.communicate(timeout=300)[0]) for process in (one, two)]
    failed = [item["msg"] for item in results if item.get("failed")]
    assert len(failed) < 2
    assert all("another rollout" in message for message in failed)
    again = rollouts.done(release)
    assert len(again["unchanged"]) == 20
    assert rollouts.unfinished == ""
