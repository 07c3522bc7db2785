# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The resources that exist on a cluster, as the user lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._problems import Problem, Problems, did_you_mean
from .._release.manifest import manifest_from_object
from .._resources import ResourceId


class LiveResources(NamedTuple):
    """The resources, and the faults in their list."""

    present: frozenset[ResourceId]
    problems: tuple[Problem, ...]


def read_live_resources(entries: Sequence[Any], where: str = "live_resources") -> LiveResources:
    """Read a list of resource ids, or of objects as the API returns them."""
    present: set[ResourceId] = set()
    problems = Problems()
    for index, entry in enumerate(entries):
        resource = _read_entry(entry, f"{where}[{index}]", problems)
        if resource is not None:
            present.add(resource)
    return LiveResources(frozenset(present), tuple(problems))


def _read_entry(entry: object, where: str, problems: Problems) -> ResourceId | None:
    if not isinstance(entry, Mapping):
        hint = f"Write it as a dict with {', '.join(ResourceId._fields)}"
        problems.error("not-a-map", where, f"is {entry!r}, expected a dict", hint)
        return None
    if "metadata" not in entry:
        return _read_id(entry, where, problems)
    if not entry.get("apiVersion"):
        problems.error("missing-field", f"{where}.apiVersion", "is missing", "Pass the object as the API returns it")
        return None
    of_manifest = Problems()
    manifest = manifest_from_object(entry, where, 1, of_manifest)
    problems += [problem for problem in of_manifest if problem.severity == "error"]
    return None if manifest is None else manifest.resource_id


def _read_id(entry: Mapping[Any, Any], where: str, problems: Problems) -> ResourceId | None:
    count = len(problems)
    for field in sorted(set(map(str, entry)) - set(ResourceId._fields)):
        hint = did_you_mean(field, ResourceId._fields)
        problems.error("unknown-field", f"{where}.{field}", "is not a field of a resource id", hint)
    for field in ResourceId._fields:
        value = entry.get(field) or ""
        if not isinstance(value, str) or (field in ("kind", "name") and not value):
            message = f"is {entry.get(field)!r}, expected a string"
            problems.error("not-a-string", f"{where}.{field}", message, "Name the resource")
    if len(problems) > count:
        return None
    return ResourceId(*(entry.get(field) or "" for field in ResourceId._fields))
