# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Edits capabilities in flow style, which includes JSON: ``{baselineCapabilitySet: None}``.

Also the parts that both styles need: replacements in a text, and quoted names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._data.capabilities import API_ADDITIONAL, API_BASELINE
from .._yaml.nodes import Node, Pair, line_end, line_start, newline_at, own_pair
from .._yaml.values import resolve_plain

# openshift/api:config/v1/types_cluster_version.go, ClusterVersionCapabilitiesSpec
BLOCK, BASELINE, NAMES = "capabilities", API_BASELINE, API_ADDITIONAL

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_COMMA = re.compile(r"(?:\s|#[^\n\r\x85\u2028\u2029]*(?=\s))*,")  # it may follow a comment


class Edit(NamedTuple):
    """Replaces the text from ``start`` to ``end`` by ``new``."""

    start: int
    end: int
    new: str


def names_of(selection: Mapping[str, Any]) -> list[str]:
    """The names of a selection, sorted, each once."""
    return sorted(set(selection.get(NAMES, ())))


def names_differ(listed: Any, selection: Mapping[str, Any]) -> bool:
    """Whether the list of names has to change."""
    names = [] if listed is None else listed
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return True
    return sorted(names) != names_of(selection)


def quoted(name: str, style: str = "") -> str:
    """``name`` as a scalar in the quotes of ``style``; plain if ``style`` is empty and YAML reads it as a string."""
    if style == "'" and name.isprintable():
        return "'" + name.replace("'", "''") + "'"
    if style != '"' and _PLAIN.fullmatch(name) and isinstance(resolve_plain(name), str):
        return name
    return json.dumps(name)


def scalar_edit(pair: Pair, new: str, style: str = "") -> Edit:
    """The edit that sets the value of ``pair`` to ``new``, in the quotes of the old value or else of ``style``."""
    value = pair.value
    if pair.colon < 0:
        return Edit(pair.key.end, max(pair.key.end, value.end), f": {quoted(new, style)}")
    if value.is_empty or (value.kind in ("map", "list") and not value.style):
        return Edit(pair.colon, max(pair.colon, value.end), f" {quoted(new, style)}")
    return Edit(value.start, value.end, quoted(new, value.style if value.style in ("'", '"') else style))


def flow_root_edits(text: str, root: Node, pair: Pair | None, selection: Mapping[str, Any]) -> list[Edit]:
    """The edits that replace the whole capabilities in a text that is one flow map."""
    value = _ordered(selection)
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


def flow_map_edits(text: str, value: Node, current: Mapping[str, Any], selection: Mapping[str, Any]) -> list[Edit]:
    """The edits of a flow map with at least one key."""
    style, pairs = _key_style(value), value.pairs
    between = _between(text, [pair.key for pair in pairs]) or " "
    baseline, names = own_pair(value, BASELINE), own_pair(value, NAMES)
    edits = []
    if current.get(BASELINE) != selection[BASELINE]:
        if baseline:
            edits.append(scalar_edit(baseline, selection[BASELINE], style))
        else:
            first, entry = pairs[0].key.start, f"{quoted(BASELINE, style)}: {quoted(selection[BASELINE], style)}"
            edits.append(Edit(first, first, f"{entry},{between}"))
    listed = current.get(NAMES)
    if not names_differ(listed, selection):
        return edits
    fresh = _plain_list(names_of(selection), style)
    if NAMES not in selection:
        if names:  # else they are merged, and no edit of pairs removes them
            edits += _dropped(text, [(pair.key.start, pair.end) for pair in pairs], {pairs.index(names)})
    elif names is None:
        edits.append(Edit(pairs[-1].end, pairs[-1].end, f",{between}{quoted(NAMES, style)}: {fresh}"))
    elif names.value.kind == "list" and names.value.items and isinstance(listed, list):
        edits += flow_list_edits(text, names.value, listed, names_of(selection))
    elif names.value.is_empty:
        edits.append(Edit(names.key.end, names.end, f": {fresh}"))
    else:
        edits.append(Edit(names.value.start, names.value.end, fresh))
    return edits


def flow_list_edits(text: str, node: Node, listed: Sequence[Any], names: Sequence[str]) -> Iterator[Edit]:
    """Yield the edits of a flow list with at least one item. New names come last, in the style of the first item."""
    items, style = node.items, node.items[0].style
    remaining: dict[str, int] = {}
    for number, name in enumerate(listed):
        if name in names:
            remaining.setdefault(name, number)
    new = [quoted(name, style) for name in sorted(set(names) - set(remaining))]
    if not remaining:
        yield Edit(items[0].start, items[-1].end, _separator(text, node).join(new))
        return
    last = items[max(remaining.values())].end
    yield Edit(last, last, "".join(_separator(text, node) + name for name in new))
    dropped = set(range(len(items))) - set(remaining.values())
    yield from _dropped(text, [(item.start, item.end) for item in items], dropped)


def _separator(text: str, node: Node) -> str:
    """The text between two items of a flow list."""
    if len(node.items) > 1:
        between = text[node.items[0].end : node.items[1].start]
        if "#" not in between:
            return between
    return "," + (_between(text, node.items) or " ")


def _between(text: str, nodes: Sequence[Node]) -> str:
    """The line break and indentation before ``nodes`` if each begins a line; empty otherwise."""
    # One after the other: all may be in one long line.
    if not nodes or any(text[line_start(text, node.start) : node.start].strip() for node in nodes):
        return ""
    first = nodes[0].start
    return newline_at(text, first) + text[line_start(text, first) : first]


def _dropped(text: str, entries: Sequence[tuple[int, int]], dropped: Collection[int]) -> Iterator[Edit]:
    """Yield the edits that remove entries and their commas from a flow map or list, and keep comments of others."""
    last = max(set(range(len(entries))) - set(dropped), default=-1)  # of the remaining ones
    if last < 0:
        yield Edit(entries[0][0], entries[-1][1], "")
        return
    for number in dropped:
        start, end = entries[number]
        if number < last and "#" not in text[start : entries[number + 1][0]]:
            yield Edit(start, entries[number + 1][0], "")
        elif number < last or "#" in text[entries[last][1] : entries[-1][0]]:
            yield from _without_line(text, start, end)
    start, end = entries[last][1], entries[-1][1]
    if "#" not in text[start : entries[-1][0]]:
        yield Edit(start, end, "")
    elif not _COMMA.match(text, end):
        yield from _without_comma(text, start)


def _without_line(text: str, start: int, end: int) -> Iterator[Edit]:
    """Yield the edits that remove an entry, the comma after it, and its line if nothing else is in it."""
    yield from _without_comma(text, end)
    first, after = line_start(text, start), line_end(text, end)
    if not text[first:start].strip(" \t,") and not text[end:after].partition("#")[0].strip(" \t\r\n,"):
        start, end = first, after
    yield Edit(start, end, "")


def _without_comma(text: str, end: int) -> Iterator[Edit]:
    """Yield the edit that removes the comma after ``end``, if there is one."""
    if comma := _COMMA.match(text, end):
        yield Edit(comma.end() - 1, comma.end(), "")


def _key_style(node: Node) -> str:
    styles = {pair.key.style for pair in node.pairs}
    return '"' if styles == {'"'} else ""


def _ordered(selection: Mapping[str, Any]) -> dict[str, Any]:
    value: dict[str, Any] = {BASELINE: selection[BASELINE]}
    return value | {NAMES: names_of(selection)} if NAMES in selection else value


def _plain_map(value: Mapping[str, Any]) -> str:
    entries = [f"{BASELINE}: {quoted(value[BASELINE])}"]
    if NAMES in value:
        entries.append(f"{NAMES}: {_plain_list(value[NAMES], '')}")
    return "{" + ", ".join(entries) + "}"


def _plain_list(names: Sequence[str], style: str) -> str:
    return f"[{', '.join(quoted(name, style) for name in names)}]"
