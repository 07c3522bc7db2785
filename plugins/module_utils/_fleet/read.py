# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads the capabilities of a fleet: from its clusters at the same time, or from ClusterVersion objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any, NamedTuple

from .._cluster.capabilities import CapabilityReading, capabilities_dict, read_capabilities
from .._cluster.cluster_version import parse_cluster_version
from .._data import capabilities as capability_data
from .._kubernetes.connection import connect_with
from .._problems import CapabilityError, Location, Problem, Problems, of_clusters
from .._progress import Progress
from .._version import find_minor
from .table import FleetRow

_PARALLEL_CLUSTERS = 16
SELECTING_OPTIONS = ("kubeconfig", "context", "host")
"""The options that select a cluster."""

Read = Callable[[], Mapping[str, Any]]


class FleetEntry(NamedTuple):
    """A cluster to read: with its own ``connection`` options, or a ClusterVersion object, or the path of its file."""

    name: str
    group: str
    cluster_version: object
    connection: Mapping[str, Any]

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> FleetEntry:
        """The cluster of an entry. What is neither of the other three fields is a connection option."""
        own = {option: value for option, value in params.items() if value is not None}
        name, group, version = (own.pop(option, None) for option in ("name", "group", "cluster_version"))
        return cls(name or "", group or "", version, own)


def read_fleet(
    clusters: Sequence[FleetEntry],
    common: Mapping[str, Any],
    read_file: Callable[[str], Any],
    progress: Progress,
    problems: Problems,
) -> list[FleetRow]:
    """Read all clusters, 16 at the same time. ``common`` has the connection options that a cluster does not set.

    ``read_file`` returns the content of a file with a ClusterVersion, and raises ``CapabilityError``. An invalid
    cluster is an error, and nothing is read. A cluster that cannot be read is a row and a warning.
    """
    for index, cluster in enumerate(clusters):
        _check_cluster(cluster, f"clusters[{index}]", problems)
    for name, number in Counter(cluster.name for cluster in clusters).items():
        if number > 1:
            problems.error("duplicate-name", "clusters", f"{name!r} is the name of several", "Use unique names")
    if not clusters:
        problems.error("empty-list", "clusters", "is empty", "Add a cluster, or remove the option")
    if problems.has_errors:
        return []
    # Connecting is not safe in threads, because the library kubernetes has global state. Requests are.
    reads = [_prepare(cluster, common, read_file) for cluster in clusters]
    done = count(1)

    def attempt(read: Read) -> tuple[Mapping[str, Any] | None, tuple[Problem, ...]]:
        result = _attempt(read)
        progress(f"{next(done)} of {len(reads)} clusters")
        return result

    progress(f"0 of {len(reads)} clusters")
    with ThreadPoolExecutor(_PARALLEL_CLUSTERS) as threads:
        results = list(threads.map(attempt, reads))
    progress("")
    rows: list[FleetRow] = []
    for cluster, (capabilities, found) in zip(clusters, results, strict=True):
        shown = (problem._replace(severity="warning") for problem in found if problem.severity != "info")
        problems += [of_clusters(problem, [cluster.name]) for problem in shown]
        errors = tuple(str(problem) for problem in found if problem.severity == "error")
        rows.append(FleetRow(cluster.name, cluster.group, capabilities, errors))
    return rows


def _check_cluster(cluster: FleetEntry, where: str, problems: Problems) -> None:
    if not cluster.name:
        problems.error("missing-field", f"{where}.name", "is empty", "Set a name for each cluster")
    selected = any(cluster.connection.get(option) for option in SELECTING_OPTIONS)
    if cluster.cluster_version is not None and selected:
        message = "cannot be combined with options that select a cluster"
        problems.error("conflicting-options", f"{where}.cluster_version", message, "Keep one of them")
    elif cluster.cluster_version is None and not selected:
        message = "selects no cluster"
        hint = "Set kubeconfig, context or host, or set cluster_version"
        problems.error("missing-field", where, message, hint)


def _prepare(cluster: FleetEntry, common: Mapping[str, Any], read_file: Callable[[str], Any]) -> Read:
    version = cluster.cluster_version
    if version is not None:
        return lambda: _offline(read_file(version) if isinstance(version, str) else version)
    try:
        client = connect_with({**common, **cluster.connection})
    except CapabilityError as error:
        return _raising(error)

    def read() -> Mapping[str, Any]:
        try:
            return capabilities_dict(read_capabilities(client))
        finally:
            client.close()

    return read


def _raising(error: CapabilityError) -> Read:
    def read() -> Mapping[str, Any]:
        raise error

    return read


def _offline(obj: object) -> Mapping[str, Any]:
    """Return the capabilities of a ClusterVersion object. Raises ``CapabilityError``."""
    problems = Problems()
    cluster = parse_cluster_version(obj, Location(field="cluster_version"), problems, strict=False)
    if cluster is None or not isinstance(obj, Mapping):
        raise CapabilityError(problems)
    minor = find_minor(cluster.version)
    data = None if minor is None else capability_data.data_of(minor)
    if data is None or not cluster.known <= data.capabilities:
        names = cluster.known or (data.capabilities if data else frozenset())
        newest = minor or capability_data.newest_minor()
        data = capability_data.data_from_names(newest, names, "status.capabilities.knownCapabilities")
    return capabilities_dict(CapabilityReading(obj, cluster, data, ()))


def _attempt(read: Read) -> tuple[Mapping[str, Any] | None, tuple[Problem, ...]]:
    try:
        return read(), ()
    except CapabilityError as error:
        return None, error.problems
