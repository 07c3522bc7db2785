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
from .selection import check_selection
from .waypoint import Waypoint, resolve_waypoint

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Answer(NamedTuple):
    """A plan, and what is worth knowing about it."""

    plan: Plan
    problems: tuple[Problem, ...]


class _Route(NamedTuple):
    """What all questions with the same path, facts and platform share."""

    legs: tuple[Leg, ...]
    problems: tuple[Problem, ...]


class Fleet:
    """Plans for clusters that go through some of ``releases``."""

    def __init__(self, releases: Sequence[Release], allow_downgrade: bool = False) -> None:
        self._releases = releases
        self._allow_downgrade = allow_downgrade
        self._answers: dict[Question, Answer] = {}
        self._routes: dict[tuple[tuple[int, ...], ClusterFacts, str | None], _Route] = {}
        self._waypoints: dict[tuple[int, ClusterFacts], tuple[Waypoint, tuple[Problem, ...]]] = {}
        self._hops: dict[tuple[int, int, ClusterFacts], tuple[Hop, Comparison]] = {}
        self._credentials: dict[tuple[int, ClusterFacts, str | None], ReleaseCredentials] = {}

    def answer(self, question: Question) -> Answer:
        """Return the plan that ``question`` asks for. Raises ``CapabilityError`` with everything that is wrong."""
        return _once(self._answers, question, lambda: self._answer(question))

    def _answer(self, question: Question) -> Answer:
        key = (question.path, question.cluster, question.platform)
        route = _once(self._routes, key, lambda: self._route(*key))
        start = route.legs[0].start
        problems = list(route.problems)
        if start.minor_facts is not None:
            wrong = check_selection(question.selection, start.minor_facts, start.hidden)
            # What a cluster holds can be of a later version, after a rollback.
            lenient = question.status is not None
            problems += [item._replace(severity="warning") for item in wrong] if lenient else wrong
        raise_errors(problems, FactsError)
        plan = plan_path(route.legs, question.selection, question.status, question.present)
        if question.status is not None:
            problems += status_problems(question.status, start, plan)
        problems += plan_problems(plan, route.legs)
        return Answer(plan, tuple(problems))

    def _route(self, path: tuple[int, ...], cluster: ClusterFacts, platform: str | None) -> _Route:
        problems = path_problems([self._releases[index] for index in path], self._allow_downgrade)
        raise_errors(problems, FactsError)
        waypoints: list[Waypoint] = []
        for index in path:
            waypoint, found = self._waypoint(index, cluster)
            waypoints.append(waypoint)
            problems += [problem for problem in found if problem not in problems]
        minors = [waypoint.minor_facts for waypoint in waypoints if waypoint.minor_facts is not None]
        check_always_enabled(cluster, minors, problems)
        raise_errors(problems, FactsError)
        legs = []
        for (from_index, to_index), (start, end) in zip(pairwise(path), pairwise(waypoints), strict=True):
            hop, comparison = self._hop((from_index, to_index, cluster), start, end)
            credentials = self._release_credentials((to_index, cluster, platform), end)
            legs.append(Leg(start, end, hop, comparison, credentials, is_downgrade(start.release, end.release)))
        return _Route(tuple(legs), tuple(problems))

    def _waypoint(self, index: int, cluster: ClusterFacts) -> tuple[Waypoint, tuple[Problem, ...]]:
        def resolve() -> tuple[Waypoint, tuple[Problem, ...]]:
            problems: list[Problem] = []
            return resolve_waypoint(cluster, self._releases[index], problems), tuple(problems)

        return _once(self._waypoints, (index, cluster), resolve)

    def _hop(self, key: tuple[int, int, ClusterFacts], start: Waypoint, end: Waypoint) -> tuple[Hop, Comparison]:
        def compare() -> tuple[Hop, Comparison]:
            return Hop(start.loaded, start.load(end)), Comparison(start.managed, end.managed)

        return _once(self._hops, key, compare)

    def _release_credentials(self, key: tuple[int, ClusterFacts, str | None], end: Waypoint) -> ReleaseCredentials:
        return _once(self._credentials, key, lambda: ReleaseCredentials(end.release, end.managed, key[2]))


def _once(cache: dict[_Key, _Value], key: _Key, make: Callable[[], _Value]) -> _Value:
    value = cache.get(key)
    if value is None:
        value = cache[key] = make()
    return value
