# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The kinds that a server serves, for several threads and while CustomResourceDefinitions come."""

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
"""How long an API server may take at most until it goes by a CustomResourceDefinition that came or changed."""


class RestMapper:
    """What the server of ``client`` serves. Methods raise ``ClusterError`` where it does not tell."""

    def __init__(self, client: Client) -> None:
        self._discovery = Discovery(client)
        self._learnt: dict[tuple[str, str], dict[str, ApiResource]] = {}
        self._new: set[tuple[str, str, str]] = set()
        self._learnt_at: dict[tuple[str, str, str], float] = {}
        self._lock = Lock()

    def find(self, group: str, kind: str, version: str = "") -> ApiResource | None:
        """Return a kind; ``None`` where it is not served, or where nobody can tell now."""
        with self._lock:
            learnt = self._learnt.get((group, kind), {})
            if learnt and version in ("", *learnt):
                return learnt[version or next(iter(learnt))]
            return self._discovery.find(group, kind, version)

    def serves(self, definition: str) -> bool:
        """Tell whether what a CustomResourceDefinition of this name defines is served in any version."""
        plural, _dot, group = definition.partition(".")
        with self._lock:
            found = (served for learnt in self._learnt.values() for served in learnt.values())
            return any(served.resource == definition for served in found) or self._discovery.serves(group, plural)

    def unknown(self, group: str) -> bool:
        """Tell whether a group may serve more than is known: its own API server does not answer."""
        with self._lock:
            return self._discovery.unknown(group)

    def is_new(self, served: ApiResource) -> bool:
        """Tell whether a kind came during this run, so that the server may need a moment until it knows its path."""
        return (served.group, served.kind, served.version) in self._new

    def is_fresh(self, served: ApiResource) -> bool:
        """Tell whether the definition of a kind came or changed so lately that the server may not go by it yet."""
        learnt = self._learnt_at.get((served.group, served.kind, served.version))
        return learnt is not None and time.monotonic() - learnt < _FRESH_SECONDS

    def learn(self, crd: Mapping[str, Any], *, new: bool) -> None:
        """Take the kinds of a CustomResourceDefinition for served: discovery lags behind when many of them come.

        ``new``: it was not there before this run.
        """
        spec = crd["spec"]
        namespaced = spec["scope"] == "Namespaced"
        for version in mappings_in(spec.get("versions")):
            if version.get("served"):
                plural, kind = nested(spec, "names", "plural"), nested(spec, "names", "kind")
                served = ApiResource(spec["group"], version["name"], plural, kind, namespaced)
                with self._lock:
                    key = served.group, served.kind, served.version
                    self._learnt.setdefault(served.group_kind, {})[served.version] = served
                    self._new |= {key} if new else set()
                    self._learnt_at[key] = time.monotonic()

    def reload(self) -> None:
        """Ask the server again."""
        with self._lock:
            self._discovery.reload()
