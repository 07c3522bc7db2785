# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the end of `make test` shows: a step passes if its session does."""

from __future__ import annotations

import pytest
from summary import Result, result, table

TIMES = "real 12.50\nuser 3.00\nsys 0.50\n"
UNIT = Result(10, 9, 100, passed=True)
RUFF = Result(1, 1, 0, passed=True)


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("All checks passed!\n714 files already formatted", 0),
        ("9 passed, 1 skipped in 3.21s", 9),
        ("===== 3 passed in 1s =====\n==== 4 passed, 1 warning in 2s ====", 7),
        ("1 skipped, 9 passed, 1 deselected in 3.21s", 9),
        ("Running sanity test 'yamllint'\nRunning sanity test 'shebang'", 2),
        ("role_a : actions=3  successful=3  disabled=0 skipped=0 missing=0  failed=0", 1),
    ],
)
def test_what_a_step_tested_is_read_from_its_log(text, tests):
    log = f"nox > Running session a\n{text}\nnox > Session a was successful.\n{TIMES}"
    assert result("a", log) == Result(12.5, 3.5, tests, passed=True)


def test_a_step_that_did_not_end_well_failed():
    assert not result("unit", f"9 passed in 3.21s\nnox > Session unit failed.\n{TIMES}").passed
    assert result("unit", "") == Result(0, 0, 0, passed=False)


def test_the_last_line_counts_tests_and_failed_steps():
    passed = {"unit": UNIT, "ruff": RUFF}
    assert table(passed, 12.0)[-1] == "100 passed, 0 failed"
    assert table({**passed, "cluster": Result(1, 1, 5, passed=False)}, 12.0)[-1] == "100 passed, 1 failed"
    assert table({"ruff": RUFF}, 12.0)[-1] == "1 passed, 0 failed"


def test_the_table_has_the_seconds_of_the_run():
    assert table({"unit": UNIT, "ruff": RUFF}, 10.5)[:4] == [
        "step           seconds   of CPU  tests",
        "unit              10.0      9.0  100",
        "ruff               1.0      1.0",
        "all               10.5     10.0",
    ]
