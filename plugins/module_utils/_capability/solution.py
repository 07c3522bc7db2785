# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Resolves a named solution to the selection for a version, platform and install method.

A solution describes the purpose of a cluster and contains no list per version: the rules add what a version requires.
The selection is pinned: v4.11 to v4.13 gained MachineAPI in 4.14, and vCurrent grows with every release that adds a
capability.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from .._data import capabilities as capability_data
from .._data.capabilities import (
    CAPABILITIES,
    NONE,
    V_CURRENT,
    MinorData,
    gates_of_capability,
    is_in_every_minor,
    since_of,
)
from .._data.solutions import SOLUTIONS, Solution, WantedCapability
from .._problems import Location, Problems, check_list, check_string, did_you_mean
from .._release.release import read_minor
from .rules import InstallContext, RuleViolation, rule_violations, suggested_selection
from .selection import Selection

_NAMES = tuple(capability.name for capability in CAPABILITIES)
_LISTS = ("wants", "without", "rather_without")
_FIELDS = ("description", "starts_from", *_LISTS)
_WANT = {"capability", "until"}
_STARTS = ("nothing", "everything")


class ResolvedSelection(NamedTuple):
    """The selection of an installation. ``selection`` is ``None`` if there is none, which is the cluster default.

    ``requested`` is the selection as the user or the solution defines it. ``reasons`` are sentences that explain
    ``selection``. ``added``: why the rules added names to a solution.
    """

    selection: Selection | None
    requested: Selection
    reasons: tuple[str, ...]
    added: tuple[RuleViolation, ...] = ()


def find_solution(name: str, own: object, problems: Problems) -> Solution | None:
    """Find a solution by name. A solution in ``own``, of the user, takes precedence over a predefined one."""
    reported = Problems()
    solutions = {item.name: item for item in SOLUTIONS} | {item.name: item for item in _own_solutions(own, reported)}
    if name not in solutions and not reported:
        hint = did_you_mean(name, sorted(solutions))
        reported.error("unknown-solution", "solution", f"{name!r} is not a solution", hint)
    problems += reported
    return solutions.get(name)


def resolve(solution: Solution, install: InstallContext, problems: Problems) -> ResolvedSelection | None:
    """The pinned selection of ``solution`` for an installation, ``None`` with problems if that rules it out."""
    own, where = Problems(), Location(f"solution {solution.name}")
    wanted = frozenset(_wanted_names(solution, install, where, own))
    _check_exclusions(solution, install, where, own)
    excluded = (*solution.without, *solution.rather_without)
    requested = Selection(NONE, tuple(sorted(wanted)), excluded, where, *_LISTS[:2])
    start = install.enabled(Selection()) if solution.starts_from == "everything" else frozenset()
    names = tuple(sorted((start | wanted) - set(excluded)))
    starting = requested._replace(additional=names, excluded=None)
    selection, added = suggested_selection(starting, install, solution_without=solution.without)
    required = {item.capability: item for item in reversed(added) if item.capability in solution.without}
    for name, item in sorted(required.items()):
        message = f"cannot exclude {name}: {item.rule.message} ({item.rule.name})"
        hint = f"Exclude {item.needed_by} as well" if item.needed_by else "Choose another platform or install method"
        own.error("impossible-exclusion", where, message, f"{hint}, or remove {name} from without")
    # Violations that no additional name fixes: a selection is not possible at all, or something else is missing.
    own += [item.problem for item in rule_violations(selection, install) if item.problem.severity == "error"]
    problems += own
    if own.has_errors:
        return None
    form, reason = pinned(install.enabled(selection), candidate_minors(install.minor_data), where)
    not_yet_optional = tuple(
        f"{want.capability} is a capability from {since} on; "
        f"in earlier versions, {'every' if is_in_every_minor(want.capability, install.minor) else 'no'} cluster has it"
        for want in solution.wants
        if (since := since_of(want.capability)) is not None and install.minor < since
    )
    reasons = [reason, *not_yet_optional]
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


def _wanted_names(solution: Solution, install: InstallContext, where: Location, problems: Problems) -> Iterator[str]:
    for want in solution.wants:
        name, minor = want.capability, install.minor
        if want.until is not None and minor > want.until:
            continue
        if name in install.names:
            yield name
        elif name in install.minor_data.capabilities:
            message = (
                f"{name} exists in {minor} only if the feature gate {' or '.join(gates_of_capability(name))} is enabled"
            )
            problems.error("gated-capability", where, message, "Choose a featureSet that enables it")
        elif gates_of_capability(name):
            since = since_of(name)
            message = f"{name} does not exist before {since}"
            problems.error("unknown-capability", where, message, f"Install {since} or later")
        elif since_of(name) is None:
            hint = did_you_mean(name, _NAMES)
            problems.error("unknown-capability", where, f"{name!r} is not a capability", hint)


def _check_exclusions(solution: Solution, install: InstallContext, where: Location, problems: Problems) -> None:
    for name in (*solution.without, *solution.rather_without):
        since = since_of(name)
        if since is None and name not in install.names:
            hint = did_you_mean(name, _NAMES)
            problems.error("unknown-capability", where, f"{name!r} is not a capability", hint)
        elif name in solution.without and is_in_every_minor(name, install.minor):
            message = f"cannot exclude {name} in {install.minor}: it is part of every cluster before {since}"
            hint = f"Install {since} or later, or choose another solution"
            problems.error("impossible-exclusion", where, message, hint)


def _own_solutions(own: object, problems: Problems) -> Iterator[Solution]:
    if own is None:
        return
    if not isinstance(own, Mapping):
        problems.error("not-a-map", "solutions", f"is {own!r}, expected a dict", "Write name: {...}")
        return
    for name, entry in own.items():
        solution = _own_solution(str(name), entry, problems)
        if solution is not None:
            yield solution


def _own_solution(name: str, entry: object, problems: Problems) -> Solution | None:
    where, before = f"solutions.{name}", len(problems)
    if not isinstance(entry, Mapping):
        problems.error("not-a-map", where, f"is {entry!r}, expected a dict", f"Write {', '.join(_FIELDS)}")
        return None
    for field in entry:
        if field not in _FIELDS:
            hint = did_you_mean(field, _FIELDS)
            problems.error("unknown-field", f"{where}.{field}", "is not a field of a solution", hint)
    starts_from = entry.get("starts_from")
    if starts_from not in _STARTS:
        message = f"is {starts_from!r}, expected {' or '.join(_STARTS)}"
        problems.error("invalid-choice", f"{where}.starts_from", message, f"Write {' or '.join(_STARTS)}")
    check_string(f"{where}.description", entry.get("description", ""), problems)
    wants = tuple(_wanted_capabilities(entry.get("wants") or (), f"{where}.wants", problems))
    without, rather = (_plain_names(entry, field, where, problems) for field in _LISTS[1:])
    _check_contradictions(where, {want.capability for want in wants}, (*without, *rather), problems)
    if len(problems) > before:
        return None
    start: Literal["nothing", "everything"] = "nothing" if starts_from == "nothing" else "everything"
    return Solution(name, entry.get("description", ""), start, wants, without, rather)


def _wanted_capabilities(entries: Any, where: str, problems: Problems) -> Iterator[WantedCapability]:
    check_list(where, entries, problems, of_strings=False)
    for index, entry in enumerate(entries if isinstance(entries, (list, tuple)) else ()):
        location = f"{where}[{index}]"
        if isinstance(entry, str):
            yield WantedCapability(entry)
        elif isinstance(entry, Mapping) and isinstance(entry.get("capability"), str) and entry.keys() <= _WANT:
            text = entry.get("until")
            until = None if text is None else read_minor(text, f"{location}.until", problems)
            if text is None or until is not None:
                yield WantedCapability(entry["capability"], until)
        else:
            message = f"is {entry!r}, expected a name, or a dict with capability and until"
            problems.error("invalid-entry", location, message, "Write the name of a capability")


def _plain_names(entry: Mapping[str, Any], field: str, where: str, problems: Problems) -> tuple[str, ...]:
    reported = Problems()
    check_list(f"{where}.{field}", entry.get(field) or [], reported, of_strings=True)
    problems += reported
    return () if reported else tuple(entry.get(field) or ())


def _check_contradictions(where: str, wants: set[str], without: Iterable[str], problems: Problems) -> None:
    for name in sorted(wants.intersection(without)):
        problems.error("conflicting-fields", where, f"{name} is both wanted and excluded", "Remove it from one list")
