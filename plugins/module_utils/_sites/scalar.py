# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Replaces the JSON in a quoted or block scalar of a YAML text."""

from __future__ import annotations

import re

from .._install_config.edit import Edit
from .._yaml.nodes import Node, newline_at

_HEADER = re.compile(r"[|>](?P<rest>[1-9+-]*[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))")
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_SPECIAL = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def replace_json(text: str, node: Node, json: str) -> Edit | None:
    """The edit that sets the scalar ``node`` to ``json``. ``None`` if the scalar is not quoted and no block.

    A quoted scalar is written on one line, in the same quotes. A block keeps its lines and its indentation. A folded
    block becomes a literal one, because folding changes lines.
    """
    if node.style in ("|", ">"):
        return _with_block(text, node, json)
    if node.style not in ("'", '"'):
        return None
    return Edit(text.index(node.style, node.start), node.end, quote_json(json, node.style))


def quote_json(json: str, style: str = "'") -> str:
    """``json`` as a scalar on one line, in the quotes ``style``."""
    if style == '"':
        return f'"{"".join(_SPECIAL.get(char, char) for char in json)}"'
    # A line break would be folded. In JSON it is white space, because strings contain none.
    return "'" + re.sub(r"\s*\n\s*", " ", json).replace("'", "''") + "'"


def _with_block(text: str, node: Node, json: str) -> Edit | None:
    header = _HEADER.search(text, node.start)
    if header is None:
        return None
    index = end = header.end()
    indent: int | None = None
    while index < len(text) and (line := _LINE.match(text, index)):
        content = line[1].lstrip(" ")
        if content:
            column = len(line[1]) - len(content)
            indent = column if indent is None else indent
            if column < indent:
                break
            end = line.end()
        index = line.end()
    newline = newline_at(text, node.start)
    lines = (" " * (indent or 0) + line if line else "" for line in json.rstrip("\n").split("\n"))
    last = newline if text[end - 1] in "\r\n" else ""
    return Edit(header.start(), end, f"|{header['rest']}{newline.join(lines)}{last}")
