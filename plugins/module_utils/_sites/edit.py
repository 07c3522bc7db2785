# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes the selections of sites into the text of their document. Everything else stays the same, byte for byte.

The result is read back. An edit is used only if each site has its new selection, and every other value is unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._install_config.document import read_document
from .._install_config.edit import Edit, apply_edits, edit_capabilities, indent_style, map_edits
from .._problems import CapabilityError, Location, Problem, Problems
from .._yaml.nodes import Node, column_of, line_end, line_start, newline_at, own_pair, parse_tree, walk
from .._yaml.values import YamlError, resolve_plain
from .document import ANNOTATION, SourceDocument, find_objects
from .overrides import BLOCK, OVERRIDES, Overrides
from .site import Site, SiteNode
from .site_reader import read_sites

_STEP = 2
_BEFORE_OVERRIDES = "clusterImageSetNameRef"
_HEADER = re.compile(r"[|>](?P<rest>[1-9+-]*[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))")
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_SPECIAL = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class EditedDocument(NamedTuple):
    """A document with its sites, its new text, the sites then, and the numbers of those that were written.

    ``left`` has the problem of each site that only a person can write, by its number.
    """

    document: SourceDocument
    sites: tuple[SiteNode, ...]
    text: str
    new_sites: tuple[SiteNode, ...]
    written: tuple[int, ...]
    left: Mapping[int, Problem] = {}


def sites_in(document: SourceDocument) -> list[SiteNode]:
    """The sites of ``document``, in the order of the text."""
    return [node for origin in find_objects(document, Problems()) for node in read_sites(origin, Problems())]


def edit_document(
    document: SourceDocument, sites: Sequence[SiteNode], blocks: Mapping[int, Mapping[str, Any]]
) -> EditedDocument:
    """Write ``blocks`` into ``sites``, by their number.

    All are written at once: one after the other, a list of 1,000 sites takes minutes.
    """
    edits: dict[int, list[Edit]] = {}
    left: dict[int, Problem] = {}
    for number, block in blocks.items():
        node = sites[number]
        shared, overrides = _shared_anchor(node), node.site.overrides
        changes = None if shared or overrides is None else _changes(node, overrides, block)
        if shared:
            message = f"the anchor &{shared} is used in another place"
            left[number] = _problem(node, "shared-anchor", message, "Write both values")
        elif changes is None:
            left[number] = _uneditable(node, block)
        else:
            edits[number] = changes
    edited = _edited(document, sites, blocks, edits)
    if edited is None:  # one of them changes other values, too
        right: dict[int, list[Edit]] = {}
        edited = EditedDocument(document, tuple(sites), document.text, tuple(sites), ())
        for number, changes in edits.items():
            new = _edited(document, sites, blocks, {**right, number: changes})
            if new is None:
                left[number] = _uneditable(sites[number], blocks[number])
            else:
                right[number], edited = changes, new
    return edited._replace(left=left)


def _uneditable(node: SiteNode, block: Mapping[str, Any]) -> Problem:
    message = "cannot be edited without changing other parts"
    if (node.parent or node.document.root).style:
        message = "is in flow style, such as JSON, expected one field per line"
    return _problem(node, "uneditable-text", message, f'Write "{BLOCK}": {json.dumps(block)} in it')


def _problem(node: SiteNode, code: str, message: str, hint: str) -> Problem:
    return Problem("error", code, Location(field=node.site.field), message, hint)


def _edited(
    document: SourceDocument,
    sites: Sequence[SiteNode],
    blocks: Mapping[int, Mapping[str, Any]],
    edits: Mapping[int, list[Edit]],
) -> EditedDocument | None:
    """The document after ``edits``; ``None`` if it has other values than those of ``blocks`` and of ``document``."""
    text = apply_edits(document.text, [edit for changes in edits.values() for edit in changes])
    try:
        root = parse_tree(text).root
    except YamlError:
        return None
    new_sites = [] if root is None else sites_in(document._replace(text=text, root=root))
    if root is None or len(new_sites) != len(sites):
        return None
    pairs = enumerate(zip(sites, new_sites, strict=True))
    written = all(_is_written(old.site, new.site, blocks[at] if at in edits else None) for at, (old, new) in pairs)
    same = _other_values(document.root, sites, edits) == _other_values(root, new_sites, edits)
    return EditedDocument(document, tuple(sites), text, tuple(new_sites), tuple(edits)) if written and same else None


def _is_written(old: Site, new: Site, block: Mapping[str, Any] | None) -> bool:
    """Whether ``new`` is ``old`` with the selection ``block``, whose names can have any order."""
    if block is None or old.overrides is None or new.overrides is None:
        return old.overrides == new.overrides
    written = new.overrides.values.get(BLOCK)
    expected = {**old.overrides.values, BLOCK: written}
    return bool(_sorted(written) == _sorted(block) and new.overrides.values == expected)


def _sorted(block: Any) -> Any:
    if not isinstance(block, Mapping):
        return block
    values = {field: value for field, value in block.items() if value != []}
    return {field: sorted(value, key=repr) if isinstance(value, list) else value for field, value in values.items()}


def _other_values(root: Node, sites: Sequence[SiteNode], numbers: Mapping[int, object]) -> dict[str, tuple[str, str]]:
    """The kind and value of each node that is not a map, by path, without the selections of ``numbers``."""
    pairs = [pair for number in numbers if (pair := sites[number].pair) is not None]
    selected = {id(node) for pair in pairs for _path, node in walk(pair.value)}
    return {
        path: (node.kind + node.tag, node.value)
        for path, node in walk(root)
        if id(node) not in selected and (node.kind in ("scalar", "alias") or not (node.pairs or node.items))
    }


def _changes(node: SiteNode, overrides: Overrides, block: Mapping[str, Any]) -> list[Edit] | None:
    """The edits that write ``block``. ``None`` if only a person can write it."""
    text, pair, form = node.document.text, node.pair, node.site.form
    try:
        if form == "block":
            return [Edit(0, len(text), edit_capabilities(read_document(text.encode(), ""), block, ""))]
        if node.parent is not None and node.parent.style:
            return None
        if form == "cluster-version":
            if pair is None or not pair.value.pairs:
                return None
            if (flow := pair.value).style:
                has_comments = "#" in text[flow.start : flow.end]
                return None if has_comments else [Edit(flow.start, flow.end, json.dumps(block))]
            return list(map_edits(text, pair, overrides.values[BLOCK], block, indent_style(text, node.origin.node)))
        if any(key != BLOCK and key.lower() == BLOCK for key in overrides.values):
            return None  # the installer reads it, too
        value = _new_overrides(overrides, block)
    except (CapabilityError, YamlError):  # not all JSON is YAML
        return None
    edit: Edit | None = None
    if pair is None:
        edit = _new_field(node, value)
    elif pair.value.kind == "scalar":
        old = pair.value
        if old.style and old.value:
            edit = _replace_json(text, old, value)
        elif not old.value or resolve_plain(old.value) is None:
            edit = Edit(old.start, old.end, f"{' ' if old.is_empty else ''}{_quote_json(value)}")
    return None if edit is None else [edit]


def _new_overrides(overrides: Overrides, block: Mapping[str, Any]) -> str:
    """The JSON with ``block`` as its ``capabilities``; everything else in it stays as it is, white space included."""
    if not overrides.text:
        return json.dumps({**overrides.values, BLOCK: block}, separators=(",", ":"))
    text = overrides.text
    root = parse_tree(text).root
    if root is None:
        return text
    start = root.pairs[0].key.start if root.pairs else 0
    indent = text[line_start(text, start) : start]
    is_indented = "\n" in text and not indent.strip()
    separators = None if is_indented or '": ' in text else (",", ":")
    new = json.dumps(block, indent=indent if is_indented else None, separators=separators).replace("\n", f"\n{indent}")
    if pair := own_pair(root, BLOCK):
        return apply_edits(text, [Edit(pair.value.start, pair.value.end, new)])
    end = root.pairs[-1].end if root.pairs else root.start + 1
    between = "" if not root.pairs else f",\n{indent}" if is_indented else ", "
    return apply_edits(text, [Edit(end, end, f'{between}"{BLOCK}": {new}')])


def _new_field(node: SiteNode, value: str) -> Edit | None:
    """The edit that adds the overrides to a site that has none."""
    text, parent, key = node.document.text, node.parent, node.key
    lines = [f"{key}: {_quote_json(value)}"]
    if parent is None and key == ANNOTATION:
        parent = node.document.get(node.origin.node, "metadata")
        lines = ["annotations:", f"{' ' * _STEP}{lines[0]}"]
    if parent is None or not parent.pairs or parent.style:
        return None
    after = (own_pair(parent, _BEFORE_OVERRIDES) if key == OVERRIDES else None) or parent.pairs[-1]
    index, indent = line_end(text, after.end), " " * column_of(text, parent.pairs[0].key.start)
    newline = newline_at(text, parent.pairs[0].key.start)
    new = "".join(f"{indent}{line}{newline}" for line in lines)
    if line_start(text, index) != index:  # the last line has no line break
        new = newline + new.removesuffix(newline)
    return Edit(index, index, new)


def _shared_anchor(node: SiteNode) -> str:
    """The anchor of a node in the selection that is used outside of it, or ``""``; an alias as the selection itself."""
    if node.pair is None:
        return ""
    value = node.pair.value
    if value.kind == "alias":
        return value.value
    anchors = {item.start: item.anchor for _path, item in walk(value) if item.anchor}
    if not anchors:
        return ""
    for _path, item in walk(node.document.root):
        if item.kind == "alias" and item.target in anchors and not value.start <= item.start < value.end:
            return anchors[item.target]
    return ""


def _replace_json(text: str, node: Node, value: str) -> Edit | None:
    """The edit that sets the scalar ``node`` to ``value``. ``None`` if the scalar is not quoted and no block.

    A quoted scalar is written on one line, in the same quotes. A block keeps its lines and its indentation. A folded
    block becomes a literal one, because folding changes lines.
    """
    if node.style in ("|", ">"):
        return _with_literal(text, node, value)
    if node.style not in ("'", '"'):
        return None
    return Edit(text.index(node.style, node.start), node.end, _quote_json(value, node.style))


def _quote_json(value: str, style: str = "'") -> str:
    """``value`` as a scalar on one line, in the quotes ``style``."""
    if style == '"':
        return f'"{"".join(_SPECIAL.get(char, char) for char in value)}"'
    # A line break would be folded. In JSON it is white space, because strings contain none.
    return "'" + re.sub(r"\s*\n\s*", " ", value).replace("'", "''") + "'"


def _with_literal(text: str, node: Node, value: str) -> Edit | None:
    header = _HEADER.search(text, node.start)
    if header is None:
        return None
    index = end = header.end()
    # With an indicator, the value itself can begin with spaces.
    first = next((line for line in node.value.splitlines() if line.strip(" ")), "")
    spaces = len(first) - len(first.lstrip(" "))
    indent: int | None = None
    while index < len(text) and (line := _LINE.match(text, index)):
        content = line[1].lstrip(" ")
        if content:
            column = len(line[1]) - len(content)
            indent = column - spaces if indent is None else indent
            if column < indent:
                break
            end = line.end()
        index = line.end()
    newline = newline_at(text, node.start)
    lines = (" " * (indent or 0) + line if line else "" for line in value.rstrip("\n").split("\n"))
    last = newline if text[end - 1] in "\r\n" else ""
    return Edit(header.start(), end, f"|{header['rest']}{newline.join(lines)}{last}")
