# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Concurrent rollouts, of which the later one wins, and an interrupted one."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._rollout.options import REAL_TIMINGS
from ansible_collections.capability.openshift.plugins.modules import release_apply
from ansible_collections.capability.openshift.tests.cluster.helpers.rollout_runs import Point, Run
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    INVENTORY,
    Body,
    Rollouts,
    config_map,
    deployment,
    path_of,
)

pytestmark = pytest.mark.deep

OPTIONS: dict[str, Any] = {"openshift_version": "4.21.0", "wait": True}
RUN = "capability.openshift.io/run"
LOCK_CHECK = REAL_TIMINGS.lock_check / 10
"""A tenth of the real time between two checks of the lock. test_rollout_safety has the real one."""

OFTEN = {(release_apply.__name__, "TIMINGS"): REAL_TIMINGS._replace(lock_check=LOCK_CHECK)}


def run_of(rollouts: Rollouts) -> str:
    """The id of the run that owns the inventory."""
    return str(rollouts.api.get(INVENTORY)["metadata"]["annotations"][RUN])


def make_available(rollouts: Rollouts, body: Body) -> None:
    """Write the status of a Deployment that its controller would write."""
    found = rollouts.get(body)
    replicas = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), 1)
    condition = {"type": "Available", "status": "True"}
    found["status"] = {"observedGeneration": found["metadata"]["generation"], **replicas, "conditions": [condition]}
    rollouts.api.put(f"{path_of(body)}/status", found)


def test_the_first_of_two_with_the_same_plan_stops(rollouts: Rollouts) -> None:
    work = deployment("work")
    release = rollouts.release({"0000_10_a_00.yaml": config_map("a"), "0000_20_b_00.yaml": work})
    first = Run(rollouts.plane.kubeconfig, release, mode="update", wait_timeout=300, clocks=OFTEN, **OPTIONS)
    assert first.reached(Point("manifests", 2))
    before = run_of(rollouts)
    time.sleep(1.2 * LOCK_CHECK)
    second = Run(rollouts.plane.kubeconfig, release, mode="update", wait_timeout=300, **OPTIONS)
    result = first.result()
    assert result["failed"]
    assert "was written by another rollout, which started after this one" in result["msg"]
    assert run_of(rollouts) != before
    make_available(rollouts, work)
    result = second.result()
    assert not result.get("failed"), result["msg"]
    assert rollouts.unfinished == ""


def test_nothing_of_a_later_rollout_is_pruned(rollouts: Rollouts) -> None:
    stays, dropped = [config_map(f"stays-{number}") for number in range(5)], config_map("dropped")
    work = deployment("work")
    rollouts.done(rollouts.release({"0000_10_a_00.yaml": [*stays, dropped]}, "before"))
    files: dict[str, Body | list[Body]] = {"0000_10_a_00.yaml": stays, "0000_20_b_00.yaml": work}
    without = rollouts.release(files, "without")
    changed = config_map("dropped", data={"key": "of the later one"})
    within = rollouts.release({**files, "0000_10_a_00.yaml": [*stays, changed]}, "within")
    first = Run(rollouts.plane.kubeconfig, without, prune=True, wait_timeout=300, **OPTIONS)
    assert first.reached(Point("manifests", len(stays) + 1))
    rollouts.done(within)
    make_available(rollouts, work)
    result = first.result()
    assert result["failed"]
    assert "another rollout" in result["msg"]
    assert [item["pruned"] for item in result["leftovers"]] == [False]
    assert rollouts.get(changed)["data"] == changed["data"]


def test_ctrl_c_ends_a_rollout_and_the_next_one_resumes(rollouts: Rollouts) -> None:
    components, maps = 60, 20
    release = rollouts.release(
        {
            f"0000_10_part-{part:02}_00.yaml": [config_map(f"of-{part}-{number}") for number in range(maps)]
            for part in range(components)
        }
    )
    run = Run(rollouts.plane.kubeconfig, release, openshift_version="4.21.0", parallelism=2)
    assert run.reached(Point("manifests", maps))
    os.kill(run.process.pid, signal.SIGINT)
    run.process.communicate(timeout=300)
    assert run.manifests() < components * maps / 2
    assert rollouts.unfinished == "install"
    outcome = rollouts.done(release)
    assert outcome["mode"] == "install"
    assert rollouts.unfinished == ""
