# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Nested fields of API objects whose shape is not validated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def nested(value: Any, *path: str) -> Any:
    """The field of ``value`` at ``path``; ``None`` if it does not exist."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def as_list(value: object) -> list[Any]:
    """``value`` if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """``value`` if it is a string, else an empty string."""
    return value if isinstance(value, str) else ""


def mappings_in(value: object) -> list[Mapping[str, Any]]:
    """The maps in ``value`` if it is a list, else an empty list."""
    return [item for item in as_list(value) if isinstance(item, Mapping)]


def conditions_of(value: object) -> dict[Any, Mapping[str, Any]]:
    """The conditions in the status of an object, by type."""
    return {item.get("type"): item for item in mappings_in(nested(value, "status", "conditions"))}


Object = Mapping[str, Any]


def finalizers_of(obj: object) -> tuple[str, ...]:
    """The finalizers that prevent the deletion of an object. Those of a Namespace are also in its spec."""
    spec = nested(obj, "spec", "finalizers") if nested(obj, "kind") == "Namespace" else None
    lists = (nested(obj, "metadata", "finalizers"), spec)
    return tuple(str(item) for items in lists if isinstance(items, list) for item in items)
