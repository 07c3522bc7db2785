# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The gate in front of an update: names that a plan must not turn on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .._problems import Problem, did_you_mean
from .plan import EnabledCapability, HopPlan, Plan

ANY = "any"


class PolicyViolation(NamedTuple):
    """A name that a hop turns on against the policy; ``how`` says how, if it does so implicitly."""

    name: str
    hop: HopPlan
    how: EnabledCapability | None

    def __str__(self) -> str:
        text = f"{self.hop.from_version} to {self.hop.to_version} turns on {self.name}"
        if self.how is not None and self.how.causes:
            more = f" and {len(self.how.causes) - 1} more" if len(self.how.causes) > 1 else ""
            return f"{text} because of {self.how.causes[0].target.resource_id}{more}"
        if self.how is not None:
            return f"{text}: {self.how.source}"
        if self.name in self.hop.no_longer_optional:
            return f"{text}: {self.hop.to_version} does not know it as a capability, and creates what it brings"
        return f"{text}: the selection asks for it in {self.hop.to_version}"


def policy_problems(fail_on: Sequence[str], known: Iterable[str]) -> list[Problem]:
    """Return what is wrong with a policy: a gate that names what does not exist would never close.

    ``known`` are the names that any release of the paths knows.
    """
    names = sorted({*known, ANY})
    return [
        Problem(
            "error",
            "todo",
            f"fail_on[{index}]",
            f"{name!r} is not a capability of these releases",
            did_you_mean(name, names),
        )
        for index, name in enumerate(fail_on)
        if name not in names
    ]


def violations(plan: Plan, fail_on: Sequence[str]) -> tuple[PolicyViolation, ...]:
    """Return what ``plan`` turns on against the policy, hop by hop.

    A name counts however its components come. ``any`` stands for whatever comes and is not asked for in the new
    release either.
    """
    return tuple(_violations(plan, frozenset(fail_on)))


def _violations(plan: Plan, fail_on: frozenset[str]) -> Iterator[PolicyViolation]:
    for hop in plan.hops:
        implicit = {item.name: item for item in hop.implicitly_enabled}
        for name in sorted(hop.turned_on):
            if name in fail_on or (ANY in fail_on and name not in hop.requested):
                yield PolicyViolation(name, hop, implicit.get(name))
