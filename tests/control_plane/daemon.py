# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A control plane of a process of its own, in a directory by which others find it."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from ansible_collections.capability.openshift.tests.control_plane.certificates import write_secret
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError, tail
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

_MODULE = __name__.rpartition(".")[0]
_READY = 180.0
"""Seconds until the programs run and the kinds of a release are known, on a machine that is busy with other things."""


class Running(NamedTuple):
    """A control plane that is ready."""

    pid: int
    options: list[str]
    kubeconfig: str


class Directory:
    """The files by which a control plane is found: ``kubeconfig`` is there as long as it runs."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.kubeconfig = self.path / "kubeconfig"
        self.log = self.path / "control-plane.log"
        self._lock = self.path / "lock"
        self._state = self.path / "state.json"

    def running(self) -> Running | None:
        """Return the control plane that is ready, if there is one."""
        if not self._lock.exists() or not self._is_locked():
            return None
        try:
            return Running(**json.loads(self._state.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None  # it starts, or ends

    @contextmanager
    def taken(self) -> Iterator[Path]:
        """Have the directory alone, and a folder in it for the programs."""
        self.path.mkdir(parents=True, exist_ok=True)
        with self._lock.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ControlPlaneError(f"there is a control plane in {self.path} already") from None
            self._forget()
            try:
                # A name of its own: what ended a moment ago may still be removing its folder.
                yield self.path / f"plane-{os.getpid()}"
            finally:
                self._forget()

    def tell(self, plane: ControlPlane, options: Sequence[str]) -> None:
        """Tell others that ``plane`` is ready."""
        write_secret(self.kubeconfig, plane.kubeconfig.read_bytes())
        state = Running(os.getpid(), list(options), str(self.kubeconfig))
        unfinished = self._state.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(state._asdict()), encoding="utf-8")
        unfinished.rename(self._state)

    def _forget(self) -> None:
        for file in (self.kubeconfig, self._state):
            file.unlink(missing_ok=True)
        for folder in self.path.glob("plane-*"):
            shutil.rmtree(folder, ignore_errors=True)

    def _is_locked(self) -> bool:
        with self._lock.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def start(self, options: Sequence[str]) -> Running:
        """Start a control plane in the background and return it when it is ready; one that runs already is fine."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "starting").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return self._started(options)

    def _started(self, options: Sequence[str]) -> Running:
        found = self.running()
        if found is None:
            command = [sys.executable, "-m", _MODULE, "run", "--directory", str(self.path), *options]
            with self.log.open("wb") as log:
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )
            try:
                wait_for(lambda: self.running() or process.poll() is not None, "the control plane", _READY)
            except BaseException:
                process.terminate()
                raise
            found = self.running()
            if found is None:
                raise ControlPlaneError(f"the control plane did not start:\n{tail(self.log)}")
        if found.options != list(options):
            had = " ".join(found.options) or "none"
            raise ControlPlaneError(f"the control plane in {self.path} has other options ({had}); stop it first")
        return found

    def stop(self) -> bool:
        """End the control plane and return whether there was one."""
        found = self.running()
        if found is None:
            return False
        os.kill(found.pid, signal.SIGTERM)
        wait_for(lambda: not self._is_locked(), "the control plane to end")
        return True


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def end_on_signals() -> None:
    """Have this process end in good order when it is asked to."""
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)


def wait_until_gone(pid: int | None) -> None:
    """Return when the process ``pid`` is gone; never, if none is given."""
    if pid is None:
        while True:
            signal.pause()
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    select.select([process], [], [])
