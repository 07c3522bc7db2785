# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lines and nodes of a text that is edited."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._yaml.nodes import (
    MAX_DEPTH,
    Lines,
    column_of,
    line_above,
    line_end,
    line_start,
    newline_at,
    own_pair,
    parse_tree,
    walk,
)
from ansible_collections.capability.openshift.plugins.module_utils._yaml.values import YamlError


@pytest.mark.parametrize(
    ("text", "index", "start"),
    [("abc", 0, 0), ("abc", 2, 0), ("a\nbc", 3, 2), ("a\r\nbc", 4, 3), ("\ufeffabc", 1, 1), ("\ufeffabc", 3, 1)],
)
def test_the_start_of_a_line_is_after_a_bom(text, index, start):
    assert line_start(text, index) == start


@pytest.mark.parametrize(("text", "start", "above"), [("a\nb", 2, 0), ("a\r\nb", 3, 0), ("a\nb\nc", 4, 2)])
def test_the_line_above(text, start, above):
    assert line_above(text, start) == above


@pytest.mark.parametrize(
    ("text", "end", "following"),
    [
        ("a: 1\n", 5, -1),
        ("a: 1\n---\n", 5, -1),
        ("a: 1\n...\n", 5, -1),
        ("a: 1\n---\nb: 2\n", 5, 5),
        ("---\na: 1\n---\n---\nb: 2\n---\nc: 3\n", 9, 13),
        ("\ufeffa: 1\n---\nb: 2\n", 6, 6),
    ],
)
def test_the_first_document_counts_and_the_next_one_that_is_not_empty(text, end, following):
    tree = parse_tree(text)

    assert tree.root is not None
    assert [pair.key.value for pair in tree.root.pairs] == ["a"]
    assert (tree.end, tree.next_document) == (end, following)


@pytest.mark.parametrize(
    ("text", "index", "end", "column", "number", "newline"),
    [
        ("abc", 2, 3, 2, 1, "\n"),
        ("a\nbc\n", 3, 5, 1, 2, "\n"),
        ("a\r\nbc", 1, 3, 1, 1, "\r\n"),
        ("a\r\nbc", 4, 5, 1, 2, "\r\n"),
        ("a\rb", 2, 3, 0, 2, "\r"),
        ("a\u2028b", 2, 3, 0, 1, "\n"),
        ("\ufeffab", 2, 3, 1, 1, "\n"),
    ],
)
def test_a_position_has_a_line_and_a_column(text, index, end, column, number, newline):
    found = line_end(text, index), column_of(text, index), Lines(text).number(index), newline_at(text, index)
    assert found == (end, column, number, newline)


TEXT = """\
a: &x !!str one
b:
  - "two"
  - {c: *x, d: }
e: |
  text

f :
? [g]
: h
"""


def test_each_node_has_its_text():
    tree = parse_tree(TEXT)
    assert tree.root is not None
    nodes = dict(walk(tree.root))
    shown = {
        path: (node.kind, TEXT[node.start : node.end], node.value, node.style)
        for path, node in nodes.items()
        if not node.items and not node.pairs
    }
    assert shown == {
        "a": ("scalar", "&x !!str one", "one", ""),
        "b[0]": ("scalar", '"two"', "two", '"'),
        "b[1].c": ("alias", "*x", "x", ""),
        "b[1].d": ("scalar", "", "", ""),
        "e": ("scalar", "|\n  text", "text\n", "|"),
        "f": ("scalar", "", "", ""),
        "": ("scalar", "h", "h", ""),
    }
    assert (nodes["a"].anchor, nodes["a"].tag, nodes["b[1].c"].target) == (
        "x",
        "tag:yaml.org,2002:str",
        nodes["a"].start,
    )
    assert (nodes["b"].kind, nodes["b"].style, nodes["b[1]"].kind, nodes["b[1]"].style) == ("list", "", "map", "{")
    assert TEXT[nodes["b"].start : nodes["b"].end] == '- "two"\n  - {c: *x, d: }'
    pair = own_pair(tree.root, "f")
    assert pair is not None
    assert (TEXT[pair.key.start : pair.colon], pair.end, pair.value.is_empty) == ("f :", pair.colon, True)
    assert own_pair(tree.root, "g") is None


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a: 1\n  b: 2\n", 2, 4),
        ("\ufeffa: 1\n  b: 2\n", 2, 4),
        ("a: [1\n", 2, 1),
        ("a: 1\nb: \x07\n", 2, 4),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), 1, MAX_DEPTH + 2),
    ],
)
def test_an_error_has_its_place_and_nothing_of_the_text(text, line, column):
    with pytest.raises(YamlError) as raised:
        parse_tree(text)
    assert (raised.value.line, raised.value.column) == (line, column)
