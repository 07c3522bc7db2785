# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The result of update_plan as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._report.text import plan_lines


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """The plan, with details unless ``full`` is false, and its violations if ``options`` are the ones of the module."""
    if "violations" not in result:
        return []
    violations = result.get("msg", "").splitlines() if "fail_on" in options else []
    return [*plan_lines(result, full=options.get("full", True)), *violations]
