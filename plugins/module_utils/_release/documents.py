# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads one file of a release: splits it into documents, and converts them to manifests and their bodies.

How the CVO does this: apimachinery:pkg/util/yaml/decoder.go (JSON stream or YAML, separated by lines that begin with
``---``), library-go:pkg/manifest/manifest.go ParseManifests (a repeated resource in a file is an error).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .._problems import Location, Problem, Problems, Severity
from .._resources import ResourceId
from .._yaml.libyaml import read_document
from .._yaml.values import YamlError
from .manifest import Manifest, manifest_from_object
from .manifest_file import ManifestFile, Span

_NOTHING = rb"(?:[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z))*"


def read_manifest_file(file: str, data: bytes, problems: Problems) -> ManifestFile:
    """Read one file. The result has no manifest for a document with an error."""
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            where = Location(file, line=_line_of(data, error.start))
            message = f"byte {error.start} is not valid UTF-8"
            problems.error("invalid-encoding", where, message, "Save the file in UTF-8")
            return ManifestFile(file, len(data), (), (), memoryview(b""))
    stream = _json_documents(data) if data.lstrip()[:1] == b"{" else None
    documents: Iterable[_ParsedDocument] = _yaml_documents(data) if stream is None else stream
    manifests: list[Manifest] = []
    spans: list[Span] = []
    bodies = bytearray()
    first_lines: dict[ResourceId, int] = {}
    start, line, counted = 0, 1, 0
    for number, (content, end, value, fault) in enumerate(documents, 1):
        body, not_json = _to_json(value, content)
        if not_json:
            value, fault = None, not_json
        if fault:
            problems.append(_fault_problem(file, number, data, fault))
        line, counted = line + data.count(b"\n", counted, content), content
        manifest = None if value is None else manifest_from_object(value, file, number, problems, line=line)
        if manifest is not None:
            if manifest.resource_id in first_lines:
                _report_duplicate(manifest, first_lines[manifest.resource_id], line, problems)
            first_lines.setdefault(manifest.resource_id, line)
            manifests.append(manifest)
            spans.append(Span(start, content, end, len(bodies), len(bodies) + len(body)))
            bodies += body
        start = end
    if spans and spans[-1].end == start:
        # What follows the last document (an empty document, a comment) belongs to it.
        spans[-1] = spans[-1]._replace(end=len(data))
    return ManifestFile(file, len(data), tuple(manifests), tuple(spans), memoryview(bodies))


class _Fault(NamedTuple):
    severity: Severity
    code: str
    message: str
    hint: str
    offset: int


class _ParsedDocument(NamedTuple):
    content: int
    end: int
    value: Any
    fault: _Fault | None


def _json_documents(data: bytes) -> list[_ParsedDocument] | None:
    """Split a JSON stream. ``None`` if it is not JSON: it may be YAML that begins with a flow map.

    Other text after the first object is read as YAML. After a later object it is an error.
    Source: apimachinery:pkg/util/yaml/decoder.go YAMLOrJSONDecoder.
    """
    text = data.decode()
    decoder = json.JSONDecoder(parse_constant=_reject_constant)
    documents: list[_ParsedDocument] = []
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
                rest = _yaml_documents(data[content:])
                return documents + [_moved(document, content) for document in rest]
            if documents:
                fault = _Fault("error", "invalid-json", f"is not valid JSON: {error}", "Correct the syntax", content)
                return [*documents, _ParsedDocument(content, len(data), None, fault)]
            return None
        documents.append(_ParsedDocument(content, len(text[:at].encode()), value, None))


def _to_json(value: Any, content: int) -> tuple[bytes, _Fault | None]:
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode(), None
    except RecursionError:
        message = "is nested too deeply"
    except ValueError:
        message = "contains .nan, .inf or a number that is too large, which JSON does not have"
    return b"", _Fault("error", "invalid-yaml", message, "Correct the document", content)


def _moved(document: _ParsedDocument, by: int) -> _ParsedDocument:
    fault = document.fault and document.fault._replace(offset=document.fault.offset + by)
    return _ParsedDocument(document.content + by, document.end + by, document.value, fault)


def _reject_constant(name: str) -> None:
    raise ValueError(name)


def _yaml_documents(data: bytes) -> Iterator[_ParsedDocument]:
    for content, end, fault in _chunks(data):
        text = data[content:end]
        if fault is None and text[:1] in (b"#", b"\n", b" ", b"\r", b"") and re.fullmatch(_NOTHING, text):
            continue
        value: Any = None
        if fault is None:
            try:
                value, more = read_document(_complete_line(text))
            except YamlError as error:
                fault = _yaml_fault(error, text, content)
            else:
                if value is None:
                    continue
                if more:
                    message = "another document follows after '...'; the CVO reads only the first"
                    hint = "Write a line --- before each document"
                    fault = _Fault("warning", "missing-separator", message, hint, content)
        yield _ParsedDocument(content, end, value, fault)


def _complete_line(text: bytes) -> bytes:
    """A document with a line break at its end. It becomes part of a block scalar that ends a file without one.

    Source: apimachinery:pkg/util/yaml/decoder.go LineReader.Read, which completes the last line of a file.
    """
    return text if text.endswith(b"\n") else text + b"\n"


def _chunks(data: bytes) -> Iterator[tuple[int, int, _Fault | None]]:
    """Yield content start, end and fault of each part between separator lines."""
    content, fault = 0, None
    for separator in _separators(data):
        yield content, separator, fault
        newline = data.find(b"\n", separator)
        content = len(data) if newline < 0 else newline + 1
        rest = data[separator + 3 : content].strip()
        fault = None
        if rest and not rest.startswith(b"#"):
            message = f"invalid YAML document separator: {rest.decode()}"
            fault = _Fault("error", "invalid-separator", message, "Write only --- on that line", separator)
    yield content, len(data), fault


def _separators(data: bytes) -> Iterator[int]:
    """The starts of lines that begin with ``---``, in order."""
    if data.startswith(b"---"):
        yield 0
    at = data.find(b"\n---")
    while at >= 0:
        yield at + 1
        at = data.find(b"\n---", at + 1)


def _yaml_fault(error: YamlError, text: bytes, content: int) -> _Fault:
    offset = content
    for _line in range(1, error.line):
        newline = text.find(b"\n", offset - content)
        if newline < 0:
            break
        offset = content + newline + 1
    column = f" (column {error.column})" if error.column else ""
    message = f"is not valid YAML: {error.message}{column}"
    return _Fault("error", "invalid-yaml", message, "Correct the syntax", offset)


def _fault_problem(file: str, number: int, data: bytes, fault: _Fault) -> Problem:
    where = Location(file, number, _line_of(data, fault.offset))
    return Problem(fault.severity, fault.code, where, fault.message, fault.hint)


def _report_duplicate(manifest: Manifest, first_line: int, line: int, problems: Problems) -> None:
    message = f"{manifest.resource_id} is repeated, first on line {first_line}; the CVO rejects the file"
    where = manifest.location._replace(line=line)
    problems.error("duplicate-resource", where, message, "Remove one of the two")


def _line_of(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
