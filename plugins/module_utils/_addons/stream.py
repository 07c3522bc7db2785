# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the documents of a file one after another, because a catalog can have hundreds of megabytes.

YAML is divided at its ``---`` lines, and a stream of JSON objects at lines that begin with ``{``, as opm and kubectl
write them.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import IO, Any, NamedTuple

from .._problems import Location, Problems
from .._resources import as_list, mappings_in
from .._yaml.libyaml import read_document
from .._yaml.template import is_template
from .._yaml.values import YamlError
from .objects import AddonObject, is_list, read_object
from .rules import finding

LARGEST_DOCUMENT = 16 << 20
"""Bytes of the largest document that is read. etcd accepts objects of 1.5 MiB, and a bundle contains some of them."""

_SEPARATOR = b"---"
"""The beginning of a line that divides documents (kubernetes/apimachinery:pkg/util/yaml/decoder.go YAMLReader)."""
_TEXT_AFTER_SEPARATOR = re.compile(rb"---[ \t]+[^\s#]")
_ONLY_SEPARATOR = re.compile(rb"---[ \t\r]*(?:#[^\n]*)?\n?")
_SEPARATOR_AFTER_RETURN = re.compile(rb"\r---(?=\s|\Z)")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_BEFORE_CONTENT = re.compile(rb"(?:(?:---[ \t\r]*|[ \t]*#[^\n]*|[ \t\r]*)\n)*")
_ITEMS = re.compile(rb"^[ \t]*\"?items\"?[ \t]*:", re.MULTILINE)
_ITEM = re.compile(rb"^([ \t]*)(?:-(?=\s)|\{)", re.MULTILINE)
_CHART_SOURCE = re.compile(rb"(?:---\s*\n)?# Source: ([^/\s:]+/(?:charts/[^/\s]+/)*(?:templates|crds)/\S+)")
"""A file of a chart. People write the same comment with the address of a file."""


class StreamDocument(NamedTuple):
    """A document with a value. ``line`` is its first line. ``source`` is the file of the chart that Helm rendered.

    ``is_first``: whether no document of the file precedes it, not even one with nothing but comments. ``item_lines``:
    of the items of a List, if they are known.
    """

    value: Any
    line: int
    source: str
    is_first: bool
    item_lines: tuple[int, ...] = ()


def read_stream(file: IO[bytes], path: str, problems: Problems) -> Iterator[StreamDocument]:
    """Yield the documents of ``file``. What cannot be read is reported, and a template once."""
    has_template, source, is_first = False, "", True
    for line, text in _pieces(file):
        if text is not None and _ONLY_SEPARATOR.fullmatch(text):
            continue
        begins_file, is_first = is_first, False
        message, hint = _fault(text)
        if text is None or message:
            problems.append(finding("invalid-manifest", Location(path, line=line), message, hint))
            continue
        try:
            values = _values(text)
        except YamlError as error:
            where = Location(path, line=line + max(error.line, 1) - 1)
            if not is_template(text.decode(errors="replace"), lambda rendered: _values(rendered.encode())):
                problems.append(finding("invalid-manifest", where, f"is not valid YAML: {error.message}"))
            elif not has_template:
                problems.append(finding("template", where, "is a template, so it is not checked"))
                has_template = True
            continue
        before, match = _BEFORE_CONTENT.match(text), _CHART_SOURCE.match(text)
        start = line + (before[0].count(b"\n") if before else 0)
        # Helm prints a file of the directory crds as it is, with one comment for all of its documents.
        source = match[1].decode(errors="replace") if match else source
        for index, value in enumerate(values):
            if any(item.get("apiVersion") and item.get("kind") for item in mappings_in(value)):
                message = "is a list of objects, expected an object or several documents"
                problems.append(finding("invalid-manifest", Location(path, line=line), message, "Use the kind List"))
            elif value is not None:
                lines = _item_lines(text, line, len(as_list(value["items"]))) if is_list(value) else ()
                yield StreamDocument(value, start, source, begins_file and not index, lines)


def _item_lines(text: bytes, line: int, number: int) -> tuple[int, ...]:
    """The lines of the ``number`` items of a List in ``text``, which begins in ``line``. Empty if they are not known.

    Programs write each item from a separate line on, and what is in it with a larger indentation.
    """
    items = _ITEMS.search(text)
    found = list(_ITEM.finditer(text, items.end())) if items else []
    starts = [item.start() for item in found if item[1] == found[0][1]]
    if len(starts) != number:
        return ()
    lengths = (text.count(b"\n", *span) for span in pairwise((0, *starts)))
    return tuple(accumulate(lengths, initial=line))[1:]


def _fault(text: bytes | None) -> tuple[str, str]:
    """Why a document cannot be read, with a hint. Kubernetes divides documents at line feeds, and reads UTF-8."""
    if text is None:
        return f"has a document of more than {LARGEST_DOCUMENT >> 20} MiB, which was not read", "Divide the document"
    if text.startswith(_UTF_16):
        return "is UTF-16, expected UTF-8", "Save the file in UTF-8"
    if _TEXT_AFTER_SEPARATOR.match(text):
        return "has text after ---, with which kubectl and GitOps reject the file", "Move it to the next line"
    if _SEPARATOR_AFTER_RETURN.search(text):
        return "ends lines with a carriage return alone, so its documents are not divided", "End lines with line feeds"
    return "", ""


def objects_of(document: StreamDocument, path: str, problems: Problems) -> list[AddonObject]:
    """The objects in a document of the file ``path``."""
    value, line, source, is_first, item_lines = document
    return read_object(value, path, line, problems, source, is_first=is_first, item_lines=item_lines)


def read_objects(
    text: bytes, path: str, problems: Problems, line: int = 1, *, is_block: bool = True
) -> list[AddonObject]:
    """The objects in ``text``, which is in the file ``path`` from ``line`` on, or all in that line."""
    own = Problems()
    objects = [
        item for document in read_stream(io.BytesIO(text), path, own) for item in objects_of(document, path, own)
    ]
    later = line - 1
    problems += (
        item._replace(where=item.where._replace(line=item.where.line + later if is_block else line)) for item in own
    )
    return [item._replace(line=item.line + later if is_block else line) for item in objects]


def _values(text: bytes) -> list[Any]:
    """The value of a document, or several: JSON objects can follow each other without a line break."""
    if text.lstrip()[:1] == b"{":
        try:
            return list(_json_values(text.decode()))
        except (ValueError, RecursionError):
            pass  # YAML can begin with a brace, too
    document = read_document(text)
    if document.more:
        raise YamlError("another document follows without a line ---")
    return [document.value]


def _json_values(text: str) -> Iterator[Any]:
    decoder, rest = json.JSONDecoder(), text.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        yield value
        rest = rest[end:].lstrip()


def _pieces(file: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Yield the first line and the text of each document, which is ``None`` if it is too large."""
    lines: list[bytes] = []
    number = first = 1
    size = 0
    is_json = False
    for line in iter(lambda: file.readline(LARGEST_DOCUMENT), b""):
        is_separator = line.startswith(_SEPARATOR)
        if is_separator or (is_json and line[:1] == b"{" and _is_closed(lines)):
            if size:
                yield first, b"".join(lines) if size <= LARGEST_DOCUMENT else None
            lines, size, first = [], 0, number
        if is_separator:  # YAML wants a blank before a comment
            line = line.replace(_SEPARATOR, b"--- ", 1)
        is_json = is_json or (not size and line[:1] == b"{" and line[1:2] != b"{")
        size += len(line)
        if size <= LARGEST_DOCUMENT:
            lines.append(line)
        number += line.endswith(b"\n")
    if size:
        yield first, b"".join(lines) if size <= LARGEST_DOCUMENT else None


def _is_closed(lines: list[bytes]) -> bool:
    """Whether a JSON object ends with the last of ``lines``: one that is not indented, or the only one."""
    return len(lines) == 1 or any(line[:1] == b"}" for line in lines[-2:])
