# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Replaces parts of a quoted or block scalar in a YAML text, and leaves the rest of it as it is, byte for byte.

YAML decodes a scalar: escapes, doubled quotes, folded lines, indentation. So each character of the value is mapped to
its place in the text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .._yaml.nodes import Node, line_start, newline_at

_HEADER = re.compile(r"[|>](?:([1-9])[+-]?|[+-]([1-9])?)?[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)")
_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r",
    "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}
_SPECIAL = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class _Map(NamedTuple):
    """The decoded characters, and the index in the text at which each begins. ``end`` is the index after the last."""

    value: str
    places: list[int]
    end: int


def replaced(text: str, node: Node, value: str) -> str | None:
    """``text`` with the value of the scalar ``node`` changed to ``value``.

    Only the characters between the first and the last difference are written. ``None`` if the scalar is written in a
    way that cannot be edited: then the caller must not write it.
    """
    decoded = _decode(text, node)
    if decoded is None or decoded.value != node.value:
        return None
    old = decoded.value
    first = _common(old, value)
    last = _common(old[first:][::-1], value[first:][::-1])
    places = [*decoded.places, decoded.end]
    start, end = places[first], places[len(old) - last]
    new = value[first : len(value) - last]
    return text[:start] + _encode(text, node, new) + text[end:]


def _common(first: str, second: str) -> int:
    """The number of equal characters at the beginning."""
    for index, (left, right) in enumerate(zip(first, second, strict=False)):
        if left != right:
            return index
    return min(len(first), len(second))


def _decode(text: str, node: Node) -> _Map | None:
    if node.style in ("|", ">"):
        return _decode_block(text, node)
    if node.style not in ("'", '"'):
        return None
    start = text.index(node.style, node.start) + 1
    return _Quoted(text, start, node.end - 1, node.style).decode()


class _Quoted:
    """Decodes a quoted scalar, the content of which is between ``start`` and ``end``."""

    def __init__(self, text: str, start: int, end: int, style: str) -> None:
        self.text, self.index, self.end, self.style = text, start, end, style
        self.value: list[str] = []
        self.places: list[int] = []
        self.blanks = 0  # at the end of value: they are removed before a line break

    def decode(self) -> _Map | None:
        while self.index < self.end:
            char = self.text[self.index]
            if char in "\r\n":
                self._fold()
            elif char == "\\" and self.style == '"':
                if not self._escape():
                    return None
            else:
                self._put(char, 2 if char == self.style else 1)
                self.blanks = self.blanks + 1 if char in " \t" else 0
        return _Map("".join(self.value), self.places, self.end)

    def _put(self, char: str, length: int) -> None:
        self.value.append(char)
        self.places.append(self.index)
        self.index += length

    def _fold(self) -> None:
        if self.blanks:
            del self.value[-self.blanks :], self.places[-self.blanks :]
        place, breaks = self.index, 0
        while match := re.compile(r"[ \t]*(\r\n|\r|\n)").match(self.text, self.index, self.end):
            self.index, breaks = match.end(), breaks + 1
        while self.index < self.end and self.text[self.index] in " \t":
            self.index += 1
        for char in " " if breaks == 1 else "\n" * (breaks - 1):
            self.value.append(char)
            self.places.append(place)
        self.blanks = 0

    def _escape(self) -> bool:
        following = self.text[self.index + 1 : self.index + 2]
        if following in _ESCAPES:
            self._put(_ESCAPES[following], 2)
        elif following in _HEX:
            digits = self.text[self.index + 2 : self.index + 2 + _HEX[following]]
            if not re.fullmatch("[0-9A-Fa-f]+", digits):
                return False
            self._put(chr(int(digits, 16)), 2 + len(digits))
        else:
            return False  # an escaped line break
        self.blanks = 0
        return True


def _decode_block(text: str, node: Node) -> _Map | None:
    header = _HEADER.search(text, node.start)
    if header is None:
        return None
    lines: list[tuple[int, str, str]] = []
    index, indent = header.end(), _indent(text, node)
    while index < len(text) and (match := _LINE.match(text, index)):
        content = match[1]
        if content.strip(" ") and len(content) - len(content.lstrip(" ")) < indent:
            break
        lines.append((index + min(indent, len(content)), content[indent:], match[2]))
        index = match.end()
    value: list[str] = []
    places: list[int] = []
    for number, (start, content, _break) in enumerate(lines):
        value += content
        places += range(start, start + len(content))
        end = start + len(content)
        following = lines[number + 1][1] if number + 1 < len(lines) else ""
        if node.style == ">" and content.strip() and following.strip():
            if content[0] in " \t" or following[0] in " \t":
                value.append("\n")
            else:
                value.append(" ")
            places.append(end)
        elif node.style == "|" or not content or not following.strip():
            if node.style == ">" and content.strip() and any(item[1] for item in lines[number + 1 :]):
                return None  # empty lines between folded ones
            value.append("\n")
            places.append(end)
    decoded, length = "".join(value), len(node.value)
    if not decoded.startswith(node.value):
        return None
    return _Map(node.value, places[:length], places[length] if length < len(places) else index)


def _indent(text: str, node: Node) -> int:
    """The indentation of a block scalar: that of its first line with content."""
    header = _HEADER.search(text, node.start)
    index = header.end() if header else node.end
    while match := _LINE.match(text, index):
        if match[1].strip(" ") or match.end() == index or match.end() >= len(text):
            return len(match[1]) - len(match[1].lstrip(" "))
        index = match.end()
    return 0


def _encode(text: str, node: Node, value: str) -> str:
    if node.style == '"':
        return "".join(_SPECIAL.get(char, char) for char in value)
    if node.style == "'":
        # A line break would be folded. In JSON it is white space, because strings contain none.
        return re.sub(r"\s*\n\s*", " ", value).replace("'", "''")
    return value.replace("\n", newline_at(text, line_start(text, node.start)) + " " * _indent(text, node))
