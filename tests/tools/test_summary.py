# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the end of `make test` shows: a step passes if its session does, and if it tested something."""

from __future__ import annotations

import pytest
from summary import Result, result, table

TIMES = "real 12.50\nuser 3.00\nsys 0.50\n"


def log_of(step: str, text: str) -> str:
    return f"nox > Running session {step}\n{text}\nnox > Session {step} was successful.\n{TIMES}"


@pytest.mark.parametrize(
    ("step", "text", "checked"),
    [
        ("ruff", "All checks passed!\n714 files already formatted", 714),
        ("unit", "9 passed, 1 skipped in 3.21s", 9),
        ("unit", "1 skipped in 3.21s", 0),
        ("unit", "===== 3 passed in 1s =====\n==== 4 passed, 1 warning in 2s ====", 7),
        ("cluster", "9 passed in 3.21s", 9),
        ("cluster", "9 passed, 2 warnings in 3.21s", 9),
        ("cluster", "9 passed, 1 skipped in 3.21s", 0),
        ("cluster", "9 passed, 1 deselected in 3.21s", 0),
        ("sanity", "Running sanity test 'yamllint'\nRunning sanity test 'shebang'", 2),
        ("integration", "All targets skipped.", 0),
        ("molecule", "role_a : actions=3  successful=3  disabled=0 skipped=0 missing=0  failed=0", 1),
        ("molecule", "role_a : actions=3  successful=2  disabled=0 skipped=0 missing=1  failed=0", 0),
        ("changelog", "", 1),
    ],
)
def test_what_a_step_tested_is_read_from_its_log(step, text, checked):
    assert result(step, log_of(step, text)) == Result(12.5, 3.5, checked)


def test_a_step_that_failed_or_did_not_start_tested_nothing():
    assert result("unit", f"9 passed in 3.21s\nnox > Session unit failed.\n{TIMES}").checked == 0
    assert result("unit", "") == Result(0, 0, 0)


def test_the_last_line_counts_tests_and_failed_steps():
    passed = {"unit": Result(10, 9, 100), "ruff": Result(1, 1, 700)}
    assert table(passed, 12.0)[-1] == "100 passed, 0 failed"
    assert table({**passed, "cluster": Result(1, 1, 0)}, 12.0)[-1] == "100 passed, 1 failed"
    assert table({"ruff": Result(1, 1, 700)}, 12.0)[-1] == "1 passed, 0 failed"


def test_the_table_has_the_seconds_of_the_run():
    assert table({"unit": Result(10, 9, 100), "ruff": Result(1, 1, 700)}, 10.5)[:4] == [
        "step           seconds   of CPU  checked",
        "unit              10.0      9.0  100",
        "ruff               1.0      1.0  700",
        "all               10.5     10.0",
    ]
