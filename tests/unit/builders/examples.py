# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The EXAMPLES of modules and plugins as plays, and what Ansible makes of them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

PLUGINS = Path(__file__).parents[3] / "plugins"
KINDS = ("modules", "filter", "test", "lookup")
HOST = "berlin"
_CALLBACK = """
import json
import os
from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):
    CALLBACK_TYPE, CALLBACK_NAME, CALLBACK_VERSION, CALLBACK_NEEDS_ENABLED = "notification", "outcomes", 2.0, True

    def v2_playbook_on_play_start(self, play):
        self._play = str(play.name)

    def _note(self, outcome, result):
        if not result._result.get("results"):  # of a loop
            with open(os.environ["OUTCOMES"], "a") as file:
                print(json.dumps([self._play, str(result._task_fields["name"]), outcome]), file=file)

    def v2_runner_on_ok(self, result):
        self._note("ok", result)

    def v2_runner_on_skipped(self, result):
        self._note("skipped", result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._note("failed", result)

    v2_runner_item_on_ok, v2_runner_item_on_skipped = v2_runner_on_ok, v2_runner_on_skipped
    v2_runner_item_on_failed = v2_runner_on_unreachable = v2_runner_on_failed
"""

Outcomes = Mapping[str, Collection[str]]
"""What happened to each task, by its name: ``ok``, ``skipped`` or ``failed``, also of the items of a loop."""


class Plugin(NamedTuple):
    """A plugin with its examples."""

    name: str
    tasks: list[dict[str, Any]]


def plugins() -> list[Plugin]:
    """Return all plugins that have examples."""
    found = []
    for kind in KINDS:
        for path in sorted((PLUGINS / kind).glob("*.py")):
            module = import_module(f"ansible_collections.capability.openshift.plugins.{kind}.{path.stem}")
            found.append(Plugin(path.stem, yaml.safe_load(module.EXAMPLES)))
    return found


def play_of(
    plugin: Plugin, folder: Path, variables: Mapping[str, Any], left_out: Collection[str] = ()
) -> dict[str, Any]:
    """Return a play of the examples of a plugin. Their files are below ``folder``."""
    tasks = [_below(task, folder) for task in plugin.tasks if task["name"] not in left_out]
    # The next example does not depend on a condition that is false on purpose.
    tasks = [{**task, "ignore_errors": True} for task in tasks]
    return {"hosts": "all", "connection": "local", "gather_facts": False, "vars": dict(variables), "tasks": tasks}


def run(folder: Path, *plays: dict[str, Any], settings: Mapping[str, str] | None = None) -> tuple[list[Outcomes], str]:
    """Run plays in ``folder``, and return what happened to each task of each play, and what Ansible printed."""
    (folder / "callback_plugins").mkdir(exist_ok=True)
    (folder / "callback_plugins" / "outcomes.py").write_text(_CALLBACK, encoding="utf-8")
    numbered = [{"name": str(number), **play} for number, play in enumerate(plays)]
    (folder / "play.yml").write_text(json.dumps(numbered, indent=1, default=str), encoding="utf-8")
    outcomes = folder / "outcomes"
    outcomes.write_text("", encoding="utf-8")
    env = {"HOME": str(folder), "ANSIBLE_CALLBACKS_ENABLED": "outcomes", "OUTCOMES": str(outcomes), **(settings or {})}
    done = ansible_playbook(folder, "-i", f"{HOST},", "play.yml", env=env)
    found: list[dict[str, list[str]]] = [defaultdict(list) for _play in plays]
    for line in outcomes.read_text(encoding="utf-8").splitlines():
        play, task, outcome = json.loads(line)
        found[int(play)][task].append(outcome)
    return list(found), done.stdout + done.stderr


def _below(value: Any, folder: Path) -> Any:
    if isinstance(value, dict):
        return {key: _below(item, folder) for key, item in value.items()}
    if isinstance(value, list):
        return [_below(item, folder) for item in value]
    if isinstance(value, str):
        return re.sub(r"^(oc-mirror:)?(?=/(srv|var|media)/)", lambda match: f"{match[0]}{folder}", value)
    return value
