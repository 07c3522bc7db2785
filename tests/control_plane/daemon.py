# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A control plane in a separate process, in a directory by which others find it.

As long as it is ready, the directory has its kubeconfig, and its process has the lock on the file ``lock``.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ansible_collections.capability.openshift.tests.control_plane.certificates import write_secret
from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError, tail
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

KUBECONFIG = "kubeconfig"
_MODULE = __name__.rpartition(".")[0]
_READY = 600.0
"""Seconds until the programs run and the kinds of a release are known, on a machine that is busy with other things."""


@contextmanager
def announced(directory: Path, kubeconfig: Path) -> Iterator[None]:
    """Let others find a control plane that is ready. Raises ``ControlPlaneError`` if there is another one."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "lock").open("a+") as lock:
        if not _take(lock):
            raise ControlPlaneError(f"there is a control plane in {directory} already")
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        unfinished = write_secret(directory / "unfinished", kubeconfig.read_bytes())
        shown = unfinished.rename(directory / KUBECONFIG)
        try:
            yield
        finally:
            shown.unlink()


def start(directory: Path, arguments: Sequence[str]) -> None:
    """Start a control plane in the background and return when it is ready; one that runs already is kept."""
    if owner(directory) is not None:
        return
    directory.mkdir(parents=True, exist_ok=True)
    (directory / KUBECONFIG).unlink(missing_ok=True)  # of one that was killed
    log = directory / "control-plane.log"
    with log.open("wb") as output:
        command = [sys.executable, "-m", _MODULE, "run", *arguments]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        wait_for(lambda: owner(directory) or process.poll() is not None, "the control plane", _READY)
    except BaseException:
        process.terminate()
        raise
    if process.poll() is not None:
        raise ControlPlaneError(f"the control plane did not start:\n{tail(log)}")


def stop(directory: Path) -> bool:
    """End the control plane and return whether there was one."""
    process = owner(directory)
    if process is None:
        return False
    os.kill(process, signal.SIGTERM)
    wait_until_gone(process)
    return True


def owner(directory: Path) -> int | None:
    """Return the process of the control plane that is ready, if there is one."""
    if not (directory / KUBECONFIG).exists():
        return None
    with (directory / "lock").open("r+") as lock:
        return None if _take(lock) else int(lock.read())


def _take(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
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
    with suppress(ProcessLookupError):
        select.select([os.pidfd_open(pid)], [], [])
