# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What all edits of the capabilities share: places replaced in a text, and names as YAML writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ._document_nodes import Pair
from ._head import resolve_plain

# openshift/api:config/v1/types_cluster_version.go, ClusterVersionCapabilitiesSpec
BLOCK, BASELINE, NAMES = "capabilities", "baselineCapabilitySet", "additionalEnabledCapabilities"

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")


class Edit(NamedTuple):
    """``new`` comes where ``start`` to ``end`` was."""

    start: int
    end: int
    new: str


def spliced(text: str, edits: Iterable[Edit]) -> str:
    """Return ``text`` with all ``edits`` made. Where two begin at one place, the shorter one comes first."""
    parts, done = [], 0
    for start, end, new in sorted(edits):
        parts += [text[done:start], new]
        done = max(done, end)
    return "".join([*parts, text[done:]])


def names_of(wanted: Mapping[str, Any]) -> list[str]:
    """Return the names that are wanted, sorted, each once."""
    return sorted(set(wanted.get(NAMES) or ()))


def unwanted(listed: Any, wanted: Mapping[str, Any]) -> bool:
    """Tell whether the list of names has to change."""
    names = [] if listed is None else listed
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return True
    return sorted(names) != names_of(wanted)


def quoted(name: str, style: str = "") -> str:
    """Return ``name`` as a scalar in the quotes of ``style``; plain if that is asked for and means the same."""
    if style == "'" and name.isprintable():
        return "'" + name.replace("'", "''") + "'"
    if style != '"' and _PLAIN.fullmatch(name) and isinstance(resolve_plain(name), str):
        return name
    return json.dumps(name)


def scalar_edit(pair: Pair, new: str, style: str = "") -> Edit:
    """Return the edit that gives ``pair`` the value ``new``, in the quotes of the old one or else of ``style``."""
    value = pair.value
    if pair.colon < 0:
        return Edit(pair.key.end, max(pair.key.end, value.end), f": {quoted(new, style)}")
    if value.is_empty or (value.kind in ("map", "list") and not value.style):
        return Edit(pair.colon, max(pair.colon, value.end), f" {quoted(new, style)}")
    return Edit(value.start, value.end, quoted(new, value.style if value.style in ("'", '"') else style))
