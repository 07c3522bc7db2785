# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads APIRequestCount objects, also from a file or a must-gather directory.

The API server counts requests of the last 24 hours per hour, node and client, also for APIs that do not exist. It names
only as many clients per hour and node as ``spec.numberOfUsersToReport``, but counts the requests of all.
Source: openshift/api:apiserver/v1/types_apirequestcount.go. The current hour is in ``last24h``, too.
"""

from __future__ import annotations

import glob
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._files.files import absolute
from .._problems import InvalidOptionError, Problem, Problems, type_name
from .._resources import mappings_in, nested
from .object_file import read_object_file

KIND = "APIRequestCount"
_OPTION = "request_counts"
_COMMAND = "oc get apirequestcounts,clusterversion -o json"
_OF_MUST_GATHER = (
    "**/cluster-scoped-resources/apiserver.openshift.io/apirequestcounts.yaml",
    "**/cluster-scoped-resources/apiserver.openshift.io/apirequestcounts/*.yaml",
    "**/cluster-scoped-resources/config.openshift.io/clusterversions.yaml",
    "**/cluster-scoped-resources/config.openshift.io/clusterversions/*.yaml",
)


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
    found = []
    for obj in objects:
        if obj.get("kind") == KIND:
            name = nested(obj, "metadata", "name")
            resource, _dot, rest = name.partition(".") if isinstance(name, str) else ("", "", "")
            version, _dot, group = rest.partition(".")
            if not resource or not version:
                message = f"has the name {name!r}, expected RESOURCE.VERSION.GROUP"
                problems.error("invalid-name", f"{where}: {KIND}", message, "Save the objects again")
                continue
            found.append(_read(obj, ApiRequests(resource, version, group, {}, {}, 0), where, problems))
    return found


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
