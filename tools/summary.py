#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print the table at the end of `make test`: seconds, CPU seconds and tests of each step, from its log.

Usage: .venv/bin/python tools/summary.py FOLDER STEP...    The exit status is 1 if a step failed.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import NamedTuple

TESTS = re.compile(
    r"(?m)^(?:=+ )?(?:\d+ \w+, )*(\d+) passed|^(Running sanity test |\w+ +: actions=\d+ +successful=[1-9])"
)
"""How a log shows tests: those of pytest are counted, others have a line each."""


class Result(NamedTuple):
    """A step that ended. ``seconds`` is the wall time."""

    seconds: float
    cpu: float
    tests: int
    passed: bool


def result(step: str, log: str) -> Result:
    """Read the result of a step from its log, which ends with what `time -p` printed."""
    real, user, system = map(float, re.findall(r"(?m)^(?:real|user|sys) ([\d.]+)$", log)[-3:] or ["0", "0", "0"])
    tests = sum(int(count or 1) for count, _line in TESTS.findall(log))
    return Result(real, user + system, tests, f"Session {step} was successful" in log)


def table(results: dict[str, Result], seconds: float) -> list[str]:
    """Return the lines of the table, whose steps ran side by side for some seconds, and the line that a CI counts."""
    lines = [f"{'step':<13} {'seconds':>8} {'of CPU':>8}  tests"]
    for step, one in results.items():
        lines.append(
            f"{step:<13} {one.seconds:8.1f} {one.cpu:8.1f}  {(one.tests or '') if one.passed else 'FAILED'}".rstrip()
        )
    lines.append(f"{'all':<13} {seconds:8.1f} {sum(one.cpu for one in results.values()):8.1f}")
    passed = [one for one in results.values() if one.passed]
    tests = sum(one.tests for one in passed)
    return [*lines, f"{tests or len(passed)} passed, {len(results) - len(passed)} failed"]


def main() -> int:
    """Print the table."""
    folder = Path(sys.argv[1])
    logs = {step: folder / f"{step}.log" for step in sys.argv[2:]}
    results = {
        step: result(step, log.read_text("utf-8", "replace") if log.exists() else "") for step, log in logs.items()
    }
    print("", *table(results, time.time() - (folder / "started").stat().st_mtime), sep="\n")
    return 0 if all(one.passed for one in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
