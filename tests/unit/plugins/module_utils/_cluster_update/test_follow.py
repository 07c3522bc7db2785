# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""When an update that is followed is over, and what is shown until then. The clock is ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import CLUSTER_VERSION
from ansible_collections.capability.openshift.plugins.module_utils._cluster_update import follow
from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.follow import (
    OPERATORS,
    POOLS,
    follow_update,
    snapshots_to_follow,
)
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.watch import ObservedObjects
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problem, Problems
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer, fault
from ansible_collections.capability.openshift.tests.unit.builders.cluster_updates import (
    CURRENT,
    NEXT,
    TARGET,
    cluster,
    cluster_version,
    operator,
    release,
)
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import condition

REQUESTED = cluster_version(desiredUpdate=release(NEXT))
PAST = (CURRENT, "Completed")
DONE = cluster_version((NEXT, "Completed"), PAST, desiredUpdate=release(NEXT))


def progressing(done: int) -> dict[str, str]:
    return condition("Progressing", "True", "", f"Working towards {NEXT}: {done} of 900 done")


def partial(done: int = 1, **conditions: str) -> dict[str, Any]:
    shown = [progressing(done)]
    shown += [condition(kind, status, "Reason", f"words of {kind}") for kind, status in conditions.items()]
    return cluster_version((NEXT, "Partial"), PAST, conditions=shown, desiredUpdate=release(NEXT))


WORKER = {"status": {"machineCount": 3, "updatedMachineCount": 2, "conditions": [condition("Updated", "False")]}}
MASTER = {"status": {"machineCount": 3, "updatedMachineCount": 3, "conditions": [condition("Updated", "True")]}}
OPERAND = {"name": "operand", "version": NEXT}
LATE = operator()
OTHERS = {"a": {"status": operator(NEXT)}, "b": {"status": {**LATE, "versions": [OPERAND, *LATE["versions"]]}}}
AWAY = ClusterError([Problem("error", "unreachable-server", "", "does not answer")])


class Run:
    """Follows states that come at given times. A state is a ClusterVersion, or an error, and other objects."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *states: tuple[Any, ...], stuck: float = 1800.0) -> None:
        self.now, self.lines = 0.0, list[str]()
        self.problems = Problems()

        def watch(*_arguments: object) -> Iterator[ObservedObjects]:
            for self.now, state, *others in states:
                if isinstance(state, ClusterError):
                    raise state
                items = {"version": state} if state else {}
                more = others[0] if others else {}
                objects = {CLUSTER_VERSION: items, OPERATORS: OTHERS, POOLS: {"worker": WORKER}}
                yield ObservedObjects({**objects, **more.get("objects", {})}, more.get("error"))

        monkeypatch.setattr(follow, "watch_objects", watch)
        client: Any = None
        self.last = follow_update(
            client, TARGET, {}, 100.0, stuck, self.lines.append, self.problems, clock=lambda: self.now
        )

    @property
    def codes(self) -> list[str]:
        return [item.code for item in self.problems]


def test_it_ends_when_the_history_has_the_image_as_completed(monkeypatch):
    run = Run(monkeypatch, (0, REQUESTED, {"objects": {POOLS: {"master": MASTER}}}), (1, partial()), (3, DONE))

    assert (run.last, run.codes) == (DONE, [])
    assert run.lines == ["requested; operators: 1 of 2"]


def test_there_is_a_line_at_most_every_thirty_seconds(monkeypatch):
    run = Run(monkeypatch, *((second, partial(second)) for second in range(0, 91, 10)), (100, DONE))

    assert [line.partition(" of")[0] for line in run.lines] == [
        f"Working towards {NEXT}: {done}" for done in (0, 30, 60, 90)
    ]


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({"Failing": "True"}, "Failing=True: words of Failing"),
        ({"Failing": "Unknown"}, "Failing=Unknown: words of Failing"),
        ({"ReleaseAccepted": "False"}, "ReleaseAccepted=False: words of ReleaseAccepted"),
        ({"ReleaseAccepted": "Unknown"}, "ReleaseAccepted=Unknown: words of ReleaseAccepted"),
        ({"Invalid": "True"}, "Invalid=True: words of Invalid"),
    ],
)
def test_what_keeps_the_operator_from_progress_is_shown_and_no_end(monkeypatch, conditions, words):
    run = Run(monkeypatch, (0, partial(**conditions)), (40, partial(2)), (50, DONE))

    assert words in run.lines[0]
    assert words not in run.lines[1]
    assert (run.last, run.codes) == (DONE, [])


@pytest.mark.parametrize("last", [REQUESTED, partial(Failing="True"), None])
def test_a_timeout_is_not_the_end_of_the_update(monkeypatch, last):
    run = Run(monkeypatch, (0, REQUESTED), (100, last))

    assert run.codes == ["unfinished-update"]
    assert run.last == (last or REQUESTED)
    assert ("words of Failing" in run.problems[0].message) == (last not in (None, REQUESTED))


@pytest.mark.parametrize(
    ("obj", "shown"),
    [
        (cluster_version(desiredUpdate=release("4.21.1")), "4.21.1"),
        (cluster_version((NEXT, "Partial"), PAST, desiredUpdate=release("4.21.1")), "4.21.1"),
        (cluster_version(("4.21.1", "Completed"), PAST, desiredUpdate=release("4.21.1")), "4.21.1"),
        (cluster_version(), "no update"),
        (cluster_version(desiredUpdate={"acceptRisks": [{"name": "Slow"}]}), "no update"),
    ],
)
def test_another_update_replaces_it(monkeypatch, obj, shown):
    run = Run(monkeypatch, (0, REQUESTED), (1, obj), (2, DONE))

    assert (run.last, run.codes) == (obj, ["replaced-update"])
    assert shown in run.problems[0].message


def test_an_update_that_has_begun_goes_on_without_its_request(monkeypatch):
    begun = cluster_version((NEXT, "Partial"), PAST)
    assert Run(monkeypatch, (0, begun), (1, DONE)).codes == []


def test_it_is_stuck_once_for_each_time_in_which_nothing_moves(monkeypatch):
    slow = [(0, partial()), (99, partial()), (101, partial()), (150, partial()), (160, partial(2)), (270, partial(2))]
    run = Run(monkeypatch, *slow, (280, DONE), stuck=100)

    assert run.codes == ["update-stuck"] * 2
    assert {item.severity for item in run.problems} == {"warning"}
    assert "1 of 900" in run.problems[0].message
    assert [line.startswith("stuck for") for line in run.lines] == [False, False, True, True]


def test_what_moves_is_not_stuck(monkeypatch):
    run = Run(monkeypatch, *((second, partial(second)) for second in range(0, 1000, 90)), (1000, DONE), stuck=100)
    assert run.codes == []


@pytest.mark.parametrize(
    ("obj", "objects"),
    [
        (partial(), {POOLS: {"worker": {"status": {"machineCount": 3, "updatedMachineCount": 3}}}}),
        (partial(), {OPERATORS: {**OTHERS, "b": {"status": operator(NEXT)}}}),
        (partial(), {OPERATORS: {**OTHERS, "b": {"status": {**LATE, **operator(Progressing="True")}}}}),
        (partial(Available="False"), {}),
        (partial(2), {}),
        (cluster_version((NEXT, "Partial"), desiredUpdate=release(NEXT), conditions=[progressing(1)]), {}),
    ],
    ids=["pool", "version of an operator", "condition of an operator", "condition", "words", "history"],
)
def test_each_part_of_a_cluster_can_move(monkeypatch, obj, objects):
    run = Run(monkeypatch, (0, partial()), (90, obj, {"objects": objects}), (150, obj, {"objects": objects}), stuck=100)
    assert run.codes == ["unfinished-update"]


def test_a_degraded_pool_and_an_api_server_that_is_away_are_shown(monkeypatch):
    degraded = {"status": {**WORKER["status"], "conditions": [condition("Degraded", "True")]}}
    states = (
        (0, partial(), {"objects": {POOLS: {"master": MASTER, "worker": degraded}}}),
        (30, partial(), {"error": AWAY}),
        (40, DONE),
    )
    run = Run(monkeypatch, *states)

    assert run.lines[0].endswith("nodes: master 3 of 3, worker 2 of 3 (degraded)")
    assert [line.rpartition(": ")[2] for line in run.lines[1:]] == ["does not answer"]


def test_a_cluster_that_cannot_be_read_is_an_error(monkeypatch):
    denied = ClusterError([Problem("error", "unauthorized-request", "", "cannot watch")])
    run = Run(monkeypatch, (0, partial()), (1, denied))

    assert run.codes == ["unknown-update-state", "unauthorized-request"]
    assert run.last == partial()


def test_pools_are_followed_if_there_are_some():
    server, problems = cluster(), Problems()
    assert set(snapshots_to_follow(server.client(), problems)) == {CLUSTER_VERSION, OPERATORS, POOLS}
    assert set(snapshots_to_follow(ApiServer(*server.kinds[:-1]).client(), problems)) == {CLUSTER_VERSION, OPERATORS}
    assert problems == []

    server.faults["GET", POOLS.path] = [fault(403)]
    assert set(snapshots_to_follow(server.client(), problems)) == {CLUSTER_VERSION, OPERATORS}
    assert [(item.severity, item.code) for item in problems] == [("warning", "unread-pools")]


def test_operators_that_cannot_be_listed_are_an_error():
    server = cluster()
    server.faults["GET", OPERATORS.path] = [fault(403)]
    with pytest.raises(ClusterError):
        snapshots_to_follow(server.client(), Problems())
