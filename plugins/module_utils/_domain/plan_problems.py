# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What is worth knowing about a plan beside the plan itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .cluster_version import ToldStatus
from .errors import Problem
from .names import did_you_mean
from .plan import HopPlan, Leg, Plan
from .waypoint import Waypoint


def status_problems(status: ToldStatus, start: Waypoint, plan: Plan, where: str) -> Iterator[Problem]:
    """Yield what is odd about the status that a cluster of the first release told in option ``where``."""
    strange = (status.enabled | (status.known or frozenset())) - start.known
    if start.minor_facts is not None and strange:
        message = f"names what {start.minor} does not know: {_listed(strange)}; it stays on, as after a rollback"
        nearest = " ".join(did_you_mean(name, start.known) for name in sorted(strange))
        yield Problem("warning", where, message, f"{nearest} See whether it was rolled back, or runs another release")
    pending = start.requested(plan.selection) - status.enabled
    if pending:
        message = f"does not show yet what the spec asks for: {_listed(pending)}; the plan takes it for on"
        yield Problem("warning", where, message, "Plan again when the cluster has followed its spec")


def plan_problems(plan: Plan, legs: Sequence[Leg]) -> Iterator[Problem]:
    """Yield what a plan comes to that somebody should hear of, hop by hop."""
    for hop, leg in zip(plan.hops, legs, strict=True):
        where = f"{hop.from_version} to {hop.to_version}"
        for blocker in hop.blockers:
            yield Problem("warning", where, blocker.message, blocker.mend)
        yield from _unknown_names(hop, leg, where)
        if hop.downgrade and hop.changes.removed:
            message = f"{len(hop.changes.removed)} resources would be left behind, see left_behind"
            yield Problem("warning", where, message, "Remove them by hand afterwards")
        if leg.end.minor_facts is None:
            message = f"{hop.to_version} has no capabilities, so everything that was off is created"
            yield Problem("warning", where, message, "See created_components")


def _unknown_names(hop: HopPlan, leg: Leg, where: str) -> Iterator[Problem]:
    if leg.end.minor_facts is None:
        return
    hidden = {item.name for item in hop.implicitly_enabled} & leg.end.hidden
    if hidden:
        message = f"{_listed(hidden)} is on during the update only: its feature gate is off in {hop.to_version}"
        yield Problem("warning", where, message, "Look into the release, its manifests should name the gate too")
    unknown = hop.after.enabled - leg.end.known
    if unknown:
        message = (
            f"{hop.to_version} does not know {_listed(unknown)}, which stays in the status: its API refuses every "
            "write to ClusterVersion until it is taken out there"
        )
        yield Problem("warning", where, message, "Edit the status sub-resource, or apply the newer ClusterVersion CRD")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
