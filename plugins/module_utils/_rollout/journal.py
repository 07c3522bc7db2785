# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The journal of a rollout: a line of JSON for each thing that happens, as it happens, and how far the rollout is.

The format is documented in docs/roll_out_a_release.md. The action plugin ``release_apply`` reads it as it grows.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from .._problems import ClusterError, Problem
from .._release.manifest import Manifest
from .._release.task_graph import run_level_of
from .._resources import ResourceId


class Journal:
    """Appends to a file, which is made for its owner alone; without a path it keeps nothing.

    ``conceal`` takes what must not be read out of the facts of a line. ``problem`` is set where the file could not be
    written any more: a full disk does not end a rollout.
    """

    def __init__(self, path: str | None, conceal: Callable[[Any], Any] = lambda facts: facts) -> None:
        self.problem: Problem | None = None
        self._conceal = conceal
        self._lock = Lock()
        self._path = os.path.expanduser(path) if path else ""
        self._run = secrets.token_hex(4)
        self._handle = _opened(self._path) if self._path else None

    def note(self, event: str, **facts: Any) -> None:
        """Write one line, at once: whoever follows the journal sees it, and a kill does not lose it."""
        if self._handle is None:
            return
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "run": self._run,
            "event": event,
            **self._conceal(facts),
        }
        # Texts of other programs can hold half a character, which UTF-8 has no bytes for: JSON's own escapes do.
        data = (json.dumps(line) + "\n").encode("ascii")
        with self._lock:
            try:
                if self._handle is not None:
                    _write(self._handle, data)
            except OSError as error:
                self._give_up(error)

    def close(self) -> None:
        """Close the file. Nothing is written after that."""
        with self._lock:
            if self._handle is not None:
                os.close(self._handle)
                self._handle = None

    def _give_up(self, error: OSError) -> None:
        message = f"{self._path} could not be written to the end: {error.strerror}"
        self.problem = Problem("warning", "todo", "journal", message, "The rollout went on without it")
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


class Progress:
    """How far a rollout is, counted in manifests that something came of, be it a failure."""

    def __init__(self, manifests: Iterable[Manifest]) -> None:
        self._open: dict[str, set[ResourceId]] = {}
        for manifest in manifests:
            self._open.setdefault(run_level_of(manifest.file), set()).add(manifest.resource_id)
        self.total = sum(map(len, self._open.values()))
        self.done = 0

    @property
    def percent(self) -> int:
        """The share that is done, rounded down, so that 100 means all."""
        return 100 * self.done // self.total if self.total else 100

    def told(self, manifest: Manifest) -> str | None:
        """Count a manifest, and return its run level if it was the last one of that; one counts once."""
        level = run_level_of(manifest.file)
        left = self._open.get(level, set())
        if manifest.resource_id not in left:
            return None
        left.remove(manifest.resource_id)
        self.done += 1
        return None if left else level


class RolloutEvents:
    """Tells a journal of a rollout. Each run level is noted once, when something came of its last manifest."""

    def __init__(self, journal: Journal, manifests: Sequence[Manifest]) -> None:
        self._journal = journal
        self._progress = Progress(manifests)
        self._lock = Lock()
        self._waited: tuple[int, str, str] | None = None

    def start(self, release: str, mode: str) -> None:
        """Note what is rolled out."""
        self._journal.note("start", release=release, mode=mode, total=self._progress.total)

    def manifest(self, manifest: Manifest, state: str, problems: Iterable[Problem]) -> None:
        """Note what came of a manifest. Threads may call this; the numbers of the journal only grow."""
        with self._lock:
            self._journal.note(
                "manifest",
                file=manifest.file,
                **manifest.resource_id._asdict(),
                state=state,
                problems=[str(problem) for problem in problems],
            )
            self._waited = None
            level = self._progress.told(manifest)
            if level is not None:
                self._journal.note("run_level", run_level=level, **self._numbers())

    def waiting(self, left: int, resource: str, message: str) -> None:
        """Note that ``left`` objects are waited for, first of all ``resource``; once until something happens."""
        with self._lock:
            if self._waited != (left, resource, message):
                self._waited = left, resource, message
                self._journal.note("waiting", left=left, resource=resource, message=message)

    def end(self, problems: Iterable[Problem]) -> None:
        """Note that the rollout is over; ``problems`` are those that belong to no manifest."""
        self._journal.note("end", **self._numbers(), problems=[str(problem) for problem in problems])

    def _numbers(self) -> dict[str, int]:
        return {"done": self._progress.done, "total": self._progress.total, "percent": self._progress.percent}


def _opened(path: str) -> int:
    try:
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            # What a full disk cut off; the next line is to be read in spite of it.
            _write(handle, b"\n")
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise ClusterError([Problem("error", "todo", "journal", message, "Give a path that can be written")]) from None
    return handle


def _write(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]
