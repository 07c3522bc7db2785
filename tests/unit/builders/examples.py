# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The EXAMPLES of modules and plugins as plays, and what Ansible makes of them."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from ansible_runner import interface

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import environment

PLUGINS = Path(__file__).parents[3] / "plugins"
KINDS = ("modules", "filter", "test", "lookup")
HOST = "berlin"
OUTCOMES = {
    "runner_on_ok": "ok",
    "runner_item_on_ok": "ok",
    "runner_on_skipped": "skipped",
    "runner_item_on_skipped": "skipped",
    "runner_on_failed": "failed",
    "runner_item_on_failed": "failed",
    "runner_on_unreachable": "failed",
}

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


def run(folder: Path, play: Any, settings: Mapping[str, str] | None = None) -> tuple[Outcomes, str]:
    """Run a play in ``folder``, and return what happened to each task and what Ansible printed."""
    # One for each run: ansible-runner keeps the variables of the first one.
    private = folder / "runner" / str(len(list(folder.glob("runner/*"))))
    private.mkdir(parents=True)
    (folder / "play.yml").write_text(json.dumps([play], indent=1), encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = interface.run(
        private_data_dir=str(private),
        project_dir=str(folder),
        playbook="play.yml",
        inventory={"all": {"hosts": {HOST: None}}},
        envvars={**environment(folder), "HOME": str(folder), "PATH": path, **(settings or {})},
        quiet=True,
    )
    found: dict[str, list[str]] = defaultdict(list)
    for event in done.events:
        outcome = OUTCOMES.get(event["event"])
        if outcome and not (
            event["event"].startswith("runner_on") and event["event_data"].get("res", {}).get("results")
        ):
            found[event["event_data"]["task"]].append(outcome)
    return found, done.stdout.read()


def _below(value: Any, folder: Path) -> Any:
    if isinstance(value, dict):
        return {key: _below(item, folder) for key, item in value.items()}
    if isinstance(value, list):
        return [_below(item, folder) for item in value]
    if isinstance(value, str):
        return re.sub(r"^(oc-mirror:)?(?=/(srv|var|media)/)", lambda match: f"{match[0]}{folder}", value)
    return value
