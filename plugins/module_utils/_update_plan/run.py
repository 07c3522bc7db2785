# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the module update_plan: loads each release once, and plans each distinct request once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from .._cluster.admin_acks import gate_minor
from .._cluster.object_file import location_of, read_object_file
from .._data import capabilities as capability_data
from .._data.version import find_minor
from .._problems import CapabilityError, InvalidOptionError, Problem, Problems, of_clusters
from .._progress import Progress, silent, with_progress
from .._release.extra_manifests import read_extra_manifests
from .._resources import ResourceId, mappings_in, nested
from .acceptance import Acceptance, acceptances_of, check_used, read_acceptances
from .planner import FleetPlan, Planner, PlanResult
from .releases import HopSignatures, PathRelease, PathReleases
from .request import DEFAULT_SHARED_OPTIONS, PlanOptions, PlanRequest, SharedOptions, read_request
from .update_reasons import ACCEPTABLE_CODES, PREFLIGHT
from .verdict import acceptable_names, effective_names
from .violations import check_forbidden

if TYPE_CHECKING:
    from .._kubernetes.client import Client

    Connect = Callable[[], Client]


def plan_cluster(
    options: PlanOptions,
    shared: SharedOptions = DEFAULT_SHARED_OPTIONS,
    connect: Connect | None = None,
    progress: Progress = silent,
) -> FleetPlan:
    """Plan the path of one cluster. Raises ``CapabilityError`` with all problems.

    ``connect``: returns a client for the cluster, which is read for what ``options`` do not set.
    """
    return _plan((options,), shared, connect, progress, Problems())


def plan_fleet(
    clusters: Sequence[PlanOptions],
    shared: SharedOptions = DEFAULT_SHARED_OPTIONS,
    connect: Connect | None = None,
    progress: Progress = silent,
) -> FleetPlan:
    """Plan the paths of ``clusters``. Raises ``CapabilityError`` with the problems of all clusters.

    ``connect`` is an error: it selects only one cluster.
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
        message = "cannot be combined with connection options (kubeconfig, context, host), which select one cluster"
        hint = "Remove the connection options, and set cluster_version for each cluster"
        problems.error("conflicting-options", "clusters", message, hint)
    if not clusters:
        problems.error("empty-list", "clusters", "is empty", "Add a cluster, or remove the option")
    return _plan(fleet, shared, None, progress, problems)


def _plan(
    fleet: Sequence[PlanOptions],
    shared: SharedOptions,
    connect: Connect | None,
    progress: Progress,
    problems: Problems,
) -> FleetPlan:
    references, path_problems, remarks = PathReleases(), Problems(), Problems()
    paths = [
        references.read_path(options.releases or (), options.cluster.profile, options.releases_where, path_problems)
        for options in fleet
    ]
    releases = references.load(shared.source, remarks, path_problems, progress)
    problems += path_problems.unique()
    read = Problems()
    acceptances = read_acceptances(shared.acceptances, shared.today, read)
    problems += read
    remarks += read
    clusters = _Clusters(releases, shared, connect, acceptances, remarks)
    results, errors = _Results(), dict[Problem, list[str]]()
    for options, path in zip(fleet, with_progress(paths, "clusters", progress), strict=True):
        own = Problems()
        result = clusters.plan(options, None if path_problems else path, own)
        if result is not None:
            results.add(options.name, result, own)
        for problem in own if result is None else ():
            errors.setdefault(problem, []).append(options.where)
    problems += [of_clusters(problem, locations) for problem, locations in errors.items()]
    if not path_problems and shared.forbidden_capabilities:
        check_forbidden(shared.forbidden_capabilities, _known_names(releases, results.plans), problems)
    if acceptances and not path_problems:
        minors = {None, *(find_minor(hop.from_version) for result in results.plans for hop in result.plan.hops)}
        used = {item for result in results.plans for item in result.accepted}
        used.update(item for item in clusters.matched if item.name in clusters.effective or PREFLIGHT.match(item.name))
        # A file of acceptances can also contain the gates and capabilities of other updates of the cluster.
        gates = (item.name for item in acceptances if gate_minor(item.name) not in minors)
        others = (*gates, *(item.name for item in capability_data.CAPABILITIES))
        known = {*_known_names(releases, results.plans), *clusters.acceptable, *ACCEPTABLE_CODES, *others}
        check_used(filter(clusters.concerned.__contains__, acceptances), clusters.matched, used, known, remarks)
    problems.raise_errors(InvalidOptionError)
    called = () if any(options.name for options in fleet) else (shared.cluster_name, clusters.own_name)
    names = tuple((item.release.shown_version, item.exact_name) for item in releases)
    return FleetPlan(
        results.with_problems(),
        results.clusters,
        remarks.unique(),
        names,
        clusters.cluster_versions,
        ", ".join(dict.fromkeys(filter(None, called))),
        frozenset(item.exact_name for item in releases if item.release.architecture == "multi"),
    )


class _Results:
    """The distinct plans of a fleet, the clusters that have them, and the problems of each cluster."""

    def __init__(self) -> None:
        self.plans: list[PlanResult] = []
        self.clusters: dict[str, int] = {}
        self._positions: dict[int, int] = {}
        self._problems: list[dict[Problem, list[str]]] = []

    def add(self, cluster: str, result: PlanResult, problems: Problems) -> None:
        """Add the plan of a cluster. Clusters can share one."""
        position = self._positions.setdefault(id(result), len(self.plans))
        if position == len(self.plans):
            self.plans.append(result)
            self._problems.append({})
        for problem in problems:
            self._problems[position].setdefault(problem, []).append(cluster)
        self.clusters[cluster] = position

    def with_problems(self) -> tuple[PlanResult, ...]:
        """Return the plans, each with the problems of its clusters."""
        return tuple(
            result._replace(
                problems=(*(of_clusters(problem, names) for problem, names in own.items()), *result.problems)
            )
            for result, own in zip(self.plans, self._problems, strict=True)
        )


class _Clusters:
    """Plans one cluster after another, on the same releases.

    ``acceptable`` gets the gates and risks of all clusters, ``effective`` the gates that are acknowledged on a
    cluster, ``concerned`` the acceptances that can be about them, ``matched`` those that are, the others what
    ``FleetPlan`` has of the clusters.
    """

    def __init__(
        self,
        releases: Sequence[PathRelease],
        shared: SharedOptions,
        connect: Connect | None,
        acceptances: tuple[Acceptance, ...],
        remarks: Problems,
    ) -> None:
        self._planner = Planner([item.release for item in releases], shared)
        self._signatures = HopSignatures(releases, shared.source, remarks)
        self._shared, self._connect, self._acceptances = shared, connect, acceptances
        self._extra: dict[tuple[str, ...], tuple[frozenset[ResourceId], Problems]] = {}
        self.cluster_versions: dict[str, object] = {}
        self.own_name = ""
        self.acceptable: set[str] = set()
        self.effective: set[str] = set()
        self.concerned: set[Acceptance] = set()
        self.matched: set[Acceptance] = set()

    def plan(self, options: PlanOptions, path: tuple[int, ...] | None, problems: Problems) -> PlanResult | None:
        """Return the plan of a cluster; ``None`` if there is an error, or no ``path``.

        The options are checked even without a path. Resources are looked up last, because an error makes them useless.
        """
        with problems.collect(CapabilityError), ExitStack() as stack:
            client = None
            if self._connect is not None and options.missing:
                client = stack.enter_context(closing(self._connect()))
            request = self._read(options, path, client, problems)
            if path is None:
                return None
            request, resolved = self._planner.resolve(request, problems)
            if problems.has_errors:
                return None
            request = self._signatures.add(request)
            if client is not None:
                from .live import read_live_state

                request = read_live_state(request, resolved, client, problems)
            request = self._with_acceptances(options, request, problems)
            if self._acceptances:
                self.acceptable |= acceptable_names(resolved.hops, request.state)
                self.effective |= effective_names(resolved.hops, request.state)
            return self._planner.plan(request, resolved)
        return None

    def _with_acceptances(self, options: PlanOptions, request: PlanRequest, problems: Problems) -> PlanRequest:
        own = (options.name,) if options.name else (self._shared.cluster_name, self.own_name)
        names = [name for name in own if name]
        accepted = acceptances_of(self._acceptances, names, problems)
        # A file of acceptances can also be about clusters that are planned one by one.
        self.concerned.update(self._acceptances if options.name else accepted)
        self.matched.update(accepted)
        return request._replace(state=request.state._replace(acceptances=accepted))

    def _read(
        self, options: PlanOptions, path: tuple[int, ...] | None, client: Client | None, problems: Problems
    ) -> PlanRequest:
        """Complete and check the options of a cluster, also with what it reports if there is a ``client``."""
        given = tuple(options.extra_manifests or ())
        if given not in self._extra:
            found = Problems()
            self._extra[given] = read_extra_manifests(given, "extra_manifests", found), found
        extra, found = self._extra[given]
        problems += [item for item in found if item.severity == "error"]
        options = _with_object(options)
        if client is not None:
            from .live import complete_options  # imports the client, which only plans with a cluster need

            options, self.own_name = complete_options(options, client, problems, is_strict=self._shared.is_strict)
        elif options.rule == "presence" and options.live_resources is None:
            message = "is presence, but the resources of the cluster are not known"
            hint = f"Set live_resources{'' if options.name else ' or connection options'}, or remove the option"
            problems.error("missing-option", "rule", message, hint)
        self.cluster_versions[options.name] = options.cluster_version
        return read_request(options, path or (), extra, problems)


def _with_object(options: PlanOptions) -> PlanOptions:
    """Return ``options`` with the ClusterVersion itself, if they have the path of its file, or a List of it alone."""
    if isinstance(options.cluster_version, str):
        file, option = options.cluster_version, "cluster_version"
        obj = read_object_file(file, option, "oc get clusterversion version -o yaml")
        options = options._replace(cluster_version=obj, location=location_of(file, option))
    items = mappings_in(nested(options.cluster_version, "items"))
    return options._replace(cluster_version=items[0]) if len(items) == 1 else options


def _known_names(releases: Iterable[PathRelease], results: Iterable[PlanResult]) -> set[str]:
    """Return every name that can be forbidden: the names of the minors, and the names in the plans."""
    minors = (capability_data.data_of(item.release.minor) for item in releases if item.release.minor is not None)
    known = {name for data in minors if data is not None for name in data.capabilities}
    hops = (hop for result in results for hop in result.plan.hops)
    return known.union(*(hop.before.known | hop.after.known | hop.newly_enabled for hop in hops))
