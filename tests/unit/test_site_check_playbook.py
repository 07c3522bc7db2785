# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook site_check on a copy of its example: from errors to the selection of a solution."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

EXAMPLE = Path(__file__).parents[2] / "examples" / "sites"


def play(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the playbook in ``folder``."""
    return ansible_playbook(folder, "capability.openshift.site_check", *options)


def test_a_bug_in_the_module_fails_the_playbook(tmp_path):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (tmp_path / "sitecustomize.py").write_text("import os\nos.scandir = None\n")
    done = play(tmp_path, "-e", f"checkout={EXAMPLE}", "-e", json.dumps({"ansible_python_interpreter": str(python)}))
    assert done.returncode == 2
    assert "Check the sites" in done.stdout


def test_the_example_is_checked_and_then_corrected(tmp_path):
    sites = tmp_path / "sites"
    shutil.copytree(EXAMPLE, sites)

    checked = play(
        tmp_path, "-e", "checkout=sites", "-e", "paths=clusters,policies,*.yaml", "-e", "outputs=sarif:out/sites.sarif"
    )
    assert checked.returncode == 2
    assert "7 errors in 5 sites" in checked.stdout
    assert "Write Console: names are case sensitive" in checked.stdout
    (run,) = json.loads((tmp_path / "out" / "sites.sarif").read_text())["runs"]
    assert len(run["results"]) == 7

    fixed = play(tmp_path, "-e", "checkout=sites", "-e", "state=fixed", "-e", "solution=ran_du", "--diff")
    assert fixed.returncode == 0, fixed.stdout
    assert "No findings in 5 sites; 1 of 5 sites was not" in fixed.stdout
    assert "Corrected files: clusters/du-412.yaml, clusters/du-415.yaml" in fixed.stdout
    assert "+++ b/clusters/du-420.yaml" in fixed.stdout
    clusters = [yaml.safe_load(path.read_text()) for path in sorted((sites / "clusters").iterdir())]
    selections = [json.loads(item["spec"]["installConfigOverrides"]) for item in clusters]
    assert [sorted(item["capabilities"]["additionalEnabledCapabilities"]) for item in selections] == [
        ["marketplace"],
        ["NodeTuning", "marketplace"],
        ["NodeTuning", "OperatorLifecycleManager"],
        ["Ingress", "NodeTuning", "OperatorLifecycleManager"],
    ]
    assert selections[3]["cpuPartitioningMode"] == "AllNodes"
    assert "- Console  # for the support team" in (sites / "policies" / "console.yaml").read_text()
