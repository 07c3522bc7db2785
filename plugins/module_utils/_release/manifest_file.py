# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""One file of a release: its bytes, cut into documents, and the manifests that they are.

How the CVO cuts and reads a file: apimachinery:pkg/util/yaml/decoder.go (JSON stream or YAML; a line that begins with
``---`` separates), library-go:pkg/manifest/manifest.go ParseManifests (duplicates inside a file are errors).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .._problems import Problem, Problems, Severity
from .._resources import ResourceId
from .._yaml.head import Head, YamlError
from .manifest import Manifest, location, manifest_from_object

HeadReader = Callable[[bytes], Head]

_NOTHING = rb"(?:[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z))*"


class Span(NamedTuple):
    """Where a document stands in its file, in bytes; ``start`` includes the comments in front of it."""

    start: int
    content: int
    end: int


class ManifestFile(NamedTuple):
    """A file of a release. ``spans`` belong to ``manifests`` one by one.

    The bytes are read again when they are asked for, because most never are, and a release has 16 MB of them.
    """

    file: str
    read_again: Callable[[], bytes]
    manifests: tuple[Manifest, ...]
    spans: tuple[Span, ...]

    @property
    def data(self) -> bytes:
        """The bytes of the file, as rendered."""
        return self.read_again()

    def text(self, manifest: Manifest) -> bytes:
        """Return the document of ``manifest``, byte for byte, without its separator line."""
        span = self.spans[self.manifests.index(manifest)]
        return self.data[span.content : span.end]

    def excerpt(self, keep: frozenset[int]) -> bytes:
        """Return the file with only the documents of the manifests at the positions ``keep``, byte for byte."""
        data = self.data
        if len(keep) == len(self.manifests):
            return data
        return b"".join(data[span.start : span.end] for at, span in enumerate(self.spans) if at in keep)


def read_manifest_file(
    file: str, data: bytes, read_head: HeadReader, read_again: Callable[[], bytes] | None = None
) -> tuple[ManifestFile, tuple[Problem, ...]]:
    """Read one file. Every problem is returned; a manifest whose document is in error is missing.

    ``read_again`` gives ``data`` again later; without it, ``data`` is kept.
    """
    again = read_again or (lambda: data)
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            where = f"{file} (line {_line_of(data, error.start)})"
            message = f"byte {error.start} is not valid UTF-8"
            return ManifestFile(file, again, (), ()), (
                Problem("error", "todo", where, message, "Save the file as UTF-8"),
            )
    stream = _json_documents(data, read_head) if data.lstrip()[:1] == b"{" else None
    documents: Iterable[_Document] = _yaml_documents(data, read_head) if stream is None else stream
    manifests: list[Manifest] = []
    spans: list[Span] = []
    problems = Problems()
    first_seen: dict[ResourceId, int] = {}
    start = 0
    for number, (content, end, value, fault) in enumerate(documents, 1):
        if fault:
            problems.append(_fault_problem(file, number, data, fault))
        manifest, found = (None, ()) if value is None else manifest_from_object(value, file, number)
        if found:
            manifest, found = manifest_from_object(value, file, number, _line_of(data, content))
            problems += found
        if manifest is not None:
            if manifest.resource_id in first_seen:
                first = _line_of(data, first_seen[manifest.resource_id])
                problems.append(_duplicate(manifest, first, _line_of(data, content)))
            first_seen.setdefault(manifest.resource_id, content)
            manifests.append(manifest)
            spans.append(Span(start, content, end))
        start = end
    if spans and spans[-1].end == start:
        # What follows the last document (an empty one, a comment) belongs to it.
        spans[-1] = spans[-1]._replace(end=len(data))
    return ManifestFile(file, again, tuple(manifests), tuple(spans)), tuple(problems)


class _Fault(NamedTuple):
    severity: Severity
    message: str
    hint: str
    offset: int


class _Document(NamedTuple):
    content: int
    end: int
    value: Any
    fault: _Fault | None


def _json_documents(data: bytes, read_head: HeadReader) -> list[_Document] | None:
    """Cut a JSON stream; ``None`` where it is no JSON, so that it may be YAML that begins with a flow map.

    What follows the first object and is no JSON is read as YAML; what follows a later one is an error.
    Source: apimachinery:pkg/util/yaml/decoder.go YAMLOrJSONDecoder.
    """
    text = data.decode()
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    documents: list[_Document] = []
    at = 0
    while True:
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        if at == len(text):
            return documents
        content = len(text[:at].encode())
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            if len(documents) == 1:
                rest = _yaml_documents(data[content:], read_head)
                return documents + [_moved(document, content) for document in rest]
            if documents:
                fault = _Fault("error", f"is not valid JSON: {error}", "Mend the syntax", content)
                return [*documents, _Document(content, len(data), None, fault)]
            return None
        documents.append(_Document(content, len(text[:at].encode()), value, None))


def _moved(document: _Document, by: int) -> _Document:
    fault = document.fault and document.fault._replace(offset=document.fault.offset + by)
    return _Document(document.content + by, document.end + by, document.value, fault)


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _yaml_documents(data: bytes, read_head: HeadReader) -> Iterator[_Document]:
    for content, end, fault in _chunks(data):
        text = data[content:end]
        if fault is None and text[:1] in (b"#", b"\n", b" ", b"\r", b"") and re.fullmatch(_NOTHING, text):
            continue
        value: Any = None
        if fault is None:
            try:
                value, more = read_head(text)
            except YamlError as error:
                fault = _yaml_fault(error, text, content)
            else:
                if value is None:
                    continue
                if more:
                    message = "another document follows after '...'; the CVO reads only the first"
                    fault = _Fault("warning", message, "Begin each document with a line ---", content)
        yield _Document(content, end, value, fault)


def _chunks(data: bytes) -> Iterator[tuple[int, int, _Fault | None]]:
    """Yield content start, end and fault of what stands between separator lines."""
    content, fault = 0, None
    for separator in _separators(data):
        yield content, separator, fault
        newline = data.find(b"\n", separator)
        content = len(data) if newline < 0 else newline + 1
        behind = data[separator + 3 : content].strip()
        fault = None
        if behind and not behind.startswith(b"#"):
            message = f"invalid YAML document separator: {behind.decode()}"
            fault = _Fault("error", message, "Put only --- on that line", separator)
    yield content, len(data), fault


def _separators(data: bytes) -> list[int]:
    """Return where lines begin with ``---``, in order."""
    found: list[int] = []
    at = data.rfind(b"\n---")  # from behind: twice as fast as find over text full of line ends
    while at >= 0:
        found.append(at + 1)
        at = data.rfind(b"\n---", 0, at)
    if data.startswith(b"---"):
        found.append(0)
    found.reverse()
    return found


def _yaml_fault(error: YamlError, text: bytes, content: int) -> _Fault:
    offset = content
    for _line in range(1, error.line):
        newline = text.find(b"\n", offset - content)
        if newline < 0:
            break
        offset = content + newline + 1
    column = f" (column {error.column})" if error.column else ""
    return _Fault("error", f"is not valid YAML: {error.message}{column}", "Mend the syntax", offset)


def _fault_problem(file: str, number: int, data: bytes, fault: _Fault) -> Problem:
    return Problem(
        fault.severity, "todo", location(file, number, _line_of(data, fault.offset)), fault.message, fault.hint
    )


def _duplicate(manifest: Manifest, first_line: int, line: int) -> Problem:
    message = (
        f"{manifest.resource_id} begins in line {first_line} already; the CVO refuses a file with a resource twice"
    )
    return Problem("error", "todo", location(manifest.file, manifest.document, line), message, "Remove one of the two")


def _line_of(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
