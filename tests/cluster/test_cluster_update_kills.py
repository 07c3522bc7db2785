# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever stops the client or the API server, or goes wrong on the cluster: an update ends as the model says.

No update is requested twice, and none is called completed that is not.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.processes import Process
from ansible_collections.capability.openshift.tests.cluster.helpers.support import AGENT, OBJECT, restart
from ansible_collections.capability.openshift.tests.cluster.helpers.updates import (
    ACCEPTANCES,
    GATE,
    PATH,
    PROVED,
    releases_to,
    request,
    running,
    wait_for_condition,
    writes,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import CLUSTER_OPERATORS, EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.operators import Behaviour
from ansible_collections.capability.openshift.tests.control_plane.reset import reset
from ansible_collections.capability.openshift.tests.control_plane.updates import ACKS, UpdatingOperator

pytestmark = pytest.mark.deep

NEXT = PATH[1]
WRITTEN = ["admin-acks", "version"]
NOT_CHECKED = dict.fromkeys(PROVED, "not_checked")
UPDATES, KILLS = 10, 3
"""So many updates, each with so many kills of its clients."""


@contextmanager
def installed(plane: ControlPlane, images: Mapping[str, Path]) -> Iterator[UpdatingOperator]:
    """A cluster of the first release, whose operators need half a second each for an update."""
    reset(plane, EXAMPLE)
    with running(plane, images) as operator:
        operator.seconds = 0.5
        yield operator


def client(plane: ControlPlane, images: Mapping[str, Path], **options: Any) -> Process:
    given = {"kubeconfig": plane.kubeconfig, "version": NEXT, "releases": releases_to(images, NEXT)}
    return Process("cluster_update", **{**given, "acceptances": ACCEPTANCES, "wait_timeout": 120, **options})


def result_of(process: Process) -> dict[str, Any]:
    printed, complaints = process.communicate(300)
    assert "Traceback" not in printed + complaints
    result: dict[str, Any] = json.loads(printed)
    return result


def completed(plane: ControlPlane) -> bool:
    entry = plane.api.get(OBJECT)["status"]["history"][0]
    return bool(entry["version"] == NEXT and entry["state"] == "Completed")


def seconds_of(plane: ControlPlane, images: Mapping[str, Path]) -> float:
    """Return how long an undisturbed update takes, which ends as every other one has to."""
    with installed(plane, images):
        mark, began = plane.audit.mark(), time.monotonic()
        result = result_of(client(plane, images))
        seconds = time.monotonic() - began
        assert (result["desired_update"]["state"], result["prediction"], writes(plane, mark)) == (
            "completed",
            PROVED,
            WRITTEN,
        )
    return seconds


@pytest.fixture(scope="module")
def seconds(plane: ControlPlane, images: dict[str, Path]) -> float:
    return seconds_of(plane, images)


@pytest.mark.parametrize("seed", range(UPDATES))
def test_killed_clients_continue(plane: ControlPlane, images: dict[str, Path], seconds: float, seed: int) -> None:
    chance = random.Random(seed)
    with installed(plane, images):
        mark, kills = plane.audit.mark(), 0
        while kills < KILLS:
            process = client(plane, images)
            time.sleep(chance.uniform(0.0, seconds / KILLS))
            if process.poll() is None:
                process.kill()
                kills += 1
            else:  # it ended before: not before the operator
                assert result_of(process)["desired_update"]["state"] == "completed"
                break
        result = result_of(client(plane, images))
        assert (result.get("msg"), result["desired_update"]["state"]) == (None, "completed")
        assert result["prediction"] == PROVED
        assert writes(plane, mark) == WRITTEN
        assert completed(plane)


@pytest.mark.parametrize("seed", range(10))
def test_the_api_server_is_killed(plane: ControlPlane, images: dict[str, Path], seconds: float, seed: int) -> None:
    """A client that gave up meanwhile is run again, as people do."""
    chance = random.Random(seed)
    with installed(plane, images):
        process = client(plane, images)
        time.sleep(chance.uniform(0.0, seconds))
        plane.kill_api_server()
        time.sleep(chance.uniform(0.0, 1.0))
        restart(plane)
        results = [result_of(process)]
        while results[-1].get("failed") and len(results) < 3:
            assert (results[-1].get("desired_update") or {}).get("state") != "completed"
            results.append(result_of(client(plane, images)))
        assert (results[-1]["desired_update"]["state"], results[-1]["prediction"]) == ("completed", PROVED)
        assert completed(plane)
        # The writes of the audit log: what was answered. One that the kill interrupted is in etcd or is not.
        assert plane.api.get(ACKS)["data"] == {GATE: "true"}
        managers = [item["manager"] for item in plane.api.get(ACKS)["metadata"]["managedFields"]]
        assert managers == ["capability.openshift"]
        assert plane.api.get(OBJECT)["metadata"]["generation"] == 2


class Model(NamedTuple):
    """How a run ends: its state and errors, what it writes, and the same for the next run after the fault is gone."""

    state: str
    codes: set[str]
    then: str


def _failing(plane: ControlPlane, operator: UpdatingOperator) -> None:
    wait_for_condition(plane, "Failing", "True", "ClusterOperatorNotAvailable")
    operator.behaviours.clear()


def _replaced(plane: ControlPlane, operator: UpdatingOperator) -> None:
    wait_for_condition(plane, "Progressing", "True", "ClusterOperatorUpdating")
    request(plane, PATH[2])


def _unacknowledged(plane: ControlPlane, operator: UpdatingOperator) -> None:
    wait_for_condition(plane, "ReleaseAccepted", "Unknown", "RetrievePayload")
    plane.api.patch(ACKS, {"data": {GATE: None}})
    wait_for_condition(plane, "Upgradeable", "False", "AdminAckRequired")
    operator.loading.set()


def _nothing(plane: ControlPlane, operator: UpdatingOperator) -> None:
    """Leave it as it is."""


FAULTS: dict[str, tuple[Callable[[UpdatingOperator], object], Callable[..., None], Model]] = {
    "failing-recovers": (
        lambda operator: operator.behaviours.update(ingress=Behaviour(unavailable="no endpoints")),
        _failing,
        Model("completed", set(), "completed"),
    ),
    "release-not-accepted": (
        lambda operator: setattr(operator, "refusal", "The update cannot be verified"),
        _nothing,
        Model("requested", {"unfinished-update"}, "completed"),
    ),
    "operator-never-reports": (
        lambda operator: operator.behaviours.update(ingress=Behaviour(silent=True)),
        _nothing,
        Model("partial", {"unfinished-update"}, "completed"),
    ),
    "another-client": (
        lambda operator: operator.behaviours.update(ingress=Behaviour(silent=True)),
        _replaced,
        Model("partial", {"replaced-update"}, "partial"),
    ),
    "acknowledgement-disappears": (
        lambda operator: operator.loading.clear(),
        _unacknowledged,
        Model("requested", {"unfinished-update"}, "completed"),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_end_as_the_model_says(plane: ControlPlane, images: dict[str, Path], name: str) -> None:
    begin, during, model = FAULTS[name]
    with installed(plane, images) as operator:
        begin(operator)
        mark = plane.audit.mark()
        process = client(plane, images, wait_timeout=8 if "unfinished-update" in model.codes else 120)
        during(plane, operator)
        result = result_of(process)
        codes = {item["code"] for item in result["problems"] if item["severity"] == "error"}
        assert (result["desired_update"]["state"], codes) == (model.state, model.codes)
        assert result["prediction"] == (PROVED if model.state == "completed" else NOT_CHECKED)
        assert writes(plane, mark) == WRITTEN
        assert completed(plane) == (model.state == "completed")
        operator.refusal = ""
        operator.behaviours.clear()
        mark = plane.audit.mark()
        again = result_of(client(plane, images))
        if model.then == "completed":
            assert (again["desired_update"]["state"], again["prediction"]) == ("completed", PROVED)
            assert writes(plane, mark) == (["admin-acks"] if name == "acknowledgement-disappears" else [])
        else:
            assert again["failed"]
            assert writes(plane, mark) == []


def test_following_costs_one_request_in_five_seconds_at_most(plane: ControlPlane, images: dict[str, Path]) -> None:
    with installed(plane, images) as operator:
        operator.behaviours["ingress"] = Behaviour(silent=True)
        process = client(plane, images)
        wait_for_condition(plane, "Progressing", "True", "ClusterOperatorUpdating")
        mark = plane.audit.mark()
        for number in range(120):  # operators report something all the time
            body = {"metadata": {"annotations": {"example.com/seen": str(number)}}}
            plane.api.patch(f"{CLUSTER_OPERATORS}/ingress", body)
            time.sleep(0.5)
        assert len(plane.audit.requests(mark, user_agent=AGENT)) <= 0.2 * 60
        operator.behaviours.clear()
        assert result_of(process)["desired_update"]["state"] == "completed"
