# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is against the updates of a fleet, by reason instead of by plan, and what would have to be accepted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .planner import PlanResult
from .update_reasons import VERDICTS
from .violations import enabling


def shared_reasons(plans: Sequence[PlanResult], clusters: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Return each reason once, with all clusters that have it: the most serious first, then the most frequent.

    ``clusters``: the names of the clusters of each plan. Two reasons with the same name are one, and so are two without
    a name if the cluster reports the same kind, whatever their messages are.
    """
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for plan, names in zip(plans, clusters, strict=True):
        for reason in (reason for verdict in plan.verdicts for reason in verdict.reasons):
            key = (reason.code, reason.name or reason.reason)
            fields = {field: getattr(reason, field) for field in ("name", "verdict", "code", "reason", "message")}
            row = rows.setdefault(key, {**fields, "clusters": {}, "accepted": {}})
            row["clusters"] |= dict.fromkeys(names)
            if reason.accepted is not None:
                row["accepted"] |= dict.fromkeys(names)
    found = [{**row, "clusters": list(row["clusters"]), "accepted": list(row["accepted"])} for row in rows.values()]
    return sorted(found, key=lambda row: (-VERDICTS.index(row["verdict"]), -len(row["clusters"]), row["name"]))


def required_acceptances(plans: Sequence[PlanResult], clusters: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Return the names that ``required`` yields, each with what it is about and with its ``clusters``."""
    rows: dict[str, dict[str, Any]] = {}
    for plan, names in zip(plans, clusters, strict=True):
        for name, message in required(plan):
            row = rows.setdefault(name, {"name": name, "message": message, "clusters": {}})
            row["clusters"] |= dict.fromkeys(names)
    found = [{**row, "clusters": list(row["clusters"])} for row in rows.values()]
    return sorted(found, key=lambda row: (-len(row["clusters"]), row["name"]))


def required(plan: PlanResult) -> Iterator[tuple[str, str]]:
    """Yield what is neither requested nor accepted: names of reasons and capabilities, and what each is about."""
    for hop, verdict in zip(plan.plan.hops, plan.verdicts, strict=True):
        yield from ((item.name, item.message) for item in verdict.reasons if item.name and item.accepted is None)
        accepted = {item.name for item in verdict.capabilities}
        yield from ((name, enabling(name, hop)) for name in sorted(hop.newly_enabled - hop.requested - accepted))
