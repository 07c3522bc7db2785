# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Modules in their own processes, which can be killed.

They are forks of a server that has imported Ansible and kubernetes, so one is there in 20 ms instead of a second. It
has one thread and no connection, and each process is its own session: SIGKILL ends it as it ends any other.
"""

from __future__ import annotations

import atexit
import importlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from ansible_collections.capability.openshift.plugins.module_utils._module.progress import VARIABLE

_PACKAGE = "ansible_collections.capability.openshift"
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(
    [
        __name__,
        "ansible.module_utils.testing",
        "kubernetes",
        f"{_PACKAGE}.plugins.modules.cluster_capabilities",
        f"{_PACKAGE}.plugins.modules.cluster_update",
        f"{_PACKAGE}.plugins.modules.release_apply",
    ]
)


Clocks = Mapping[tuple[str, str], Any]
"""Seconds, or records of them, by the name of a module and of its constant."""


class Process:
    """A module of the collection in its own process, with the methods of ``subprocess.Popen`` that tests need.

    ``clocks`` are other seconds for it to wait. It appends its progress to the file ``progress``.
    """

    def __init__(self, module: str, clocks: Clocks | None = None, progress: Path | None = None, **options: Any) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="process-")
        folder = Path(self._folder.name)
        self._out, self._err = folder / "out", folder / "err"
        environment = {**os.environ, **({VARIABLE: str(progress)} if progress else {})}
        values = {name: str(value) if isinstance(value, Path) else value for name, value in options.items()}
        ready, theirs = _forks.Pipe(duplex=False)
        # A daemon: this process does not wait for it at its end.
        self._process = _forks.Process(
            target=_run,
            args=(theirs, module, json.dumps(values), dict(clocks or {}), (self._out, self._err), environment),
            daemon=True,
        )
        self._process.start()
        theirs.close()
        with ready:
            ready.recv()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()

    @property
    def pid(self) -> int:
        """The process, which leads a session."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """How it ended: the negative number of a signal if that killed it."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return how it ended, nothing as long as it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Return how it ended. Raises ``subprocess.TimeoutExpired``."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout or 0.0)
        return self._process.exitcode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end and return what it printed: output and complaints. Raises ``subprocess.TimeoutExpired``."""
        self.wait(timeout)
        texts = [path.read_text(encoding="utf-8") for path in (self._out, self._err)]
        return texts[0], texts[1]

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        if self.poll() is None:
            self.send_signal(signal.SIGKILL)


def _run(
    ready: Connection, module: str, options: str, clocks: Clocks, output: tuple[Path, Path], environment: dict[str, str]
) -> NoReturn:
    """Run a module in a fork of the server, as Ansible's wrapper does."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background of a shell
    for number, path in enumerate(output, 1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    for (name, constant), seconds in clocks.items():
        setattr(importlib.import_module(name), constant, seconds)
    ready.send(True)
    ready.close()
    from ansible.module_utils.testing import patch_module_args

    main = importlib.import_module(f"{_PACKAGE}.plugins.modules.{module}").main
    try:
        with patch_module_args(json.loads(options)):
            main()
        sys.exit(0)
    finally:
        atexit._run_exitfuncs()
