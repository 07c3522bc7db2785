# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a YAML document as the CVO does: into the values of JSON, with the rules of Go.

libyaml parses, through PyYAML. What the events mean is decided here. Source: sigs.k8s.io/yaml:yaml.go YAMLToJSON,
goyaml.v2/decode.go, goyaml.v2/resolve.go.
"""

from __future__ import annotations

import base64
import re
from typing import Any, NamedTuple

try:
    import yaml
    from yaml.events import (
        AliasEvent,
        DocumentEndEvent,
        MappingEndEvent,
        MappingStartEvent,
        ScalarEvent,
        SequenceEndEvent,
        SequenceStartEvent,
        StreamEndEvent,
    )
except ImportError:  # modules check with _module.main first
    yaml = None  # type: ignore[assignment]

from .values import YamlError, YamlValueError, resolve_plain

MAX_DEPTH = 10000
"""The depth of nesting that goyaml.v2 rejects (sigs.k8s.io/yaml:goyaml.v2/decode.go, scannerc.go max_flow_level)."""

_TAG = "tag:yaml.org,2002:"
_TYPES: dict[str, tuple[type, ...]] = {
    f"{_TAG}bool": (bool,),
    f"{_TAG}int": (int,),
    f"{_TAG}float": (float, int),
    f"{_TAG}null": (type(None),),
}
"""The tags that a value must match. Scalars with other tags are strings."""

_MERGE = object()
"""The key of a merged map, an unquoted ``<<``."""


class FirstDocument(NamedTuple):
    """The first document of a text, ``None`` if it is empty. ``more``: another one follows without a line ``---``."""

    value: Any
    more: bool


def read_document(data: bytes) -> FirstDocument:
    """Read the first document in ``data`` (UTF-8), and check the syntax of all of it.

    Raises ``YamlError``, also for excessive aliasing (with the limits of goyaml.v2) and for excessive nesting.
    """
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)(data)
    try:
        return _Reader(loader).read()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = error.problem or error.context or "cannot be parsed"
        raise YamlError(message, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0) from None
    except yaml.YAMLError as error:
        raise YamlError(" ".join(str(error).split())) from None
    finally:
        loader.dispose()


def load_body(data: bytes) -> Any:
    """The value of the first document of ``data``. Raises ``YamlError``."""
    return read_document(data).value


def load_documents(data: bytes) -> list[Any]:
    """The values of all documents of ``data`` that are not empty. Raises ``YamlError``.

    For files of a user, not for those of a release, which the CVO divides at the lines ``---``.
    """
    values = map(load_body, re.split(rb"^---(?=\s)", data, flags=re.MULTILINE))
    return [value for value in values if value is not None]


class _Frame:
    """An open map or list. ``key`` is the one whose value follows. ``size`` counts nodes, with aliases expanded."""

    __slots__ = ("anchor", "is_map", "key", "size", "value")

    def __init__(self, anchor: str | None, *, is_map: bool) -> None:
        self.is_map, self.anchor = is_map, anchor
        self.value: Any = {} if is_map else []
        self.key: Any = None
        self.size = 1


class _Reader:
    """Reads one document event by event. No recursion, so the depth of a document cannot crash the process."""

    def __init__(self, loader: Any) -> None:
        self.next_event = loader.get_event
        self.stack: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.aliased = 0

    def read(self) -> FirstDocument:
        next_event = self.next_event
        next_event()  # stream start
        if isinstance(next_event(), StreamEndEvent):
            return FirstDocument(None, more=False)
        root: Any = None
        while True:
            event = next_event()
            kind = event.__class__
            if kind is ScalarEvent:
                value, size = self._scalar(event), 1
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._open(event, is_map=kind is MappingStartEvent)
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                frame = self.stack.pop()
                value, size = frame.value, frame.size
                if frame.anchor is not None:
                    self.anchors[frame.anchor] = (value, size)
            elif kind is AliasEvent:
                value, size = self._alias(event)
            elif kind is DocumentEndEvent:
                break
            else:
                raise YamlError(f"unexpected {kind.__name__}")
            if self.stack:
                self._put(value, size)
            else:
                root = value
                self._refuse_alias_bomb(size)
        try:
            more = not isinstance(next_event(), StreamEndEvent)
        except yaml.YAMLError:
            more = True  # a syntax error: the CVO does not read that far
        return FirstDocument(root, more)

    def _open(self, event: Any, *, is_map: bool) -> None:
        if self._expects_key:
            raise _error_at(event, "a map or list is used as a key")
        if len(self.stack) >= MAX_DEPTH:
            raise YamlError(f"exceeded max depth of {MAX_DEPTH}")
        self.stack.append(_Frame(event.anchor, is_map=is_map))

    @property
    def _expects_key(self) -> bool:
        return bool(self.stack) and self.stack[-1].is_map and self.stack[-1].key is None

    def _scalar(self, event: Any) -> Any:
        text, is_plain = event.value, event.implicit[0]
        value = resolve_plain(text) if is_plain else text
        if event.tag is not None:
            value = _tagged(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1)
        stack = self.stack
        if stack and stack[-1].is_map and stack[-1].key is None:
            return _MERGE if is_plain and text == "<<" else _key(value, event)
        return value

    def _alias(self, event: Any) -> tuple[Any, int]:
        if event.anchor not in self.anchors:
            raise _error_at(event, f"unknown anchor '{event.anchor}' referenced")
        value, size = self.anchors[event.anchor]
        self.aliased += size
        return _key(value, event) if self._expects_key else value, size

    def _put(self, value: Any, size: int) -> None:
        frame = self.stack[-1]
        frame.size += size
        if not frame.is_map:
            frame.value.append(value)
        elif frame.key is None:
            frame.key = value
        else:
            if frame.key is _MERGE:
                self._merge(frame, value)
            else:
                frame.value[frame.key] = value
            frame.key = None

    def _merge(self, frame: _Frame, value: Any) -> None:
        for item in reversed(value) if isinstance(value, list) else (value,):
            if not isinstance(item, dict):
                raise YamlError("map merge requires map or sequence of maps as the value")
            frame.value.update(item)

    def _refuse_alias_bomb(self, total: int) -> None:
        # goyaml.v2/decode.go allowedAliasRatio, checked once at the end, because nothing is expanded here.
        if self.aliased <= 100 or total <= 1000:
            return
        low, high = 400_000, 4_000_000
        allowed = 0.99 if total <= low else 0.10 if total >= high else 0.99 - 0.89 * ((total - low) / (high - low))
        if self.aliased / total > allowed:
            raise YamlError("document contains excessive aliasing")


def _tagged(event: Any) -> Any:
    """The value of a scalar with a tag (goyaml.v2/resolve.go resolve)."""
    if event.tag == f"{_TAG}binary":
        try:
            # encoding/json writes U+FFFD for what is not UTF-8.
            return base64.b64decode("".join(event.value.split()), validate=True).decode(errors="replace")
        except ValueError:
            raise _error_at(event, "!!binary value contains invalid base64 data", YamlValueError) from None
    types = _TYPES.get(event.tag)
    if types is None:
        return event.value
    value = resolve_plain(event.value)
    if type(value) not in types:
        raise _error_at(event, f"a value is not {event.tag.replace(_TAG, '!!')}", YamlValueError)
    return value


def _key(value: Any, event: Any) -> str:
    """A key as a string (sigs.k8s.io/yaml:yaml.go convertToJSONableObject). Floats are right up to six digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return re.sub("inf|nan", r".\g<0>", f"{value:g}")
    if isinstance(value, int):
        return str(value)
    raise _error_at(event, f"{'null' if value is None else 'a map or list'} is used as a key")


def _error_at(event: Any, message: str, kind: type[YamlError] = YamlError) -> YamlError:
    return kind(message, event.start_mark.line + 1, event.start_mark.column + 1)
