# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Unquoted scalars are what sigs.k8s.io/yaml makes of them: whether an annotation is a string decides over a manifest.

The table is worked out from goyaml.v2/resolve.go: its map of words, Go's ParseInt with base 0 after removing ``_``,
``yamlStyleFloat``, and ParseFloat, which refuses what overflows. A timestamp decodes into a string.
"""

from __future__ import annotations

import math

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._yaml.values import resolve_plain

NULL = ("", "~", "null", "Null", "NULL")
TRUE = ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")
FALSE = ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
INTEGERS = {
    "0": 0,
    "-0": 0,
    "+1": 1,
    "12": 12,
    "1_000": 1000,
    "1__0_": 10,
    "+_1": 1,
    "0x1F": 31,
    "0X1f": 31,
    "-0x1f": -31,
    "0x_f": 15,
    "0777": 511,
    "-010": -8,
    "0o17": 15,
    "0O17": 15,
    "0b101": 5,
    "0B101": 5,
    "-0b1": -1,
    "+0b1": 1,
    "0b-1": -1,
    "0b+1": 1,
    "9223372036854775808": 2**63,
}
FLOATS = {
    "1.5": 1.5,
    "-1.5": -1.5,
    "+.5": 0.5,
    ".5": 0.5,
    ".5e3": 500.0,
    "1.": 1.0,
    "1.e2": 100.0,
    "1e3": 1000.0,
    "1E+3": 1000.0,
    "1e-400": 0.0,
    "08": 8.0,
    "1_0.5": 10.5,
    ".inf": math.inf,
    ".Inf": math.inf,
    "+.INF": math.inf,
    "-.inf": -math.inf,
}
STRINGS = (
    "0xFFFFFFFFFFFFFFFFFFFF",  # beyond 64 bits there is no integer, and a float has no hexadecimal form
    *("nULL", "nil", "none", "tRUE", "yES", "oN", "t", "f", "T", "F", "yy", "=", "<", "<<", "~a", "a", "A", "/"),
    *(
        ".",
        "..",
        "-",
        "--",
        "+",
        "-.",
        "+.",
        "._1",
        ".1_0",
        ".5x",
        "1.5.1",
        "1..",
        "4.20.0",
        "v1",
        "1e",
        "e1",
        "1e+",
        "1e1.5",
    ),
    *("NaN", "nan", "inf", "+inf", "-Infinity", ".iNF", ".nAn", "+.nan", "-.NaN"),
    *("1:30", "190:20:30", "2001-12-14", "2001-12-14t21:59:43.10-05:00", "2001-1-1 1:2:3", "10-11"),
    *(
        "0x",
        "0xg",
        "0o8",
        "0o",
        "0b2",
        "0b",
        "-0b-1",
        "0x1.8p1",
        "1p3",
        ".5p1",
        "1e400",
        "-1e400",
        ".1e400",
        "1,000",
        "1 0",
    ),
    *("_", "_1", "_0x1", "1a", "0_x", "\u0661", "1\u0662", "\uff11", "\u00bd", "\u00b2"),
)


@pytest.mark.parametrize("text", NULL)
def test_null(text: str) -> None:
    assert resolve_plain(text) is None


@pytest.mark.parametrize("text", TRUE)
def test_true(text: str) -> None:
    assert resolve_plain(text) is True


@pytest.mark.parametrize("text", FALSE)
def test_false(text: str) -> None:
    assert resolve_plain(text) is False


@pytest.mark.parametrize(("text", "value"), [*INTEGERS.items(), *FLOATS.items()])
def test_number(text: str, value: float) -> None:
    found = resolve_plain(text)
    assert not isinstance(found, bool)
    assert found == value


@pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
def test_not_a_number(text: str) -> None:
    found = resolve_plain(text)
    assert isinstance(found, float)
    assert math.isnan(found)


@pytest.mark.parametrize("text", STRINGS, ids=ascii)
def test_string(text: str) -> None:
    assert resolve_plain(text) == text
