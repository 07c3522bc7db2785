# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The last step of examples/quickstart.yml: a rollout to a control plane that it starts and stops.

The step `artefact` of the gate runs the steps before it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.daemon import owner

pytestmark = pytest.mark.deep

ROOT = Path(__file__).parents[2]
PLAYBOOK = ROOT / "examples" / "quickstart.yml"
BEGIN = "--start-at-task=Find the programs of the control plane"


def quickstart(folder: Path, *options: str, **environment: str) -> str:
    command = [sys.executable, "-m", "ansible", "playbook", str(PLAYBOOK), *options]
    settings = {"ANSIBLE_CONFIG": str(ROOT / "tools" / "ansible.cfg"), "QUICKSTART_DEST": str(folder), **environment}
    assignments = [f"{name}={value}" for name, value in settings.items()]
    # ansible_playbook_python is that of the tests for localhost.
    done = subprocess.run(
        ["env", "-u", "ANSIBLE_COLLECTIONS_PATH", *assignments, *command],
        text=True,
        stdout=subprocess.PIPE,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_both_example_releases_are_rolled_out_and_nothing_stays(plane: ControlPlane, tmp_path):
    # `plane`: the programs are there then.
    folder = tmp_path / "with a blank"
    (first,) = yaml.safe_load(PLAYBOOK.read_text(encoding="utf-8"))[0]["tasks"]
    output = quickstart(folder, BEGIN, "-e", json.dumps(first["ansible.builtin.set_fact"]))

    assert "mode install: 28 created" in output
    assert "permanently: Insights" in output
    assert "To try a rollout" not in output
    assert owner(folder / "control-plane") is None


def test_without_the_programs_a_message_explains_how_to_get_them(tmp_path):
    output = quickstart(tmp_path / "quickstart", BEGIN, XDG_CACHE_HOME=str(tmp_path))

    assert "make test STEPS=programs" in output
    assert "mode install" not in output
    assert not (tmp_path / "quickstart" / "control-plane").exists()
