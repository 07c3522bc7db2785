# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The nodes of a YAML document with their positions in the text.

They are built from the events of the parser, because in PyYAML's nodes an alias has the position of its anchor.
libyaml parses: PyYAML's own parser rejects tabs that Go's parser, a port of libyaml, accepts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

try:
    import yaml
except ImportError:  # modules check with _module.main first
    yaml = None  # type: ignore[assignment]

from .values import YamlError

BOM = "\ufeff"
MAX_DEPTH = 100
"""Far more nesting than an install-config has. Nodes are read by recursion."""

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # line breaks of YAML 1.1
_BREAKS = frozenset("\n\r\x85\u2028\u2029")
_EDITOR_BREAK = re.compile("\r\n|[\n\r]")  # line breaks of editors
_COLON = re.compile(r"\s*:")
_NOT_ALLOWED = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # YAML 1.1, 5.1


class Lines:
    """The lines of a text, as editors count them. They are counted once: counting per lookup takes quadratic time."""

    def __init__(self, text: str) -> None:
        self._ends = [match.end() for match in _EDITOR_BREAK.finditer(text)]

    def number(self, index: int) -> int:
        """The number of the line that contains ``index``, from 1."""
        return bisect_right(self._ends, index) + 1


class Node(NamedTuple):
    """A scalar, alias, map or list. ``start`` includes its anchor and tag; after ``end`` there are only comments.

    ``value`` is the text of a scalar or the name of an alias; ``style`` is ``'``, ``"``, ``|`` or ``>`` of a scalar,
    ``{`` of a map or list in flow style, and empty otherwise. ``target`` is the start of the node that an alias
    repeats, -1 if there is none.
    """

    kind: Literal["scalar", "alias", "map", "list"]
    start: int
    end: int
    value: str = ""
    style: str = ""
    anchor: str = ""
    tag: str = ""
    target: int = -1
    items: tuple[Node, ...] = ()
    pairs: tuple[Pair, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the text is empty, which is null."""
        return self.kind == "scalar" and self.start == self.end


class Pair(NamedTuple):
    """A key of a map and its value. ``colon`` is the index after the colon, -1 unless it directly follows the key."""

    key: Node
    colon: int
    value: Node

    @property
    def end(self) -> int:
        """The index after the last character."""
        return max(self.key.end, self.colon, self.value.end)


class Tree(NamedTuple):
    """The first document: its ``root`` (``None`` if there is none), its end, and the start of the next document."""

    root: Node | None
    end: int
    next_document: int  # -1 if none has content


def parse_tree(text: str) -> Tree:
    """Parse the first document of ``text``. Raises ``YamlError``, which contains nothing of the text."""
    bad = _NOT_ALLOWED.search(text)
    if bad:
        message = f"the character U+{ord(bad[0]):04X} is not allowed"
        raise _error_at(message, text, bad.start())
    shift = len(BOM) if text.startswith(BOM) else 0  # PyYAML counts it, libyaml does not
    try:
        return _Builder(text, shift).tree()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = error.problem or error.context or "cannot be parsed"
        if not mark:
            raise YamlError(message) from None
        raise _error_at(message, text, mark.index + shift) from None
    except yaml.YAMLError:
        raise YamlError("cannot be parsed") from None  # its message may contain parts of the text


def walk(node: Node, path: str = "") -> Iterator[tuple[str, Node]]:
    """Yield ``node`` and everything below it except keys, with paths such as ``platform.hosts[0].name``."""
    yield path, node
    for number, item in enumerate(node.items):
        yield from walk(item, f"{path}[{number}]")
    for pair in node.pairs:
        yield from walk(pair.value, below(path, pair.key))


def below(path: str, key: Node) -> str:
    """The path of the value of ``key``."""
    return f"{path}.{key.value}" if path and key.value else path or key.value


def own_pair(node: Node, name: str) -> Pair | None:
    """The last pair of a map whose key is ``name``, which counts for readers in Go; merged maps are ignored."""
    return next((pair for pair in reversed(node.pairs) if pair.key.kind == "scalar" and pair.key.value == name), None)


def line_start(text: str, index: int) -> int:
    """The start of the line that contains ``index``, after a BOM."""
    first = len(BOM) if text.startswith(BOM) and index > 0 else 0
    while index > first and text[index - 1] not in _BREAKS:
        index -= 1
    return index


def line_above(text: str, start: int) -> int:
    """The start of the line before the one that starts at ``start``, which is not the first."""
    return line_start(text, start - (2 if text.startswith("\r\n", max(0, start - 2)) else 1))


def line_end(text: str, index: int) -> int:
    """The start of the next line."""
    match = _BREAK.search(text, index)
    return match.end() if match else len(text)


def newline_at(text: str, index: int) -> str:
    """The line break of the line that contains ``index``, or of the first line."""
    match = _EDITOR_BREAK.search(text, index) or _EDITOR_BREAK.search(text)
    return match[0] if match else "\n"


def column_of(text: str, index: int) -> int:
    """The number of characters before ``index`` in its line."""
    return index - line_start(text, index)


def _error_at(message: str, text: str, index: int) -> YamlError:
    return YamlError(message, Lines(text).number(index), column_of(text, index) + 1)


class _Builder:
    """Builds nodes from parser events. An event is a whole node, or the start or end of one."""

    def __init__(self, text: str, shift: int) -> None:
        self.text, self.shift = text, shift
        self.events: Iterator[Any] = yaml.parse(text[shift:], Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.anchors: dict[str, int] = {}

    def tree(self) -> Tree:
        next(self.events)  # stream start
        root, end, following = None, len(self.text), -1
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                node = self._node(next(self.events), 0)
                start = self._index(event.start_mark)
                close = self._index(next(self.events).start_mark)
                if root is None:
                    root, end = node, close
                elif following < 0 and not node.is_empty:  # a closing --- starts an empty one
                    following = start
        return Tree(root, end, following)

    def _index(self, mark: Any) -> int:
        return int(mark.index) + self.shift

    def _node(self, event: Any, depth: int) -> Node:
        start, end = self._index(event.start_mark), self._index(event.end_mark)
        if depth > MAX_DEPTH:
            message = f"is nested deeper than {MAX_DEPTH} levels"
            raise _error_at(message, self.text, start)
        if isinstance(event, yaml.AliasEvent):
            name = str(event.anchor)
            return Node("alias", start, end, name, target=self.anchors.get(name, -1))
        anchor, tag = event.anchor or "", event.tag or ""
        if anchor:
            self.anchors[anchor] = start
        if isinstance(event, yaml.ScalarEvent):
            end = start + len(self.text[start:end].rstrip())  # without the empty lines after a block scalar
            return Node("scalar", start, end, event.value, event.style or "", anchor, tag)
        style = "{" if event.flow_style else ""
        if isinstance(event, yaml.SequenceStartEvent):
            items, close = self._items(depth + 1)
            end = close if style else items[-1].end
            return Node("list", start, end, "", style, anchor, tag, items=items)
        pairs, close = self._pairs(depth + 1)
        end = close if style else pairs[-1].end
        return Node("map", start, end, "", style, anchor, tag, pairs=pairs)

    def _items(self, depth: int) -> tuple[tuple[Node, ...], int]:
        items: list[Node] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self._node(event, depth))
        return tuple(items), self._index(event.end_mark)

    def _pairs(self, depth: int) -> tuple[tuple[Pair, ...], int]:
        pairs: list[Pair] = []
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._node(event, depth)
            match = _COLON.match(self.text, key.end)
            colon = match.end() if match else -1
            value = self._node(next(self.events), depth)
            if value.is_empty:  # parsers give it some position before the next event
                index = colon if match else key.end
                value = value._replace(start=index, end=index)
            pairs.append(Pair(key, colon, value))
        return tuple(pairs), self._index(event.end_mark)
