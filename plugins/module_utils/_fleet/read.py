# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads the capabilities of a fleet: from its clusters at the same time, or from ClusterVersion objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from .._cluster.capabilities import CapabilityReading, capabilities_dict, read_capabilities
from .._cluster.cluster_version import parse_cluster_version
from .._data import capabilities as capability_data
from .._kubernetes.client import Client
from .._problems import CapabilityError, Location, Problem, Problems, check_string, did_you_mean, of_clusters, type_name
from .._version import find_minor
from .table import FleetRow

_PARALLEL_CLUSTERS = 16
_OWN_FIELDS = ("name", "group", "cluster_version")
SELECTING_OPTIONS = ("kubeconfig", "context", "host")
"""The options that select a cluster."""

Read = Callable[[], Mapping[str, Any]]


class FleetSources(NamedTuple):
    """How the clusters of a fleet are read. Each function raises ``CapabilityError``.

    ``connect`` returns a client for connection options. ``read_file`` returns the content of a file with a
    ClusterVersion. ``options`` are the names of the connection options.
    """

    connect: Callable[[Mapping[str, Any]], Client]
    read_file: Callable[[str], Any]
    options: Iterable[str]


def read_fleet(
    entries: Sequence[Any], common: Mapping[str, Any], sources: FleetSources, problems: Problems
) -> list[FleetRow]:
    """Read all clusters, 16 at the same time. ``common`` has the connection options that an entry does not set.

    An invalid entry is an error, and nothing is read. A cluster that cannot be read is a row and a warning.
    """
    checked = [_check_entry(entry, f"clusters[{at}]", sources, problems) for at, entry in enumerate(entries)]
    names = [entry["name"] for entry in checked if entry is not None]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        problems.error("duplicate-name", "clusters", f"{name!r} is the name of several", "Use unique names")
    if not entries:
        problems.error("empty-list", "clusters", "is empty", "Add a cluster, or remove the option")
    if problems.has_errors:
        return []
    fleet = [entry for entry in checked if entry is not None]
    # Connecting is not safe in threads, because the library kubernetes has global state. Requests are.
    reads = [_prepare(entry, common, sources) for entry in fleet]
    with ThreadPoolExecutor(_PARALLEL_CLUSTERS) as threads:
        results = list(threads.map(_attempt, reads))
    rows: list[FleetRow] = []
    for entry, (capabilities, found) in zip(fleet, results, strict=True):
        name = entry["name"]
        shown = (problem._replace(severity="warning") for problem in found if problem.severity != "info")
        problems += [of_clusters(problem, [name]) for problem in shown]
        errors = tuple(str(problem) for problem in found if problem.severity == "error")
        rows.append(FleetRow(name, entry.get("group") or "", capabilities, errors))
    return rows


def _check_entry(entry: object, where: str, sources: FleetSources, problems: Problems) -> Mapping[str, Any] | None:
    # No message contains a value, because it can be a credential.
    if not isinstance(entry, Mapping):
        problems.error("not-a-map", where, f"is {type_name(entry)}, expected a dict with a name", "Write it as a dict")
        return None
    count, fields = len(problems), (*_OWN_FIELDS, *sources.options)
    for field in entry:
        if field not in fields:
            problems.error(
                "unknown-field", f"{where}.{field}", "is not a field of a cluster", did_you_mean(field, fields)
            )
    if not entry.get("name"):
        problems.error("missing-field", f"{where}.name", "is missing", "Set a name for each cluster")
    for field in ("name", "group"):
        if entry.get(field) is not None:
            check_string(f"{where}.{field}", entry[field], problems)
    selected = any(entry.get(field) for field in SELECTING_OPTIONS)
    if entry.get("cluster_version") is not None and selected:
        message = "cannot be combined with options that select a cluster"
        problems.error("conflicting-options", f"{where}.cluster_version", message, "Keep one of them")
    elif entry.get("cluster_version") is None and not selected:
        message = "selects no cluster"
        hint = "Set kubeconfig, context or host, or set cluster_version"
        problems.error("missing-field", where, message, hint)
    return entry if len(problems) == count else None


def _prepare(entry: Mapping[str, Any], common: Mapping[str, Any], sources: FleetSources) -> Read:
    version = entry.get("cluster_version")
    if version is not None:
        return lambda: _offline(sources.read_file(version) if isinstance(version, str) else version)
    own = {option: value for option, value in entry.items() if option not in _OWN_FIELDS}
    try:
        client = sources.connect({**common, **own})
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
