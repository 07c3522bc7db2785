# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares plans with the verdicts and the capabilities that a path must not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .._problems import Problems, did_you_mean
from .plan import HopPlan
from .planner import PlanResult
from .request import FailOn
from .update_reasons import VERDICTS, UpdateReason
from .verdict import HopVerdict

ALL = "all"
"""In ``forbidden_capabilities``: each name that a hop enables, and that the selection does not request after it."""


class Violation(NamedTuple):
    """A name that ``hop`` enables although it is forbidden, or its verdict if ``fail_on`` does not accept it."""

    name: str
    hop: HopPlan
    message: str


def check_forbidden(forbidden: Sequence[str], known: Iterable[str], problems: Problems) -> None:
    """Report names in ``forbidden`` that do not exist, because no plan could enable them.

    ``known``: the names that any release of the paths knows.
    """
    names = sorted({*known, ALL})
    for index, name in enumerate(forbidden):
        if name not in names:
            message = f"{name!r} is not a capability of these releases"
            where = f"forbidden_capabilities[{index}]"
            problems.error("unknown-capability", where, message, did_you_mean(name, names))


def verdict_violations(result: PlanResult, fail_on: FailOn) -> Iterator[Violation]:
    """Yield the verdicts of ``result`` that are ``fail_on`` or more serious, hop by hop."""
    for hop, found in zip(result.plan.hops, result.verdicts, strict=True):
        reasons = [reason for reason in refused_reasons(found, fail_on) if reason.verdict == found.verdict]
        if reasons:
            more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
            text = f"has the verdict {found.verdict}: {reasons[0].message}{more}"
            yield Violation(found.verdict, hop, f"{hop.from_version} to {hop.to_version} {text}")


def refused_reasons(verdict: HopVerdict, fail_on: FailOn) -> Iterator[UpdateReason]:
    """Yield the reasons that are ``fail_on`` or more serious, and not accepted."""
    for reason in verdict.reasons if fail_on != "never" else ():
        if reason.accepted is None and VERDICTS.index(reason.verdict) >= VERDICTS.index(fail_on):
            yield reason


def capability_violations(result: PlanResult, forbidden: Sequence[str]) -> Iterator[Violation]:
    """Yield the names that ``result`` enables although they are ``forbidden`` and not accepted, hop by hop.

    A name counts however its components are created.
    """
    for hop, verdict in zip(result.plan.hops, result.verdicts, strict=True):
        for name in sorted(hop.newly_enabled.difference(item.name for item in verdict.capabilities)):
            if name in forbidden or (ALL in forbidden and name not in hop.requested):
                yield Violation(name, hop, enabling(name, hop))


def enabling(name: str, hop: HopPlan) -> str:
    """Describe why ``hop`` enables ``name``."""
    implicit = next((item for item in hop.implicitly_enabled if item.name == name), None)
    text = f"{hop.from_version} to {hop.to_version} enables {name}"
    if implicit is not None and implicit.causes:
        more = f" and {len(implicit.causes) - 1} more" if len(implicit.causes) > 1 else ""
        return f"{text} because of {implicit.causes[0].target.resource_id}{more}"
    if implicit is not None:
        return f"{text}: {implicit.source}"
    if name in hop.no_longer_optional:
        return f"{text}: {hop.to_version} does not know it as a capability, so it creates its components"
    return f"{text}: the selection requests it in {hop.to_version}"
