# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""ansible-builder accepts the example of an execution environment, and finds what the collection needs in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
DEFINITION = ROOT / "examples" / "execution-environment.yml"


def builder(*arguments: str | Path) -> str:
    program = Path(sys.executable).with_name("ansible-builder")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def create(definition: Path, context: Path) -> list[str]:
    builder("create", "-f", definition, "-c", context, "--output-filename", "Containerfile")
    return (context / "Containerfile").read_text().splitlines()


def test_the_example_becomes_a_build_context(tmp_path):
    lines = create(DEFINITION, tmp_path)

    galaxy = yaml.safe_load((tmp_path / "_build" / "requirements.yml").read_text())
    assert galaxy == {"collections": ["capability.openshift"]}
    assert 'ARG PYPKG="python3"' in lines


def test_the_example_on_the_minimal_image_of_automation_platform(tmp_path):
    definition = yaml.safe_load(DEFINITION.read_text())
    definition["images"]["base_image"]["name"] = "registry.example/ee-minimal-rhel9:latest"
    for name in ("python_interpreter", "ansible_core", "ansible_runner"):
        del definition["dependencies"][name]
    (tmp_path / "definition.yml").write_text(yaml.safe_dump(definition))
    lines = create(tmp_path / "definition.yml", tmp_path / "context")

    assert [line for line in lines if line.startswith(("ARG PYPKG", "ARG ANSIBLE_INSTALL_REFS"))] == []


def test_the_collection_names_the_libraries_and_packages_that_it_needs(tmp_path):
    collection = tmp_path / "ansible_collections" / "capability" / "openshift"
    collection.parent.mkdir(parents=True)
    collection.symlink_to(ROOT)
    found = yaml.safe_load(builder("introspect", tmp_path))

    python = (ROOT / "meta" / "ee-requirements.txt").read_text().splitlines()
    # It omits PyYAML, which ansible-core needs itself.
    wanted = [line for line in python if line and not line.startswith(("#", "PyYAML"))]
    assert [line.split("  # ")[0] for line in found["python"]] == wanted
    assert [line.split("  # ")[0] for line in found["system"]] == [
        "git",
        "gpgv [platform:dpkg]",
        "gnupg2 [platform:rpm]",
    ]
