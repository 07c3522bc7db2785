# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook api_usage on a file: it shows who needs a capability, and fails on request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from ansible_collections.capability.openshift.tests.unit.builders.request_counts import (
    Counted,
    cluster_version,
    hour,
    request_count,
)

RELEASES = Path(__file__).parents[2] / "examples" / "releases"


def test_the_playbook_shows_clients_and_fails_if_one_is_yours(tmp_path):
    clients = [Counted("alice", {"list": 2}), Counted("system:node:worker-0", {"get": 7})]
    objects = [
        cluster_version("Console"),
        request_count("builds.v1.build.openshift.io", hour(clients, unnamed=4)),
        request_count("deploymentconfigs.v1.apps.openshift.io", hour([clients[1]])),
    ]
    (tmp_path / "counts.json").write_text(json.dumps({"kind": "List", "items": objects}))
    (tmp_path / "releases").symlink_to(RELEASES)
    options = {
        "release": "releases/4.21.0",
        "request_counts": "counts.json",
        "capabilities": "Build, DeploymentConfig",
        "fail_if_used": True,
    }
    program = Path(sys.executable).with_name("ansible-playbook")
    done = subprocess.run(
        [str(program), "capability.openshift.api_usage", "-e", json.dumps(options)],
        cwd=tmp_path,
        env={**os.environ, "PWD": str(tmp_path), "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    shown = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert done.returncode == 2, done.stdout
    assert '"Build disabled 2 7 0 0 4",' in shown
    assert '"DeploymentConfig disabled 0 7 0 0 0",' in shown
    (row,) = [line for line in shown if "builds.v1" in line]
    assert row == '"Build yours 2 builds.v1.build.openshift.io (list 2) alice, oc/4.20"'
    assert "4 requests are of clients that are not named" in done.stdout + done.stderr
    assert "localhost has clients of Build, see above" in done.stdout + done.stderr
