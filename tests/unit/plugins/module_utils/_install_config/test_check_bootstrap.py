# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects of disabled capabilities that the bootstrap of an installation creates nevertheless."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.check import (
    check_selection,
    read_installation,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    InstallOptions,
    SelectionOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.tests.unit.builders.installations import check
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_release

ALL_BUT_MACHINES = {"excluded_capabilities": ["MachineAPI", "baremetal"]}
ALL_BUT_TUNING = {"excluded_capabilities": ["NodeTuning"]}
API = "apiextensions.k8s.io/v1"


def rendered(problems):
    return [
        (item.severity, str(item.where), item.message.split()[0]) for item in problems if item.code == "rendered-anyway"
    ]


@pytest.mark.parametrize(
    ("minor", "method", "platform", "expected"),
    [
        ("4.20", "upi", "aws", [("warning", "content, capabilities", "MachineAPI")]),
        ("4.14", "upi", "vsphere", [("warning", "content, capabilities", "MachineAPI")]),
        ("4.13", "upi", "aws", []),
        ("4.20", "upi", "none", []),
        ("4.20", "ipi", "aws", []),
        ("4.20", "agent", "vsphere", []),
    ],
)
def test_manifests_of_machines(minor, method, platform, expected):
    names = ALL_BUT_MACHINES if minor != "4.13" else {"excluded_capabilities": ["baremetal"]}
    document: dict[str, Any] = {"platform": {platform: {}}}
    assert rendered(check(minor, document, capabilities=names, method=method).problems) == expected


@pytest.mark.parametrize("mode", ["AllNodes", "None", None])
def test_machine_configs_of_partitioned_nodes(mode):
    document: dict[str, Any] = {"platform": {"none": {}}, **({"cpuPartitioningMode": mode} if mode else {})}
    expected = [("info", "content, cpuPartitioningMode", "NodeTuning")] if mode == "AllNodes" else []
    assert rendered(check("4.20", document, capabilities=ALL_BUT_TUNING).problems) == expected
    assert rendered(check("4.20", document).problems) == []


@pytest.mark.parametrize(("method", "count"), [("upi", 1), ("hosted", 0)])
def test_a_manifest_of_the_release_that_the_bootstrap_renders(tmp_path, method, count):
    files = {
        "a.yaml": manifest("consoles.config.openshift.io", "Console", kind="CustomResourceDefinition", api=API),
        "b.yaml": manifest("consoles.operator.openshift.io", "Console", kind="CustomResourceDefinition", api=API),
    }
    release = load_release(str(write_release(tmp_path, files, "4.20.1")), Problems())
    options = InstallOptions(
        {"platform": {"none": {}}} if method == "upi" else {}, "content", complete=False, method=method
    )
    selection = SelectionOptions({"excluded_capabilities": ["Console"]})
    found = rendered(check_selection(read_installation(options, release), selection).problems)
    assert found == [("info", "release-manifests/a.yaml, document 1", "Console")][:count]
