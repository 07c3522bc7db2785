#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print the table at the end of `make test`: seconds, CPU seconds and what each step tested, from its log.

Usage: .venv/bin/python tools/summary.py STEP...    The exit status is 1 if a step failed or tested nothing.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import NamedTuple

from environment import CACHE

LOGS = CACHE / "logs"
PASSED = r"(?m)^(?:=+ )?(?:\d+ \w+, )*(\d+) passed"
TESTS = {
    "unit": PASSED,
    "wheel": PASSED,
    "sanity": r"(?m)^Running sanity test ",
    "integration": r"(?m)^Running \S+ integration test ",
    # None may be skipped or deselected.
    "cluster": r"(?m)^(\d+) passed(?:, \d+ warnings?)? in ",
    "molecule": r"(?m)^\w+\s*: actions=\d+ +successful=[1-9].* missing=0 +failed=0",
    "registry": PASSED,
    "browser": PASSED,
    "site": PASSED,
}
"""How the log of a step shows its tests: the numbers that the pattern captures, or the lines that it matches."""
CHECKS = {
    "ruff": r"(\d+) files? already formatted",
    "mypy": r"no issues found in (\d+)",
    "imports": r"(\d+) kept, 0 broken",
    "ansible-lint": r"in (\d+) files? processed",
    "docs": r"(\d+) plugins documented",
    "words": r"(\d+) files, \d+ replaced words, 0 occurrences",
    "licences": r"with license information: (\d+)",
    "programs": r"(?m)^[\w-]+: /",
    "artefact": r"(\d+) files packed",
}
"""The same for steps that check files and the like."""


class Result(NamedTuple):
    """A step that ended. ``seconds`` is the wall time; ``checked`` is 0 if the step failed."""

    seconds: float
    cpu: float
    checked: int


def result(step: str, log: str) -> Result:
    """Read the result of a step from its log, which ends with what `time -p` printed."""
    times = re.findall(r"(?m)^(?:real|user|sys) ([\d.]+)$", log)[-3:] or ["0", "0", "0"]
    real, user, system = map(float, times)
    if f"Session {step} was successful" not in log:
        return Result(real, user + system, 0)
    pattern = TESTS.get(step) or CHECKS.get(step) or "was successful"
    found = re.findall(pattern, re.sub(r"\x1b\[[0-9;]*m", "", log))
    return Result(real, user + system, sum(map(int, found)) if re.compile(pattern).groups else len(found))


def table(results: dict[str, Result], seconds: float) -> list[str]:
    """Return the lines of the table, whose steps ran side by side for some seconds, and the line that a CI counts."""
    lines = [f"{'step':<13} {'seconds':>8} {'of CPU':>8}  checked"]
    for step, one in results.items():
        lines.append(f"{step:<13} {one.seconds:8.1f} {one.cpu:8.1f}  {one.checked or 'FAILED'}")
    lines.append(f"{'all':<13} {seconds:8.1f} {sum(one.cpu for one in results.values()):8.1f}")
    failed = [step for step, one in results.items() if not one.checked]
    lines += [f"{step} failed or tested nothing: {LOGS / step}.log" for step in failed]
    tests = sum(one.checked for step, one in results.items() if step in TESTS)
    return [*lines, f"{tests or len(results) - len(failed)} passed, {len(failed)} failed"]


def main() -> int:
    """Print the table."""
    logs = {step: LOGS / f"{step}.log" for step in sys.argv[1:]}
    results = {step: result(step, read(log)) for step, log in logs.items()}
    print("", *table(results, time.time() - (LOGS / "started").stat().st_mtime), sep="\n")
    return 0 if all(one.checked for one in results.values()) else 1


def read(log: Path) -> str:
    """Return the text of a log; a step that did not start has none."""
    return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
