# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a task graph, and shows its progress: nodes in parallel, the manifests of a node one after the other.

A manifest waits for what another node creates: its namespace, its kind, or a new schema of it. What the cluster lacks
is retried at the next barrier. A failed manifest stops its node and everything that depends on it, as in the CVO.
A manifest that the cluster cannot accept yet does not.
Source: openshift/cluster-version-operator:pkg/payload/task_graph.go RunGraph.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum, auto
from queue import SimpleQueue
from threading import Lock
from typing import NamedTuple, TypeVar

from .._kubernetes.api_errors import ApiError
from .._kubernetes.rest_mapper import RestMapper
from .._kubernetes.retries import retry_while_unreachable
from .._problems import ClusterError, Problem, Problems
from .._progress import Progress
from .._release.manifest import Manifest
from .._release.task_graph import TaskGraph, installs_webhook, run_level_of
from .._resources import CUSTOM_RESOURCE_DEFINITIONS
from .apply import Applier
from .change_set import ApplyResult, ChangeSet, refused
from .deletion import waiting_text
from .options import RolloutOptions
from .refusals import Refusal

Prerequisite = tuple[str, str]
"""``namespace`` and its name, ``kind`` and its group, or ``definition`` and the CustomResourceDefinition's name."""
Result = TypeVar("Result")


class PendingPrerequisites:
    """What the manifests of a rollout provide: namespaces by name, kinds by their group, and definitions.

    A definition that is known not to change is not pending.
    """

    def __init__(self, manifests: Iterable[Manifest], is_unchanged: Callable[[Manifest], bool]) -> None:
        self._pending: dict[Prerequisite, set[int]] = {}
        for manifest in manifests:
            for provided in provided_by(manifest):
                self._pending.setdefault(provided, set()).add(id(manifest))
            if is_definition(manifest) and not manifest.deletes and is_unchanged(manifest):
                self._pending[definition_named(manifest.resource_id.name)].discard(id(manifest))
        self._lock = Lock()

    def resolve(self, manifest: Manifest) -> tuple[Prerequisite, ...]:
        """Remove what ``manifest`` provides. Returns what others may no longer have to wait for."""
        provided = provided_by(manifest)
        with self._lock:
            pending = [self._pending[prerequisite] for prerequisite in provided]
            is_last = any(manifests == {id(manifest)} for manifests in pending)
            for manifests in pending:
                manifests.discard(id(manifest))
        return provided if is_last else ()

    def is_pending(self, prerequisite: Prerequisite) -> bool:
        """Whether a manifest still has to provide it."""
        return bool(self._pending.get(prerequisite))

    def is_provided(self, prerequisite: Prerequisite) -> bool:
        """Whether any manifest of the rollout provides it, even if it is done."""
        return prerequisite in self._pending


def provided_by(manifest: Manifest) -> tuple[Prerequisite, ...]:
    """What ``manifest`` provides for others."""
    resource = manifest.resource_id
    if manifest.deletes:
        return ()
    if resource.group_kind == ("", "Namespace"):
        return (("namespace", resource.name),)
    if is_definition(manifest):
        return ("kind", resource.name.partition(".")[2]), definition_named(resource.name)
    return ()


def lacked_by(result: ApplyResult) -> Prerequisite | None:
    """What a refused manifest lacks that another manifest can provide."""
    resource = result.manifest.resource_id
    if result.refusal is Refusal.NAMESPACE_MISSING:
        return "namespace", resource.namespace
    if result.refusal in (Refusal.KIND_NOT_SERVED, Refusal.KIND_SKIPPED, Refusal.GROUP_UNAVAILABLE):
        return "kind", resource.group
    return None


def definition_named(name: str) -> Prerequisite:
    """The prerequisite that the CustomResourceDefinition ``name`` is applied."""
    return "definition", name


def is_definition(manifest: Manifest) -> bool:
    """Whether ``manifest`` is a CustomResourceDefinition."""
    return manifest.resource_id.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind


class RunListener:
    """Receives the events of a run, from several threads. A ``ClusterError`` that it raises ends the run."""

    def __init__(self, manifests: Sequence[Manifest], progress: Progress) -> None:
        self._done, self._total = 0, len(manifests)
        self._progress = progress
        self._lock = Lock()

    def applied(self, result: ApplyResult) -> None:
        """A manifest has its final result."""
        level = run_level_of(result.manifest.file)
        with self._lock:
            self._done += 1
            # The share is rounded down, so 100 means all.
            share = f"{self._done} of {self._total}, {100 * self._done // self._total} %"
            self._progress(f"{f'run level {level}' if level else 'files without a run level'}: {share}")

    def waiting(self, left: int, resource: str, message: str) -> None:
        """``left`` manifests or objects are not ready, first of all ``resource``; ``message`` says why."""
        self._progress(waiting_text(left, resource, message))

    def wait(self, results: Sequence[ApplyResult], problems: Problems, *, is_last: bool) -> None:
        """Wait at a barrier. Reported problems end the run.

        ``results`` are those since the last barrier. ``is_last``: only webhooks follow.
        """


class _RunningNode:
    """A node that is running. The manifests from ``position`` on are not applied yet. ``is_failed``: they never are."""

    def __init__(self, manifests: tuple[Manifest, ...]) -> None:
        self.manifests, self.position, self.is_failed = manifests, 0, False
        self.unestablished: list[ApplyResult] = []


class _State(Enum):
    """Why a node left its thread. ``WAITS``: for another node. ``APPLIED``: its definitions are not established."""

    DONE = auto()
    WAITS = auto()
    APPLIED = auto()
    ESTABLISHED = auto()


class _Event(NamedTuple):
    """A node left its thread in a state, or something was ``provided`` for which nodes may wait."""

    node: _RunningNode | None = None
    state: _State = _State.DONE
    provided: tuple[Prerequisite, ...] = ()


class _Threads(NamedTuple):
    """Threads that send requests, as many as is allowed, and threads that wait for definitions."""

    requests: ThreadPoolExecutor
    waits: ThreadPoolExecutor


class GraphRunner:
    """One run of a graph."""

    def __init__(
        self, graph: TaskGraph, applier: Applier, kinds: RestMapper, options: RolloutOptions, listener: RunListener
    ) -> None:
        self._graph, self._applier, self._kinds = graph, applier, kinds
        self._options, self._listener = options, listener
        self._manifests = [manifest for node in graph.nodes for manifest in node]
        self._prerequisites = PendingPrerequisites(self._manifests, applier.is_unchanged)
        self._definitions = {
            item.resource_id.name: item for item in self._manifests if is_definition(item) and not item.deletes
        }
        self._results: dict[int, ApplyResult] = {}
        self._postponed: list[ApplyResult] = []
        self._since_barrier: list[ApplyResult] = []
        self._problems = Problems()
        self._lock = Lock()
        self._events: SimpleQueue[_Event] = SimpleQueue()
        self._broken: ClusterError | None = None
        # In a dry run: what a rollout would not apply, and refusals that end if another manifest succeeds.
        self._skipped: set[int] = set()
        self._assumed: dict[int, ApplyResult] = {}

    def run(self) -> ChangeSet:
        """Apply all manifests that do not depend on a failed one. A dry run tries them nevertheless."""
        sorter = self._graph.sorter()
        sorter.prepare()
        most = max(1, len(self._graph.nodes))
        with ThreadPoolExecutor(self._options.parallelism) as requests, ThreadPoolExecutor(most) as waits:
            threads = _Threads(requests, waits)
            try:
                while sorter.is_active():
                    ready = sorter.get_ready()
                    nodes = [_RunningNode(self._graph.nodes[index]) for index in ready]
                    self._run_nodes(threads, [node for node in nodes if node.manifests])
                    barriers = [index for index in ready if not self._graph.nodes[index]]
                    if self._broken is not None or not all(self._cross_barrier(threads, item) for item in barriers):
                        break
                    sorter.done(*ready)
            except ClusterError as error:
                self._broken = self._broken or error  # The results so far must be reported nevertheless.
            except BaseException:  # Such as Ctrl-C. The executor waits for its threads, which would apply all the rest.
                self._broken = self._broken or ClusterError([])
                raise
        return self._change_set()

    def _change_set(self) -> ChangeSet:
        if self._broken is not None:
            self._problems += self._broken.problems
        results = {**self._results, **self._still_refused()}
        sent = [item for item in self._manifests if id(item) in results and id(item) not in self._skipped]
        not_applied = [item for item in self._manifests if id(item) not in results or id(item) in self._skipped]
        tried = [self._results[id(item)] for item in not_applied if id(item) in self._results]
        return ChangeSet(
            tuple(results[id(item)] for item in sent),
            tuple(not_applied),
            tuple(self._problems),
            tuple(result for result in tried if result.refusal is not None or result.action == "failed"),
        )

    def _still_refused(self) -> dict[int, ApplyResult]:
        """The refusals of a dry run that do not end, because what would provide the missing object fails, too."""
        applied = {key for key, result in self._results.items() if result.is_complete and key not in self._skipped}
        provided = {
            prerequisite for item in self._manifests if id(item) in applied for prerequisite in provided_by(item)
        }
        failed = [item for item in self._definitions.values() if id(item) not in applied]

        def is_undefined(result: ApplyResult) -> bool:
            is_kind = lacked_by(result) == ("kind", result.manifest.resource_id.group)
            return is_kind and any(self._applier.defines(item, result.manifest) for item in failed)

        assumed = self._assumed.items()
        return {key: item for key, item in assumed if lacked_by(item) not in provided or is_undefined(item)}

    def _run_nodes(self, threads: _Threads, nodes: Sequence[_RunningNode]) -> None:
        """Apply the manifests of ``nodes``. A node that waits gives its thread back."""
        waiting: dict[Prerequisite, list[_RunningNode]] = {}
        running = 0

        def start(node: _RunningNode) -> None:
            nonlocal running
            threads.requests.submit(self._work, node, self._apply_node)
            running += 1

        # Definitions first, because others wait for them. Then the longest node, or it would run alone at the end.
        for node in sorted(nodes, key=lambda node: (not is_definition(node.manifests[0]), -len(node.manifests))):
            start(node)
        while running:
            event = self._events.get()
            able = [node for prerequisite in event.provided for node in waiting.pop(prerequisite, ())]
            if event.node is not None:
                if event.state is _State.APPLIED:
                    threads.waits.submit(self._work, event.node, self._establish)
                    continue
                running -= 1
                able += [event.node] if event.state is not _State.DONE else []
            for node in able:
                missing = self._missing_prerequisite_of(node)
                if missing is None:
                    start(node)
                else:
                    waiting.setdefault(missing, []).append(node)
            if not running:
                # They wait for each other, or for a later stage. The next barrier retries what cannot be applied now.
                for missing, node in [(missing, node) for missing, nodes in waiting.items() for node in nodes]:
                    self._postpone(node, missing)
                    start(node)
                waiting.clear()

    def _missing_prerequisite_of(self, node: _RunningNode) -> Prerequisite | None:
        """What another node must provide before ``node`` can continue."""
        is_over = node.is_failed or self._broken is not None or node.position == len(node.manifests)
        # A dry run waits for nothing.
        if is_over or self._options.dry_run:
            return None
        return self._retry(lambda: self._pending_prerequisite(node.manifests[node.position]))

    def _work(self, node: _RunningNode, work: Callable[[_RunningNode], _State]) -> None:
        state = _State.DONE
        try:
            state = work(node)
        except ClusterError as error:
            self._broken = self._broken or error
            for result in node.unestablished:
                self._record(
                    refused(result.manifest, Refusal.SERVER_UNAVAILABLE, error.problems, metadata=result.metadata)
                )
        except BaseException as error:  # A thread that ends without an event would block the rollout forever.
            message = f"stopped unexpectedly: {type(error).__name__}: {error}"
            problem = Problem("error", "internal-error", "", message, "Report it as a defect of the collection")
            self._broken = self._broken or ClusterError([problem])
        finally:
            self._events.put(_Event(node, state))

    def _apply_node(self, node: _RunningNode) -> _State:
        """Apply the manifests of ``node`` until it has to wait."""
        while node.position < len(node.manifests) and self._broken is None and not node.is_failed:
            manifest = node.manifests[node.position]
            if node.unestablished and not is_definition(manifest):
                return _State.APPLIED
            if self._missing_prerequisite_of(node) is not None:
                return _State.WAITS
            node.position += 1
            is_applied = self._apply(node, manifest)
            node.is_failed = not is_applied and self._stops(node.manifests[node.position :])
        if node.unestablished:
            return _State.APPLIED
        for manifest in node.manifests[node.position :]:
            self._resolve(manifest)  # It will not be applied, so other nodes must not wait for it.
        return _State.DONE

    def _apply(self, node: _RunningNode, manifest: Manifest) -> bool:
        """Apply a manifest. ``False`` if it failed, so the rest of its node must not follow."""
        result = self._retry(lambda: self._applier.apply(manifest, self._definition_of(manifest)))
        if result.pending:
            node.unestablished.append(result)
        else:
            self._take(result)
        return result.action != "failed"

    def _stops(self, rest: Iterable[Manifest]) -> bool:
        """Whether a failure ends the run before ``rest``. A dry run goes on, so it finds all refusals."""
        if self._options.dry_run:
            with self._lock:
                self._skipped.update(map(id, rest))
        return not self._options.dry_run

    def _retry(self, request: Callable[[], Result]) -> Result:
        return retry_while_unreachable(request, lambda: self._broken is not None)

    def _establish(self, node: _RunningNode) -> _State:
        """Wait for the definitions that ``node`` applied, with one time limit."""
        deadline = time.monotonic() + self._options.timings.establish

        def establish() -> ApplyResult:
            left = 0.0 if self._broken is not None else max(0.0, deadline - time.monotonic())
            return self._applier.wait_until_established(node.unestablished[0], left)

        while node.unestablished:
            result = self._retry(establish)
            node.unestablished.pop(0)
            self._take(result)
            node.is_failed = node.is_failed or result.action == "failed"
        return _State.ESTABLISHED

    def _definition_of(self, manifest: Manifest) -> Manifest | None:
        """The CustomResourceDefinition of the kind of ``manifest``, if the rollout applies it."""
        resource = manifest.resource_id
        served = self._kinds.find(resource.group, resource.kind, manifest.version) if resource.group else None
        return self._definitions.get(served.resource) if served is not None else None

    def _pending_prerequisite(self, manifest: Manifest) -> Prerequisite | None:
        """What another manifest of the rollout must provide first."""
        if manifest.deletes:
            return None
        resource = manifest.resource_id
        served = self._kinds.find(resource.group, resource.kind, manifest.version)
        needed = [("kind", resource.group)] if served is None else []
        if served is None or served.namespaced:
            needed.append(("namespace", resource.namespace))
        if served is not None:
            # The current definition may lack fields that the manifest has.
            needed.append(definition_named(served.resource))
        return next((item for item in needed if self._prerequisites.is_pending(item)), None)

    def _postpone(self, node: _RunningNode, missing: Prerequisite) -> None:
        refusal = Refusal.NAMESPACE_MISSING if missing[0] == "namespace" else Refusal.KIND_NOT_SERVED
        self._take(refused(node.manifests[node.position], refusal))
        node.position += 1

    def _take(self, result: ApplyResult) -> None:
        """Record a result, unless it can differ at the next barrier."""
        if result.is_retryable and self._options.dry_run:
            result = self._predicted(result)
        if not result.is_retryable:
            self._record(result)
            return
        # Its namespace or kind stays pending until the result is recorded.
        with self._lock:
            self._postponed.append(result)

    def _predicted(self, result: ApplyResult) -> ApplyResult:
        """The result of a refused manifest after the rollout has provided what it lacks."""
        lacked = lacked_by(result)
        if lacked is None or not self._prerequisites.is_provided(lacked):
            return result
        namespace = result.manifest.resource_id.namespace
        # The server cannot report a missing namespace before it serves the kind.
        has_namespace = not namespace or self._prerequisites.is_provided(("namespace", namespace))
        if not has_namespace and not self._retry(lambda: self._applier.has_namespace(namespace)):
            return refused(result.manifest, Refusal.NAMESPACE_MISSING)
        self._assumed[id(result.manifest)] = result
        exists = lacked[0] == "kind" and self._retry(lambda: self._applier.exists_in_another_version(result.manifest))
        return result._replace(action="changed" if exists else "created", problems=(), refusal=None)

    def _record(self, result: ApplyResult) -> None:
        with self._lock:
            self._results[id(result.manifest)] = result
            self._since_barrier.append(result)
        self._resolve(result.manifest)
        try:
            self._listener.applied(result)
        except ClusterError as error:
            self._broken = self._broken or error

    def _resolve(self, manifest: Manifest) -> None:
        provided = self._prerequisites.resolve(manifest)
        if provided:
            self._events.put(_Event(provided=provided))

    def _cross_barrier(self, threads: _Threads, index: int) -> bool:
        """Retry and wait at a barrier. ``False`` if what comes after it must not be applied."""
        # Webhooks come last, because they need everything else to be ready.
        is_last = all(installs_webhook(item) for node in self._graph.nodes[index + 1 :] for item in node)
        self._retry_postponed(threads, is_last=is_last)
        if self._broken is not None:
            return False
        since, self._since_barrier = self._since_barrier, []
        unready = Problems()
        if not self._options.dry_run:
            self._listener.wait(since, unready, is_last=is_last)
        self._problems += unready
        sent = [result for result in since if id(result.manifest) not in self._skipped]
        failed = any(result.action in ("failed", "unavailable") for result in sent)
        later = [manifest for node in self._graph.nodes[index + 1 :] for manifest in node]
        # A dry run has already tried what a rollout would still retry at a later barrier.
        tried = [result.manifest for result in self._results.values()] if self._options.dry_run and failed else []
        later += [manifest for manifest in tried if self._pending_prerequisite(manifest) is not None]
        return not unready and not (failed and self._stops(later))

    def _retry_postponed(self, threads: _Threads, *, is_last: bool) -> None:
        """Apply postponed manifests once more, and until the deadline those whose prerequisite may still appear."""
        pause = self._options.timings.first_pause
        tried: set[int] = set()
        while self._broken is None:
            now = [result for result in self._postponed if not self._comes_later(result.manifest)]
            again = [result for result in now if id(result.manifest) not in tried or self._may_succeed(result)]
            if now and not again:
                self._give_up(now)  # Other manifests must not wait for these.
                continue
            if not again and is_last:
                again = [result for result in self._postponed if id(result.manifest) not in tried]
            if not again:
                break
            if any(id(result.manifest) in tried for result in again):
                self._pause(again, pause)
                pause = min(pause * 1.5, self._options.timings.longest_pause)
            if tried or any(result.is_written for result in self._results.values()):
                self._reload_kinds()
            chosen = {id(result.manifest) for result in again}
            tried |= chosen
            self._postponed = [result for result in self._postponed if id(result.manifest) not in chosen]
            self._run_nodes(threads, [_RunningNode((result.manifest,)) for result in again])
            if self._options.dry_run:
                break
        self._give_up([item for item in self._postponed if is_last or not self._comes_later(item.manifest)])

    def _pause(self, again: Sequence[ApplyResult], seconds: float) -> None:
        first = again[0]
        self._listener.waiting(len(again), str(first.manifest.resource_id), first.action.replace("_", " "))
        time.sleep(seconds)

    def _give_up(self, results: Sequence[ApplyResult]) -> None:
        self._postponed = [result for result in self._postponed if result not in results]
        for result in results:
            self._record(result)

    def _reload_kinds(self) -> None:
        try:
            self._retry(self._kinds.reload)
        except ApiError as error:
            if not error.is_forbidden:
                raise
            # A starting server forbids everything until its RBAC rules are loaded. The known kinds stay.

    def _comes_later(self, manifest: Manifest) -> bool:
        return not self._options.dry_run and self._pending_prerequisite(manifest) is not None

    def _may_succeed(self, result: ApplyResult) -> bool:
        """Whether there is time for a retry, and the cluster may have what was missing without the rollout."""
        if time.monotonic() >= self._options.deadline:
            return False
        return result.is_retryable and result.refusal not in (
            Refusal.KIND_NOT_SERVED,
            Refusal.KIND_SKIPPED,
            Refusal.FORBIDDEN,
            Refusal.DENIED,
        )
