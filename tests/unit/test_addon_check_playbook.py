# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook addon_check in the checkout of an operator: it shows findings and repairs, writes files, and fails."""

from __future__ import annotations

import json
from pathlib import Path

from ansible_collections.capability.openshift.tests.unit.builders.addons import (
    LINK,
    RELEASE_FILES,
    bundle,
    csv,
    documents,
    thing,
    write_addon,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import write_release
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook


def test_the_playbook_shows_findings_and_repairs_and_fails(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    bundle(checkout / "bundle", csv(), LINK)
    write_addon(checkout / "site", {"a.yaml": documents(thing("ConfigMap"))})
    write_release(tmp_path / "release", RELEASE_FILES)
    options = {
        "addons": "bundle,site",
        "release": "../release",
        "outputs": "github:out/annotations.txt",
        "relative_to": ".",
    }
    arguments = ("-i", "localhost,", "-c", "local", "-e", json.dumps(options))
    done = ansible_playbook(checkout, *arguments, "capability.openshift.addon_check")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "bundle/manifests/1.yaml:2: error [absent-kind] ConsoleLink.console.openshift.io one" in done.stdout
    assert "bundle/manifests  olm            1       0     1  Console" in done.stdout
    assert "site              gitops         0       0     1  nothing" in done.stdout
    assert "Console would repair 1 object" in done.stdout
    assert (checkout / "out" / "annotations.txt").read_text().startswith("::error file=bundle/manifests/1.yaml,line=2")
