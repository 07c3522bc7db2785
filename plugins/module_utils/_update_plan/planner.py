# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Plans many clusters with few releases. Computes only once what several clusters have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple, TypeVar

from .._capability.cluster_options import InclusionCriteria
from .._capability.implicit_enablement import ImplicitEnablement
from .._capability.resolved_release import (
    ResolvedRelease,
    check_always_enabled,
    report_hosted_selection,
    report_ineffective_exclusions,
)
from .._capability.selection import check_selection
from .._contents.unmet_references import ReleaseReferences
from .._problems import InvalidOptionError, Problem, Problems, raise_errors
from .._release.release import Release
from .blockers import release_gates
from .credentials import credentials_requests
from .image_signature import ImageSignature
from .path import check_path, is_upgrade, resolve_on_path
from .plan import Hop, Plan, plan_path
from .release_diff import ReleaseDiff
from .request import PlanRequest
from .update_reasons import VERDICTS, Verdict
from .verdict import HopVerdict, hop_verdicts
from .warnings import check_dangling, check_plan, check_status, check_verdicts

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class PlanResult(NamedTuple):
    """A plan, its problems, and the verdict of each of its hops."""

    plan: Plan
    problems: tuple[Problem, ...]
    verdicts: tuple[HopVerdict, ...]

    @property
    def verdict(self) -> Verdict:
        """The most serious verdict of the hops."""
        return max((item.verdict for item in self.verdicts), key=VERDICTS.index)

    @property
    def cluster_checked(self) -> bool:
        """Whether the first hop is an update, and its verdict considers everything that a cluster reports."""
        first = self.plan.hops[0]
        return first.from_version != first.to_version and not self.verdicts[0].not_checked


class FleetPlan(NamedTuple):
    """Distinct plans. ``clusters`` maps names of clusters to positions among them.

    ``problems``: those of the releases. ``identities``: see ``PlanOrigin``. ``releases``: those of all paths, as
    ``PlanOrigin.release`` returns them.
    """

    plans: tuple[PlanResult, ...]
    clusters: Mapping[str, int]
    problems: tuple[Problem, ...]
    identities: Mapping[str, str] = {}
    releases: tuple[Mapping[str, str], ...] = ()


class _Path(NamedTuple):
    """The data that requests with the same path, criteria and platform share. ``hops``: empty if the path is invalid.

    ``start``: the first release, if all releases can be resolved. ``always``: names that any of them always enables.
    """

    start: ResolvedRelease | None
    hops: tuple[Hop, ...]
    problems: tuple[Problem, ...]
    always: frozenset[str]


class Planner:
    """Plans clusters whose paths consist of ``releases``. ``signatures``: as in ``NamedReleases``."""

    def __init__(
        self,
        releases: Sequence[Release],
        signatures: Mapping[tuple[int, int], ImageSignature] | None = None,
        *,
        allow_downgrade: bool = False,
    ) -> None:
        self._releases = releases
        self._signatures = signatures or {}
        self._allow_downgrade = allow_downgrade
        self._plans: dict[PlanRequest, tuple[Plan, Problems]] = {}
        self._results: dict[tuple[PlanRequest, tuple[HopVerdict, ...]], PlanResult] = {}
        self._paths: dict[tuple[tuple[int, ...], InclusionCriteria, str | None], _Path] = {}
        self._resolved: dict[tuple[int, InclusionCriteria], tuple[ResolvedRelease | None, Problems]] = {}
        self._hops: dict[tuple[int, int, InclusionCriteria, str | None], Hop] = {}

    def plan(self, request: PlanRequest, problems: Problems) -> PlanResult:
        """Return the plan of ``request``; ``problems`` gets the warnings about this request.

        Requests with the same meaning and the same verdicts share a plan. Raises ``InvalidOptionError`` with the
        problems of path and request if one of them is an error.
        """
        key = (request.path, request.criteria, request.platform)
        path = _cached(self._paths, key, lambda: self._path(*key))
        request_problems = Problems()
        _check_request(request, path, request_problems)
        raise_errors((*path.problems, *request_problems), InvalidOptionError)
        problems += request_problems
        normalized = request.normalized(path.hops[0].start)
        plan, plan_problems = _cached(self._plans, normalized, lambda: _plan(normalized, path))
        verdicts = hop_verdicts(path.hops, request.cluster.overrides, request.state)
        return _cached(self._results, (normalized, verdicts), lambda: _with_verdicts(plan, plan_problems, verdicts))

    def _path(self, path: tuple[int, ...], criteria: InclusionCriteria, platform: str | None) -> _Path:
        problems = Problems()
        check_path(
            [self._releases[index] for index in path], "releases", problems, allow_downgrade=self._allow_downgrade
        )
        resolutions = [self._resolve(index, criteria) for index in path]
        problems += (problem for _release, found in resolutions for problem in found)
        resolved = [release for release, _found in resolutions if release is not None]
        minors = [release.minor_data for release in resolved if release.minor_data is not None]
        if minors:
            check_always_enabled(criteria, minors, problems)
        start = resolved[0] if path and len(resolved) == len(path) else None
        always = frozenset[str]().union(*(release.always for release in resolved))
        if problems.has_errors:
            return _Path(start, (), problems.unique(), always)
        hops = [
            _cached(
                self._hops,
                (*key, criteria, platform),
                partial(_hop, before, after, platform, self._signatures.get(key)),
            )
            for key, (before, after) in zip(pairwise(path), pairwise(resolved), strict=True)
        ]
        return _Path(start, tuple(hops), problems.unique(), always)

    def _resolve(self, index: int, criteria: InclusionCriteria) -> tuple[ResolvedRelease | None, Problems]:
        def resolve() -> tuple[ResolvedRelease | None, Problems]:
            problems = Problems()
            return resolve_on_path(criteria, self._releases[index], problems), problems

        return _cached(self._resolved, (index, criteria), resolve)


def _hop(
    start: ResolvedRelease,
    end: ResolvedRelease,
    platform: str | None,
    signature: ImageSignature | None,
) -> Hop:
    return Hop(
        start,
        end,
        ImplicitEnablement(start.loaded, end.manifests_loaded_by(start)),
        ReleaseDiff(start.loaded, end.loaded),
        tuple(credentials_requests(end.release, end.loaded, platform)),
        not is_upgrade(start.release, end.release),
        release_gates(start),
        ReleaseReferences(end.release, end.loaded),
        signature,
    )


def _with_verdicts(plan: Plan, plan_problems: Problems, verdicts: tuple[HopVerdict, ...]) -> PlanResult:
    problems = Problems()
    check_verdicts(plan, verdicts, problems)
    return PlanResult(plan, (*problems, *plan_problems), verdicts)


def _plan(request: PlanRequest, path: _Path) -> tuple[Plan, Problems]:
    """Return a plan, and its problems, without what depends on the state of a cluster."""
    plan = plan_path(path.hops, request.cluster)
    problems = Problems(path.problems)
    check_plan(plan, path.hops, problems)
    check_dangling(plan, path.hops, request.cluster, problems)
    return plan, problems


def _check_request(request: PlanRequest, path: _Path, problems: Problems) -> None:
    start, selection, status = path.start, request.cluster.selection, request.cluster.status
    if start is None or start.minor_data is None:
        return
    if request.source != "enabled_capabilities":
        selection_problems = Problems()
        check_selection(selection, start.minor_data, start.gated, selection_problems)
        for problem in selection_problems:
            # After a rollback, a cluster can have names of a later version.
            problems.append(problem._replace(severity="warning") if request.source == "cluster_version" else problem)
        report_ineffective_exclusions(selection, path.always, problems)
        if request.source == "capabilities" and not problems.has_errors:
            report_hosted_selection(selection, start, problems)
    if status is not None:
        check_status(status, selection, start, request.location, request.source, problems)


def _cached(cache: dict[_Key, _Value], key: _Key, compute: Callable[[], _Value]) -> _Value:
    if key not in cache:
        cache[key] = compute()
    return cache[key]
