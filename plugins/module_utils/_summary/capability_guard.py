# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of capability_guard as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """What the guard does to writes, and whether it changed."""
    if "state" not in result:
        return []
    changed, is_dry_run = result["changed"], bool(options.get("check_mode"))
    if result["state"] == "absent":
        state = "does not exist" if not changed else "would be removed" if is_dry_run else "was removed"
        return [f"The guard {state}."]
    predicted = changed and is_dry_run
    are, can = ("would be", "could") if predicted else ("are", "can")
    names, freely = result["allowed_capabilities"], "" if result["mode"] == "enforce" else " without a report"
    allowed = "Any capability" if names is None else f"Only {', '.join(names)}" if names else "No capability"
    unknown = "" if result["verified"] or freely or predicted else ", which was not verified"
    state = "is unchanged" if not changed else f"{'would be' if is_dry_run else 'was'} installed or changed"
    return [
        f"Writes that drop a capability {are} {'only reported' if freely else 'rejected'}{unknown}.",
        f"{allowed} {can} be added{freely}. The guard {state}.",
    ]
