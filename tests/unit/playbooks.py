# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of ansible-playbook. Each is a separate process, a fork of ``playbook_server``."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import environment


def ansible_playbook(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None, cli: str = "playbook"
) -> subprocess.CompletedProcess[str]:
    """Run ansible-playbook, or another program of Ansible, in ``folder``, and return its end and what it printed.

    ``env`` is added to an environment without the settings of the user.
    """
    full = {**environment(folder), "PWD": str(folder), **(env or {})}
    return run_ansible(sys.executable, cli, arguments, folder, full)


def run_ansible(
    python: str, cli: str, arguments: Sequence[str], folder: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a program of the Ansible that an interpreter has. ``env`` is its whole environment."""
    server, packed = _server(python, env.get("PYTHONPATH", ""))
    assert server.stdin is not None
    assert server.stdout is not None
    with TemporaryDirectory(prefix="capability-") as private:
        output = [Path(private, name) for name in ("stdout", "stderr")]
        request = {"cli": cli, "arguments": arguments, "environment": env, "folder": folder, "output": output}
        print(json.dumps({**request, "packed": packed.name}, default=str), file=server.stdin, flush=True)
        code = int(server.stdout.readline())
        printed = [path.read_text(encoding="utf-8") for path in output]
    return subprocess.CompletedProcess([cli, *arguments], code, *printed)


@cache
def _server(python: str, path: str) -> tuple[subprocess.Popen[str], TemporaryDirectory[str]]:
    """Start a server, and make the folder for its cache of packed modules. Both end with this process.

    The server must not import from its folder, nor any collection.
    """
    command = [python, "-P", str(Path(__file__).with_name("playbook_server.py"))]
    env = {**os.environ, "PYTHONPATH": path, "LC_ALL": "C.UTF-8"}
    server = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(_end, server)
    return server, TemporaryDirectory(prefix="capability-")


def _end(server: subprocess.Popen[str]) -> None:
    """Wait for a server. Otherwise the CPU time of its runs would be in no figure of the gate."""
    server.communicate()
