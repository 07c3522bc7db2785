# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The resources that exist on a cluster: as the user lists them, and along a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._problems import Problems, did_you_mean
from .._release.manifest import Manifest, manifest_from_object
from .._resources import ResourceId


def present_after(included: Sequence[Manifest], present: frozenset[ResourceId]) -> frozenset[ResourceId]:
    """Return the resources that exist after a release applied its ``included`` manifests."""
    deleted = {item.object_id for item in included if item.deletes}
    return (present | {item.object_id for item in included if not item.deletes}) - deleted


def read_live_resources(entries: Sequence[Any], problems: Problems) -> frozenset[ResourceId]:
    """Read a list of resource ids, or of objects as the API returns them."""
    read = (_read_entry(entry, f"live_resources[{index}]", problems) for index, entry in enumerate(entries))
    return frozenset(resource for resource in read if resource is not None)


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
    manifest_problems = Problems()
    manifest = manifest_from_object(entry, where, 1, manifest_problems)
    problems += [problem for problem in manifest_problems if problem.severity == "error"]
    return None if manifest is None else manifest.object_id


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
