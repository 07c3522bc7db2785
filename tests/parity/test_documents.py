# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Unusual documents have the values that the YAML library of the CVO reads, or are rejected as there.

``facts/documents.json`` has texts and their JSON, or null, by sigs.k8s.io/yaml. To make it again:

    cd tests/parity/go
    go run . -texts ../facts/documents.json

It has no text that the scanners of libyaml and goyaml.v2 read differently. These are a colon before a bracket, a ``?``
or a tag without a value in a flow list, ``\\/`` in quotes, a byte order mark in the text, and ``%YAML 1.2``.
"""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.documents import read_manifest_file
from ansible_collections.capability.openshift.plugins.module_utils._yaml.libyaml import load_body
from ansible_collections.capability.openshift.plugins.module_utils._yaml.values import YamlError
from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS

PAIRS: list[tuple[str, str | None]] = json.loads((FACTS / "documents.json").read_bytes())
TEXTS = [text for text, _value in PAIRS]
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: nm\nbody:\n"


def read(text: str) -> object:
    """The value of a document as JSON has it; ``YamlError`` itself if there is none."""
    try:
        return json.loads(json.dumps(load_body(text.encode()), allow_nan=False))
    except (YamlError, ValueError):  # JSON has no .nan and no .inf
        return YamlError


def test_values_are_those_that_the_cvo_reads() -> None:
    expected = [YamlError if value is None else json.loads(value) for _text, value in PAIRS]
    wrong = [(text, read(text), value) for text, value in zip(TEXTS, expected, strict=True) if read(text) != value]
    assert not wrong
    assert len(PAIRS) > 3000
    assert expected.count(YamlError) > 500


def test_a_mistake_deep_in_a_body_is_found_at_reading() -> None:
    rejected = 0
    for text in random.Random(7).sample([text for text in TEXTS if "\r" not in text], 500):
        data = HEAD + "".join(f"  {line}\n" for line in text.split("\n"))
        problems = Problems()
        file = read_manifest_file("f.yaml", data.encode(), problems)
        bodies = [json.loads(body) for _manifest, body in file.read_all_json()]
        rejected += problems.has_errors
        assert bodies == ([] if problems.has_errors else [read(data)]), data
    assert 50 < rejected < 450


NOT_UTF8 = (
    b"\xff\xfe" + HEAD.encode("utf-16-le"),
    b"\xfe\xff" + HEAD.encode("utf-16-be"),
    HEAD.encode() + b"  \xe4\n",
    HEAD.encode() + b"  '\xc3'\n",
    HEAD.encode() + b"# \xff\n",
    HEAD.encode() + b"  \xed\xa0\x80\n",  # a surrogate
    HEAD.encode() + b"  \xc0\x80\n",  # NUL, too long
    HEAD.encode() + b"  \xf4\x90\x80\x80\n",  # beyond Unicode
    b"\xe4" + HEAD.encode(),
)


@pytest.mark.parametrize("data", NOT_UTF8)
def test_file_that_is_not_utf8(data: bytes) -> None:
    problems = Problems()
    assert read_manifest_file("file", data, problems).manifests == ()
    assert [problem.severity for problem in problems] == ["error"]


@pytest.mark.parametrize(
    "text", ["data: " + "[" * 11000 + "]" * 11000, "data:\n" + "- " * 11000 + "a"], ids=["flow lists", "lists"]
)
def test_excessive_nesting_is_an_error(text: str) -> None:
    problems = Problems()
    read_manifest_file("file", (HEAD.replace("body:\n", "") + text + "\n").encode(), problems)
    assert [problem.code for problem in problems] == ["invalid-yaml"]


def test_nesting_that_this_python_cannot_write_as_json_is_an_error() -> None:
    depth, problems = 3000, Problems()
    nested: list[object] = []
    for _level in range(depth - 1):
        nested = [nested]
    try:
        json.dumps(nested)
    except RecursionError:
        expected = ["invalid-yaml"]
    else:  # from Python 3.12 on
        expected = []
    text = "data: " + "[" * depth + "]" * depth + "\n"
    read_manifest_file("file", (HEAD.replace("body:\n", "") + text).encode(), problems)
    assert [problem.code for problem in problems] == expected


@settings(max_examples=max(1000, settings().max_examples))
@given(
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3),
    st.integers(0, 80),
    st.sampled_from(" \n:-?,[]{}#&*!|>'\""),
)
def test_any_text_is_read_or_rejected(texts: list[str], at: int, character: str) -> None:
    text = "".join(texts)
    read(text[:at] + character + text[at:])
