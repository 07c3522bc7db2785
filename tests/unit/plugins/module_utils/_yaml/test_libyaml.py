# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._yaml.libyaml import (
    load_body,
    load_documents,
    read_document,
)
from ansible_collections.capability.openshift.plugins.module_utils._yaml.values import (
    YamlError,
    YamlValueError,
    resolve_plain,
)


def value_of(text: str | bytes) -> Any:
    return read_document(text if isinstance(text, bytes) else text.encode()).value


# goyaml.v2 resolve.go, by way of sigs.k8s.io/yaml
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("y", True),
        ("Off", False),
        ("NO", False),
        ("1", 1),
        ("-1", -1),
        ("0x1F", 31),
        ("0b11", 3),
        ("1_000", 1000),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        (".inf", float("inf")),
        ("1:30", "1:30"),
        ("2024-05-01", "2024-05-01"),
        ("=", "="),
        ("<<", "<<"),
        ("v1", "v1"),
        ("1.2.3", "1.2.3"),
        ("tRue", "tRue"),
    ],
)
def test_an_unquoted_scalar_is_what_the_cvo_reads(text, value):
    assert resolve_plain(text) == value
    assert type(resolve_plain(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("kind: A\nkind: B\n", {"kind": "B"}),
        ("kind: =\n", {"kind": "="}),
        ("kind: A\nspec: {x: =, x: 1}\n", {"kind": "A", "spec": {"x": 1}}),
        ("metadata: {name: one, annotations: {a: 'true', b: true, c: 2024-05-01}}\n", None),
        ("kind: |\n  A\n", {"kind": "A\n"}),
        ('kind: "A\\u0042"\n', {"kind": "AB"}),
        ("kind: !!str 7\n", {"kind": "7"}),
        ("kind: &x A\nmetadata: {name: *x}\n", {"kind": "A", "metadata": {"name": "A"}}),
        ("x: &x {name: one}\nmetadata:\n  <<: *x\n  namespace: two\n", None),
        ("\ufeffkind: A\n", {"kind": "A"}),
        ("kind: A\r\nspec: 1\r\n", {"kind": "A", "spec": 1}),
        ("- a\n- b\n", ["a", "b"]),
        ("text", "text"),
        ("# nothing\n", None),
        ("null", None),
    ],
)
def test_the_head_of_a_document_is_read(text, value):
    read = value_of(text)

    if value is not None or "metadata" not in text:
        assert read == value
    elif "<<" in text:
        assert read["metadata"] == {"name": "one", "namespace": "two"}
    else:
        assert read["metadata"]["annotations"] == {"a": "true", "b": True, "c": "2024-05-01"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("kind: A\nspec: [1, 2\n", 3),
        ("kind: A\n  x: y\n", 2),
        ("kind: A\nspec:\n\t- a\n", 3),
        ("kind: *nope\n", 1),
        ("kind: A\n? [a]\n: b\n", 2),
        ("spec: {a: }}\n", 1),
    ],
)
def test_a_syntax_error_has_its_line(text, line):
    with pytest.raises(YamlError) as raised:
        value_of(text)

    assert raised.value.message
    assert raised.value.line == line


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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 2024-05-01\nb: =\nc: 1\n", {"a": "2024-05-01", "b": "=", "c": 1}),
        ("a: 1\na: 2\n", {"a": 2}),
        ("x: &x {a: 1}\ny: *x\n", {"x": {"a": 1}, "true": {"a": 1}}),
        ("", None),
    ],
)
def test_a_body_is_loaded_as_plain_values(text, value):
    assert load_body(text.encode()) == value


def test_a_body_creates_no_python_objects():
    assert load_body(b"a: !!python/object/apply:os.getcwd []\n") == {"a": []}


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
