# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbooks release_lint and operator_check in the checkout of an operator: they show, write files, and fail."""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.operators import write_operator, write_repository
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files, write_release
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook


def run(playbook, checkout, options):
    playbook = f"capability.openshift.{playbook}"
    return ansible_playbook(checkout, "-i", "localhost,", "-c", "local", playbook, "-e", json.dumps(options))


@pytest.mark.parametrize("directory", ["checkout", "$PWD/checkout"])
def test_the_playbook_shows_and_writes_the_findings_and_fails(tmp_path, directory):
    checkout = tmp_path / "checkout"
    files = {"a.yaml": manifest("one", "Backup"), "b.yaml": manifest("two", "Consle")}
    write_files(checkout / "manifests", files)
    options = {
        "chdir": directory,
        "release": "manifests",
        "openshift_version": "4.20",
        "known_capabilities": ["Backup"],
        "relative_to": ".",
        "outputs": "sarif:lint.sarif, github:out/annotations.txt",
    }
    done = run("release_lint", tmp_path, options)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "manifests/b.yaml:7: error [unknown-capability] ConfigMap two" in done.stdout
    assert "1 error in 2 manifests" in done.stdout + done.stderr
    results = json.loads((checkout / "lint.sarif").read_text())["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["unknown-capability"]
    annotations = (checkout / "out" / "annotations.txt").read_text()
    assert annotations.startswith("::error file=manifests/b.yaml,line=7,title=unknown-capability::ConfigMap two")


def test_the_markdown_of_a_pull_request(tmp_path):
    checkout = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one"), "b.yaml": manifest("two")})
    write_operator(checkout, {"a.yaml": manifest("one", "Consle"), "c|d.yaml": manifest("new", "Console")})
    (checkout / "manifests" / "b.yaml").unlink()
    release = write_release(tmp_path / "release", {"0000_50_one_a.yaml": manifest("one", "Storage")}, "4.19.1")
    outputs = ["markdown:out.md", "json:out.json"]
    options = {"openshift_version": "4.20", "outputs": outputs, "previous_release": str(release)}
    done = run("operator_check", checkout, options)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "manifests/a.yaml ConfigMap one: capability: none -> Consle" in done.stdout
    lines = (checkout / "out.md").read_text().splitlines()
    assert lines[0].startswith("## 1 error")
    assert "- `manifests/a.yaml` ConfigMap one: capability: none -> Consle" in lines
    assert "- `manifests/b.yaml` ConfigMap two: removed" in lines
    assert "- `manifests/a.yaml` ConfigMap one: capability: Consle -> Storage" in lines
    assert "- `manifests/c|d.yaml` ConfigMap new: not there" in lines
    assert lines[-1] == "| manifests/c\\|d.yaml | ConfigMap new |  | Console | self-managed-high-availability |  |  |"
    rules = {item["rule"] for item in json.loads((checkout / "out.json").read_text())["findings"]}
    assert {"unknown-capability", "left-behind"} <= rules
