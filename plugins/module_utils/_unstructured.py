# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What is in the body of an object, whose shape nobody has checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def nested(value: Any, *path: str) -> Any:
    """Return what is at ``path`` below ``value``, a body; ``None`` where nothing is."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def mappings_in(value: object) -> list[Mapping[str, Any]]:
    """Return the maps in a list that an API server has; of anything else none."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def conditions_of(value: object) -> dict[Any, Mapping[str, Any]]:
    """Return the conditions in the status of an object, by their type."""
    return {item.get("type"): item for item in mappings_in(nested(value, "status", "conditions"))}


Object = Mapping[str, Any]
