# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An option that a role or a playbook omits has its value from module_defaults: else another cluster could be meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

ROLES = ["capability_guard", "cluster_capabilities"]


def cluster(name: str) -> dict[str, Any]:
    return {"group/capability.openshift.cluster": {"kubeconfig": name}}


def play(role: str, **variables: Any) -> dict[str, Any]:
    """A play with the defaults of a user, whose failure does not end the run."""
    included = {"ansible.builtin.include_role": {"name": f"capability.openshift.{role}"}}
    block = {"block": [included], "rescue": [{"ansible.builtin.meta": "clear_host_errors"}], "vars": variables}
    defaults = cluster(f"of-the-play-{role}")
    return {"hosts": "localhost", "gather_facts": False, "module_defaults": defaults, "tasks": [block]}


def test_a_role_uses_the_cluster_of_module_defaults(tmp_path: Path) -> None:
    """Neither file exists, so the message names the cluster that was meant. A variable of the role wins."""
    role = ROLES[0]
    plays = [*map(play, ROLES), play(role, **{f"{role}_kubeconfig": "of-the-role"})]
    (tmp_path / "site.yml").write_text(json.dumps(plays), "utf-8")
    done = ansible_playbook(tmp_path, "site.yml")
    errors = [line for line in done.stdout.splitlines() if line.startswith("fatal: ")]
    names = [f"of-the-play-{role}" for role in ROLES] + ["of-the-role"]
    assert len(errors) == len(names), done.stdout
    assert all(name in line for line, name in zip(errors, names, strict=True))


def test_the_options_in_release_source_count_for_the_mirror(tmp_path: Path) -> None:
    source = {"ca_path": "of-the-source.crt"}
    given = {"release": f"registry.example/release@sha256:{'0' * 64}", "release_source": source}
    done = ansible_playbook(tmp_path, "capability.openshift.mirror_check", "-e", json.dumps(given))
    assert done.returncode == 2
    assert "of-the-source.crt" in done.stdout
