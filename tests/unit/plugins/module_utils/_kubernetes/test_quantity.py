# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.quantity import NANO, parse_quantity

MILLI = 10**6
MOST = (2**63 - 1) * NANO
DECIMAL_SUFFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
BINARY_SUFFIXES = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
NUMBERS = st.integers(0, 10**6).map(str) | st.decimals(0, 10**6, places=3).map(str)


@pytest.mark.parametrize(
    ("value", "nanos"),
    [
        ("0", 0),
        ("1", NANO),
        ("+1", NANO),
        ("007", 7 * NANO),
        ("100m", 100 * MILLI),
        ("0.1", 100 * MILLI),
        (".5", 500 * MILLI),
        ("5.", 5 * NANO),
        ("1.m", MILLI),
        ("10u", 10_000),
        ("7n", 7),
        ("0.9n", 1),
        ("1.0000000001", NANO + 1),
        ("2k", 2000 * NANO),
        ("2G", 2 * 10**9 * NANO),
        ("1E", 10**18 * NANO),
        ("1e3", 1000 * NANO),
        ("1E3", 1000 * NANO),
        ("1e+3", 1000 * NANO),
        ("1.5e-3", 1_500_000),
        ("1e-30", 1),
        ("0e-30", 0),
        ("64Mi", 64 * 2**20 * NANO),
        ("1Gi", 2**30 * NANO),
        ("0.5Gi", 2**29 * NANO),
        ("1500Ki", 1_536_000 * NANO),
        ("1Ei", 2**60 * NANO),
        ("128974848", 128_974_848 * NANO),
        (" 20Mi\n", 20 * 2**20 * NANO),
        # As YAML and JSON read what is not quoted.
        (1, NANO),
        (0.1, 100 * MILLI),
        (1e22, MOST),
        (1e-7, 100),
        (None, 0),
        # Kubernetes counts in 64 bits.
        ("9223372036854775807", MOST),
        ("9223372036854775808", MOST),
        ("8Ei", MOST),
        ("1e999999999", MOST),
        ("0e999999999", 0),
        ("1e-999999999", 1),
        ("1" + "0" * 99, MOST),
    ],
)
def test_a_quantity_is_read_as_kubernetes_reads_it(value: object, nanos: int) -> None:
    assert parse_quantity(value) == nanos


@pytest.mark.parametrize(
    "value",
    [
        *(
            "",
            " ",
            ".",
            "m",
            "Mi",
            "+",
            "-1",
            "-0.1",
            "--1",
            "1 Mi",
            "1e",
            "1e1.5",
            "1e3Mi",
            "1K",
            "1g",
            "1mi",
            "1ui",
            "1Mib",
        ),
        *(
            "1_000",
            "1,5",
            "1.2.3",
            "0x10",
            "\N{ARABIC-INDIC DIGIT ONE}",
            "much",
            "Infinity",
            "1" + "0" * 100,
            "1" * 5000,
        ),
        *(True, False, -1, -0.5, float("inf"), float("nan"), [], {}, ["1"]),
    ],
)
def test_what_is_no_quantity_is_none(value: object) -> None:
    assert parse_quantity(value) is None


@given(NUMBERS, st.sampled_from(sorted({**DECIMAL_SUFFIXES, **BINARY_SUFFIXES})))
def test_a_suffix_multiplies(number: str, suffix: str) -> None:
    factor = {**DECIMAL_SUFFIXES, **BINARY_SUFFIXES}[suffix]
    assert parse_quantity(number + suffix) == min(Fraction(number) * factor * NANO, MOST)


@given(st.decimals(0, 10**6, places=12).map(lambda number: f"{number:f}"))
def test_parts_are_rounded_up_to_the_nano(number: str) -> None:
    assert parse_quantity(number) == ceil(Fraction(number) * NANO)
    assert parse_quantity(f"{number}m") == ceil(Fraction(number) * MILLI)


@given(st.integers(0, 10**9), st.integers(-9, 9))
def test_an_exponent_is_a_power_of_ten(number: int, exponent: int) -> None:
    assert parse_quantity(f"{number}e{exponent}") == min(number * Fraction(10) ** exponent * NANO, MOST)


@given(st.text(alphabet="0123456789.+-eEinumkKMGTP \n_", max_size=12) | st.text())
def test_no_text_is_too_odd(text: str) -> None:
    found = parse_quantity(text)
    assert found is None or 0 <= found <= MOST
