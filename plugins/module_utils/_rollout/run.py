# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rolls a release out to a cluster without a cluster-version operator (CVO), or only its definitions."""

from __future__ import annotations

from collections.abc import Sequence

from .._capability.resolved_release import read_selection
from .._capability.selection import check_selection
from .._cluster.injected_config import InjectedConfig
from .._kubernetes.client import Client
from .._kubernetes.retries import retry_while_unreachable
from .._problems import ClusterError, InvalidOptionError, Problem, Problems, raise_errors
from .._progress import Progress
from .._release.release import Release
from .._release.task_graph import Mode, task_graph
from .apply import Applier
from .capabilities import reconcile_cluster_version
from .change_set import ApplyResult, CapabilityResult, ChangeSet, Leftover, Rollout
from .cluster_state import ClusterState, RolloutContext, included_by_resource, read_context, read_release_context
from .deletion import await_deletions
from .desired_object import OwnershipMetadata
from .graph_runner import GraphRunner, RunListener, is_definition
from .inventory import applyset_id
from .inventory_store import RunLock, find_members, write_inventory
from .options import RolloutOptions
from .plan import ManifestPlan, RolloutPlan, final_inventory, plan_manifests, plan_rollout
from .prune import as_kept, prune
from .wait import wait_until_ready

_MODE: Mode = "install"
"""The mode in which only definitions are applied."""


def roll_out(
    client: Client,
    state: ClusterState,
    release: Release,
    previous: Release | None,
    options: RolloutOptions,
    progress: Progress,
) -> Rollout:
    """Roll out ``release``, in the order of the flowchart in docs/explanation/order_of_a_rollout.md.

    ``previous`` is the release that the cluster has, needed if no inventory records it. Raises ``CapabilityError`` if
    no manifest can be applied. Failures of single manifests are in the result.
    """
    context = read_context(client, state, release, options)
    plan = plan_rollout(context, previous, options)  # Nothing is written up to here.
    return _Run(client, plan, progress).rollout()


class _Run:
    """One rollout: its steps."""

    def __init__(self, client: Client, plan: RolloutPlan, progress: Progress) -> None:
        self.client, self.plan, self.progress = client, plan, progress
        self.options = plan.options
        self._problems = Problems(plan.problems)

    def rollout(self) -> Rollout:
        """Do all steps, and return their result."""
        context, problems = self.plan.context, self._problems
        definition = self._apply_definition()
        capabilities = self._reconcile_capabilities(definition)
        work = plan_manifests(self.plan, capabilities, problems)
        lock = self._begin(work)
        changes = self._run_graph(work, definition, lock)
        leftovers = self._prune_leftovers(changes, lock)
        changes, leftovers = await_deletions(
            self.client, context, changes, leftovers, self.options, self.progress, problems
        )
        self._finish(work, changes, leftovers, lock)
        before, after = context.state.inventory, work.inventory
        is_recorded = before is not None and (before.version, before.enabled) == (after.version, after.enabled)
        return Rollout(
            work.mode,
            self.plan.version,
            context.state.cluster_version,
            capabilities,
            changes,
            leftovers,
            not is_recorded,
            problems.unique(),
        )

    def _apply_definition(self) -> ApplyResult | None:
        """Apply the definition of ClusterVersion, and wait until it is served. Raises ``ClusterError``."""
        if self.plan.cluster_version_crd is None:
            return None
        ownership = OwnershipMetadata(applyset_id(), "", InjectedConfig())
        applier = Applier(self.client, self.plan.context, self.options, "reconcile", ownership)
        result = applier.apply(self.plan.cluster_version_crd)
        if result.pending:
            result = applier.wait_until_established(result, self.options.timings.establish)
        raise_errors(result.problems, ClusterError)
        return result

    def _reconcile_capabilities(self, definition: ApplyResult | None) -> CapabilityResult:
        """Reconcile the ClusterVersion. Implicitly enabled capabilities of an unfinished rollout are reported again."""
        plan, inventory = self.plan, self.plan.context.state.inventory
        crd_changed = definition is not None and definition.action != "unchanged"
        result = reconcile_cluster_version(
            self.client, plan.context, plan.capabilities, self.options, self._problems, crd_changed=crd_changed
        )
        if inventory is not None and inventory.unfinished:
            result = result._replace(implicit=result.implicit | inventory.implicit)
        return result

    def _begin(self, work: ManifestPlan) -> RunLock:
        """Write the planned inventory, which takes the lock on the cluster. Raises ``ClusterError``."""
        stored = self.plan.context.state.stored
        # An earlier run has done everything in this mode, and released the lock. A repeated task writes nothing.
        is_repeated = work.mode != work.required_mode and not stored.run
        dry_run = self.options.dry_run
        stored = write_inventory(self.client, stored, work.inventory, begins=not is_repeated, dry_run=dry_run)
        return RunLock(self.client, stored, self.options.timings.lock_check)

    def _run_graph(self, work: ManifestPlan, definition: ApplyResult | None, lock: RunLock) -> ChangeSet:
        """Apply the manifests, retry what the cluster lacks, and wait until the objects are ready, if requested.

        The result of ``definition``, if this run changed it, replaces that of the graph.
        """
        context = self.plan.context
        if definition is not None and not self.options.dry_run:
            context = context.with_live(definition.manifest.resource_id, definition.metadata)
            definition = definition if definition.is_written else None
        listener = _Listener(self, work, lock)
        applier = Applier(self.client, context, self.options, work.mode, work.ownership)
        changes = GraphRunner(work.graph, applier, context.state.kinds, self.options, listener).run()
        self.progress("")
        own = {definition.manifest.resource_id: definition} if definition else {}
        return changes._replace(
            results=tuple(own.get(item.manifest.resource_id, item) for item in changes.results),
            problems=(*changes.problems, *listener.warnings),
        )

    def _prune_leftovers(self, changes: ChangeSet, lock: RunLock) -> tuple[Leftover, ...]:
        """List the leftovers. Delete them if that is requested and nothing failed."""
        if not self.options.prune or changes.has_failures:
            return as_kept(self.plan.context, changes.results)
        return prune(self.client, self.plan.context, changes.results, lock, self.options, self._problems)

    def _finish(self, work: ManifestPlan, changes: ChangeSet, leftovers: Sequence[Leftover], lock: RunLock) -> None:
        """Write the final inventory. An error is reported and not raised, so the results are not lost."""
        if self.options.dry_run:
            return
        with self._problems.collect(ClusterError):
            inventory = final_inventory(self.plan, work, changes, leftovers)
            ends = changes.is_complete
            retry_while_unreachable(lambda: write_inventory(self.client, lock.stored, inventory, ends=ends))


class _Listener(RunListener):
    """Shows the progress, checks the lock, and waits for ready objects."""

    def __init__(self, run: _Run, work: ManifestPlan, lock: RunLock) -> None:
        super().__init__(work.manifests, run.progress)
        self._run, self._mode, self._run_lock = run, work.mode, lock
        self._results: list[ApplyResult] = []
        self.warnings = Problems()

    def applied(self, result: ApplyResult) -> None:
        """Show the progress. Raises ``LockLostError`` if another run owns the cluster."""
        super().applied(result)
        if not self._run.options.dry_run:
            self._run_lock.check()

    def waiting(self, left: int, resource: str, message: str) -> None:
        """Show what the rollout waits for. Raises ``LockLostError`` if another run owns the cluster."""
        super().waiting(left, resource, message)
        self._run_lock.check()

    def wait(self, results: Sequence[ApplyResult], problems: Problems, *, is_last: bool) -> None:
        """Wait at a barrier: in an update for the objects since the last barrier, else for all of them at the end."""
        self._results += results
        mode, options = self._mode, self._run.options
        if not options.wait or not (mode == "update" or is_last):
            return
        chosen = results if mode == "update" else self._results
        applied = [result for result in chosen if result.action in ("created", "changed", "unchanged")]
        reported, context = Problems(), self._run.plan.context
        wait_until_ready(self._run.client, context, applied, mode, options.deadline, self.waiting, reported)
        self.warnings += [problem for problem in reported if problem.severity != "error"]
        problems += [problem for problem in reported if problem.severity == "error"]


def apply_definitions(
    client: Client, state: ClusterState, release: Release, options: RolloutOptions, progress: Progress
) -> Rollout:
    """Apply only the included definitions of ``release``, and wait until the API server serves their kinds.

    It is for a cluster that needs no more than the API of OpenShift. It writes neither a ClusterVersion nor an
    inventory, so a later rollout is the first one, and finds the definitions as if its own records had been deleted.
    Raises ``CapabilityError`` if none can be applied. Failures of single definitions are in the result.
    """
    if state.inventory is not None:  # Its records would no longer be true.
        message = f"is crds, but the cluster has the inventory of a rollout of {state.inventory.version}"
        hint = "Remove the option: a rollout applies the definitions of its release, too"
        raise InvalidOptionError([Problem("error", "existing-rollout", "only", message, hint)])
    context = read_release_context(client, state, release, options)
    problems = Problems(context.problems)
    capabilities = _requested(context, problems)
    definitions = [item for item in included_by_resource(context, capabilities.status) if is_definition(item)]
    manifests = context.without_overridden(item for item in definitions if not item.deletes)
    if not manifests:
        message = "contains no CustomResourceDefinition for this cluster"
        hint = "Check cluster_profile, feature_set and capabilities"
        raise InvalidOptionError([*problems, Problem("error", "empty-release", "release", message, hint)])
    context = context._replace(members=find_members(client, state.kinds, {item.resource_id for item in manifests}))
    applier = Applier(client, context, options, _MODE, OwnershipMetadata(applyset_id(), "", InjectedConfig()))
    # It need not wait at a barrier: definitions are ready when they are established.
    listener = RunListener(manifests, progress)
    changes = GraphRunner(task_graph(manifests, _MODE), applier, state.kinds, options, listener).run()
    progress("")
    version = release.shown_version
    return Rollout(_MODE, version, None, capabilities, changes, (), inventory_changed=False, problems=problems.unique())


def _requested(context: RolloutContext, problems: Problems) -> CapabilityResult:
    """The capabilities whose definitions are applied: by the option, or else all. The cluster does not matter."""
    request, target = Problems(), context.target
    selection = read_selection(context.options, request)
    check_selection(selection, target.minor_data, target.gated, request)
    request.raise_errors(InvalidOptionError)
    problems += request
    return CapabilityResult(None, context.resolved.status(selection), None, frozenset(), changed=False)
