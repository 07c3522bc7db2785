# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The question about one cluster's path of updates: from what the user said of the cluster, checked and hashable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from .cluster_facts import ClusterFacts, ClusterOptions, check_options
from .cluster_version import ClusterVersion, ToldStatus, parse_cluster_version
from .credentials import resolve_platform
from .errors import Problem
from .manifest import ResourceId
from .names import did_you_mean
from .registry import NONE, Minor
from .selection import Selection, parse_selection
from .version import minor_of

_RESOURCE_FIELDS = ("group", "kind", "namespace", "name")


class PlanOptions(NamedTuple):
    """What the user says of a cluster on a path, unchecked. ``None`` means that nothing was said.

    ``cluster`` without its overrides; ``cluster_version`` is the object, ``place`` where it comes from;
    ``live_resources`` are dicts.
    """

    cluster: ClusterOptions
    cluster_version: object = None
    overrides: Sequence[Any] | None = None
    live_resources: Sequence[Any] | None = None
    platform: str | None = None
    place: str = "cluster_version"


Source = Literal["capabilities", "cluster_version", "enabled_capabilities"]
"""The option that says what the plan starts from."""


class Question(NamedTuple):
    """What a plan depends on; clusters with equal questions have one plan.

    ``path``: positions among the releases of the fleet, current first. ``status``: what the cluster itself says.
    ``source``: where the selection comes from; what a cluster holds may be of a later version, after a rollback.
    """

    path: tuple[int, ...]
    cluster: ClusterFacts
    selection: Selection
    status: ToldStatus | None = None
    present: frozenset[ResourceId] | None = None
    platform: str | None = None
    source: Source = "capabilities"


def read_question(
    options: PlanOptions, path: tuple[int, ...], minor: Minor | None
) -> tuple[Question, tuple[Problem, ...]]:
    """Check what was said of a cluster that runs a release of ``minor`` now. Void if there is an error."""
    problems: list[Problem] = []
    source = _source(options, problems)
    selection, status = Selection(), None
    overrides, of_overrides = options.overrides, "overrides"
    if source == "cluster_version":
        found, of_object = parse_cluster_version(options.cluster_version, options.place)
        problems += of_object
        if found is not None:
            selection, status = found.selection, found.status
            problems += _version_problems(found, minor, options.place)
            if overrides is None:
                overrides, of_overrides = found.overrides, f"{options.place}.spec.overrides"
    elif source == "enabled_capabilities":
        selection, status = _of_list(options.cluster, problems)
    else:
        selection, of_selection = parse_selection(options.cluster.capabilities)
        problems += of_selection
    cluster = check_options(options.cluster._replace(overrides=overrides or ()), None, problems, of_overrides)
    present = None if options.live_resources is None else _resources(options.live_resources, problems)
    platform = resolve_platform(options.platform, problems)
    return Question(path, cluster, selection, status, present, platform, source), tuple(problems)


def _source(options: PlanOptions, problems: list[Problem]) -> Source:
    """Return what the plan starts from; a selection that was not given is the cluster default."""
    values: dict[Source, object] = {
        "capabilities": options.cluster.capabilities,
        "cluster_version": options.cluster_version,
        "enabled_capabilities": options.cluster.enabled_capabilities,
    }
    given = tuple(name for name, value in values.items() if value is not None)
    if len(given) > 1:
        mend = "Keep one: the selection, the cluster's own object, or the list of what is on"
        problems.append(Problem("error", given[0], f"is given beside {' and '.join(given[1:])}", mend))
    if options.cluster.known_capabilities is not None and "enabled_capabilities" not in given:
        mend = "Give enabled_capabilities with it, or leave it out"
        problems.append(Problem("error", "known_capabilities", "is given without enabled_capabilities", mend))
    return given[0] if given else "capabilities"


def _of_list(options: ClusterOptions, problems: list[Problem]) -> tuple[Selection, ToldStatus]:
    enabled = frozenset(options.enabled_capabilities or ())
    message = "does not tell what the cluster was asked for, so it is taken for asked for by name"
    mend = "Give cluster_version to tell both"
    problems.append(Problem("info", "enabled_capabilities", message, mend))
    known = None if options.known_capabilities is None else frozenset(options.known_capabilities)
    return Selection(NONE, tuple(sorted(enabled))), ToldStatus(enabled, known)


def _version_problems(found: ClusterVersion, minor: Minor | None, place: str) -> list[Problem]:
    try:
        runs = minor_of(found.version) if found.version else None
    except ValueError:
        runs = None
    if runs is None or minor is None or runs == minor:
        return []
    message = f"is {found.version}, and the path begins with a release of {minor}"
    mend = "Begin the path with the release that the cluster runs"
    return [Problem("warning", f"{place}.status.desired.version", message, mend)]


def _resources(given: Sequence[Any], problems: list[Problem]) -> frozenset[ResourceId]:
    found: set[ResourceId] = set()
    for index, entry in enumerate(given):
        where = f"live_resources[{index}]"
        if not isinstance(entry, Mapping):
            mend = f"Write it as a dict with {', '.join(_RESOURCE_FIELDS)}"
            problems.append(Problem("error", where, f"is {entry!r}, expected a dict", mend))
            continue
        fields = {field: entry.get(field) or "" for field in _RESOURCE_FIELDS}
        for field in sorted(set(map(str, entry)) - set(_RESOURCE_FIELDS)):
            mend = did_you_mean(field, _RESOURCE_FIELDS)
            problems.append(Problem("error", f"{where}.{field}", "is not a field of a resource id", mend))
        wrong = [
            field
            for field, value in fields.items()
            if not isinstance(value, str) or (not value and field in ("kind", "name"))
        ]
        problems += [
            Problem("error", f"{where}.{field}", f"is {fields[field]!r}, expected a string", "Name the resource")
            for field in wrong
        ]
        if not wrong:
            found.add(ResourceId(**fields))
    return frozenset(found)
