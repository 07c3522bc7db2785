# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Resolves the selection of an installation: from an option, from a solution, or from the install-config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._capability.hosted_cluster import selectable_names
from .._capability.rules import InstallContext, RuleViolation
from .._capability.selection import Selection, check_selection, parse_selection
from .._capability.solution import ResolvedSelection, candidate_minors, find_solution, pinned, resolve, stable_sets
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, API_FIELDS, NONE, V_CURRENT
from .._data.install_rules import HOSTED, KNOWN_NAMES
from .._data.solutions import Solution
from .._problems import Location, Problems, did_you_mean, type_name
from .._resources import ResourceId
from .._yaml.values import parse_json_object

_BLOCK = "capabilities"
_AMBIGUOUS = frozenset({"duplicate-field", "invalid-inclusion-default", "mixed-spellings", "not-a-list", "not-a-map"})
"""Codes of errors that make the requested selection ambiguous."""


class InstallOptions(NamedTuple):
    """The options of an installation apart from its selection, as given.

    ``document`` is the install-config, or the given part of it, as plain values; ``source`` is the file or option that
    contains it. With ``complete``, the installer will read it. ``method`` is ``None`` if no install method is given.
    ``provided`` has the resources in extra manifests, to which the release may refer.
    """

    document: Mapping[str, Any]
    source: str
    complete: bool
    method: str | None = None
    provided: frozenset[ResourceId] = frozenset()


class SelectionOptions(NamedTuple):
    """A selection that overrides the block of an install-config, as given: ``capabilities`` or a ``solution``."""

    capabilities: object = None
    solution: str | None = None

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> SelectionOptions:
        """The selection of the options of a module, or of a cluster in them."""
        capabilities = params.get(_BLOCK)
        if isinstance(capabilities, str):
            # A template may return JSON text, which ansible-core before 2.19 converts to a dict.
            capabilities = parse_json_object(capabilities) or capabilities
        return cls(capabilities, params.get("solution"))

    @property
    def is_given(self) -> bool:
        """Whether it overrides the block."""
        return self.capabilities is not None or self.solution is not None


NO_SELECTION = SelectionOptions()
"""The block of the install-config decides."""


class SelectionRequest(NamedTuple):
    """A checked request, not yet resolved for a version: a selection, a solution, or neither (the default)."""

    reason: str
    selection: Selection | None = None
    solution: Solution | None = None


def read_request(
    options: SelectionOptions, document: Mapping[str, Any], source: str, problems: Problems
) -> SelectionRequest | None:
    """Read the request from the options or the document, ``None`` if problems make it ambiguous."""
    block = document.get(_BLOCK)
    if options.is_given:
        _warn_about_overridden(block, Location(source, field=_BLOCK), problems)
    if options.solution is not None:
        if options.capabilities is not None:
            message = "cannot be combined with capabilities"
            problems.error("conflicting-options", "solution", message, "Set one of the two")
        solution = find_solution(options.solution, problems)
        if solution is None:
            return None
        return SelectionRequest(f"{solution.name}: {solution.description}", None, solution)
    if options.capabilities is not None:
        reported = Problems()
        selection = parse_selection(options.capabilities, Location(field=_BLOCK), reported)
        problems += reported
        reason = f"it is the selection of the option {_BLOCK}"
        return SelectionRequest(reason, selection) if _is_clear(reported) else None
    if block is not None:
        return _read_block(block, Location(source, field=_BLOCK), problems)
    return SelectionRequest("nothing is selected, so the cluster uses its default")


def resolve_selection(
    request: SelectionRequest, install: InstallContext, rejected: list[RuleViolation], problems: Problems
) -> ResolvedSelection | None:
    """Resolve ``request`` for an installation, ``None`` if that is not possible.

    ``rejected`` collects the violations of names and sets that do not exist.
    """
    if request.solution is not None:
        resolved = resolve(request.solution, install, problems)
        return None if resolved is None else resolved._replace(reasons=(request.reason, *resolved.reasons))
    selection = request.selection
    if selection is None:
        default = "" if install.method == HOSTED else f", {V_CURRENT}"  # HyperShift enables less
        return ResolvedSelection(None, Selection(), (request.reason + default,))
    unknown = Problems()
    selectable = selectable_names(install.minor) if install.method == HOSTED else None
    check_selection(selection, install.minor_data, install.gated, unknown, selectable)
    if KNOWN_NAMES.in_force(install.minor, install.method):
        rejected += [RuleViolation(KNOWN_NAMES, "", problem) for problem in unknown]
    else:  # no installer reads the selection of a hosted cluster
        problems += unknown
    _warn_about_duplicates(selection, problems)
    is_contradictory = not set(selection.additional).isdisjoint(selection.excluded or ())
    if is_contradictory or selection.baseline not in {None, *install.minor_data.sets}:
        return None
    minors = candidate_minors(install.minor_data)
    if selection.excluded is not None:
        form, reason = pinned(install.enabled(selection), minors, selection.where)
        # A HostedCluster has neither a set nor a list.
        return ResolvedSelection(form, selection, (request.reason if install.method == HOSTED else reason,))
    if selection.baseline not in {None, V_CURRENT, *stable_sets(minors)}:
        message = f"{selection.baseline} has other names in a later version, so an update changes the selection"
        hint = f"Write {NONE} and the list of names to pin it"
        problems.warning("unstable-set", selection.where.child(selection.baseline_field), message, hint)
    written = selection._replace(additional=tuple(dict.fromkeys(selection.additional)))
    return ResolvedSelection(written, selection, (request.reason,))


def _warn_about_overridden(block: object, where: Location, problems: Problems) -> None:
    """Warn about parts of a replaced block that no installer knows."""
    if block is not None and not isinstance(block, Mapping):
        problems.warning("not-a-map", where, f"is {type_name(block)}, expected a map; it is replaced")
    for field in block if isinstance(block, Mapping) else ():
        if field not in API_FIELDS:
            message = "is not a field that the installer knows; it is removed"
            problems.warning("unknown-field", where.child(str(field)), message)


def _read_block(block: object, where: Location, problems: Problems) -> SelectionRequest | None:
    """Read the block of an install-config, which accepts only the two fields of the API."""
    if not isinstance(block, Mapping):
        message = f"is {type_name(block)}, expected a map"
        problems.error("not-a-map", where, message, f"Write {' and '.join(API_FIELDS)} below it")
        return None
    for field in block:
        if field not in API_FIELDS:
            message = "is not a field that the installer knows"
            problems.error("unknown-field", where.child(str(field)), message, _field_hint(field))
    fields = {field: value for field, value in block.items() if field in API_FIELDS}
    reported = Problems()
    selection = parse_selection(fields, where, reported)
    problems += reported
    if not _is_clear(reported):
        return None
    selection = selection._replace(baseline_field=API_BASELINE, additional_field=API_ADDITIONAL)
    return SelectionRequest("it is the selection of the install-config", selection)


def _is_clear(problems: Problems) -> bool:
    """Whether the request is clear despite the errors: only single names or the baseline are wrong."""
    return not any(problem.code in _AMBIGUOUS for problem in problems)


def _field_hint(field: object) -> str:
    if field in ("excludedCapabilities", "excluded_capabilities", "inclusionDefault", "include", "exclude"):
        return "Set it in the option capabilities, which converts it"
    return did_you_mean(field, API_FIELDS)


def _warn_about_duplicates(requested: Selection, problems: Problems) -> None:
    for field, names in (
        (requested.additional_field, requested.additional),
        (requested.excluded_field, requested.excluded or ()),
    ):
        for name in sorted({name for name in names if names.count(name) > 1}):
            message = f"{name} is listed more than once"
            problems.warning("duplicate-name", requested.where.child(field), message, "Keep one of them")
