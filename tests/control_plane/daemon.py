# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A control plane in a separate process, in a directory by which others find it."""

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
from typing import NamedTuple

from ansible_collections.capability.openshift.tests.control_plane.certificates import write_secret
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError, tail
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

_MODULE = __name__.rpartition(".")[0]
_READY = 180.0
"""Seconds until the programs run and the kinds of a release are known, on a machine that is busy with other things."""


class Running(NamedTuple):
    """A control plane that is ready, with the arguments of the command that started it."""

    pid: int
    arguments: list[str]


class Directory:
    """The files by which a control plane is found: ``kubeconfig`` is there as long as it runs."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.kubeconfig = self.path / "kubeconfig"
        self.log = self.path / "control-plane.log"
        self._lock = self.path / "lock"

    def running(self) -> Running | None:
        """Return the control plane that is ready, if there is one; before that it starts, and after it ends."""
        if not self.kubeconfig.exists() or not self._is_locked():
            return None
        return Running(*json.loads(self._lock.read_text(encoding="utf-8")))

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
                # A new name: what ended a moment ago may still be removing its folder.
                yield self.path / f"plane-{os.getpid()}"
            finally:
                self._forget()

    def announce(self, plane: ControlPlane, arguments: Sequence[str]) -> None:
        """Let others find ``plane``, which is ready."""
        self._lock.write_text(json.dumps([os.getpid(), list(arguments)]), encoding="utf-8")
        # Complete from the first moment on.
        write_secret(self.kubeconfig.with_suffix(".unfinished"), plane.kubeconfig.read_bytes()).rename(self.kubeconfig)

    def _forget(self) -> None:
        self.kubeconfig.unlink(missing_ok=True)
        for folder in self.path.glob("plane-*"):
            shutil.rmtree(folder, ignore_errors=True)

    def _is_locked(self) -> bool:
        with self._lock.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def start(self, arguments: Sequence[str]) -> None:
        """Start a control plane in the background and return when it is ready; one that runs already is fine."""
        found = self.running()
        if found is None:
            self.path.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, "-m", _MODULE, "run", *arguments]
            with self.log.open("wb") as log:
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )
            try:
                wait_for(lambda: self.running() or process.poll() is not None, "the control plane", _READY)
            except BaseException:
                process.terminate()
                raise
            if self.running() is None:
                raise ControlPlaneError(f"the control plane did not start:\n{tail(self.log)}")
        elif found.arguments != list(arguments):
            had = " ".join(found.arguments)
            raise ControlPlaneError(f"the control plane in {self.path} has other options ({had}); stop it first")

    def stop(self) -> bool:
        """End the control plane and return whether there was one."""
        found = self.running()
        if found is None:
            return False
        os.kill(found.pid, signal.SIGTERM)
        wait_for(lambda: not self._is_locked(), "the control plane to end")
        return True


def end_on_signals() -> None:
    """Have this process end in good order when SIGTERM or SIGINT arrives."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))


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
