# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Optional accelerator: reads heads of documents with rapidyaml.

rapidyaml parses several times faster than libyaml, but it is more lenient (undefined aliases, control characters)
and rejects some valid documents. So ``read_head`` raises ``UnsupportedSyntax`` for every document that it may read
wrongly, and the caller uses ``libyaml``, which is the reference. One difference remains: some rare syntax errors
(``a: ]``, ``{a:}``) in bodies, which no decision reads, are reported only when the body is loaded.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

try:
    import ryml
except ImportError:  # optional: _release.manifest_file checks HAS_RAPIDYAML
    ryml = None

from .head import HEAD_FIELDS, Head, resolve_plain

HAS_RAPIDYAML = ryml is not None

_METADATA_FIELDS = frozenset({"name", "namespace", "annotations"})
_BOM = b"\xef\xbb\xbf"
_MAPS: dict[str, dict[str, Any]] = {}
"""Maps read so far, by their YAML. They are shared and must not be changed."""

_BEGINNING = rb"(?:\xef\xbb\xbf)?(?: *(?:#[^\n]*)?\n)*[A-Za-z]"
"""A block map after comments. libyaml reads directives, tags, flow maps and other syntax."""

_NULL_KEYS = frozenset({"null", "Null", "NULL"})
_INDICATORS = frozenset("@`%|>!&*{}[],#\"'")
"""Characters with which no plain scalar begins."""

_VALUE_BEFORE = (b": ", b"- ")
_ANCHOR_BEFORE = b" \n[{,:-"
_ANCHOR_AFTER = b" \n&="

_IsOdd = Callable[[bytes, int], bool]
_ODD_CHARACTERS: dict[bytes, _IsOdd] = {
    b"\xc2": lambda data, at: data[at + 1] < 0xA0,  # U+0080 to U+009F
    b"\xe2": lambda data, at: data[at + 1 : at + 3] in (b"\x80\xa8", b"\x80\xa9"),  # U+2028, U+2029
    b"\xef": lambda data, at: at > 0 and data[at + 1 : at + 3] in (b"\xbb\xbf", b"\xbf\xbe", b"\xbf\xbf"),
}
"""First bytes of characters that libyaml reads differently: line breaks and controls beyond ASCII, byte order marks
inside the text, and code points that are not characters."""


class UnsupportedSyntax(Exception):
    """rapidyaml may read the document wrongly, or reject it although it is valid."""


def read_head(data: bytes) -> Head:
    """Read the head of a document as ``libyaml.read_head`` does, or raise ``UnsupportedSyntax``."""
    if _has_rare_syntax(data) or not re.match(_BEGINNING, data):
        raise UnsupportedSyntax
    try:
        with _discarded_stderr():
            tree = ryml.parse_in_arena(data.removeprefix(_BOM))
            if b"*" in data:
                tree.resolve()  # raises for undefined aliases
            root = tree.root_id()
            if not tree.is_map(root):
                raise UnsupportedSyntax
            fields = _fields(data, tree, root, HEAD_FIELDS)
    except (ryml.ExceptionBasic, ryml.ExceptionParse, ryml.ExceptionVisit, UnicodeDecodeError) as error:
        raise UnsupportedSyntax from error  # also for escapes that are not characters, and for excessive nesting
    return Head(fields, False)


_STDERR = 2
_STDERR_LOCK = threading.Lock()


@contextmanager
def _discarded_stderr() -> Iterator[None]:
    """Discard what is written to the file descriptor of stderr.

    rapidyaml prints each error there before it raises the exception, and its bindings cannot disable that. libyaml
    reports the same error again if the document really has one.
    """
    with _STDERR_LOCK:  # a second thread would keep the redirected descriptor as the original one
        try:
            original = os.dup(_STDERR)
        except OSError:  # closed: nothing can be printed
            yield
            return
        try:
            sink = os.open(os.devnull, os.O_WRONLY)
            os.dup2(sink, _STDERR)
            os.close(sink)
            yield
        finally:
            os.dup2(original, _STDERR)
            os.close(original)


def _fields(data: bytes, tree: Any, parent: int, selected: frozenset[str] | None) -> dict[str, Any]:
    """Read the fields ``selected`` of a map, all of them if that is ``None``. The last of repeated keys counts."""
    # One call for the type, one for the key: each crossing into the library costs as much as ten lines here.
    quoted_key, value, doubts = _QUOTED_KEY, _VALUE, _DOUBTS
    quoted, block = _QUOTED, _BLOCK
    type_of, key_of, next_sibling, none = tree.type, tree.key, tree.next_sibling, ryml.NONE
    fields: dict[str, Any] = {}
    node = tree.first_child(parent)
    while node != none:
        key = str(key_of(node) or b"", "utf-8")
        if not key[:1].isalnum() or " " in key:
            raise UnsupportedSyntax
        if selected is not None and key not in selected:
            if selected is HEAD_FIELDS:
                fields[key] = None
            node = next_sibling(node)
            continue
        kind = type_of(node)
        if kind & quoted_key and f'"{key}":'.encode() not in data:  # else it may span lines
            raise UnsupportedSyntax
        if kind & doubts or key in _NULL_KEYS:
            raise UnsupportedSyntax
        if kind & value:
            text = str(tree.val(node) or b"", "utf-8")
            if kind & quoted:
                if kind & block and not re.search(rb"(?m)^ *%b: [|>][-+]?$" % re.escape(key).encode(), data):
                    raise UnsupportedSyntax  # a header with more indicators
                fields[key] = text
            elif text[:1] in _INDICATORS or ": " in text or " #" in text:
                raise UnsupportedSyntax
            else:
                fields[key] = resolve_plain(text)
        elif kind & _MAP and selected is HEAD_FIELDS:
            fields[key] = _fields(data, tree, node, _METADATA_FIELDS)
        elif kind & _MAP:
            fields[key] = _map(data, tree, node)
        else:
            raise UnsupportedSyntax
        node = next_sibling(node)
    return fields


def _map(data: bytes, tree: Any, node: int) -> dict[str, Any]:
    """Read a whole map, or reuse one: a thousand manifests share a few hundred annotation maps."""
    text = ryml.emit_yaml(tree, node)
    known = _MAPS.get(text)
    if known is None:
        known = _MAPS[text] = _fields(data, tree, node, None)
    return known


def _has_rare_syntax(data: bytes) -> bool:
    """Whether a document contains something that libyaml may read differently. Such documents are rare in releases."""
    rare = data.translate(None, _ORDINARY)
    if rare:
        if rare.translate(None, b"".join(_ODD_MARKS)):  # tabs, CRs and other control characters
            return True
        if any(mark in rare and _occurs(data, mark, is_odd) for mark, is_odd in _ODD_MARKS.items()):
            return True
    return not data.isascii() and any(_occurs(data, lead, is_odd) for lead, is_odd in _ODD_CHARACTERS.items())


def _occurs(data: bytes, mark: bytes, is_odd: _IsOdd) -> bool:
    at = data.find(mark)
    while at >= 0:
        if is_odd(data, at):
            return True
        at = data.find(mark, at + 1)
    return False


def _may_be_anchor(data: bytes, at: int) -> bool:
    before = data[at - 2 : at]
    return before in _VALUE_BEFORE or (before[-1:] in _ANCHOR_BEFORE and data[at + 1 : at + 2] not in _ANCHOR_AFTER)


def _begins_value(data: bytes, at: int) -> bool:
    return data[at - 2 : at] in _VALUE_BEFORE


def _breaks_line(data: bytes, at: int) -> bool:
    return data.startswith(b"\n", at + 1) and not data[at + 2 : data.find(b"\n", at + 2)].strip()


_ODD_MARKS: dict[bytes, _IsOdd] = {
    b"&": _may_be_anchor,
    b"@": _begins_value,
    b"%": _begins_value,
    b"\\": _breaks_line,
}
"""Rare characters, with a check whether rapidyaml reads them differently: anchors, scalars of an unrendered template
(``@`` and ``%`` cannot begin a scalar), lines of a quoted scalar that end with a backslash before an empty line."""

_ORDINARY = bytes(set(range(0x20, 0x100)) - {0x7F} - set(b"".join(_ODD_MARKS)) | {0x0A})

if HAS_RAPIDYAML:
    _VALUE, _MAP = ryml.VAL, ryml.MAP
    _QUOTED, _BLOCK = ryml.VALQUO, ryml.VAL_LITERAL | ryml.VAL_FOLDED
    _QUOTED_KEY = ryml.KEYQUO
    _DOUBTS = (
        ryml.KEYTAG | ryml.KEYANCH | ryml.KEYREF | ryml.VALTAG | ryml.VALANCH | ryml.VALREF | ryml.CONTAINER_STYLE_FLOW
    )
