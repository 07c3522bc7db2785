# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Selections of capabilities: their spellings, their names, and the capability status that a cluster computes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._data.capabilities import API_ADDITIONAL, API_BASELINE, NONE, V_CURRENT, MinorData, gates_of_capability, since_of
from .._data.hosted_clusters import WRITTEN_WITHOUT, SelectableNames
from .._problems import Location, Problems, did_you_mean
from .inclusion import CapabilityStatus

_SPELLINGS = {
    "baseline_capability_set": API_BASELINE,
    "additional_enabled_capabilities": API_ADDITIONAL,
    "excluded_capabilities": "excludedCapabilities",
}
_DRAFT_SPELLINGS = {"inclusion_default": "inclusionDefault", "include": "include", "exclude": "exclude"}
_ALL_SPELLINGS = {**_SPELLINGS, **_DRAFT_SPELLINGS}
_DRAFT_DEFAULTS = ("Include", "Exclude")


class Selection(NamedTuple):
    """A selection as requested.

    ``baseline`` is ``None`` if none is given, which means the cluster default (``vCurrent``). ``excluded`` is ``None``
    if there is no such list; an empty list differs from that, because any list pins the selection. The other fields are
    locations for messages, in the user's spelling.
    """

    baseline: str | None = None
    additional: tuple[str, ...] = ()
    excluded: tuple[str, ...] | None = None
    where: Location = Location(field="capabilities")
    additional_field: str = "additional_enabled_capabilities"
    excluded_field: str = "excluded_capabilities"
    baseline_field: str = "baseline_capability_set"

    @property
    def capability_set(self) -> str:
        """The baseline, or the cluster default."""
        return self.baseline or V_CURRENT

    def requested(self, data: MinorData) -> frozenset[str]:
        """The names that the selection requests in a minor, whatever the feature gates are."""
        content = data.sets.get(self.capability_set, frozenset())
        names = (content | set(self.additional)) - set(self.excluded or ())
        return names if WRITTEN_WITHOUT in names else names - data.not_written

    def with_names(self, names: Iterable[str]) -> Selection:
        """The selection with ``names`` in its list, which is sorted."""
        return self._replace(additional=tuple(sorted({*self.additional, *names})))

    def pinned(self, data: MinorData, gated: frozenset[str] = frozenset()) -> Selection:
        """The selection as the API writes it. Exclusions, which the API does not have, become a list of names."""
        if self.excluded is None:
            return self
        return Selection(NONE, tuple(sorted(self.requested(data) - gated)), None, self.where)

    def to_api(self, *, keep_empty: bool = False) -> dict[str, Any]:
        """The block ``capabilities`` in the API's spelling. The selection must have no exclusions.

        An empty list is omitted unless ``keep_empty``.
        """
        block: dict[str, Any] = {API_BASELINE: self.capability_set}
        if self.additional or keep_empty:
            block[API_ADDITIONAL] = list(self.additional)
        return block

    def to_options(self) -> dict[str, Any]:
        """The selection in Ansible's spelling, as modules return it. Exclusions only if there are any."""
        options = {"baseline_capability_set": self.baseline, "additional_enabled_capabilities": list(self.additional)}
        return {**options, "excluded_capabilities": list(self.excluded)} if self.excluded else options


def parse_selection(options: object, where: Location, problems: Problems) -> Selection:
    """Parse a selection in the API's spelling, Ansible's, or that of the API's first draft.

    ``None`` is the cluster default. Names are not checked, because they depend on the minor.
    Source of the two forms: openshift/enhancements:enhancements/installer/component-selection.md.
    """
    if options is None:
        return Selection(where=where)
    if not isinstance(options, Mapping):
        message = f"is {options!r}, expected a dict with {', '.join(_SPELLINGS)}"
        problems.error("not-a-map", where, message, "Write it as in install-config.yaml")
        return Selection(where=where)
    typed = _typed_names(options, where, problems)
    is_camel_case = any(camel != name for name, camel in _ALL_SPELLINGS.items() if camel in options)
    names = {name: typed.get(name, camel if is_camel_case else name) for name, camel in _ALL_SPELLINGS.items()}
    draft = sorted(typed[name] for name in typed.keys() & _DRAFT_SPELLINGS)
    final = sorted(typed[name] for name in typed.keys() & _SPELLINGS)
    if draft and final:
        message = f"mixes two spellings of a selection: {', '.join(final)} and {', '.join(draft)}"
        hint = f"Keep one of them; {', '.join(names[name] for name in _DRAFT_SPELLINGS)} are the first draft of the API"
        problems.error("mixed-spellings", where, message, hint)
    parse = _draft if draft and not final else _final
    return parse(options, names, where, problems)


def check_selection(
    selection: Selection,
    data: MinorData,
    gated: frozenset[str],
    problems: Problems,
    hosted: SelectableNames | None = None,
) -> None:
    """Check the names of ``selection`` in a minor. ``gated``: names whose feature gates are disabled.

    ``hosted``: the names that its HostedCluster can select.
    """
    where, baseline = selection.where, selection.baseline
    if baseline is not None and baseline not in data.sets:
        message = f"{baseline!r} is not a capability set of {data.minor}"
        hint = did_you_mean(baseline, data.sets)
        if re.fullmatch(r"v[0-9]+\.[0-9]+", baseline):
            versioned = [name for name in data.sets if name not in (NONE, V_CURRENT)]
            hint = f"Use a set from {versioned[0]} to {versioned[-1]}, or {V_CURRENT} for everything the version knows"
        problems.error("unknown-capability-set", where.child(selection.baseline_field), message, hint)
    possible = data.capabilities - gated
    addable = hosted.enabled if hosted and selection.capability_set == V_CURRENT else possible
    for field, names, proposed in (
        (selection.additional_field, selection.additional, addable),
        (selection.excluded_field, selection.excluded or (), hosted.disabled if hosted else possible),
    ):
        for index, name in enumerate(names):
            at = where.child(f"{field}[{index}]")
            if name in data.capabilities & gated:
                gates = " or ".join(gates_of_capability(name))
                message = f"{name} exists in {data.minor} only if the feature gate {gates} is enabled"
                hint = "Choose a feature set or feature gates that enable it, or remove the name"
                # HyperShift disables it even then.
                problems.error("gated-capability", at, message, "Remove the name" if hosted else hint)
            elif name not in data.capabilities:
                since = since_of(name)
                # A name of another version is not a misspelling, however similar it is to a name of this one.
                hint = f"Use it with {since} or later" if since else did_you_mean(name, proposed)
                problems.error("unknown-capability", at, f"{name!r} is not a capability of {data.minor}", hint)


def capability_status(
    selection: Selection,
    data: MinorData,
    gated: frozenset[str] = frozenset(),
    stay_enabled: Iterable[str] = (),
) -> CapabilityStatus:
    """The status that a cluster of this minor computes from ``selection``, whose names are not checked.

    ``stay_enabled``: names that are enabled for every selection, and those that were enabled before.
    Source: openshift/cluster-version-operator:lib/capability/capability.go SetCapabilities.
    """
    explicit = selection.requested(data)
    implicit = frozenset(stay_enabled) - explicit
    return CapabilityStatus(data.capabilities - gated, (explicit | implicit) - gated, implicit - gated)


def _typed_names(options: Mapping[Any, Any], where: Location, problems: Problems) -> dict[str, str]:
    """Return the keys of ``options`` that have a value, by the names of the fields in Ansible's spelling."""
    names = {spelling: name for name, camel in _ALL_SPELLINGS.items() for spelling in (name, camel)}
    typed: dict[str, str] = {}
    for key, value in options.items():
        name = names.get(key) if isinstance(key, str) else None
        if name is None:
            hint = "Move its content up one level" if key == "capabilities" else did_you_mean(key, names)
            if str(key).lower().startswith("disable"):
                hint = "Write excluded_capabilities"
            problems.error("unknown-field", where.child(key), "is not a field of a selection", hint)
        elif value is None:
            continue
        elif name in typed:
            message = f"is set in two spellings, {typed[name]} and {key}"
            problems.error("duplicate-field", where.child(key), message, "Keep one of them")
        else:
            typed[name] = key
    return typed


def _final(options: Mapping[str, Any], names: Mapping[str, str], where: Location, problems: Problems) -> Selection:
    """Parse the spelling of the API or of Ansible. ``names``: how the user spells each field."""
    baseline_field, additional_field, excluded_field = (names[name] for name in _SPELLINGS)
    baseline = options.get(baseline_field)
    if baseline is not None and not isinstance(baseline, str):
        message = f"is {baseline!r}, expected the name of a set"
        problems.error("invalid-baseline", where.child(baseline_field), message, f"Write {NONE}, v4.N or {V_CURRENT}")
        baseline = None
    additional = _names(options, additional_field, where, problems)
    excluded = _names(options, excluded_field, where, problems)
    if additional and not options.get(baseline_field):
        message = f"is missing; {additional_field} requires it"
        hint = f"Set {baseline_field} to {NONE} for only these capabilities, or to {V_CURRENT} for all"
        problems.error("missing-baseline", where.child(baseline_field), message, hint)
    _check_disjoint(additional, excluded, where, (additional_field, excluded_field), problems)
    if excluded is not None:
        _report_pinned(where.child(excluded_field), problems)
    return Selection(
        baseline or None, additional or (), excluded, where, additional_field, excluded_field, baseline_field
    )


def _draft(options: Mapping[str, Any], names: Mapping[str, str], where: Location, problems: Problems) -> Selection:
    """Parse the spelling of the API's first draft. ``names``: how the user spells each field."""
    default_field, include_field, exclude_field = (names[name] for name in _DRAFT_SPELLINGS)
    default = options.get(default_field)
    include = _names(options, include_field, where, problems)
    exclude = _names(options, exclude_field, where, problems)
    if default not in _DRAFT_DEFAULTS:
        fault = "is missing" if default is None else f"is {default!r}"
        hint = "Write the default for names that are not listed"
        if default is not None:
            hint = did_you_mean(default, _DRAFT_DEFAULTS)
        message = f"{fault}, expected Include or Exclude"
        problems.error("invalid-inclusion-default", where.child(default_field), message, hint)
    _check_disjoint(include, exclude, where, (include_field, exclude_field), problems)
    if default != "Exclude" and exclude is not None:
        _report_pinned(where.child(exclude_field), problems)
    baseline = NONE if default == "Exclude" else V_CURRENT
    return Selection(baseline, include or (), exclude, where, include_field, exclude_field, default_field)


def _report_pinned(where: Location, problems: Problems) -> None:
    message = "pins the selection: it does not request capabilities of later releases"
    problems.info("pinned-selection", where, message, "Remove it to follow every release")


def _names(values: Mapping[str, Any], field: str, where: Location, problems: Problems) -> tuple[str, ...] | None:
    value = values.get(field)
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        message = f"is {value!r}, expected a list of names"
        problems.error("not-a-list", where.child(field), message, "Write [NAME, NAME]")
        return ()
    for index, name in enumerate(value):
        if not isinstance(name, str):
            found, hint = ("null", "Remove the item") if name is None else (repr(name), "Quote it")
            hint = "Write one name per item" if isinstance(name, (list, tuple, dict)) else hint
            problems.error("not-a-string", where.child(f"{field}[{index}]"), f"is {found}, expected a name", hint)
    return tuple(name for name in value if isinstance(name, str))


def _check_disjoint(
    first: tuple[str, ...] | None,
    second: tuple[str, ...] | None,
    where: Location,
    fields: tuple[str, str],
    problems: Problems,
) -> None:
    for name in first or ():
        if name in (second or ()):
            message, hint = f"{name} is also in {fields[0]}", "Keep it in one of the two lists"
            problems.error("conflicting-names", where.child(fields[1]), message, hint)
