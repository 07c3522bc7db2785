# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Warnings about a plan, and about the status of the cluster that it starts from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .._capability.inclusion import is_overridden
from .._capability.resolved_release import ResolvedRelease
from .._capability.selection import Selection
from .._cluster.cluster_version import ReportedCapabilities
from .._contents.unmet_references import report_dangling
from .._data.capabilities import gates_of_capability
from .._problems import Problems, did_you_mean, plural
from .._resources import ResourceId
from .plan import Hop, HopPlan, Plan, StartingCluster
from .request import Source


def check_status(
    status: ReportedCapabilities,
    selection: Selection,
    start: ResolvedRelease,
    where: str,
    source: Source,
    problems: Problems,
) -> None:
    """Report contradictions between the status of the cluster and the first release of its path."""
    unknown = (status.enabled | (status.known or frozenset())) - start.known - start.gated
    if unknown and source == "enabled_capabilities" and status.known is None:
        for name in sorted(unknown):
            message = f"{name!r} is not a capability of {start.minor}"
            problems.error("unknown-capability", where, message, did_you_mean(name, start.known))
    elif unknown:
        kept = unknown & status.enabled
        message = f"contains names that {start.minor} does not know: {_listed(unknown)}"
        message += f"; of these, {_listed(kept)} stay enabled" if kept else ""
        hint = "Check whether the cluster was rolled back, or runs another release"
        where = where if kept or source != "enabled_capabilities" else "known_capabilities"
        problems.warning("unknown-capability", where, message, hint)
    gated = status.enabled & start.gated
    if gated:
        gates = " or ".join(sorted({gate for name in gated for gate in gates_of_capability(name)}))
        message = f"{_listed(gated)} exists in {start.minor} only if the feature gate {gates} is enabled"
        problems.warning("gated-capability", where, message, "Set feature_set or feature_gates as on the cluster")
    # A pre-release can lack names of its minor, and never enables them.
    pending = start.requested(selection) - status.enabled
    if status.known is not None:
        pending &= status.known
    if pending:
        message = f"does not contain requested capabilities yet: {_listed(pending)}; the first update enables them"
        problems.warning("pending-capability", where, message)


def check_plan(plan: Plan, hops: Sequence[Hop], problems: Problems) -> None:
    """Report what the user should know about a plan and about each hop of it."""
    if plan.rule == "presence":
        message = "is presence, which no cluster-version operator uses: it compares the new release with the cluster"
        hint = "Remove the option to plan what the update enables"
        problems.warning("presence-rule", "rule", message, hint)
    for planned, hop in zip(plan.hops, hops, strict=True):
        where = f"{planned.from_version} to {planned.to_version}"
        _check_names(planned, hop, where, problems)
        if planned.downgrade and planned.changes.removed:
            message = f"would orphan {plural(len(planned.changes.removed), 'resource')}, see removed of update_plan"
            problems.warning("orphaned-resources", where, message, "Remove them by hand after the downgrade")
        if planned.no_longer_optional:
            names = _listed(planned.no_longer_optional)
            message = f"{planned.to_version} does not know {names} as capabilities, so it creates their components"
            problems.warning("no-longer-optional", where, message, "Decide whether the cluster may run them")


def check_dangling(plan: Plan, hops: Sequence[Hop], cluster: StartingCluster, problems: Problems) -> None:
    """Report the references between manifests that a hop leaves dangling, each target once for the whole path.

    Those whose source or target an override makes unmanaged do not count, nor those to a resource that exists on the
    cluster, or that other manifests create.
    """
    overrides, others = cluster.overrides, cluster.extra | (cluster.present or frozenset())
    reported: set[tuple[str, ResourceId]] = set()
    for planned, hop in zip(plan.hops, hops, strict=True):
        enabled = hop.end.capability_filter(planned.after)
        found = [
            reference
            for reference in hop.references.dangling(enabled)
            if not is_overridden(reference.source.resource_id, overrides)
            and not is_overridden(reference.target, overrides)
            and reference.target not in others
            and (reference.kind, reference.target) not in reported
        ]
        reported.update((reference.kind, reference.target) for reference in found)
        report_dangling(found, enabled, "warning", problems, where=f"{planned.from_version} to {planned.to_version}")


def _check_names(planned: HopPlan, hop: Hop, where: str, problems: Problems) -> None:
    if hop.end.minor_data is None:
        return
    gated = {item.name for item in planned.implicitly_enabled} & hop.end.gated
    if gated:
        message = (
            f"{_listed(gated)} is enabled only during the update: its feature gate is disabled in {planned.to_version}"
        )
        hint = "Check the manifests of the release, which should name the gate too"
        problems.info("gated-capability", where, message, hint)
    unknown = planned.after.enabled - hop.end.known
    if unknown:
        message = (
            f"{planned.to_version} does not know {_listed(unknown)}, which stays in the status: the API server rejects "
            "every write to the ClusterVersion until it is removed there"
        )
        hint = "Edit the status subresource, or apply the newer ClusterVersion CRD"
        problems.warning("unknown-capability", where, message, hint)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
