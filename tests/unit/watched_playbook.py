# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs ansible-playbook, and reads the progress that it shows on standard error."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import environment
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

_LINE = re.compile(r"(?m)^([\w.-]+): (.+), (\d+) s$")


class Progress(NamedTuple):
    """A line of the progress."""

    host: str
    text: str
    seconds: int


class Watched(NamedTuple):
    """A playbook after its end."""

    code: int
    out: str
    err: str

    @property
    def progress(self) -> list[Progress]:
        """The lines of its progress."""
        return progress_in(self.err)

    def seconds_of(self, text: str) -> list[int]:
        """When a line was shown. The seconds are those of its task."""
        return [line.seconds for line in self.progress if line.text == text]


def progress_in(text: str) -> list[Progress]:
    """The lines of progress in an output."""
    return [Progress(host, shown, int(seconds)) for host, shown, seconds in _LINE.findall(text)]


def start_playbook(folder: Path, playbook: str, extra: Mapping[str, Any]) -> subprocess.Popen[str]:
    """Start a playbook in ``folder`` with extra variables."""
    return subprocess.Popen(
        [sys.executable, "-m", "ansible.cli.playbook", playbook, "-e", json.dumps(extra)],
        cwd=folder,
        env={**environment(folder), "PWD": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> Watched:
    """Wait for the end of a playbook."""
    out, err = process.communicate(timeout=300)
    return _watched(process.returncode, out, err)


def run_playbook(folder: Path, playbook: str, extra: Mapping[str, Any]) -> Watched:
    """Run a playbook to its end."""
    done = ansible_playbook(folder, playbook, "-e", json.dumps(extra))
    return _watched(done.returncode, done.stdout, done.stderr)


def _watched(code: int, out: str, err: str) -> Watched:
    assert "Traceback" not in out + err, out + err
    return Watched(code, out, err)
