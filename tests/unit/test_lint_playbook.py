# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook release_lint in the checkout of an operator: it shows the findings, writes files, and fails."""

from __future__ import annotations

import json
import subprocess
import sys

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import environment
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files


def test_the_playbook_shows_and_writes_the_findings_and_fails(tmp_path):
    checkout = tmp_path / "checkout"
    files = {"a.yaml": manifest("one", "Backup"), "b.yaml": manifest("two", "Consle")}
    write_files(checkout / "manifests", files)
    options = {
        "release": "manifests",
        "openshift_version": "4.20",
        "assume_known": ["Backup"],
        "relative_to": ".",
        "sarif": "lint.sarif",
        "github": "out/annotations.txt",
    }
    command = [sys.executable, "-m", "ansible.cli.playbook", "-i", "localhost,", "-c", "local"]
    done = subprocess.run(
        [*command, "capability.openshift.release_lint", "-e", json.dumps(options)],
        env={**environment(tmp_path), "PWD": str(checkout)},
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "manifests/b.yaml:7: error [unknown-capability] ConfigMap two" in done.stdout
    assert "1 error, see above" in done.stdout + done.stderr
    results = json.loads((checkout / "lint.sarif").read_text())["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["unknown-capability"]
    annotations = (checkout / "out" / "annotations.txt").read_text()
    assert annotations.startswith("::error file=manifests/b.yaml,line=7,title=unknown-capability::ConfigMap two")
