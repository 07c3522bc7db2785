# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbooks about one release or two: they write and show what the modules return."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

RELEASES = Path(__file__).resolve().parents[2] / "examples" / "releases"
NONE = {"baselineCapabilitySet": "None"}


def play(folder: Path, name: str, *flags: str, **options: Any) -> list[str]:
    """Run a playbook in ``folder``. Return the lines on stdout without repeated blanks and without quotes."""
    given = [*flags, "-e", json.dumps(options)]
    done = ansible_playbook(folder, f"capability.openshift.{name}", *given)
    assert done.returncode == 0, done.stdout + done.stderr
    return [" ".join(line.strip(' ",').split()) for line in done.stdout.splitlines()]


def test_the_included_manifests_are_written_once(tmp_path):
    options = {"release": str(RELEASES / "4.22.0"), "dest": "manifests", "capabilities": NONE}
    first = play(tmp_path, "release_manifests", **options)
    assert "Directory manifests: changed" in first
    names = {path.name for path in (tmp_path / "manifests").iterdir()}
    assert "0000_50_cluster-ingress-operator_02-deployment.yaml" in names
    assert "0000_50_cluster-image-registry-operator_02-operator.yaml" not in names
    assert "Directory manifests: nothing to change" in play(tmp_path, "release_manifests", **options)


def test_two_releases_are_compared(tmp_path):
    older, newer = str(RELEASES / "4.21.0"), str(RELEASES / "4.22.0")
    shown = play(tmp_path, "release_compare", release=newer, previous_release=older)
    assert "4.21.0 -> 4.22.0" in shown
    assert "no longer known capabilities none" in shown
    assert "BEFORE AFTER CHANGE" in shown
    manifests = next(line for line in shown if line.startswith("Manifests "))
    (added,) = [line for line in shown if line.startswith("Manifests added: ")]
    assert f" +{added.rpartition(' ')[2]}" in manifests
    same = play(tmp_path, "release_compare", release=newer, previous_release=newer)
    assert not any(line.startswith("Manifests added") for line in same)


def test_v_prints_at_most_twenty_lines_more(tmp_path):
    release = str(RELEASES / "4.22.0")
    quiet, verbose = (
        sum(len(line) // 80 + 1 for line in play(tmp_path, "release_info", *flags, release=release))
        for flags in ((), ("-v",))
    )
    assert quiet < verbose <= quiet + 20
