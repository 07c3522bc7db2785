# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documents are divided at a field only if a parser would find the field in the same place."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._yaml.document import (
    TextBody,
    divide_document,
    has_line_of_field,
    names_within,
)

DOCUMENT = b"""\
# A comment
apiVersion: v1
kind: ConfigMap
metadata:
  name: a  # the name
# A comment at the beginning of a line

  annotations:
    note: |-
      metadata: of a text
data:
  text: |
    metadata:
      name: b
items:
- metadata: c
"""

WORDS = st.sampled_from(["metadata", "status", "x", "a b", "metadata: y", "'", '"', "- z", "# c", "", "\n", ": "])
VALUES = st.recursive(
    st.lists(WORDS, max_size=4).map("".join) | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
ROOTS = st.dictionaries(st.sampled_from(["spec", "data", "status", "metadata", "kind"]), VALUES, min_size=1)
STYLES = st.sampled_from([None, '"', "'", "|", ">"])


def test_field_ends_with_its_last_line() -> None:
    parts = divide_document(DOCUMENT, "metadata")
    assert parts is not None
    assert b"".join(parts) == DOCUMENT
    assert parts.field.startswith(b"metadata:\n  name: a")
    assert parts.field.endswith(b"of a text\n")
    assert parts.after.startswith(b"data:")


@pytest.mark.parametrize(
    "text",
    [
        b"kind: A\n",
        b"metadata: {}\nmetadata: {}\n",
        b'"metadata": {}\nkind: A\n',
        b'kind: "A\nmetadata: b"\n"metadata": {}\n',
        b"? metadata\n: {}\nkind: A\n",
        b"!!str metadata: {}\nkind: A\n",
        b"  metadata: {}\n  kind: 'A\nmetadata: b'\n",
        b"kind: A\nmetadata: {a: 1}\n...\nstatus: b\n",
        b"kind: A\nmetadata: &a {name: b}\nspec: *a\n",
        b"kind: &a A\nmetadata: {name: *a}\n",
        b'{"kind": "A",\nmetadata: {}}\n',
        b"kind: {a: b,\nmetadata: c\n}\nmetadata: {}\n",
        b"%YAML 1.1\n---\nmetadata: {}\n",
        b"\xef\xbb\xbfmetadata: {}\n",
        b"\tmetadata: {}\n",
        b"",
    ],
)
def test_field_that_only_a_parser_finds(text: bytes) -> None:
    assert divide_document(text, "metadata") is None


@settings(max_examples=60)
@given(ROOTS, STYLES, st.integers(2, 8), st.integers(5, 80), st.booleans())
def test_field_is_that_of_the_parser(
    root: dict[str, Any], style: str | None, indent: int, width: int, flow: bool
) -> None:
    text = yaml.safe_dump(root, default_style=style, indent=indent, width=width, default_flow_style=flow).encode()
    parts = divide_document(text, "metadata")
    if parts is None:
        return
    assert yaml.safe_load(parts.field) == {"metadata": root["metadata"]}
    rest = yaml.safe_load(parts.before + parts.after) or {}
    assert rest == {name: value for name, value in root.items() if name != "metadata"}


@given(ROOTS, STYLES)
def test_line_of_a_field_is_found_in_every_block_map(root: dict[str, Any], style: str | None) -> None:
    text = yaml.safe_dump(root, default_style=style, default_flow_style=False).encode()
    if divide_document(text, "metadata") is not None:
        assert has_line_of_field(text, "status") or "status" not in root


def test_metadata_is_replaced_and_everything_else_is_the_text() -> None:
    body = TextBody(b"kind: A\n", {"name": "a\n\u2028\u007f/", "labels": {"x": "y"}}, b"spec:  {a: 1}  # yes\n")
    data = body.with_metadata(uid="u").encoded()
    assert data.startswith(b"kind: A\nmetadata: {")
    assert data.endswith(b"}\nspec:  {a: 1}  # yes\n")
    assert yaml.safe_load(data)["metadata"] == {"name": "a\n\u2028\u007f/", "labels": {"x": "y"}, "uid": "u"}


@pytest.mark.parametrize(
    ("field", "names"),
    [
        (b"metadata: # x\n  name: a\n\n  # b\n  labels:\n    app: c\n", {"name", "labels"}),
        (b"metadata:\r\n  name: a\r\n  labels:\r\n    app: c\r\n", {"name", "labels"}),
        (b"metadata:\n    name: \"a b\"\n    x:\n        a.b/c: 'd'\n", {"name", "x"}),
        (b"metadata:\n    name: a\n  b: c\n", None),
        (b"metadata:\n  name: 'a\n  b: c'\n", None),
        (b'metadata:\n  name: a\n  b: "c\nkind: d"\n', None),
        (b'metadata:\n  name: a\n  5"x: "c\n', None),
        (b"metadata:\n  name: a\n    b: c\n", {"name"}),
        (b"metadata:\n  name: a\n  x: |-\n    y: z\n", None),
        (b"metadata: {name: a}\n", None),
        (b"metadata: {\n  name: a\n}\n", None),
        (b"metadata:\n  'name': a\n  labels: {}\n", None),
        (b"metadata:\n  name: a\n  <<: {}\n", None),
        (b"metadata:\n  name: a\n  ? labels\n  : {}\n", None),
        (b"metadata:\n  !!str labels: {}\n  name: a\n", None),
        (b"metadata:\n  name: a\n  a.b/c: d\n", {"name", "a.b/c"}),
        (b"metadata:\n  name:\n  {}\n", None),
        (b"metadata:\n", None),
    ],
)
def test_names_of_a_block_map(field: bytes, names: set[str] | None) -> None:
    assert names_within(field) == names


INNER = st.dictionaries(st.sampled_from(["name", "labels", "x"]), VALUES, min_size=1)


@settings(max_examples=60)
@given(INNER, STYLES, st.integers(2, 8), st.integers(5, 80), st.booleans())
def test_block_map_has_no_other_names(
    inner: dict[str, Any], style: str | None, indent: int, width: int, flow: bool
) -> None:
    text = yaml.safe_dump({"metadata": inner}, default_style=style, indent=indent, width=width, default_flow_style=flow)
    names = names_within(text.encode())
    assert names is None or set(inner) == names
