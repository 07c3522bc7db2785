# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""cluster_update on a cluster with MachineConfigPools, and with a ClusterVersion that has ``acceptRisks``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster_update import follow
from ansible_collections.capability.openshift.plugins.modules import cluster_update
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT
from ansible_collections.capability.openshift.tests.cluster.helpers.updates import (
    ACCEPTANCES,
    PATH,
    PROVED,
    image_of,
    releases_to,
    running,
    update_to,
    wait_for_condition,
    wait_until_completed,
    write_path,
    writes,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.cvo_status import condition_of
from ansible_collections.capability.openshift.tests.control_plane.pools import POOLS, Pools
from ansible_collections.capability.openshift.tests.control_plane.reset import reset
from ansible_collections.capability.openshift.tests.control_plane.updates import UpdatingOperator
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import conditional, risk
from ansible_collections.capability.openshift.tests.unit.run_module import Call, Outcome

OLD, NEXT, LAST = PATH
WORKER = f"{POOLS}/worker"
FEATURE_GATES = "/apis/config.openshift.io/v1/featuregates"
OPERATORS = "UpgradeableClusterOperators"
RISK = "SlowBoots"
NOW = "2026-01-01T00:00:00Z"
Update = Callable[..., Outcome]


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_path(tmp_path_factory.mktemp("path"), with_pools=True)


@pytest.fixture
def cluster(plane: ControlPlane, images: dict[str, Path]) -> ControlPlane:
    reset(plane, images[image_of(OLD)])
    return plane


@pytest.fixture
def operator(cluster: ControlPlane, images: dict[str, Path]) -> Iterator[UpdatingOperator]:
    with running(cluster, images) as found:
        found.accept_risks = True
        yield found


@pytest.fixture
def pools(cluster: ControlPlane, operator: UpdatingOperator) -> Pools:
    operator.pools = pools = Pools(cluster.api, OLD)
    return pools


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return all lines of progress, with one for each state of the cluster."""
    found: list[str] = []
    monkeypatch.setattr(follow, "_BETWEEN_LINES", 0.0)
    monkeypatch.setattr(cluster_update, "progress_of", lambda _module: found.append)
    return found


@pytest.fixture
def update(cluster: ControlPlane, images: dict[str, Path], call: Call, lines: list[str]) -> Update:
    """Return a function that runs the module with all acceptances and ``more``."""

    def run(*more: str, version: str = NEXT, **options: Any) -> Outcome:
        accepted = [*ACCEPTANCES, *({"name": name, "reason": "a test"} for name in more)]
        given = {"kubeconfig": cluster.kubeconfig, "version": version, "releases": releases_to(images, version)}
        return call(cluster_update, **{**given, "acceptances": accepted, "wait_timeout": 60, **options})

    return run


def wait_for_pool(cluster: ControlPlane, kind: str, status: str) -> None:
    wait_for(lambda: condition_of(cluster.api.get(WORKER), kind).get("status") == status, f"{kind}={status}", 30.0)


def pause(cluster: ControlPlane, *names: str, paused: bool) -> None:
    for name in names:
        cluster.api.patch(f"{POOLS}/{name}", {"spec": {"paused": paused}})


def codes(outcome: Outcome) -> list[str]:
    return [item["code"] for item in outcome.errors]


def test_pools_that_are_not_ready_are_named_before_the_update(
    cluster: ControlPlane, pools: Pools, update: Update
) -> None:
    mark = cluster.audit.mark()
    pause(cluster, "worker", paused=True)
    for check in (True, False):
        assert codes(update(check=check)) == ["paused-pool"]
    assert update("paused-pool/worker", check=True)["changed"]

    pause(cluster, "worker", paused=False)
    pools.held.add("worker")
    cluster.api.patch(WORKER, {"spec": {"configuration": {"name": "rendered-worker-other"}}})
    wait_for_pool(cluster, "Updating", "True")
    for check in (True, False):
        outcome = update(check=check)
        assert codes(outcome) == ["updating-pool"]
        assert "worker still updates its nodes: 0 of 3" in outcome.message
    assert update("updating-pool/worker", check=True)["changed"]
    assert not writes(cluster, mark)


@pytest.mark.deep
def test_a_degraded_pool_is_named_before_the_update(cluster: ControlPlane, pools: Pools, update: Update) -> None:
    pools.failures["worker"] = "unexpected on-disk state"
    wait_for_pool(cluster, "Degraded", "True")
    wait_for(lambda: condition_of(cluster.api.get(OBJECT), OPERATORS), "the CVO", 30.0)
    for check in (True, False):
        outcome = update(check=check)
        assert codes(outcome) == ["not-upgradeable", "degraded-pool"], outcome.message
        assert pools.failures["worker"] in outcome.message
    pools.failures.clear()
    wait_for_pool(cluster, "Degraded", "False")
    wait_for(lambda: not condition_of(cluster.api.get(OBJECT), OPERATORS), "the CVO", 30.0)
    assert update(check=True)["changed"]


@pytest.mark.deep
def test_pools_are_followed_and_those_that_go_on_after_the_update_delay_the_next_one(
    cluster: ControlPlane, operator: UpdatingOperator, pools: Pools, update: Update, lines: list[str]
) -> None:
    """The operator waits for ``master`` alone."""
    pools.seconds = 0.5
    pools.held.add("worker")
    outcome = update()
    assert (outcome["desired_update"]["state"], outcome["prediction"]) == ("completed", PROVED)
    done = [int(found[1]) for line in lines if (found := re.search(r"nodes: master (\d) of 3, worker 0 of 3$", line))]
    # A busy machine does not see each state.
    assert done == sorted(done)
    assert {1, 2} & set(done)

    for check in (True, False):
        assert codes(update(version=LAST, check=check)) == ["updating-pool"]
    pools.held.clear()
    wait_for_pool(cluster, "Updated", "True")
    assert update(version=LAST)["desired_update"]["state"] == "completed"


@pytest.mark.deep
def test_a_paused_pool_stays_and_only_a_required_one_keeps_the_update_from_its_end(
    cluster: ControlPlane, pools: Pools, update: Update, lines: list[str]
) -> None:
    pause(cluster, "master", "worker", paused=True)
    accepted = "paused-pool/master", "paused-pool/worker"
    update(*accepted, wait=False)
    wait_for(
        lambda: "machine-config" in condition_of(cluster.api.get(OBJECT), "Progressing")["message"], "the wait", 60.0
    )
    outcome = update(*accepted, wait_timeout=5, stuck_timeout=1)
    assert codes(outcome) == ["unfinished-update"]
    assert "master 0 of 3, worker 0 of 3" in lines[-1]
    assert "waiting on machine-config" in outcome.problem("update-stuck")["message"]

    pause(cluster, "master", paused=False)
    again = update(*accepted)
    assert (again["desired_update"]["state"], again["prediction"], again["changed"]) == ("completed", PROVED, False)
    assert condition_of(cluster.api.get(WORKER), "Updating")["message"].startswith("Pool is paused; will not update")
    assert codes(update(version=LAST)) == ["paused-pool"]


@pytest.mark.deep
def test_a_pool_that_is_degraded_during_the_update_is_shown_and_not_done(
    cluster: ControlPlane, pools: Pools, update: Update, lines: list[str]
) -> None:
    pools.held.add("master")
    assert update(wait=False)["changed"]
    wait_for_condition(cluster, "Progressing", "True")
    pools.failures["worker"] = "unexpected on-disk state"
    pools.held.clear()
    degraded = "the degraded pool"
    wait_for(lambda: condition_of(cluster.api.get(WORKER), "Degraded").get("status") == "True", degraded, 60.0)
    wait_for(lambda: cluster.api.get(f"{POOLS}/master")["status"].get("updatedMachineCount") == 3, "the master", 60.0)
    outcome = update(wait_timeout=5, stuck_timeout=1)
    assert codes(outcome) == ["unfinished-update"]
    assert "master 3 of 3, worker 0 of 3 (degraded)" in lines[-1]
    assert "machine-config" in outcome.problem("update-stuck")["message"]
    pools.failures.clear()
    wait_until_completed(cluster, NEXT)
    mark = cluster.audit.mark()
    assert (update()["prediction"], writes(cluster, mark)) == (PROVED, [])


def test_accepted_risks_are_requested_where_the_server_knows_the_field(
    cluster: ControlPlane, operator: UpdatingOperator, update: Update
) -> None:
    found = conditional(NEXT, "False", RISK, risk(RISK))
    conditions = [{**item, "lastTransitionTime": NOW} for item in found["conditions"]]
    operator.available, operator.conditional = (
        {},
        {OLD: [{**found, "release": update_to(NEXT), "conditions": conditions}]},
    )
    wait_for(lambda: cluster.api.get(OBJECT)["status"].get("conditionalUpdates"), "the conditional update", 30.0)
    gate = {"apiVersion": "config.openshift.io/v1", "kind": "FeatureGate", "metadata": {"name": "cluster"}, "spec": {}}
    if not cluster.api.exists(f"{FEATURE_GATES}/cluster"):
        cluster.api.post(FEATURE_GATES, gate)
    # The CVO would reject the field.
    disabled = update(RISK, check=True)
    assert "unknown-accept-risks" in {item["code"] for item in disabled["problems"]}
    gates = [{"version": OLD, "enabled": [{"name": "ClusterUpdateAcceptRisks"}], "disabled": []}]
    cluster.api.patch(f"{FEATURE_GATES}/cluster/status", {"status": {"featureGates": gates}})
    mark = cluster.audit.mark()
    assert codes(update()) == ["conditional-risk"]
    shown = update(RISK, check=True, diff=True)
    assert writes(cluster, mark) == []

    operator.loading.clear()
    done = update(RISK, diff=True, wait=False)
    assert (done["diff"], done["plan"]) == (shown["diff"], shown["plan"])
    wanted = {"version": NEXT, "image": image_of(NEXT), "acceptRisks": [{"name": RISK}]}
    assert cluster.api.get(OBJECT)["spec"]["desiredUpdate"] == wanted
    assert writes(cluster, mark) == ["admin-acks", "version"]
    assert "unknown-accept-risks" not in {item["code"] for item in (*shown["problems"], *done["problems"])}

    # Now the CVO recommends the update.
    wait_for(lambda: cluster.api.get(OBJECT)["status"].get("availableUpdates"), "the accepted update", 30.0)
    mark = cluster.audit.mark()
    assert not update(RISK, check=True)["changed"]
    operator.loading.set()
    again = update(RISK)
    assert (again["changed"], again["prediction"], writes(cluster, mark)) == (False, PROVED, [])
    assert cluster.api.get(OBJECT)["spec"]["desiredUpdate"] == wanted
