# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""ansible-builder accepts the example of an execution environment, and finds what the collection needs in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def builder(*arguments: str | Path) -> str:
    command = [sys.executable, "-m", "ansible_builder", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_example_becomes_a_build_context(tmp_path):
    builder("create", "-f", ROOT / "examples" / "execution-environment.yml", "-c", tmp_path)

    galaxy = yaml.safe_load((tmp_path / "_build" / "requirements.yml").read_text())
    assert galaxy == {"collections": ["capability.openshift"]}
    assert list(tmp_path.glob("*file"))


def test_the_collection_names_the_libraries_and_packages_that_it_needs(tmp_path):
    collection = tmp_path / "ansible_collections" / "capability" / "openshift"
    collection.parent.mkdir(parents=True)
    collection.symlink_to(ROOT)
    found = yaml.safe_load(builder("introspect", tmp_path))

    python = (ROOT / "meta" / "ee-requirements.txt").read_text().splitlines()
    # It omits PyYAML, which ansible-core needs itself.
    wanted = [line for line in python if line and not line.startswith(("#", "PyYAML"))]
    assert [line.split("  # ")[0] for line in found["python"]] == wanted
    assert [line.split("  # ")[0] for line in found["system"]] == ["gpgv [platform:dpkg]", "gnupg2 [platform:rpm]"]
