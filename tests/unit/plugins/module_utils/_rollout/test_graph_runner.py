# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A walk through a graph whose cluster fails as it is told to: what is sent, what is left, and what is lost never."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import retries as _patience
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import ApiError
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problem
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.task_graph import task_graph
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._rollout.change_set import ApplyResult, ChangeSet
from ansible_collections.capability.openshift.plugins.module_utils._rollout.graph_runner import GraphRunner, Pace
from ansible_collections.capability.openshift.plugins.module_utils._rollout.options import REAL_TIMINGS, Timings

PROBLEM = Problem("error", "todo", "", "cannot patch it: 401 Unauthorized")
UNAUTHORIZED = ApiError(401, "Unauthorized", "patch", "it")


class Nothing:
    """A cluster that serves no kind beyond its own."""

    def find(self, _group: str, _kind: str, _version: str = "") -> None:
        return None

    def reload(self) -> None:
        pass


class Cluster:
    """A sender whose ``outcomes`` say what comes of the manifests of a name; else they are created."""

    def __init__(self, **outcomes: Callable[[ApplyResult], ApplyResult]) -> None:
        self.outcomes = outcomes
        self.seconds: list[float] = []

    def is_unchanged(self, _manifest: Manifest) -> bool:
        return False

    def send(self, manifest: Manifest, _definition: Manifest | None = None) -> ApplyResult:
        sent = ApplyResult(manifest, "created", pending=manifest.resource_id.kind == "CustomResourceDefinition")
        return sent if sent.pending else self._outcome(sent)

    def established(self, _manifest: Manifest, sent: ApplyResult, seconds: float) -> ApplyResult:
        self.seconds.append(seconds)
        return self._outcome(sent._replace(pending=False))

    def _outcome(self, sent: ApplyResult) -> ApplyResult:
        change = self.outcomes.get(sent.manifest.resource_id.name.partition(".")[0])
        return change(sent) if change else sent


def config(name: str, component: str = "a") -> Manifest:
    return Manifest(ResourceId("", "ConfigMap", "", name), "v1", {}, f"0000_10_{component}_1.yaml")


def definition(name: str, component: str = "a") -> Manifest:
    resource = ResourceId("apiextensions.k8s.io", "CustomResourceDefinition", "", f"{name}.test.io")
    return Manifest(resource, "v1", {}, f"0000_10_{component}_1.yaml")


def hears(_sent: ApplyResult) -> None:
    pass


def walked(
    cluster: Cluster,
    *manifests: Manifest,
    told: Callable[[ApplyResult], None] = hears,
    timings: Timings = REAL_TIMINGS,
) -> ChangeSet:
    pace = Pace(1, time.monotonic(), False, told, lambda _since, _last: (), lambda *_waiting: None, timings)
    kinds: Any = Nothing()
    sender: Any = cluster
    return GraphRunner(task_graph(manifests, "install"), sender, kinds, pace).walk()


def states(outcome: ChangeSet) -> dict[str, str]:
    return {sent.manifest.resource_id.name.partition(".")[0]: sent.state for sent in outcome.sent}


def failed(sent: ApplyResult) -> ApplyResult:
    return sent._replace(state="failed", problems=(PROBLEM,))


def refused(_sent: ApplyResult) -> ApplyResult:
    raise UNAUTHORIZED


def test_credentials_that_expire_break_the_walk_off_once() -> None:
    outcome = walked(Cluster(b=refused), *map(config, "abcd"))
    assert states(outcome) == {"a": "created"}
    assert [item.resource_id.name for item in outcome.left] == ["b", "c", "d"]
    assert outcome.problems == UNAUTHORIZED.problems


def test_failure_leaves_the_rest_of_its_node_and_nothing_else() -> None:
    outcome = walked(Cluster(b=failed), config("a"), config("b"), config("c"), config("d", "z"))
    assert states(outcome) == {"a": "created", "b": "failed", "d": "created"}
    assert [item.resource_id.name for item in outcome.left] == ["c"]


def test_what_the_cluster_lacks_leaves_nothing() -> None:
    outcome = walked(Cluster(a=lambda sent: sent._replace(state="forbidden")), config("a"), config("b"))
    assert states(outcome) == {"a": "forbidden", "b": "created"}
    assert outcome.left == ()


def test_definition_that_is_not_established_leaves_the_rest_of_its_node() -> None:
    outcome = walked(Cluster(x=failed), definition("x"), definition("y"), config("a"), config("b", "z"))
    assert states(outcome) == {"x": "failed", "y": "created", "b": "created"}


def test_definitions_of_a_node_have_one_time_together(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)

    def slow(sent: ApplyResult) -> ApplyResult:
        nonlocal now
        now += 0.2
        return sent

    cluster = Cluster(x=slow, y=slow, z=slow)
    walked(cluster, *map(definition, "xyz"), timings=Timings(establish=0.3))
    assert cluster.seconds == pytest.approx([0.3, 0.1, 0])


def test_whoever_hears_can_end_the_walk_again_and_again() -> None:
    def ends(_sent: ApplyResult) -> None:
        raise ClusterError([PROBLEM])

    outcome = walked(Cluster(), *map(definition, "xyz"), config("a"), told=ends)
    assert [item.resource_id.name for item in outcome.left] == ["a"]
    assert outcome.problems == (PROBLEM,)


def test_a_definition_that_nobody_may_look_at_is_tried_again_before_its_objects() -> None:
    order: list[str] = []

    def forbidden_first(sent: ApplyResult) -> ApplyResult:
        order.append("definition")
        return sent._replace(state="forbidden") if len(order) == 1 else sent

    def noted(sent: ApplyResult) -> ApplyResult:
        order.append("object")
        return sent

    thing = Manifest(ResourceId("test.io", "Thing", "", "thing"), "v1", {}, "0000_20_b_1.yaml")
    outcome = walked(Cluster(x=forbidden_first, thing=noted), definition("x"), thing)
    assert states(outcome) == {"x": "created", "thing": "created"}
    assert order == ["definition", "definition", "object"]


def test_definitions_that_were_sent_are_told_also_where_the_cluster_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_patience, "SECONDS", 0)

    def gone(_sent: ApplyResult) -> ApplyResult:
        raise ClusterError([PROBLEM])

    outcome = walked(Cluster(y=gone), *map(definition, "xyz"), config("a"))
    assert states(outcome) == {"x": "created", "y": "unavailable", "z": "unavailable"}
    assert [item.resource_id.name for item in outcome.left] == ["a"]
