# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The discovery documents of an API server: its groups, their versions, and the kinds of each.

Kubernetes 1.26 and later need two requests (aggregated discovery, API group ``apidiscovery.k8s.io``). Earlier servers
answer these requests with lists of groups, so each version of a group that is looked up needs one more request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._resources import ApiResource
from .api_errors import ApiError
from .client import Client

_AGGREGATED = "APIGroupDiscoveryList"
_ACCEPT = ",".join(
    [
        *(f"application/json;g=apidiscovery.k8s.io;v={version};as={_AGGREGATED}" for version in ("v2", "v2beta1")),
        "application/json",
    ]
)


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
