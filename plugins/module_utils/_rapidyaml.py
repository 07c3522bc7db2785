# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The optional accelerator: heads of documents through rapidyaml, where that is certain to read them rightly.

rapidyaml parses an order of magnitude faster than libyaml, but it is more lenient (undefined aliases, control
characters) and refuses some valid documents. So whatever could be doubtful is not decided here: ``read_head``
raises ``DoubtfulError``, and the caller asks ``_yaml``, whose answer counts.
"""

from __future__ import annotations

from typing import Any

import ryml

from ._head import HEAD_FIELDS, Head, resolve_plain

_NONE = ryml.NONE
_ALLOWED = bytes(byte for byte in range(256) if byte in (0x0A,) or (byte >= 0x20 and byte != 0x7F))
_METADATA_FIELDS = frozenset({"name", "namespace", "annotations"})
_BOM = b"\xef\xbb\xbf"
_ANCHOR_BEFORE = b" \n[{,:-"
_ANCHOR_AFTER = b" \n&="


class DoubtfulError(Exception):
    """The document may be one that rapidyaml reads wrongly, or refuses wrongly."""


def read_head(data: bytes) -> Head:
    """Read the head of a document as ``_yaml.read_head`` does, or raise ``DoubtfulError``."""
    # Tabs, CRs and control characters, merge keys, anchors: all rare in releases, all read differently.
    if data.translate(None, _ALLOWED) or b"<<" in data or _may_have_anchor(data):
        raise DoubtfulError
    buffer = bytearray(data.removeprefix(_BOM))  # the tree points into it
    tree = ryml.Tree()
    try:
        ryml.parse_in_place(buffer, tree=tree)
        if b"*" in data:
            tree.resolve()  # without anchors, any alias is undefined, and this is what tells
    except (ryml.ExceptionBasic, ryml.ExceptionParse, ryml.ExceptionVisit) as error:
        raise DoubtfulError from error
    root = tree.root_id()
    if not tree.is_map(root):
        raise DoubtfulError
    fields = _fields(tree, root)
    del buffer
    return Head(fields, False)


def _fields(tree: Any, root: int) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    node = tree.first_child(root)
    while node != _NONE:
        key = _key(tree, node)
        fields[key] = (_metadata if key == "metadata" else _value)(tree, node) if key in HEAD_FIELDS else None
        node = tree.next_sibling(node)
    return fields


def _metadata(tree: Any, node: int) -> Any:
    if not tree.is_map(node):
        return _value(tree, node)
    fields: dict[str, Any] = {}
    child = tree.first_child(node)
    while child != _NONE:
        key = _key(tree, child)
        if key in _METADATA_FIELDS:
            fields[key] = _value(tree, child)
        child = tree.next_sibling(child)
    return fields


def _value(tree: Any, node: int) -> Any:
    if tree.has_val(node):
        if tree.has_val_tag(node):
            raise DoubtfulError
        text = bytes(tree.val(node)).decode()
        return text if tree.is_val_quoted(node) else resolve_plain(text)
    if not tree.is_map(node):
        if not tree.is_seq(node):
            raise DoubtfulError
        return []
    fields: dict[str, Any] = {}
    child = tree.first_child(node)
    while child != _NONE:
        fields[_key(tree, child)] = _value(tree, child)
        child = tree.next_sibling(child)
    return fields


def _key(tree: Any, node: int) -> str:
    if tree.has_key_tag(node):
        raise DoubtfulError
    return bytes(tree.key(node)).decode()


def _may_have_anchor(data: bytes) -> bool:
    at = data.find(b"&")
    while at >= 0:
        if data[at - 1 : at] in _ANCHOR_BEFORE and data[at + 1 : at + 2] not in _ANCHOR_AFTER:
            return True
        at = data.find(b"&", at + 1)
    return False
