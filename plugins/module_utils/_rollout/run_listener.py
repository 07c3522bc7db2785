# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Receives the events of a graph that runs, and shows how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from .._problems import Problems
from .._progress import Progress
from .._release.manifest import Manifest
from .._release.task_graph import run_level_of
from .change_set import ApplyResult


def waiting_text(left: int, resource: str, message: str) -> str:
    """Return what to show while a rollout waits for ``left`` objects, first of all ``resource``."""
    return f"waiting for {left}: {resource}" + (f" ({message})" if message else "")


class RunListener:
    """Receives the events of a run, from several threads. A ``ClusterError`` that it raises ends the run."""

    def __init__(self, manifests: Sequence[Manifest], progress: Progress) -> None:
        self._done, self._total = 0, len(manifests)
        self._progress = progress
        self._lock = Lock()

    def applied(self, result: ApplyResult) -> None:
        """A manifest has its final result."""
        level = run_level_of(result.manifest.file)
        with self._lock:
            self._done += 1
            # The share is rounded down, so 100 means all.
            share = f"{self._done} of {self._total}, {100 * self._done // self._total} %"
            self._progress(f"{f'run level {level}' if level else 'files without a run level'}: {share}")

    def waiting(self, left: int, resource: str, message: str) -> None:
        """``left`` manifests or objects are not ready, first of all ``resource``; ``message`` says why."""
        self._progress(waiting_text(left, resource, message))

    def wait(self, results: Sequence[ApplyResult], problems: Problems, *, is_last: bool) -> None:
        """Wait at a barrier. Reported problems end the run.

        ``results`` are those since the last barrier. ``is_last``: only webhooks follow.
        """
