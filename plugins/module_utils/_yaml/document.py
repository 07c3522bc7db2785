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

_OTHER_SYNTAX = re.compile(rb"^[^ \r\n#A-Za-z-]", re.MULTILINE)
"""A line that begins with a quote, a bracket, an anchor, a tag, a tab, an explicit key or the end of the document."""

_NEXT_FIELD = re.compile(rb"^[A-Za-z]", re.MULTILINE)


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
    starts = list(_lines_of(text, name))
    if len(starts) != 1 or not _BEGINNING.match(text) or _OTHER_SYNTAX.search(text):
        return None
    start = starts[0]
    end = _NEXT_FIELD.search(text, start.end())
    parts = DividedDocument(
        text[: start.start()], text[start.start() : end.start() if end else None], text[end.start() :] if end else b""
    )
    return None if b"&" in parts.field or b"*" in parts.field else parts


def has_line_of_field(text: bytes, name: str) -> bool:
    """Whether a line of a document looks like the field ``name`` of its root."""
    return any(_lines_of(text, name))


def _lines_of(text: bytes, name: str) -> Iterator[re.Match[bytes]]:
    return re.finditer(rb"^" + re.escape(name).encode() + rb"[ \t]*:", text, re.MULTILINE)
