# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Many clusters on few releases: what was computed for one is not computed again for another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from .changes import Comparison
from .cluster_facts import ClusterFacts, check_always_enabled
from .credentials import ReleaseCredentials
from .errors import FactsError, Problem, raise_errors
from .hop import Hop
from .path import is_downgrade, path_problems
from .plan import Leg, Plan, plan_path
from .plan_problems import plan_problems, status_problems
from .question import Question
from .release import Release
from .selection import Selection, check_selection
from .waypoint import Waypoint, resolve_waypoint

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Answer(NamedTuple):
    """A plan, and what is worth knowing about it."""

    plan: Plan
    problems: tuple[Problem, ...]


class _Route(NamedTuple):
    """What all questions with the same path, facts and platform share. ``legs`` are empty where it is not possible.

    ``start`` is the first release, as far as it can be understood.
    """

    start: Waypoint | None
    legs: tuple[Leg, ...]
    problems: tuple[Problem, ...]


class Fleet:
    """Plans for clusters that go through some of ``releases``."""

    def __init__(self, releases: Sequence[Release], allow_downgrade: bool = False) -> None:
        self._releases = releases
        self._allow_downgrade = allow_downgrade
        self._answers: dict[Question, Answer] = {}
        self._routes: dict[tuple[tuple[int, ...], ClusterFacts, str | None], _Route] = {}
        self._waypoints: dict[tuple[int, ClusterFacts], tuple[Waypoint | None, tuple[Problem, ...]]] = {}
        self._hops: dict[tuple[int, int, ClusterFacts], tuple[Hop, Comparison]] = {}
        self._credentials: dict[tuple[int, ClusterFacts, str | None], ReleaseCredentials] = {}

    def answer(self, question: Question) -> tuple[Answer, tuple[Problem, ...]]:
        """Return the plan that ``question`` asks for, and what is odd about the wording of this very question.

        Questions that mean the same have one answer. Raises ``CapabilityError`` with everything that is wrong.
        """
        key = (question.path, question.cluster, question.platform)
        route = _once(self._routes, key, lambda: self._route(*key))
        wording = _selection_problems(question, route.start)
        raise_errors((*route.problems, *wording), FactsError)
        pinned = route.legs[0].start.pinned(question.selection)
        source = "capabilities" if question.status is None else question.source
        meant = question._replace(selection=Selection(pinned.baseline, pinned.additional), source=source)
        return _once(self._answers, meant, lambda: _answer(meant, route)), wording

    def _route(self, path: tuple[int, ...], cluster: ClusterFacts, platform: str | None) -> _Route:
        problems = path_problems([self._releases[index] for index in path], self._allow_downgrade)
        waypoints: list[Waypoint] = []
        for index in path:
            waypoint, found = self._waypoint(index, cluster)
            waypoints += [] if waypoint is None else [waypoint]
            problems += [problem for problem in found if problem not in problems]
        minors = [waypoint.minor_facts for waypoint in waypoints if waypoint.minor_facts is not None]
        if minors:
            check_always_enabled(cluster, minors, problems)
        start = waypoints[0] if len(waypoints) == len(path) and path else None
        if any(problem.severity == "error" for problem in problems):
            return _Route(start, (), tuple(problems))
        legs = []
        for (from_index, to_index), (before, after) in zip(pairwise(path), pairwise(waypoints), strict=True):
            hop, comparison = self._hop((from_index, to_index, cluster), before, after)
            credentials = self._release_credentials((to_index, cluster, platform), after)
            legs.append(Leg(before, after, hop, comparison, credentials, is_downgrade(before.release, after.release)))
        return _Route(start, tuple(legs), tuple(problems))

    def _waypoint(self, index: int, cluster: ClusterFacts) -> tuple[Waypoint | None, tuple[Problem, ...]]:
        def resolve() -> tuple[Waypoint | None, tuple[Problem, ...]]:
            problems: list[Problem] = []
            return resolve_waypoint(cluster, self._releases[index], problems), tuple(problems)

        return _once(self._waypoints, (index, cluster), resolve)

    def _hop(self, key: tuple[int, int, ClusterFacts], start: Waypoint, end: Waypoint) -> tuple[Hop, Comparison]:
        def compare() -> tuple[Hop, Comparison]:
            return Hop(start.loaded, start.load(end)), Comparison(start.managed, end.managed)

        return _once(self._hops, key, compare)

    def _release_credentials(self, key: tuple[int, ClusterFacts, str | None], end: Waypoint) -> ReleaseCredentials:
        return _once(self._credentials, key, lambda: ReleaseCredentials(end.release, end.managed, key[2]))


def _answer(question: Question, route: _Route) -> Answer:
    plan = plan_path(route.legs, question.selection, question.status, question.present)
    problems = list(route.problems)
    if question.status is not None:
        problems += status_problems(question.status, route.legs[0].start, plan, question.source)
    problems += plan_problems(plan, route.legs)
    return Answer(plan, tuple(problems))


def _selection_problems(question: Question, start: Waypoint | None) -> tuple[Problem, ...]:
    if start is None or start.minor_facts is None or question.source == "enabled_capabilities":
        return ()
    wrong = check_selection(question.selection, start.minor_facts, start.hidden)
    if question.source == "cluster_version":
        # What a cluster holds can be of a later version, after a rollback.
        return tuple(problem._replace(severity="warning") for problem in wrong)
    return wrong


def _once(cache: dict[_Key, _Value], key: _Key, make: Callable[[], _Value]) -> _Value:
    value = cache.get(key)
    if value is None:
        value = cache[key] = make()
    return value
