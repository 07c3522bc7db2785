# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Writes the selection of a site into the text of its document. Everything else stays the same, byte for byte.

Each result is read back. It is used only if the selection is the new one and every other value is unchanged.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from .._data.capabilities import API_ADDITIONAL, API_FIELDS
from .._install_config.document import read_document
from .._install_config.edit import edit_capabilities, spliced
from .._install_config.flow_style import Edit, quoted
from .._problems import CapabilityError, Problem
from .._yaml.nodes import column_of, line_end, line_start, newline_at, own_pair, parse_tree, walk
from .._yaml.values import resolve_plain
from .document import SourceDocument
from .edit_check import SiteEdit, is_right, lists_of
from .form import BLOCK
from .lists import edit_lists
from .overrides import Overrides
from .scalar import quoted as quoted_json
from .scalar import replaced
from .site import ANNOTATION, OVERRIDES, Site

_STEP = 2
_BEFORE_OVERRIDES = "clusterImageSetNameRef"


class EditError(CapabilityError):
    """A selection cannot be written without changing other parts of the text."""


def edit_site(edit: SiteEdit) -> str:
    """The text of the document of a site with its new selection.

    Raises ``EditError`` if only a person can write it.
    """
    site = edit.site
    shared = _shared_anchor(site)
    if shared:
        raise _error(site, "shared-anchor", f"the anchor &{shared} is used in another place", "Write both values")
    try:
        text = _edited(*edit)
    except CapabilityError:
        text = None
    if text is None or not is_right(site.document, [edit], text):
        hint = "Write it as in the examples of the module"
        raise _error(site, "uneditable-text", "cannot be edited without changing other parts", hint)
    return text


def edit_sites(document: SourceDocument, edits: Sequence[SiteEdit]) -> str | None:
    """The text of ``document`` with all new selections, parsed only once. ``None`` if one of them is not possible."""
    changes: list[Edit] = []
    for edit in edits:
        try:
            text = None if _shared_anchor(edit.site) else _edited(*edit)
        except CapabilityError:
            text = None
        if text is None:
            return None
        changes.append(_difference(document.text, text))
    changes.sort()
    if any(first.end > second.start for first, second in pairwise(changes)):
        return None
    text = spliced(document.text, changes)
    return text if is_right(document, edits, text) else None


def _difference(before: str, after: str) -> Edit:
    """The edit that turns ``before`` into ``after``."""
    most = min(len(before), len(after))
    start = bisect_left(range(most), True, key=lambda index: before[: index + 1] != after[: index + 1])  # noqa: FBT003
    most -= start
    same = bisect_left(range(most), True, key=lambda index: before[~index:] != after[~index:])  # noqa: FBT003
    return Edit(start, len(before) - same, after[start : len(after) - same])


def _error(site: Site, code: str, message: str, hint: str) -> EditError:
    return EditError([Problem("error", code, site.path, message, hint)])


def _edited(site: Site, overrides: Overrides, block: Mapping[str, Any]) -> str | None:
    document = site.document
    if site.form == "block":
        return _with_block(document.text, block)
    if site.form in ("cluster-version", "hosted"):
        return None if site.pair is None else edit_lists(document.text, site.pair.value, lists_of(block))
    value = new_json(overrides, block)
    if site.pair is None:
        return _with_new_field(site, value)
    node = site.pair.value
    if node.kind == "scalar" and node.style and node.value:
        return replaced(document.text, node, value)
    if node.is_empty and site.pair.colon > 0:
        return f"{document.text[: site.pair.colon]} {quoted_json(value)}{document.text[site.pair.colon :]}"
    if node.kind == "scalar" and (not node.value or (not node.style and resolve_plain(node.value) is None)):
        return document.text[: node.start] + quoted_json(value) + document.text[node.end :]
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


def _with_new_field(site: Site, value: str) -> str | None:
    """Add the overrides to a site that has none."""
    text, parent, field = site.document.text, site.parent, site.field
    lines = [f"{field}: {quoted_json(value)}"]
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
    if not anchors:
        return ""
    for _path, node in walk(site.document.root):
        if node.kind == "alias" and node.target in anchors and not value.start <= node.start < value.end:
            return anchors[node.target]
    return ""
