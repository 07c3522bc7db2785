# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The oracles in Go answer new random questions in each run. Their answers in the repository are those of one seed.

To repeat a run, set ``ORACLE_SEED`` to the seed that it prints. It needs Go, and a proxy for Go modules.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS, OTHER_FACTS

pytestmark = [pytest.mark.deep, pytest.mark.skipif(shutil.which("go") is None, reason="needs Go to ask the oracles")]
SEED = os.environ.get("ORACLE_SEED") or str(random.SystemRandom().randrange(1, 1 << 31))
TESTS = Path(__file__).parents[1]
PROGRAMS = FACTS.parent / "go"


def run(command: list[str], folder: Path, facts: Path) -> None:
    environment = {**os.environ, OTHER_FACTS: str(facts)}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, f"ORACLE_SEED={SEED}\n{done.stdout}{done.stderr}"


def run_tests(facts: Path, *paths: str) -> None:
    run([sys.executable, "-m", "pytest", "-q", *(str(TESTS / path) for path in paths)], TESTS.parent, facts)


def test_mirror_sets_credentials_and_sigstore(tmp_path: Path) -> None:
    run(["go", "run", "-tags", "containers_image_openpgp", ".", str(tmp_path), SEED], PROGRAMS / "images", tmp_path)
    run_tests(tmp_path, "parity/test_mirror_sets.py", "parity/test_credentials.py", "parity/test_sigstore.py")


def test_releases_and_signatures(tmp_path: Path) -> None:
    program = "ansible_collections.capability.openshift.tests.parity.make_signatures"
    run([sys.executable, "-m", program, SEED, str(tmp_path / "signatures.json")], TESTS.parent, tmp_path)
    run_tests(tmp_path, "registry/test_library_go.py")


def test_kubeconfigs_and_proxies(tmp_path: Path) -> None:
    program = "ansible_collections.capability.openshift.tests.parity.make_connections"
    run([sys.executable, "-m", program, SEED, str(tmp_path / "connections.json")], TESTS.parent, tmp_path)
    run_tests(tmp_path, "parity/test_connections.py")
