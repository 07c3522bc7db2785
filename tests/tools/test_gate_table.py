# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of steps in CONTRIBUTING.md."""

from __future__ import annotations

import gate_table
import lanes
import pytest
from gate_table import Measured, TableError, filled, measured

PAGE = """\
The table:

| step | before | after | CPU after | what changed |
| --- | --- | --- | --- | --- |
| `ruff`, `imports` | 6 s | 8 s | 5 s | |
| `unit` | 139 s, 9,036 tests | 494 s, 10,566 tests | 172 s | one process |
| all | 24 min | 14.3 min | 24.3 min | the CPU time needs at least 12.2 min on two cores |

## Changes
"""
STEPS = {"ruff": Measured(2, 1, 9), "imports": Measured(3.4, 2.2, 4), "unit": Measured(100, 118.6, 12345)}


def log_of(*results: lanes.Result) -> str:
    lane = lanes.Lane("checks", tuple(result.name for result in results))
    end = f"gate: {len(results)} of {len(results)} steps passed in 600 s; what they tested:"
    return "\n".join([*lanes.table(results, [lane]), "", end, ""])


def test_steps_are_read_as_the_gate_prints_them():
    log = log_of(
        lanes.Result("unit-tests", "checks", 61.26, 15.04, 279), lanes.Result("ruff", "checks", 1000.0, 0.31, 9)
    )
    steps = {"unit-tests": Measured(61.3, 15.0, 279), "ruff": Measured(1000.0, 0.3, 9)}
    assert measured(log) == (steps, 600.0)


def test_a_run_that_failed_is_not_taken():
    with pytest.raises(TableError, match="ruff failed"):
        measured(log_of(lanes.Result("ruff", "checks", 1.0, 1.0, 0, "ruff ended with 1")))


def test_a_log_without_steps_is_not_taken():
    with pytest.raises(TableError, match="make test"):
        measured("gate: interrupted\n")


def test_rows_keep_what_is_not_measured():
    old, new = filled(PAGE, STEPS, 660)
    assert PAGE.replace(old, new).splitlines()[2:] == [
        "| step | before | after | CPU after | what changed |",
        "| --- | --- | --- | --- | --- |",
        "| `ruff`, `imports` | 6 s | 5 s | 3 s | |",
        "| `unit` | 139 s, 9,036 tests | 100 s, 12,345 tests | 119 s | one process |",
        "| all | 24 min | 11.0 min | 2.0 min | the CPU time needs at least 1.0 min on two cores |",
        "",
        "## Changes",
    ]


def test_a_step_without_a_row_gets_one():
    _old, new = filled(PAGE, {**STEPS, "registry": Measured(40, 22, 80)}, 660)
    assert new.splitlines()[-2] == "| `registry` | | 40 s | 22 s | new |"


def test_a_step_that_did_not_run_is_named():
    with pytest.raises(TableError, match=r"no step imports; run `make test` without STEPS"):
        filled(PAGE, {name: step for name, step in STEPS.items() if name != "imports"}, 660)


def test_the_table_of_the_page_is_found():
    page = gate_table.PAGE.read_text(encoding="utf-8")
    with pytest.raises(TableError, match="no step ruff"):
        filled(page, {}, 1)
