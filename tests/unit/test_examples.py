# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The EXAMPLES of plugins run as they are documented, with files for which conditions are true, and false.

Those that need a cluster are in ``tests/cluster/test_examples.py``, those that need a registry in
``tests/registry/test_examples.py``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import reported
from ansible_collections.capability.openshift.tests.unit.builders.examples import (
    Outcomes,
    Plugin,
    play_of,
    plugins,
    run,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    image_references,
    manifest,
    write_files,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.builders.request_counts import cluster_version, request_count
from ansible_collections.capability.openshift.tests.unit.builders.sites import INSTALL_CONFIG, cluster_instance

API = "cloudcredential.openshift.io/v1"
LINKS = "consolelinks.console.openshift.io"
VERSIONS = ("4.13.59", "4.14.42", "4.15.37", "4.18.12", "4.19.9", "4.20.3", "4.20.4", "4.21.0", "4.23.0")
TAGS = {"must-gather": "registry.example/must-gather@sha256:1111", "console": "registry.example/console@sha256:2222"}
OF_CLUSTERS = {
    *("capability_guard", "cluster_capabilities", "cluster_capabilities_info", "cluster_version_status"),
    *("release_apply", "release_verify", "included_manifests"),
}
OF_REGISTRIES = {"mirror_check", "release_fetch"}
LEFT_OUT = {
    # They need a cluster.
    "Find out which clients use the APIs of two capabilities",
    "Fail if a client that does not belong to OpenShift needs them",
    "Read the ClusterVersion and the relevant resources from the cluster",
    # It needs a registry.
    "Check a release in a registry, and the update to it",
}


def request(name: str, *actions: str) -> str:
    """Return a CredentialsRequest for AWS."""
    statements = [{"effect": "Allow", "action": list(actions), "resource": "*"}]
    spec = {
        "providerSpec": {"apiVersion": API, "kind": "AWSProviderSpec", "statementEntries": statements},
        "secretRef": {"namespace": "openshift-x", "name": name},
    }
    return manifest(name, "CloudCredential", kind="CredentialsRequest", api=API, more=f"spec: {json.dumps(spec)}\n")


def write_releases(folder: Path) -> None:
    """Write all releases of the examples. They differ in permissions."""
    for version in VERSIONS:
        action = "s3:Put" if version == "4.20.3" else "s3:Get"
        files = {
            "0000_10_base_01.yaml": manifest("base"),
            "0000_20_console-operator_01.yaml": manifest(
                LINKS, "Console", kind="CustomResourceDefinition", api="apiextensions.k8s.io/v1"
            ),
            "0000_30_storage_01.yaml": manifest("storage", "Storage"),
            "0000_30_storage_02.yaml": manifest(
                "disks.disks.example",
                "Storage",
                kind="CustomResourceDefinition",
                api="apiextensions.k8s.io/v1",
                more=f"spec: {json.dumps(DISKS)}\n",
            ),
            "0000_40_aws_01.yaml": request("one", "s3:Get", action),
            "0000_40_aws_02.yaml": request("two", "s3:Get").replace('"two"', f'"two-{action}"'),
        }
        references = image_references(version, TAGS)
        write_release(folder / "srv" / "releases" / version, files, version, references=references)


def write_all(folder: Path) -> None:
    """Write the files that examples read."""
    write_releases(folder)
    srv = folder / "srv"
    enabled = {"capabilities": {"enabledCapabilities": ["Ingress"], "knownCapabilities": ["Console", "Ingress"]}}
    status = json.dumps(reported("4.20.3", available=["4.20.4", "4.21.0"], status=enabled))
    installed = INSTALL_CONFIG.replace("[Console]", "[Console, Ingress]")
    for site in ("berlin", "paris"):
        write_files(srv / "sites" / site, {"install-config.yaml": installed, "clusterversion.yaml": status})
    instance = cluster_instance("", image_set="img-edge-stable")
    write_files(srv / "sites" / "clusters", {"berlin.yaml": instance})
    write_files(srv / "sites" / "policies" / "edge", {"rome.yaml": instance.replace("berlin", "rome")})
    write_files(srv / "sites", {".capability-baseline.json": json.dumps({"version": 1, "findings": []})})
    write_files(srv / "lint", {})
    for name in ("extra-manifests", "source-crs"):
        write_files(srv / "sites" / name, {"map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"})
    csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: a}\n"
    write_files(folder / "bundle" / "manifests", {"csv.yaml": csv})
    write_files(
        srv / "charts", {"widgets.yaml": "---\n# Source: a/b.yaml\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"}
    )
    write_files(srv / "reviews", {})
    gathered = srv / "cases" / "0815" / "must-gather.local.1234" / "image" / "cluster-scoped-resources"
    count, version = request_count(f"{LINKS.replace('.', '.v1.', 1)}"), cluster_version("Storage")
    write_files(gathered / "apiserver.openshift.io" / "apirequestcounts", {"links.yaml": json.dumps(count)})
    write_files(gathered / "config.openshift.io" / "clusterversions", {"version.yaml": json.dumps(version)})
    operator = manifest("operator", "Backup", kind="Deployment", api="apps/v1", namespace="openshift-backup")
    write_files(folder / "manifests", {"07-operator.yaml": operator})
    for side, capability in (("old", ""), ("new", "Console")):
        write_files(folder / "manifests" / side, {"07-operator.yaml": manifest("operator", capability)})
    write_files(folder, {"console.yaml": manifest("console", "Console"), "credentials.yaml": request("one", "s3:Get")})


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
DISKS = {
    "group": "disks.example",
    "names": {"kind": "Disk", "plural": "disks"},
    "scope": "Cluster",
    "versions": [{"name": "v1", "served": True, "storage": True}],
}
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
    "Show the capabilities that could not be disabled",
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
def outcomes(files: Path, tmp_path: Path) -> Callable[..., Outcomes]:
    """Run the examples of a plugin."""

    def outcomes(plugin: Plugin, changed: Mapping[str, str] = MappingProxyType({}), **variables: Any) -> Outcomes:
        folder = Path(shutil.copytree(files, tmp_path / f"files-{len(list(tmp_path.iterdir()))}"))
        write_files(folder, changed)
        play = play_of(plugin, folder, {**VARIABLES, **variables}, LEFT_OUT)
        found, printed = run(folder, play, {"CI_PROJECT_DIR": f"{folder}/srv/sites"})
        print(printed)
        assert set(found) == {task["name"] for task in plugin.tasks} - LEFT_OUT
        return found

    return outcomes


@pytest.mark.parametrize("plugin", OFFLINE.values(), ids=OFFLINE)
def test_examples(plugin: Plugin, outcomes: Callable[..., Outcomes]) -> None:
    found = outcomes(plugin)
    assert {name for name, each in found.items() if "failed" in each} <= FALSE_CONDITIONS
    for name in CONDITIONS_IN_LOOPS & set(found):
        assert set(found[name]) == {"ok", "skipped"}


def test_each_condition_is_tested_with_both_outcomes() -> None:
    """In a loop, below, or with a cluster. A new one belongs to one of these sets, and needs its test."""
    conditions = {task["name"] for plugin in plugins() for task in plugin.tasks if is_conditional(task)}
    assert conditions == CONDITIONS_IN_LOOPS | OTHER_CONDITIONS | CONDITIONS_OF_CLUSTERS


def is_conditional(task: dict[str, Any]) -> bool:
    """Whether a task has a condition."""
    options = [value for value in task.values() if isinstance(value, dict)]
    return "that" in {key for each in options for key in each} or bool(
        task.keys() & {"when", "until", "failed_when", "changed_when"}
    )


def test_what_is_left_out_exists() -> None:
    """A plugin or an example with another name is run."""
    names = {plugin.name for plugin in plugins()}
    tasks = {task["name"] for plugin in plugins() for task in plugin.tasks}
    assert names >= OF_CLUSTERS | OF_REGISTRIES
    assert tasks >= LEFT_OUT


def test_conditions_with_other_values(outcomes: Callable[..., Outcomes]) -> None:
    """Each condition outside of a loop is true with some values, and false with others."""
    known, included = OFFLINE["known_capability"], OFFLINE["included"]
    assert [list(*outcomes(known, openshift_version=version).values()) for version in ("4.20", "4.11")] == [
        ["ok"],
        ["skipped"],
    ]
    for excluded in (manifest("console"), manifest("console", "Console+Bogus")):
        assert list(*outcomes(included, {"console.yaml": excluded}).values()) == ["failed"]
    disk = "apiVersion: disks.example/v1\nkind: Disk\nmetadata: {name: a}\n"
    bundle = Plugin("addon_check", OFFLINE["addon_check"].tasks[:2])
    found = outcomes(bundle, {"bundle/manifests/disk.yaml": disk})
    assert list(found.values()) == [["ok"], ["failed"]]
    (stop, *_others) = validated = OFFLINE["validate_capabilities"].tasks
    assert stop["name"] in FALSE_CONDITIONS
    corrected = {**stop["vars"]["selection"], "additional_enabled_capabilities": ["Console"]}
    tasks = [{**stop, "vars": {**stop["vars"], "selection": corrected}}, *validated[1:]]
    assert outcomes(Plugin("validate_capabilities", tasks))[stop["name"]] == ["ok"]
