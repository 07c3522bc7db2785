# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Edits lists of names below a map in a YAML text. Names keep their place, their quotes and their comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .._install_config.edit import block_list_edits, spliced
from .._install_config.flow_style import Edit, flow_list_edits, quoted
from .._yaml.nodes import Node, Pair, line_end, line_start, own_pair


def edit_lists(text: str, value: Node, lists: Mapping[str, Sequence[str]]) -> str | None:
    """``text`` with the ``lists`` below the map ``value``, by their key. ``None`` if one is not a list of scalars."""
    edits: list[Edit] = []
    for field, names in lists.items():
        pair = own_pair(value, field)
        if pair is None or pair.value.kind != "list" or not pair.value.items:
            return None
        if any(item.kind != "scalar" or item.anchor or item.tag for item in pair.value.items):
            return None
        edits += _edits(text, pair, names)
    return spliced(text, edits)


def _edits(text: str, pair: Pair, names: Sequence[str]) -> Iterator[Edit]:
    items = pair.value.items
    spelling = {name.lower(): name for name in names}
    listed: list[str] = []
    for item in items:
        name = spelling.get(item.value.strip().lower(), item.value)
        if name != item.value and name not in listed:
            yield Edit(item.start, item.end, quoted(name, item.style))
        listed.append(name)
    if pair.value.style:
        yield from flow_list_edits(text, pair.value, listed, names)
    elif names:
        yield from block_list_edits(text, pair, listed, names)
    else:
        yield Edit(pair.colon, pair.colon, " []")
        yield from (Edit(line_start(text, item.start), line_end(text, item.end), "") for item in items)
