# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What is worth knowing about a plan beside the plan itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .._capability.selection import Selection
from .._cluster.cluster_version import ReportedCapabilities
from .._data.capabilities import gates_of
from .._problems import Problem, did_you_mean
from .plan import Hop, HopPlan, Plan
from .resolved_release import ResolvedRelease
from .start import Source


def status_problems(
    status: ReportedCapabilities, selection: Selection, start: ResolvedRelease, where: str, source: Source
) -> Iterator[Problem]:
    """Yield what is odd about the status that a cluster of the first release told ``where``."""
    strange = (status.enabled | (status.known or frozenset())) - start.known - start.hidden
    if strange and source == "enabled_capabilities" and status.known is None:
        for name in sorted(strange):
            yield Problem(
                "error",
                "todo",
                where,
                f"{name!r} is not a capability of {start.minor}",
                did_you_mean(name, start.known),
            )
    elif strange:
        message = f"names what {start.minor} does not know: {_listed(strange)}; it stays on, as after a rollback"
        yield Problem(
            "warning", "todo", where, message, "See whether the cluster was rolled back, or runs another release"
        )
    hidden = status.enabled & start.hidden
    if hidden:
        gates = sorted({gate for name in hidden for gate in gates_of(name)})
        message = f"{_listed(hidden)} exists in {start.minor} only while its feature gate is on ({' or '.join(gates)})"
        yield Problem("warning", "todo", where, message, "Give feature_set or feature_gates as the cluster has them")
    pending = start.requested(selection) - status.enabled
    if pending:
        message = (
            f"does not show yet what the spec asks for: {_listed(pending)}; it comes with the first hop at the latest"
        )
        yield Problem("warning", "todo", where, message, "Plan again when the cluster has followed its spec")


def plan_problems(plan: Plan, hops: Sequence[Hop]) -> Iterator[Problem]:
    """Yield what a plan comes to that somebody should hear of, hop by hop."""
    for found, hop in zip(plan.hops, hops, strict=True):
        where = f"{found.from_version} to {found.to_version}"
        for blocker in found.blockers:
            yield Problem("warning", "todo", where, blocker.message, blocker.hint)
        yield from _unknown_names(found, hop, where)
        if found.downgrade and found.changes.removed:
            message = f"{len(found.changes.removed)} resources would be left behind, see left_behind"
            yield Problem("warning", "todo", where, message, "Remove them by hand afterwards")
        if found.no_longer_optional:
            message = (
                f"{found.to_version} does not know {_listed(found.no_longer_optional)} as capabilities, and creates "
                "what they bring"
            )
            yield Problem("warning", "todo", where, message, "See created_components")


def _unknown_names(found: HopPlan, hop: Hop, where: str) -> Iterator[Problem]:
    if hop.end.minor_facts is None:
        return
    hidden = {item.name for item in found.implicitly_enabled} & hop.end.hidden
    if hidden:
        message = f"{_listed(hidden)} is on during the update only: its feature gate is off in {found.to_version}"
        yield Problem(
            "warning", "todo", where, message, "Look into the release, its manifests should name the gate too"
        )
    unknown = found.after.enabled - hop.end.known
    if unknown:
        message = (
            f"{found.to_version} does not know {_listed(unknown)}, which stays in the status: its API refuses every "
            "write to ClusterVersion until it is taken out there"
        )
        yield Problem(
            "warning", "todo", where, message, "Edit the status sub-resource, or apply the newer ClusterVersion CRD"
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
