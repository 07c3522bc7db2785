# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The record of bugs names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`")


def test_each_test_in_the_record_exists():
    found = TEST.findall((ROOT / "docs" / "bugs.md").read_text("utf-8"))
    missing = [
        f"{file}::{name}" for file, name in found if name and f"def {name}(" not in (ROOT / file).read_text("utf-8")
    ]
    assert missing == []
    assert all((ROOT / file).is_file() for file, _name in found)
    assert sum(1 for _file, name in found if name) > 5


def test_the_methods_found_as_many_bugs_as_the_record_has():
    record, methods = (ROOT / "docs" / "bugs.md").read_text("utf-8").split("## Methods")
    rows = [line for line in record.splitlines() if line.startswith("| ") and not line.startswith(("| bug ", "| ---"))]
    counts = [int(count) for count in re.findall(r"(?m)^\| .* \| (\d+) \| ", methods)]
    totals = re.findall(r"Of the (\d+) bugs|\d+ of (\d+) needed", methods)
    assert totals == [(str(len(rows)), ""), ("", str(len(rows)))]
    assert sum(counts) == len(rows) == len(set(rows))
