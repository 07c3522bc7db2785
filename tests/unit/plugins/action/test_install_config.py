# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The private parts of Ansible with which the action reads the variables of other hosts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.playbook import Playbook
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible.vars.hostvars import HostVars
from ansible.vars.manager import VariableManager

from ansible_collections.capability.openshift.plugins.action.install_config import ActionModule, _fault

PLAY = """\
- hosts: all
  gather_facts: false
  vars:
    of_play: "{{ inventory_hostname }}-play"
    entry: {name: "{{ inventory_hostname }}", path: "{{ of_play }}-{{ of_role }}", content: null}
  roles: [demo]
"""
TASK = "- meta: noop\n"  # needs no plugin


@pytest.fixture
def playbook(tmp_path: Path) -> Path:
    """A playbook with a role whose defaults the entry of a host uses."""
    for folder, text in {"defaults": 'of_role: "{{ inventory_hostname }}-role"\n', "tasks": TASK}.items():
        path = tmp_path / "roles" / "demo" / folder / "main.yml"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    path = tmp_path / "play.yml"
    path.write_text(PLAY, encoding="utf-8")
    return path


def test_the_variables_of_a_host_are_those_of_its_play_and_of_the_role(playbook, monkeypatch):
    """Holds ``HostVars._variable_manager``, ``HostVars._inventory`` and ``Block._play`` of this ansible-core.

    No public part of Ansible has the variables of a role for another host. The matrix runs this test with each
    supported version.
    """
    loader = DataLoader()
    loader.set_basedir(str(playbook.parent))
    inventory = InventoryManager(loader, sources=["berlin,rome,"])
    manager = VariableManager(loader, inventory)
    (play,) = Playbook.load(str(playbook), manager, loader).get_plays()
    (task,) = [item for block in play.compile() for item in block.block if item.args["_raw_params"] == "noop"]
    task.args = {"hosts": ["berlin", "rome"], "host_variable": "entry"}
    variables = manager.get_vars(play=play, host=inventory.get_host("berlin"), task=task)
    variables["hostvars"] = HostVars(inventory, manager, loader)
    started: list[dict[str, Any]] = []

    def start(action, tmp, task_vars):
        started.append(action._task.args)
        return {}

    monkeypatch.setattr(NormalAction, "run", start)
    parts: tuple[Any, ...] = (task, None, None, loader, None, None)
    ActionModule(*parts).run(None, variables)

    names = [{"name": host, "path": f"{host}-play-{host}-role"} for host in ("berlin", "rome")]
    assert started == [{"clusters": names}]


@pytest.mark.parametrize(
    ("hosts", "variable", "clusters", "expected"),
    [
        (["a"], "entry", None, ""),
        ([], "entry", None, ""),
        ("a", "entry", None, "hosts: is not a list"),
        (None, "entry", None, "hosts: is not a list"),
        (["a"], "entry", [], "hosts: cannot be combined with clusters"),
        (["a"], None, None, "host_variable: is missing"),
        (["a", "b", 7], "entry", None, "hosts: b, 7 is not in the inventory"),
    ],
)
def test_what_is_wrong_with_the_options_about_hosts(hosts, variable, clusters, expected):
    found = _fault({"hosts": hosts, "host_variable": variable}, {"clusters": clusters}, {"hostvars": {"a": {}}})
    assert found.startswith(expected)
    assert bool(found) == bool(expected)
