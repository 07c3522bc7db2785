# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Numbers and lists in text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._problems import Problem

MEBIBYTE = 1024 * 1024


def listed(names: Iterable[str]) -> str:
    """``names``, or that there are none."""
    return ", ".join(names) or "none"


def mebibytes(number: int) -> int:
    """Bytes in MiB."""
    return round(number / MEBIBYTE)


def problem_line(item: Mapping[str, Any]) -> str:
    """A problem with its severity and hint."""
    return f"{item['severity']}: {problem_text(item)}"


def problem_text(item: Mapping[str, Any]) -> str:
    """A problem with its location and hint."""
    return str(Problem(**item))
