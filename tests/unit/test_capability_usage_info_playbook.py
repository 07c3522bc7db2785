# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook capability_usage_info on a file: it shows who needs a capability, and fails on request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.unit.builders.request_counts import (
    Counted,
    cluster_version,
    hour,
    request_count,
)
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

RELEASES = Path(__file__).parents[2] / "examples" / "releases"


def play(folder: Path, *more: dict[str, Any], **options: Any) -> tuple[int, list[str], str]:
    """Run the playbook in ``folder``. Return its state, the lines on stdout without repeated blanks, and all output."""
    clients = [Counted("alice", {"list": 2}), Counted("system:node:worker-0", {"get": 7})]
    objects = [
        cluster_version("Console"),
        request_count("builds.v1.build.openshift.io", hour(clients, unnamed=4)),
        request_count("deploymentconfigs.v1.apps.openshift.io", hour([clients[1]])),
        *more,
    ]
    (folder / "counts.json").write_text(json.dumps({"kind": "List", "items": objects}))
    if not (folder / "releases").exists():
        (folder / "releases").symlink_to(RELEASES)
    options = {"release": "releases/4.21.0", "request_counts": "counts.json", **options}
    done = ansible_playbook(folder, "capability.openshift.capability_usage_info", "-e", json.dumps(options))
    return done.returncode, [" ".join(line.split()) for line in done.stdout.splitlines()], done.stdout + done.stderr


def test_the_playbook_shows_clients_and_fails_if_one_is_yours(tmp_path):
    state, shown, text = play(tmp_path, capability_names="Build, DeploymentConfig", fail_if_used=True)
    assert state == 2, text
    assert '"Build disabled 2 7 0 0 4",' in shown
    assert '"DeploymentConfig disabled 0 7 0 0 0",' in shown
    (row,) = [line for line in shown if "builds.v1" in line]
    assert row == '"Build yours 2 builds.v1.build.openshift.io (list 2) alice, oc/4.20"'
    assert "does not name: 4" in text
    assert "to the APIs of Build, see above" in " ".join(text.split())


def test_the_playbook_fails_if_clients_are_not_named(tmp_path):
    counted = request_count(
        "consolelinks.v1.console.openshift.io", hour([Counted("system:node:a", {"get": 1})], unnamed=2)
    )
    state, shown, text = play(tmp_path, counted, capability_names=["Console"], fail_if_used=True)
    assert state == 2, text
    assert '"No client that is named of the kind yours sent a request in the last 24 hours"' in shown
    assert "to the APIs of Console, see above" in " ".join(text.split())
    state, _shown, text = play(tmp_path, capability_names=["DeploymentConfig"], fail_if_used=True)
    assert state == 0, text
