# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Modules on hosts whose Python is too old end with one sentence that names the Python that they need."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleError

from ansible_collections.capability.openshift.plugins.action import release_apply, release_manifests, validate_arguments
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

ARGUMENTS: dict[str, dict[str, Any]] = {"update_plan": {"releases": ["/nowhere"]}}
NEEDED = "the collection needs Python 3.11 or newer"

SITE = """
import datetime
import sys
del datetime.UTC
sys.version_info = (3, 10, 13, "final", 0)
"""
"""As Python 3.10, which has everything that update_plan imports but this."""


def outcomes(folder: Path, python: str, *names: str) -> dict[str, dict[str, Any]]:
    """Run modules with an interpreter, and return their results."""
    tasks: list[dict[str, Any]] = [
        {f"capability.openshift.{name}": ARGUMENTS.get(name, {}), "register": name, "ignore_errors": True}
        for name in names
    ]
    content = "{{ {" + ", ".join(f"'{name}': {name}" for name in names) + "} | to_json }}"
    tasks.append({"ansible.builtin.copy": {"content": content, "dest": str(folder / "results"), "mode": "0600"}})
    play = {"hosts": "localhost", "gather_facts": False, "tasks": tasks}
    (folder / "play.yml").write_text(json.dumps([play]), encoding="utf-8")
    done = ansible_playbook(folder, "play.yml", "-e", json.dumps({"ansible_python_interpreter": python}))
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, dict[str, Any]] = json.loads((folder / "results").read_text(encoding="utf-8"))
    return found


def interpreter(folder: Path, python: str, site: str = "") -> str:
    """Write a program that runs an interpreter with ``site`` and without the packages of the tests."""
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(site, encoding="utf-8")
    program = folder / "python"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{folder / "site"}" exec "{python}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return str(program)


def test_an_older_python_of_the_host_is_named(tmp_path: Path) -> None:
    python = interpreter(tmp_path, sys.executable, SITE)
    result = outcomes(tmp_path, python, "update_plan")["update_plan"]
    assert result["msg"].endswith(f" is Python 3.10, and {NEEDED}. Set ansible_python_interpreter to a newer one")
    assert [(item["code"], item["message"] in result["msg"]) for item in result["problems"]] == [("old-python", True)]
    assert result.keys() <= {"failed", "changed", "msg", "problems", "warnings", "exception"}


@pytest.mark.parametrize("action", [release_apply, release_manifests, validate_arguments])
def test_an_older_python_of_the_controller_is_named(action: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 13, "final", 0))
    task = SimpleNamespace(action="capability.openshift.update_plan", args={}, async_val=0)
    with pytest.raises(AnsibleError, match=rf" is Python 3\.10, and {NEEDED}"):
        action.ActionModule(task, None, None, None, None, None).run(None, {})
