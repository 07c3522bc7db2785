# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Resolves a named solution to the selection for a version, platform and install method.

A solution describes the purpose of a cluster and contains no list per version: the rules add what a version requires.
The selection is pinned: v4.11 to v4.13 gained MachineAPI in 4.14, and vCurrent grows with every release that adds a
capability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._data import capabilities as capability_data
from .._data.capabilities import NONE, V_CURRENT, MinorData, since_of
from .._data.install_rules import HOSTED
from .._data.solutions import SOLUTIONS, Solution
from .._problems import Location, Problems, did_you_mean
from .rules import InstallContext, RuleViolation, rule_violations, suggested_selection
from .selection import Selection


class ResolvedSelection(NamedTuple):
    """The selection of an installation. ``selection`` is ``None`` if there is none, which is the cluster default.

    ``requested`` is the selection as the user or the solution defines it. ``reasons`` are sentences that explain
    ``selection``. ``added``: why the rules added names to a solution.
    """

    selection: Selection | None
    requested: Selection
    reasons: tuple[str, ...]
    added: tuple[RuleViolation, ...] = ()


def find_solution(name: str, problems: Problems) -> Solution | None:
    """Find a solution by name."""
    solutions = {item.name: item for item in SOLUTIONS}
    if name not in solutions:
        problems.error("unknown-solution", "solution", f"{name!r} is not a solution", did_you_mean(name, solutions))
    return solutions.get(name)


def resolve(solution: Solution, install: InstallContext, problems: Problems) -> ResolvedSelection | None:
    """The pinned selection of ``solution`` for an installation, ``None`` with problems if that rules it out."""
    own, where = Problems(), Location(f"solution {solution.name}")
    wanted = install.names.intersection(
        want.capability for want in solution.wants if want.until is None or install.minor <= want.until
    )
    _check_exclusions(solution, install, where, own)
    excluded = (*solution.without, *solution.rather_without)
    requested = Selection(NONE, tuple(sorted(wanted)), excluded, where)
    start = install.enabled(Selection()) if solution.starts_from == "everything" else frozenset()
    names = tuple(sorted((start | wanted) - set(excluded)))
    starting = requested._replace(additional=names, excluded=None)
    selection, added = suggested_selection(starting, install, solution_without=solution.without)
    required = {item.capability: item for item in reversed(added) if item.capability in solution.without}
    for name, item in sorted(required.items()):
        message = f"cannot exclude {name}: {item.rule.message} ({item.rule.name})"
        own.error("impossible-exclusion", where, message, "Choose another install method or solution")
    # Violations that no additional name fixes: a selection is not possible at all, or something else is missing.
    own += [item.problem for item in rule_violations(selection, install) if item.problem.severity == "error"]
    problems += own
    if own.has_errors:
        return None
    form, reason = pinned(install.enabled(selection), candidate_minors(install.minor_data), where)
    not_yet_optional = tuple(
        f"{want.capability} is a capability from {since} on; in earlier versions, every cluster has it"
        for want in solution.wants
        if (since := since_of(want.capability)) is not None and install.minor < since
    )
    # A HostedCluster has neither a set nor a list.
    reasons = [*not_yet_optional] if install.method == HOSTED else [reason, *not_yet_optional]
    for rule in dict.fromkeys(item.rule for item in added):
        by_rule = sorted({item.capability for item in added if item.rule == rule})
        reasons.append(f"added {', '.join(by_rule)}: {rule.message} ({rule.name})")
    return ResolvedSelection(form, requested, tuple(reasons), added)


def candidate_minors(data: MinorData) -> tuple[MinorData, ...]:
    """``data`` and the data of every later known minor: those to which a cluster may be updated."""
    later = (capability_data.data_of(minor) for minor in sorted(capability_data.BRANCHES) if minor > data.minor)
    return (data, *(item for item in later if item is not None))


def pinned(names: frozenset[str], minors: Sequence[MinorData], where: Location) -> tuple[Selection, str]:
    """The selection that requests exactly ``names`` in each of ``minors``, and the reason for its form, as a sentence.

    The first of ``minors`` is installed. A capability set is used only if all of them resolve it to the same names.
    """
    first = minors[0]
    span = f"{first.minor}" if len(minors) == 1 else f"every version from {first.minor} to {minors[-1].minor}"
    for name, content in stable_sets(minors).items():
        if content == names:
            return Selection(name, (), None, where), f"{name} has exactly these names in {span}"
    reason = f"no capability set has exactly these names in {span}, so they are listed ({len(names)})"
    return Selection(NONE, tuple(sorted(names)), None, where), reason


def stable_sets(minors: Sequence[MinorData]) -> Mapping[str, frozenset[str]]:
    """The sets of the first of ``minors`` that all others resolve to the same names, oldest first; never vCurrent."""
    first = minors[0].sets
    return {
        name: content
        for name, content in first.items()
        if name != V_CURRENT and all(minor.sets.get(name) == content for minor in minors)
    }


def _check_exclusions(solution: Solution, install: InstallContext, where: Location, problems: Problems) -> None:
    for name in solution.without:
        since = since_of(name)
        if since is not None and install.minor < since:
            message = f"cannot exclude {name} in {install.minor}: it is part of every cluster before {since}"
            hint = f"Install {since} or later, or choose another solution"
            problems.error("impossible-exclusion", where, message, hint)
