# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What the administrator asks for, in any of its spellings, and what a cluster makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._data.capabilities import API_ADDITIONAL, API_BASELINE, NONE, V_CURRENT, MinorData, gates_of, since_of
from .._problems import Problem, Problems, did_you_mean
from .inclusion import CapabilityStatus

_SPELLINGS = {
    "baseline_capability_set": API_BASELINE,
    "additional_enabled_capabilities": API_ADDITIONAL,
    "excluded_capabilities": "excludedCapabilities",
}
_DRAFT_SPELLINGS = {"inclusion_default": "inclusionDefault", "include": "include", "exclude": "exclude"}
_DRAFT_DEFAULTS = ("Include", "Exclude")


class Selection(NamedTuple):
    """A selection as it was asked for.

    ``baseline`` is ``None`` where none was given (the cluster default, ``vCurrent``); ``excluded`` is ``None``
    where nothing was to be excluded, which is not the same as an empty list: any list pins the selection.
    """

    baseline: str | None = None
    additional: tuple[str, ...] = ()
    excluded: tuple[str, ...] | None = None
    where: str = "capabilities"
    additional_field: str = "additional_enabled_capabilities"
    excluded_field: str = "excluded_capabilities"
    baseline_field: str = "baseline_capability_set"


def parse_selection(options: object, where: str = "capabilities") -> tuple[Selection, tuple[Problem, ...]]:
    """Read a selection from the dict that a user wrote, in the API's spelling, Ansible's, or the first draft's.

    ``None`` is the cluster default. Names are not checked here, because they depend on the minor.
    Source of the two forms: openshift/enhancements:enhancements/installer/component-selection.md.
    """
    if options is None:
        return Selection(where=where), ()
    if not isinstance(options, Mapping):
        message = f"is {options!r}, expected a dict with {', '.join(_SPELLINGS)}"
        return Selection(where=where), (
            Problem("error", "todo", where, message, "Write it as install-config.yaml has it"),
        )
    problems = Problems()
    values = _canonical(options, where, problems)
    draft = sorted(set(values) & set(_DRAFT_SPELLINGS))
    final = sorted(set(values) & set(_SPELLINGS))
    if draft and final:
        message = f"mixes two spellings of a selection: {', '.join(final)} and {', '.join(draft)}"
        hint = "Keep one of them; inclusion_default, include and exclude are the first draft of the API"
        problems.append(Problem("error", "todo", where, message, hint))
    selection = _draft(values, where, problems) if draft and not final else _final(values, where, problems)
    return selection, tuple(problems)


def check_selection(
    selection: Selection, facts: MinorData, hidden: frozenset[str] = frozenset()
) -> tuple[Problem, ...]:
    """Return everything that is wrong with the names of ``selection`` in a minor.

    ``hidden`` are the capabilities whose feature gates are off.
    """
    problems = Problems()
    where, baseline = selection.where, selection.baseline
    if baseline is not None and baseline not in facts.sets:
        message = f"{baseline!r} is not a capability set of {facts.minor}"
        hint = did_you_mean(baseline, facts.sets)
        if re.fullmatch(r"v[0-9]+\.[0-9]+", baseline):
            versioned = [name for name in facts.sets if name not in (NONE, V_CURRENT)]
            hint = f"Sets are {versioned[0]} to {versioned[-1]} there; {V_CURRENT} is everything that the version knows"
        problems.append(Problem("error", "todo", f"{where}.{selection.baseline_field}", message, hint))
    for field, names in (
        (selection.additional_field, selection.additional),
        (selection.excluded_field, selection.excluded),
    ):
        for index, name in enumerate(names or ()):
            problems += _check_name(name, f"{where}.{field}[{index}]", facts, hidden)
    return tuple(problems)


def requested(selection: Selection, facts: MinorData) -> frozenset[str]:
    """Return the names that ``selection`` asks for in a minor, feature gates aside."""
    content = facts.sets.get(selection.baseline or V_CURRENT, frozenset())
    return (content | set(selection.additional)) - set(selection.excluded or ())


def translate(selection: Selection, facts: MinorData, hidden: frozenset[str] = frozenset()) -> Selection:
    """Return the selection as the API can say it: without exclusions, which become ``None`` plus a list (pinned)."""
    if selection.excluded is None:
        return selection
    pinned = tuple(sorted(requested(selection, facts) - hidden))
    return Selection(NONE, pinned, None, selection.where)


def capability_status(
    selection: Selection,
    facts: MinorData,
    hidden: frozenset[str] = frozenset(),
    ensure: Iterable[str] = (),
) -> CapabilityStatus:
    """Return what a cluster of this minor makes of ``selection``.

    ``ensure`` are the names that stay on whatever is asked: those that were on before, and the always-enabled ones.
    Names are taken as they are; see ``check_selection``.
    Source: openshift/cluster-version-operator:lib/capability/capability.go SetCapabilities.
    """
    explicit = requested(selection, facts)
    implicit = frozenset(ensure) - explicit
    return CapabilityStatus(facts.capabilities - hidden, (explicit | implicit) - hidden, implicit - hidden)


def _canonical(options: Mapping[Any, Any], where: str, problems: Problems) -> dict[str, Any]:
    canonical_of = {
        spelling: canonical
        for canonical, camel in {**_SPELLINGS, **_DRAFT_SPELLINGS}.items()
        for spelling in (canonical, camel)
    }
    values: dict[str, Any] = {}
    given_as: dict[str, str] = {}
    for key, value in options.items():
        canonical = canonical_of.get(key) if isinstance(key, str) else None
        if canonical is None:
            hint = "Take its content out of it" if key == "capabilities" else did_you_mean(key, canonical_of)
            if str(key).lower().startswith("disable"):
                hint = "Write excluded_capabilities"
            problems.append(Problem("error", "todo", f"{where}.{key}", "is not a field of a selection", hint))
        elif value is None:
            continue
        elif canonical in values:
            message = f"is given twice, as {given_as[canonical]} and as {key}"
            problems.append(Problem("error", "todo", f"{where}.{canonical}", message, "Keep one of them"))
        else:
            values[canonical], given_as[canonical] = value, key
    return values


def _final(values: Mapping[str, Any], where: str, problems: Problems) -> Selection:
    baseline = values.get("baseline_capability_set")
    if baseline is not None and not isinstance(baseline, str):
        message = f"is {baseline!r}, expected the name of a set"
        problems.append(
            Problem("error", "todo", f"{where}.baseline_capability_set", message, f"Write {NONE}, v4.N or {V_CURRENT}")
        )
        baseline = None
    baseline = baseline or None
    additional = _names(values, "additional_enabled_capabilities", where, problems)
    excluded = _names(values, "excluded_capabilities", where, problems)
    if additional and not values.get("baseline_capability_set"):
        message = "is missing beside additional_enabled_capabilities; installers reject such a block"
        hint = f"Add baseline_capability_set: {NONE} for these capabilities alone, or {V_CURRENT} for all"
        problems.append(Problem("error", "todo", f"{where}.baseline_capability_set", message, hint))
    problems += _in_both(additional, excluded, where, "additional_enabled_capabilities", "excluded_capabilities")
    if excluded is not None:
        problems.append(_pinned(f"{where}.excluded_capabilities"))
    return Selection(baseline, additional or (), excluded, where)


def _pinned(where: str) -> Problem:
    message = "pins the selection: it does not ask for what later releases add"
    return Problem("info", "todo", where, message, "Leave it out to follow every release")


def _draft(values: Mapping[str, Any], where: str, problems: Problems) -> Selection:
    default = values.get("inclusion_default")
    include = _names(values, "include", where, problems)
    exclude = _names(values, "exclude", where, problems)
    if default not in _DRAFT_DEFAULTS:
        found = "is missing" if default is None else f"is {default!r}"
        message = f"{found}, expected Include or Exclude"
        hint = did_you_mean(default, _DRAFT_DEFAULTS) if default is not None else "Say what happens to names not listed"
        problems.append(Problem("error", "todo", f"{where}.inclusion_default", message, hint))
    problems += _in_both(include, exclude, where, "include", "exclude")
    if default != "Exclude" and exclude is not None:
        problems.append(_pinned(f"{where}.exclude"))
    baseline = NONE if default == "Exclude" else V_CURRENT
    return Selection(baseline, include or (), exclude, where, "include", "exclude")


def _names(values: Mapping[str, Any], field: str, where: str, problems: Problems) -> tuple[str, ...] | None:
    value = values.get(field)
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        problems.append(
            Problem(
                "error", "todo", f"{where}.{field}", f"is {value!r}, expected a list of names", "Write [NAME, NAME]"
            )
        )
        return ()
    wrong = [index for index, name in enumerate(value) if not isinstance(name, str)]
    problems += [
        Problem("error", "todo", f"{where}.{field}[{index}]", f"is {value[index]!r}, expected a name", "Quote it")
        for index in wrong
    ]
    return tuple(name for name in value if isinstance(name, str))


def _in_both(
    first: tuple[str, ...] | None, second: tuple[str, ...] | None, where: str, first_field: str, second_field: str
) -> list[Problem]:
    return [
        Problem(
            "error",
            "todo",
            f"{where}.{second_field}",
            f"{name} is in {first_field} too",
            "Decide for one of the two lists",
        )
        for name in first or ()
        if name in (second or ())
    ]


def _check_name(name: str, where: str, facts: MinorData, hidden: frozenset[str]) -> list[Problem]:
    if name in facts.capabilities & hidden:
        gates = " or ".join(gates_of(name))
        message = f"{name} exists in {facts.minor} only while the feature gate {gates} is on"
        return [
            Problem(
                "error",
                "todo",
                where,
                message,
                "Choose a feature_set or feature_gates that turn it on, or leave it out",
            )
        ]
    if name not in facts.capabilities:
        message = f"{name!r} is not a capability of {facts.minor}"
        since = since_of(name)
        # A name of another version is no misspelling, however near the names of this one are.
        hint = f"It exists from {since} on" if since else did_you_mean(name, facts.capabilities - hidden)
        return [Problem("error", "todo", where, message, hint)]
    return []
