# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Programs that end with this process, however it ends."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError

_PR_SET_PDEATHSIG = 1
_LESS_GARBAGE_COLLECTION = {"GOGC": "400"}
"""The programs are written in Go. This saves a quarter of their CPU time and costs 130 MB of memory each."""

_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent() -> None:
    """Have Linux kill this process when the thread that started it ends. For ``preexec_fn``."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


class Processes:
    """Programs by name. Linux kills them when this process is gone."""

    def __init__(self) -> None:
        self._programs: dict[str, subprocess.Popen[bytes]] = {}
        # The thread that starts a program has to live as long as the program may.
        self._starter = ThreadPoolExecutor(1, "starter")

    def start(self, name: str, command: Sequence[str], log: Path) -> None:
        """Start a program."""
        with log.open("ab") as output:
            try:
                self._programs[name] = self._starter.submit(
                    subprocess.Popen,
                    list(command),
                    env={**os.environ, **_LESS_GARBAGE_COLLECTION},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    # A new session: a terminal's Ctrl-C is the owner's business.
                    start_new_session=True,
                    preexec_fn=die_with_parent,
                ).result()
            except OSError as error:
                raise ControlPlaneError(f"{name} does not start: {error}") from None

    def kill(self, name: str) -> None:
        """Kill a program and wait until it is gone."""
        self._programs[name].kill()
        self._programs[name].wait()

    def ended(self, name: str) -> int | None:
        """Return how a program ended, nothing as long as it runs."""
        return self._programs[name].poll()

    def close(self, folder: Path) -> None:
        """Kill all programs, as nothing that they hold has to outlive them, and remove their folder."""
        for program in self._programs.values():
            program.kill()
        for program in self._programs.values():
            program.wait()
        self._starter.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
