# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports who uses the APIs of capabilities, by the APIRequestCounts of a cluster, a file or a must-gather directory.

An API server before 4.18 counts requests of the last 24 hours per hour, node and client, also for APIs that do not
exist. It names only as many clients per hour and node as ``spec.numberOfUsersToReport``, and counts all requests.
Source: openshift/api:apiserver/v1/types_apirequestcount.go. The current hour is in ``last24h``, too.
"""

from __future__ import annotations

import glob
import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from .._capability.inclusion import InclusionContext
from .._capability.release_properties import read_minor_data
from .._data.aggregated_apis import AGGREGATED_APIS, OPERATOR_APIS
from .._data.api_clients import ADD_ON_NAMESPACES, COUNTS_ONLY_DEPRECATED, LISTING_CLIENTS, PERSONS
from .._data.version import find_minor
from .._files.files import absolute
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._problems import ClusterError, InvalidOptionError, Problem, Problems, did_you_mean, type_name
from .._release.release import Release
from .._resources import CLUSTER_VERSIONS, ApiResource, Target, as_list, mappings_in, nested
from .object_file import read_object_file

KIND = "APIRequestCount"
_OPTION = "request_counts"
_COMMAND = "oc get apirequestcounts,clusterversion -o json"
_OF_MUST_GATHER = (
    "**/cluster-scoped-resources/apiserver.openshift.io/apirequestcounts.yaml",
    "**/cluster-scoped-resources/apiserver.openshift.io/apirequestcounts/*.yaml",
    "**/requests/apirequestscounts.json",  # openshift/must-gather:collection-scripts/gather_apirequestcounts
    "**/cluster-scoped-resources/config.openshift.io/clusterversions.yaml",
    "**/cluster-scoped-resources/config.openshift.io/clusterversions/*.yaml",
)
ClientKind = Literal["yours", "openshift", "own", "lists_everything"]
CLIENT_KINDS: tuple[ClientKind, ...] = ("yours", "openshift", "own", "lists_everything")
"""All kinds, the one that matters most first."""
_ACCOUNT = "system:serviceaccount:"
_OPENSHIFT_NAMESPACES = ("openshift-", "kube-")
_COUNTS = Target(ApiResource("apiserver.openshift.io", "v1", "apirequestcounts", KIND))
_CLUSTER_VERSION = "ClusterVersion"
Api = tuple[str, str]
"""A resource, in plural, and its group."""


class ApiClient(NamedTuple):
    """A client as the API server names it."""

    username: str
    user_agent: str


class ApiRequests(NamedTuple):
    """The requests for one version of an API. ``verbs`` counts the requests of each client by verb.

    ``requests`` counts those of each client. ``unnamed`` are the requests of clients that are not named.
    """

    resource: str
    version: str
    group: str
    requests: Mapping[ApiClient, int]
    verbs: Mapping[ApiClient, Mapping[str, int]]
    unnamed: int

    @property
    def name(self) -> str:
        """The name of the object, such as ``builds.v1.build.openshift.io``."""
        return ".".join(filter(None, (self.resource, self.version, self.group)))


def read_objects(path: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a file, or what matters in a must-gather directory. Raises ``InvalidOptionError``."""
    path = absolute(path)
    if not os.path.isdir(path):
        yield from _read_file(path)
        return
    patterns = (os.path.join(glob.escape(path), pattern) for pattern in _OF_MUST_GATHER)
    files = sorted({file for pattern in patterns for file in glob.glob(pattern, recursive=True)})
    if not files:
        message = "contains no cluster-scoped-resources/apiserver.openshift.io, expected a must-gather directory"
        raise _error("no-request-counts", path, message, "Set the directory that oc adm must-gather wrote")
    for file in files:
        yield from _read_file(file)


def read_request_counts(objects: Iterable[Mapping[str, Any]], where: str, problems: Problems) -> list[ApiRequests]:
    """Read the APIRequestCounts among ``objects``. ``where`` names their source in problems."""
    found: dict[str, ApiRequests] = {}
    for obj in objects:
        if obj.get("kind") == KIND:
            name = nested(obj, "metadata", "name")
            resource, _dot, rest = name.partition(".") if isinstance(name, str) else ("", "", "")
            version, _dot, group = rest.partition(".")
            if not resource or not version:
                message = f"has the name {name!r}, expected RESOURCE.VERSION.GROUP"
                problems.error("invalid-name", f"{where}: {KIND}", message, "Save the objects again")
                continue
            if name in found:
                message = f"has {KIND} {name} twice, so requests would count twice"
                problems.error("duplicate-resource", where, message, "Set the directory of one must-gather")
                return []
            found[str(name)] = _read(obj, ApiRequests(resource, version, group, {}, {}, 0), where, problems)
    return list(found.values())


def _read(obj: Mapping[str, Any], api: ApiRequests, where: str, problems: Problems) -> ApiRequests:
    requests: Counter[ApiClient] = Counter()
    verbs: defaultdict[ApiClient, Counter[str]] = defaultdict(Counter)
    counted = 0
    location = f"{where}: {KIND} {api.name}"
    status: Mapping[str, Any] = next(iter(mappings_in([nested(obj, "status")])), {})
    for hour in mappings_in(status.get("last24h")) or mappings_in([status.get("currentHour")]):
        of_hour = 0
        for node in mappings_in(hour.get("byNode")):
            of_node = 0
            for user in mappings_in(node.get("byUser")):
                client = ApiClient(str(user.get("username") or ""), str(user.get("userAgent") or ""))
                count = _count(user, location, problems)
                requests[client] += count
                of_node += count
                for verb in mappings_in(user.get("byVerb")):
                    verbs[client][str(verb.get("verb"))] += _count(verb, location, problems)
            of_hour += max(of_node, _count(node, location, problems))
        counted += max(of_hour, _count(hour, location, problems))
    # A file that was cut has the sum, and not all hours.
    unnamed = max(counted, _count(status, location, problems)) - sum(requests.values())
    return api._replace(
        requests={client: count for client, count in requests.items() if count},
        verbs={client: dict(counts) for client, counts in verbs.items()},
        unnamed=unnamed,
    )


def _count(value: Mapping[str, Any], where: str, problems: Problems) -> int:
    count = value.get("requestCount", 0)
    if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
        return count
    shown = count if isinstance(count, int) else type_name(count)
    problems.error("invalid-count", where, f"has the requestCount {shown}, expected a number", "Save the objects again")
    return 0


def _read_file(path: str) -> list[Mapping[str, Any]]:
    value = read_object_file(path, _OPTION, _COMMAND)
    if not isinstance(value, Mapping):
        raise _error(
            "not-a-map", path, f"is {type_name(value)}, expected a list of objects", f"Save it with {_COMMAND}"
        )
    kind = value.get("kind")
    if "items" in value:
        single = kind.removesuffix("List") if isinstance(kind, str) else ""
        return [{**item, "kind": item.get("kind") or single} for item in mappings_in(value["items"])]
    return [value]


def _error(code: str, path: str, message: str, hint: str) -> InvalidOptionError:
    return InvalidOptionError([Problem("error", code, f"{_OPTION} ({path})", message, hint)])


class _Ownership(NamedTuple):
    """What belongs to each capability.

    ``apis`` maps an API to the capabilities without which it does not exist. ``accounts`` are those of a capability, by
    namespace and name: an empty name stands for all accounts of a namespace.
    """

    apis: Mapping[Api, frozenset[str]]
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
    if isinstance(source, str):
        where, objects = f"{_OPTION} ({source})", list(read_objects(source))
        hints = f"Save them with {_COMMAND}, as a user who may list them", "Add clusterversion to the objects"
    else:
        where, objects = "cluster", _live_objects(source)
        hints = "Wait until clients have sent requests", "Grant get on clusterversions"
    counts = read_request_counts(objects, where, problems)
    if not counts and not problems.has_errors:
        problems.error("no-request-counts", where, f"contains no {KIND}", hints[0])
    enabled = _enabled(objects)
    _check_version(objects, release, selected, where, problems)
    problems.raise_errors(InvalidOptionError)
    if not enabled:
        message = "no capabilities of a ClusterVersion can be read, so it is not known which APIs exist"
        problems.info("unknown-capabilities", where, message, hints[1])
    return _usage_of(counts, ownership, selected, enabled, problems)


def _check_version(
    objects: Iterable[Mapping[str, Any]], release: Release, selected: Iterable[str], where: str, problems: Problems
) -> None:
    """Report that the API server, by default that of ``release``, does not count the requests for these APIs.

    For a day after an update, some counts of the earlier version are still there. They lack the hours since then.
    """
    versions = (nested(obj, "status", "desired", "version") for obj in objects if obj.get("kind") == _CLUSTER_VERSION)
    minor = find_minor(next(versions, None)) or release.minor
    since = COUNTS_ONLY_DEPRECATED.since
    if minor is not None and minor >= since and not problems.has_errors:
        message = f"the API server of {minor} counts only requests for deprecated APIs, expected one before {since}; "
        message += f"nothing shows who uses {', '.join(sorted(selected))}"
        hint = "Search the audit logs: oc adm node-logs --role=master --path=kube-apiserver/"
        problems.error("no-request-counts", where, message, hint)


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
                accounts[capability].add((resource.name, ""))
            elif (resource.group, resource.kind) == ("", "ServiceAccount"):
                accounts[capability].add((resource.namespace, resource.name))
    for item in (*AGGREGATED_APIS, *OPERATOR_APIS):
        apis[item.resource, item.group].add(item.capability)
    return _Ownership(
        {api: frozenset(names) for api, names in apis.items() if names},
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


def _enabled(objects: list[Mapping[str, Any]]) -> dict[str, bool]:
    """Whether the cluster has enabled each name that it knows. Empty without a ClusterVersion.

    Of other names, it is not known whether their APIs exist: components can be older than their capability.
    """
    for obj in objects:
        if obj.get("kind") == _CLUSTER_VERSION:
            found = nested(obj, "status", "capabilities")
            known, enabled = (map(str, as_list(nested(found, f"{kind}Capabilities"))) for kind in ("known", "enabled"))
            return {**dict.fromkeys(known, False), **dict.fromkeys(enabled, True)}
    return {}


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
    enabled: Mapping[str, bool],
    problems: Problems,
) -> Usage:
    """Assign requests to the capabilities ``selected``. ``enabled``: as far as it is known."""
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
    capability: str, rows: Iterable[UsageRow], ownership: _Ownership, enabled: Mapping[str, bool], unnamed: int
) -> dict[str, Any]:
    """The requests for all APIs of a capability. ``enabled`` lacks it if it is not known whether they exist."""
    requests: dict[ClientKind, int] = dict.fromkeys(CLIENT_KINDS, 0)
    for row in rows:
        if row.capability == capability:
            requests[row.client] += row.requests
    return {
        "capability": capability,
        "enabled": enabled.get(capability),
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
    own = ownership.accounts.get(capability, frozenset())
    if any(_matches(namespace, item.namespace) and item.name in ("", name) for item in LISTING_CLIENTS):
        return "own" if (namespace, "") in own else "lists_everything"
    if not own.isdisjoint({(namespace, ""), (namespace, name)}):
        return "own"
    return "openshift" if namespace == "openshift" or namespace.startswith(_OPENSHIFT_NAMESPACES) else "yours"


def _matches(namespace: str, pattern: str) -> bool:
    return namespace.startswith(pattern) if pattern.endswith("-") else namespace == pattern
