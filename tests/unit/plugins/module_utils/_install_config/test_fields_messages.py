# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every problem of an install-config, with its code, location, message and hint."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._install_config.fields import (
    check_install_config,
    with_exact_names,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems

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
    ({"apiVersion": "v2"}, "error", "invalid-choice", "apiVersion", "is 'v2', expected v1", "Write v1"),
    ({"apiVersion": None}, "error", "missing-field", "apiVersion", "is missing, but the installer requires it",
     "Add it"),
    ({"platform": "none"}, "error", "not-a-map", "platform", "is 'none', expected a map with one key",
     "Write none: {} below it"),
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
     "is null, expected a map; the installer ignores the platform", "Write none: {} or the settings below it"),
    ({"platform": {"external": {"cloudControllerManager": "external"}}}, "error", "invalid-choice",
     "platform.external.cloudControllerManager", "is 'external', expected External, or nothing",
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
            *("is the same field as capabilities to the installer", "Keep one of them"),
        ),
        (
            *("warning", "misspelled-field", "f, Platform"),
            *("is read as platform by the installer, but not by other programs", "Write platform"),
        ),
    ]
