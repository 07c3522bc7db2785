# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The result of release_lint as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def summary_lines(result: Mapping[str, Any], _options: Mapping[str, Any]) -> list[str]:
    """The findings."""
    return list(result.get("text", "").splitlines())
