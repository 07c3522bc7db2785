# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A model of an API server, which answers the requests of a real ``Client``. The tests of clusters run on a real one.

It has discovery, selectors, pages, uids, resource versions, dry runs, merges, server-side apply, finalizers and missing
namespaces. It establishes each definition at once, and knows no conflicts of fields.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote

import urllib3

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CONFIG_MAPS,
    CUSTOM_RESOURCE_DEFINITIONS,
    NAMESPACES,
    ApiResource,
)

HOST = "https://api.example"
Object = dict[str, Any]


class Body(io.BytesIO):
    """Closes itself at its end, as the body of a real response does."""

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if not data:
            self.close()
        return data


class ApiServer:
    """Serves ``kinds``, namespaces, ConfigMaps and definitions. ``aggregated``: the version of its discovery that
    needs two requests, empty if it has none.

    ``objects`` are by path. ``events`` have a type, a path and an object. ``before`` is called before each request with
    its method and path. ``faults`` are answers of requests, by method and path: the status, and what ``fault`` returns.
    ``forbidden`` are verbs and resources that access reviews deny.
    """

    def __init__(self, *kinds: ApiResource, aggregated: str = "v2") -> None:
        self.kinds = [NAMESPACES, CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, *kinds]
        self.aggregated = aggregated
        self.accept = ""
        self.objects: dict[str, Object] = {}
        self.requests: list[str] = []
        self.events: list[tuple[str, str, Object]] = []
        self.before: Callable[[str, str], None] = lambda _method, _path: None
        self.faults: dict[tuple[str, str], list[tuple[int, Object]]] = {}
        self.forbidden: set[tuple[str, str]] = set()
        self.oldest = 0
        self._version = 100

    def forget(self) -> None:
        """Forget all events, as an API server does after some minutes."""
        self.events.clear()
        self.oldest = self._version

    def client(self) -> Client:
        """A client whose requests this server answers."""
        pool: Any = self
        return Client(HOST, pool, [], lambda: None, parallelism=1)

    def put(self, kind: ApiResource, name: str, namespace: str = "", **fields: Any) -> Object:
        """Store an object of another client. ``metadata`` among ``fields`` adds to its own."""
        metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **fields.pop("metadata", {})}
        obj = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **fields}
        return self._store(kind, kind.path(name, namespace), obj, "other", is_dry=False)

    def clear(self) -> None:
        """Close no connection, because there is none."""

    def request_encode_url(self, method: str, url: str, *, headers: Any, body: bytes | None, **_options: Any) -> Any:
        """Answer a request, as ``urllib3.PoolManager`` does."""
        path, _mark, query = url.removeprefix(HOST).partition("?")
        self.before(method, unquote(path))
        self.requests.append(f"{method} {unquote(path)}")
        self.accept = headers["Accept"]
        applies = "apply" in headers.get("Content-Type", "")
        document = json.loads(body or "{}")
        faults = self.faults.get((method, unquote(path)))
        if faults:
            status, answer = faults.pop(0)
        else:
            status, answer = self._answer(method, unquote(path), dict(parse_qsl(query)), document, applies=applies)
        if status < 300 and "PartialObjectMetadata" in self.accept:
            items = {"items": [{"metadata": item["metadata"]} for item in answer.get("items", ())]}
            answer = {**items, "metadata": answer["metadata"]}
        if "watch" in query and status < 300:
            lines = "".join(f"{json.dumps(event)}\n" for event in answer)
            return urllib3.HTTPResponse(Body(lines.encode()), status=status, preload_content=False)
        return urllib3.HTTPResponse(json.dumps(answer).encode(), status=status)

    def _answer(
        self, method: str, path: str, query: Mapping[str, str], body: Object, *, applies: bool
    ) -> tuple[int, Any]:
        if path.endswith("/selfsubjectaccessreviews"):
            asked = body["spec"]["resourceAttributes"]
            return 201, {
                "metadata": {},
                "status": {"allowed": (asked["verb"], asked["resource"]) not in self.forbidden},
            }
        found = next(((kind, *parts) for kind in self.kinds if (parts := _parts(kind, path))), None)
        if found is None:
            return self._discovery(path)
        kind, namespace, name, subresource = found
        if method == "GET" and "watch" in query:
            return 200, self._watch(kind, int(query["resourceVersion"]))
        if method == "GET" and not name:
            return 200, self._list(kind, query)
        name = name or body["metadata"]["name"]
        path, given = kind.path(name, namespace), body.get("metadata", {})
        old = self.objects.get(path)
        if old is None and not (applies or method == "POST"):
            return _missing(kind, name)
        if old is None and namespace and NAMESPACES.path(namespace) not in self.objects:
            return _missing(NAMESPACES, namespace)
        if method == "GET":
            return 200, old
        live = old["metadata"] if old else {}
        if {**given, **body.get("preconditions", {})}.get("uid", live.get("uid")) != live.get("uid"):
            return _status(409, "uid mismatch")
        if old and (
            method == "POST" or given.get("resourceVersion", live["resourceVersion"]) != live["resourceVersion"]
        ):
            return _status(409, "the object has been modified")
        is_dry = "dryRun" in query or "dryRun" in body
        if method == "DELETE":
            return 200, self._delete(path, is_dry=is_dry)
        new = _merged(old, {"status": body["status"]} if subresource else body)
        return 200 if old else 201, self._store(kind, path, new, query["fieldManager"], is_dry=is_dry)

    def _store(self, kind: ApiResource, path: str, new: Object, manager: str, *, is_dry: bool) -> Object:
        old = self.objects.get(path)
        self._version += 1
        before: Object = old["metadata"] if old else {"uid": f"uid-{self._version}", "generation": 0}
        others = [item for item in before.get("managedFields", ()) if item["manager"] != manager]
        own = {
            "manager": manager,
            "operation": "Apply",
            "fieldsV1": {f"f:{name}": {} for name in new if name != "status"},
        }
        metadata = {
            "managedFields": [*others, own],
            **{name: value for name, value in new["metadata"].items() if old is None or name != "managedFields"},
            "uid": before["uid"],
            "generation": before["generation"] + (new.get("spec") != (old or {}).get("spec")),
            "resourceVersion": before.get("resourceVersion"),
        }
        obj = {**new, "metadata": metadata}
        if kind == CUSTOM_RESOURCE_DEFINITIONS:
            obj["status"] = {"conditions": [{"type": "Established", "status": "True"}]}
        if obj == old:
            return obj
        metadata["resourceVersion"] = str(self._version)
        if not is_dry:
            self.objects[path] = obj
            self.events.append(("MODIFIED" if old else "ADDED", path, obj))
            self.kinds += _defined(obj["spec"]) if kind == CUSTOM_RESOURCE_DEFINITIONS else ()
        return obj

    def _delete(self, path: str, *, is_dry: bool) -> Object:
        self._version += 1
        obj = self.objects[path]
        if obj["metadata"].get("finalizers") and not is_dry:
            obj["metadata"]["deletionTimestamp"] = "2026-02-03T12:00:00Z"
        elif not is_dry:
            del self.objects[path]
            metadata = {**obj["metadata"], "resourceVersion": str(self._version)}
            self.events.append(("DELETED", path, {**obj, "metadata": metadata}))
        return obj

    def _watch(self, kind: ApiResource, version: int) -> list[Object]:
        """The later events, or an error if some of them are forgotten."""
        if version < self.oldest:
            return [{"type": "ERROR", "object": {"kind": "Status", "code": 410}}]
        later = [item for item in self.events if int(item[2]["metadata"]["resourceVersion"]) > version]
        return [{"type": type_, "object": obj} for type_, path, obj in later if _parts(kind, path)]

    def _list(self, kind: ApiResource, query: Mapping[str, str]) -> Object:
        label, _is, value = query.get("labelSelector", "").partition("=")
        name = query.get("fieldSelector", "").removeprefix("metadata.name=")
        found = [
            obj
            for path, obj in sorted(self.objects.items())
            if _parts(kind, path)
            and name in ("", obj["metadata"]["name"])
            and (not label or obj["metadata"].get("labels", {}).get(label) == value)
        ]
        first, end = int(query.get("continue", 0)), int(query.get("continue", 0)) + int(query["limit"])
        more = {"continue": str(end)} if len(found) > end else {}
        return {"items": found[first:end], "metadata": {"resourceVersion": str(self._version), **more}}

    def _discovery(self, path: str) -> tuple[int, Any]:
        groups: dict[str, dict[str, list[ApiResource]]] = {}
        for kind in self.kinds:
            groups.setdefault(kind.group, {}).setdefault(kind.version, []).append(kind)
        core, (_empty, root, *parts) = {"": groups.pop("")}, path.split("/")
        shown = core if root == "api" else groups
        if not parts:
            return 200, _aggregated(shown) if f"v={self.aggregated};" in self.accept else _listed(shown)
        group, version = ("", *parts)[-2:]
        kinds = shown.get(group, {}).get(version, [])
        resources = [{"name": kind.plural, "kind": kind.kind, "namespaced": kind.namespaced} for kind in kinds]
        subresources = [{**item, "name": f"{item['name']}/status", "namespaced": None} for item in resources]
        return (200, {"resources": [*subresources, *resources]}) if kinds else (404, "404 page not found")


Groups = Mapping[str, Mapping[str, list[ApiResource]]]


def _aggregated(groups: Groups) -> Object:
    def resource(kind: ApiResource) -> Object:
        scope = "Namespaced" if kind.namespaced else "Cluster"
        return {"resource": kind.plural, "responseKind": {"kind": kind.kind}, "scope": scope}

    def group(name: str, versions: Mapping[str, list[ApiResource]]) -> Object:
        shown = [{"version": version, "resources": list(map(resource, kinds))} for version, kinds in versions.items()]
        return {"metadata": {"name": name}, "versions": shown}

    return {"kind": "APIGroupDiscoveryList", "items": [group(name, versions) for name, versions in groups.items()]}


def _listed(groups: Groups) -> Object:
    if "" in groups:
        return {"kind": "APIVersions", "versions": list(groups[""])}
    versions = {name: [{"version": version} for version in found] for name, found in groups.items()}
    return {"kind": "APIGroupList", "groups": [{"name": name, "versions": found} for name, found in versions.items()]}


def _parts(kind: ApiResource, path: str) -> tuple[str, str, str] | None:
    """Namespace, name and subresource in a path of ``kind``; ``None`` if it is that of another kind."""
    base, namespace = kind.path().removesuffix(kind.plural), ""
    if not path.startswith(base):
        return None
    plural, *parts = path.removeprefix(base).split("/")
    if kind.namespaced and plural == "namespaces" and len(parts) > 1:
        namespace, plural, *parts = parts
    name, subresource = (*parts, "", "")[:2]
    return (namespace, name, subresource) if plural == kind.plural and subresource in ("", "status") else None


def _defined(spec: Mapping[str, Any]) -> list[ApiResource]:
    names, namespaced = spec["names"], spec["scope"] == "Namespaced"
    return [
        ApiResource(spec["group"], version["name"], names["plural"], names["kind"], namespaced)
        for version in spec["versions"]
    ]


def _status(code: int, message: str, name: str = "") -> tuple[int, Object]:
    return code, {"kind": "Status", "message": message, "details": {"name": name}}


def fault(code: int, message: str = "no", *causes: tuple[str, str, str]) -> tuple[int, Object]:
    """An answer of a server that refuses a request. ``causes`` have a reason, a field and a message."""
    found = [dict(zip(("reason", "field", "message"), cause, strict=True)) for cause in causes]
    return code, {"kind": "Status", "message": message, "details": {"causes": found}}


def _missing(kind: ApiResource, name: str) -> tuple[int, Object]:
    return _status(404, f'{kind.resource} "{name}" not found', name)


def _merged(old: Any, new: Any) -> Any:
    """A merge patch (RFC 7386)."""
    if not isinstance(new, dict):
        return new
    base = old if isinstance(old, dict) else {}
    kept = {name: value for name, value in base.items() if name not in new}
    return kept | {name: _merged(base.get(name), value) for name, value in new.items() if value is not None}
