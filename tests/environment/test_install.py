# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The commands of the README, in an environment with ansible-core, the file of the collection and no network."""

from __future__ import annotations

import re

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.version import COLLECTION_VERSION
from ansible_collections.capability.openshift.tests.environment.bare import CHECKOUT, Bare

pytestmark = pytest.mark.deep

README = (CHECKOUT / "README.md").read_text("utf-8")
PROGRAM = """#!/bin/sh
exec {python} -m ansible {name} "$@"
"""


def blocks(heading: str) -> list[str]:
    """Return the shell commands of a section of the README, without continued lines."""
    section = README.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [block.replace("\\\n", " ") for block in re.findall(r"(?s)```bash\n(.*?)```", section)]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    folder = tmp_path_factory.mktemp("install")
    bare = Bare(folder, has_collection=False)
    binaries = folder / "venv" / "bin"
    for name in ("galaxy", "playbook"):
        program = binaries / f"ansible-{name}"
        program.write_text(PROGRAM.format(python=binaries / "python", name=name), "utf-8")
        program.chmod(0o755)
    done = bare.command([str(binaries / "ansible-galaxy"), "collection", "build", str(CHECKOUT)])
    assert done.returncode == 0, done.stderr
    return bare


def test_the_collection_is_installed_without_a_network_and_answers(bare: Bare) -> None:
    (offline,) = (block for block in blocks("Install") if "--offline" in block)
    assert f"capability-openshift-{COLLECTION_VERSION}.tar.gz" in offline
    (quick_start,) = blocks("Quick start")
    plan, why, check = [line for line in quick_start.splitlines() if line.startswith("ansible-playbook")]
    first = quick_start.splitlines()[0]

    assert bare.command(["sh", "-ec", offline]).returncode == 0
    planned = bare.command(["sh", "-ec", f"{first}\n{plan}"])
    assert planned.returncode == 0, planned.stdout + planned.stderr
    assert "enables Insights permanently" in planned.stdout
    explained = bare.command(["sh", "-ec", f"{first}\n{why}"])
    assert explained.returncode == 0, explained.stdout + explained.stderr
    assert "disabled capabilities: baremetal, MachineAPI" in explained.stdout
    checked = bare.command(["sh", "-ec", f"{first}\n{check}"])
    assert checked.returncode == 2
    assert "7 errors in 5 sites" in checked.stdout


def test_one_file_installs_what_a_requirements_file_names(bare: Bare) -> None:
    (requirements,) = re.findall(r"(?s)```yaml\n(collections:.*?)```", README)
    (bare.folder / "requirements.yml").write_text(requirements, "utf-8")
    command = "ansible-galaxy collection install --force --offline -r requirements.yml -p other"
    done = bare.command(["sh", "-ec", command])
    assert done.returncode == 0, done.stdout + done.stderr
    assert (bare.folder / "other" / "ansible_collections" / "capability" / "openshift" / "MANIFEST.json").is_file()
