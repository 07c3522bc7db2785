# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""APIRequestCount on a cluster that does not count: the definition, and objects filled from the audit log."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ansible_collections.capability.openshift.tests.control_plane.audit import Request
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import CRDS, established
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.builders.request_counts import Counted, hour, request_count

COUNTS = "/apis/apiserver.openshift.io/v1/apirequestcounts"
_PATH = re.compile(
    r"/apis/(?P<group>[^/?]+)/(?P<version>[^/?]+)/(?:namespaces/[^/?]+/)?(?P<resource>[^/?]+)(?:/[^/?]+)?(?:\?.*)?"
)
_WHOLE = {"type": "integer", "format": "int64", "minimum": 0}


def _list_of(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": fields}}


def definition() -> dict[str, Any]:
    """Return a CustomResourceDefinition with the fields that openshift/api:apiserver/v1 has."""
    verb = {"verb": {"type": "string"}, "requestCount": _WHOLE}
    text = {"type": "string"}
    user = {"username": text, "userAgent": text, "requestCount": _WHOLE, "byVerb": _list_of(verb)}
    node = {"nodeName": text, "requestCount": _WHOLE, "byUser": _list_of(user)}
    per_hour = {"byNode": _list_of(node), "requestCount": _WHOLE}
    status = {
        "conditions": {"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        "removedInRelease": {"type": "string", "maxLength": 64},
        "requestCount": _WHOLE,
        "currentHour": {"type": "object", "properties": per_hour},
        "last24h": {**_list_of(per_hour), "maxItems": 24},
    }
    spec = {"numberOfUsersToReport": {"type": "integer", "default": 10, "minimum": 0, "maximum": 100}}
    properties = {
        "spec": {"type": "object", "properties": spec},
        "status": {"type": "object", "properties": status},
    }
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": properties}},
    }
    names = {
        "kind": "APIRequestCount",
        "listKind": "APIRequestCountList",
        "plural": "apirequestcounts",
        "singular": "apirequestcount",
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "apirequestcounts.apiserver.openshift.io"},
        "spec": {"group": "apiserver.openshift.io", "scope": "Cluster", "names": names, "versions": [version]},
    }


def serve_counts(plane: ControlPlane) -> None:
    """Create the definition, and wait until the API server serves it."""
    crd = definition()
    plane.api.post(CRDS, crd)
    wait_for(lambda: crd["metadata"]["name"] in established(plane.api), "the kind to be served")
    wait_for(lambda: plane.api.exists(COUNTS), "the kind to be served")


def count(plane: ControlPlane, requests: Iterable[Request], *, named: int = 10) -> None:
    """Write what the API server of OpenShift would count for ``requests``, and name ``named`` clients of each API."""
    apis: defaultdict[str, defaultdict[tuple[str, str], defaultdict[str, int]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(int))
    )
    for request in requests:
        path = _PATH.fullmatch(request.uri)
        if path:
            name = f"{path['resource']}.{path['version']}.{path['group']}"
            apis[name][request.user, request.user_agent][request.verb] += 1
    for name, users in apis.items():
        clients = [Counted(user, dict(verbs), agent) for (user, agent), verbs in users.items()]
        clients.sort(key=lambda client: -sum(client.verbs.values()))
        unnamed = sum(sum(client.verbs.values()) for client in clients[named:])
        obj = request_count(name, hour(clients[:named], unnamed), named=named)
        plane.api.post(COUNTS, {**obj, "status": {}})
        plane.api.patch(f"{COUNTS}/{name}/status", {"status": obj["status"]})
