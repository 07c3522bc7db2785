# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Edits ``capabilities`` in the text of an install-config. Everything else stays the same, byte for byte.

A value in flow style, such as ``{baselineCapabilitySet: None}``, is replaced as a whole. A text that is one flow map,
such as JSON, is not edited.

Several edits are tried, the smallest first. Each result is read back, and the first one with the new capabilities and
otherwise unchanged values is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._data.capabilities import API_ADDITIONAL, API_BASELINE
from .._problems import CapabilityError, Location, Problem, Problems, raise_errors
from .._yaml.nodes import Lines, Node, Pair, column_of, line_above, line_end, line_start, newline_at, own_pair, walk
from .._yaml.values import resolve_plain
from .document import Document, DocumentError, read_document, same_values

# openshift/api:config/v1/types_cluster_version.go, ClusterVersionCapabilitiesSpec
BLOCK, BASELINE, NAMES = "capabilities", API_BASELINE, API_ADDITIONAL

_DASH = re.compile(r" *- +")
_COMMENT_LINE = re.compile(r"[ \t]*#")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")


class Edit(NamedTuple):
    """Replaces the text from ``start`` to ``end`` by ``new``."""

    start: int
    end: int
    new: str


class IndentStyle(NamedTuple):
    """The indentation of a file: ``step`` of maps, ``dash`` of lists below their key, ``root`` of top-level keys."""

    root: int
    step: int
    dash: int


def edit_capabilities(document: Document, selection: Mapping[str, Any], where: str) -> str:
    """The text of ``document`` with the capabilities ``selection``; unchanged if it has them already.

    ``selection`` is a selection as the API writes it: it has ``baselineCapabilitySet``, and
    ``additionalEnabledCapabilities`` only if there are names. ``where`` names the file in problems.
    Raises ``DocumentError`` if other parts of the file depend on the old value.
    """
    if has_selection(document.data.get(BLOCK), selection):
        return document.text
    pair = own_pair(document.root, BLOCK)
    _refuse_another_spelling(document, where)
    _refuse_flow_style(document, selection, where)
    if pair:
        _refuse_shared(document, pair.value, where)
    end = "" if line_start(document.text, len(document.text)) == len(document.text) else newline_at(document.text, 0)
    text = document.text + end
    for edits in _candidate_edits(document, text, pair, selection):
        result = apply_edits(text, edits).removesuffix(end)
        if _is_right(result, document, selection):
            return result
    location = Location(where, line=Lines(text).number(pair.key.start)) if pair else where
    message = "the capabilities cannot be edited in this text without changing other parts"
    hint = "Write them as a separate map, one key per line"
    raise DocumentError([Problem("error", "uneditable-text", location, message, hint)])


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with all ``edits``. Of two that begin at the same index, the shorter one comes first."""
    parts, done = [], 0
    for start, end, new in sorted(edits):
        parts += [text[done:start], new]
        done = max(done, end)
    return "".join([*parts, text[done:]])


def _quote(name: str, style: str = "") -> str:
    """``name`` as a scalar in the quotes of ``style``; plain if ``style`` is empty and YAML reads it as a string."""
    if style == "'" and name.isprintable():
        return "'" + name.replace("'", "''") + "'"
    if style != '"' and _PLAIN.fullmatch(name) and isinstance(resolve_plain(name), str):
        return name
    return json.dumps(name)


def _flow_list(names: Iterable[str], items: Sequence[Node]) -> str:
    """A list in flow style of ``names``, in the quotes of ``items`` if all of them have the same."""
    style = items[0].style if len({item.style for item in items}) == 1 else ""
    return f"[{', '.join(_quote(name, style) for name in names)}]"


def has_selection(value: Any, selection: Mapping[str, Any]) -> bool:
    """Whether ``value`` is the selection ``selection``: the same set, the same names in any order, and nothing else."""
    if not isinstance(value, dict) or not set(value) <= {BASELINE, NAMES}:
        return False
    return value.get(BASELINE) == selection[BASELINE] and not _names_differ(value.get(NAMES) or None, selection)


def _is_right(text: str, document: Document, selection: Mapping[str, Any]) -> bool:
    try:
        data = read_document(text.encode(), "").data
    except CapabilityError:
        return False
    return has_selection(data.get(BLOCK), selection) and same_values(_others(data), _others(document.data))


def _others(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != BLOCK}


def _names_of(selection: Mapping[str, Any]) -> list[str]:
    """The names of a selection, sorted, each once."""
    return sorted(set(selection.get(NAMES, ())))


def _names_differ(listed: Any, selection: Mapping[str, Any]) -> bool:
    """Whether the list of names has to change."""
    names = [] if listed is None else listed
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return True
    return sorted(names) != _names_of(selection)


def _refuse_shared(document: Document, value: Node, where: str) -> None:
    """Raise if the part to replace has an anchor that is used outside of it."""
    anchored = {node.start for _path, node in walk(value) if node.anchor}
    lines, problems = Lines(document.text), Problems()
    for path, node in walk(document.root):
        outside = not value.start <= node.start < value.end
        if node.kind == "alias" and outside and node.target in anchored:
            line, used = lines.number(node.target), lines.number(node.start)
            message = f"the anchor &{node.value} in the capabilities is used by {path} on line {used}"
            hint = f"Write the value on line {used} instead of *{node.value}"
            problems.error("shared-anchor", Location(where, line=line), message, hint)
    raise_errors(problems, DocumentError)


def _refuse_another_spelling(document: Document, where: str) -> None:
    """Raise if the block has a key in another case, which the installer would read, too."""
    for pair in document.root.pairs:
        if pair.key.value != BLOCK and pair.key.value.lower() == BLOCK:
            location = Location(where, line=Lines(document.text).number(pair.key.start))
            message = f"{pair.key.value} is read as {BLOCK} by the installer, so it cannot be edited"
            raise DocumentError([Problem("error", "misspelled-field", location, message, f"Rename it to {BLOCK}")])


def _refuse_flow_style(document: Document, selection: Mapping[str, Any], where: str) -> None:
    """Raise if the text is one flow map, such as JSON."""
    if document.root.style:
        location = Location(where, line=Lines(document.text).number(document.root.start))
        message = "is in flow style, such as JSON, expected one field per line"
        hint = f'Write "{BLOCK}": {json.dumps(selection)} in it'
        raise DocumentError([Problem("error", "uneditable-text", location, message, hint)])


def _candidate_edits(
    document: Document, text: str, pair: Pair | None, selection: Mapping[str, Any]
) -> Iterator[list[Edit]]:
    """Yield the possible edits, the smallest first."""
    root, current = document.root, document.data.get(BLOCK)
    indent = indent_style(text, root)
    if pair is None:
        newline = newline_at(text, len(text))
        block = _lines(_block(BLOCK, indent, selection), newline)
        before, last = root.pairs[-2:-1], line_start(text, root.pairs[-1].key.start)
        floor = line_end(text, before[0].end) if before else 0
        # A new key is before the end marker of the document, or at the end of the text.
        yield [_insert(document.end if document.end < len(document.text) else len(text), block)]
        # The end may belong to a block scalar that has no final newline.
        yield [_insert(_above_comments(text, last, floor), block)]
        return
    value, newline = pair.value, newline_at(text, pair.key.start)
    name, *lines = _block(text[pair.key.start : pair.key.end], indent, selection)
    if isinstance(current, dict) and value.pairs and not value.style:
        yield list(map_edits(text, pair, current, selection, indent))
    elif pair.colon > 0:
        yield _put(text, pair, _lines(lines, newline))
    start = line_start(text, pair.key.start)
    yield [Edit(start, line_end(text, pair.end), _lines([name, *lines], newline))]


def _above_comments(text: str, start: int, floor: int) -> int:
    """The start of the comment lines directly above the line at ``start``, but not before ``floor``."""
    while start > floor:
        above = line_above(text, start)
        if not _COMMENT_LINE.match(text, above):
            break
        start = above
    return start


def indent_style(text: str, root: Node) -> IndentStyle:
    """The indentation of the first map in ``root``, and of most lists there."""
    first = text[line_start(text, root.pairs[0].key.start) :]
    base = len(first) - len(first.lstrip(" "))  # not the column of the key, which a ? may precede
    steps = [
        column_of(text, pair.value.pairs[0].key.start) - base
        for pair in root.pairs
        if pair.value.kind == "map" and not pair.value.style
    ]
    dashes = []
    for _path, node in walk(root):
        for pair in node.pairs:
            value = pair.value
            if value.kind == "list" and not value.style:
                item = value.items[0].start
                dash = text.rfind("-", line_start(text, item), item)
                dashes.append(max(0, column_of(text, dash) - column_of(text, pair.key.start)) if dash >= 0 else 0)
    return IndentStyle(base, steps[0] if steps else 2, max(dashes, key=dashes.count) if dashes else 0)


def _block(key: str, indent: IndentStyle, selection: Mapping[str, Any]) -> list[str]:
    """The lines of the whole block below ``key``."""
    inner = " " * (indent.root + indent.step)
    lines = [f"{' ' * indent.root}{key}:", f"{inner}{BASELINE}: {_quote(selection[BASELINE])}"]
    return lines + _names_lines(inner, indent, selection) if NAMES in selection else lines


def _names_lines(inner: str, indent: IndentStyle, selection: Mapping[str, Any]) -> list[str]:
    return [f"{inner}{NAMES}:", *_items(inner + " " * indent.dash + "- ", _names_of(selection))]


def _items(prefix: str, names: Sequence[str], style: str = "") -> list[str]:
    return [prefix + _quote(name, style) for name in names]


def _lines(lines: Sequence[str], newline: str) -> str:
    return "".join(line + newline for line in lines)


def _insert(index: int, new: str) -> Edit:
    return Edit(index, index, new)


def _put(text: str, pair: Pair, lines: str) -> list[Edit]:
    """Replace the value of ``pair`` by ``lines``; the comment after the key stays."""
    value, below = pair.value, line_end(text, pair.colon)
    if value.start >= below:  # all of it is below the key
        return [Edit(below, line_end(text, value.end), lines)]
    return [Edit(pair.colon, max(pair.colon, value.end), ""), _insert(line_end(text, pair.end), lines)]


def map_edits(
    text: str, pair: Pair, current: Mapping[str, Any], selection: Mapping[str, Any], indent: IndentStyle
) -> Iterator[Edit]:
    """Yield the edits of a block in block style, whose value is ``current``.

    A ``selection`` without a baseline, as a ClusterVersion can have it, leaves the one of the block.
    """
    value, newline = pair.value, newline_at(text, pair.key.start)
    inner = " " * column_of(text, value.pairs[0].key.start)
    baseline, names = own_pair(value, BASELINE), own_pair(value, NAMES)
    if BASELINE in selection and current.get(BASELINE) != selection[BASELINE]:
        if baseline and baseline.colon > 0:
            yield _baseline_edit(baseline, selection[BASELINE])
        elif not baseline:
            yield _insert(line_end(text, pair.key.end), f"{inner}{BASELINE}: {_quote(selection[BASELINE])}{newline}")
    listed = current.get(NAMES)
    if not _names_differ(listed, selection):
        return
    if NAMES not in selection:
        if names:  # else they are merged, and no edit of lines removes them
            yield Edit(line_start(text, names.key.start), line_end(text, names.end), "")
    elif names is None:
        yield _insert(line_end(text, value.end), _lines(_names_lines(inner, indent, selection), newline))
    elif names.value.kind == "list" and names.value.items and isinstance(listed, list):
        if names.value.style:
            yield Edit(names.value.start, names.value.end, _flow_list(_names_of(selection), names.value.items))
        else:
            yield from _list_edits(text, names, listed, _names_of(selection))
    else:
        yield from _put(text, names, _lines(_names_lines(inner, indent, selection)[1:], newline))


def _baseline_edit(pair: Pair, new: str) -> Edit:
    """The edit that sets the value of ``pair`` to ``new``, in the quotes of the old value."""
    value = pair.value
    if value.is_empty or (value.kind in ("map", "list") and not value.style):
        return Edit(pair.colon, max(pair.colon, value.end), f" {_quote(new)}")
    return Edit(value.start, value.end, _quote(new, value.style if value.style in ("'", '"') else ""))


def _list_edits(text: str, pair: Pair, listed: Sequence[Any], names: Sequence[str]) -> Iterator[Edit]:
    """Yield the edits of a list with one line per item: removes the lines of dropped items, appends new ones.

    A name in the wrong case keeps its place, its quotes and its comment.
    """
    items, spelling = pair.value.items, {name.lower(): name for name in names}
    seen: list[str] = []
    first = text[line_start(text, items[0].start) : items[0].start]
    last = line_end(text, items[-1].end)
    for item, name in zip(items, listed, strict=True):
        spelled = spelling.get(str(name).strip().lower())
        if spelled is None or spelled in seen:
            yield Edit(line_start(text, item.start), line_end(text, item.end), "")
            continue
        seen.append(spelled)
        if spelled != name:
            yield Edit(item.start, item.end, _quote(spelled, item.style))
    prefix = first if _DASH.fullmatch(first) else f"{' ' * column_of(text, pair.key.start)}- "
    style = items[0].style if len({item.style for item in items}) == 1 else ""
    new = _items(prefix, sorted(set(names) - set(seen)), style)
    yield _insert(last, _lines(new, newline_at(text, pair.key.start)))
