# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kinds that a server serves, and their paths, for threads that also create CustomResourceDefinitions.

Kubernetes 1.26 and later need two requests (aggregated discovery, API group ``apidiscovery.k8s.io``). Earlier servers
answer these requests with lists of groups, so each version of a group that is looked up needs one more request.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any

from .._resources import ApiResource, mappings_in, nested
from .api_errors import ApiError
from .client import Client

_FRESH_SECONDS = 5.0
"""The longest time an API server needs to use a new or changed CustomResourceDefinition."""


_AGGREGATED = "APIGroupDiscoveryList"
_ACCEPT = ",".join(
    [
        *(f"application/json;g=apidiscovery.k8s.io;v={version};as={_AGGREGATED}" for version in ("v2", "v2beta1")),
        "application/json",
    ]
)


class RestMapper:
    """The kinds that a server serves, read on first use. Thread-safe. Methods raise ``ClusterError`` if that fails."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._groups: dict[str, list[GroupVersion]] | None = None
        self._learned: dict[tuple[str, str], dict[str, ApiResource]] = {}
        self._new: set[ApiResource] = set()
        self._changed: set[ApiResource] = set()
        self._learned_at: dict[ApiResource, float] = {}
        self._lock = Lock()

    def find(self, group: str, kind: str, version: str = "") -> ApiResource | None:
        """Return a kind in ``version``, by default in the preferred one of the versions that have it.

        ``None`` if it is not served, or not known at the moment (see ``unknown``).
        """
        with self._lock:
            learnt = self._learned.get((group, kind), {})
            if learnt and version in ("", *learnt):
                return learnt[version or next(iter(learnt))]
            found = (served.kinds.get(kind) for served in self._versions(group) if version in ("", served.name))
            return next(filter(None, found), None)

    def serves(self, definition: str) -> bool:
        """Whether the kind of the CustomResourceDefinition ``definition`` is served in any version."""
        with self._lock:
            kinds = [served for learnt in self._learned.values() for served in learnt.values()]
            for version in self._versions(definition.partition(".")[2]):
                kinds += version.kinds.values()
            return any(served.resource == definition for served in kinds)

    def unknown(self, group: str) -> bool:
        """Whether a group can serve more kinds than are known, because its aggregated API server is down."""
        with self._lock:
            return any(version.stale for version in self._versions(group))

    def is_new(self, served: ApiResource) -> bool:
        """Whether a kind was added during this run. The server can need a moment until it serves its path."""
        return served in self._new

    def is_fresh(self, served: ApiResource) -> bool:
        """Whether the definition of a kind is so new, or so newly changed, that the server may not use it yet."""
        learnt = self._learned_at.get(served)
        return learnt is not None and time.monotonic() - learnt < _FRESH_SECONDS

    def is_changing(self, served: ApiResource) -> bool:
        """Whether this run changed the definition of a kind, and the server may still check by the previous one."""
        return served in self._changed and self.is_fresh(served)

    def learn(self, crd: Mapping[str, Any], *, new: bool, changed: bool = False) -> None:
        """Add the kinds of a CustomResourceDefinition, because discovery lags if many definitions are created.

        ``new``: the definition did not exist before this run. ``changed``: this run changed its spec.
        """
        spec = crd["spec"]
        namespaced = spec["scope"] == "Namespaced"
        for version in mappings_in(spec.get("versions")):
            if version.get("served"):
                plural, kind = nested(spec, "names", "plural"), nested(spec, "names", "kind")
                served = ApiResource(spec["group"], version["name"], plural, kind, namespaced)
                with self._lock:
                    self._learned.setdefault(served.group_kind, {})[served.version] = served
                    self._new |= {served} if new else set()
                    self._changed |= {served} if changed else set()
                    self._learned_at[served] = time.monotonic()

    def reload(self) -> None:
        """Run discovery again, after CustomResourceDefinitions changed. If it fails, the previous result stays."""
        with self._lock:
            self._groups = read_groups(self._client)

    def _versions(self, group: str) -> Iterator[GroupVersion]:
        if self._groups is None:
            self._groups = read_groups(self._client)
        for version in self._groups.get(group, ()):
            version.read(self._client)
            yield version


def read_groups(client: Client) -> dict[str, list[GroupVersion]]:
    """Read the groups of a server by name, the preferred version of each first. Raises ``ClusterError``."""
    return {**_groups_of(_document(client, "/api")), **_groups_of(_document(client, "/apis"))}


def _document(client: Client, path: str) -> Mapping[str, Any]:
    try:
        return client.document(path, _ACCEPT)
    except ApiError as error:
        if not error.is_not_found:
            raise
        raise client.no_api_error("get", path) from None  # Each API server has these paths, proxies do not.


class GroupVersion:
    """A version of a group. ``kinds`` is empty before ``read``. ``stale``: its API server does not answer."""

    def __init__(
        self, group: str, name: str, kinds: Mapping[str, ApiResource] | None = None, *, stale: bool = False
    ) -> None:
        self._group, self.name = group, name
        self._was_read = kinds is not None
        self.kinds = kinds or {}
        self.stale = stale

    def read(self, client: Client) -> None:
        """Request the kinds, unless they are known already."""
        if self._was_read:
            return
        path = f"/apis/{self._group}/{self.name}" if self._group else f"/api/{self.name}"
        try:
            resources = client.document(path).get("resources") or ()
        except ApiError as error:
            if not (error.is_not_found or error.is_service_unavailable):
                raise
            resources, self.stale = (), error.is_service_unavailable
        # The list also has subresources.
        plain = [item for item in resources if "/" not in item["name"]]
        self.kinds = _by_kind(
            ApiResource(self._group, self.name, item["name"], item["kind"], item["namespaced"]) for item in plain
        )
        self._was_read = True


def _groups_of(document: Mapping[str, Any]) -> dict[str, list[GroupVersion]]:
    """The groups of a discovery document by name, the preferred version of each first."""
    if document.get("kind") == _AGGREGATED:
        groups: dict[str, list[GroupVersion]] = {}
        for item in document.get("items") or ():
            name = (item.get("metadata") or {}).get("name") or ""
            groups[name] = [_aggregated_version(name, version) for version in item.get("versions") or ()]
        return groups
    if "groups" not in document:  # APIVersions: the core group at /api
        return {"": [GroupVersion("", name) for name in document.get("versions") or ()]}
    return {group["name"]: _listed_versions(group) for group in document["groups"] or ()}


def _listed_versions(group: Mapping[str, Any]) -> list[GroupVersion]:
    names = [version["version"] for version in group.get("versions") or ()]
    preferred = (group.get("preferredVersion") or {}).get("version")
    return [GroupVersion(group["name"], name) for name in sorted(names, key=lambda name: name != preferred)]


def _aggregated_version(group: str, version: Mapping[str, Any]) -> GroupVersion:
    name = version["version"]
    # A resource without a kind exists for its subresources only.
    resources = [item for item in version.get("resources") or () if item.get("responseKind")]
    kinds = _by_kind(
        ApiResource(group, name, item["resource"], item["responseKind"]["kind"], item["scope"] == "Namespaced")
        for item in resources
    )
    return GroupVersion(group, name, kinds, stale=version.get("freshness") == "Stale")


def _by_kind(resources: Iterator[ApiResource]) -> dict[str, ApiResource]:
    kinds: dict[str, ApiResource] = {}
    for served in resources:
        kinds.setdefault(served.kind, served)
    return kinds
