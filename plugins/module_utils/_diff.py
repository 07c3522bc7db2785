# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What ``--diff`` shows of a destination: which files come and go, and what changes inside the others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ._destination import DestinationPlan, holds_secret


def destination_diff(plan: DestinationPlan) -> list[dict[str, str]]:
    """Return the diff of ``plan`` in the shape that Ansible prints; empty where nothing changes."""
    added = {name for name, (before, _after) in plan.written.items() if before is None}
    diff: list[dict[str, str]] = []
    if added or plan.removed:
        kept = set(plan.files) - added
        diff.append(
            {
                "before_header": f"{plan.dest} (files)",
                "after_header": f"{plan.dest} (files)",
                "before": _lines(kept | set(plan.removed)),
                "after": _lines(plan.files),
            }
        )
    for name, (before, after) in plan.written.items():
        if before is not None:
            diff.append(
                {
                    "before_header": f"{plan.dest}/{name}",
                    "after_header": f"{plan.dest}/{name}",
                    "before": _shown(before),
                    "after": _shown(after),
                }
            )
    return diff


def _lines(names: Iterable[str]) -> str:
    return "".join(f"{name}\n" for name in sorted(names))


def _shown(data: bytes) -> str:
    if holds_secret(data):
        return f"(holds a Secret, content not shown; sha256 {hashlib.sha256(data).hexdigest()})\n"
    return data.decode(errors="replace")
