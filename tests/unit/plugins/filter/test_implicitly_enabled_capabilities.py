# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible.parsing.dataloader import DataLoader
from jinja2 import Undefined

from ansible_collections.capability.openshift.plugins.filter.implicitly_enabled_capabilities import (
    implicitly_enabled_capabilities,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    FEATURE_GATE,
    FEATURE_SET,
    MAJOR,
    PROFILE,
    manifest,
)

DELETE = "release.openshift.io/delete"


def loaded(*texts: str) -> list[Any]:
    """Return what Ansible makes of manifests: tagged or wrapped strings, by its version."""
    return [DataLoader().load(text) for text in texts]


def side(text: str) -> list[Any]:
    """Return manifests, each written as its name and, after a colon, its capabilities."""
    return loaded(
        *(manifest(name, capability) for name, _colon, capability in (one.partition(":") for one in text.split()))
    )


# openshift/cluster-version-operator:lib/manifest/manifest.go GetImplicitlyEnabledCapabilities
@pytest.mark.parametrize(
    ("current", "target", "enabled", "expected"),
    [
        ("", "", [], []),
        ("a", "a", [], []),
        ("a", "a:Console", [], ["Console"]),
        ("a", "a:Console", ["Console"], []),
        ("a", "a:Storage+Console", [], ["Console", "Storage"]),
        ("a b", "a:Storage b:Console", [], ["Console", "Storage"]),
        ("a b", "a:Console b:Console", [], ["Console"]),
        ("a", "a:Storage+Console", ["Console"], ["Storage"]),
        # Only names that are new on the manifest, and only where the old one was in
        ("a:baremetal", "a:baremetal+MachineAPI", ["baremetal"], ["MachineAPI"]),
        ("a:baremetal", "a:baremetal+MachineAPI", [], []),
        ("a:baremetal", "a:MachineAPI", ["baremetal"], ["MachineAPI"]),
        ("a:Console", "a", [], []),
        # The cluster does not know it yet, and it counts all the same
        ("a", "a:Brand", ["Console"], ["Brand"]),
        # Another name, another resource
        ("a", "b:Console", [], []),
        # All manifests of one resource
        ("a:Storage a", "a:Console", [], ["Console"]),
        ("a", "a:Console a:Storage", [], ["Console", "Storage"]),
    ],
)
def test_names_that_an_update_enables(current, target, enabled, expected):
    result = implicitly_enabled_capabilities(side(current), side(target), DataLoader().load(str(enabled)))

    assert result == expected
    assert {type(name) for name in result} <= {str}


BEFORE, AFTER = manifest("a"), manifest("a", "Console")
HOSTED = {"cluster_profile": "ibm-cloud-managed"}
HOSTED_BEFORE, HOSTED_AFTER = (manifest("a", needs, profile="ibm-cloud-managed") for needs in ("", "Console"))
# Only these may name a major version
CRD: dict[str, Any] = {"kind": "CustomResourceDefinition", "api": "apiextensions.k8s.io/v1"}
BEFORE_CRD = manifest("a", **CRD)
AFTER_CRD = manifest("a", "Console", annotations={MAJOR: "5"}, **CRD)


@pytest.mark.parametrize(
    ("current", "target", "options", "counts"),
    [
        (BEFORE, AFTER, {}, True),
        (BEFORE, manifest("a", "Console", annotations={DELETE: "true"}), {}, True),
        (manifest("a", profile="hypershift"), AFTER, {}, False),
        (BEFORE, manifest("a", "Console", profile="hypershift"), {}, False),
        (BEFORE, AFTER, {"cluster_profile": "hypershift"}, False),
        (BEFORE, AFTER, {"cluster_profile": PROFILE}, True),
        (HOSTED_BEFORE, HOSTED_AFTER, HOSTED, False),
        (HOSTED_BEFORE, HOSTED_AFTER, {**HOSTED, "hosted_control_plane": False}, True),
        (BEFORE, manifest("a", "Console", annotations={FEATURE_SET: "OKD"}), {}, False),
        (BEFORE, manifest("a", "Console", annotations={FEATURE_SET: "OKD"}), {"feature_set": "OKD"}, True),
        (BEFORE, manifest("a", "Console", annotations={FEATURE_SET: "Default"}), {"feature_set": "Default"}, True),
        (BEFORE, manifest("a", "Console", annotations={FEATURE_GATE: "Beta"}), {}, True),
        (BEFORE, manifest("a", "Console", annotations={FEATURE_GATE: "Beta"}), {"feature_gates": []}, False),
        (BEFORE, manifest("a", "Console", annotations={FEATURE_GATE: "Beta"}), {"feature_gates": ["Beta"]}, True),
        (BEFORE_CRD, AFTER_CRD, {"openshift_version": "4.22"}, False),
        (BEFORE_CRD, AFTER_CRD, {"openshift_version": "4.21"}, True),
        (BEFORE_CRD, AFTER_CRD, {"openshift_version": "5.0.1"}, True),
        (BEFORE_CRD, AFTER_CRD, {}, True),
        (
            BEFORE,
            manifest("a", "Console", annotations={"exclude.release.openshift.io/here": "true"}),
            {"exclude_identifier": "here"},
            False,
        ),
        (BEFORE, manifest("a", "Console", api="v2"), {}, True),
        (BEFORE, manifest("a", "Console", namespace="b"), {}, False),
        (BEFORE, manifest("a", "Console", kind="Secret"), {}, False),
    ],
)
def test_only_manifests_that_pass_the_other_filters_count(current, target, options, counts):
    result = implicitly_enabled_capabilities(loaded(current), loaded(target), [], **options)

    assert result == (["Console"] if counts else [])


def test_empty_documents_and_generators_are_taken():
    assert implicitly_enabled_capabilities(iter([None, *side("a")]), iter([*side("a:Console"), None]), []) == [
        "Console"
    ]


@pytest.mark.parametrize(
    ("current", "target", "enabled", "options", "parts"),
    [
        ("text", [], [], {}, ["current: is 'text', expected a list of manifests. Pass a list"]),
        ([], {"kind": "A"}, [], {}, ["target: is a map, expected a list of manifests"]),
        ([], None, [], {}, ["target: is None, expected a list of manifests"]),
        ([], [], None, {}, ["enabled: is None, expected a list. Write [...]"]),
        ([], [], "Console", {}, ["enabled: is 'Console', expected a list. Write [...]"]),
        ([], [], ["Console", 7], {}, ["enabled[1]: is 7, expected a string. Quote it"]),
        ([], [{}, 7], [], {}, ["target, document 1, kind", "target, document 2: the document is a number"]),
        ([], [], [], {"openshift_version": 4.2}, ["openshift_version: 4.2 is a number", "Quote it"]),
        ([], [], [], {"openshift_version": "x"}, ["Write it as 4.20 or 4.20.3"]),
        ([], [], [], {"feature_set": "okd"}, ["feature_set: 'okd' is not"]),
        ([], [], [], {"feature_gates": ["A=x"]}, ["feature_gates[0]: is 'A=x', expected NAME or NAME=bool"]),
        ([], [], [], {"feature_sets": "OKD"}, ["feature_sets: is not an option here. Did you mean feature_set?"]),
        ([], [], [], {"overrides": []}, ["overrides: is not an option here. Use one of: cluster_profile, "]),
        (Undefined(name="x"), [], [], {}, ["current: is undefined. Define the variable"]),
        ([], [], [], {"feature_set": Undefined(name="x")}, ["feature_set: is undefined. Define the variable"]),
        (
            "x",
            7,
            "y",
            {"openshift_version": "z"},
            ["4 problems were found:", "- current: ", "- target: ", "- enabled: ", "- openshift_version: "],
        ),
    ],
)
def test_what_cannot_be_is_an_error_of_the_filter(current, target, enabled, options, parts):
    with pytest.raises(AnsibleFilterError) as raised:
        implicitly_enabled_capabilities(current, target, enabled, **options)

    for part in parts:
        assert part in str(raised.value)


def problems_of(*sides: Any, **options: Any) -> int:
    """Return the number of reported problems."""
    with pytest.raises(AnsibleFilterError) as raised:
        implicitly_enabled_capabilities(*sides, **options)
    return max(1, str(raised.value).count("\n- "))


def test_a_version_that_is_a_number_is_reported_once():
    assert problems_of([], [], [], openshift_version=4.2) == 1


@pytest.mark.parametrize("option", ["enabled_capabilities", "known_capabilities"])
def test_an_option_that_means_nothing_is_refused(option):
    with pytest.raises(AnsibleFilterError, match="is not an option here"):
        implicitly_enabled_capabilities([], [], [], **{option: ["Console"]})
