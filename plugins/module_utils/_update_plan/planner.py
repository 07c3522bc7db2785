# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans many clusters with few releases. Computes only once what several clusters have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple, TypeVar

from .._capability.cluster_options import InclusionCriteria
from .._capability.implicit_enablement import ImplicitEnablement
from .._capability.release_properties import check_gates
from .._capability.resolved_release import (
    ResolvedRelease,
    check_always_enabled,
    report_hosted_selection,
    report_ineffective_exclusions,
)
from .._capability.selection import check_selection
from .._cluster.admin_acks import has_cvo_manifests
from .._contents.unmet_references import ReleaseReferences
from .._data.version import find_minor
from .._problems import InvalidOptionError, Problem, Problems, Severity, raise_errors
from .._release.credentials_requests import credentials_requests
from .._release.release import Release
from .._resources import ResourceId
from .acceptance import Acceptance
from .path import check_path, is_upgrade, release_gates, resolve_on_path
from .plan import Hop, Plan, ReleaseDiff, plan_path
from .request import DEFAULT_SHARED_OPTIONS, PlanRequest, SharedOptions
from .update_reasons import VERDICTS, Verdict
from .verdict import HopVerdict, hop_verdicts
from .warnings import check_dangling, check_plan, check_status

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class PlanResult(NamedTuple):
    """A plan, its problems, the verdict of each of its hops, and the request that all clusters with it have."""

    plan: Plan
    problems: tuple[Problem, ...]
    verdicts: tuple[HopVerdict, ...]
    request: PlanRequest

    @property
    def verdict(self) -> Verdict:
        """The most serious verdict of the hops."""
        return max((item.verdict for item in self.verdicts), key=VERDICTS.index)

    @property
    def accepted(self) -> tuple[Acceptance, ...]:
        """The acceptances that count on the path."""
        return tuple(dict.fromkeys(item for verdict in self.verdicts for item in verdict.accepted))

    @property
    def cluster_checked(self) -> bool:
        """Whether the verdict of the first hop considers everything that a cluster reports."""
        return not self.verdicts[0].not_checked


class FleetPlan(NamedTuple):
    """Distinct plans. ``clusters`` maps names of clusters to positions among them.

    ``problems``: the problems of the releases. For reports, ``releases`` has the version of each and its name, a pull
    spec by digest if that is known, or its directory. ``cluster_versions``: the object of each cluster, valid or not; a
    single cluster has no name here, but in ``own_name``, with the one in the cloud. ``multi``: the names of the
    releases that are for several architectures.
    """

    plans: tuple[PlanResult, ...]
    clusters: Mapping[str, int]
    problems: tuple[Problem, ...]
    releases: tuple[tuple[str, str], ...]
    cluster_versions: Mapping[str, object]
    own_name: str
    multi: frozenset[str]


class ResolvedPath(NamedTuple):
    """A path for clusters with the same criteria and platform. ``hops``: empty if the path is invalid.

    ``start``: the first release, if all releases can be resolved. ``always``: names that any of them always enables.
    ``problems``: of the releases. ``gates``: problems of the gates that the options of its clusters set.
    """

    start: ResolvedRelease | None
    hops: tuple[Hop, ...]
    problems: tuple[Problem, ...]
    always: frozenset[str]
    gates: tuple[Problem, ...]


class _SharedPlan(NamedTuple):
    """The plan of equal requests, and its problems. ``results``: it with the verdicts of clusters, which can differ."""

    request: PlanRequest
    plan: Plan
    problems: Problems
    results: dict[tuple[HopVerdict, ...], PlanResult]


class Planner:
    """Plans clusters whose paths consist of ``releases``."""

    def __init__(self, releases: Sequence[Release], options: SharedOptions = DEFAULT_SHARED_OPTIONS) -> None:
        self._releases, self._options = releases, options
        self._plans: dict[PlanRequest, _SharedPlan] = {}
        self._paths: dict[tuple[tuple[int, ...], InclusionCriteria, str | None], ResolvedPath] = {}
        self._resolved: dict[tuple[int, InclusionCriteria], tuple[ResolvedRelease | None, Problems]] = {}
        self._hops: dict[tuple[int, int, InclusionCriteria, str | None], Hop] = {}

    def resolve(self, request: PlanRequest, problems: Problems) -> tuple[PlanRequest, ResolvedPath]:
        """Return ``request`` with its selection and its path, and check it; ``problems`` gets the warnings about it.

        Raises ``InvalidOptionError`` with the problems of path and request if one of them is an error.
        """
        key = (request.path, request.criteria, request.platform)
        path = _cached(self._paths, key, lambda: self._resolve_path(*key))
        request_problems = Problems(path.gates)
        if path.start is not None:
            request = request.with_solution(path.start, request_problems)
        _check_request(request, path, request_problems)
        self._check_version(request, path, request_problems)
        raise_errors((*path.problems, *request_problems), InvalidOptionError)
        problems += request_problems
        return request, path

    def plan(self, request: PlanRequest, path: ResolvedPath) -> PlanResult:
        """Return the plan of ``request``, whose resolved path is ``path``.

        Requests with the same meaning and the same verdicts share a plan.
        """
        normalized = request.normalized(path.hops[0].start)
        shared = _cached(self._plans, normalized, lambda: _plan(normalized, path))
        verdicts = hop_verdicts(path.hops, shared.plan.hops, request.cluster.overrides, request.state)
        problems = tuple(shared.problems)
        return _cached(shared.results, verdicts, lambda: PlanResult(shared.plan, problems, verdicts, shared.request))

    def _resolve_path(self, path: tuple[int, ...], criteria: InclusionCriteria, platform: str | None) -> ResolvedPath:
        problems, gates = Problems(), Problems()
        releases = [self._releases[index] for index in path]
        check_path(releases, "releases", problems, allow_downgrade=self._options.allow_downgrade)
        resolutions = [self._resolve(index, criteria) for index in path]
        problems += (problem for _release, found in resolutions for problem in found)
        check_gates(criteria.filters.feature_gates or (), releases, gates)
        resolved = [release for release, _found in resolutions if release is not None]
        minors = [release.minor_data for release in resolved if release.minor_data is not None]
        if minors:
            check_always_enabled(criteria, minors, problems)
        start = resolved[0] if path and len(resolved) == len(path) else None
        always = frozenset[str]().union(*(release.always for release in resolved))
        if problems.has_errors:
            return ResolvedPath(start, (), problems.unique(), always, tuple(gates))
        hops = [
            _cached(self._hops, (*key, criteria, platform), partial(_hop, before, after, platform))
            for key, (before, after) in zip(pairwise(path), pairwise(resolved), strict=True)
        ]
        return ResolvedPath(start, tuple(hops), problems.unique(), always, tuple(gates))

    def _check_version(self, request: PlanRequest, path: ResolvedPath, problems: Problems) -> None:
        """Report a cluster that runs another minor than its path begins with."""
        status = request.state.status
        runs = None if status is None else find_minor(status.version)
        if status is None or runs is None or path.start is None or runs == path.start.minor:
            return
        where = f"{request.location}.status.desired.version"
        message = f"is {status.version}, but the path begins with a release of {path.start.minor}"
        hint = "Begin the path with the release that the cluster runs"
        severity: Severity = "error" if self._options.forbidden_capabilities else "warning"
        problems.append(Problem(severity, "version-mismatch", where, message, hint))

    def _resolve(self, index: int, criteria: InclusionCriteria) -> tuple[ResolvedRelease | None, Problems]:
        def resolve() -> tuple[ResolvedRelease | None, Problems]:
            problems = Problems()
            return resolve_on_path(criteria, self._releases[index], problems), problems

        return _cached(self._resolved, (index, criteria), resolve)


def deciding_resources(request: PlanRequest, path: ResolvedPath) -> frozenset[ResourceId]:
    """Return the resources whose presence on the cluster can change the plan of ``request``.

    These are the resources of the incoming releases that need a name which is disabled at the start, because an enabled
    name stays enabled (see ``ImplicitEnablement.enabled_by_presence``).
    """
    start, status = path.hops[0].start, request.cluster.status
    selection = start.pinned(request.cluster.selection)
    enabled = start.status(selection).enabled if status is None else status.enabled
    # A name that is gated in one of the releases is not enabled in all of them.
    gated = start.gated.union(*(hop.end.gated for hop in path.hops))
    always_enabled = (enabled | start.requested(selection) | start.always) - gated
    return frozenset(
        manifest.object_id
        for hop in path.hops
        for manifest in (*hop.end.manifests_loaded_by(hop.start), *hop.end.loaded)
        if not always_enabled.issuperset(manifest.capabilities)
    )


def _hop(start: ResolvedRelease, end: ResolvedRelease, platform: str | None) -> Hop:
    return Hop(
        start,
        end,
        ImplicitEnablement(start.loaded, end.manifests_loaded_by(start)),
        ReleaseDiff(start.loaded, end.loaded),
        tuple(credentials_requests(end.release, end.loaded, platform)),
        is_upgrade(end.release, start.release),
        release_gates(start),
        ReleaseReferences(end.release, end.loaded),
        has_cvo_manifests(start.release),
    )


def _plan(request: PlanRequest, path: ResolvedPath) -> _SharedPlan:
    plan = plan_path(path.hops, request.cluster)
    problems = Problems(path.problems)
    check_plan(plan, path.hops, problems)
    check_dangling(plan, path.hops, request.cluster, problems)
    return _SharedPlan(request, plan, problems, {})


def _check_request(request: PlanRequest, path: ResolvedPath, problems: Problems) -> None:
    start, selection, status = path.start, request.cluster.selection, request.cluster.status
    if start is None or start.minor_data is None:
        return
    if request.source != "enabled_capabilities":
        found, data, is_live = Problems(), start.minor_data, request.source == "cluster_version"
        # After a rollback, a cluster can have names of a later version. A rollout requests those of its release.
        later = data.capabilities.union(*(hop.end.known for hop in path.hops if is_live))
        check_selection(selection, data._replace(capabilities=later), start.gated, found, start.selectable)
        problems += [problem._replace(severity="warning") if is_live else problem for problem in found]
        report_ineffective_exclusions(selection, path.always, problems)
        if request.source == "capabilities" and not problems.has_errors:
            report_hosted_selection(selection, start, problems)
    if status is not None:
        check_status(status, selection, start, request.location, request.source, problems)


def _cached(cache: dict[_Key, _Value], key: _Key, compute: Callable[[], _Value]) -> _Value:
    if key not in cache:
        cache[key] = compute()
    return cache[key]
