# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Many clusters on few releases: what was computed for one is not computed again for another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from .._capability.cluster_options import InclusionCriteria, check_always_enabled, ineffective_exclusions
from .._capability.implicit_enablement import ImplicitEnablement
from .._capability.selection import Selection, check_selection
from .._problems import InvalidOptionError, Problem, Problems, has_errors, raise_errors
from .._release.release import Release
from .blockers import blockers
from .credentials import ReleaseCredentials
from .path import is_upgrade, path_problems
from .plan import Hop, Plan, plan_path
from .release_diff import ReleaseDiff
from .request import PlanRequest
from .resolved_release import ResolvedRelease, resolve_release
from .warnings import plan_problems, status_problems

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class PlanResult(NamedTuple):
    """A plan, and what is worth knowing about it."""

    plan: Plan
    problems: tuple[Problem, ...]


class _Path(NamedTuple):
    """What all questions with the same path, facts and platform share. ``hops`` are empty where it is not possible.

    ``start`` is the first release, as far as it can be understood.
    """

    start: ResolvedRelease | None
    hops: tuple[Hop, ...]
    problems: tuple[Problem, ...]
    always: frozenset[str]


class Planner:
    """Plans for clusters that go through some of ``releases``."""

    def __init__(self, releases: Sequence[Release], allow_downgrade: bool = False) -> None:
        self._releases = releases
        self._allow_downgrade = allow_downgrade
        self._answers: dict[PlanRequest, PlanResult] = {}
        self._paths: dict[tuple[tuple[int, ...], InclusionCriteria, str | None], _Path] = {}
        self._waypoints: dict[tuple[int, InclusionCriteria], tuple[ResolvedRelease | None, tuple[Problem, ...]]] = {}
        self._compared: dict[tuple[int, int, InclusionCriteria], tuple[ImplicitEnablement, ReleaseDiff]] = {}
        self._credentials: dict[tuple[int, InclusionCriteria, str | None], ReleaseCredentials] = {}

    def answer(self, question: PlanRequest) -> tuple[PlanResult, tuple[Problem, ...]]:
        """Return the plan that ``question`` asks for, and what is odd about the wording of this very question.

        Questions that mean the same have one answer. Raises ``CapabilityError`` with everything that is wrong.
        """
        key = (question.path, question.facts, question.platform)
        path = _cached(self._paths, key, lambda: self._path(*key))
        wording = tuple(_request_problems(question, path))
        raise_errors((*path.problems, *wording), InvalidOptionError)
        pinned = path.hops[0].start.pinned(question.cluster.selection)
        cluster = question.cluster._replace(selection=Selection(pinned.baseline, pinned.additional))
        meant = question._replace(cluster=cluster, source="capabilities", place="")
        return _cached(self._answers, meant, lambda: _answer(meant, path)), wording

    def _path(self, path: tuple[int, ...], facts: InclusionCriteria, platform: str | None) -> _Path:
        problems = Problems(path_problems([self._releases[index] for index in path], self._allow_downgrade))
        waypoints: list[ResolvedRelease] = []
        for index in path:
            waypoint, found = self._waypoint(index, facts)
            waypoints += [] if waypoint is None else [waypoint]
            problems += [problem for problem in found if problem not in problems]
        minors = [waypoint.minor_facts for waypoint in waypoints if waypoint.minor_facts is not None]
        if minors:
            check_always_enabled(facts, minors, problems)
        start = waypoints[0] if path and len(waypoints) == len(path) else None
        always = frozenset[str]().union(*(waypoint.always for waypoint in waypoints))
        if has_errors(problems):
            return _Path(start, (), tuple(problems), always)
        hops = []
        for (from_index, to_index), (before, after) in zip(pairwise(path), pairwise(waypoints), strict=True):
            enablement, comparison = self._compare((from_index, to_index, facts), before, after)
            credentials = self._release_credentials((to_index, facts, platform), after)
            downgrade = not is_upgrade(before.release, after.release)
            refusals = tuple(blockers(before, after))
            hops.append(Hop(before, after, enablement, comparison, credentials, downgrade, refusals))
        return _Path(start, tuple(hops), tuple(problems), always)

    def _waypoint(self, index: int, facts: InclusionCriteria) -> tuple[ResolvedRelease | None, tuple[Problem, ...]]:
        def resolve() -> tuple[ResolvedRelease | None, tuple[Problem, ...]]:
            problems = Problems()
            return resolve_release(facts, self._releases[index], problems), tuple(problems)

        return _cached(self._waypoints, (index, facts), resolve)

    def _compare(
        self, key: tuple[int, int, InclusionCriteria], start: ResolvedRelease, end: ResolvedRelease
    ) -> tuple[ImplicitEnablement, ReleaseDiff]:
        def compare() -> tuple[ImplicitEnablement, ReleaseDiff]:
            return ImplicitEnablement(start.loaded, start.load(end)), ReleaseDiff(start.loaded, end.loaded)

        return _cached(self._compared, key, compare)

    def _release_credentials(
        self, key: tuple[int, InclusionCriteria, str | None], end: ResolvedRelease
    ) -> ReleaseCredentials:
        return _cached(self._credentials, key, lambda: ReleaseCredentials(end.release, end.loaded, key[2]))


def _answer(question: PlanRequest, path: _Path) -> PlanResult:
    plan = plan_path(path.hops, question.cluster)
    return PlanResult(plan, (*path.problems, *plan_problems(plan, path.hops)))


def _request_problems(question: PlanRequest, path: _Path) -> Iterator[Problem]:
    """Yield what is wrong or odd about what a cluster was asked for, and what it says of itself."""
    start, selection, status = path.start, question.cluster.selection, question.cluster.status
    if start is None or start.minor_facts is None:
        return
    if question.source != "enabled_capabilities":
        for problem in check_selection(selection, start.minor_facts, start.hidden):
            # What a cluster holds can be of a later version, after a rollback.
            yield problem._replace(severity="warning") if question.source == "cluster_version" else problem
        yield from ineffective_exclusions(selection, path.always)
    if status is not None:
        yield from status_problems(status, selection, start, question.place, question.source)


def _cached(cache: dict[_Key, _Value], key: _Key, make: Callable[[], _Value]) -> _Value:
    if key not in cache:
        cache[key] = make()
    return cache[key]


_SHOWN = 5


class PathPlan(NamedTuple):
    """A plan with the versions of its path, and what is worth knowing about it."""

    plan: Plan
    path: tuple[str, ...]
    problems: tuple[Problem, ...]


class FleetPlan(NamedTuple):
    """Distinct plans; ``clusters`` maps names of clusters to positions among them.

    ``problems`` are those of the releases themselves.
    """

    plans: tuple[PathPlan, ...]
    clusters: Mapping[str, int]
    problems: tuple[Problem, ...]


def shown_names(names: Sequence[str]) -> str:
    """Return the first of many names of clusters, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"
