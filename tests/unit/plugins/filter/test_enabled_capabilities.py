# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible.parsing.dataloader import DataLoader

from ansible_collections.capability.openshift.plugins.filter.enabled_capabilities import enabled_capabilities


def loaded(text: str) -> Any:
    """Return what Ansible makes of YAML: tagged or wrapped strings, by its version."""
    return DataLoader().load(text)


@pytest.mark.parametrize(
    ("selection", "version", "options", "expected"),
    [
        # openshift/api: v4.11 got MachineAPI at 4.14
        ("{baselineCapabilitySet: v4.11}", "4.13", {}, ["baremetal", "marketplace", "openshift-samples"]),
        ("{baselineCapabilitySet: v4.11}", "4.14", {}, ["MachineAPI", "baremetal", "marketplace", "openshift-samples"]),
        ("{baseline_capability_set: None}", "4.15.9", {}, []),
        ("{baseline_capability_set: None}", "4.16.0-rc.1", {}, ["Ingress"]),
        ("{baseline_capability_set: None}", "4.16", {"cluster_profile": "hypershift"}, []),
        ("{baseline_capability_set: None}", "4.16", {"always_enabled_capabilities": []}, []),
        (
            "{baselineCapabilitySet: None, additionalEnabledCapabilities: [Console, Build]}",
            "4.20",
            {},
            ["Build", "Console", "Ingress"],
        ),
        (
            "{baselineCapabilitySet: v4.11, excludedCapabilities: [baremetal, MachineAPI]}",
            "4.14",
            {},
            ["marketplace", "openshift-samples"],
        ),
        ("{inclusionDefault: Exclude, include: [Console]}", "4.15", {}, ["Console"]),
        ("{baseline_capability_set: None}", "4.20", {"cluster_profile": "ibm-cloud-managed"}, []),
    ],
)
def test_enabled_names_are_sorted(selection, version, options, expected):
    result = enabled_capabilities(loaded(selection), loaded(f"'{version}'"), **options)

    assert result == expected
    assert {type(name) for name in result} <= {str}


@pytest.mark.parametrize("selection", [None, "{baselineCapabilitySet: vCurrent}"])
@pytest.mark.parametrize(("version", "missing"), [("4.17", set()), ("4.19", set()), ("4.20", {"baremetal"})])
def test_the_default_of_a_hosted_cluster_is_that_of_hypershift(selection, version, missing):
    everything = set(enabled_capabilities(None, version))
    names = loaded(selection) if selection else None

    hosted = enabled_capabilities(names, version, cluster_profile="ibm-cloud-managed")
    bare = enabled_capabilities(names, version, cluster_profile="ibm-cloud-managed", hosted_control_plane=False)

    assert everything - set(hosted) == missing
    assert set(bare) == everything


@pytest.mark.parametrize("selection", [None, "{}", "{baselineCapabilitySet: vCurrent}"])
def test_no_selection_is_the_cluster_default(selection):
    everything = enabled_capabilities(None, "4.11")

    assert everything == ["baremetal", "marketplace", "openshift-samples"]
    assert enabled_capabilities(selection and loaded(selection), "4.11") == everything


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, False),
        ({"feature_set": "TechPreviewNoUpgrade"}, True),
        ({"feature_gates": ["ClusterAPIMachineManagement"]}, True),
        ({"feature_set": "TechPreviewNoUpgrade", "feature_gates": []}, False),
    ],
)
def test_capabilities_behind_gates(options, expected):
    assert ("ClusterAPI" in enabled_capabilities(None, "4.23", **options)) is expected


@pytest.mark.parametrize("version", [4.2, 5])
def test_the_hint_for_a_version_that_is_a_number_is_to_quote_it(version):
    with pytest.raises(AnsibleFilterError, match="Quote it"):
        enabled_capabilities(None, version)


@pytest.mark.parametrize(
    ("selection", "version", "options", "part"),
    [
        ("None", "4.20", {}, "expected a dict"),
        (["Console"], "4.20", {}, "expected a dict"),
        ({"baselineCapabilitySet": "none"}, "4.20", {}, "Write None"),
        ({"excluded_capabilities": ["console"]}, "4.20", {}, "Write Console"),
        (None, "4.2", {}, '"4.20"'),
        (None, "9.9", {}, "9.9 is not known to this collection"),
        (None, None, {}, "version"),
        (None, "", {}, "4.20.3"),
        (None, "4.20", {"feature_set": "Tech"}, "feature_set"),
        (None, "4.20", {"feature_set": 7}, "feature_set: is 7, expected a string"),
        (None, "4.20", {"hosted_control_plane": "no"}, "hosted_control_plane: is 'no', expected true or false"),
        (None, "4.20", {"cluster_profil": "hypershift"}, "cluster_profil: is not an option here. Did you mean"),
    ],
)
def test_what_cannot_be_is_an_error_of_the_filter(selection, version, options, part):
    with pytest.raises(AnsibleFilterError) as raised:
        enabled_capabilities(selection, version, **options)

    assert part in str(raised.value)


@pytest.mark.parametrize("name", ["baseline_capability_set", "baselineCapabilitySet"])
def test_none_without_quotes_in_jinja_is_not_the_default(name):
    with pytest.raises(AnsibleFilterError, match=f"capabilities.{name}: is null.* Quote 'None'"):
        enabled_capabilities({name: None}, "4.20")


def test_all_errors_come_at_once():
    selection = {"baselineCapabilitySet": "none", "additionalEnabledCapabilities": ["console", "build"]}
    with pytest.raises(AnsibleFilterError) as raised:
        enabled_capabilities(selection, "4.20", feature_set="x")

    assert "4 problems were found" in str(raised.value)
