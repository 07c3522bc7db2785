# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lanes run side by side, a failure ends nothing but its own step, and Ctrl-C ends everything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import lanes
import pytest
import support
from lanes import Lane, Result, Run, lanes_of, line, table
from support import Failed, Log

LANES = (Lane("cluster", ("programs", "cluster")), Lane("checks", ("ruff", "unit", "docs"), nice=10))
TOOLS = Path(lanes.__file__).parent


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(support, "LOGS", tmp_path)
    monkeypatch.setattr(support, "_ended", threading.Event())
    return tmp_path


def run(steps: dict[str, lanes.Step], *chosen: Lane) -> tuple[list[Result], list[str]]:
    shown: list[str] = []
    found = Run(steps, chosen, lambda name, nice: Log(name, dict(os.environ), nice), shown.append).results()
    return found, shown


def failing(_log: Log) -> int:
    raise Failed("pytest ended with 1")


def broken(_log: Log) -> int:
    raise ValueError("no such thing")


def test_only_chosen_steps_run_in_the_order_of_their_lane() -> None:
    assert lanes_of(LANES, ["docs", "cluster", "ruff"]) == [
        Lane("cluster", ("cluster",)),
        Lane("checks", ("ruff", "docs"), nice=10),
    ]


def test_a_lane_that_runs_alone_is_not_nice() -> None:
    assert lanes_of(LANES, ["unit"]) == [Lane("checks", ("unit",))]
    assert lanes_of(LANES, []) == []


def test_lanes_run_side_by_side() -> None:
    meeting = threading.Barrier(2, timeout=30)

    def meet(_log: Log) -> int:
        return 1 + meeting.wait()

    results, _shown = run({"a": meet, "b": meet}, Lane("one", ("a",)), Lane("other", ("b",)))
    assert {(result.name, result.failure) for result in results} == {("a", ""), ("b", "")}


def test_the_steps_of_a_lane_wait_for_each_other() -> None:
    order: list[str] = []

    def slow(_log: Log) -> int:
        time.sleep(0.05)
        order.append("slow")
        return 1

    def quick(_log: Log) -> int:
        order.append("quick")
        return 1

    run({"slow": slow, "quick": quick}, Lane("one", ("slow", "quick")))
    assert order == ["slow", "quick"]


def test_a_failure_ends_nothing_but_its_step() -> None:
    def written(log: Log) -> int:
        log.write("the reason\n")
        raise Failed("pytest ended with 1")

    steps: dict[str, lanes.Step] = {"a": written, "b": broken, "c": lambda _log: 3}
    results, shown = run(steps, Lane("one", ("a", "b", "c")))
    assert [(result.name, result.checked, bool(result.failure)) for result in results] == [
        ("a", 0, True),
        ("b", 0, True),
        ("c", 3, False),
    ]
    assert "pytest ended with 1" in results[0].failure
    assert "ValueError: no such thing" in results[1].failure
    assert "\nthe reason\n" in shown
    assert any("broken" in text for text in shown), "the traceback is in the log"


def test_a_command_gets_the_niceness_of_its_lane() -> None:
    def nice(log: Log) -> int:
        return int(log.run(sys.executable, "-c", "import os; print(os.nice(0))").split()[-1])

    before = os.nice(0)
    results, _shown = run({"a": nice}, Lane("one", ("a",), nice=3))
    assert results[0].checked == before + 3, results


def test_the_cpu_time_of_commands_is_counted() -> None:
    def busy(log: Log) -> int:
        log.run(sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass")
        log.run("sh", "-c", f"{sys.executable} -c 'import time\nwhile time.process_time() < 0.3: pass'")
        return 1

    results, _shown = run({"a": busy}, Lane("one", ("a",)))
    assert 0.6 <= results[0].cpu < 2, results


def test_an_interrupt_ends_the_commands_of_all_lanes(folder: Path) -> None:
    script = f"""
import sys, signal
from pathlib import Path
sys.path.insert(0, {str(TOOLS)!r})
signal.signal(signal.SIGINT, signal.default_int_handler)
import os, support
from lanes import Lane, Run
support.LOGS = Path({str(folder)!r})
steps = {{name: lambda log: len(log.run("sh", "-c", "sleep 600 & echo $!; wait")) for name in "abc"}}
lanes = [Lane("one", ("a", "b")), Lane("other", ("c",))]
Run(steps, lanes, lambda name, nice: support.Log(name, dict(os.environ), nice), print).results()
"""
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    pids = [_sleeping(folder / f"{name}.log") for name in "ac"]
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=30)
    assert process.returncode
    assert "KeyboardInterrupt" in err
    assert not (folder / "b.log").exists()
    for pid in pids:
        _wait_until_gone(pid)


def _sleeping(log: Path) -> int:
    """Return the process that a step started in the background, as its log names it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        words = log.read_text(encoding="utf-8").split() if log.exists() else []
        if words and words[-1].isdigit():
            return int(words[-1])
        time.sleep(0.01)
    raise AssertionError(f"no process in {log}")


def _wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 30
    state = Path(f"/proc/{pid}/stat")
    while time.monotonic() < deadline:
        # Nothing may have waited for it yet: then it is a zombie.
        if not state.exists() or state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.01)
    raise AssertionError(f"{pid} still runs")


def test_what_is_shown() -> None:
    results = [
        Result("ruff", "checks", 0.34, 0.3, 393),
        Result("cluster", "cluster", 400.0, 700.0, 0, "pytest ended with 1"),
    ]
    assert line(results[0], 1, 5) == "[ 1/5] ruff          ok         0.3 s,     0.3 s of CPU  393"
    assert line(results[1], 2, 5) == "[ 2/5] cluster       FAILED   400.0 s,   700.0 s of CPU  pytest ended with 1"
    assert table(results, LANES) == [
        "step          lane      seconds   of CPU  checked",
        "cluster       cluster     400.0    700.0  FAILED",
        "ruff          checks        0.3      0.3  393",
        "              cluster     400.0    700.0  in all",
        "              checks        0.3      0.3  in all",
    ]
