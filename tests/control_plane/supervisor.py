# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The process that starts the programs of a control plane, and ends them when its owner is gone.

Run as a script by processes.py, standard library only. Its standard input is a socket of the owner: one JSON command
a line, one JSON answer a line. When that socket closes, or the owner ends in any way, the programs are killed and the
folder is removed. Should this process itself be killed, Linux kills the programs.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
from typing import Any

_PR_SET_PDEATHSIG = 1
_LESS_GARBAGE_COLLECTION = {"GOGC": "400"}
"""The programs are written in Go. This saves a quarter of their CPU time and costs 130 MB of memory each."""

_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent() -> None:
    """Have Linux kill this process when the thread that started it ends. For ``preexec_fn``."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


class Supervisor:
    """The programs, by name."""

    def __init__(self) -> None:
        self._programs: dict[str, subprocess.Popen[bytes]] = {}

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """Do what the owner says."""
        name = command["name"]
        if command["do"] == "start":
            return self._start(name, command["command"], command["log"])
        program = self._programs[name]
        if command["do"] == "kill":
            program.kill()
            program.wait()
        return {"code": program.poll()}

    def _start(self, name: str, command: list[str], log: str) -> dict[str, Any]:
        with open(log, "ab") as output:
            try:
                # This process has one thread, which lives as long as the process: what preexec_fn relies on.
                program = subprocess.Popen(
                    command,
                    env={**os.environ, **_LESS_GARBAGE_COLLECTION},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    preexec_fn=die_with_parent,
                )
            except OSError as error:
                return {"error": str(error)}
        self._programs[name] = program
        return {"pid": program.pid}

    def end(self) -> None:
        """Kill all programs. Nothing that they hold has to outlive them."""
        for program in self._programs.values():
            program.kill()
        for program in self._programs.values():
            program.wait()


def _end(*_: object) -> None:
    raise SystemExit


def main(owner: int, folder: str) -> None:
    """Serve the process ``owner`` until it is gone, and remove ``folder`` then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    supervisor = Supervisor()
    try:
        _serve(supervisor, owner)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        supervisor.end()
        shutil.rmtree(folder, ignore_errors=True)


def _serve(supervisor: Supervisor, owner: int) -> None:
    connection = socket.socket(fileno=0)
    watched: list[Any] = [connection]
    if hasattr(os, "pidfd_open"):
        # A copy of the socket in a fork of the owner would keep it open.
        try:
            watched.append(os.pidfd_open(owner))
        except ProcessLookupError:
            return
    received = b""
    while True:
        ready = select.select(watched, [], [])[0]
        if connection not in ready:
            return
        data = connection.recv(65536)
        if not data:
            return
        *lines, received = (received + data).split(b"\n")
        for line in lines:
            connection.sendall(json.dumps(supervisor.answer(json.loads(line))).encode() + b"\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
