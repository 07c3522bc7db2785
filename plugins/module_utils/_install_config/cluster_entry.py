# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""One cluster of a fleet: its name, its path, and the options in which it differs from the other clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._data.install_rules import INSTALL_METHODS
from .._problems import Problems, check_boolean, check_string, did_you_mean, shown, type_name
from .build import InstallConfigOptions

_STRINGS = ("name", "path", "solution", "release", "openshift_version", "install_method", "error")
_MAPS = ("solutions",)
_FIELDS = (*_STRINGS, *_MAPS, "content", "capabilities", "backup")
_SELECTIONS = ("capabilities", "solution")


class ClusterEntry(NamedTuple):
    """A cluster of a fleet. ``where`` is its location in the list. ``backup``: keep a copy of the existing file."""

    name: str
    where: str
    options: InstallConfigOptions
    backup: bool


def read_entry(
    entry: object, where: str, common: InstallConfigOptions, *, backup: bool, problems: Problems
) -> ClusterEntry | None:
    """Read an entry of ``clusters``; ``common`` and ``backup`` are the values that it does not set.

    Returns ``None`` with problems if it is invalid. A selection in it replaces that of ``common``. Its content is
    merged into that of ``common``: maps field by field, everything else is replaced.
    """
    values = _read_values(entry, where, problems)
    if values is None:
        return None
    options = common
    if any(field in values for field in _SELECTIONS):
        options = options._replace(capabilities=None, solution=None)
    if "content" in values:
        values["content"] = _merged(common.content, values["content"])
    of_options = {field: value for field, value in values.items() if field in options._fields}
    name = values["name"]
    return ClusterEntry(name, f"{where} ({name})", options._replace(**of_options), values.get("backup", backup))


def entry_name(entry: object) -> str:
    """The name of a cluster in its entry, valid or not; empty if it has none."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    return name if isinstance(name, str) else ""


def _merged(common: Any, own: Any) -> Any:
    if not isinstance(common, Mapping) or not isinstance(own, Mapping):
        return own
    return {**common, **{field: _merged(common.get(field), value) for field, value in own.items()}}


def _read_values(entry: object, where: str, problems: Problems) -> dict[str, Any] | None:
    # No message contains a value of an unknown field, because it can be a misplaced secret.
    if not isinstance(entry, Mapping):
        problems.error("not-a-map", where, f"is {type_name(entry)}, expected a dict with a name", "Write it as a dict")
        return None
    count = len(problems)
    name = entry_name(entry)
    at = f"{where} ({name})" if name else where
    values: dict[str, Any] = {}
    for field, value in entry.items():
        if field not in _FIELDS:
            hint = did_you_mean(field, _FIELDS)
            problems.error("unknown-field", f"{at}.{field}", "is not a field of a cluster", hint)
        elif value is not None:
            values[field] = value
    _check_types(values, at, problems)
    if not values.get("name"):
        problems.error("missing-field", f"{at}.name", "is missing", "Set a name for each cluster")
    if isinstance(values.get("error"), str):
        problems.error("unknown-options", at, f"its options are not known: {values['error']}")
    return None if len(problems) > count else values


def _check_types(values: Mapping[str, Any], where: str, problems: Problems) -> None:
    for field in _STRINGS:
        if field in values:
            check_string(f"{where}.{field}", values[field], problems)
    for field in _MAPS:
        if field in values and not isinstance(values[field], Mapping):
            message = f"is {type_name(values[field])}, expected a dict"
            problems.error("not-a-map", f"{where}.{field}", message, "Write it as a dict")
    if "backup" in values:
        check_boolean(f"{where}.backup", values["backup"], problems)
    if all(field in values for field in _SELECTIONS):
        message = "cannot be combined with capabilities"
        problems.error("conflicting-options", f"{where}.solution", message, "Set one of the two")
    method = values.get("install_method")
    if isinstance(method, str) and method not in INSTALL_METHODS:
        message = f"is {shown(method)}, expected one of {', '.join(INSTALL_METHODS)}"
        problems.error("invalid-choice", f"{where}.install_method", message, did_you_mean(method, INSTALL_METHODS))
