# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The EXAMPLES of plugins run as they are documented, with files for which conditions are true, and false.

Those that need a cluster are in ``tests/cluster/test_examples.py``, those that need a registry in
``tests/registry/test_examples.py``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import reported
from ansible_collections.capability.openshift.tests.unit.builders.example_files import write_all
from ansible_collections.capability.openshift.tests.unit.builders.examples import (
    Outcomes,
    Plugin,
    play_of,
    plugins,
    run,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files

OF_CLUSTERS = {
    *("capability_guard", "cluster_capabilities", "cluster_capabilities_info"),
    *("cluster_update", "release_apply", "release_verify"),
}
OF_REGISTRIES = {"mirror_check"}
LEFT_OUT = {
    # They need a cluster.
    "Find out which clients use the APIs of two capabilities",
    "Fail if a client that does not belong to OpenShift needs them",
    "Read the ClusterVersion and the relevant resources from the cluster",
    # It needs a registry.
    "Check a release in a registry, and the update to it",
}


VARIABLES: dict[str, Any] = {
    "pull_secret": '{"auths":{"registry.example":{"auth":"dXNlcjpwYXNz"}}}',
    "ssh_public_key": "ssh-ed25519 AAAA user@example.com",
    "purpose": "ran_du",
    "common_install_config": {"apiVersion": "v1", "baseDomain": "example.com", "platform": {"none": {}}},
    "openshift_version": "4.20",
    "cluster_version": reported("4.20.3"),
}
OFFLINE = {plugin.name: plugin for plugin in plugins() if plugin.name not in OF_CLUSTERS | OF_REGISTRIES}
OFFLINE["_summary_lines"].tasks.insert(0, OFFLINE["update_plan"].tasks[0])
CONDITIONS_IN_LOOPS = {
    "Show which permissions the update needs in AWS",
    "Show the excluded manifests of Console, with the reasons",
}
"""Examples whose condition is true for an item, and false for another one."""
OTHER_CONDITIONS = {
    "Fail if the bundle needs more than the console",
    "Check one manifest",
    "Check whether the registry is optional in a version",
    "Stop before the installation starts",
}
CONDITIONS_OF_CLUSTERS = {
    "Fail if a client that does not belong to OpenShift needs them",
    "Fail if there is any finding",
}
FALSE_CONDITIONS = {"Stop before the installation starts"}
"""Examples that show what is wrong."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that all examples read."""
    folder = tmp_path_factory.mktemp("examples")
    write_all(folder)
    return folder


@pytest.fixture
def outcomes(files: Path, tmp_path: Path) -> Callable[..., list[Outcomes]]:
    """Run the examples of plugins, each with its variables, in one process of Ansible."""

    def outcomes(
        *cases: tuple[Plugin, dict[str, Any]], changed: Mapping[str, str] = MappingProxyType({})
    ) -> list[Outcomes]:
        folder = Path(shutil.copytree(files, tmp_path / f"files-{len(list(tmp_path.iterdir()))}"))
        write_files(folder, changed)
        plays = [play_of(plugin, folder, {**VARIABLES, **variables}, LEFT_OUT) for plugin, variables in cases]
        found, printed = run(folder, *plays, settings={"CI_PROJECT_DIR": f"{folder}/srv/sites"})
        print(printed)
        assert list(map(set, found)) == [{task["name"] for task in plugin.tasks} - LEFT_OUT for plugin, _own in cases]
        return found

    return outcomes


def test_examples(outcomes: Callable[..., list[Outcomes]]) -> None:
    found = {
        name: each
        for all_of in outcomes(*((plugin, {}) for plugin in OFFLINE.values()))
        for name, each in all_of.items()
    }
    assert {name for name, each in found.items() if "failed" in each} <= FALSE_CONDITIONS
    assert {name for name, each in found.items() if set(each) == {"ok", "skipped"}} == CONDITIONS_IN_LOOPS


def test_each_condition_is_tested_with_both_outcomes() -> None:
    """In a loop, below, or with a cluster. A new one belongs to one of these sets, and needs its test."""
    conditions = {task["name"] for plugin in plugins() for task in plugin.tasks if is_conditional(task)}
    assert conditions == CONDITIONS_IN_LOOPS | OTHER_CONDITIONS | CONDITIONS_OF_CLUSTERS


def is_conditional(task: dict[str, Any]) -> bool:
    """Whether a task has a condition."""
    options = [value for value in task.values() if isinstance(value, dict)]
    return "that" in {key for each in options for key in each} or bool(
        task.keys() & {"when", "until", "failed_when"} or task.get("changed_when")
    )


def test_what_is_left_out_exists() -> None:
    """A plugin or an example with another name is run."""
    names = {plugin.name for plugin in plugins()}
    tasks = {task["name"] for plugin in plugins() for task in plugin.tasks}
    assert names >= OF_CLUSTERS | OF_REGISTRIES
    assert tasks >= LEFT_OUT


def test_conditions_with_other_values(outcomes: Callable[..., list[Outcomes]]) -> None:
    """Each condition outside of a loop is true with some values, and false with others."""
    known, included = OFFLINE["known_capability"], OFFLINE["included"]
    (stop, *_others) = validated = OFFLINE["validate_capabilities"].tasks
    assert stop["name"] in FALSE_CONDITIONS
    corrected = {**stop["vars"]["selection"], "additional_enabled_capabilities": ["Console"]}
    tasks = [{**stop, "vars": {**stop["vars"], "selection": corrected}}, *validated[1:]]
    *versions, valid = outcomes(
        *((known, {"openshift_version": version}) for version in ("4.20", "4.11")),
        (Plugin("validate_capabilities", tasks), {}),
    )
    assert [list(*found.values()) for found in versions] == [["ok"], ["skipped"]]
    assert valid[stop["name"]] == ["ok"]
    for excluded in (manifest("console"), manifest("console", "Console+Bogus")):
        (found,) = outcomes((included, {}), changed={"console.yaml": excluded})
        assert list(found.values()) == [["failed"]]
    disk = "apiVersion: disks.example/v1\nkind: Disk\nmetadata: {name: a}\n"
    bundle = Plugin("addon_check", OFFLINE["addon_check"].tasks[:2])
    (found,) = outcomes((bundle, {}), changed={"bundle/manifests/disk.yaml": disk})
    assert list(found.values()) == [["ok"], ["failed"]]
