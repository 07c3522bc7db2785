# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Errors and limits. The values of documents are in ``tests/parity/test_documents.py``."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._yaml.libyaml import (
    load_body,
    load_documents,
    read_document,
)
from ansible_collections.capability.openshift.plugins.module_utils._yaml.values import YamlError, YamlValueError


def value_of(text: str | bytes) -> Any:
    return read_document(text if isinstance(text, bytes) else text.encode()).value


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("kind: A\nspec: [1, 2\n", 3, 1),
        ("kind: A\n  x: y\n", 2, 4),
        ("kind: A\nspec:\n\t- a\n", 3, 1),
        ("kind: *nope\n", 1, 7),
        ("kind: A\n? [a]\n: b\n", 2, 3),
        ("spec: {a: }}\n", 1, 12),
    ],
)
def test_a_syntax_error_has_its_place(text, line, column):
    with pytest.raises(YamlError) as raised:
        value_of(text)

    assert raised.value.message
    assert (raised.value.line, raised.value.column) == (line, column)


def bomb(levels: int, width: int) -> str:
    lines = ["kind: A", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        items = ", ".join([f"*a{level - 1}"] * width)
        lines.append(f"a{level}: &a{level} [{items}]")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("where", ["spec", "metadata"])
def test_an_alias_bomb_is_rejected_and_not_expanded(where):
    text = bomb(30, 10) + f"{where}: *a29\n"

    with pytest.raises(YamlError, match="excessive aliasing"):
        value_of(text)
    with pytest.raises(YamlError, match="excessive aliasing"):
        load_body(text.encode())


def test_some_aliases_are_accepted():
    assert value_of("a: &a [x]\n" + "".join(f"b{number}: *a\n" for number in range(90)) + "kind: A\n")["kind"] == "A"


def test_excessive_nesting_is_rejected():
    with pytest.raises(YamlError, match="max depth"):
        value_of("spec: " + "[" * 20000)


def test_the_end_of_a_document_is_not_another_one():
    assert read_document(b"kind: A\n...\n").more is False


def test_a_value_that_does_not_match_its_tag_is_rejected_and_not_shown():
    with pytest.raises(YamlValueError) as raised:
        load_body(b"a:\n  b: !!int secret\n")

    assert (raised.value.line, raised.value.column) == (2, 6)
    assert "secret" not in raised.value.message


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", []),
        ("---\na: 1\n---\n# nothing\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        ("a: |\n  ---\n--- # note\nb\n", [{"a": "---\n"}, "b"]),
    ],
)
def test_the_documents_of_a_file_are_loaded(text, values):
    assert load_documents(text.encode()) == values
