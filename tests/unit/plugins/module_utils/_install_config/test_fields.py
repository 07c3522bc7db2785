# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields of an install-config that its selection depends on."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._install_config.fields import (
    check_install_config,
    method_of,
    platform_of,
    with_exact_names,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.unit.builders.installations import CLOUDS, PLATFORMS, after
from ansible_collections.capability.openshift.tests.unit.builders.installations import check as check_installation

SECRET = "c2VjcmV0LXRva2Vu"
PULL_SECRET = json.dumps({"auths": {"registry.example": {"auth": SECRET}}})
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample user@example"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
GOOD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "InstallConfig",
    "metadata": {"name": "edge-1"},
    "baseDomain": "example.com",
    "platform": {"none": {}},
    "pullSecret": PULL_SECRET,
}
FULL: dict[str, Any] = {
    **GOOD,
    "additionalTrustBundle": CERTIFICATE,
    "additionalTrustBundlePolicy": "Always",
    "arbiter": {"name": "arbiter", "replicas": 1},
    "compute": [{"name": "worker", "replicas": 0}],
    "controlPlane": {"name": "master", "replicas": 3},
    "cpuPartitioningMode": "AllNodes",
    "featureSet": "",
    "fips": True,
    "imageDigestSources": [{"source": "quay.example/a", "mirrors": ["mirror.example/a"]}],
    "networking": {
        "networkType": "OVNKubernetes",
        "machineNetwork": [{"cidr": "10.0.0.0/16"}],
        "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
        "serviceNetwork": ["172.30.0.0/16"],
    },
    "proxy": {"httpsProxy": "http://proxy.example:3128", "noProxy": ".example.com"},
    "publish": "External",
    "sshKey": KEY,
    "osImageStream": "rhel-9",
    "pki": {},
    "capabilities": {},
}


def check(document, source="f", *, complete=True, **options):
    problems = Problems()
    check_install_config(document, source, problems, complete=complete, **options)
    return problems


def reported(document, *, complete=True, **options):
    """Return severity and field of every problem."""
    problems = check(document, complete=complete, **options)
    assert all(problem.message and problem.hint for problem in problems)
    assert SECRET not in "".join(map(str, problems))
    return [(problem.severity, str(problem.where).removeprefix("f, ")) for problem in problems]


def with_values(**values):
    return {**copy.deepcopy(GOOD), **values}


@pytest.mark.parametrize("document", [GOOD, FULL])
@pytest.mark.parametrize("complete", [True, False])
def test_a_valid_install_config_has_no_problems(document, complete):
    assert reported(document, complete=complete) == []


@pytest.mark.parametrize("field", ["apiVersion", "platform"])
@pytest.mark.parametrize("empty", [None, "", "absent"])
def test_a_missing_required_field_is_reported_once(field, empty):
    document = with_values(**{field: empty})
    if empty == "absent":
        del document[field]

    assert reported(document) == [("error", field)]
    assert reported(document, complete=False) == []


def test_all_missing_fields_are_reported_at_once():
    assert [field for _severity, field in reported({})] == ["apiVersion", "platform"]
    assert reported({}, complete=False) == []


@pytest.mark.parametrize(
    "field", ["metadata", "baseDomain", "pullSecret", "kind", "compute", "sshKey", "networking", "proxy", "fips"]
)
def test_other_fields_are_optional(field):
    assert reported(with_values(**{field: None})) == []


STRICT = ("4.11", "4.13", *after("4.22"))
"""Minors whose installer rejects unknown fields."""


@pytest.mark.parametrize("minor", [*STRICT, "4.14", "4.21"])
@pytest.mark.parametrize("field", ["capabilites", "capabilties", "plattform"])
def test_a_misspelled_field_is_an_error_where_the_installer_rejects_it(minor, field):
    document = {**GOOD, field: {}}
    for method in ("ipi", "upi", "agent"):
        (problem,) = [
            item
            for item in check_installation(minor, document, complete=True, method=method).problems
            if item.code == "unknown-field"
        ]
        assert (problem.severity, str(problem.where)) == (
            "error" if minor in STRICT else "warning",
            f"content, {field}",
        )
    # The assisted service starts the installer with a variable with which it only warns.
    found = check_installation(minor, document, complete=True, method="assisted").problems
    assert [item.severity for item in found if item.code == "unknown-field"] == ["warning"]


@pytest.mark.parametrize("field", ["zzz", "sshkey", "Featureset", "cluster", "pki", "platformStatus"])
def test_other_unknown_fields_are_left_to_the_installer(field):
    assert reported(with_values(**{field: "x"}), minor=Minor(4, 12)) == []


@pytest.mark.parametrize("value", [["A=true"], []])
def test_a_rule_about_feature_gates_applies_only_to_installers_that_have_them(value):
    before, document = Minor(4, 13), with_values(featureGates=value)

    assert [(item.code, str(item.where)) for item in check(document, minor=before)] == [
        ("unknown-field", "f, featureGates")
    ]
    assert check(document, minor=before, complete=False) == []
    assert "unknown-field" not in [item.code for item in check(document, minor=Minor(4, 14))]


def test_keys_in_another_case_are_read_as_the_installer_does():
    problems = Problems()
    given = {"Capabilities": {"baselinecapabilityset": "None"}, "PLATFORM": {"AWS": {}}, "sshkey": "x"}
    result = with_exact_names(given, "f", problems)

    assert result == {"capabilities": {"baselineCapabilitySet": "None"}, "platform": {"aws": {}}, "sshkey": "x"}
    assert [(item.severity, item.code, str(item.where)) for item in problems] == [
        ("warning", "misspelled-field", "f, Capabilities"),
        ("warning", "misspelled-field", "f, PLATFORM"),
        ("warning", "misspelled-field", "f, capabilities.baselinecapabilityset"),
        ("warning", "misspelled-field", "f, platform.AWS"),
    ]
    assert with_exact_names(result, "f", Problems()) == result
    checked = check_installation("4.20", given)
    assert checked.installation.platform == "aws"
    assert {"inst-ingress", "inst-ccm"} <= {item.code for item in checked.problems}


def test_two_spellings_of_a_key_are_an_error():
    problems = Problems()
    right = {"baselineCapabilitySet": "None"}

    assert with_exact_names({"Capabilities": {}, "capabilities": right}, "f", problems) == {"capabilities": right}
    assert [(item.severity, item.code) for item in problems] == [("error", "duplicate-field")]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # apiVersion: v1 alone passes; two older ones are converted.
        ({"apiVersion": "v1beta3"}, [("warning", "apiVersion")]),
        ({"apiVersion": "v1beta4"}, [("warning", "apiVersion")]),
        ({"apiVersion": "v1beta2"}, [("error", "apiVersion")]),
        ({"apiVersion": "v2"}, [("error", "apiVersion")]),
        ({"apiVersion": 1}, [("error", "apiVersion")]),
        # platform: exactly one
        ({"platform": {}}, [("error", "platform")]),
        ({"platform": []}, [("error", "platform")]),
        ({"platform": "none"}, [("error", "platform")]),
        ({"platform": {"none": {}, "aws": {}}}, [("error", "platform")]),
        ({"platform": {"moon": {}}}, [("error", "platform.moon")]),
        ({"platform": {"AWS": {}}}, [("error", "platform.AWS")]),
        ({"platform": {"none": None}}, [("error", "platform.none")]),
        ({"platform": {"aws": "eu-1"}}, [("error", "platform.aws")]),
        ({"platform": {"none": {}, "moon": {}}}, [("error", "platform"), ("error", "platform.moon")]),
        # gates
        ({"featureGates": ["A=true"], "featureSet": "CustomNoUpgrade"}, []),
        ({"featureGates": ["A=1", "B=t", "C=FALSE", "D=0"], "featureSet": "CustomNoUpgrade"}, []),
        *(
            ({"featureGates": [gate], "featureSet": "CustomNoUpgrade"}, [("error", "featureGates[0]")])
            for gate in ("A", "A=", "A=tRUE", "A=yes", "A=true=true", 5)
        ),
        ({"featureGates": []}, []),
        ({"featureGates": ["A=true"]}, [("error", "featureGates")]),
        ({"featureGates": ["A=true"], "featureSet": "TechPreviewNoUpgrade"}, [("error", "featureGates")]),
        # what openshift-install checks
        ({"credentialsMode": "manual", "imageDigestSources": ["a"], "imageContentSources": {}}, []),
        ({"metadata": {"name": "Edge_1"}, "baseDomain": "https://a"}, []),
        ({"pullSecret": SECRET, "sshKey": SECRET, "proxy": {}, "additionalTrustBundle": SECRET}, []),
        ({"networking": [], "compute": {}, "controlPlane": {"replicas": 0}, "publish": "Mixed"}, []),
        ({"bootstrapInPlace": {}, "cpuPartitioningMode": "Some", "fips": "yes"}, []),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else None,
)
def test_values(values, expected):
    assert reported(with_values(**values)) == expected


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_platform_is_the_one_that_is_named(platform):
    document = with_values(platform={platform: {}})

    assert platform_of(document) == platform
    assert method_of(document) == ("ipi" if platform in ("baremetal", *CLOUDS) else "upi")


@pytest.mark.parametrize("platform", [None, {}, [], "aws", {"aws": {}, "none": {}}, {"moon": {}}])
def test_there_is_no_platform_if_none_or_several_are_named(platform):
    assert platform_of({"platform": platform}) is None
    assert method_of({"platform": platform}) == "upi"


VALID: dict[str, Any] = {
    "apiVersion": "v1",
    "metadata": {"name": "edge-1"},
    "baseDomain": "example.com",
    "platform": {"none": {}},
    "pullSecret": '{"auths": {"registry.example": {"auth": "c2VjcmV0"}}}',
}

PROBLEMS = [
    ({"apiVersion": "v1beta4"}, "warning", "deprecated-value", "apiVersion",
     "is v1beta4, which the installer converts to v1", "Write v1"),
    ({"apiVersion": "v2"}, "error", "invalid-choice", "apiVersion", "is 'v2', expected v1",
     "Write an install-config of v1"),
    ({"apiVersion": None}, "error", "missing-field", "apiVersion", "is missing, but the installer requires it",
     "Add it"),
    ({"platform": "vSphere"}, "error", "not-a-map", "platform", "is 'vSphere', expected a map with one key",
     "Write vsphere: {} below it"),
    ({"platform": []}, "error", "not-a-map", "platform", "is a list, expected a map with one key",
     "Write none: {} below it"),
    ({"platform": {}}, "error", "missing-platform", "platform", "names no platform",
     "Name one of alibabacloud, aws, azure, baremetal, external, gcp, ibmcloud, none, nutanix, openstack, ovirt, "
     "powervc, powervs, vsphere"),
    ({"platform": {"none": {}, "aws": {}}}, "error", "several-platforms", "platform", "names 2 platforms: none, aws",
     "Keep one of them"),
    ({"platform": {"AWS": {}}}, "error", "unknown-platform", "platform.AWS", "is not a platform",
     "Write aws: names are case sensitive"),
    ({"platform": {"none": None}}, "error", "not-a-map", "platform.none",
     "is null, expected a map", "Write none: {} or the settings below it"),
    ({"platform": {"external": {"cloudControllerManager": "external"}}}, "error", "invalid-choice",
     "platform.external.cloudControllerManager", "is 'external', expected External, None, or nothing",
     "Write External: names are case sensitive"),
    ({"featureSet": 7}, "error", "not-a-string", "featureSet", "is 7, expected a string", "Quote it"),
    ({"featureGates": ["A=true"]}, "error", "conflicting-fields", "featureGates",
     "requires featureSet: CustomNoUpgrade", "Set featureSet, or remove featureGates"),
    ({"featureSet": "CustomNoUpgrade", "featureGates": "A=true"}, "error", "not-a-list", "featureGates",
     "is a string, expected a list", "Write - NAME=true, one per line"),
    ({"featureSet": "CustomNoUpgrade", "featureGates": ["A"]}, "error", "invalid-feature-gate", "featureGates[0]",
     "is 'A', expected NAME=bool", "Write NAME=true or NAME=false"),
    ({"capabilites": {}}, "warning", "unknown-field", "capabilites", "is not a field of an install-config",
     "Did you mean capabilities?"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "severity", "code", "field", "message", "hint"), PROBLEMS)
def test_message_and_hint(values, severity, code, field, message, hint):
    problems = Problems()
    check_install_config({**VALID, **values}, "f", problems, complete=True)

    assert [tuple(problem.as_dict().values()) for problem in problems] == [
        (severity, code, f"f, {field}", message, hint)
    ]


@pytest.mark.parametrize("manager", ["", "External", "None", None])
def test_an_external_cloud_controller_manager_can_be_absent(manager):
    problems = Problems()
    given = {**VALID, "platform": {"external": {"platformName": "a", "cloudControllerManager": manager}}}
    check_install_config(given, "f", problems, complete=True)
    assert list(problems) == []


def test_message_of_a_field_of_later_installers():
    problems = Problems()
    given = {**VALID, "featureGates": []}
    check_install_config(given, "f", problems, complete=True, minor=Minor(4, 12))

    assert [tuple(problem.as_dict().values()) for problem in problems] == [
        ("error", "unknown-field", "f, featureGates", "is not a field of an install-config before 4.14", "Remove it"),
    ]


def test_message_of_a_key_in_another_case():
    problems = Problems()
    with_exact_names({"Capabilities": {}, "capabilities": {}, "Platform": {}}, "f", problems)

    assert [tuple(problem.as_dict().values()) for problem in problems] == [
        (
            *("error", "duplicate-field", "f, Capabilities"),
            *("is another spelling of capabilities", "Keep one of them"),
        ),
        (
            *("warning", "misspelled-field", "f, Platform"),
            *("is read as platform, but not by every program", "Write platform"),
        ),
    ]
