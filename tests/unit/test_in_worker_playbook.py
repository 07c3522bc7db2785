# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The actions that run in Ansible's workers return the same as their modules, for several hosts at once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_release
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

HOSTS = ["berlin", "paris"]
FILES = {"a.yaml": manifest("'{{ 6 * 7 }}'"), "b.yaml": manifest("caf\u00e9", "Console")}
TEMPLATE = {"c.yaml": manifest("cvo", more="data: {image: '{{.ReleaseImage}}'}\n")}
SELECTION = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": "{{ names }}"}
VARIABLES = {
    "ansible_python_interpreter": "{{ ansible_playbook_python }}",
    "names": ["Console"],
    "unsafe": {"__ansible_unsafe": "{{ release }}"},
}

DECIDE, SUMMARIZE = "capability.openshift.release_manifests", "capability.openshift.release_info"

# The module, its options, and whether they are valid. A relative path starts from the directory of the playbook.
ITEMS: dict[str, tuple[str, dict[str, Any], bool]] = {
    "warning": (DECIDE, {"release": "release", "feature_gates": "{{ names }}"}, True),
    "templates": (DECIDE, {"release": "~/{{ 'release' }}", "capabilities": SELECTION, "decisions": True}, True),
    "texts": (DECIDE, {"release": "release", "images": "yes", "exclude_identifier": "{{ unsafe }}"}, True),
    "summary": (SUMMARIZE, {"release": "release", "capabilities": SELECTION, "previous_release": "release"}, True),
    "missing": (DECIDE, {"release": "missing"}, False),
    "unknown": (SUMMARIZE, {"release": "release", "colour": "red"}, False),
}
VALID = sum(is_valid for _module, _options, is_valid in ITEMS.values())


def tasks() -> list[dict[str, Any]]:
    """The tasks for each item: on all hosts, as a module on the first one, and a comparison."""
    found: list[dict[str, Any]] = []
    for name, (module, options, is_valid) in ITEMS.items():
        task = {module: options, "ignore_errors": True}
        first = f"inventory_hostname == '{HOSTS[0]}'"
        process = {"environment": {"LANG": "C.UTF-8"}, "register": "module", "when": first}
        # Until ansible-core 2.18, an exception names the temporary file of the module.
        other = f"hostvars['{HOSTS[0]}'].module | combine({{'exception': ''}})"
        same = [f"here | combine({{'exception': ''}}) == {other}", f"here is {'success' if is_valid else 'failed'}"]
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
    arguments = ["-i", f"{','.join(HOSTS)},", "-c", "local", "-f", "2", "-vvv", str(tmp_path / "play.yml")]
    env = {"HOME": str(tmp_path), "ANSIBLE_INJECT_INVOCATION": "true"}
    done = ansible_playbook(tmp_path / "elsewhere", *arguments, env=env)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert "Traceback" not in output
    assert output.count("without a process for the module") == VALID * len(HOSTS)
    processes = len(ITEMS) + (len(ITEMS) - VALID) * len(HOSTS)
    assert len(re.findall(r"Using module file .*/release_(manifests|info)\.py", output)) == processes
