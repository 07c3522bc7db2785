# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""One cluster of a fleet: its name, its path, and the options in which it differs from the other clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._capability.cluster_options import API_SPELLINGS, INCLUSION_OPTIONS
from .._problems import Problems, check_boolean, check_list, check_string, did_you_mean
from .live_resources import read_live_resources
from .start import RULES, PlanOptions

_STRINGS = (
    "name",
    *(option.name for option in INCLUSION_OPTIONS if not option.items and option.type == "str"),
    "platform",
    "rule",
)
_BOOLEANS = tuple(option.name for option in INCLUSION_OPTIONS if option.type == "bool")
_NAMES = tuple(option.name for option in INCLUSION_OPTIONS if option.items == "str")
_LISTS = ("releases", *(option.name for option in INCLUSION_OPTIONS if option.items), "live_resources")
_FIELDS = (*_STRINGS, *_BOOLEANS, *_LISTS, "capabilities", "cluster_version", "promql")
_OF_PLAN = ("name", "releases", "cluster_version", "platform", "rule", "promql")
_STARTS = ("capabilities", "cluster_version", "enabled_capabilities", "known_capabilities")


def read_entry(entry: object, where: str, common: PlanOptions, problems: Problems) -> PlanOptions | None:
    """Read an entry of ``clusters``; ``common`` has the values that it does not set. ``None`` if it is invalid.

    A selection, an object or a list of names in it replaces everything that ``common`` starts from.
    """
    values = _read_values(entry, where, problems)
    if values is None:
        return None
    where = f"{where} ({values['name']})"
    options = common
    if any(field in values for field in _STARTS):
        cleared = common.cluster._replace(capabilities=None, enabled_capabilities=None, known_capabilities=None)
        options = common._replace(cluster=cleared, cluster_version=None)
    of_plan: dict[str, Any] = {field: values[field] for field in _OF_PLAN if field in values}
    if "releases" in values:
        of_plan["releases_where"] = f"{where}.releases"
    if "live_resources" in values:
        of_plan["live"] = read_live_resources(values["live_resources"])
    of_cluster = {field: value for field, value in values.items() if field in options.cluster._fields}
    return options._replace(cluster=options.cluster._replace(**of_cluster), where=where, **of_plan)


def _read_values(entry: object, where: str, problems: Problems) -> dict[str, Any] | None:
    if not isinstance(entry, Mapping):
        problems.error("not-a-map", where, f"is {entry!r}, expected a dict with a name", "Write it as a dict")
        return None
    count = len(problems)
    values: dict[str, Any] = {}
    for key, value in entry.items():
        field = API_SPELLINGS.get(key, key)
        if field not in _FIELDS:
            hint = did_you_mean(key, _FIELDS)
            problems.error("unknown-field", f"{where}.{key}", "is not a field of a cluster", hint)
        elif field in values:
            problems.error("duplicate-field", f"{where}.{field}", "is set in two spellings", "Keep one of them")
        elif value is not None:
            values[field] = value
    name = values.get("name")
    _check_types(values, f"{where} ({name})" if isinstance(name, str) else where, problems)
    if not name:
        problems.error("missing-field", f"{where}.name", "is missing", "Set a name for each cluster")
    return None if len(problems) > count else values


def _check_types(values: Mapping[str, Any], where: str, problems: Problems) -> None:
    for field in _STRINGS:
        if field in values:
            check_string(f"{where}.{field}", values[field], problems)
    for field in _BOOLEANS:
        if field in values:
            check_boolean(f"{where}.{field}", values[field], problems)
    for field in _LISTS:
        if field in values:
            check_list(f"{where}.{field}", values[field], problems, of_strings=field in _NAMES)
    rule = values.get("rule")
    if isinstance(rule, str) and rule not in RULES:
        message = f"is {rule!r}, expected {' or '.join(RULES)}"
        problems.error("unknown-rule", f"{where}.rule", message, did_you_mean(rule, RULES))
