# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A task graph, sent to a cluster: nodes at the same time, the manifests of each one after the other.

What another node brings (a namespace, a kind, a new schema of it) is waited for; what the cluster lacks is tried again
at the next barrier. A manifest that fails stops its node and what depends on it, as in the CVO; what the cluster lacks
does not.
Source: openshift/cluster-version-operator:pkg/payload/task_graph.go RunGraph.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Lock
from typing import NamedTuple, TypeVar

from .._kubernetes.api_errors import ApiError
from .._kubernetes.rest_mapper import RestMapper
from .._kubernetes.retries import retry_while_unreachable
from .._problems import ClusterError, Problem, Problems
from .._release.manifest import Manifest
from .._release.task_graph import TaskGraph, installs_webhook
from .._resources import CUSTOM_RESOURCE_DEFINITIONS
from .apply import Applier
from .change_set import RETRYABLE, ApplyResult, ChangeSet
from .options import REAL_TIMINGS, Timings

Result = TypeVar("Result")
Prerequisite = tuple[str, str]


class Pace(NamedTuple):
    """How a graph is walked. ``deadline`` (of ``time.monotonic``) ends waiting for what the cluster lacks.

    ``told`` hears of each manifest as soon as something came of it. ``settle`` is asked at a barrier, with what was
    sent since the last one and whether nothing but webhooks follows, and returns what does not become ready. ``waits``
    hears how many manifests are going to be tried again, with the first of them and why.
    """

    parallelism: int
    deadline: float
    dry_run: bool
    told: Callable[[ApplyResult], None]
    settle: Callable[[Sequence[ApplyResult], bool], tuple[Problem, ...]]
    waits: Callable[[int, str, str], None]
    timings: Timings = REAL_TIMINGS


class _Node:
    """A node on its way: the manifests from ``at`` on are still to be sent."""

    def __init__(self, index: int, manifests: tuple[Manifest, ...]) -> None:
        self.index, self.manifests, self.at = index, manifests, 0
        self.unestablished: list[ApplyResult] = []


class PendingPrerequisites:
    """What manifests of the rollout are going to bring: namespaces by name, kinds by their group, and definitions.

    A definition that is known not to change is there already.
    """

    def __init__(self, manifests: Iterable[Manifest], is_unchanged: Callable[[Manifest], bool]) -> None:
        self._left: dict[Prerequisite, set[int]] = {}
        for manifest in manifests:
            for brought in _prerequisite_of(manifest):
                self._left.setdefault(brought, set()).add(id(manifest))
            if _is_crd(manifest) and not manifest.deletes and is_unchanged(manifest):
                self._left[_definition(manifest.resource_id.name)].discard(id(manifest))
        self._lock = Lock()

    def keep(self, manifest: Manifest) -> bool:
        """Note that ``manifest`` was dealt with, and tell whether that settles a promise."""
        with self._lock:
            kept = [left for brought in _prerequisite_of(manifest) if id(manifest) in (left := self._left[brought])]
            for left in kept:
                left.remove(id(manifest))
            return not all(kept)

    def is_open(self, what: Prerequisite) -> bool:
        """Tell whether something is still to come."""
        return bool(self._left.get(what))

    def ever(self, what: Prerequisite) -> bool:
        """Tell whether the rollout brings something at all."""
        return what in self._left


class GraphRunner:
    """One walk through a graph."""

    def __init__(self, graph: TaskGraph, sender: Applier, kinds: RestMapper, pace: Pace) -> None:
        self._graph, self._sender, self._kinds, self._pace = graph, sender, kinds, pace
        everything = [manifest for node in graph.nodes for manifest in node.manifests]
        self._promised = PendingPrerequisites(everything, sender.is_unchanged)
        self._definitions = {item.resource_id.name: item for item in everything if _is_crd(item) and not item.deletes}
        self._sent: dict[int, ApplyResult] = {}
        self._late: list[ApplyResult] = []
        self._since_barrier: list[ApplyResult] = []
        self._problems = Problems()
        self._lock = Lock()
        self._events: SimpleQueue[tuple[str, _Node | None]] = SimpleQueue()
        self._broken: ClusterError | None = None

    def walk(self) -> ChangeSet:
        """Send everything, as far as nothing fails."""
        sorter = self._graph.sorter()
        sorter.prepare()
        with ThreadPoolExecutor(max_workers=self._pace.parallelism) as executor:
            try:
                while sorter.is_active():
                    ready = sorter.get_ready()
                    nodes = [_Node(index, self._graph.nodes[index].manifests) for index in ready]
                    self._run(executor, [node for node in nodes if node.manifests])
                    barriers = [index for index in ready if not self._graph.nodes[index].manifests]
                    if self._broken is not None or not all(self._pass(executor, index) for index in barriers):
                        break
                    sorter.done(*ready)
            except ClusterError as error:
                self._broken = self._broken or error  # what was sent has to be told all the same
            except BaseException:  # such as Ctrl-C: the threads are waited for, and would send all the rest
                problem = Problem("error", "todo", "", "was interrupted", "Run it again: it goes on where it stopped")
                self._broken = self._broken or ClusterError([problem])
                raise
        if self._broken is not None:
            self._problems += self._broken.problems
        everything = [manifest for node in self._graph.nodes for manifest in node.manifests]
        left = tuple(manifest for manifest in everything if id(manifest) not in self._sent)
        sent = tuple(self._sent[id(manifest)] for manifest in everything if id(manifest) in self._sent)
        return ChangeSet(sent, left, tuple(self._problems))

    def _run(self, executor: ThreadPoolExecutor, nodes: Sequence[_Node]) -> None:
        """Send the manifests of ``nodes``; one that waits for another leaves its thread to that."""
        waiting: list[_Node] = []
        running = 0
        # The longest first, or the last of them would be at work alone in the end.
        for node in sorted(nodes, key=lambda node: -len(node.manifests)):
            executor.submit(self._work, node)
            running += 1
        while running:
            event, about = self._events.get()
            if event != "brought":
                running -= 1
            if event == "waits" and about is not None:
                waiting.append(about)
            able = [node for node in waiting if self._is_able(node)]
            if not running and waiting and not able:
                # They wait for each other, or for a later stage: what cannot be sent now comes at the barrier.
                for node in waiting:
                    self._postpone(node)
                able = list(waiting)
            waiting = [node for node in waiting if node not in able]
            for node in able:
                executor.submit(self._work, node)
                running += 1

    def _is_able(self, node: _Node) -> bool:
        return self._persist(lambda: self._awaited(node.manifests[node.at])) is None

    def _work(self, node: _Node) -> None:
        event = "done"
        try:
            while node.at < len(node.manifests) and self._broken is None:
                manifest = node.manifests[node.at]
                if not _is_crd(manifest) and not self._establish(node):
                    break
                if not self._is_able(node):
                    event = "waits"
                    return
                node.at += 1
                if not self._try(node, manifest):
                    break
            self._establish(node)
            for manifest in node.manifests[node.at :]:
                self._keep(manifest)  # who waits for it need not: it does not come
        except ClusterError as error:
            self._broken = self._broken or error
            for sent in node.unestablished:
                self._record(sent._replace(state="unavailable", problems=error.problems))
        except BaseException as error:  # a thread that dies would leave the rollout waiting for ever
            message = f"broke off: {type(error).__name__}: {error}"
            problem = Problem("error", "todo", "", message, "Report it as a defect of the collection")
            self._broken = self._broken or ClusterError([problem])
        finally:
            self._events.put((event, node))  # whatever happened: it is waited for

    def _try(self, node: _Node, manifest: Manifest) -> bool:
        """Send a manifest, and tell whether those that follow it in its node may be sent."""
        sent = self._persist(lambda: self._sender.send(manifest, self._definition_of(manifest)))
        if sent.pending:
            node.unestablished.append(sent)
        elif sent.state in RETRYABLE:
            self._postpone_sent(sent)
        else:
            self._record(sent)
        return sent.state != "failed"

    def _persist(self, ask: Callable[[], Result]) -> Result:
        return retry_while_unreachable(ask, lambda: self._broken is not None)

    def _establish(self, node: _Node) -> bool:
        """Wait for the definitions that ``node`` sent, all of them together; tell whether what follows may be sent."""
        deadline = time.monotonic() + self._pace.timings.establish

        def established() -> ApplyResult:
            sent = node.unestablished[0]
            left = 0.0 if self._broken is not None else max(0.0, deadline - time.monotonic())
            return self._sender.established(sent.manifest, sent, left)

        well = True
        while node.unestablished:
            sent = self._persist(established)
            node.unestablished.pop(0)
            if sent.state in RETRYABLE:
                self._postpone_sent(sent)
            else:
                self._record(sent)
            well = well and sent.state != "failed"
        return well and self._broken is None

    def _definition_of(self, manifest: Manifest) -> Manifest | None:
        """Return the CustomResourceDefinition that the rollout brings for the kind of ``manifest``."""
        resource = manifest.resource_id
        served = self._kinds.find(resource.group, resource.kind, manifest.version) if resource.group else None
        return self._definitions.get(served.resource) if served is not None else None

    def _awaited(self, manifest: Manifest) -> Prerequisite | None:
        """Return what another manifest of the rollout has to bring first."""
        if self._pace.dry_run or manifest.deletes:
            return None
        resource = manifest.resource_id
        namespace = "namespace", resource.namespace
        if resource.namespace and self._promised.is_open(namespace):
            return namespace
        kind = "kind", resource.group
        if not self._promised.is_open(kind):
            return None
        served = self._kinds.find(resource.group, resource.kind, manifest.version)
        if served is None:
            return kind
        # What the kind has now may lack fields that the manifest has.
        definition = _definition(served.resource)
        return definition if self._promised.is_open(definition) else None

    def _postpone(self, node: _Node) -> None:
        self._postpone_sent(ApplyResult(node.manifests[node.at], "unserved"))
        node.at += 1

    def _postpone_sent(self, sent: ApplyResult) -> None:
        if self._pace.dry_run and self._would_be_brought(sent):
            self._record(sent._replace(state="created", problems=()))
            return
        # What it brings is waited for until it is recorded: it comes at the barrier, if at all.
        with self._lock:
            self._late.append(sent)

    def _would_be_brought(self, sent: ApplyResult) -> bool:
        resource = sent.manifest.resource_id
        if sent.state == "no_namespace":
            return self._promised.ever(("namespace", resource.namespace))
        return sent.state in ("unserved", "unanswered") and self._promised.ever(("kind", resource.group))

    def _record(self, sent: ApplyResult) -> None:
        with self._lock:
            self._sent[id(sent.manifest)] = sent
            self._since_barrier.append(sent)
        self._keep(sent.manifest)
        try:
            self._pace.told(sent)
        except ClusterError as error:
            self._broken = self._broken or error

    def _keep(self, manifest: Manifest) -> None:
        if self._promised.keep(manifest):
            self._events.put(("brought", None))

    def _pass(self, executor: ThreadPoolExecutor, index: int) -> bool:
        """Pass a barrier, and tell whether what comes after it may be sent."""
        # Webhooks come last because they need everything else, so that everything else is waited for before them.
        is_last = all(installs_webhook(item) for node in self._graph.nodes[index + 1 :] for item in node.manifests)
        self._try_again(executor, is_last)
        if self._broken is not None:
            return False
        since, self._since_barrier = self._since_barrier, []
        unready = () if self._pace.dry_run else self._pace.settle(since, is_last)
        self._problems += unready
        return not unready and all(sent.state not in ("failed", "unavailable") for sent in since)

    def _try_again(self, executor: ThreadPoolExecutor, is_last: bool) -> None:
        """Send once more what the cluster lacked something for, and while there is time for it what it may get."""
        pause = self._pace.timings.first_pause
        tried: set[int] = set()
        while self._broken is None:
            now = [sent for sent in self._late if not self._comes_later(sent.manifest)]
            again = [sent for sent in now if id(sent.manifest) not in tried or self._may_pass(sent)]
            if now and not again:
                self._give_up(now)  # who waits for it need not any more
                continue
            if not again and is_last:
                again = [sent for sent in self._late if id(sent.manifest) not in tried]
            if not again:
                break
            if any(id(sent.manifest) in tried for sent in again):
                first = again[0]
                self._pace.waits(len(again), str(first.manifest.resource_id), first.state.replace("_", " "))
                time.sleep(pause)
                pause = min(pause * 1.5, self._pace.timings.longest_pause)
            self._reload()
            chosen = {id(sent.manifest) for sent in again}
            tried |= chosen
            self._late = [sent for sent in self._late if id(sent.manifest) not in chosen]
            self._run(executor, [_Node(-1, (sent.manifest,)) for sent in again])
            if self._pace.dry_run:
                break
        self._give_up([sent for sent in self._late if is_last or not self._comes_later(sent.manifest)])

    def _give_up(self, finished: Sequence[ApplyResult]) -> None:
        self._late = [sent for sent in self._late if sent not in finished]
        for sent in finished:
            self._record(sent)

    def _reload(self) -> None:
        try:
            self._persist(self._kinds.reload)
        except ApiError as error:
            if not error.is_forbidden:
                raise
            # A server that has just started does not know its rules yet: what is known of it stays.

    def _comes_later(self, manifest: Manifest) -> bool:
        return self._awaited(manifest) is not None

    def _may_pass(self, sent: ApplyResult) -> bool:
        if time.monotonic() >= self._pace.deadline:
            return False
        return sent.state in ("unanswered", "no_namespace", "terminating", "unavailable")


def _prerequisite_of(manifest: Manifest) -> tuple[Prerequisite, ...]:
    resource = manifest.resource_id
    if manifest.deletes:
        return ()
    if resource.group_kind == ("", "Namespace"):
        return (("namespace", resource.name),)
    if _is_crd(manifest):
        return ("kind", resource.name.partition(".")[2]), _definition(resource.name)
    return ()


def _definition(name: str) -> Prerequisite:
    return "definition", name


def _is_crd(manifest: Manifest) -> bool:
    return manifest.resource_id.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind
