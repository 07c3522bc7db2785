# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Rolls a release out to a cluster without a cluster-version operator (CVO)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._injection.injected_config import InjectedConfig
from .._kubernetes.client import Client
from .._kubernetes.retries import retry_while_unreachable
from .._problems import ClusterError, Problem, Problems, raise_errors
from .._release.loader import LoadedRelease
from .._release.manifest import Manifest
from .._resources import FEATURE_GATES, ResourceId
from .apply import Applier, Baseline
from .capabilities import ReconcileOptions, reconcile_cluster_version
from .change_set import ApplyResult, CapabilityResult, ChangeSet, Leftover, Rollout
from .cluster_state import ClusterState, read_context
from .desired_object import OwnershipMetadata
from .feature_set import read_feature_gate
from .graph_runner import GraphRunner, RunOptions
from .inventory import applyset_id
from .inventory_store import RunLock, write_inventory
from .journal import Journal, RolloutEvents
from .options import REAL_TIMINGS, ApplyOptions, RolloutOptions, Timings
from .plan import ManifestPlan, RolloutPlan, final_inventory, plan_manifests, plan_rollout
from .prune import as_kept, leftovers_of, prune
from .wait import wait_until_ready


class _Session(NamedTuple):
    """What every phase uses. ``deadline`` (of ``time.monotonic``) ends all waits of the rollout."""

    client: Client
    journal: Journal
    timings: Timings
    deadline: float


def roll_out(
    client: Client,
    state: ClusterState,
    loaded: LoadedRelease,
    previous: LoadedRelease | None,
    options: RolloutOptions,
    journal: Journal,
    timings: Timings = REAL_TIMINGS,
) -> Rollout:
    """Roll out ``loaded``, in the order of the flowchart in docs/roll_out_a_release.md.

    ``previous`` is the release that the cluster has, needed if no inventory records it. Raises ``CapabilityError`` if
    no manifest can be applied. Failures of single manifests are in the result.
    """
    deadline = time.monotonic() + (options.wait_timeout if options.wait else 0)
    session = _Session(client, journal, timings, deadline)
    context = read_context(client, state, loaded, options)
    journal.phase("objects_listed")
    plan = plan_rollout(context, loaded, previous, options)  # Nothing is written up to here.
    problems = Problems(plan.problems)
    prerequisites = apply_prerequisites(session, plan)
    journal.phase("prerequisites_applied")
    capabilities = reconcile_capabilities(session, plan, prerequisites, problems)
    journal.phase("capabilities_reconciled")
    work = plan_manifests(plan, capabilities, problems)
    lock = begin(session, plan, work)
    journal.phase("inventory_planned")
    changes = run_graph(session, plan, work, prerequisites, lock)
    journal.phase("manifests_applied")
    leftovers = prune_leftovers(session, plan, changes, lock, problems)
    finish(session, plan, work, changes, leftovers, lock, problems)
    journal.phase("inventory_written")
    return Rollout(
        work.mode,
        plan.version,
        state.cluster_version,
        capabilities,
        changes,
        leftovers,
        _is_inventory_changed(plan, work),
        problems.unique(),
    )


def apply_prerequisites(session: _Session, plan: RolloutPlan) -> tuple[ApplyResult, ...]:
    """Apply the CustomResourceDefinitions of FeatureGate and ClusterVersion, and wait until they are served.

    Raises ``ClusterError`` if one of them fails, or if the feature set is not the expected one.
    """
    if plan.options.dry_run:
        return ()
    results = []
    if plan.context.feature_gate_crd is not None:
        results.append(_apply_definition(session, plan, plan.context.feature_gate_crd))
        _check_feature_set(session, plan)
    if plan.cluster_version_crd is not None:
        results.append(_apply_definition(session, plan, plan.cluster_version_crd))
    return tuple(results)


def reconcile_capabilities(
    session: _Session, plan: RolloutPlan, prerequisites: Sequence[ApplyResult], problems: Problems
) -> CapabilityResult:
    """Reconcile the ClusterVersion. Implicitly enabled capabilities of an unfinished rollout are reported again."""
    state = plan.context.state
    options = ReconcileOptions(
        dry_run=plan.options.dry_run,
        crd_changed=any(result.action != "unchanged" for result in prerequisites),
        deadline=session.deadline,
        pause=session.timings.cluster_version,
    )
    result = reconcile_cluster_version(session.client, plan.capabilities, options, problems)
    if state.inventory is not None and state.inventory.unfinished:
        result = result._replace(implicit=result.implicit | state.inventory.implicit)
    if result.implicit:
        session.journal.write("capabilities", implicitly_enabled=sorted(result.implicit))
    return result


def begin(session: _Session, plan: RolloutPlan, work: ManifestPlan) -> RunLock:
    """Write the planned inventory, which takes the lock on the cluster. Raises ``ClusterError``."""
    stored = plan.context.state.stored
    # An earlier run has already done everything in this mode, and released the lock. A repeated task writes nothing.
    is_repeated = work.mode != work.required_mode and not stored.run
    if not plan.options.dry_run:
        stored = write_inventory(session.client, stored, work.inventory, begins=not is_repeated)
    return RunLock(session.client, stored, session.timings.lock_check)


def run_graph(
    session: _Session,
    plan: RolloutPlan,
    work: ManifestPlan,
    prerequisites: Sequence[ApplyResult],
    lock: RunLock,
) -> ChangeSet:
    """Apply the manifests, retry what the cluster lacks, and wait until the objects are ready, if requested."""
    options = plan.options
    live = {**plan.context.live, **{result.manifest.resource_id: result.metadata for result in prerequisites}}
    apply_options = ApplyOptions(
        work.mode, options.force_conflicts, options.dry_run, options.diff_mode, session.timings
    )
    applier = _applier(session, plan, work.ownership, apply_options, Baseline(live, plan.context.state.inventory))
    written = {result.manifest.resource_id: result for result in prerequisites if result.action != "unchanged"}
    events = RolloutEvents(session.journal, work.manifests)
    listener = _Listener(session, plan, work, lock, events, written)
    run_options = RunOptions(options.parallelism, session.deadline, options.dry_run, session.timings)
    events.start(plan.version, work.mode)
    changes = GraphRunner(work.graph, applier, plan.context.state.kinds, run_options, listener).run()
    events.end(changes.problems)
    return changes._replace(
        results=tuple(written.get(result.manifest.resource_id, result) for result in changes.results),
        problems=(*changes.problems, *listener.warnings),
    )


def prune_leftovers(
    session: _Session, plan: RolloutPlan, changes: ChangeSet, lock: RunLock, problems: Problems
) -> tuple[Leftover, ...]:
    """List the leftovers. Delete them if that is requested and nothing failed."""
    resources = leftovers_of(plan.context, plan.loaded)
    if not plan.options.prune or changes.has_failures:
        return as_kept(resources)
    lock_to_verify = None if plan.options.dry_run else lock
    return prune(session.client, plan.context, resources, changes.results, lock_to_verify, problems)


def finish(
    session: _Session,
    plan: RolloutPlan,
    work: ManifestPlan,
    changes: ChangeSet,
    leftovers: Sequence[Leftover],
    lock: RunLock,
    problems: Problems,
) -> None:
    """Write the final inventory. An error is reported and not raised, so the results are not lost."""
    if plan.options.dry_run:
        return
    with problems.collect(ClusterError):
        inventory = final_inventory(plan, work, changes, leftovers)
        ends = changes.is_complete
        retry_while_unreachable(lambda: write_inventory(session.client, lock.stored, inventory, ends=ends))


class _Listener:
    """Writes the events of a graph to the journal, checks the lock, and waits for ready objects.

    ``written`` are the prerequisites that this run changed. Their results replace those of the graph.
    """

    def __init__(
        self,
        session: _Session,
        plan: RolloutPlan,
        work: ManifestPlan,
        lock: RunLock,
        events: RolloutEvents,
        written: Mapping[ResourceId, ApplyResult],
    ) -> None:
        self._session, self._plan, self._work = session, plan, work
        self._lock, self._events, self._written = lock, events, written
        self._results: list[ApplyResult] = []
        self.warnings = Problems()

    def applied(self, result: ApplyResult) -> None:
        """Write the result. Raises ``LockLostError`` if another run owns the cluster."""
        result = self._written.get(result.manifest.resource_id, result)
        self._events.manifest(result.manifest, result.action, result.problems)
        if not self._plan.options.dry_run:
            self._lock.check()

    def waiting(self, left: int, resource: str, message: str) -> None:
        """Write what the rollout waits for. Raises ``LockLostError`` if another run owns the cluster."""
        self._events.waiting(left, resource, message)
        self._lock.check()

    def wait(self, results: Sequence[ApplyResult], problems: Problems, *, is_last: bool) -> None:
        """Wait at a barrier: in an update for the objects since the last barrier, else for all of them at the end."""
        self._session.journal.phase("barrier_reached")
        self._results += results
        mode = self._work.mode
        if not self._plan.options.wait or not (mode == "update" or is_last):
            return
        chosen = results if mode == "update" else self._results
        reported = Problems()
        wait_until_ready(
            self._session.client,
            self._plan.context.state.kinds,
            self._plan.loaded.release,
            [result.manifest for result in chosen if result.action in ("created", "changed", "unchanged")],
            mode,
            self._session.deadline,
            self.waiting,
            reported,
        )
        self.warnings += [problem for problem in reported if problem.severity != "error"]
        problems += [problem for problem in reported if problem.severity == "error"]


def _apply_definition(session: _Session, plan: RolloutPlan, crd: Manifest) -> ApplyResult:
    """Apply a CustomResourceDefinition that the rollout itself needs. Raises ``ClusterError``."""
    options = ApplyOptions(
        "reconcile", plan.options.force_conflicts, dry_run=False, with_objects=False, timings=session.timings
    )
    baseline = Baseline(plan.context.live, plan.context.state.inventory)
    applier = _applier(session, plan, OwnershipMetadata(applyset_id(), "", InjectedConfig()), options, baseline)
    result = applier.apply(crd)
    if result.pending:
        result = applier.wait_until_established(result, session.timings.establish)
    raise_errors(result.problems, ClusterError)
    return result


def _applier(
    session: _Session, plan: RolloutPlan, ownership: OwnershipMetadata, options: ApplyOptions, baseline: Baseline
) -> Applier:
    return Applier(session.client, plan.context.state.kinds, plan.loaded, ownership, options, baseline)


def _check_feature_set(session: _Session, plan: RolloutPlan) -> None:
    """Raise ``ClusterError`` if the feature set is not the one that the plan expects of a new kind."""
    gate = read_feature_gate(session.client, plan.context.state.kinds, plan.options.cluster, plan.loaded.release)
    if not gate.readable or gate.feature_set != plan.context.resolved.context.feature_set:
        reported = gate.feature_set or "unknown"
        message = f"the feature set is {reported} and not the expected one, because another client created the object"
        raise ClusterError(
            [Problem("error", "different-feature-set", str(FEATURE_GATES.resource), message, "Run it again")]
        )


def _is_inventory_changed(plan: RolloutPlan, work: ManifestPlan) -> bool:
    before, after = plan.context.state.inventory, work.inventory
    return before is None or (before.version, before.enabled) != (after.version, after.enabled)
