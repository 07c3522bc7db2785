# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An option that a role or a playbook omits has its value from module_defaults: else another cluster could be meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

ROLES = ["cluster_capabilities", "release_apply"]


RELEASE = Path(__file__).parents[4] / "examples" / "releases" / "4.21.0"


def cluster(name: str) -> dict[str, Any]:
    return {"group/capability.openshift.cluster": {"kubeconfig": name}}


def play(role: str, **variables: Any) -> dict[str, Any]:
    """A play with the defaults of a user, whose failure does not end the run."""
    included = {"ansible.builtin.include_role": {"name": f"capability.openshift.{role}"}}
    variables = {"release_apply_release": str(RELEASE), **variables}
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


def test_a_playbook_passes_the_options_for_registries(tmp_path: Path) -> None:
    given = {"release": f"registry.example/release@sha256:{'0' * 64}", "ca_path": "of-the-user.crt"}
    done = ansible_playbook(tmp_path, "capability.openshift.mirror_check", "-e", json.dumps(given))
    assert done.returncode == 2
    assert "of-the-user.crt" in done.stdout
