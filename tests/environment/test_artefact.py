# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tarball of a release: what is in it, whether Galaxy and Red Hat's certification accept it, and its use alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from checkout import checkout_files
from environment import CACHE, REQUIREMENTS, VENV, build, requirement_lines

from ansible_collections.capability.openshift.tests.environment.dry_run import ROOT, TARBALL, Release

pytestmark = pytest.mark.deep

CERTIFIED = ("ansible-core==2.16.*", "ansible-lint==24.12.2")
"""What partner-certification-checker runs."""


def environment(name: str, *requirements: str) -> Path:
    """Return a virtual environment with packages, which the next run finds again."""
    venv = CACHE / name
    build(venv, os.path.realpath(sys.executable), {name: [*requirements]}, print, has_checkout=False)
    return venv


def command(venv: Path, *words: object, folder: Path, **env: str) -> str:
    """Run a program of a virtual environment, where only the collections in ``folder`` are found. Return its output."""
    given = {
        "ANSIBLE_COLLECTIONS_PATH": str(folder),
        "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "false",
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "PATH": f"{venv / 'bin'}:{os.defpath}",
    }
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    output = subprocess.PIPE, subprocess.STDOUT
    line = [str(venv / "bin" / str(words[0])), *map(str, words[1:])]
    done = subprocess.run(
        line, cwd=folder, env={**pip, **given, **env}, stdout=output[0], stderr=output[1], text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def content(release: Release, tmp_path: Path) -> Path:
    """The unpacked tarball, outside of the checkout, whose settings tools would find."""
    folder = tmp_path / "ansible_collections" / "capability" / "openshift"
    shutil.unpack_archive(release.folder / TARBALL, folder)
    return folder


def test_the_tarball_has_only_files_that_git_knows(release: Release) -> None:
    with tarfile.open(release.folder / TARBALL) as archive:
        packed = {member.name for member in archive.getmembers() if member.isfile()}
    written = {"MANIFEST.json", "FILES.json", "changelogs/changelog.yaml"}
    assert packed - {*checkout_files()} - written == set()
    assert packed > {"README.md", ".ansible-lint", "playbooks/update_plan.yml", "plugins/modules/update_plan.py"}


@pytest.mark.parametrize("requirements", [CERTIFIED, ()], ids=["oldest", "newest"])
def test_the_content_passes_the_check_of_certification(content: Path, requirements: tuple[str, ...]) -> None:
    """As partner-certification-checker runs ansible-lint, and with the one of the gate."""
    venv = environment("certification", *requirements) if requirements else VENV
    options = ("--offline", "--profile=production", "-x", "sanity")
    passed = command(venv, "ansible-lint", *options, folder=content, ANSIBLE_COLLECTIONS_PATH=str(content.parents[2]))
    assert "Passed: 0 failure(s), 0 warning(s)" in passed


def test_galaxy_imports_each_playbook_without_a_warning(release: Release, tmp_path: Path) -> None:
    venv = environment("galaxy", *requirement_lines(REQUIREMENTS / "galaxy_importer.txt"))
    # It ends ansible-lint after three minutes, however busy the machine is.
    without_lint = {"GALAXY_IMPORTER_RUN_ANSIBLE_LINT": "false"}
    importer = ("python", "-m", "galaxy_importer.main")
    printed = command(venv, *importer, release.folder / TARBALL, folder=tmp_path, **without_lint)
    assert re.findall(r"(?m)^(?:WARNING|ERROR|CRITICAL)\b.*", printed) == []
    found = json.loads((tmp_path / "importer_result.json").read_text("utf-8"))["contents"]
    playbooks = [item["name"] for item in found if item["content_type"] == "playbook"]
    assert sorted(playbooks) == sorted(path.name for path in (ROOT / "playbooks").glob("*.yml"))


def test_the_quickstart_uses_only_the_installed_collection(release: Release, tmp_path: Path) -> None:
    """As the README says, with a copy of the examples."""
    install = ("ansible-galaxy", "collection", "install", "--offline", release.folder / TARBALL, "-p", tmp_path)
    command(VENV, *install, folder=tmp_path)
    installed = tmp_path / "ansible_collections" / "capability" / "openshift"
    shutil.copytree(installed / "examples", tmp_path / "examples")
    settings = {"ANSIBLE_PYTHON_INTERPRETER": str(VENV / "bin" / "python"), "QUICKSTART_DEST": str(tmp_path / "out")}
    printed = command(VENV, "ansible-playbook", "-vvv", "examples/quickstart.yml", folder=tmp_path, **settings)
    used = set(re.findall(r"Using module file (\S.*/capability/openshift/.*\.py)", printed))
    assert used
    assert [path for path in used if not path.startswith(str(installed))] == []
