# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The kinds that a server serves, and their paths, for threads that also create CustomResourceDefinitions."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any

from .._resources import ApiResource, mappings_in, nested
from .client import Client
from .discovery import GroupVersion, read_groups

_FRESH_SECONDS = 5.0
"""The longest time an API server needs to use a new or changed CustomResourceDefinition."""


class RestMapper:
    """The kinds that a server serves, read on first use. Thread-safe. Methods raise ``ClusterError`` if that fails."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._groups: dict[str, list[GroupVersion]] | None = None
        self._learned: dict[tuple[str, str], dict[str, ApiResource]] = {}
        self._new: set[ApiResource] = set()
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

    def learn(self, crd: Mapping[str, Any], *, new: bool) -> None:
        """Add the kinds of a CustomResourceDefinition, because discovery lags if many definitions are created.

        ``new``: the definition did not exist before this run.
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
