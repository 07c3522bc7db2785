# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError
from ansible.parsing.dataloader import DataLoader

from ansible_collections.capability.openshift.plugins.filter.manifest_capabilities import manifest_capabilities
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.plugins.plugin_utils._filter import read_manifest
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest


@pytest.mark.parametrize(
    ("annotation", "names"),
    [
        ("", []),
        ("Console", ["Console"]),
        ("Storage+CloudCredential", ["Storage", "CloudCredential"]),
        ("A + B", ["A ", " B"]),
        ("A+A", ["A", "A"]),
    ],
)
def test_the_names_stand_in_the_order_of_the_annotation(annotation, names):
    result = manifest_capabilities(DataLoader().load(manifest("one", annotation)))

    assert result == names
    assert {type(name) for name in result} <= {str}


def test_a_manifest_without_annotations_needs_nothing():
    assert manifest_capabilities({"apiVersion": "v1", "kind": "A", "metadata": {"name": "one"}}) == []


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (None, "manifest"),
        ("text", "is a string, expected a map"),
        ([], "is a list, expected a map"),
        ({}, "kind: is missing"),
        ({"apiVersion": "v1", "kind": "A"}, "metadata.name: is missing"),
        ({"apiVersion": "v1", "kind": "List", "items": []}, "is List"),
    ],
)
def test_what_is_no_manifest_is_an_error_of_the_filter(value, part):
    with pytest.raises(AnsibleFilterError) as raised:
        manifest_capabilities(value)

    assert part in str(raised.value)


def test_an_empty_value_is_no_manifest():
    with pytest.raises(InvalidOptionError) as raised:
        read_manifest(None)

    assert "missing-manifest" in {problem.code for problem in raised.value.problems}
