# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the documents of a file, which is divided at its ``---`` lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from .._problems import Location, Problems
from .._resources import mappings_in
from .._yaml.libyaml import read_document
from .._yaml.values import YamlError
from .objects import AddonObject, read_object
from .rules import finding

_SEPARATOR = re.compile(rb"^---(?=\s|\Z)", re.MULTILINE)
_SEPARATOR_AFTER_RETURN = re.compile(rb"\r---(?=\s|\Z)")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_TEMPLATE = re.compile(rb"\{\{|\{%")
_BEFORE_CONTENT = re.compile(rb"(?:(?:---[ \t\r]*|[ \t]*#[^\n]*|[ \t\r]*)\n)*")
_CHART_SOURCE = re.compile(rb"(?:---\s*\n)?# Source: (\S+)")


def read_stream(data: bytes, path: str, problems: Problems) -> Iterator[tuple[Any, int, str]]:
    """Yield each document with a value, its first line, and the file of the chart that Helm rendered.

    What cannot be read is reported, and a template once.
    """
    is_template, line = False, 1
    starts = [0, *(match.start() for match in _SEPARATOR.finditer(data) if match.start()), len(data)]
    for start, end in pairwise(starts):
        text, first = data[start:end], line
        line += text.count(b"\n")
        message, hint = _fault(text)
        if message:
            problems.append(finding("invalid-manifest", Location(path, line=first), message, hint))
            continue
        try:
            value = _value(text)
        except YamlError as error:
            where = Location(path, line=first + max(error.line, 1) - 1)
            if not _TEMPLATE.search(text):
                problems.append(finding("invalid-manifest", where, f"is not valid YAML: {error.message}"))
            elif not is_template:
                problems.append(finding("template", where, "is a template, so it is not checked"))
                is_template = True
            continue
        if isinstance(value, list) and any(item.get("apiVersion") and item.get("kind") for item in mappings_in(value)):
            message = "is a list of objects, expected an object or several documents"
            problems.append(finding("invalid-manifest", Location(path, line=first), message, "Use the kind List"))
        elif value is not None:
            match = _CHART_SOURCE.match(text)
            source = match[1].decode(errors="replace") if match else ""
            before = _BEFORE_CONTENT.match(text)
            yield value, first + (before[0].count(b"\n") if before else 0), source


def _fault(text: bytes) -> tuple[str, str]:
    """Why a document cannot be read, with a hint. Kubernetes divides documents at line feeds, and reads UTF-8."""
    if text.startswith(_UTF_16):
        return "is UTF-16, expected UTF-8", "Save the file in UTF-8"
    if _SEPARATOR_AFTER_RETURN.search(text):
        return "ends lines with a carriage return alone, so its documents are not divided", "End lines with line feeds"
    return "", ""


def read_objects(
    text: bytes, path: str, problems: Problems, line: int = 1, *, is_block: bool = True
) -> list[AddonObject]:
    """The objects in ``text``, which is in the file ``path`` from ``line`` on, or all in that line."""
    own = Problems()
    objects = [
        item for value, at, _source in read_stream(text, path, own) for item in read_object(value, path, at, own)
    ]
    later = line - 1
    problems += (
        item._replace(where=item.where._replace(line=item.where.line + later if is_block else line)) for item in own
    )
    return [item._replace(line=item.line + later if is_block else line) for item in objects]


def _value(text: bytes) -> Any:
    if text.lstrip()[:1] == b"{":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass  # YAML can begin with a brace, too
    document = read_document(text)
    if document.more:
        raise YamlError("another document follows without a line ---")
    return document.value
