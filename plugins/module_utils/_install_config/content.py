# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an install-config that is given as an option: a text, or a dict with the fields that the user wants to set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .._data.solutions import TOPOLOGIES
from .._problems import InvalidOptionError, Problem, type_name
from .document import Document, read_document, render_document

_SECRET = "pullSecret"
_CONTROL_PLANE, _COMPUTE, _REPLICAS = "controlPlane", "compute", "replicas"


def read_content(content: object) -> Document:
    """Read the option ``content``. Raises ``CapabilityError``, whose problems contain no values."""
    if isinstance(content, str):
        # Text that was decoded with another encoding than UTF-8 contains surrogates: read_document reports it.
        return read_document(content.encode(errors="surrogatepass"), "content")
    if not isinstance(content, Mapping):
        message = f"is {type_name(content)}, expected an install-config, as a dict or as text"
        hint = "Write it as in the examples of the module"
        raise InvalidOptionError([Problem("error", "not-a-map", "content", message, hint)])
    # Ansible converts a text that looks like JSON to a dict; the installer needs the text.
    secret = content.get(_SECRET)
    if isinstance(secret, Mapping):
        content = {**content, _SECRET: json.dumps(secret, separators=(",", ":"))}
    return read_document(render_document(content).encode(), "content")


def merge_content(common: Any, own: Any) -> Any:
    """``own`` merged into ``common``: maps field by field. Of other values, ``own`` replaces ``common``."""
    if not isinstance(common, Mapping) or not isinstance(own, Mapping):
        return own
    return {**common, **{field: merge_content(common.get(field), value) for field, value in own.items()}}


def with_topology(content: Mapping[str, Any], topology: str) -> dict[str, Any]:
    """``content`` with the replicas of ``topology``, a key of ``TOPOLOGIES``, where it has none."""
    control_plane, compute = TOPOLOGIES[topology]
    result = dict(content)
    pool = content.get(_CONTROL_PLANE) or {"name": "master"}
    if isinstance(pool, Mapping) and pool.get(_REPLICAS) is None:
        result[_CONTROL_PLANE] = {**pool, _REPLICAS: control_plane}
    pools = content.get(_COMPUTE) or [{"name": "worker"}]
    if isinstance(pools, list):
        result[_COMPUTE] = [_with_replicas(pool, compute) for pool in pools]
    return result


def has_replicas(content: Mapping[str, Any]) -> bool:
    """Whether ``content`` decides about the number of nodes, at least of some."""
    pool = content.get(_CONTROL_PLANE)
    return bool(content.get(_COMPUTE)) or (isinstance(pool, Mapping) and pool.get(_REPLICAS) is not None)


def _with_replicas(pool: Any, replicas: int) -> Any:
    is_worker = isinstance(pool, Mapping) and pool.get("name") == "worker"
    return {**pool, _REPLICAS: replicas} if is_worker and pool.get(_REPLICAS) is None else pool
