# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The question about one cluster's path of updates: from what the user said of the cluster, checked and hashable."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .._capability.cluster_options import ClusterOptions, InclusionCriteria, check_options
from .._capability.selection import Selection, parse_selection
from .._cluster.cluster_version import ClusterVersion, ReportedCapabilities, parse_cluster_version
from .._data.capabilities import NONE
from .._problems import Problem, Problems
from .._release.release import Release
from .._resources import ResourceId
from .._version import Minor, find_minor
from .credentials import resolve_platform
from .path import resolve_on_path
from .start import PlanOptions, Source, StartingCluster


class PlanRequest(NamedTuple):
    """What a plan depends on; clusters with equal questions have one plan.

    ``path``: positions among the releases of the fleet, current first. ``facts``: without overrides, so that clusters
    that differ in these alone share what is computed. ``source`` and ``place``: where the selection comes from.
    """

    path: tuple[int, ...]
    facts: InclusionCriteria
    cluster: StartingCluster
    platform: str | None = None
    source: Source = "capabilities"
    place: str = ""


def read_request(
    options: PlanOptions, path: tuple[int, ...], minor: Minor | None, strict: bool = False
) -> tuple[PlanRequest, tuple[Problem, ...]]:
    """Check what was said of a cluster that runs a release of ``minor`` now. Void if there is an error.

    ``strict``: a ClusterVersion of another minor is an error.
    """
    problems = Problems()
    source = _source(options, problems)
    selection, status = Selection(), None
    cluster, of_overrides = options.cluster, "overrides"
    if source == "cluster_version":
        found = parse_cluster_version(options.cluster_version, options.place, problems)
        if found is not None:
            selection, status = found.selection, found.status
            problems += _version_problems(found, minor, options.place, strict)
            if cluster.overrides is None:
                cluster = cluster._replace(overrides=found.overrides)
                of_overrides = f"{options.place}.spec.overrides"
    elif source == "enabled_capabilities":
        selection, status = _of_list(options.cluster, problems)
    else:
        selection = parse_selection(options.cluster.capabilities, "capabilities", problems)
    facts = check_options(cluster, None, problems, overrides_at=of_overrides)
    effective = facts.overrides if any(override.unmanaged for override in facts.overrides) else ()
    problems += options.live.problems if options.live else ()
    on_path = StartingCluster(selection, status, effective, options.live.present if options.live else None)
    platform = resolve_platform(options.platform, problems)
    place = options.place if source == "cluster_version" else source
    return PlanRequest(path, facts._replace(overrides=()), on_path, platform, source, place), tuple(problems)


def deciding_resources(question: PlanRequest, releases: Sequence[Release]) -> frozenset[ResourceId]:
    """Return the resources whose presence on the cluster can change the plan; ``releases`` are those of its path.

    They are those of the incoming releases that need a name which is not on from the start, because what is on stays
    on (see ``ImplicitEnablement.enabled_by_presence``). ``question`` has to be one that has a plan.
    """
    found = [resolve_on_path(question.facts, release, Problems()) for release in releases]
    waypoints = [waypoint for waypoint in found if waypoint is not None]
    start, status = waypoints[0], question.cluster.status
    selection = start.pinned(question.cluster.selection)
    enabled = start.status(selection).enabled if status is None else status.enabled
    # A name whose gates one of the releases turns off is not on in all of them.
    hidden = frozenset[str]().union(*(waypoint.gated for waypoint in waypoints))
    on = (enabled | start.requested(selection) | start.always) - hidden
    return frozenset(
        manifest.resource_id
        for before, after in pairwise(waypoints)
        for manifest in after.manifests_loaded_by(before)
        if not on.issuperset(manifest.capabilities)
    )


def _source(options: PlanOptions, problems: Problems) -> Source:
    """Return what the plan starts from; a selection that was not given is the cluster default."""
    values: dict[Source, object] = {
        "capabilities": options.cluster.capabilities,
        "cluster_version": options.cluster_version,
        "enabled_capabilities": options.cluster.enabled_capabilities,
    }
    given = tuple(name for name, value in values.items() if value is not None)
    if len(given) > 1:
        hint = "Keep one: the selection, the cluster's own object, or the list of what is on"
        problems.append(Problem("error", "todo", given[0], f"is given beside {' and '.join(given[1:])}", hint))
    if options.cluster.known_capabilities is not None and "enabled_capabilities" not in given:
        hint = "Give enabled_capabilities with it, or leave it out"
        problems.append(Problem("error", "todo", "known_capabilities", "is given without enabled_capabilities", hint))
    return given[0] if given else "capabilities"


def _of_list(options: ClusterOptions, problems: Problems) -> tuple[Selection, ReportedCapabilities]:
    enabled = frozenset(options.enabled_capabilities or ())
    message = "does not tell what the cluster was asked for, so it is taken for asked for by name"
    hint = "Give cluster_version to tell both"
    problems.append(Problem("info", "todo", "enabled_capabilities", message, hint))
    known = None if options.known_capabilities is None else frozenset(options.known_capabilities)
    return Selection(NONE, tuple(sorted(enabled))), ReportedCapabilities(enabled, known)


def _version_problems(found: ClusterVersion, minor: Minor | None, place: str, strict: bool) -> list[Problem]:
    runs = find_minor(found.version)
    if runs is None or minor is None or runs == minor:
        return []
    message = f"is {found.version}, and the path begins with a release of {minor}"
    hint = "Begin the path with the release that the cluster runs"
    return [Problem("error" if strict else "warning", "todo", f"{place}.status.desired.version", message, hint)]
