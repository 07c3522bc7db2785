# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Scalars, tags and merges, as the CVO reads them (goyaml.v2). Documents of Go are in ``tests/parity``."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._yaml.libyaml import load_body, read_document
from ansible_collections.capability.openshift.plugins.module_utils._yaml.values import (
    YamlError,
    YamlValueError,
    parse_json_object,
    resolve_plain,
)

KEYS = ("1", "true", "1.5", ".inf", "-.inf", ".nan")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("y", True),
        ("No", False),
        ("~", None),
        ("", None),
        ("text", "text"),
        ("1:30", "1:30"),
        ("2026-01-01", "2026-01-01"),
        ("=", "="),
        ("12", 12),
        ("-12", -12),
        ("+1", 1),
        ("1_000", 1000),
        ("010", 8),
        ("08", 8.0),
        ("0o17", 15),
        ("0x1F", 31),
        ("-0b11", -3),
        ("0b-11", -3),
        ("0b+11", 3),
        ("1.5", 1.5),
        (".5", 0.5),
        ("._5", "._5"),
        (".1_5", 0.15),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("1e", "1e"),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709551616.0),
        ("-9223372036854775808", -9223372036854775808),
        ("-9223372036854775809", -9223372036854775809.0),
        ("0xFFFFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFFF"),
        ("1e999", "1e999"),
        ("-1e999", "-1e999"),
        (".inf", math.inf),
        ("-.INF", -math.inf),
    ],
)
def test_a_plain_scalar_is_what_go_reads(text: str, value: object) -> None:
    found = resolve_plain(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}", {"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}}),
        ("a: {<<: [{b: 1}, {b: 2, c: 2}]}", {"a": {"b": 1, "c": 2}}),
        ("a: {b: 1, b: 2}", {"a": {"b": 2}}),
        ("a: {'<<': 1}", {"a": {"<<": 1}}),
        ("- &x a\n- *x\n- {*x : 1}", ["a", "a", {"a": 1}]),
        ("{1: a, true: b, 1.5: c, .inf: d, -.inf: e, .nan: f}", dict(zip(KEYS, "abcdef", strict=True))),
        ("a: !!str 1", {"a": "1"}),
        ("a: !!float 1.5", {"a": 1.5}),
        ("a: !other 1", {"a": "1"}),
        ("a: !!binary aGVs\n  bG8=", {"a": "hello"}),
        ("a: !!binary /w==", {"a": "\ufffd"}),
        ("", None),
        ("# nothing", None),
    ],
)
def test_a_document_is_what_go_reads(text: str, value: object) -> None:
    assert load_body(text.encode()) == value


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a: !!int text", YamlValueError),
        ("a: !!binary '*'", YamlValueError),
        ("a: {<<: 1}", YamlError),
        ("a: {<<: [1]}", YamlError),
        ("a: *nothing", YamlError),
        ("{null: 1}", YamlError),
        ("{? [a] : 1}", YamlError),
        ("a: &x [b]\nc: {*x : 1}", YamlError),
    ],
)
def test_what_go_refuses_is_an_error_without_the_value(text: str, error: Any) -> None:
    with pytest.raises(error) as raised:
        load_body(text.encode())
    assert "text" not in raised.value.message


@pytest.mark.parametrize(
    ("text", "more"),
    [("a: 1", False), ("a: 1\n---\nb: 2", True), ("a: 1\n---\n", True), ("a: 1\n...\n", False), ("a: 1\n---\n{", True)],
)
def test_whether_more_documents_follow(text: str, more: bool) -> None:
    found = read_document(text.encode())
    assert (found.value, found.more) == ({"a": 1}, more)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b' {"a": 1}', {"a": 1}),
        ('{"a": "\udcff"}', {"a": "?"}),
        (b"{a: 1}", None),
        (b"[1]", None),
        (b"", None),
        (b'{"a":' * 100_000, None),
    ],
)
def test_only_json_objects_are_read_as_json(data: str | bytes, value: object) -> None:
    assert parse_json_object(data) == value
