# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""From the options of ``update_plan`` to answers: releases are loaded once, equal questions are answered once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any, NamedTuple

from .._data import capabilities as capability_data
from .._problems import CapabilityError, InvalidOptionError, Problem, Problems, has_errors, raise_errors
from .._release.loader import gc_paused
from .._release.release import Release
from .cluster_entry import ClusterEntry, read_entry
from .cluster_version_file import location_of, read_cluster_version
from .fail_on import policy_problems
from .live_resources import LiveResources
from .planner import FleetPlan, PathPlan, Planner, PlanResult, shown_names
from .releases import NamedReleases
from .request import PlanRequest, deciding_resources, read_request
from .start import PlanOptions

if TYPE_CHECKING:
    from .._kubernetes.client import Client


class PlanSettings(NamedTuple):
    """What holds for all clusters of a call.

    ``directory`` is where relative paths start from, empty for here. ``connect`` is how to reach the cluster, which is
    asked for what the options do not say; ``None`` where nobody named one.
    """

    allow_downgrade: bool = False
    fail_on: Sequence[str] = ()
    directory: str = ""
    connect: Callable[[], Client] | None = None


def plan_cluster(releases: Sequence[Any], options: PlanOptions, terms: PlanSettings) -> FleetPlan:
    """Plan the path of one cluster. Raises ``CapabilityError`` with everything that is wrong."""
    return _answer((_Asked(ClusterEntry("", releases, options), "", "releases"),), terms, Problems())


def plan_fleet(
    clusters: Sequence[Any], releases: Sequence[Any] | None, common: PlanOptions, terms: PlanSettings
) -> FleetPlan:
    """Plan the paths of ``clusters``, which have what is ``common`` where they do not say otherwise.

    Raises ``CapabilityError`` with everything that is wrong with any of them.
    """
    problems = Problems()
    asked: list[_Asked] = []
    seen: dict[str, int] = {}
    for index, value in enumerate(clusters):
        where = f"clusters[{index}]"
        entry, found = read_entry(value, where, common)
        problems += found
        if entry is None:
            continue
        where = f"{where} ({entry.name})"
        first = seen.setdefault(entry.name, index)
        if first != index:
            message = f"{entry.name!r} is the name of clusters[{first}] too"
            problems.append(Problem("error", "todo", f"{where}.name", message, "Give each cluster a name of its own"))
        if entry.releases is None and releases is None:
            hint = "Give the path here, or releases for all clusters"
            problems.append(Problem("error", "todo", f"{where}.releases", "is missing", hint))
            continue
        if entry.releases is None:
            asked.append(_Asked(entry._replace(releases=releases), where, "releases"))
        else:
            asked.append(_Asked(entry, where, f"{where}.releases"))
    if terms.connect is not None:
        message = "is given beside options that name a cluster to ask, and that is one"
        hint = "Leave kubeconfig, context, host and the like out, and give each cluster its cluster_version"
        problems.append(Problem("error", "todo", "clusters", message, hint))
        terms = terms._replace(connect=None)
    if not clusters:
        problems.append(Problem("error", "todo", "clusters", "is empty", "Name a cluster, or leave clusters out"))
    return _answer(asked, terms, problems)


class _Asked(NamedTuple):
    """A cluster that a plan is asked for: where it stands in the options, and where its path does."""

    entry: ClusterEntry
    where: str
    where_path: str


@gc_paused()
def _answer(asked: Sequence[_Asked], terms: PlanSettings, problems: Problems) -> FleetPlan:
    named = NamedReleases(terms.directory)
    paths = [
        named.path(entry.releases or (), entry.options.cluster.cluster_profile, where_path)
        for entry, _where, where_path in asked
    ]
    releases, of_releases = named.load()
    problems += dict.fromkeys(named.problems)
    fleet = None if named.problems else Planner(releases, terms.allow_downgrade)
    positions: dict[int, int] = {}
    answers: list[_Collected] = []
    clusters: dict[str, int] = {}
    errors: dict[Problem, list[str]] = {}
    for (entry, where, _where_path), path in zip(asked, paths, strict=True):
        answer, found = _plan_entry(fleet, entry.options, path or (), releases, terms)
        if answer is None:
            for problem in found:
                errors.setdefault(problem, []).append(where)
            continue
        position = positions.setdefault(id(answer), len(answers))
        if position == len(answers):
            answers.append(_Collected(answer, tuple(releases[index].shown_version for index in path or ()), {}))
        for problem in found:
            answers[position].found.setdefault(problem, []).append(entry.name)
        clusters[entry.name] = position
    problems += [_of_clusters(problem, places, ", ") for problem, places in errors.items()]
    if fleet is not None and terms.fail_on:
        problems += policy_problems(terms.fail_on, _known_names(releases, [item.answer for item in answers]))
    raise_errors(problems, InvalidOptionError)
    return FleetPlan(tuple(item.planned() for item in answers), clusters, of_releases)


class _Collected(NamedTuple):
    """An answer, and what was found in the options of the clusters that it is for."""

    answer: PlanResult
    path: tuple[str, ...]
    found: dict[Problem, list[str]]

    def planned(self) -> PathPlan:
        of_options = tuple(_of_clusters(problem, names) for problem, names in self.found.items())
        return PathPlan(self.answer.plan, self.path, (*of_options, *self.answer.problems))


def _plan_entry(
    fleet: Planner | None, options: PlanOptions, path: tuple[int, ...], releases: Sequence[Release], terms: PlanSettings
) -> tuple[PlanResult | None, tuple[Problem, ...]]:
    """Return the answer, and what was found in the options; no answer where that is an error.

    Without its releases nothing can be said of a path, but of the options all the same. The cluster is asked for its
    resources last, so that nobody waits for an answer that a wrong option makes void.
    """
    with ExitStack() as stack:
        client = None
        try:
            if terms.connect is not None and not (options.says_start and options.live is not None):
                client = stack.enter_context(closing(terms.connect()))
            options = _with_cluster_version(options, client, terms.directory)
        except CapabilityError as error:
            return None, error.problems
        minor = releases[path[0]].minor if fleet is not None and path else None
        question, found = read_request(options, path, minor, strict=bool(terms.fail_on))
        if fleet is None:
            return None, found
        wrong = has_errors(found)
        try:
            answer, wording = fleet.answer(question)
            if client is not None and options.live is None and not wrong:
                live = _live(client, question, releases)
                found = (*found, *live.problems)
                cluster = question.cluster._replace(present=live.present)
                answer, wording = fleet.answer(question._replace(cluster=cluster))
        except CapabilityError as error:
            return None, (*found, *error.problems)
    return None if wrong else answer, (*found, *wording)


def _with_cluster_version(options: PlanOptions, client: Client | None, directory: str) -> PlanOptions:
    """Return ``options`` with the ClusterVersion that they name, or that the cluster has where they name no start."""
    if isinstance(options.cluster_version, str):
        file = options.cluster_version
        return options._replace(cluster_version=read_cluster_version(file, directory), place=location_of(file))
    if client is None or options.says_start:
        return options
    from .._cluster.live import CLUSTER_VERSION, get_cluster_version

    return options._replace(cluster_version=get_cluster_version(client), place=str(CLUSTER_VERSION))


def _live(client: Client, question: PlanRequest, releases: Sequence[Release]) -> LiveResources:
    # Whoever asks no cluster does not pay for the client.
    from .ask_cluster import read_live_resources_of_cluster

    on_path = [releases[index] for index in question.path]
    return read_live_resources_of_cluster(client, deciding_resources(question, on_path))


def _of_clusters(problem: Problem, names: Sequence[str], separator: str = ": ") -> Problem:
    if not any(names):
        return problem  # the one cluster that has no name
    return problem._replace(where=f"{shown_names(names)}{separator}{problem.where}")


def _known_names(releases: Iterable[Release], answers: Iterable[PlanResult]) -> set[str]:
    """Return every name that a policy can mean: what the minors know, and what the plans have to do with."""
    minors = (capability_data.data_of(release.minor) for release in releases if release.minor is not None)
    known = {name for facts in minors if facts is not None for name in facts.capabilities}
    hops = (hop for answer in answers for hop in answer.plan.hops)
    return known.union(*(hop.before.known | hop.after.known | hop.turned_on for hop in hops))
