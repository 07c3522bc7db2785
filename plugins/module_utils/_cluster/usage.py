# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports who uses the APIs of capabilities, from a cluster or from files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from .._capability.inclusion import InclusionContext
from .._capability.release_capabilities import read_minor_data
from .._data.aggregated_apis import AGGREGATED_APIS, OPERATOR_APIS
from .._data.api_clients import ADD_ON_NAMESPACES, LISTING_CLIENTS, PERSONS
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._problems import ClusterError, InvalidOptionError, Problem, Problems, did_you_mean
from .._release.release import Release
from .._resources import CLUSTER_VERSIONS, ApiResource, Target, nested
from .request_counts import KIND, ApiRequests, read_objects, read_request_counts

ClientKind = Literal["yours", "openshift", "own", "lists_everything"]

CLIENT_KINDS: tuple[ClientKind, ...] = ("yours", "openshift", "own", "lists_everything")
"""All kinds, the one that matters most first."""

_ACCOUNT = "system:serviceaccount:"
_OPENSHIFT_NAMESPACES = ("openshift-", "kube-")
_COUNTS = Target(ApiResource("apiserver.openshift.io", "v1", "apirequestcounts", KIND))
_CLUSTER_VERSION = "ClusterVersion"
_OPTION = "request_counts"


Api = tuple[str, str]
"""A resource, in plural, and its group."""


class _Ownership(NamedTuple):
    """What belongs to each capability.

    ``apis`` maps an API to the capabilities without which it does not exist. ``namespaces`` and ``accounts`` (namespace
    and name) are those of a capability.
    """

    apis: Mapping[Api, frozenset[str]]
    namespaces: Mapping[str, frozenset[str]]
    accounts: Mapping[str, frozenset[tuple[str, str]]]

    @property
    def capabilities(self) -> frozenset[str]:
        """The capabilities that have APIs."""
        return frozenset(name for names in self.apis.values() for name in names)


class UsageRow(NamedTuple):
    """The requests of one client for one version of an API of a capability."""

    capability: str
    client: ClientKind
    username: str
    user_agent: str
    api: str
    requests: int
    verbs: Mapping[str, int]


class Usage(NamedTuple):
    """``capabilities`` of the result, by name, and all rows: the user's clients first, then by number of requests."""

    capabilities: list[dict[str, Any]]
    rows: tuple[UsageRow, ...]


def capability_usage(
    release: Release, capability_names: Collection[str] | None, source: Client | str, problems: Problems
) -> Usage:
    """Read the requests and assign them to capabilities: from a cluster, a file or a directory.

    Raises ``CapabilityError``.
    """
    ownership = _ownership_of(release)
    selected = _selected_capabilities(capability_names, ownership)
    if capability_names is None:
        _report_uncovered(release, ownership, problems)
    where = source if isinstance(source, str) else "cluster"
    objects = list(read_objects(source)) if isinstance(source, str) else _live_objects(source)
    counts = read_request_counts(objects, where, problems)
    if not counts and not problems.has_errors:
        message = f"{where} contains no {KIND}"
        hint = "Save them with oc get apirequestcounts,clusterversion -o json, as a user who may list them"
        problems.error("no-request-counts", _OPTION, message, hint)
    problems.raise_errors(InvalidOptionError)
    enabled = _enabled(objects)
    if enabled is None:
        message = "contains no ClusterVersion, so it is not known which APIs exist"
        problems.info("unknown-capabilities", where, message, "Add clusterversion to the objects")
    return _usage_of(counts, ownership, selected, enabled, problems)


def _report_uncovered(release: Release, ownership: _Ownership, problems: Problems) -> None:
    """Report the capabilities of ``release`` whose use no request shows."""
    minor = release.minor
    data = None if minor is None else read_minor_data(release, minor, InclusionContext(), Problems())
    names = sorted(data.capabilities - ownership.capabilities) if data is not None else []
    if names:
        message = f"no API exists only with {', '.join(names)}, so no request shows whether they are used"
        problems.info("uncovered-capabilities", "", message, "Read what a cluster lacks without them")


def _ownership_of(release: Release) -> _Ownership:
    """What the manifests of ``release`` assign to capabilities, for all cluster profiles and feature sets."""
    apis: defaultdict[Api, set[str]] = defaultdict(set)
    namespaces: defaultdict[str, set[str]] = defaultdict(set)
    accounts: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for manifest in release.manifests:
        resource = manifest.resource_id
        if manifest.deletes:
            continue
        if resource.kind == "CustomResourceDefinition":
            plural, _dot, group = resource.name.partition(".")
            apis[plural, group].update(manifest.capabilities)
        for capability in manifest.capabilities:
            if (resource.group, resource.kind) == ("", "Namespace"):
                namespaces[capability].add(resource.name)
            elif (resource.group, resource.kind) == ("", "ServiceAccount"):
                accounts[capability].add((resource.namespace, resource.name))
    for item in (*AGGREGATED_APIS, *OPERATOR_APIS):
        apis[item.resource, item.group].add(item.capability)
    return _Ownership(
        {api: frozenset(names) for api, names in apis.items() if names},
        {name: frozenset(items) for name, items in namespaces.items()},
        {name: frozenset(items) for name, items in accounts.items()},
    )


def _live_objects(client: Client) -> list[Mapping[str, Any]]:
    """The APIRequestCounts of a cluster, and its ClusterVersion if it can be read."""
    try:
        objects: list[Mapping[str, Any]] = [{**item, "kind": KIND} for item in client.list(_COUNTS)]
    except ApiError as error:
        if not error.is_not_found:
            raise
        message = f"{client.host} does not serve {KIND}: it is not the API server of an OpenShift cluster"
        problem = Problem("error", "no-request-counts", KIND, message, "Check the address, or set request_counts")
        raise ClusterError([problem]) from None
    try:
        found = client.find(Target(CLUSTER_VERSIONS, "version"))
    except ApiError:
        found = None  # it only shows which APIs exist
    return [*objects, {**found, "kind": _CLUSTER_VERSION}] if found is not None else objects


def _enabled(objects: list[Mapping[str, Any]]) -> frozenset[str] | None:
    for obj in objects:
        names = nested(obj, "status", "capabilities", "enabledCapabilities")
        if obj.get("kind") == _CLUSTER_VERSION and isinstance(names, list):
            return frozenset(name for name in names if isinstance(name, str))
    return None


def _selected_capabilities(names: Collection[str] | None, ownership: _Ownership) -> frozenset[str]:
    """The capabilities to report. Raises ``InvalidOptionError`` for a name that has no APIs in the release."""
    if names is None:
        return ownership.capabilities
    problems = Problems()
    for index, name in enumerate(names):
        if name not in ownership.capabilities:
            hint = did_you_mean(name, ownership.capabilities)
            message = f"no API of {name} is known in this release, so requests do not show whether it is used"
            problems.error("no-apis", f"capability_names[{index}]", message, hint)
    problems.raise_errors(InvalidOptionError)
    return frozenset(names)


def _usage_of(
    counts: Iterable[ApiRequests],
    ownership: _Ownership,
    selected: frozenset[str],
    enabled: frozenset[str] | None,
    problems: Problems,
) -> Usage:
    """Assign requests to the capabilities ``selected``. ``enabled`` is ``None`` if it is not known."""
    rows: list[UsageRow] = []
    unnamed: Counter[str] = Counter()
    for api in counts:
        for capability in ownership.apis.get((api.resource, api.group), frozenset()) & selected:
            unnamed[capability] += api.unnamed
            for client, number in api.requests.items():
                kind = _client_kind(client.username, capability, ownership)
                verbs = api.verbs.get(client, {})
                rows.append(UsageRow(capability, kind, *client, api.name, number, verbs))
    for capability, number in sorted(unnamed.items()):
        if number:
            message = f"requests of clients that the API server does not name: {number}"
            hint = "Raise spec.numberOfUsersToReport of the APIRequestCounts, and wait for a day"
            problems.warning("unnamed-clients", capability, message, hint)
    ordered = sorted(rows, key=lambda row: (row.capability, CLIENT_KINDS.index(row.client), -row.requests, row[2:5]))
    summaries = [_summary(name, ordered, ownership, enabled, unnamed[name]) for name in sorted(selected)]
    return Usage(summaries, tuple(ordered))


def _summary(
    capability: str, rows: Iterable[UsageRow], ownership: _Ownership, enabled: frozenset[str] | None, unnamed: int
) -> dict[str, Any]:
    """The requests for all APIs of a capability. It is not known whether they exist if ``enabled`` is ``None``."""
    requests: dict[ClientKind, int] = dict.fromkeys(CLIENT_KINDS, 0)
    for row in rows:
        if row.capability == capability:
            requests[row.client] += row.requests
    return {
        "capability": capability,
        "enabled": None if enabled is None else capability in enabled,
        "apis": sorted(".".join(api) for api, names in ownership.apis.items() if capability in names),
        "requests": requests,
        "unnamed": unnamed,
    }


def _client_kind(username: str, capability: str, ownership: _Ownership) -> ClientKind:
    """The kind of the client ``username`` of an API of ``capability``."""
    if not username.startswith(_ACCOUNT):
        return "openshift" if username.startswith("system:") and username not in PERSONS else "yours"
    namespace, _colon, name = username.removeprefix(_ACCOUNT).partition(":")
    if namespace in ADD_ON_NAMESPACES:
        return "yours"
    if any(_matches(namespace, item.namespace) and item.name in ("", name) for item in LISTING_CLIENTS):
        return "own" if namespace in ownership.namespaces.get(capability, ()) else "lists_everything"
    if namespace in ownership.namespaces.get(capability, ()):
        return "own"
    if (namespace, name) in ownership.accounts.get(capability, ()):
        return "own"
    return "openshift" if namespace == "openshift" or namespace.startswith(_OPENSHIFT_NAMESPACES) else "yours"


def _matches(namespace: str, pattern: str) -> bool:
    return namespace.startswith(pattern) if pattern.endswith("-") else namespace == pattern
