# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rolls a release out to a cluster without a cluster-version operator (CVO)."""

from __future__ import annotations

from collections.abc import Sequence

from .._cluster.injected_config import InjectedConfig
from .._kubernetes.client import Client
from .._kubernetes.retries import retry_while_unreachable
from .._problems import ClusterError, Problems, raise_errors
from .._progress import Progress
from .._release.release import Release
from .apply import Applier
from .capabilities import reconcile_cluster_version
from .change_set import ApplyResult, CapabilityResult, ChangeSet, Leftover, Rollout
from .cluster_state import ClusterState, read_context
from .deletion import await_deletions
from .desired_object import OwnershipMetadata
from .graph_runner import GraphRunner
from .inventory import applyset_id
from .inventory_store import RunLock, write_inventory
from .options import RolloutOptions
from .plan import ManifestPlan, RolloutPlan, final_inventory, plan_manifests, plan_rollout
from .prune import as_kept, prune
from .run_listener import RunListener
from .wait import wait_until_ready


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
    problems = Problems(plan.problems)
    definition = apply_definition(client, plan)
    capabilities = reconcile_capabilities(client, plan, definition, problems)
    work = plan_manifests(plan, capabilities, problems)
    lock = begin(client, plan, work)
    changes = run_graph(client, plan, work, definition, lock, progress)
    leftovers = prune_leftovers(client, plan, changes, lock, problems)
    changes, leftovers = await_deletions(client, context, changes, leftovers, options, progress, problems)
    finish(client, plan, work, changes, leftovers, lock, problems)
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


def apply_definition(client: Client, plan: RolloutPlan) -> ApplyResult | None:
    """Apply the CustomResourceDefinition of ClusterVersion, and wait until it is served. Raises ``ClusterError``."""
    if plan.cluster_version_crd is None:
        return None
    ownership = OwnershipMetadata(applyset_id(), "", InjectedConfig())
    applier = Applier(client, plan.context, plan.options, "reconcile", ownership)
    result = applier.apply(plan.cluster_version_crd)
    if result.pending:
        result = applier.wait_until_established(result, plan.options.timings.establish)
    raise_errors(result.problems, ClusterError)
    return result


def reconcile_capabilities(
    client: Client, plan: RolloutPlan, definition: ApplyResult | None, problems: Problems
) -> CapabilityResult:
    """Reconcile the ClusterVersion. Implicitly enabled capabilities of an unfinished rollout are reported again."""
    inventory = plan.context.state.inventory
    crd_changed = definition is not None and definition.action != "unchanged"
    result = reconcile_cluster_version(
        client, plan.context, plan.capabilities, plan.options, problems, crd_changed=crd_changed
    )
    if inventory is not None and inventory.unfinished:
        result = result._replace(implicit=result.implicit | inventory.implicit)
    return result


def begin(client: Client, plan: RolloutPlan, work: ManifestPlan) -> RunLock:
    """Write the planned inventory, which takes the lock on the cluster. Raises ``ClusterError``."""
    stored = plan.context.state.stored
    # An earlier run has already done everything in this mode, and released the lock. A repeated task writes nothing.
    is_repeated = work.mode != work.required_mode and not stored.run
    stored = write_inventory(client, stored, work.inventory, begins=not is_repeated, dry_run=plan.options.dry_run)
    return RunLock(client, stored, plan.options.timings.lock_check)


def run_graph(
    client: Client,
    plan: RolloutPlan,
    work: ManifestPlan,
    definition: ApplyResult | None,
    lock: RunLock,
    progress: Progress,
) -> ChangeSet:
    """Apply the manifests, retry what the cluster lacks, and wait until the objects are ready, if requested.

    The result of ``definition``, if this run changed it, replaces that of the graph.
    """
    context = plan.context
    if definition is not None and not plan.options.dry_run:
        context = context.with_live(definition.manifest.resource_id, definition.metadata)
        definition = definition if definition.is_written else None
    listener = _Listener(client, plan, work, lock, definition, progress)
    applier = Applier(client, context, plan.options, work.mode, work.ownership)
    changes = GraphRunner(work.graph, applier, context.state.kinds, plan.options, listener).run()
    progress("")
    return changes._replace(
        results=tuple(map(listener.final, changes.results)),
        problems=(*changes.problems, *listener.warnings),
    )


def prune_leftovers(
    client: Client, plan: RolloutPlan, changes: ChangeSet, lock: RunLock, problems: Problems
) -> tuple[Leftover, ...]:
    """List the leftovers. Delete them if that is requested and nothing failed."""
    if not plan.options.prune or changes.has_failures:
        return as_kept(plan.context)
    return prune(client, plan.context, changes.results, None if plan.options.dry_run else lock, problems)


def finish(
    client: Client,
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
        retry_while_unreachable(lambda: write_inventory(client, lock.stored, inventory, ends=ends))


class _Listener(RunListener):
    """Shows the progress, checks the lock, and waits for ready objects.

    ``definition`` is the result of the definition that this run wrote before the graph.
    """

    def __init__(
        self,
        client: Client,
        plan: RolloutPlan,
        work: ManifestPlan,
        lock: RunLock,
        definition: ApplyResult | None,
        progress: Progress,
    ) -> None:
        super().__init__(work.manifests, progress)
        self._client, self._plan, self._work = client, plan, work
        self._run_lock, self._definition = lock, definition
        self._results: list[ApplyResult] = []
        self.warnings = Problems()

    def final(self, result: ApplyResult) -> ApplyResult:
        """The result of a manifest in the whole run."""
        definition = self._definition
        is_same = definition is not None and definition.manifest.resource_id == result.manifest.resource_id
        return definition if definition is not None and is_same else result

    def applied(self, result: ApplyResult) -> None:
        """Show the progress. Raises ``LockLostError`` if another run owns the cluster."""
        super().applied(result)
        if not self._plan.options.dry_run:
            self._run_lock.check()

    def waiting(self, left: int, resource: str, message: str) -> None:
        """Show what the rollout waits for. Raises ``LockLostError`` if another run owns the cluster."""
        super().waiting(left, resource, message)
        self._run_lock.check()

    def wait(self, results: Sequence[ApplyResult], problems: Problems, *, is_last: bool) -> None:
        """Wait at a barrier: in an update for the objects since the last barrier, else for all of them at the end."""
        self._results += results
        mode, options = self._work.mode, self._plan.options
        if not options.wait or not (mode == "update" or is_last):
            return
        chosen = results if mode == "update" else self._results
        reported = Problems()
        wait_until_ready(
            self._client,
            self._plan.context,
            [result.manifest for result in chosen if result.action in ("created", "changed", "unchanged")],
            mode,
            options.deadline,
            self.waiting,
            reported,
        )
        self.warnings += [problem for problem in reported if problem.severity != "error"]
        problems += [problem for problem in reported if problem.severity == "error"]


def _is_inventory_changed(plan: RolloutPlan, work: ManifestPlan) -> bool:
    before, after = plan.context.state.inventory, work.inventory
    return before is None or (before.version, before.enabled) != (after.version, after.enabled)
