# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of a graph on a cluster that fails: what is applied, what is not, and that no result is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import retries as _retries
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import ApiError
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.task_graph import task_graph
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._rollout.change_set import (
    ApplyResult,
    ChangeSet,
    refused,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.graph_runner import GraphRunner, RunOptions
from ansible_collections.capability.openshift.plugins.module_utils._rollout.options import REAL_TIMINGS, Timings
from ansible_collections.capability.openshift.plugins.module_utils._rollout.refusals import Refusal

PROBLEM = Problem("error", "unauthorized-request", "", "cannot patch it: 401 Unauthorized")
UNAUTHORIZED = ApiError(401, "Unauthorized", "patch", "it")


class NoKinds:
    """A cluster that serves only its own kinds."""

    def find(self, _group: str, _kind: str, _version: str = "") -> None:
        return None

    def reload(self) -> None:
        pass


class FakeApplier:
    """Creates all objects. ``changes`` replace the results of manifests by name."""

    def __init__(self, **changes: Callable[[ApplyResult], ApplyResult]) -> None:
        self.changes = changes
        self.seconds: list[float] = []

    def is_unchanged(self, _manifest: Manifest) -> bool:
        return False

    def apply(self, manifest: Manifest, _definition: Manifest | None = None) -> ApplyResult:
        result = ApplyResult(manifest, "created", pending=manifest.resource_id.kind == "CustomResourceDefinition")
        return result if result.pending else self._changed(result)

    def wait_until_established(self, result: ApplyResult, seconds: float) -> ApplyResult:
        self.seconds.append(seconds)
        return self._changed(result._replace(pending=False))

    def _changed(self, result: ApplyResult) -> ApplyResult:
        change = self.changes.get(result.manifest.resource_id.name.partition(".")[0])
        return change(result) if change else result


class Listener:
    """Waits for nothing. ``error`` is what it raises for each result."""

    def __init__(self, error: ClusterError | None = None) -> None:
        self._error = error

    def applied(self, result: ApplyResult) -> None:
        if self._error is not None:
            raise self._error

    def waiting(self, left: int, resource: str, message: str) -> None:
        pass

    def wait(self, results: Sequence[ApplyResult], is_last: bool, problems: Problems) -> None:
        pass


def config(name: str, component: str = "a") -> Manifest:
    return Manifest(ResourceId("", "ConfigMap", "", name), "v1", {}, f"0000_10_{component}_1.yaml")


def definition(name: str, component: str = "a") -> Manifest:
    resource = ResourceId("apiextensions.k8s.io", "CustomResourceDefinition", "", f"{name}.test.io")
    return Manifest(resource, "v1", {}, f"0000_10_{component}_1.yaml")


def run(
    fake: FakeApplier, *manifests: Manifest, error: ClusterError | None = None, timings: Timings = REAL_TIMINGS
) -> ChangeSet:
    kinds: Any = NoKinds()
    applier: Any = fake
    options = RunOptions(1, time.monotonic(), False, timings)
    return GraphRunner(task_graph(manifests, "install"), applier, kinds, options, Listener(error)).run()


def actions(changes: ChangeSet) -> dict[str, str]:
    return {result.manifest.resource_id.name.partition(".")[0]: result.action for result in changes.results}


def not_applied(changes: ChangeSet) -> list[str]:
    return [manifest.resource_id.name for manifest in changes.not_applied]


def failed(result: ApplyResult) -> ApplyResult:
    return result._replace(action="failed", problems=(PROBLEM,))


def forbidden(result: ApplyResult) -> ApplyResult:
    return refused(result.manifest, Refusal.FORBIDDEN)


def unauthorized(_result: ApplyResult) -> ApplyResult:
    raise UNAUTHORIZED


def test_credentials_that_expire_end_the_run_with_one_error() -> None:
    changes = run(FakeApplier(b=unauthorized), *map(config, "abcd"))
    assert actions(changes) == {"a": "created"}
    assert not_applied(changes) == ["b", "c", "d"]
    assert changes.problems == UNAUTHORIZED.problems


def test_failure_stops_the_rest_of_its_node_and_nothing_else() -> None:
    changes = run(FakeApplier(b=failed), config("a"), config("b"), config("c"), config("d", "z"))
    assert actions(changes) == {"a": "created", "b": "failed", "d": "created"}
    assert not_applied(changes) == ["c"]


def test_refusal_that_can_end_stops_nothing() -> None:
    changes = run(FakeApplier(a=forbidden), config("a"), config("b"))
    assert actions(changes) == {"a": "forbidden", "b": "created"}
    assert not_applied(changes) == []


def test_definition_that_is_not_established_stops_the_rest_of_its_node() -> None:
    changes = run(FakeApplier(x=failed), definition("x"), definition("y"), config("a"), config("b", "z"))
    assert actions(changes) == {"x": "failed", "y": "created", "b": "created"}


def test_definitions_of_a_node_share_one_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)

    def slow(result: ApplyResult) -> ApplyResult:
        nonlocal now
        now += 0.2
        return result

    fake = FakeApplier(x=slow, y=slow, z=slow)
    run(fake, *map(definition, "xyz"), timings=Timings(establish=0.3))
    assert fake.seconds == pytest.approx([0.3, 0.1, 0])


def test_listener_can_end_the_run_again_and_again() -> None:
    changes = run(FakeApplier(), *map(definition, "xyz"), config("a"), error=ClusterError([PROBLEM]))
    assert not_applied(changes) == ["a"]
    assert changes.problems == (PROBLEM,)


def test_definition_that_is_forbidden_is_retried_before_its_objects() -> None:
    order: list[str] = []

    def forbidden_first(result: ApplyResult) -> ApplyResult:
        order.append("definition")
        return forbidden(result) if len(order) == 1 else result

    def applied(result: ApplyResult) -> ApplyResult:
        order.append("object")
        return result

    thing = Manifest(ResourceId("test.io", "Thing", "", "thing"), "v1", {}, "0000_20_b_1.yaml")
    changes = run(FakeApplier(x=forbidden_first, thing=applied), definition("x"), thing)
    assert actions(changes) == {"x": "created", "thing": "created"}
    assert order == ["definition", "definition", "object"]


def test_applied_definitions_are_reported_even_if_the_cluster_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_retries, "SILENCE_SECONDS", 0)

    def unreachable(_result: ApplyResult) -> ApplyResult:
        raise ClusterError([PROBLEM])

    changes = run(FakeApplier(y=unreachable), *map(definition, "xyz"), config("a"))
    assert actions(changes) == {"x": "created", "y": "unavailable", "z": "unavailable"}
    assert not_applied(changes) == ["a"]
