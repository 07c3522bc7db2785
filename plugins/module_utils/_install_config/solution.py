# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Named solutions: what a kind of cluster is for, from which the selection for a version, platform and method follows.

A solution holds an intent and no list per version. What a version demands beside it comes from the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from .._capability.rules import InstallContext, RuleViolation, suggested_selection, violations
from .._capability.selection import Selection
from .._data.capabilities import CAPABILITIES, NONE, gates_of, is_in_every_minor, since_of
from .._data.solutions import SOLUTIONS, Solution, WantedCapability
from .._problems import Problem, Problems, did_you_mean, has_errors, list_problems, string_problems
from .._version import read_minor
from .pinning import candidate_minors, pinned

_NAMES = tuple(capability.name for capability in CAPABILITIES)
_LISTS = ("wants", "without", "rather_without")
_FIELDS = ("description", "starts_from", *_LISTS)
_WANT = {"capability", "until"}
_STARTS = ("nothing", "everything")


class Resolution(NamedTuple):
    """What a solution comes to: a pinned selection, why it is what it is, and the rules that added names to it.

    ``asked`` is what the solution itself says, in its own words.
    """

    selection: Selection
    asked: Selection
    reasons: tuple[str, ...]
    added: tuple[RuleViolation, ...]


def find_solution(name: str, own: object, problems: Problems) -> Solution | None:
    """Return the solution called ``name``, one of the user's ``own`` first; report what is wrong with them."""
    solutions = {item.name: item for item in SOLUTIONS} | {item.name: item for item in _own_solutions(own, problems)}
    if name not in solutions and not problems:
        problems.append(
            Problem("error", "todo", "solution", f"{name!r} is not a solution", did_you_mean(name, sorted(solutions)))
        )
    return solutions.get(name)


def resolve(solution: Solution, install: InstallContext, problems: Problems) -> Resolution | None:
    """Return the selection that ``solution`` comes to, ``None`` where it cannot be had; ``problems`` say why."""
    before = len(problems)
    where = f"solution {solution.name}"
    wanted = frozenset(_wanted(solution, install, where, problems))
    problems += _impossible(solution, install, where)
    spared = (*solution.without, *solution.rather_without)
    asked = Selection(NONE, tuple(sorted(wanted)), spared, where, *_LISTS[:2])
    start = install.enabled(Selection()) if solution.starts_from == "everything" else frozenset()
    names = tuple(sorted((start | wanted) - set(spared)))
    selection, added = suggested_selection(asked._replace(additional=names, excluded=None), install)
    in_the_way = {item.capability: item for item in reversed(added) if item.capability in solution.without}
    for name, item in sorted(in_the_way.items()):
        message = f"cannot be had: it goes without {name}, and {item.problem.message}"
        hint = f"Leave out {item.needed_by} as well" if item.needed_by else "Choose another platform or install method"
        problems.append(Problem("error", "todo", where, message, f"{hint}, or take {name} out of without"))
    # What no name mends: that there is nothing to choose, or that something else is missing.
    unmended = violations(selection, install)
    problems += [item.problem for item in unmended if item.problem.severity == "error"]
    if has_errors(problems[before:]):
        return None
    form = pinned(install.enabled(selection), candidate_minors(install.minor_facts), where)
    early = tuple(
        f"{want.capability} is a capability from {since} on; "
        f"before, {'every' if is_in_every_minor(want.capability, install.minor) else 'no'} cluster has it"
        for want in solution.wants
        if (since := since_of(want.capability)) is not None and install.minor < since
    )
    return Resolution(form.selection, asked, (form.reason, *early), added)


def _wanted(solution: Solution, install: InstallContext, where: str, problems: Problems) -> Iterator[str]:
    for want in solution.wants:
        name, minor = want.capability, install.minor
        if want.until is not None and minor > want.until:
            continue
        if name in install.names:
            yield name
        elif name in install.minor_facts.capabilities:
            message = f"{name} exists in {minor} only while the feature gate {' or '.join(gates_of(name))} is on"
            problems.append(Problem("error", "todo", where, message, "Choose a featureSet that turns it on"))
        elif gates_of(name):
            problems.append(
                Problem("error", "todo", where, f"{name} does not exist before {since_of(name)}", "Install that")
            )
        elif since_of(name) is None:
            problems.append(
                Problem("error", "todo", where, f"{name!r} is not a capability", did_you_mean(name, _NAMES))
            )


def _impossible(solution: Solution, install: InstallContext, where: str) -> Iterator[Problem]:
    for name in (*solution.without, *solution.rather_without):
        since = since_of(name)
        if since is None and name not in install.names:
            yield Problem("error", "todo", where, f"{name!r} is not a capability", did_you_mean(name, _NAMES))
        elif name in solution.without and is_in_every_minor(name, install.minor):
            message = f"cannot be had on {install.minor}: {name} is part of every cluster before {since}"
            yield Problem("error", "todo", where, message, f"Install {since} or later, or choose another solution")


def _own_solutions(own: object, problems: Problems) -> Iterator[Solution]:
    if own is None:
        return
    if not isinstance(own, Mapping):
        problems.append(Problem("error", "todo", "solutions", f"is {own!r}, expected a dict", "Write name: {...}"))
        return
    for name, entry in own.items():
        where = f"solutions.{name}"
        before = len(problems)
        if not isinstance(entry, Mapping):
            problems.append(
                Problem("error", "todo", where, f"is {entry!r}, expected a dict", f"Write {', '.join(_FIELDS)}")
            )
            continue
        problems += [
            Problem("error", "todo", f"{where}.{field}", "is not a field of a solution", did_you_mean(field, _FIELDS))
            for field in entry
            if field not in _FIELDS
        ]
        starts_from = entry.get("starts_from")
        if starts_from not in _STARTS:
            message = f"is {starts_from!r}, expected {' or '.join(_STARTS)}"
            problems.append(
                Problem("error", "todo", f"{where}.starts_from", message, "Say what the solution starts from")
            )
        problems += string_problems(f"{where}.description", entry.get("description", ""))
        wants = tuple(_wanted_capabilities(entry.get("wants") or (), f"{where}.wants", problems))
        without, rather = (_plain_names(entry, field, where, problems) for field in _LISTS[1:])
        problems += _contradictions(where, {want.capability for want in wants}, (*without, *rather))
        if len(problems) == before:
            start: Literal["nothing", "everything"] = "nothing" if starts_from == "nothing" else "everything"
            yield Solution(str(name), entry.get("description", ""), start, wants, without, rather)


def _wanted_capabilities(given: Any, where: str, problems: Problems) -> Iterator[WantedCapability]:
    problems += list_problems(where, given, of_strings=False)
    for index, entry in enumerate(given if isinstance(given, (list, tuple)) else ()):
        place = f"{where}[{index}]"
        if isinstance(entry, str):
            yield WantedCapability(entry)
        elif isinstance(entry, Mapping) and isinstance(entry.get("capability"), str) and entry.keys() <= _WANT:
            given_until = entry.get("until")
            until = None if given_until is None else read_minor(given_until, f"{place}.until", problems)
            if given_until is None or until is not None:
                yield WantedCapability(entry["capability"], until)
        else:
            message = f"is {entry!r}, expected a name, or a dict with capability and until"
            problems.append(Problem("error", "todo", place, message, "Write the name of a capability"))


def _plain_names(entry: Mapping[str, Any], field: str, where: str, problems: Problems) -> tuple[str, ...]:
    found = list_problems(f"{where}.{field}", entry.get(field) or [], of_strings=True)
    problems += found
    return () if found else tuple(entry.get(field) or ())


def _contradictions(where: str, wants: set[str], without: Iterable[str]) -> Iterator[Problem]:
    for name in sorted(wants.intersection(without)):
        yield Problem("error", "todo", where, f"{name} is wanted and left out", "Decide for one of the two")
