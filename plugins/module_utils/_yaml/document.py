# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Divides the text of a YAML document at a field of its root, so the rest can be sent as it was written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_BEGINNING = re.compile(rb"(?: *(?:#[^\n]*)?\r?\n)*[A-Za-z]")
"""A block map whose keys begin their lines, after comments. Directives, flow maps and indented maps do not match."""

# ``^`` would make these patterns ten times slower.
_OTHER_SYNTAX = re.compile(rb"\n[^ \r\n#A-Za-z-]")
"""A line that begins with a quote, a bracket, an anchor, a tag, a tab, an explicit key or the end of the document."""

_ONLY_NAME = re.compile(rb"[A-Za-z]+:[ \t]*(?:#[^\n]*)?\r?")
_SCALAR = rb"[^ \r\n\t\"'\\{\[|>&*!%@`#,?:-][^\r\n\"'\\{\[]*|\"[^\r\n\"\\]*\"|'[^\r\n']*'"
_SIMPLE_LINE = re.compile(rb"( *)(?:([A-Za-z0-9_./-]+):(?: +(?:" + _SCALAR + rb"))? *|#[^\r\n]*)?\r?")
"""A blank line, a comment, or a name with an optional scalar that ends on the line."""

_NEXT_FIELD = re.compile(rb"\n[A-Za-z]")


class DividedDocument(NamedTuple):
    """The text ``before`` a field, of the ``field`` itself, and ``after`` it. Together they are the document."""

    before: bytes
    field: bytes
    after: bytes


class TextBody(NamedTuple):
    """A body for server-side apply: ``metadata``, and the YAML text ``before`` and ``after`` it."""

    before: bytes
    metadata: Mapping[str, Any]
    after: bytes

    def with_metadata(self, **fields: Any) -> TextBody:
        """Copy the body with more fields in its metadata."""
        return self._replace(metadata={**self.metadata, **fields})

    def encoded(self) -> bytes:
        """The YAML to send. The metadata is JSON on one line, which is YAML, too."""
        return b"%smetadata: %s\n%s" % (self.before, json.dumps(self.metadata).encode(), self.after)


def divide_document(text: bytes, name: str) -> DividedDocument | None:
    """Divide a valid YAML document at the field ``name`` of its root. ``None`` if only a parser finds the field.

    A line in a quoted scalar can look like a field. So there must be exactly one line that looks like this one, and no
    line may begin with the syntax in which the real field could be written. The field may end too early if a scalar in
    it continues at the beginning of a line: then it is no valid YAML. It has no anchors and no aliases.
    """
    lines = b"\n" + text
    starts = list(_lines_of(lines, name))
    if len(starts) != 1 or not _BEGINNING.match(text) or _OTHER_SYNTAX.search(lines):
        return None
    start, next_field = starts[0], _NEXT_FIELD.search(lines, starts[0].end())
    end = next_field.start() if next_field else len(text)
    parts = DividedDocument(text[: start.start()], text[start.start() : end], text[end:])
    return None if b"&" in parts.field or b"*" in parts.field else parts


def names_within(field: bytes) -> frozenset[str] | None:
    """Return the names of the fields of a block map, which is the value of ``field``.

    ``None`` if a line is anything else than a name with an optional scalar that ends on it, so a parser is needed.
    """
    head, _newline, rest = field.partition(b"\n")
    lines = [_SIMPLE_LINE.fullmatch(line) for line in rest.split(b"\n")]
    if not _ONLY_NAME.fullmatch(head) or not all(lines):
        return None
    fields = [(len(match[1]), match[2].decode()) for match in lines if match is not None and match[2]]
    if not fields or any(indent < fields[0][0] for indent, _name in fields):
        return None
    return frozenset(name for indent, name in fields if indent == fields[0][0])


def has_line_of_field(text: bytes, name: str) -> bool:
    """Whether a line of a document looks like the field ``name`` of its root."""
    return any(_lines_of(b"\n" + text, name))


def _lines_of(text: bytes, name: str) -> Iterator[re.Match[bytes]]:
    """Find lines that look like the field. ``text`` begins with the end of a line."""
    return re.finditer(rb"\n" + re.escape(name).encode() + rb"[ \t]*:", text)
