# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The request for the plan of one cluster: its options, checked and hashable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from .._capability.cluster_options import ClusterOptions, InclusionCriteria, check_options, read_id
from .._capability.resolved_release import ResolvedRelease, read_selection, solution_selection
from .._capability.selection import Selection
from .._cluster.cluster_version import ReportedCapabilities, parse_cluster_version
from .._data.capabilities import NONE
from .._data.platforms import PLATFORM_DATA
from .._problems import Location, Problems, did_you_mean
from .._release.manifest import manifest_from_object
from .._resources import ResourceId
from .plan import StartingCluster
from .plan_options import PlanOptions
from .update_status import read_update_status
from .verdict import UpdateState

Source = Literal["capabilities", "solution", "cluster_version", "enabled_capabilities"]
"""The option that a plan starts from."""


class PlanRequest(NamedTuple):
    """Everything that a plan depends on.

    ``path``: positions of its releases among those of the planner. ``criteria``: without overrides, so clusters that
    differ only in these share most computations. ``source`` and ``location``: the origin of the selection.
    ``solution``: its name, until the first release is known and the cluster has the selection. ``state``: only the
    verdicts depend on it.
    """

    path: tuple[int, ...]
    criteria: InclusionCriteria
    cluster: StartingCluster
    platform: str | None = None
    source: Source = "capabilities"
    location: str = ""
    state: UpdateState = UpdateState()
    solution: str | None = None

    def with_solution(self, start: ResolvedRelease, problems: Problems) -> PlanRequest:
        """Return the request with the selection of its solution, if it has one. ``start``: the first release."""
        if self.solution is None:
            return self
        selection = solution_selection(self.solution, start, self.platform, problems)
        return self._replace(cluster=self.cluster._replace(selection=selection), solution=None)

    def normalized(self, start: ResolvedRelease) -> PlanRequest:
        """Return the key of the plan: equal for all requests with the same meaning. ``start``: the first release."""
        pinned = start.pinned(self.cluster.selection)
        cluster = self.cluster._replace(selection=Selection(pinned.baseline, pinned.additional, pinned.excluded))
        return self._replace(cluster=cluster, source="capabilities", location="", state=UpdateState())


def read_request(
    options: PlanOptions, path: tuple[int, ...], extra: frozenset[ResourceId], problems: Problems
) -> PlanRequest:
    """Check the options of a cluster. Do not use the request if there is an error.

    ``extra``: the resources that the extra manifests of the cluster create.
    """
    source = _read_source(options, problems)
    cluster = options.cluster
    location, overrides_at = str(source), "overrides"
    state = UpdateState(preflight=options.preflight)
    selection = Selection()
    status = None
    if source == "enabled_capabilities":
        selection, status = _read_names(cluster, problems)
    listed, platform = options.live_resources, resolve_platform(cluster.platform, problems)
    present = None if listed is None else read_live_resources(listed, problems)
    if source == "capabilities":
        selection = read_selection(cluster, problems)
    if source == "cluster_version":
        location = options.location
        version = parse_cluster_version(options.cluster_version, Location(field=location), problems)
        if version is not None:
            selection, status = version.selection, version.status
            updates = read_update_status(options.cluster_version)
            state = state._replace(status=updates, signature_stores=updates.signature_stores)
            if cluster.overrides is None:
                cluster = cluster._replace(overrides=version.overrides)
                overrides_at = f"{location}.spec.overrides"
    criteria = check_options(cluster, None, problems, overrides_at=overrides_at)
    overrides = criteria.filters.overrides
    effective = overrides if any(override.unmanaged for override in overrides) else ()
    hosted_platform = platform if criteria.hosted else None
    criteria = criteria.without_overrides()._replace(reported_gates=options.reported_gates, platform=hosted_platform)
    start = StartingCluster(selection, status, effective, present, options.rule, extra)
    return PlanRequest(path, criteria, start, platform, source, location, state, cluster.solution)


def resolve_platform(name: str | None, problems: Problems) -> str | None:
    """Return the platform in lower case; reports an unknown one."""
    if name is None:
        return None
    platform = name.lower()
    if platform not in PLATFORM_DATA:
        problems.error("unknown-platform", "platform", f"{name!r} is not a platform", did_you_mean(name, PLATFORM_DATA))
    return platform


def _read_source(options: PlanOptions, problems: Problems) -> Source:
    """Return the option that the plan starts from. Without one, it is the default selection."""
    values: dict[Source, object] = {
        "capabilities": options.cluster.capabilities,
        "solution": options.cluster.solution,
        "cluster_version": options.cluster_version,
        "enabled_capabilities": options.cluster.enabled_capabilities,
    }
    given = tuple(name for name, value in values.items() if value is not None)
    if len(given) > 1:
        message = f"cannot be combined with {' and '.join(given[1:])}"
        hint = "Keep one: the selection, the solution, the ClusterVersion, or the list of enabled names"
        problems.error("conflicting-options", given[0], message, hint)
    if options.cluster.known_capabilities is not None and "enabled_capabilities" not in given:
        hint = "Set enabled_capabilities too, or remove it"
        problems.error("missing-option", "known_capabilities", "is set without enabled_capabilities", hint)
    return given[0] if given else "capabilities"


def _read_names(options: ClusterOptions, problems: Problems) -> tuple[Selection, ReportedCapabilities]:
    enabled = frozenset(options.enabled_capabilities or ())
    message = "does not contain the selection, so these names count as requested by name"
    problems.info("unknown-selection", "enabled_capabilities", message, "Set cluster_version, which contains both")
    known = None if options.known_capabilities is None else frozenset(options.known_capabilities)
    return Selection(NONE, tuple(sorted(enabled))), ReportedCapabilities(enabled, known)


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
        own = Problems()
        resource = read_id(entry, where, "a resource id", own)
        problems += own
        return None if own else resource
    if not entry.get("apiVersion"):
        problems.error("missing-field", f"{where}.apiVersion", "is missing", "Pass the object as the API returns it")
        return None
    manifest_problems = Problems()
    manifest = manifest_from_object(entry, where, 1, manifest_problems)
    problems += [problem for problem in manifest_problems if problem.severity == "error"]
    return None if manifest is None else manifest.object_id
