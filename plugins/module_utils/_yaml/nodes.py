# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Where the parts of a YAML text stand: the nodes of its document with their places in the text.

They are made of the parser's events, not of PyYAML's nodes: there an alias has the place of its anchor. libyaml
parses, as for everything else that is read: PyYAML's own parser refuses tabs that Go's, a port of libyaml, takes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

try:
    import yaml
except ImportError:  # modules ask _deps before they come here
    yaml = None  # type: ignore[assignment]

from .head import YamlError

BOM = "\ufeff"
MAX_DEPTH = 100
"""Nesting that no install-config comes near. Nodes are read by recursion."""

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # what YAML 1.1 takes for the end of a line
_BREAKS = frozenset("\n\r\x85\u2028\u2029")
_EDITOR_BREAK = re.compile("\r\n|[\n\r]")  # what editors count
_COLON = re.compile(r"\s*:")
_NOT_ALLOWED = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # YAML 1.1, 5.1


class Lines:
    """The lines of a text, as editors count, found once: to count them anew for each place takes quadratic time."""

    def __init__(self, text: str) -> None:
        self._ends = [found.end() for found in _EDITOR_BREAK.finditer(text)]

    def number(self, index: int) -> int:
        """Return the number of the line that ``index`` is in."""
        return bisect_right(self._ends, index) + 1


class Node(NamedTuple):
    """A scalar, alias, map or list. ``start`` counts its anchor and tag in; behind ``end`` come but comments.

    ``value`` is the text of a scalar or the name of an alias; ``style`` is ``'``, ``"``, ``|`` or ``>`` of a scalar,
    ``{`` of a map or list in flow style, and empty otherwise. ``target`` is where the node starts that an alias
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
        """Tell whether nothing is written at all, which is null."""
        return self.kind == "scalar" and self.start == self.end


class Pair(NamedTuple):
    """A key of a map and its value; ``colon`` is the place behind the colon, -1 if it is not right behind the key."""

    key: Node
    colon: int
    value: Node

    @property
    def end(self) -> int:
        """The place behind the last character."""
        return max(self.key.end, self.colon, self.value.end)


class Tree(NamedTuple):
    """The first document: its ``root`` (``None`` if the text holds none), the place where it ends, and the next one."""

    root: Node | None
    end: int
    next_document: int  # -1 if there is none with content


def parse_tree(text: str) -> Tree:
    """Return the nodes of the first document of ``text``. Raises ``YamlError``, which shows nothing of the text."""
    bad = _NOT_ALLOWED.search(text)
    if bad:
        message = f"the character U+{ord(bad[0]):04X} is not allowed"
        raise _error_at(message, text, bad.start())
    shift = len(BOM) if text.startswith(BOM) else 0  # libyaml does not count it, PyYAML does
    try:
        return _Builder(text, shift).tree()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = error.problem or error.context or "cannot be parsed"
        if not mark:
            raise YamlError(message) from None
        raise _error_at(message, text, mark.index + shift) from None
    except yaml.YAMLError:
        raise YamlError("cannot be parsed") from None  # its message may quote the text


def walk(node: Node, path: str = "") -> Iterator[tuple[str, Node]]:
    """Yield ``node`` and all below it but keys, each with its path, such as ``platform.hosts[0].name``."""
    return ((place, found) for place, found, is_key in walk_with_keys(node, path) if not is_key)


def walk_with_keys(node: Node, path: str = "") -> Iterator[tuple[str, Node, bool]]:
    """Yield ``node`` and all below it, each with its path, and whether it is a key, whose path is that of its map."""
    yield path, node, False
    for number, item in enumerate(node.items):
        yield from walk_with_keys(item, f"{path}[{number}]")
    for pair in node.pairs:
        yield path, pair.key, True
        yield from walk_with_keys(pair.value, below(path, pair.key))


def below(path: str, key: Node) -> str:
    """Return the path of what ``key`` names."""
    return f"{path}.{key.value}" if path and key.value else path or key.value


def own_pair(node: Node, name: str) -> Pair | None:
    """Return the pair of a map whose key is ``name``, not looking into what is merged."""
    return next((pair for pair in node.pairs if pair.key.kind == "scalar" and pair.key.value == name), None)


def line_start(text: str, index: int) -> int:
    """Return where the line begins that ``index`` is in, behind a BOM."""
    first = len(BOM) if text.startswith(BOM) and index > 0 else 0
    while index > first and text[index - 1] not in _BREAKS:
        index -= 1
    return index


def line_above(text: str, start: int) -> int:
    """Return where the line begins that ends at ``start``, which is the begin of a line and not of the text."""
    return line_start(text, start - (2 if text.startswith("\r\n", max(0, start - 2)) else 1))


def line_end(text: str, index: int) -> int:
    """Return where the next line begins."""
    found = _BREAK.search(text, index)
    return found.end() if found else len(text)


def newline_at(text: str, index: int) -> str:
    """Return what ends the line that ``index`` is in, or the last line before it."""
    found = _EDITOR_BREAK.search(text, index) or _EDITOR_BREAK.search(text)
    return found[0] if found else "\n"


def column_of(text: str, index: int) -> int:
    """Return how many characters stand before ``index`` in its line."""
    return index - line_start(text, index)


def _error_at(message: str, text: str, index: int) -> YamlError:
    return YamlError(message, Lines(text).number(index), column_of(text, index) + 1)


class _Builder:
    """Makes nodes of events, each of which stands for one node, or for the begin or end of one."""

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
                start = self._place(event.start_mark)
                close = self._place(next(self.events).start_mark)
                if root is None:
                    root, end = node, close
                elif following < 0 and not node.is_empty:  # a closing --- begins an empty one
                    following = start
        return Tree(root, end, following)

    def _place(self, mark: Any) -> int:
        return int(mark.index) + self.shift

    def _node(self, event: Any, depth: int) -> Node:
        start, end = self._place(event.start_mark), self._place(event.end_mark)
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
            end = start + len(self.text[start:end].rstrip())  # the empty lines behind a block scalar
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
        return tuple(items), self._place(event.end_mark)

    def _pairs(self, depth: int) -> tuple[tuple[Pair, ...], int]:
        pairs: list[Pair] = []
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._node(event, depth)
            found = _COLON.match(self.text, key.end)
            colon = found.end() if found else -1
            value = self._node(next(self.events), depth)
            if value.is_empty:  # parsers place it somewhere before what comes next
                place = colon if found else key.end
                value = value._replace(start=place, end=place)
            pairs.append(Pair(key, colon, value))
        return tuple(pairs), self._place(event.end_mark)
