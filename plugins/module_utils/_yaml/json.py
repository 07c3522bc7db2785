# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A text that is JSON, read as JSON: it is faster, and has escapes that YAML does not know."""

from __future__ import annotations

import json
from typing import Any


def json_object(data: bytes) -> dict[str, Any] | None:
    """Return the object that ``data`` is in JSON; ``None`` where it is none, for a YAML flow map begins like one."""
    if not data.lstrip().startswith(b"{"):
        return None
    try:
        found: dict[str, Any] = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found
