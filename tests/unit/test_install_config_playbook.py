# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The output of ansible-playbook for install_config, with -vvv and --diff, contains no secret."""

from __future__ import annotations

import json
import re
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import (
    COMMENTED,
    OLD_PULL_SECRET,
    PLATFORMS,
    PRIVATE_KEY,
    PULL_SECRET,
    leaks,
    selection,
    site,
)
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

BROKEN = COMMENTED.replace(f"pullSecret: '{PULL_SECRET}'", f"pullSecret: '{PULL_SECRET}")
TWICE = selection("Ingress", "Console", "Ingress")
WRONG = selection("console", "Ingress")
VSPHERE = {**PLATFORMS["vsphere"], "apiVIPs": ["10.0.0.5"], "ingressVIPs": ["10.0.0.7"]}
THREE = {"name": "master", "replicas": 3}

# Name of the task: options. Secrets are in a file of variables, like in a vault.
TASKS: dict[str, dict[str, Any]] = {
    "write": {"path": "new.yaml", "content": "{{ site }}", "capabilities": TWICE},
    "write a text": {"path": "text.yaml", "content": "{{ commented }}", "solution": "ran_du"},
    "edit": {"path": "commented.yaml", "capabilities": TWICE},
    "replace": {"path": "commented.yaml", "content": "{{ vsphere }}", "install_method": "ipi"},
    "fail": {"path": "new.yaml", "content": "{{ private }}", "capabilities": WRONG},
    "fail at texts": {"path": "broken.yaml", "content": "{{ broken }}", "capabilities": TWICE},
    "fail at an option": {"content": "{{ site }}", "install_method": "uip"},
}


def play(folder: Path) -> str:
    """Run the tasks in ``folder`` and return the whole output."""
    for name, text in (("commented", COMMENTED), ("broken", BROKEN)):
        (folder / f"{name}.yaml").write_text(text)
    secrets = {
        "site": site(),
        "commented": COMMENTED,
        "broken": BROKEN,
        "vsphere": {**site(pullSecret=OLD_PULL_SECRET, controlPlane=THREE), "platform": {"vsphere": VSPHERE}},
        "private": site(sshKey=PRIVATE_KEY, apiVersion=PRIVATE_KEY),
    }
    (folder / "secrets.json").write_text(json.dumps(secrets))
    tasks = [
        {
            "name": name,
            "capability.openshift.install_config": {"openshift_version": "4.20", **_at(folder, options)},
            "ignore_errors": True,
        }
        for name, options in TASKS.items()
    ]
    plays = [{"hosts": "localhost", "gather_facts": False, "vars_files": ["secrets.json"], "tasks": tasks}]
    (folder / "play.yml").write_text(json.dumps(plays, indent=1))
    env = {"ANSIBLE_PIPELINING": "true", "ANSIBLE_INJECT_INVOCATION": "true"}
    done = ansible_playbook(folder, "-i", "localhost,", "-c", "local", "-vvv", "--diff", "play.yml", env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _at(folder: Path, options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "path": str(folder / options["path"])} if "path" in options else options


def part(output: str, task: str) -> str:
    return output.split(f"TASK [{task}]")[1].split("\nTASK [")[0]


def run_role(folder: Path, options: dict[str, str], **play: Any) -> CompletedProcess[str]:
    variables = {"install_config_content": site(), "install_config_openshift_version": "4.20", **options}
    variables["install_config_path"] = f"{folder}/{{{{ inventory_hostname }}}}"
    role = "capability.openshift.install_config"
    (folder / "play.yml").write_text(json.dumps([{"gather_facts": False, "vars": variables, "roles": [role], **play}]))
    return ansible_playbook(folder, "-i", "berlin,paris", "-c", "local", "play.yml")


def test_the_role_says_what_would_be_written_with_the_keyword_check_mode(tmp_path):
    done = run_role(tmp_path, {}, hosts="berlin", check_mode=True)
    assert (done.returncode, (tmp_path / "berlin").exists()) == (0, False), done.stdout + done.stderr
    assert "berlin: would be written" in done.stdout


def test_a_host_that_fails_before_the_role_is_an_invalid_cluster(tmp_path):
    """Ansible itself validates the arguments of each host."""
    topology = "{{ 'sno' if inventory_hostname == 'berlin' else 'single' }}"
    done = run_role(tmp_path, {"install_config_topology": topology}, hosts="all")
    assert (done.returncode, (tmp_path / "berlin").exists()) == (2, False), done.stdout + done.stderr
    hint = "To write the valid ones, set install_config_write_valid."
    assert f"1 of 2 clusters is valid. Nothing was written. {hint}" in done.stdout


def test_a_role_whose_tasks_for_all_clusters_are_skipped_fails(tmp_path):
    roles = [{"role": "capability.openshift.install_config", "when": "inventory_hostname == 'paris'"}]
    done = run_role(tmp_path, {}, hosts="all", roles=roles)
    assert (done.returncode, (tmp_path / "paris").exists()) == (2, False), done.stdout + done.stderr
    assert "The condition of the role is false for the first host" in done.stdout


# One test, because each task takes a second.
def test_everything_except_secrets_is_printed(tmp_path):
    output = play(tmp_path)
    assert {task: leaks(part(output, task)) for task in TASKS} == {task: [] for task in TASKS}
    assert leaks(output) == []

    failing = [task for task in TASKS if task.startswith("fail")]
    assert re.search(rf"localhost\s+: ok={len(TASKS)}\s+changed=4 .*ignored={len(failing)}", output)
    for task in TASKS:
        assert ("fatal: [localhost]" in part(output, task)) is (task in failing)
        assert '"invocation"' in part(output, task)
    assert "+  - Console" in part(output, "edit")
    assert "******** (changed)" in part(output, "replace")
    for location in ("broken.yaml, line", "content, line"):
        assert re.search(f"{location} [0-9]+, column [0-9]+: is not YAML", part(output, "fail at texts"))
    assert "apiVersion: is " in part(output, "fail")
    assert "ipi, upi, agent, assisted, hosted" in part(output, "fail at an option")

    # Other values are readable.
    written = part(output, "write")
    for line in ("+apiVersion: v1", "+compute: ********", "+platform: ********", "+pullSecret: ********"):
        assert line in written
    for text in ('"baselineCapabilitySet": "None"', '"platform": "none"', "Ingress is listed more"):
        assert text in written
    assert "'console' is not a capability of 4.20. Write Console" in part(output, "fail")
