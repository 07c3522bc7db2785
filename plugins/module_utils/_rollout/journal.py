# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The journal of a rollout: one line of JSON for each event, appended immediately.

docs/reference/rollout_journal.md documents the format.
"""

from __future__ import annotations

import json
import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from .._problems import ClusterError, Problem
from .._progress import Progress, silent
from .._release.manifest import Manifest
from .._release.task_graph import run_level_of


class Journal:
    """Appends lines to a file that only its owner can read. Without a path it writes nothing.

    ``redact`` removes secrets from the values of a line. ``problem`` is set if the file became unwritable: a full
    disk does not end a rollout. ``progress`` shows what the rollout does, with or without a file.
    """

    def __init__(
        self,
        path: str | None,
        redact: Callable[[Any], Any] = lambda values: values,
        progress: Progress = silent,
    ) -> None:
        self.problem: Problem | None = None
        self._redact, self._progress = redact, progress
        self._lock = Lock()
        self._path = os.path.expanduser(path) if path else ""
        self._run = secrets.token_hex(4)
        self._handle = _open(self._path) if self._path else None

    def write(self, event: str, **values: Any) -> None:
        """Write one line immediately, so readers see it and a kill does not lose it."""
        if self._handle is None:
            return
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "run": self._run,
            "event": event,
            **self._redact(values),
        }
        # Texts of other programs can contain a lone surrogate, which UTF-8 cannot encode and JSON's escapes can.
        data = (json.dumps(line) + "\n").encode("ascii")
        with self._lock:
            try:
                if self._handle is not None:
                    _write(self._handle, data)
            except OSError as error:
                self._give_up(error)

    def waiting(self, left: int, resource: str, message: str) -> None:
        """Write and show that the rollout waits for ``left`` objects, first of all ``resource``."""
        self.write("waiting", left=left, resource=resource, message=message)
        self.show(f"waiting for {left}: {resource}" + (f" ({message})" if message else ""))

    def show(self, text: str) -> None:
        """Show what the rollout does, without a line in the file."""
        self._progress(self._redact(text))

    def close(self) -> None:
        """Close the file. Later lines are dropped."""
        with self._lock:
            if self._handle is not None:
                os.close(self._handle)
                self._handle = None

    def _give_up(self, error: OSError) -> None:
        message = f"{self._path} is incomplete, because it can no longer be written: {error.strerror}"
        self.problem = Problem("warning", "unwritable-file", "journal", message, "Read the result of the task instead")
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


class RolloutEvents:
    """Writes the events of a rollout to its journal. Threads may use it; the numbers in the journal only grow."""

    def __init__(self, journal: Journal, manifests: Sequence[Manifest]) -> None:
        self._journal = journal
        self._left = Counter(run_level_of(manifest.file) for manifest in manifests)
        self._done, self._total = 0, len(manifests)
        self._lock = Lock()
        self._waiting_for: tuple[int, str, str] | None = None

    def start(self, release: str, mode: str) -> None:
        """Write that the rollout starts."""
        self._journal.write("start", release=release, mode=mode, total=self._total)

    def manifest(self, manifest: Manifest, state: str, problems: Iterable[Problem]) -> None:
        """Write the result of a manifest, and its run level if that is finished."""
        with self._lock:
            self._journal.write(
                "manifest",
                file=manifest.file,
                **manifest.resource_id._asdict(),
                state=state,
                problems=[str(problem) for problem in problems],
            )
            self._waiting_for = None
            level = run_level_of(manifest.file)
            self._left[level] -= 1
            self._done += 1
            numbers = self._numbers()
            if not self._left[level]:
                self._journal.write("run_level", run_level=level, **numbers)
            name = f"run level {level}" if level else "files without a run level"
            self._journal.show(f"{name}: {numbers['done']} of {numbers['total']}, {numbers['percent']} %")

    def waiting(self, left: int, resource: str, message: str) -> None:
        """Write that the rollout waits for ``left`` objects, first of all ``resource``. Repetitions are dropped."""
        with self._lock:
            if self._waiting_for != (left, resource, message):
                self._waiting_for = left, resource, message
                self._journal.waiting(left, resource, message)

    def end(self, problems: Iterable[Problem]) -> None:
        """Write that the rollout is over; ``problems`` are those that belong to no manifest."""
        self._journal.show("")
        self._journal.write("end", **self._numbers(), problems=[str(problem) for problem in problems])

    def _numbers(self) -> dict[str, int]:
        # The share is rounded down, so 100 means all.
        percent = 100 * self._done // self._total if self._total else 100
        return {"done": self._done, "total": self._total, "percent": percent}


def _open(path: str) -> int:
    try:
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            # A full disk truncated the last line. The next line must still be readable.
            _write(handle, b"\n")
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise ClusterError(
            [Problem("error", "unwritable-file", "journal", message, "Set a path that can be written")]
        ) from None
    return handle


def _write(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]
