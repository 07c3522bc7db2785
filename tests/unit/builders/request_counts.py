# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""APIRequestCount objects, as the API server of OpenShift writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

HOURS = 24


class Counted(NamedTuple):
    """Requests of a client, by verb."""

    username: str
    verbs: Mapping[str, int]
    user_agent: str = "oc/4.20"


def user(client: Counted) -> dict[str, Any]:
    """Return the entry of a client."""
    by_verb = [{"verb": verb, "requestCount": count} for verb, count in client.verbs.items()]
    return {
        "username": client.username,
        "userAgent": client.user_agent,
        "requestCount": sum(client.verbs.values()),
        "byVerb": by_verb,
    }


def hour(clients: Iterable[Counted], unnamed: int = 0, node: str = "master-0") -> dict[str, Any]:
    """Return an hour with one node. ``unnamed``: requests of clients that are not named."""
    users = [user(client) for client in clients]
    total = sum(item["requestCount"] for item in users) + unnamed
    return {"requestCount": total, "byNode": [{"nodeName": node, "requestCount": total, "byUser": users}]}


def request_count(name: str, *hours: Mapping[str, Any], named: int = 10) -> dict[str, Any]:
    """Return an APIRequestCount. The other hours are empty, and the last one is also the current one."""
    last = [*hours, *({"requestCount": 0} for _number in range(HOURS - len(hours)))]
    status = {
        "last24h": last,
        "currentHour": hours[-1] if hours else {"requestCount": 0},
        "requestCount": sum(item["requestCount"] for item in last if isinstance(item["requestCount"], int)),
    }
    return {
        "apiVersion": "apiserver.openshift.io/v1",
        "kind": "APIRequestCount",
        "metadata": {"name": name},
        "spec": {"numberOfUsersToReport": named},
        "status": status,
    }


def cluster_version(*enabled: str) -> dict[str, Any]:
    """Return a ClusterVersion of 4.14 that has enabled these capabilities."""
    known = ["Build", "CSISnapshot", "Console", "DeploymentConfig", "ImageRegistry", "Insights", "MachineAPI"]
    known += ["NodeTuning", "Storage", "baremetal", "marketplace", "openshift-samples"]
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "status": {
            "desired": {"version": "4.14.9"},
            "capabilities": {"enabledCapabilities": list(enabled), "knownCapabilities": known},
        },
    }
