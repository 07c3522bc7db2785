# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Runs the module update_plan: loads each release once, and plans each distinct request once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from .._cluster.cluster_version_file import location_of, read_cluster_version
from .._data import capabilities as capability_data
from .._problems import CapabilityError, InvalidOptionError, Problem, Problems, of_clusters
from .._progress import Progress, counted, silent
from .._release.provided_files import read_provided
from .._release.release import Release
from .._release_image.release_source import SignatureOptions
from .._resources import ResourceId
from .fail_on import check_fail_on
from .origin import PlanOrigin
from .planner import FleetPlan, Planner, PlanResult
from .releases import NamedReleases
from .request import PlanRequest, deciding_resources, read_request
from .start import PlanOptions

if TYPE_CHECKING:
    from .._kubernetes.client import Client

    Connect = Callable[[], Client]


def plan_cluster(options: PlanOptions, connect: Connect | None = None, progress: Progress = silent) -> FleetPlan:
    """Plan the path of one cluster. Raises ``CapabilityError`` with all problems.

    ``connect``: returns a client for the cluster, which is read for what ``options`` do not set.
    """
    return _plan((options,), options, connect, progress, Problems())


def plan_fleet(
    clusters: Sequence[PlanOptions], common: PlanOptions, connect: Connect | None = None, progress: Progress = silent
) -> FleetPlan:
    """Plan the paths of ``clusters``. ``common``: the options that are the same for all of them.

    Raises ``CapabilityError`` with the problems of all clusters. ``connect`` is an error: it selects only one cluster.
    """
    problems = Problems()
    fleet: list[PlanOptions] = []
    first: dict[str, str] = {}
    for options in clusters:
        if not options.name:
            problems.error("missing-field", f"{options.where}.name", "is empty", "Set a name for each cluster")
        if first.setdefault(options.name, options.where) != options.where:
            message = f"{options.name!r} is also the name of {first[options.name]}"
            problems.error("duplicate-name", f"{options.where}.name", message, "Use a unique name for each cluster")
        if options.releases is None:
            hint = "Set the path here, or releases for all clusters"
            problems.error("missing-field", f"{options.where}.releases", "is missing", hint)
            continue
        fleet.append(options)
    if connect is not None:
        message = (
            "cannot be combined with connection options (kubeconfig, context, host), which select a single cluster"
        )
        hint = "Remove the connection options, and set cluster_version for each cluster"
        problems.error("conflicting-options", "clusters", message, hint)
    if not clusters:
        problems.error("empty-list", "clusters", "is empty", "Add a cluster, or remove the option")
    return _plan(fleet, common, None, progress, problems)


def _plan(
    fleet: Sequence[PlanOptions],
    common: PlanOptions,
    connect: Connect | None,
    progress: Progress,
    problems: Problems,
) -> FleetPlan:
    named, path_problems, release_problems = NamedReleases(common.source), Problems(), Problems()
    paths = [
        named.path(options.releases or (), options.cluster.profile, options.releases_where, path_problems)
        for options in fleet
    ]
    loaded = named.load(release_problems, path_problems, progress)
    releases = tuple(release for release, _name in loaded)
    problems += path_problems.unique()
    planner = None
    if not path_problems:
        planner = Planner(releases, named.signatures, allow_downgrade=common.allow_downgrade)
    results: list[PlanResult] = []
    result_problems: list[dict[Problem, list[str]]] = []
    positions: dict[int, int] = {}
    clusters: dict[str, int] = {}
    origin = PlanOrigin()
    errors: dict[Problem, list[str]] = {}
    provided: dict[tuple[str, ...], frozenset[ResourceId]] = {}
    for options, path in counted(list(zip(fleet, paths, strict=True)), "clusters", progress):
        given = tuple(options.provided_manifests or ())
        if given not in provided:
            provided[given] = read_provided(given, "provided_manifests", problems)
        options = options._replace(provided=provided[given])
        cluster_problems = Problems()
        result = _plan_one(planner, options, path or (), releases, named, connect, origin, cluster_problems)
        if result is None:
            for problem in cluster_problems:
                errors.setdefault(problem, []).append(options.where)
            continue
        position = positions.setdefault(id(result), len(results))
        if position == len(results):
            results.append(result)
            result_problems.append({})
        for problem in cluster_problems:
            result_problems[position].setdefault(problem, []).append(options.name)
        clusters[options.name] = position
    problems += [of_clusters(problem, locations) for problem, locations in errors.items()]
    if planner is not None and common.fail_on:
        check_fail_on(common.fail_on, _known_names(releases, results), problems)
    problems.raise_errors(InvalidOptionError)
    plans = [
        result._replace(problems=(*(of_clusters(problem, names) for problem, names in own.items()), *result.problems))
        for result, own in zip(results, result_problems, strict=True)
    ]
    return FleetPlan(
        tuple(plans),
        clusters,
        release_problems.unique(),
        origin.identities,
        tuple(origin.release(release.shown_version, name) for release, name in loaded),
    )


def _plan_one(
    planner: Planner | None,
    options: PlanOptions,
    path: tuple[int, ...],
    releases: Sequence[Release],
    named: NamedReleases,
    connect: Connect | None,
    origin: PlanOrigin,
    problems: Problems,
) -> PlanResult | None:
    """Return the plan of a cluster; ``None`` if there is an error, or no planner. ``origin`` gets what is read.

    The options are checked even without a planner. Resources are looked up last, because an error in the options makes
    them useless.
    """
    with problems.collect(CapabilityError), ExitStack() as stack:
        client = None
        if connect is not None and options.missing:
            client = stack.enter_context(closing(connect()))
        options = _with_file(options)
        if client is not None:
            from .live import complete_options  # imports the client, which only plans with a cluster need

            options, found = complete_options(options, client, problems)
            origin.properties |= found
        origin.add_cluster(options.name, options.cluster_version)
        if options.rule == "presence" and options.live_resources is None and client is None:
            message = "is presence, but the resources of the cluster are not known"
            hint = "Set live_resources or connection options, or remove the option"
            problems.error("missing-option", "rule", message, hint)
        minor = releases[path[0]].minor if planner is not None and path else None
        request = read_request(options, path, minor, problems)
        if planner is None:
            return None
        if client is not None:
            request = _with_admin_acks(request, client, problems)
        if not problems.has_errors:
            request = _with_signatures(request, options.source.signature, named)
        valid, request_problems = not problems.has_errors, Problems()
        result = planner.plan(request, request_problems)
        if client is not None and options.live_resources is None and valid:
            request = request._replace(
                cluster=request.cluster._replace(present=_look_up(client, request, releases, problems))
            )
            request_problems = Problems()
            result = planner.plan(request, request_problems)
        problems += request_problems
        return result if valid else None
    return None


def _with_file(options: PlanOptions) -> PlanOptions:
    """Return ``options`` with the ClusterVersion itself, if they have the path of its file."""
    if not isinstance(options.cluster_version, str):
        return options
    file = options.cluster_version
    return options._replace(cluster_version=read_cluster_version(file), location=location_of(file))


def _with_admin_acks(request: PlanRequest, client: Client, problems: Problems) -> PlanRequest:
    """Return ``request`` with the gates of the cluster and their acknowledgements."""
    from .live import find_admin_acks

    with problems.collect(CapabilityError):
        acks = find_admin_acks(client, problems)
        return request._replace(state=request.state._replace(acks=acks))
    return request


def _with_signatures(request: PlanRequest, options: SignatureOptions, named: NamedReleases) -> PlanRequest:
    """Return ``request`` with the signatures in the stores of its cluster, which replace those of the releases.

    The option ``signature_stores`` replaces both. Then the stores of the cluster that it lacks remain in the request.
    """
    stores = request.state.signature_stores
    if options.stores or options.mode == "ignore":
        left = tuple(url for url in stores if url not in options.stores)
        return request._replace(state=request.state._replace(signature_stores=left))
    signatures = named.signatures_in(request.path, stores) if stores else ()
    return request._replace(state=request.state._replace(signature_stores=(), signatures=signatures))


def _look_up(
    client: Client, request: PlanRequest, releases: Sequence[Release], problems: Problems
) -> frozenset[ResourceId]:
    from .live import look_up_resources  # imports the client, which only plans with a cluster need

    on_path = [releases[index] for index in request.path]
    decisive = request.cluster.rule == "presence"
    return look_up_resources(client, deciding_resources(request, on_path), problems, decisive=decisive)


def _known_names(releases: Iterable[Release], results: Iterable[PlanResult]) -> set[str]:
    """Return every name that ``fail_on`` can contain: those of the minors, and those in the plans."""
    minors = (capability_data.data_of(release.minor) for release in releases if release.minor is not None)
    known = {name for data in minors if data is not None for name in data.capabilities}
    hops = (hop for result in results for hop in result.plan.hops)
    return known.union(*(hop.before.known | hop.after.known | hop.newly_enabled for hop in hops))
