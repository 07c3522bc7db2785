# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""release_manifests returns the same with and without a process for the module, for several hosts at once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import environment
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_release

HOSTS = ["berlin", "paris"]
FILES = {"a.yaml": manifest("one"), "b.yaml": manifest("caf\u00e9", "Console")}
TEMPLATE = {"c.yaml": manifest("cvo", more="data: {image: '{{.ReleaseImage}}'}\n")}
SELECTION = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": "{{ names }}"}
VARIABLES = {"names": ["Console"], "unsafe": {"__ansible_unsafe": "{{ release }}"}}

# Options, and whether they are valid. A relative path starts from the directory of the playbook.
ITEMS: dict[str, tuple[dict[str, Any], bool]] = {
    "warning": ({"release": "release", "feature_gates": "{{ names }}"}, True),
    "templates": ({"release": "~/{{ 'release' }}", "capabilities": SELECTION, "decisions": True}, True),
    "texts": ({"release": "release", "images": "yes", "exclude_identifier": "{{ unsafe }}"}, True),
    "missing": ({"release": "missing"}, False),
    "unknown": ({"release": "release", "colour": "red"}, False),
}
VALID = sum(is_valid for _options, is_valid in ITEMS.values())


def tasks() -> list[dict[str, Any]]:
    """The tasks for each item: on all hosts, as a module on the first one, and a comparison."""
    found: list[dict[str, Any]] = []
    for name, (options, is_valid) in ITEMS.items():
        task = {"capability.openshift.release_manifests": options, "ignore_errors": True}
        first = f"inventory_hostname == '{HOSTS[0]}'"
        process = {"environment": {"LANG": "C.UTF-8"}, "register": "module", "when": first}
        # Until ansible-core 2.18, an exception names the temporary file of the module.
        module = f"hostvars['{HOSTS[0]}'].module | combine({{'exception': ''}})"
        same = [f"here | combine({{'exception': ''}}) == {module}", f"here is {'success' if is_valid else 'failed'}"]
        found += [
            {"name": name, **task, "register": "here"},
            {"name": f"{name}, as a module", **task, **process},
            {"name": f"{name}, compared", "ansible.builtin.assert": {"that": same}},
        ]
    return found


def test_both_ways_return_the_same(tmp_path: Path) -> None:
    write_release(tmp_path / "release", FILES, cvo=TEMPLATE)
    plays = [{"hosts": "all", "gather_facts": False, "vars": VARIABLES, "tasks": tasks()}]
    (tmp_path / "play.yml").write_text(json.dumps(plays, indent=1))
    (tmp_path / "elsewhere").mkdir()
    command = [sys.executable, "-m", "ansible.cli.playbook", "-i", f"{','.join(HOSTS)},", "-c", "local", "-f", "2"]
    done = subprocess.run(
        [*command, "-vvv", str(tmp_path / "play.yml")],
        env={**environment(tmp_path), "HOME": str(tmp_path), "ANSIBLE_INJECT_INVOCATION": "true"},
        cwd=tmp_path / "elsewhere",
        capture_output=True,
        text=True,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert "Traceback" not in output
    assert output.count("without a process for the module") == VALID * len(HOSTS)
    processes = len(ITEMS) + (len(ITEMS) - VALID) * len(HOSTS)
    assert len(re.findall(r"Using module file .*/release_manifests\.py", output)) == processes
