# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Edits of capabilities in flow style, which JSON is: ``{baselineCapabilitySet: None}``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._document_nodes import Node, Pair, line_start, newline_at, own_pair
from ._document_splice import BASELINE, BLOCK, NAMES, Edit, names_of, quoted, scalar_edit, unwanted


def flow_root_edits(text: str, root: Node, pair: Pair | None, wanted: Mapping[str, Any]) -> list[Edit]:
    """Return the edits that give a text, all of it a flow map, ``wanted`` for its capabilities whole."""
    value = _ordered(wanted)
    style = _key_style(root) if root.pairs else '"'
    between = _between(text, [own.key for own in root.pairs])
    break_, indent = between.rstrip(" \t"), between[len(between.rstrip(" \t")) :]
    if style != '"':
        new = _plain_map(value)
    elif break_:
        new = json.dumps(value, indent=indent).replace("\n", break_ + indent)
    else:
        new = json.dumps(value)
    if pair is None:
        entry = f"{quoted(BLOCK, style)}: {new}"
        if not root.pairs:
            return [Edit(root.start, root.end, f"{{{entry}}}")]
        end = root.pairs[-1].end
        return [Edit(end, end, f",{between or ' '}{entry}")]
    if pair.colon < 0 or pair.value.is_empty:
        return [Edit(pair.key.end, pair.end, f": {new}")]
    return [Edit(pair.value.start, pair.value.end, new)]


def flow_map_edits(text: str, value: Node, current: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[Edit]:
    """Return the edits of a flow map that has a key at least."""
    style, pairs = _key_style(value), value.pairs
    between = _between(text, [pair.key for pair in pairs]) or " "
    baseline, names = own_pair(value, BASELINE), own_pair(value, NAMES)
    edits = []
    if current.get(BASELINE) != wanted[BASELINE]:
        if baseline:
            edits.append(scalar_edit(baseline, wanted[BASELINE], style))
        else:
            first, entry = pairs[0].key.start, f"{quoted(BASELINE, style)}: {quoted(wanted[BASELINE], style)}"
            edits.append(Edit(first, first, f"{entry},{between}"))
    listed = current.get(NAMES)
    if not unwanted(listed, wanted):
        return edits
    fresh = _plain_list(names_of(wanted), style)
    if names is None:
        edits.append(Edit(pairs[-1].end, pairs[-1].end, f",{between}{quoted(NAMES, style)}: {fresh}"))
    elif NAMES not in wanted:
        edits.append(_dropped(pairs, names))
    elif names.value.kind == "list" and names.value.items and isinstance(listed, list):
        edits += flow_list_edits(text, names.value, listed, names_of(wanted))
    elif names.value.is_empty:
        edits.append(Edit(names.key.end, names.end, f": {fresh}"))
    else:
        edits.append(Edit(names.value.start, names.value.end, fresh))
    return edits


def flow_list_edits(text: str, node: Node, listed: Sequence[Any], wanted: Sequence[str]) -> Iterator[Edit]:
    """Yield the edits of a flow list that has an item at least: new names come last, in the style of the first."""
    items, style = node.items, node.items[0].style
    kept: dict[str, int] = {}
    for number, name in enumerate(listed):
        if name in wanted:
            kept.setdefault(name, number)
    new = [quoted(name, style) for name in sorted(set(wanted) - set(kept))]
    if not kept:
        yield Edit(items[0].start, items[-1].end, _separator(text, node).join(new))
        return
    last = max(kept.values())
    for number in range(last):
        if number not in kept.values():
            yield Edit(items[number].start, items[number + 1].start, "")
    yield Edit(items[last].end, items[last].end, "".join(_separator(text, node) + name for name in new))
    yield Edit(items[last].end, items[-1].end, "")


def _separator(text: str, node: Node) -> str:
    """Return what stands between the items of a flow list."""
    if len(node.items) > 1:
        between = text[node.items[0].end : node.items[1].start]
        if "#" not in between:
            return between
    return "," + (_between(text, node.items) or " ")


def _between(text: str, nodes: Sequence[Node]) -> str:
    """Return the line break and indentation before ``nodes`` if each has a line of its own; empty otherwise."""
    before = [text[line_start(text, node.start) : node.start] for node in nodes]
    if not before or any(blanks.strip() for blanks in before):
        return ""
    return newline_at(text, nodes[0].start) + before[0]


def _dropped(pairs: Sequence[Pair], pair: Pair) -> Edit:
    """Return the edit that takes ``pair`` out, and one comma."""
    number = pairs.index(pair)
    if number > 0:
        return Edit(pairs[number - 1].end, pair.end, "")
    return Edit(pair.key.start, pairs[1].key.start if len(pairs) > 1 else pair.end, "")


def _key_style(node: Node) -> str:
    styles = {pair.key.style for pair in node.pairs}
    return '"' if styles == {'"'} else ""


def _ordered(wanted: Mapping[str, Any]) -> dict[str, Any]:
    value: dict[str, Any] = {BASELINE: wanted[BASELINE]}
    return value | {NAMES: names_of(wanted)} if NAMES in wanted else value


def _plain_map(value: Mapping[str, Any]) -> str:
    entries = [f"{BASELINE}: {quoted(value[BASELINE])}"]
    if NAMES in value:
        entries.append(f"{NAMES}: {_plain_list(value[NAMES], '')}")
    return "{" + ", ".join(entries) + "}"


def _plain_list(names: Sequence[str], style: str) -> str:
    return f"[{', '.join(quoted(name, style) for name in names)}]"
