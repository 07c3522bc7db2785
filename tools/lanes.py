# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lanes of steps: the steps of one lane run one after the other, and the lanes run side by side.

A step that fails does not end the others, so one run of the gate names everything that is wrong.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from support import Failed, Log, end_commands

Step = Callable[[Log], int]
"""Checks something and returns how many things it checked. Raises ``Failed``."""

_TAIL = 200
"""Lines of a log that are shown when its step fails."""


class Lane(NamedTuple):
    """Steps that run one after the other. ``nice`` is their niceness, by which another lane gets the CPU first."""

    name: str
    steps: tuple[str, ...]
    nice: int = 0


class Result(NamedTuple):
    """How a step ended: after how many seconds, of which the CPU worked ``cpu``. ``failure`` is empty if it passed."""

    name: str
    lane: str
    seconds: float
    cpu: float
    checked: int
    failure: str = ""


def lanes_of(lanes: Sequence[Lane], chosen: Sequence[str]) -> list[Lane]:
    """Return the lanes with the chosen steps only, in the order of the lanes. A lane that runs alone is not nice."""
    found = [lane._replace(steps=tuple(name for name in lane.steps if name in chosen)) for lane in lanes]
    left = [lane for lane in found if lane.steps]
    return [left[0]._replace(nice=0)] if len(left) == 1 else left


class Run:
    """One run of the steps in their lanes. ``show`` prints lines; it is never called by two threads at once."""

    def __init__(
        self,
        steps: Mapping[str, Step],
        lanes: Sequence[Lane],
        log: Callable[[str, int], Log],
        show: Callable[[str], None],
    ) -> None:
        self._steps, self._lanes, self._log, self._show = steps, lanes, log, show
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._total = sum(len(lane.steps) for lane in lanes)
        self._results: list[Result] = []

    def results(self) -> list[Result]:
        """Run all steps and return how each ended, in the order of their ends.

        Ctrl-C ends the commands of all lanes before it is raised.
        """
        threads = [
            threading.Thread(target=self._run, args=(lane,), name=lane.name, daemon=True) for lane in self._lanes
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.2)  # with a timeout, because signals are handled between two joins
        except BaseException:
            self._stopped.set()
            end_commands()
            for thread in threads:
                thread.join(10)
            raise
        return self._results

    def _run(self, lane: Lane) -> None:
        for name in lane.steps:
            if self._stopped.is_set():
                return
            result, tail = self._result(lane, name)
            if self._stopped.is_set():
                return
            with self._lock:
                self._results.append(result)
                self._show(line(result, len(self._results), self._total))
                if tail:
                    self._show(f"\n{tail}\n")

    def _result(self, lane: Lane, name: str) -> tuple[Result, str]:
        """Run one step, and return how it ended with the end of its log if it failed."""
        log = self._log(name, lane.nice)
        start = time.monotonic()
        checked, failure = 0, ""
        try:
            checked = self._steps[name](log)
        except Failed as error:
            failure = f"{error} (log: {log.path})"
        except Exception as error:
            failure = f"{type(error).__name__}: {error} (log: {log.path})"
            log.write(traceback.format_exc())
        result = Result(name, lane.name, time.monotonic() - start, log.cpu, checked, failure)
        return result, log.tail(_TAIL) if failure else ""


def line(result: Result, number: int, total: int) -> str:
    """Return the line about a step that ended."""
    times = f"{result.seconds:7.1f} s, {result.cpu:7.1f} s of CPU"
    end = f"FAILED {times}  {result.failure}" if result.failure else f"ok     {times}  {result.checked}"
    return f"[{number:2}/{total}] {result.name:<13} {end}"


def table(results: Sequence[Result], lanes: Sequence[Lane]) -> list[str]:
    """Return the lines of a table of all steps in the order of the lanes, and the sum of each lane."""
    by_name = {result.name: result for result in results}
    lines = [f"{'step':<13} {'lane':<8} {'seconds':>8} {'of CPU':>8}  checked"]
    for lane in lanes:
        for name in lane.steps:
            if name in by_name:
                one = by_name[name]
                lines.append(f"{name:<13} {lane.name:<8} {one.seconds:8.1f} {one.cpu:8.1f}  {one.checked or 'FAILED'}")
    for lane in lanes:
        ours = [result for result in results if result.lane == lane.name]
        seconds, cpu = sum(result.seconds for result in ours), sum(result.cpu for result in ours)
        lines.append(f"{'':<13} {lane.name:<8} {seconds:8.1f} {cpu:8.1f}  in all")
    return lines
