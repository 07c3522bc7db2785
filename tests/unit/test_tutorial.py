# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The commands of docs/tutorials/first_steps.md, run one after the other from an empty directory."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import environment

pytestmark = pytest.mark.deep

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorials" / "first_steps.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?ms)^```(bash|text|yaml)\n(.*?)^```")
FAILS = "This command fails"


def test_each_command_prints_what_the_page_shows(tmp_path):
    collections = tmp_path / "home" / ".ansible" / "collections" / "ansible_collections" / "capability"
    collections.mkdir(parents=True)
    (collections / "openshift").symlink_to(ROOT)
    desk = tmp_path / "desk"
    desk.mkdir()
    variables = {**environment(tmp_path), "HOME": str(tmp_path / "home"), "PWD": str(desk)}
    output, at = "", 0
    for block in BLOCK.finditer(PAGE):
        kind, text = block[1], block[2]
        if kind == "bash":
            output, fails = "", FAILS in PAGE[at : block.start()]
            for command in text.replace("\\\n", " ").splitlines():
                done = subprocess.run(
                    ["bash", "-c", command], cwd=desk, env=variables, capture_output=True, text=True, check=False
                )
                # Messages are in JSON.
                output = (done.stdout + done.stderr).replace("\\n", "\n").replace('\\"', '"')
                assert (done.returncode != 0) is fails, (command, output)
        elif kind == "yaml":
            (desk / text.split()[1]).write_text(text)
        else:
            assert [line for line in text.splitlines() if line.strip() not in output] == []
        at = block.end()
    assert (desk / "review" / "update_plan.html").is_file()
