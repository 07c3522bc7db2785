# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A process ends as soon as no one reads its standard output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ansible_collections.capability.openshift.plugins.module_utils._module import main

_PROGRAM = f"""
from {main.__name__} import end_without_reader

end_without_reader()
print("begun", flush=True)
input()
print("done")
"""


def started(stdout: int) -> subprocess.Popen[str]:
    """A process that waits for a line of its standard input."""
    return subprocess.Popen([sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=stdout, text=True)


def test_process_without_a_reader_ends() -> None:
    with started(subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.stdout.close()
        assert process.wait(30) == 1


def test_process_with_a_reader_continues() -> None:
    with started(subprocess.PIPE) as process:
        assert process.communicate("go on\n", 30)[0] == "begun\ndone\n"
    assert process.returncode == 0


def test_process_that_writes_to_a_file_continues(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as file, started(file.fileno()) as process:
        process.communicate("go on\n", 30)
    assert process.returncode == 0
