# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of a graph on a cluster that fails: what is applied, what is not, and that no result is lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import retries as _retries
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import ApiError
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._progress import silent
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.task_graph import Mode, task_graph
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._rollout.change_set import (
    ApplyResult,
    ChangeSet,
    refused,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.graph_runner import GraphRunner, RunListener
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

    def defines(self, definition: Manifest, manifest: Manifest) -> bool:
        return definition.resource_id.name == f"{manifest.resource_id.kind.lower()}s.test.io"

    def exists_in_another_version(self, _manifest: Manifest) -> bool:
        return False

    def has_namespace(self, name: str) -> bool:
        return name == "exists"

    def apply(self, manifest: Manifest, _definition: Manifest | None = None) -> ApplyResult:
        result = ApplyResult(manifest, "created", pending=manifest.resource_id.kind == "CustomResourceDefinition")
        return result if result.pending else self._changed(result)

    def wait_until_established(self, result: ApplyResult, seconds: float) -> ApplyResult:
        self.seconds.append(seconds)
        return self._changed(result._replace(pending=False))

    def _changed(self, result: ApplyResult) -> ApplyResult:
        change = self.changes.get(result.manifest.resource_id.name.partition(".")[0])
        return change(result) if change else result


class Listener(RunListener):
    """Waits for nothing. ``error`` is what it raises for each result."""

    def __init__(self, error: ClusterError | None = None) -> None:
        super().__init__((), silent)
        self._error = error
        self.waits: list[tuple[int, str, str]] = []

    def applied(self, result: ApplyResult) -> None:
        if self._error is not None:
            raise self._error

    def waiting(self, left: int, resource: str, message: str) -> None:
        self.waits.append((left, resource, message))


def config(name: str, component: str = "a") -> Manifest:
    return Manifest(ResourceId("", "ConfigMap", "", name), "v1", {}, f"0000_10_{component}_1.yaml")


def definition(name: str, component: str = "a") -> Manifest:
    resource = ResourceId("apiextensions.k8s.io", "CustomResourceDefinition", "", f"{name}.test.io")
    return Manifest(resource, "v1", {}, f"0000_10_{component}_1.yaml")


def run(
    fake: FakeApplier,
    *manifests: Manifest,
    error: ClusterError | None = None,
    timings: Timings = REAL_TIMINGS,
    dry_run: bool = False,
    mode: Mode = "install",
) -> ChangeSet:
    kinds: Any = NoKinds()
    applier: Any = fake
    options: Any = SimpleNamespace(parallelism=1, deadline=time.monotonic(), dry_run=dry_run, timings=timings)
    return GraphRunner(task_graph(manifests, mode), applier, kinds, options, Listener(error)).run()


def actions(changes: ChangeSet) -> dict[str, str]:
    return {result.manifest.resource_id.name.partition(".")[0]: result.action for result in changes.results}


def not_applied(changes: ChangeSet) -> list[str]:
    return [manifest.resource_id.name for manifest in changes.not_applied]


def failed(result: ApplyResult) -> ApplyResult:
    return result._replace(action="failed", problems=(PROBLEM,))


def forbidden(result: ApplyResult) -> ApplyResult:
    return refused(result.manifest, Refusal.FORBIDDEN)


def unserved(result: ApplyResult) -> ApplyResult:
    return refused(result.manifest, Refusal.KIND_NOT_SERVED)


def without_namespace(result: ApplyResult) -> ApplyResult:
    return refused(result.manifest, Refusal.NAMESPACE_MISSING)


def predicted(fake: FakeApplier, *manifests: Manifest, mode: Mode = "install") -> tuple[ChangeSet, ChangeSet]:
    """Run in check mode and for real, and check that the numbers are the same."""
    check, real = (run(fake, *manifests, dry_run=dry_run, mode=mode) for dry_run in (True, False))
    assert actions(check) == actions(real)
    assert check.not_applied == real.not_applied
    assert real.refused_later == ()
    return check, real


def refused_later(changes: ChangeSet) -> list[str]:
    return [result.manifest.resource_id.name for result in changes.refused_later]


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
    monkeypatch.setattr(_retries, "OUTAGE_SECONDS", 0)

    def unreachable(_result: ApplyResult) -> ApplyResult:
        raise ClusterError([PROBLEM])

    changes = run(FakeApplier(y=unreachable), *map(definition, "xyz"), config("a"))
    assert actions(changes) == {"x": "created", "y": "unavailable", "z": "unavailable"}
    assert not_applied(changes) == ["a"]


def test_an_error_of_the_collection_is_reported_and_ends_the_run() -> None:
    def defective(_result: ApplyResult) -> ApplyResult:
        raise ZeroDivisionError

    changes = run(FakeApplier(y=defective), *map(config, "xyz"))
    assert actions(changes) == {"x": "created"}
    assert [problem.code for problem in changes.problems] == ["internal-error"]


def test_check_finds_all_refusals_of_a_node_and_counts_as_the_run() -> None:
    fake = FakeApplier(b=failed, d=failed, e=forbidden)
    check, _real = predicted(fake, *map(config, "abcde"), config("f", "z"))
    assert actions(check) == {"a": "created", "b": "failed", "f": "created"}
    assert not_applied(check) == ["c", "d", "e"]
    assert refused_later(check) == ["d", "e"]


def test_check_finds_the_refusals_of_later_run_levels() -> None:
    later = config("c")._replace(file="0000_20_a_1.yaml")
    last = config("d")._replace(file="0000_30_a_1.yaml")
    check, _real = predicted(FakeApplier(b=failed, d=failed), *map(config, "ab"), later, last, mode="update")
    assert not_applied(check) == ["c", "d"]
    assert refused_later(check) == ["d"]


def test_failure_behind_a_failure_stops_nothing_else() -> None:
    later = config("d", "z")._replace(file="0000_10_z_1.yaml")
    check, _real = predicted(FakeApplier(a=failed, b=failed), *map(config, "abc"), later)
    assert actions(check) == {"a": "failed", "d": "created"}


@pytest.mark.parametrize(("changes", "action"), [({}, "created"), ({"n": failed}, "no_namespace")])
def test_check_relies_on_a_namespace_only_if_it_succeeds(changes: Any, action: str) -> None:
    home = Manifest(ResourceId("", "Namespace", "", "n"), "v1", {}, "0000_10_z_1.yaml")
    inside = config("a")._replace(resource_id=ResourceId("", "ConfigMap", "n", "a"))
    check = run(FakeApplier(a=without_namespace, **changes), home, inside, dry_run=True)
    assert actions(check)["a"] == action


@pytest.mark.parametrize(("namespace", "action"), [("exists", "created"), ("n", "created"), ("gone", "no_namespace")])
def test_check_of_a_kind_that_the_rollout_defines_looks_for_the_namespace(namespace: str, action: str) -> None:
    home = Manifest(ResourceId("", "Namespace", "", "n"), "v1", {}, "0000_10_z_1.yaml")
    thing = Manifest(ResourceId("test.io", "Thing", namespace, "a"), "v1", {}, "0000_10_a_1.yaml")
    fake = FakeApplier(a=unserved, x=lambda result: result._replace(pending=False))
    check = run(fake, home, thing, definition("x", "z"), dry_run=True)
    assert actions(check)["a"] == action


@pytest.mark.parametrize(("kind", "action"), [("X", "unserved"), ("Y", "created")])
def test_check_relies_on_a_kind_only_if_its_definition_succeeds(kind: str, action: str) -> None:
    thing = Manifest(ResourceId("test.io", kind, "", "a"), "v1", {}, "0000_10_z_1.yaml")
    fake = FakeApplier(a=unserved, xs=failed, ys=lambda result: result._replace(pending=False))
    check = run(fake, definition("ys", "b"), definition("xs"), thing, dry_run=True)
    assert actions(check)["a"] == action


def test_what_is_tried_again_and_again_is_shown() -> None:
    tries = 0

    def later(result: ApplyResult) -> ApplyResult:
        nonlocal tries
        tries += 1
        return without_namespace(result) if tries < 4 else result

    applier: Any = FakeApplier(a=later)
    kinds: Any = NoKinds()
    listener = Listener()
    timings = Timings(first_pause=0, longest_pause=0)
    options: Any = SimpleNamespace(parallelism=1, deadline=time.monotonic() + 9, dry_run=False, timings=timings)
    changes = GraphRunner(task_graph([config("a")], "install"), applier, kinds, options, listener).run()
    assert actions(changes) == {"a": "created"}
    assert listener.waits == [(1, "ConfigMap a", "no namespace")] * 2


def manifest(level: str, name: str) -> Manifest:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}
    file = f"0000_{level}_part_{name}.yaml" if level else f"{name}.yaml"
    read = manifest_from_object(obj, file, 0, Problems())
    assert read is not None
    return read


def test_the_number_of_manifests_and_the_wait_are_shown():
    shown: list[str] = []
    manifests = [manifest("10", "a"), manifest("", "b"), manifest("10", "c")]
    listener = RunListener(manifests, shown.append)
    first, second, third = (ApplyResult(item, "created") for item in manifests)
    listener.applied(first)
    listener.applied(second)
    listener.waiting(3, "deployments.apps x", "2 of 3 replicas")
    listener.waiting(1, "namespaces y", "")
    listener.applied(third)
    assert shown == [
        "run level 10: 1 of 3, 33 %",
        "files without a run level: 2 of 3, 66 %",
        "waiting for 3: deployments.apps x (2 of 3 replicas)",
        "waiting for 1: namespaces y",
        "run level 10: 3 of 3, 100 %",
    ]


def test_numbers_grow_with_many_threads():
    shown: list[str] = []
    results = [ApplyResult(manifest("10", str(number)), "created") for number in range(300)]
    listener = RunListener([result.manifest for result in results], shown.append)
    with ThreadPoolExecutor(8) as executor:
        list(executor.map(listener.applied, results))

    assert shown == [f"run level 10: {done} of 300, {100 * done // 300} %" for done in range(1, 301)]
