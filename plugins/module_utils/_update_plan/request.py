# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options for the plan of one cluster, and the request for it: those options, checked and hashable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal, NamedTuple, get_args

from .._capability.cluster_options import ClusterOptions, InclusionCriteria, check_options, read_id
from .._capability.resolved_release import ResolvedRelease, read_selection, solution_selection
from .._capability.selection import Selection
from .._cluster.cluster_version import ReportedCapabilities, parse_cluster_version
from .._data.capabilities import NONE
from .._data.platforms import PLATFORM_DATA
from .._problems import Location, Problems, did_you_mean
from .._release.manifest import manifest_from_object
from .._release_image.release_source import ReleaseSource
from .._resources import ResourceId, nested
from .plan import Rule, StartingCluster
from .update_reasons import UpdateReason
from .update_status import read_update_status
from .verdict import UpdateState

Source = Literal["capabilities", "solution", "cluster_version", "enabled_capabilities"]
"""The option that a plan starts from."""

_STARTS = (*get_args(Source), "known_capabilities")

FailOn = Literal["acknowledge", "risk", "blocked", "never"]
"""The least serious verdict that fails, or none."""

FAIL_ON: tuple[FailOn, ...] = get_args(FailOn)


class SharedOptions(NamedTuple):
    """The options that count for all clusters of a fleet. ``source``: how releases in images are read.

    ``forbidden_capabilities``: names that no update may enable. ``acceptances``: as set by the user, unchecked.
    ``cluster_name``: the name that a single cluster has in them. ``today``: the day on which they have to count.
    """

    source: ReleaseSource = ReleaseSource()
    allow_downgrade: bool = False
    forbidden_capabilities: Sequence[str] = ()
    fail_on: FailOn = "blocked"
    acceptances: Sequence[Mapping[str, Any]] = ()
    cluster_name: str | None = None
    today: date = date.min

    @property
    def is_strict(self) -> bool:
        """Whether the task can fail because of the plan, so the plan must not lack what it depends on."""
        return bool(self.forbidden_capabilities) or self.fail_on != "never"


DEFAULT_SHARED_OPTIONS = SharedOptions()


class PlanOptions(NamedTuple):
    """The options of a cluster and its path as set by the user, unchecked. ``None`` means not set.

    ``releases``: the path as given. ``cluster_version``: the object, or the path of its file. ``name``: of a cluster of
    a fleet. ``where``, ``releases_where`` and ``location``: the locations of the cluster, of its path and of its
    ClusterVersion in problems. ``reported_gates``: as in ``InclusionCriteria``. ``preflight``: what the caller found
    against the first update. ``settable``: whether the user can set what is read from a cluster instead.
    """

    cluster: ClusterOptions
    releases: Sequence[Any] | None = None
    cluster_version: object = None
    live_resources: Sequence[Any] | None = None
    extra_manifests: Sequence[str] | None = None
    rule: Rule = "manifest"
    name: str = ""
    where: str = ""
    releases_where: str = "releases"
    location: str = "cluster_version"
    reported_gates: tuple[tuple[str, frozenset[str]], ...] = ()
    preflight: tuple[UpdateReason, ...] = ()
    settable: bool = True

    def of_cluster(self, entry: Mapping[str, Any], index: int) -> PlanOptions:
        """The options of a cluster of a fleet: its entry, and these for what it does not set.

        A selection, an object or a list of names in it replaces everything that these start from.
        """
        own = {name: value for name, value in entry.items() if value is not None}
        where = f"clusters[{index}]" + (f" ({own['name']})" if own["name"] else "")
        cluster, values = self.cluster, {name: own[name] for name in self._fields if name in own}
        if not own.keys().isdisjoint(_STARTS):
            cluster = cluster._replace(
                capabilities=None, solution=None, enabled_capabilities=None, known_capabilities=None
            )
            values.setdefault("cluster_version", None)
        if "releases" in own:
            values["releases_where"] = f"{where}.releases"
        cluster = cluster._replace(**{name: own[name] for name in cluster._fields if name in own})
        return self._replace(cluster=cluster, where=where, **values)

    @property
    def missing(self) -> frozenset[str]:
        """What the user did not set, so a selected cluster is read for it. ``start``: what the plan starts from."""
        cluster = self.cluster
        starts = (self.cluster_version, cluster.capabilities, cluster.solution, cluster.gives_status or None)
        values: dict[str, Any] = {
            "start": None if all(value is None for value in starts) else True,
            "live_resources": self.live_resources,
            "platform": cluster.platform,
            "cluster_profile": cluster.cluster_profile,
            "feature_set": cluster.feature_set,
            "feature_gates": cluster.feature_gates,
            # A ClusterVersion that the user set contains its overrides.
            "overrides": cluster.overrides if self.cluster_version is None else True,
        }
        return frozenset(name for name, value in values.items() if value is None)


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
        selection = read_selection(cluster._replace(solution=None), problems)  # both are one conflict, reported above
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
    problems.info("unknown-selection", "enabled_capabilities", message, "Set cluster_version instead, which has both")
    known = None if options.known_capabilities is None else frozenset(options.known_capabilities)
    return Selection(NONE, tuple(sorted(enabled))), ReportedCapabilities(enabled, known)


def read_live_resources(entries: Sequence[Any], problems: Problems) -> frozenset[ResourceId]:
    """Read a list of resource ids, of objects as the API returns them, and of lists of them."""
    read = (
        _read_entry(item, f"live_resources[{index}]", problems)
        for index, entry in enumerate(entries)
        for item in (entry["items"] if isinstance(nested(entry, "items"), list) else [entry])
    )
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
