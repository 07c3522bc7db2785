# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""One cluster of a fleet, as the user wrote it: a name, a path, and what is different from the other clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._capability.cluster_options import API_SPELLINGS
from .._problems import Problem, Problems, did_you_mean, list_problems, string_problems
from .live_resources import read_live_resources
from .start import PlanOptions

_STRINGS = ("name", "cluster_profile", "feature_set", "exclude_identifier", "platform")
_NAMES = ("enabled_capabilities", "known_capabilities", "feature_gates", "always_enabled_capabilities")
_LISTS = (*_NAMES, "releases", "overrides", "live_resources")
_FIELDS = (*_STRINGS, *_LISTS, "capabilities", "cluster_version")
_STARTS = ("capabilities", "cluster_version", "enabled_capabilities", "known_capabilities")


class ClusterEntry(NamedTuple):
    """A cluster of a fleet. ``releases`` is ``None`` where it takes the path of all."""

    name: str
    releases: Sequence[Any] | None
    options: PlanOptions


def read_entry(entry: object, where: str, common: PlanOptions) -> tuple[ClusterEntry | None, list[Problem]]:
    """Read an entry of ``clusters``; what it does not say is as in ``common``. ``None`` where it is not possible.

    What it starts from (a selection, an object or a list of names) replaces all that ``common`` starts from.
    """
    if not isinstance(entry, Mapping):
        return None, [
            Problem("error", "todo", where, f"is {entry!r}, expected a dict with a name", "Write it as a dict")
        ]
    problems = Problems()
    values: dict[str, Any] = {}
    for key, value in entry.items():
        field = API_SPELLINGS.get(key, key)
        if field not in _FIELDS:
            problems.append(
                Problem("error", "todo", f"{where}.{key}", "is not a field of a cluster", did_you_mean(key, _FIELDS))
            )
        elif field in values:
            problems.append(
                Problem("error", "todo", f"{where}.{field}", "is given twice, in two spellings", "Keep one of them")
            )
        elif value is not None:
            values[field] = value
    name = values.get("name")
    problems += _type_problems(values, f"{where} ({name})" if isinstance(name, str) else where)
    if not values.get("name"):
        problems.append(Problem("error", "todo", f"{where}.name", "is missing", "Give each cluster a name"))
    if problems:
        return None, problems
    options = common
    if any(field in values for field in _STARTS):
        cleared = common.cluster._replace(capabilities=None, enabled_capabilities=None, known_capabilities=None)
        options = common._replace(cluster=cleared, cluster_version=None)
    of_plan: dict[str, Any] = {field: values[field] for field in ("cluster_version", "platform") if field in values}
    if "live_resources" in values:
        of_plan["live"] = read_live_resources(values["live_resources"])
    of_cluster = {field: value for field, value in values.items() if field in options.cluster._fields}
    options = options._replace(cluster=options.cluster._replace(**of_cluster), **of_plan)
    return ClusterEntry(values["name"], values.get("releases"), options), []


def _type_problems(values: Mapping[str, Any], where: str) -> list[Problem]:
    problems = Problems()
    for field in _STRINGS:
        if field in values:
            problems += string_problems(f"{where}.{field}", values[field])
    for field in _LISTS:
        if field in values:
            problems += list_problems(f"{where}.{field}", values[field], of_strings=field in _NAMES)
    return problems
