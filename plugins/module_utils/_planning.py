# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""From the options of ``update_plan`` to answers: releases are loaded once, equal questions are answered once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ._cluster_version_file import place_of, read_cluster_version
from ._domain import registry
from ._domain.cluster_entry import ClusterEntry, read_entry
from ._domain.errors import CapabilityError, FactsError, Problem, raise_errors
from ._domain.fleet import Answer, Fleet
from ._domain.names import did_you_mean
from ._domain.plan import Plan
from ._domain.policy import policy_problems
from ._domain.question import PlanOptions, read_question
from ._domain.release import Release
from ._domain.version import minor_of
from ._release import load_release

_SHOWN = 5
_RELEASE_FIELDS = ("release", "openshift_version")
_UNSHOWN_IMAGE = "unset"
"""Stands for the release image, which no plan shows, so that nobody is told to name it."""


class PlannedPath(NamedTuple):
    """A plan with the versions of its path, and what is worth knowing about it."""

    plan: Plan
    path: tuple[str, ...]
    problems: tuple[Problem, ...]


class Planning(NamedTuple):
    """Distinct plans; ``clusters`` maps names of clusters to positions among them.

    ``problems`` are those of the releases themselves.
    """

    plans: tuple[PlannedPath, ...]
    clusters: Mapping[str, int]
    problems: tuple[Problem, ...]


class _Named(NamedTuple):
    """A release as it was named: its directory, and its version where that was given."""

    path: str
    openshift_version: str | None


def answer_one(
    releases: Sequence[Any], options: PlanOptions, *, allow_downgrade: bool, fail_on: Sequence[str]
) -> Planning:
    """Plan the path of one cluster. Raises ``CapabilityError`` with everything that is wrong."""
    entry = ClusterEntry("", releases, options)
    return _answer(((entry, ""),), options.cluster.cluster_profile, allow_downgrade, fail_on, [])


def answer_many(
    clusters: Sequence[Any],
    releases: Sequence[Any] | None,
    common: PlanOptions,
    *,
    allow_downgrade: bool,
    fail_on: Sequence[str],
) -> Planning:
    """Plan the paths of ``clusters``, which have what is ``common`` where they do not say otherwise.

    Raises ``CapabilityError`` with everything that is wrong with any of them.
    """
    problems: list[Problem] = []
    entries: list[tuple[ClusterEntry, str]] = []
    seen: dict[str, int] = {}
    for index, value in enumerate(clusters):
        where = f"clusters[{index}]"
        entry, found = read_entry(value, where, common)
        problems += found
        if entry is None:
            continue
        first = seen.setdefault(entry.name, index)
        if first != index:
            message = f"{entry.name!r} is the name of clusters[{first}] too"
            problems.append(Problem("error", f"{where}.name", message, "Give each cluster a name of its own"))
        if entry.releases is None and releases is None:
            mend = "Give the path here, or releases for all clusters"
            problems.append(Problem("error", f"{where}.releases", "is missing", mend))
            continue
        entries.append((entry._replace(releases=releases if entry.releases is None else entry.releases), where))
    if not clusters:
        problems.append(Problem("error", "clusters", "is empty", "Name a cluster, or leave clusters out"))
    return _answer(entries, common.cluster.cluster_profile, allow_downgrade, fail_on, problems)


def _answer(
    entries: Sequence[tuple[ClusterEntry, str]],
    cluster_profile: str,
    allow_downgrade: bool,
    fail_on: Sequence[str],
    problems: list[Problem],
) -> Planning:
    asked = _Releases()
    paths = [
        asked.path(entry.releases or (), f"{where}.releases" if where else "releases", problems)
        for entry, where in entries
    ]
    before = len(problems)
    releases, of_releases = _load(asked.named, cluster_profile, problems)
    if len(problems) > before:
        raise FactsError(problems)  # without its releases, nothing can be said of a path
    fleet = Fleet(releases, allow_downgrade)
    positions: dict[int, int] = {}
    answers: list[_Collected] = []
    clusters: dict[str, int] = {}
    for (entry, where), path in zip(entries, paths, strict=True):
        if path is None:
            continue
        answer, found = _ask(fleet, entry.options, path, releases)
        if answer is None:
            problems += [_of_cluster(problem, where, entry.name) for problem in found]
            continue
        position = positions.setdefault(id(answer), len(answers))
        if position == len(answers):
            answers.append(_Collected(answer, tuple(_version(releases[index]) for index in path), {}))
        for problem in found:
            answers[position].found.setdefault(problem, []).append(entry.name)
        clusters[entry.name] = position
    problems += policy_problems(fail_on, _known_names(releases, [item.answer for item in answers]))
    raise_errors(problems, FactsError)
    return Planning(tuple(item.planned() for item in answers), clusters, of_releases)


class _Collected(NamedTuple):
    """An answer, and what was found in the options of the clusters that it is for."""

    answer: Answer
    path: tuple[str, ...]
    found: dict[Problem, list[str]]

    def planned(self) -> PlannedPath:
        of_options = tuple(_of_clusters(problem, names) for problem, names in self.found.items())
        return PlannedPath(self.answer.plan, self.path, (*of_options, *self.answer.problems))


def _ask(
    fleet: Fleet, options: PlanOptions, path: tuple[int, ...], releases: Sequence[Release]
) -> tuple[Answer | None, tuple[Problem, ...]]:
    """Return the answer, and what was found in the options; no answer where that is an error."""
    try:
        if isinstance(options.cluster_version, str):
            file = options.cluster_version
            options = options._replace(cluster_version=read_cluster_version(file), place=place_of(file))
    except CapabilityError as error:
        return None, error.problems
    question, found = read_question(options, path, releases[path[0]].minor if path else None)
    wrong = any(problem.severity == "error" for problem in found)
    try:
        answer, wording = fleet.answer(question)
    except CapabilityError as error:
        return None, (*found, *error.problems)
    return None if wrong else answer, (*found, *wording)


def _of_cluster(problem: Problem, where: str, name: str) -> Problem:
    return problem._replace(where=f"{where} ({name}), {problem.where}") if where else problem


def _of_clusters(problem: Problem, names: Sequence[str]) -> Problem:
    if not any(names):
        return problem  # the one cluster that has no name
    return problem._replace(where=f"{shown_names(names)}: {problem.where}")


def shown_names(names: Sequence[str]) -> str:
    """Return the first of many names of clusters, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def _known_names(releases: Iterable[Release], answers: Iterable[Answer]) -> set[str]:
    """Return every name that a policy can mean: what the minors know, and what the plans have to do with."""
    minors = (registry.facts_of(release.minor) for release in releases if release.minor is not None)
    known = {name for facts in minors if facts is not None for name in facts.capabilities}
    hops = (hop for answer in answers for hop in answer.plan.hops)
    return known.union(*(hop.before.known | hop.after.known | hop.turned_on for hop in hops))


class _Releases:
    """The releases that were named, each once, in the order in which they were first named."""

    def __init__(self) -> None:
        self.named: dict[_Named, int] = {}
        self._texts: dict[str, int] = {}

    def path(self, releases: Sequence[Any], where: str, problems: list[Problem]) -> tuple[int, ...] | None:
        """Return the positions of ``releases``; ``None`` where one of them is not named as it should be."""
        positions = [self._position(value, f"{where}[{index}]", problems) for index, value in enumerate(releases)]
        path = tuple(position for position in positions if position is not None)
        return path if len(path) == len(positions) else None

    def _position(self, value: Any, where: str, problems: list[Problem]) -> int | None:
        if isinstance(value, str) and value in self._texts:
            return self._texts[value]
        found = _named(value, where, problems)
        if found is None:
            return None
        position = self.named.setdefault(found, len(self.named))
        if isinstance(value, str):
            self._texts[value] = position
        return position


def _named(value: object, where: str, problems: list[Problem]) -> _Named | None:
    version: object = None
    if isinstance(value, Mapping):
        unknown = [field for field in value if field not in _RELEASE_FIELDS]
        for field in unknown:
            mend = did_you_mean(field, _RELEASE_FIELDS)
            problems.append(Problem("error", f"{where}.{field}", "is not a field of a release", mend))
        if unknown:
            return None
        version = value.get("openshift_version")
        value = value.get("release")
    if not isinstance(value, str) or not value:
        message = f"is {value!r}, expected the directory of an extracted release"
        problems.append(Problem("error", where, message, "Write PATH, or {release: PATH, openshift_version: X.Y.Z}"))
        return None
    if version is not None:
        try:
            minor_of(version, f"{where}.openshift_version")
        except ValueError as error:
            problems.append(error.args[0])
            return None
    return _Named(
        os.path.abspath(os.path.expanduser(os.path.expandvars(value))), None if version is None else str(version)
    )


def _load(
    named: Iterable[_Named], cluster_profile: str, problems: list[Problem]
) -> tuple[tuple[Release, ...], tuple[Problem, ...]]:
    releases: list[Release] = []
    worth_knowing: list[Problem] = []
    for name in named:
        try:
            loaded = load_release(
                name.path,
                openshift_version=name.openshift_version,
                cluster_profile=cluster_profile,
                release_image=_UNSHOWN_IMAGE,
            )
        except CapabilityError as error:
            problems += [_of_release(problem, name.path) for problem in error.problems]
            continue
        releases.append(loaded.release)
        worth_knowing += [_of_release(problem, name.path) for problem in loaded.problems]
    return tuple(releases), tuple(worth_knowing)


def _of_release(problem: Problem, path: str) -> Problem:
    return problem if problem.where.startswith(path) else problem._replace(where=f"{path}: {problem.where}")


def _version(release: Release) -> str:
    return release.version or str(release.minor)
