# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The kinds that a server serves, for several threads and while CustomResourceDefinitions are created."""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Lock
from typing import Any

from .._resources import ApiResource
from .._unstructured import mappings_in, nested
from .client import Client
from .discovery import Discovery

_FRESH_SECONDS = 5.0
"""The longest time an API server needs to use a new or changed CustomResourceDefinition."""


class RestMapper:
    """The kinds that a server serves. Thread-safe. Methods raise ``ClusterError`` if discovery fails."""

    def __init__(self, client: Client) -> None:
        self._discovery = Discovery(client)
        self._learned: dict[tuple[str, str], dict[str, ApiResource]] = {}
        self._new: set[tuple[str, str, str]] = set()
        self._learned_at: dict[tuple[str, str, str], float] = {}
        self._lock = Lock()

    def find(self, group: str, kind: str, version: str = "") -> ApiResource | None:
        """Return a kind; ``None`` if it is not served, or not known at the moment."""
        with self._lock:
            learnt = self._learned.get((group, kind), {})
            if learnt and version in ("", *learnt):
                return learnt[version or next(iter(learnt))]
            return self._discovery.find(group, kind, version)

    def serves(self, definition: str) -> bool:
        """Whether the kind of the CustomResourceDefinition ``definition`` is served in any version."""
        plural, _dot, group = definition.partition(".")
        with self._lock:
            known = (served for learnt in self._learned.values() for served in learnt.values())
            return any(served.resource == definition for served in known) or self._discovery.serves(group, plural)

    def unknown(self, group: str) -> bool:
        """Whether a group can serve more kinds than are known, because its aggregated API server is down."""
        with self._lock:
            return self._discovery.unknown(group)

    def is_new(self, served: ApiResource) -> bool:
        """Whether a kind was added during this run. The server can need a moment until it serves its path."""
        return (served.group, served.kind, served.version) in self._new

    def is_fresh(self, served: ApiResource) -> bool:
        """Whether the definition of a kind is so new, or so newly changed, that the server may not use it yet."""
        learnt = self._learned_at.get((served.group, served.kind, served.version))
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
                    key = served.group, served.kind, served.version
                    self._learned.setdefault(served.group_kind, {})[served.version] = served
                    self._new |= {key} if new else set()
                    self._learned_at[key] = time.monotonic()

    def reload(self) -> None:
        """Run discovery again."""
        with self._lock:
            self._discovery.reload()
