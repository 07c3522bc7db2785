# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Which selection an installation gets: that of an option, of a solution, or of the install-config itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._capability.rules import InstallContext, RuleViolation
from .._capability.selection import Selection, check_selection, parse_selection
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, API_FIELDS, NONE, V_CURRENT
from .._data.install_rules import KNOWN_NAMES
from .._data.solutions import Solution
from .._problems import Problem, Problems, did_you_mean, type_name
from .pinning import candidate_minors, pinned, stable_sets
from .solution import find_solution, resolve

_BLOCK = "capabilities"
_WHOLE_FIELDS = ("additional_enabled_capabilities", "excluded_capabilities", "include", "exclude", "inclusion_default")


class InstallOptions(NamedTuple):
    """What the user says of an installation, unchecked.

    ``document``: the install-config as plain values, as far as there is one; ``place``: where it comes from;
    ``complete``: the installer is going to read it. ``capabilities`` and ``solution`` stand in the place of the
    document's own block. ``solutions`` are the user's own. ``method`` is ``None`` where nobody said it.
    """

    document: Mapping[str, Any]
    place: str
    complete: bool
    capabilities: object = None
    solution: str | None = None
    solutions: object = None
    method: str | None = None


class ResolvedSelection(NamedTuple):
    """The selection of an installation. ``selection`` is ``None`` where there is none, which is the cluster default.

    ``asked`` is what the user wrote, ``reasons`` say in sentences why the selection is what it is.
    """

    selection: Selection | None
    asked: Selection
    reasons: tuple[str, ...]


class SelectionRequest(NamedTuple):
    """What is asked for, before a version gives it a meaning: a selection, a solution, or neither."""

    reason: str
    selection: Selection | None = None
    solution: Solution | None = None

    @property
    def says_something(self) -> bool:
        """Tell whether somebody selects something."""
        return self.selection is not None or self.solution is not None


def read_request(options: InstallOptions, problems: Problems) -> SelectionRequest | None:
    """Return what is asked for; report what is wrong with how it is said, and return ``None`` if that hides it."""
    given = options.document.get(_BLOCK)
    if options.solution is not None or options.capabilities is not None:
        problems += _overwritten(given, f"{options.place}: {_BLOCK}")
    if options.solution is not None:
        if options.capabilities is not None:
            hint = "Keep the solution, or write out its selection"
            problems.append(Problem("error", "todo", "solution", "is given beside capabilities", hint))
        found = Problems()
        solution = find_solution(options.solution, options.solutions, found)
        problems += found
        if solution is None:
            return None
        return SelectionRequest(": ".join(filter(None, (solution.name, solution.description))), None, solution)
    if options.solutions is not None:
        problems.append(
            Problem("error", "todo", "solutions", "is given without solution", "Name the one that is meant")
        )
    if options.capabilities is not None:
        selection, of_selection = parse_selection(options.capabilities)
        problems += of_selection
        return SelectionRequest("it is what was asked for", selection) if _is_clear(selection, of_selection) else None
    if given is not None:
        return _read_block(given, f"{options.place}: {_BLOCK}", problems)
    return SelectionRequest(f"nothing is selected, so the cluster follows its default, {V_CURRENT}")


def resolve_selection(
    asked: SelectionRequest, install: InstallContext, problems: Problems, refused: list[RuleViolation]
) -> ResolvedSelection | None:
    """Return the selection of what is asked for, ``None`` where there is none; ``refused`` are names of no meaning."""
    if asked.solution is not None:
        return _of_solution(asked.solution, asked.reason, install, problems)
    selection = asked.selection
    if selection is None:
        return ResolvedSelection(None, Selection(), (asked.reason,))
    unknown = check_selection(selection, install.minor_facts, install.hidden)
    refused += [RuleViolation(KNOWN_NAMES, "", problem) for problem in unknown]
    problems += _odd_names(selection)
    if selection.baseline is not None and selection.baseline not in install.minor_facts.sets:
        return None
    minors = candidate_minors(install.minor_facts)
    if selection.excluded is not None:
        form = pinned(install.enabled(selection), minors, selection.where)
        return ResolvedSelection(form.selection, selection, (form.reason,))
    if selection.baseline not in {None, V_CURRENT, *stable_sets(minors)}:
        message = f"{selection.baseline} has other content in a later version, so an update changes what is asked for"
        hint = f"Write {NONE} and the list of names to pin it"
        problems.append(Problem("warning", "todo", f"{selection.where}.{selection.baseline_field}", message, hint))
    written = selection._replace(additional=tuple(dict.fromkeys(selection.additional)))
    return ResolvedSelection(written, selection, (asked.reason,))


def _overwritten(block: object, where: str) -> Iterator[Problem]:
    """Say that what takes the place of a block loses what no installer knows."""
    if block is not None and not isinstance(block, Mapping):
        yield Problem("warning", "todo", where, f"is {type_name(block)}, expected a map, and is replaced")
    for field in block if isinstance(block, Mapping) else ():
        if field not in API_FIELDS:
            yield Problem(
                "warning", "todo", f"{where}.{field}", "is not a field that the installer knows, and is taken out"
            )


def _of_solution(
    solution: Solution, reason: str, install: InstallContext, problems: Problems
) -> ResolvedSelection | None:
    resolution = resolve(solution, install, problems)
    if resolution is None:
        return None
    reasons = [reason, *resolution.reasons]
    for rule in dict.fromkeys(item.rule for item in resolution.added):
        names = sorted({item.capability for item in resolution.added if item.rule == rule})
        reasons.append(f"added {', '.join(names)}: {rule.message} ({rule.name})")
    return ResolvedSelection(resolution.selection, resolution.asked, tuple(reasons))


def _read_block(block: object, where: str, problems: Problems) -> SelectionRequest | None:
    """Read the block of an install-config, which knows nothing but the two fields of the API."""
    if not isinstance(block, Mapping):
        message = f"is {type_name(block)}, expected a map"
        problems.append(Problem("error", "todo", where, message, f"Write {' and '.join(API_FIELDS)} below it"))
        return None
    problems += [
        Problem("error", "todo", f"{where}.{field}", "is not a field that the installer knows", _field_hint(field))
        for field in block
        if field not in API_FIELDS
    ]
    fields = {field: value for field, value in block.items() if field in API_FIELDS}
    selection, found = parse_selection(fields, where)
    problems += map(_in_api_spelling, found)
    if not _is_clear(selection, found):
        return None
    selection = selection._replace(baseline_field=API_BASELINE, additional_field=API_ADDITIONAL)
    return SelectionRequest("it is what the install-config says", selection)


def _is_clear(selection: Selection, found: Iterable[Problem]) -> bool:
    """Tell whether what is wrong with a selection leaves no doubt what it asks for: single names, or no baseline."""
    doubtful = (selection.where, *(f"{selection.where}.{field}" for field in _WHOLE_FIELDS))
    return not any(problem.severity == "error" and problem.where in doubtful for problem in found)


def _field_hint(field: object) -> str:
    if field in ("excludedCapabilities", "excluded_capabilities", "inclusionDefault", "include", "exclude"):
        return "Give it in the option capabilities, which translates it"
    return did_you_mean(field, API_FIELDS)


def _in_api_spelling(problem: Problem) -> Problem:
    texts = [problem.where, problem.message, problem.hint]
    for ours, theirs in (
        ("baseline_capability_set", API_BASELINE),
        ("additional_enabled_capabilities", API_ADDITIONAL),
    ):
        texts = [text.replace(ours, theirs) for text in texts]
    return Problem(problem.severity, problem.code, *texts)


def _odd_names(asked: Selection) -> Iterator[Problem]:
    for field, names in ((asked.additional_field, asked.additional), (asked.excluded_field, asked.excluded or ())):
        for name in sorted({name for name in names if names.count(name) > 1}):
            where = f"{asked.where}.{field}"
            yield Problem("warning", "todo", where, f"{name} is there more than once", "Keep one of them")
