# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._data import feature_sets, platforms
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor

READING: dict[str, Any] = json.loads((Path(__file__).parents[3] / "data" / "capabilities.json").read_text("utf-8"))
MINORS: dict[str, dict[str, Any]] = READING["minors"]
NEWEST = list(MINORS)[-1]


def minor(text: str) -> Minor:
    return Minor(*map(int, text.split(".")))


def test_the_data_has_exactly_the_minors_of_the_second_reading():
    assert [str(item) for item in sorted(capability_data.BRANCHES)] == list(MINORS)
    assert str(capability_data.newest_minor()) == NEWEST


@pytest.mark.parametrize("text", MINORS)
def test_known_names_and_sets_are_those_of_the_api(text):
    data = capability_data.data_of(minor(text))

    assert data is not None
    assert sorted(data.capabilities) == MINORS[text]["known"]
    assert {name: sorted(content) for name, content in data.sets.items()} == MINORS[text]["sets"]


@pytest.mark.parametrize("text", MINORS)
def test_every_minor_names_the_commit_it_was_read_from(text):
    assert capability_data.BRANCHES[minor(text)] == MINORS[text]["commit"]


@pytest.mark.parametrize("text", MINORS)
def test_capabilities_behind_gates_are_those_of_the_api(text):
    data = capability_data.data_of(minor(text))

    assert data is not None
    gated = {
        name: list(capability_data.gates_of_capability(name))
        for name in data.capabilities
        if capability_data.gates_of_capability(name)
    }
    assert gated == MINORS[text]["gated"]


@pytest.mark.parametrize(
    ("gates", "gated"),
    [
        (set(), {"ClusterAPI", "CompatibilityRequirements"}),
        ({"Other"}, {"ClusterAPI", "CompatibilityRequirements"}),
        ({"CRDCompatibilityRequirementOperator"}, {"ClusterAPI"}),
        ({"ClusterAPIMachineManagement"}, set()),
    ],
)
def test_a_capability_is_gated_if_all_its_gates_are_disabled(gates, gated):
    assert capability_data.gated_capabilities(frozenset(gates)) == gated


def test_feature_sets_enable_the_gates_that_the_api_says():
    expected: dict[str, set[str]] = {}
    for gate, names in READING["feature_sets_that_enable"].items():
        for name in names:
            expected.setdefault(name, set()).add(gate)

    assert expected == feature_sets.GATES_OF_FEATURE_SETS


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3.11", False), ("4.10", False), ("4.11", True), ("4.23", True), ("5.0", True), ("9.9", True)],
)
def test_capabilities_began_with_4_11(text, expected):
    assert capability_data.has_capabilities(minor(text)) is expected


def test_an_unknown_minor_has_no_data():
    assert capability_data.data_of(Minor(4, 10)) is None
    assert capability_data.data_of(Minor(6, 0)) is None


def test_data_from_names_has_the_older_sets_of_the_newest_minor_and_vcurrent_of_the_names():
    data = capability_data.data_from_names(Minor(9, 9), ["Console", "baremetal", "Brand"])

    assert data.capabilities == {"Console", "baremetal", "Brand"}
    assert data.sets["vCurrent"] == {"Console", "baremetal", "Brand"}
    assert data.sets["None"] == set()
    assert data.sets["v4.11"] == {"baremetal"}
    assert data.sets["v4.18"] == {"Console", "baremetal"}
    assert set(data.sets) == set(MINORS[NEWEST]["sets"])


# openshift/cluster-version-operator#946: --always-enable-capabilities=Ingress from 4.16 on, not for hosted clusters
@pytest.mark.parametrize(
    ("version", "profile", "expected"),
    [
        (Minor(4, 15), "self-managed-high-availability", ()),
        (Minor(4, 16), "self-managed-high-availability", ("Ingress",)),
        (Minor(5, 0), "single-node-developer", ("Ingress",)),
        (Minor(4, 20), "ibm-cloud-managed", ()),
        (Minor(4, 20), "hypershift", ()),
        (None, "self-managed-high-availability", ()),
    ],
)
def test_ingress_is_always_enabled_from_4_16_except_on_hosted_clusters(version, profile, expected):
    assert capability_data.always_enabled_by_default(version, profile) == expected


@pytest.mark.parametrize(
    ("version", "name", "expected"),
    [
        (Minor(4, 15), "LatencySensitive", True),
        (Minor(4, 16), "LatencySensitive", False),
        (Minor(4, 20), "TechPreviewNoUpgrade", True),
        (Minor(4, 22), "OKD", True),
        (None, "LatencySensitive", True),
    ],
)
def test_feature_sets_come_and_go_with_minors(version, name, expected):
    assert (name in feature_sets.feature_set_names(version)) is expected


def test_every_capability_has_a_first_minor_that_the_api_confirms():
    for capability in capability_data.CAPABILITIES:
        first = next(text for text, data in MINORS.items() if capability.name in data["known"])
        assert str(capability.since) == first
    assert {capability.name for capability in capability_data.CAPABILITIES} == set(MINORS[NEWEST]["known"])
    assert capability_data.gates_of_capability("Unknown") == ()


# openshift/cluster-version-operator#981: DeploymentConfig in 4.14 is the one case that no manifest shows
@pytest.mark.parametrize(
    ("hop", "expected"),
    [
        (("4.13", "4.14"), ["DeploymentConfig"]),
        (("4.12", "4.13"), []),
        (("4.14", "4.15"), []),
        (("4.12", "4.14"), []),
        (("4.13", "4.13"), []),
        (("4.14", "4.13"), []),
        (("4.15", "4.16"), []),
    ],
)
def test_what_an_update_enables_although_no_manifest_requires_it(hop, expected):
    assert [item.capability for item in capability_data.forced_capabilities(*map(minor, hop))] == expected


def test_what_is_forced_is_known_to_the_new_minor_and_not_to_the_old_one():
    for item in capability_data.FORCED_CAPABILITIES:
        old, new = capability_data.data_of(item.from_minor), capability_data.data_of(item.to_minor)
        assert old is not None
        assert new is not None
        assert item.capability in new.capabilities - old.capabilities


# openshift/api:config/v1/types_feature.go: "Turning this feature set on IS NOT SUPPORTED, CANNOT BE UNDONE, and
# PREVENTS UPGRADES" stands beside these three
@pytest.mark.parametrize(
    ("name", "blocks"),
    [
        ("", False),
        ("Default", False),
        ("TechPreviewNoUpgrade", True),
        ("CustomNoUpgrade", True),
        ("DevPreviewNoUpgrade", True),
        ("OKD", False),
        ("LatencySensitive", False),
    ],
)
def test_feature_sets_that_block_updates_can_never_be_left(name, blocks):
    found = feature_sets.feature_set(name)

    assert found is not None
    assert found.blocks_updates is blocks
    assert found.name == (name or "Default")


@pytest.mark.parametrize("name", ["techpreviewnoupgrade", "TechPreview", " ", "None"])
def test_a_feature_set_that_does_not_exist_is_not_found(name):
    assert feature_sets.feature_set(name) is None


# openshift/cluster-version-operator#1314, first in release-4.22: pkg/payload/precondition/clusterversion/upgradeable.go
def test_overrides_admit_patch_updates_from_4_22_on():
    assert capability_data.OVERRIDES_ADMIT_PATCHES.since == Minor(4, 22)
    assert "openshift/cluster-version-operator#1314" in capability_data.OVERRIDES_ADMIT_PATCHES.source
    assert capability_data.OVERRIDES_ADMIT_PATCHES.since in capability_data.BRANCHES


# openshift/oc:pkg/cli/admin/release/extract_tools.go credRequestCloudProviderSpecKindMapping
@pytest.mark.parametrize(
    ("platform", "kind"),
    [
        ("alibabacloud", "AlibabaCloudProviderSpec"),
        ("aws", "AWSProviderSpec"),
        ("azure", "AzureProviderSpec"),
        ("gcp", "GCPProviderSpec"),
        ("ibmcloud", "IBMCloudProviderSpec"),
        ("nutanix", "NutanixProviderSpec"),
        ("openstack", "OpenStackProviderSpec"),
        ("ovirt", "OvirtProviderSpec"),
        ("powervc", "OpenStackProviderSpec"),
        ("powervs", "IBMCloudPowerVSProviderSpec"),
        ("vsphere", "VSphereProviderSpec"),
        ("baremetal", None),
        ("none", None),
    ],
)
def test_the_provider_of_a_platform(platform, kind):
    assert platforms.PLATFORM_DATA[platform].credentials == kind


def test_platforms_are_written_once_and_in_lower_case():
    names = list(platforms.PLATFORM_DATA)

    assert sorted(set(names)) == names
    assert [name.lower() for name in names] == names
    assert set(platforms.PLATFORMS) < set(names)


# openshift/installer:pkg/asset/agent/common.go SupportedInstallerPlatforms, of the branches
@pytest.mark.parametrize(
    ("minor", "names"),
    [
        (Minor(4, 13), ["baremetal", "none", "vsphere"]),
        (Minor(4, 14), ["baremetal", "external", "none", "vsphere"]),
        (Minor(4, 18), ["baremetal", "external", "none", "vsphere"]),
        (Minor(4, 19), ["baremetal", "external", "none", "nutanix", "vsphere"]),
    ],
)
def test_the_platforms_of_the_agent_based_installer(minor, names):
    assert list(platforms.agent_platforms(minor)) == names


_ALWAYS = {"aws", "azure", "baremetal", "gcp", "ibmcloud", "none", "nutanix", "openstack", "powervs", "vsphere"}


# openshift/installer:pkg/types/installconfig.go PlatformNames, of the branches
@pytest.mark.parametrize(
    ("minor", "more"),
    [
        (Minor(4, 12), {"alibabacloud", "ovirt"}),
        (Minor(4, 15), {"alibabacloud", "external"}),
        (Minor(4, 17), {"external"}),
        (Minor(5, 1), {"external", "powervc"}),
    ],
)
def test_the_platforms_of_an_installer(minor, more):
    assert set(platforms.installer_platforms(minor)) == _ALWAYS | more


@pytest.mark.parametrize(
    "fact",
    [
        *capability_data.CAPABILITIES,
        *capability_data.SET_AMENDMENTS,
        *capability_data.FORCED_CAPABILITIES,
        *feature_sets.FEATURE_SETS,
        capability_data.ALWAYS_ENABLED,
        capability_data.OVERRIDES_ADMIT_PATCHES,
    ],
    ids=lambda fact: type(fact).__name__,
)
def test_each_fact_names_a_repository_as_its_source(fact):
    assert re.search(r"\bopenshift/[a-z-]+(?:[: #]| release-)", fact.source)


def test_the_source_of_a_gated_capability_has_its_gates():
    assert all("featureGatedCapabilities" in item.source for item in capability_data.CAPABILITIES if item.gates)
