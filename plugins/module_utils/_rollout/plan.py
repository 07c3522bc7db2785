# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of a rollout: plain rules on the data that was read before. They refuse a rollout that must not start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._capability.cluster_options import check_options, inclusion_context
from .._capability.inclusion import CapabilityStatus, included_manifests
from .._cluster.cluster_version import CLUSTER_VERSION
from .._contents.unmet_references import ReleaseReferences, report_dangling
from .._data.inclusion_rules import inclusion_rules
from .._kubernetes.lookup import api_identity
from .._problems import ClusterError, InvalidOptionError, Problem, Problems
from .._release.manifest import Manifest
from .._release.release import Release
from .._release.task_graph import Mode, TaskGraph, task_graph
from .._resources import CLUSTER_VERSIONS, CVO, ResourceId, nested
from .change_set import CapabilityResult, ChangeSet, Leftover
from .cluster_state import RolloutContext, defines, included_by_resource
from .deletion import terminating_problem
from .desired_object import OwnershipMetadata
from .drift import REWRITTEN_FIELD, owned_digest
from .enablement import (
    CapabilityPlan,
    OutgoingRelease,
    no_capabilities_error,
    outgoing_release,
    plan_capabilities,
    refuse_downgrade,
    requested_selection,
)
from .inventory import Entry, Inventory, applyset_id
from .options import RolloutOptions
from .prune import refuse_unsafe_prune

_NEW = Entry(())


class RolloutPlan(NamedTuple):
    """What a rollout does before it applies manifests. ``problems`` are remarks; none of them forbids the rollout.

    ``cluster_version_crd`` is the manifest that defines ClusterVersion, if the release has one for this cluster.
    """

    context: RolloutContext
    options: RolloutOptions
    outgoing: OutgoingRelease
    capabilities: CapabilityPlan
    cluster_version_crd: Manifest | None
    problems: tuple[Problem, ...]

    @property
    def version(self) -> str:
        """The version of the incoming release."""
        return self.context.release.shown_version


class ManifestPlan(NamedTuple):
    """Which manifests a rollout applies with the reconciled capabilities, and in which mode.

    ``required_mode`` is the mode that the CVO would use. ``inventory`` is the one to write before the first manifest,
    and ``ownership`` the metadata of all objects.
    """

    manifests: tuple[Manifest, ...]
    mode: Mode
    required_mode: Mode
    inventory: Inventory
    ownership: OwnershipMetadata

    @property
    def graph(self) -> TaskGraph:
        """The order of the manifests."""
        return task_graph(self.manifests, self.mode)


def plan_rollout(context: RolloutContext, previous: Release | None, options: RolloutOptions) -> RolloutPlan:
    """Plan a rollout. ``previous`` is the release that the cluster has, if the user set it.

    Raises ``CapabilityError`` if the rollout must not start: it would remove a capability, downgrade the release,
    prune too much, or depend on something unknown.
    """
    state, release = context.state, context.release
    obj = state.cluster_version
    if obj is not None and nested(obj, "metadata", "deletionTimestamp"):
        # The garbage collector deletes what it owns as soon as it is gone.
        raise ClusterError([terminating_problem(CLUSTER_VERSION, obj, "error")])
    problems = Problems(context.problems)
    selection = requested_selection(options.cluster.capabilities, context, problems)
    given = _given_release(previous, context)
    outgoing = outgoing_release(state, given, release.shown_version, began=bool(context.live))
    if not options.allow_downgrade:
        refuse_downgrade(outgoing, release.shown_version)
    crd = next((item for item in context.managed if defines(item, CLUSTER_VERSIONS)), None)
    is_served = state.kinds.find(CLUSTER_VERSIONS.group, CLUSTER_VERSIONS.kind) is not None
    moved = loaded_by_outgoing(outgoing, context)
    capabilities = plan_capabilities(context, selection, outgoing, moved, problems, served=is_served or crd is not None)
    definitions = [item for item in release.manifests if defines(item, CLUSTER_VERSIONS)]
    if state.cluster_version is None and selection is None and (is_served or definitions):
        raise no_capabilities_error()
    if options.prune:
        refuse_unsafe_prune(context)
    if definitions and not capabilities.served:
        raise _excluded_definition_error(context, definitions[0])
    return RolloutPlan(context, options, outgoing, capabilities, crd, tuple(problems))


def plan_manifests(plan: RolloutPlan, capabilities: CapabilityResult, problems: Problems) -> ManifestPlan:
    """Choose the manifests to apply. Raises ``ClusterError`` if one needs a configuration that could not be read."""
    context = plan.context
    enabled = included_by_resource(context, capabilities.status)
    manifests = context.without_overridden(enabled)
    context.configuration.check(manifests)
    _warn_about_cvo(manifests, problems)
    _warn_about_references(plan, capabilities.status, problems)
    required = _required_mode(plan, capabilities.status)
    # A cluster is installed once. A task that always requests it means the mode of the CVO afterwards.
    mode = required if plan.options.mode in (None, "install") else plan.options.mode
    # A killed run leaves what the CVO would do to the next one, even if its own mode does less, and its own deletions.
    required = mode if mode == "update" else required
    # For implicit enablement, overridden resources count as applied, as in the CVO.
    inventory = _planned_inventory(plan, capabilities, enabled, required)
    uid = nested(capabilities.cluster_version, "metadata", "uid")
    ownership = OwnershipMetadata(applyset_id(), str(uid or ""), context.configuration.config)
    return ManifestPlan(manifests, mode, required, inventory, ownership)


def _warn_about_references(plan: RolloutPlan, status: CapabilityStatus, problems: Problems) -> None:
    """Warn about references to what capabilities exclude and no earlier rollout applied."""
    context, enabled = plan.context, status.enabled & status.known
    # If the API server does not serve a kind, a rollout has nothing to delete.
    applied = [item for item in context.managed if not item.deletes]
    found = ReleaseReferences(context.release, applied).dangling(enabled)
    report_dangling([item for item in found if item.target not in context.live], enabled, "warning", problems)


def final_inventory(
    plan: RolloutPlan, work: ManifestPlan, changes: ChangeSet, leftovers: Sequence[Leftover]
) -> Inventory:
    """The inventory after a rollout, without what no longer exists, and with the digests of the fields that we own.

    It stays unfinished if a manifest is left, or if an update is required and the mode was one that deletes nothing.
    """
    is_finished = changes.is_complete and (work.mode == "update" or work.required_mode != "update")
    context, entries = plan.context, dict(work.inventory.entries)
    kept = {item.resource for item in leftovers if not item.pruned}
    gone = {*context.dropped}.difference(kept, context.members.unclear)
    for result in changes.results:
        resource, entry = result.manifest.resource_id, entries.get(result.manifest.resource_id)
        if result.manifest.deletes and is_finished and result.action in ("deleted", "absent"):
            gone.add(resource)
        # Others may change a create-only object, so it does not matter which of its fields we own.
        elif entry is not None and result.metadata and not result.manifest.is_create_only:
            is_rewritten = any(problem.code == REWRITTEN_FIELD for problem in result.problems)
            entries[resource] = entry._replace(owned="" if is_rewritten else owned_digest(result.metadata))
    entries = {resource: entry for resource, entry in entries.items() if resource not in gone}
    if is_finished:
        return work.inventory._replace(entries=entries, unfinished="", implicit=frozenset())
    return work.inventory._replace(entries=entries, unfinished=work.required_mode)


def _planned_inventory(
    plan: RolloutPlan, capabilities: CapabilityResult, manifests: Sequence[Manifest], mode: Mode
) -> Inventory:
    """The inventory before the first manifest: earlier resources, those of the release, and the capabilities."""
    context, inventory = plan.context, plan.context.state.inventory
    # An entry has the namespace of its manifest, because implicit enablement compares manifests as they are written.
    entries: dict[ResourceId, tuple[ResourceId, Entry]] = {}
    for resource, entry in inventory.entries.items() if inventory else ():
        entries[api_identity(context.state.kinds, resource)] = resource, entry._replace(is_earlier=True)
    for manifest in manifests:
        if not manifest.deletes:
            identity = api_identity(context.state.kinds, manifest.resource_id)
            _resource, entry = entries.get(identity, (manifest.resource_id, _NEW))
            entries[identity] = manifest.resource_id, Entry(manifest.capabilities, entry.owned)
    profile = context.resolved.context.cluster_profile or ""
    planned = Inventory(
        plan.version,
        profile,
        capabilities.status.enabled,
        "",
        dict(entries.values()),
        gates=context.resolved.context.feature_gates,
        deleted={manifest.resource_id: Entry(manifest.capabilities) for manifest in manifests if manifest.deletes},
    )
    return planned if planned == inventory else planned._replace(unfinished=mode, implicit=capabilities.implicit)


def _given_release(previous: Release | None, context: RolloutContext) -> OutgoingRelease | None:
    """The release ``previous`` with the manifests that pass the filters of the cluster, except for capabilities."""
    if previous is None:
        return None
    problems = Problems()
    criteria = check_options(context.options, previous.minor, problems)
    problems.raise_errors(InvalidOptionError)
    inclusion = inclusion_context(criteria, previous, Problems())
    manifests = included_manifests(previous.manifests, inclusion._replace(overrides=()))
    return OutgoingRelease(previous.version, previous.minor, manifests, inclusion.feature_gates)


def loaded_by_outgoing(outgoing: OutgoingRelease, context: RolloutContext) -> tuple[Manifest, ...]:
    """The manifests that the CVO of the outgoing release loads: its rules and feature gates decide what moves.

    If only the gates of a release change, its CVO loads it again with the new ones.
    """
    inclusion = context.resolved.context
    rules = inclusion.rules if outgoing.minor is None else inclusion_rules(outgoing.minor)
    is_known = outgoing.gates is not None and outgoing.version != context.release.shown_version
    gates = outgoing.gates if is_known else inclusion.feature_gates
    loading = inclusion._replace(rules=rules, feature_gates=gates)
    return context.manifests if loading == inclusion else included_manifests(context.release.manifests, loading)


def _excluded_definition_error(context: RolloutContext, definition: Manifest) -> ClusterError:
    """The error of a release that defines ClusterVersion, but for other clusters only."""
    message = "the release contains definitions of it, but none is included for this cluster"
    hint = (
        "Check feature_set, cluster_profile and overrides. For a hosted control plane, create the definition and the "
        "ClusterVersion first, as HyperShift does"
    )
    where = f"{definition.file}, {CLUSTER_VERSIONS.resource}"
    return ClusterError([*context.problems, Problem("error", "excluded-definition", where, message, hint)])


def _required_mode(plan: RolloutPlan, status: CapabilityStatus) -> Mode:
    """The mode that the CVO would use: install, update to another release or other capabilities, or reconcile."""
    inventory = plan.context.state.inventory
    if inventory is None:
        return "install" if plan.outgoing.version in (None, plan.version) else "update"
    if inventory.version != plan.version or inventory.enabled != status.enabled:
        return "update"
    return inventory.unfinished or "reconcile"


def _warn_about_cvo(manifests: Sequence[Manifest], problems: Problems) -> None:
    """Every release contains the CVO, which manages the cluster as soon as its image can be pulled."""
    cvo = ResourceId("apps", "Deployment", *CVO)
    for manifest in manifests:
        if manifest.resource_id == cvo and not manifest.deletes:
            message = "is the cluster-version operator: if its image can be pulled, it will also manage this cluster"
            problems.info("included-cvo", manifest.file, message, "Add an override for it if you do not want that")
