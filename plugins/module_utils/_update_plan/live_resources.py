# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The resources that are on a cluster, as somebody listed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._problems import Problem, Problems, did_you_mean
from .._release.manifest import manifest_from_object
from .._resources import ResourceId


class LiveResources(NamedTuple):
    """The resources, and what is wrong with the list."""

    present: frozenset[ResourceId]
    problems: tuple[Problem, ...]


def read_live_resources(given: Sequence[Any], where: str = "live_resources") -> LiveResources:
    """Read a list of resource ids, or of the objects themselves as the API returns them."""
    found: set[ResourceId] = set()
    problems = Problems()
    for index, entry in enumerate(given):
        place = f"{where}[{index}]"
        if not isinstance(entry, Mapping):
            hint = f"Write it as a dict with {', '.join(ResourceId._fields)}"
            problems.append(Problem("error", "todo", place, f"is {entry!r}, expected a dict", hint))
        elif "metadata" in entry and not entry.get("apiVersion"):
            problems.append(
                Problem("error", "todo", f"{place}.apiVersion", "is missing", "Give the object as the API returns it")
            )
        elif "metadata" in entry:
            manifest, wrong = manifest_from_object(entry, place)
            found.update(() if manifest is None else (manifest.resource_id,))
            problems += [problem for problem in wrong if problem.severity == "error"]
        else:
            wrong = _field_problems(entry, place)
            problems += wrong
            if not wrong:
                found.add(ResourceId(*(entry.get(field) or "" for field in ResourceId._fields)))
    return LiveResources(frozenset(found), tuple(problems))


def _field_problems(entry: Mapping[Any, Any], place: str) -> tuple[Problem, ...]:
    unknown = [
        Problem(
            "error",
            "todo",
            f"{place}.{field}",
            "is not a field of a resource id",
            did_you_mean(field, ResourceId._fields),
        )
        for field in sorted(set(map(str, entry)) - set(ResourceId._fields))
    ]
    wrong = [
        Problem("error", "todo", f"{place}.{field}", f"is {entry.get(field)!r}, expected a string", "Name the resource")
        for field in ResourceId._fields
        if not isinstance(entry.get(field) or "", str) or (field in ("kind", "name") and not entry.get(field))
    ]
    return (*unknown, *wrong)
