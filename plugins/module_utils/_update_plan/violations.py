# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The gate before an update: names that a plan must not enable, and verdicts that it must not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .._problems import Problems, did_you_mean
from .plan import EnabledCapability, HopPlan, Plan
from .planner import PlanResult
from .update_reasons import VERDICTS

ANY = "any"

VERDICT_WORDS = tuple(verdict for verdict in VERDICTS if verdict != "go")
"""The verdicts that ``fail_on`` can contain besides names."""


class Violation(NamedTuple):
    """A name that ``hop`` enables, or a verdict that it has reasons for, although ``fail_on`` forbids it."""

    name: str
    hop: HopPlan
    message: str


def check_fail_on(fail_on: Sequence[str], known: Iterable[str], problems: Problems) -> None:
    """Report names in ``fail_on`` that do not exist, because they would never match.

    ``known``: the names that any release of the paths knows.
    """
    names = sorted({*known, ANY, *VERDICT_WORDS})
    for index, name in enumerate(fail_on):
        if name not in names:
            message = f"{name!r} is neither a capability of these releases nor a verdict"
            problems.error("unknown-capability", f"fail_on[{index}]", message, did_you_mean(name, names))


def verdict_violations(result: PlanResult, fail_on: Sequence[str]) -> Iterator[Violation]:
    """Yield the verdicts in ``fail_on`` that hops of ``result`` have reasons for, hop by hop.

    A hop that is blocked can violate ``risk`` too, because it can have reasons for both.
    """
    for hop, verdict in zip(result.plan.hops, result.verdicts, strict=True):
        for word in reversed(VERDICT_WORDS):
            reasons = verdict.of(word) if word in fail_on else ()
            if reasons:
                more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
                text = f"has reasons for the verdict {word}: {reasons[0].message}{more}"
                yield Violation(word, hop, f"{hop.from_version} to {hop.to_version} {text}")


def violations(plan: Plan, fail_on: Sequence[str]) -> Iterator[Violation]:
    """Yield the names that ``plan`` enables although ``fail_on`` forbids them, hop by hop.

    A name counts however its components are created. ``any`` means each name that the selection does not request in
    the new release.
    """
    for hop in plan.hops:
        implicit = {item.name: item for item in hop.implicitly_enabled}
        for name in sorted(hop.newly_enabled):
            if name in fail_on or (ANY in fail_on and name not in hop.requested):
                yield Violation(name, hop, _enabling(name, hop, implicit.get(name)))


def _enabling(name: str, hop: HopPlan, implicit: EnabledCapability | None) -> str:
    """Describe why ``hop`` enables ``name``. ``implicit``: how, if it is enabled implicitly."""
    text = f"{hop.from_version} to {hop.to_version} enables {name}"
    if implicit is not None and implicit.causes:
        more = f" and {len(implicit.causes) - 1} more" if len(implicit.causes) > 1 else ""
        return f"{text} because of {implicit.causes[0].target.resource_id}{more}"
    if implicit is not None:
        return f"{text}: {implicit.source}"
    if name in hop.no_longer_optional:
        return f"{text}: {hop.to_version} does not know it as a capability, so it creates its components"
    return f"{text}: the selection requests it in {hop.to_version}"
