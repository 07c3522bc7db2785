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
from ansible_collections.capability.openshift.tests.control_plane.openshift import define
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.builders.request_counts import Counted, hour, request_count

COUNTS = "/apis/apiserver.openshift.io/v1/apirequestcounts"
_PATH = re.compile(
    r"/apis/(?P<group>[^/?]+)/(?P<version>[^/?]+)/(?:namespaces/[^/?]+/)?(?P<resource>[^/?]+)(?:/[^/?]+)?(?:\?.*)?"
)
_WHOLE = {"type": "integer", "format": "int64", "minimum": 0}


def _map(required: list[str], **fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, **({"required": required} if required else {})}


def _list(item: dict[str, Any], most: int | None = None) -> dict[str, Any]:
    return {"type": "array", "items": item, **({"maxItems": most} if most else {})}


def _text(most: int, **more: Any) -> dict[str, Any]:
    return {"type": "string", "maxLength": most, **more}


def _condition() -> dict[str, Any]:
    kind = (
        r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
        r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
    )
    return _map(
        ["lastTransitionTime", "message", "reason", "status", "type"],
        lastTransitionTime={"type": "string", "format": "date-time"},
        message=_text(32768),
        observedGeneration=_WHOLE,
        reason=_text(1024, minLength=1, pattern="^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"),
        status={"type": "string", "enum": ["True", "False", "Unknown"]},
        type=_text(316, pattern=kind),
    )


def definition() -> dict[str, Any]:
    """Return a CustomResourceDefinition that accepts and rejects what the one of openshift/api does.

    Source: openshift/api:apiserver/v1/zz_generated.crd-manifests/kube-apiserver_apirequestcounts.crd.yaml.
    """
    verb = _map(["requestCount", "verb"], requestCount=_WHOLE, verb=_text(20))
    user = _map(
        ["requestCount"], byVerb=_list(verb, 10), requestCount=_WHOLE, userAgent=_text(1024), username=_text(512)
    )
    node = _map(
        ["nodeName", "requestCount"], byUser=_list(user, 500), nodeName=_text(512, minLength=1), requestCount=_WHOLE
    )
    per_hour = _map(["requestCount"], byNode=_list(node, 512), requestCount=_WHOLE)
    status = {
        "conditions": _list(_condition()),
        "currentHour": per_hour,
        "last24h": _list(per_hour, 24),
        "removedInRelease": _text(64, minLength=0, pattern="^[0-9][0-9]*\\.[0-9][0-9]*$"),
        "requestCount": _WHOLE,
    }
    spec = {"numberOfUsersToReport": {"type": "integer", "default": 10, "minimum": 0, "maximum": 100}}
    properties = {"spec": _map([], **spec), "status": _map(["requestCount"], **status)}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": _map(["spec"], **properties)},
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
    define(plane.api, [definition()])
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
