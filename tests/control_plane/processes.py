# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Programs that end with this process, however it ends."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError

_SUPERVISOR = Path(__file__).with_name("supervisor.py")


class Processes:
    """Programs by name. When this process ends they are killed, and ``folder`` is removed."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self._connection, theirs = socket.socketpair()
        with theirs:
            # A session of its own: a terminal's Ctrl-C is the owner's business.
            self._supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_SUPERVISOR), str(os.getpid()), str(folder)],
                stdin=theirs.fileno(),
                start_new_session=True,
            )
        self._answers = self._connection.makefile("rb")

    @property
    def supervisor(self) -> int:
        """The process that keeps the programs."""
        return self._supervisor.pid

    def start(self, name: str, command: Sequence[str], log: Path) -> int:
        """Start a program and return its process."""
        answer = self._ask(do="start", name=name, command=list(command), log=str(log))
        if "error" in answer:
            raise ControlPlaneError(f"{name} does not start: {answer['error']}")
        return int(answer["pid"])

    def kill(self, name: str) -> None:
        """Kill a program and wait until it is gone."""
        self._ask(do="kill", name=name)

    def ended(self, name: str) -> int | None:
        """Return how a program ended, nothing as long as it runs."""
        code = self._ask(do="look", name=name)["code"]
        return None if code is None else int(code)

    def close(self) -> None:
        """Kill all programs and remove the folder."""
        self._answers.close()
        self._connection.close()
        self._supervisor.wait()

    def _ask(self, **command: Any) -> dict[str, Any]:
        with self._lock:
            self._connection.sendall(json.dumps(command).encode() + b"\n")
            answer = self._answers.readline()
        if not answer:
            raise ControlPlaneError("the process that keeps the control plane's programs is gone")
        found: dict[str, Any] = json.loads(answer)
        return found
