# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads APIRequestCount objects.

The API server counts requests of the last 24 hours per hour, node and client, also for APIs that do not exist. It names
only as many clients per hour and node as ``spec.numberOfUsersToReport``, but counts the requests of all.
Source: openshift/api:apiserver/v1/types_apirequestcount.go. The current hour is in ``last24h``, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._problems import Problems, type_name
from .._unstructured import mappings_in, nested

KIND = "APIRequestCount"


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
    unnamed = 0
    location = f"{where}: {KIND} {api.name}"
    hours = mappings_in(nested(obj, "status", "last24h")) or mappings_in([nested(obj, "status", "currentHour")])
    for hour in hours:
        hour_total = 0
        for node in mappings_in(hour.get("byNode")):
            node_total = 0
            for user in mappings_in(node.get("byUser")):
                client = ApiClient(str(user.get("username") or ""), str(user.get("userAgent") or ""))
                count = _count(user, location, problems)
                requests[client] += count
                node_total += count
                for verb in mappings_in(user.get("byVerb")):
                    verbs[client][str(verb.get("verb"))] += _count(verb, location, problems)
            total = max(node_total, _count(node, location, problems))
            unnamed += total - node_total
            hour_total += total
        unnamed += max(0, _count(hour, location, problems) - hour_total)
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
