# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads one YAML document as the CVO does: the head that decisions need, or the whole body.

libyaml parses, through PyYAML. This is the reference: ``rapidyaml`` is faster, and leaves documents with unsupported
syntax to this file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

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
except ImportError:  # modules check with _module.deps first
    yaml = None  # type: ignore[assignment]

from .head import HEAD_FIELDS, Head, YamlError, resolve_plain

MAX_DEPTH = 10000
"""The depth of nesting that goyaml.v2 rejects (sigs.k8s.io/yaml:goyaml.v2/decode.go, scannerc.go max_flow_level)."""

_STRING_TAGS = ("tag:yaml.org,2002:str", "!", "tag:yaml.org,2002:binary")


def read_head(data: bytes) -> Head:
    """Read the head of the first document in ``data`` (UTF-8), and check the syntax of the whole document.

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
    """Load the first document of ``data`` as plain Python values. Raises ``YamlError``."""
    return next(_load_all(data), None)


def load_documents(data: bytes) -> list[Any]:
    """Load all documents of ``data`` as plain Python values. Raises ``YamlError``.

    For files of a user, not for those of a release, which the CVO divides at the lines ``---``.
    """
    return [value for part in re.split(rb"^---(?=\s)", data, flags=re.MULTILINE) for value in _load_all(part)]


def _load_all(data: bytes) -> Iterator[Any]:
    if _has_alias_bomb(data):
        read_head(data)  # PyYAML recurses in C: excessive nesting would crash the process instead of raising an error.
    try:
        yield from yaml.load_all(data, Loader=_body_loader())
    except (yaml.YAMLError, ValueError, AttributeError, LookupError, TypeError, RecursionError) as error:
        # The constructors of PyYAML raise various exceptions for unexpected values.
        raise YamlError(" ".join(str(error).split()) or type(error).__name__) from None


def _has_alias_bomb(data: bytes) -> bool:
    """Whether a document may have excessive nesting or aliasing. Cheap, with false positives.

    Each level of nesting needs one of these marks, or some indentation.
    """
    marks = sum(map(data.count, (b"[", b"{", b"- ", b"-\n", b"? ")))
    return b"&" in data or b"\t" in data or marks > MAX_DEPTH // 2 or b" " * (MAX_DEPTH // 2) in data


@cache
def _body_loader() -> type:
    safe: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class BodyLoader(safe):  # type: ignore[misc]
        """The safe loader without the tags of scalars that the CVO reads as strings."""

        yaml_implicit_resolvers = {
            first: [(tag, how) for tag, how in resolvers if tag.rpartition(":")[2] not in ("value", "timestamp")]
            for first, resolvers in safe.yaml_implicit_resolvers.items()
        }

    return BodyLoader


_MAP, _LIST = 1, 2


class _Frame:
    """An open map or list. ``keep``: its content is built. ``size`` counts nodes, with aliases expanded."""

    __slots__ = ("anchor", "has_key", "is_root", "keep", "key", "kind", "size", "value")

    def __init__(self, kind: int, keep: bool, anchor: str | None, is_root: bool) -> None:
        self.kind, self.keep, self.anchor, self.is_root = kind, keep, anchor, is_root
        self.value: Any = {} if kind == _MAP else []
        self.key: Any = None
        self.has_key = False
        self.size = 1


class _Reader:
    """Reads one document event by event: building nodes for the 99 % that are not needed would be slow."""

    def __init__(self, loader: Any) -> None:
        self.next_event = loader.get_event
        self.stack: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.aliased = 0

    def read(self) -> Head:
        next_event = self.next_event
        next_event()  # stream start
        if isinstance(next_event(), StreamEndEvent):
            return Head(None, False)
        root: Any = None
        while True:
            event = next_event()
            kind = event.__class__
            if kind is ScalarEvent:
                value = self._scalar(event)
                size = 1
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._open(_MAP if kind is MappingStartEvent else _LIST, event)
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
                root, total = value, size
                self._refuse_alias_bomb(total)
        try:
            more = not isinstance(next_event(), StreamEndEvent)
        except yaml.YAMLError:
            more = True  # a syntax error: the CVO does not read that far
        return Head(root, more)

    def _open(self, kind: int, event: Any) -> None:
        stack = self.stack
        if not stack:
            stack.append(_Frame(kind, True, event.anchor, True))
            return
        parent = stack[-1]
        if parent.kind == _MAP and not parent.has_key:
            mark = event.start_mark
            raise YamlError("a map or list is used as a key", mark.line + 1, mark.column + 1)
        if len(stack) >= MAX_DEPTH:
            raise YamlError(f"exceeded max depth of {MAX_DEPTH}")
        keep = event.anchor is not None or self._keeps(parent)
        stack.append(_Frame(kind, keep, event.anchor, False))

    def _keeps(self, parent: _Frame) -> bool:
        if parent.is_root and parent.anchor is None:
            return parent.kind == _MAP and (parent.key in HEAD_FIELDS or parent.key == "<<")
        return parent.keep

    def _scalar(self, event: Any) -> Any:
        plain, quoted = event.implicit
        text = event.value
        value = resolve_plain(text) if plain and not event.style else text
        if not plain and not quoted and event.tag not in _STRING_TAGS:
            value = resolve_plain(text)
        if self.stack and self.stack[-1].kind == _MAP and not self.stack[-1].has_key:
            if value is None:
                mark = event.start_mark
                raise YamlError("null is used as a key", mark.line + 1, mark.column + 1)
            value = text  # keys are strings, whatever they look like
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1)
        return value

    def _alias(self, event: Any) -> tuple[Any, int]:
        if event.anchor not in self.anchors:
            mark = event.start_mark
            raise YamlError(f"unknown anchor '{event.anchor}' referenced", mark.line + 1, mark.column + 1)
        value, size = self.anchors[event.anchor]
        self.aliased += size
        return value, size

    def _put(self, value: Any, size: int) -> None:
        frame = self.stack[-1]
        frame.size += size
        if frame.kind == _LIST:
            if frame.keep:
                frame.value.append(value)
        elif not frame.has_key:
            if isinstance(value, (dict, list)):
                raise YamlError("a map or list is used as a key")
            frame.key, frame.has_key = value, True
        else:
            frame.has_key = False
            if frame.key == "<<":
                self._merge(frame, value)
            elif self._keeps(frame):
                frame.value[frame.key] = value
            elif frame.is_root:
                frame.value[frame.key] = None

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
