# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The result of release_fetch as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """How many files there are, and from which image."""
    if "files" not in result:
        return []
    state = "unchanged" if not result["changed"] else "would change" if options.get("check_mode") else "changed"
    image = result["image"]
    # An image in a layout or an archive has no pull spec.
    return [f"{result['dest']}: {state}, {result['files']} files of {image['pull_spec'] or image['digest']}"]
