# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of steps in CONTRIBUTING.md, filled with the seconds of a run of the gate.

Usage: .venv/bin/python tools/gate_table.py [--write] [LOG]

Without LOG it reads .cache/logs/gate.log, which `make test` writes. Rows name their steps. A row keeps its columns
"before" and "what changed", and a step without a row gets one. ``--write`` replaces the table in CONTRIBUTING.md.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from environment import ROOT
from support import GATE_LOG

PAGE = ROOT / "CONTRIBUTING.md"
_HEAD = "| step | before | after | CPU after | what changed |"
_ALL = "all"
_STEP = re.compile(r"(?m)^([a-z][\w-]*) +\w+ +(\d+\.\d) +(\d+\.\d)  (\d+|FAILED)$")
_END = re.compile(r"(?m)^gate: \d+ of \d+ steps passed in (\d+) s")


class TableError(Exception):
    """The log or the page does not have what the table needs."""


class Measured(NamedTuple):
    """A step of a run: its seconds, those of the CPU, and how many things it checked."""

    seconds: float
    cpu: float
    checked: int


def measured(log: str) -> tuple[dict[str, Measured], float]:
    """Return the steps of the last table in ``log``, and the seconds of the whole run. Raises ``TableError``."""
    steps: dict[str, Measured] = {}
    for name, seconds, cpu, checked in _STEP.findall(log):
        if checked == "FAILED":
            raise TableError(f"the step {name} failed; the table needs a run in which all steps pass")
        steps[name] = Measured(float(seconds), float(cpu), int(checked))
    ends = _END.findall(log)
    if not steps or not ends:
        raise TableError("the log has no table of steps; run `make test`")
    return steps, float(ends[-1])


def filled(page: str, steps: Mapping[str, Measured], seconds: float, cores: int = 2) -> tuple[str, str]:
    """Return the table of ``page`` as it is, and with new seconds. Raises ``TableError``."""
    start = page.find(_HEAD)
    if start < 0:
        raise TableError(f"there is no table {_HEAD}")
    old = page[start:].partition("\n\n")[0].rstrip("\n")
    head, line, *rows = old.splitlines()
    left = dict(steps)
    lines = [head, line]
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        names = re.findall(r"`([\w-]+)`", cells[0])
        if cells[0] == _ALL:
            lines += [_row([f"`{name}`"], "", _cells([left[name]], tests=False), "new") for name in left]
            cpu = sum(step.cpu for step in steps.values())
            after = f"{seconds / 60:.1f} min", f"{cpu / 60:.1f} min"
            least = f"the CPU time needs at least {cpu / 60 / cores:.1f} min on two cores"
            lines.append(_row([_ALL], cells[1], after, least))
            continue
        if missing := [name for name in names if name not in steps]:
            raise TableError(f"the log has no step {', '.join(missing)}; run `make test` without STEPS")
        found = [left.pop(name) for name in names]
        lines.append(_row([cells[0]], cells[1], _cells(found, tests="tests" in cells[2]), cells[4]))
    return old, "\n".join(lines)


def _cells(found: Sequence[Measured], *, tests: bool) -> tuple[str, str]:
    """Return the sums of some steps: the seconds, with the number of tests if they are tests, and those of the CPU."""
    seconds, cpu = sum(step.seconds for step in found), sum(step.cpu for step in found)
    number = f", {sum(step.checked for step in found):,} tests" if tests else ""
    return f"{seconds:.0f} s{number}", f"{cpu:.0f} s"


def _row(names: list[str], before: str, after: tuple[str, str], changed: str) -> str:
    cells = [", ".join(names), before, *after, changed]
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def main() -> int:
    """Print the table, or write it."""
    arguments = [word for word in sys.argv[1:] if word != "--write"]
    log = Path(arguments[0]) if arguments else GATE_LOG
    page = PAGE.read_text(encoding="utf-8")
    try:
        old, new = filled(page, *measured(log.read_text(encoding="utf-8")))
    except (OSError, TableError) as error:
        print(f"gate_table: {error}", file=sys.stderr)
        return 1
    print(new)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page.replace(old, new), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
