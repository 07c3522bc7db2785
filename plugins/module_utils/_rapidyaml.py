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

try:
    import ryml
except ImportError:  # optional: _release asks HAS_RAPIDYAML
    ryml = None

from ._head import HEAD_FIELDS, Head, resolve_plain

HAS_RAPIDYAML = ryml is not None

_METADATA_FIELDS = frozenset({"name", "namespace", "annotations"})
_BOM = b"\xef\xbb\xbf"
_ALLOWED = bytes(byte for byte in range(256) if byte == 0x0A or (byte >= 0x20 and byte != 0x7F))
_MAPS: dict[str, dict[str, Any]] = {}
"""Maps read so far, by their YAML; shared, so nobody may change one."""

_ANCHOR_BEFORE = b" \n[{,:-"
_ANCHOR_AFTER = b" \n&="


class DoubtfulError(Exception):
    """The document may be one that rapidyaml reads wrongly, or refuses wrongly."""


def read_head(data: bytes) -> Head:
    """Read the head of a document as ``_yaml.read_head`` does, or raise ``DoubtfulError``."""
    # Tabs, CRs, control characters and anchors: all rare in releases, all read differently.
    if data.translate(None, _ALLOWED) or _may_have_anchor(data):
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
    fields = _fields(tree, root, HEAD_FIELDS)
    del buffer
    return Head(fields, False)


def _fields(tree: Any, parent: int, wanted: frozenset[str] | None) -> dict[str, Any]:
    """Read a map: the fields ``wanted``, all of them where that is ``None``. The last of repeated keys counts."""
    # One call for the type, one for the key: each crossing into the library costs as much as ten lines here.
    key_doubts, value, doubts, quoted = _KEY_DOUBTS, _VALUE, _VALUE_DOUBTS, _QUOTED
    type_of, key_of, next_sibling, none = tree.type, tree.key, tree.next_sibling, ryml.NONE
    fields: dict[str, Any] = {}
    node = tree.first_child(parent)
    while node != none:
        kind = type_of(node)
        key = str(key_of(node), "utf-8")
        if kind & key_doubts or key == "<<":
            raise DoubtfulError
        if wanted is not None and key not in wanted:
            if wanted is HEAD_FIELDS:
                fields[key] = None
        elif kind & doubts:
            raise DoubtfulError
        elif kind & value:
            text = str(tree.val(node), "utf-8")
            fields[key] = text if kind & quoted else resolve_plain(text)
        elif kind & _MAP and wanted is HEAD_FIELDS:
            fields[key] = _fields(tree, node, _METADATA_FIELDS)
        elif kind & _MAP:
            fields[key] = _map(tree, node)
        else:
            fields[key] = []
        node = next_sibling(node)
    return fields


def _map(tree: Any, node: int) -> dict[str, Any]:
    """Read a whole map, or find one that was read before: a thousand manifests share a few hundred annotation maps."""
    text = ryml.emit_yaml(tree, node)
    if "|" in text or ">" in text:  # block scalars: not told apart by their text with the same certainty
        return _fields(tree, node, None)
    known = _MAPS.get(text)
    if known is None:
        known = _MAPS[text] = _fields(tree, node, None)
    return known


def _may_have_anchor(data: bytes) -> bool:
    at = data.find(b"&")
    while at >= 0:
        if data[at - 1 : at] in _ANCHOR_BEFORE and data[at + 1 : at + 2] not in _ANCHOR_AFTER:
            return True
        at = data.find(b"&", at + 1)
    return False


if HAS_RAPIDYAML:
    _VALUE, _MAP = ryml.VAL, ryml.MAP
    _QUOTED = ryml.VALQUO
    _KEY_DOUBTS = ryml.KEYTAG | ryml.KEYANCH | ryml.KEYREF
    _VALUE_DOUBTS = ryml.VALTAG | ryml.VALANCH | ryml.VALREF
