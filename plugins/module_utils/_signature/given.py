# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Key rings and signature stores that a user gives instead of those of a release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from .._problems import Problems, type_name
from .file_store import FileStore, config_maps
from .http_store import HttpGet
from .key_ring import KeyRing, read_key_ring
from .stores import ConfigMapStore, ParallelStores, Store
from .verification_config import store_of

_URLS = ("http://", "https://", "file://")


def read_given_key_rings(option: str, paths: Iterable[str], problems: Problems) -> tuple[KeyRing, ...]:
    """Read the key rings in files. ``option`` is for messages."""
    rings = []
    for path in paths:
        try:
            rings.append(read_key_ring(path, Path(path).read_bytes(), problems))
        except OSError as error:
            problems.error(
                "unreadable-key-ring", option, f"{path}: {error.strerror}, expected a file", "Check the path"
            )
    return tuple(ring for ring in rings if ring)


def given_stores(option: str, values: Sequence[object], get: HttpGet, problems: Problems) -> tuple[Store, ...]:
    """Return stores for URLs, paths and ConfigMaps (or lists of them). Web servers are asked last, at the same time."""
    local: list[Store] = []
    remote: list[Store] = []
    for index, value in enumerate(values):
        where = f"{option}[{index}]"
        if isinstance(value, dict):
            local.append(ConfigMapStore(where, tuple(config_maps(value))))
        elif isinstance(value, str) and value:
            kind = remote if value.startswith(_URLS[:2]) else local
            kind.append(store_of(value, get) if value.startswith(_URLS) else FileStore(value))
        else:
            problems.error(
                "invalid-signature-store", where, f"is {type_name(value)}, expected a path, a URL or a ConfigMap"
            )
    return (*local, ParallelStores(tuple(remote))) if remote else tuple(local)
