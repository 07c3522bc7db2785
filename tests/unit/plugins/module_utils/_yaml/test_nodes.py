# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The starts of lines in a text that is edited."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._yaml.nodes import (
    line_above,
    line_start,
    parse_tree,
)


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
