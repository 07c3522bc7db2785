# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Writes the selection of a site into the text of its document. Everything else stays the same, byte for byte.

Each result is read back. It is used only if the selection is the new one and every other value is unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .._data.capabilities import API_ADDITIONAL, API_FIELDS
from .._install_config.document import read_document
from .._install_config.edit import edit_capabilities
from .._install_config.flow_style import quoted
from .._problems import CapabilityError, Problem
from .._yaml.head import YamlError, resolve_plain
from .._yaml.nodes import Node, column_of, line_end, line_start, newline_at, own_pair, parse_tree, walk
from .form import BLOCK
from .lists import edit_lists
from .overrides import Overrides
from .scalar import replaced
from .site import ANNOTATION, OVERRIDES, Site

_STEP = 2
_ITEM = re.compile(r"\.([A-Za-z]+)\[[0-9]+\]")
_BEFORE_OVERRIDES = "clusterImageSetNameRef"


class EditError(CapabilityError):
    """A selection cannot be written without changing other parts of the text."""


def edit_site(site: Site, overrides: Overrides, block: Mapping[str, Any]) -> str:
    """The text of the document of ``site`` with the selection ``block``.

    Raises ``EditError`` if only a person can write it.
    """
    shared = _shared_anchor(site)
    if shared:
        raise _error(site, "shared-anchor", f"the anchor &{shared} is used in another place", "Write both values")
    try:
        text = _edited(site, overrides, block)
    except CapabilityError:
        text = None
    if text is None or not _is_right(site, overrides, block, text):
        hint = "Write it as in the examples of the module"
        raise _error(site, "uneditable-text", "cannot be edited without changing other parts", hint)
    return text


def _error(site: Site, code: str, message: str, hint: str) -> EditError:
    return EditError([Problem("error", code, site.path, message, hint)])


def _edited(site: Site, overrides: Overrides, block: Mapping[str, Any]) -> str | None:
    document = site.document
    if site.form == "block":
        return _with_block(document.text, block)
    if site.form in ("cluster-version", "hosted"):
        return None if site.pair is None else edit_lists(document.text, site.pair.value, _lists(block))
    value = new_json(overrides, block)
    if site.pair is None:
        return _with_new_field(site, value)
    node = site.pair.value
    if node.kind == "scalar" and node.style and node.value:
        return replaced(document.text, node, value)
    if node.is_empty and site.pair.colon > 0:
        return f"{document.text[: site.pair.colon]} {_quoted(value)}{document.text[site.pair.colon :]}"
    if node.kind == "scalar" and (not node.value or (not node.style and resolve_plain(node.value) is None)):
        return document.text[: node.start] + _quoted(value) + document.text[node.end :]
    return None


def new_json(overrides: Overrides, block: Mapping[str, Any]) -> str:
    """The JSON with ``block`` merged into the overrides; what is there stays as it is, white space included."""
    if not overrides.text:
        return json.dumps({**overrides.values, BLOCK: block}, separators=(",", ":"))
    fields = overrides.values.get(BLOCK)
    text = overrides.text
    if isinstance(fields, Mapping) and not set(fields) <= set(API_FIELDS):
        # Its exclusion list is replaced with everything next to it.
        text = _without_fields(text)
    return _with_block(text, block)


def _with_block(text: str, block: Mapping[str, Any]) -> str:
    """A text with a map as its root, and ``block`` below ``capabilities``."""
    return edit_capabilities(read_document(_respelled(text, block).encode(), ""), block, "")


def _respelled(text: str, block: Mapping[str, Any]) -> str:
    """``text`` with names in the case of ``block``, so they keep their place, their quotes and their comments."""
    root = parse_tree(text).root
    pair = own_pair(root, BLOCK) if root is not None else None
    listed = own_pair(pair.value, API_ADDITIONAL) if pair is not None else None
    items = listed.value.items if listed is not None else ()
    values = [item.value for item in items]
    spelling = {name.lower(): name for name in block.get(API_ADDITIONAL, ()) if name not in values}
    for item in reversed(items):
        name = spelling.pop(item.value.strip().lower(), None)
        if name is not None and item.kind == "scalar" and not item.anchor and not item.tag:
            text = text[: item.start] + quoted(name, item.style) + text[item.end :]
    return text


def _without_fields(text: str) -> str:
    """JSON in which the map ``capabilities`` is empty."""
    root = parse_tree(text).root
    pair = own_pair(root, BLOCK) if root is not None else None
    return text if pair is None else f"{text[: pair.value.start]}{{}}{text[pair.value.end :]}"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _with_new_field(site: Site, value: str) -> str | None:
    """Add the overrides to a site that has none."""
    text, parent, field = site.document.text, site.parent, site.field
    lines = [f"{field}: {_quoted(value)}"]
    if parent is None and field == ANNOTATION:
        parent = site.document.get(site.origin.node, "metadata")
        lines = ["annotations:", f"{' ' * _STEP}{lines[0]}"]
    if parent is None or not parent.pairs or not text:
        return None
    if parent.style:
        if field == ANNOTATION and len(lines) > 1:
            return None
        entry = f", {json.dumps(field)}: {json.dumps(value)}"
        return text[: parent.pairs[-1].end] + entry + text[parent.pairs[-1].end :]
    after = (own_pair(parent, _BEFORE_OVERRIDES) if field == OVERRIDES else None) or parent.pairs[-1]
    index, indent = line_end(text, after.end), " " * column_of(text, parent.pairs[0].key.start)
    newline = newline_at(text, parent.pairs[0].key.start)
    new = "".join(f"{indent}{line}{newline}" for line in lines)
    if line_start(text, index) != index:  # the last line has no line break
        new = newline + new.removesuffix(newline)
    return text[:index] + new + text[index:]


def _shared_anchor(site: Site) -> str:
    """The anchor of a node in the selection that is used outside of it, or ``""``; an alias as the selection itself."""
    if site.pair is None:
        return ""
    value = site.pair.value
    if value.kind == "alias":
        return value.value
    anchors = {node.start: node.anchor for _path, node in walk(value) if node.anchor}
    for _path, node in walk(site.document.root):
        if node.kind == "alias" and node.target in anchors and not value.start <= node.start < value.end:
            return anchors[node.target]
    return ""


def _is_right(site: Site, overrides: Overrides, block: Mapping[str, Any], text: str) -> bool:
    """Whether ``text`` has the selection, and is otherwise the document of ``site``."""
    try:
        root = parse_tree(text).root
    except YamlError:
        return False
    if root is None:
        return False
    old, new = _values(site.document.root), _values(root)
    changed = {path for path in {*old, *new} if old.get(path) != new.get(path)}
    prefix = next(iter(_paths(site.document.root, site)), None)
    if prefix is None or not all(path == prefix or path.startswith((f"{prefix}.", f"{prefix}[")) for path in changed):
        return False
    if site.form == "block":
        return True  # the edit has checked it
    if site.form != "overrides":
        return _names_below(prefix, new) == {field: sorted(names) for field, names in _lists(block).items() if names}
    try:
        written = json.loads(new.get(prefix, ("", ""))[1])
    except ValueError:
        return False
    return bool(written == {**overrides.values, BLOCK: _ordered(written.get(BLOCK), block)})


def _lists(block: Mapping[str, Any]) -> dict[str, list[str]]:
    return {field: value for field, value in block.items() if isinstance(value, list)}


def _names_below(prefix: str, values: Mapping[str, tuple[str, str]]) -> dict[str, list[str]]:
    """The items of the lists below ``prefix``, sorted, by the key of the list."""
    lists: dict[str, list[str]] = {}
    for path, (_kind, value) in values.items():
        if (item := _ITEM.fullmatch(path.removeprefix(prefix))) and path.startswith(prefix):
            lists.setdefault(item[1], []).append(value)
    return {field: sorted(names) for field, names in lists.items()}


def _ordered(written: object, block: Mapping[str, Any]) -> object:
    """``written`` if it is ``block`` with names in any order, else ``block``."""
    same = isinstance(written, dict) and {key: _sorted(value) for key, value in written.items()} == {
        key: _sorted(value) for key, value in block.items()
    }
    return written if same else block


def _sorted(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) else value


def _values(root: Node) -> dict[str, tuple[str, str]]:
    """The kind and value of each node that is not a map, by path."""
    return {
        path: (node.kind + node.tag, node.value)
        for path, node in walk(root)
        if node.kind in ("scalar", "alias") or not (node.pairs or node.items)
    }


def _paths(root: Node, site: Site) -> list[str]:
    """The path of the selection of ``site`` in its document, as ``walk`` builds it."""
    parent = site.parent
    if parent is None:
        metadata = site.document.get(site.origin.node, "metadata")
        return [f"{path}.annotations.{site.field}" for path, node in walk(root) if node is metadata]
    return [f"{path}.{site.field}".lstrip(".") for path, node in walk(root) if node is parent]
