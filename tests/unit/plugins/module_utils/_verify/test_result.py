# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import CapabilityStatus
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._verify.compare import CheckedResource, shorten
from ansible_collections.capability.openshift.plugins.module_utils._verify.difference import Difference
from ansible_collections.capability.openshift.plugins.module_utils._verify.verify import Verification, verification_dict

MANIFEST = Manifest(ResourceId("", "ConfigMap", "a", "b"), "v1", {}, "file.yaml")


def shown(*fields: Difference):
    status = CapabilityStatus(frozenset(), frozenset())
    verification = Verification(status, 1, (), (), (CheckedResource(MANIFEST, fields=fields),), ())
    (item,) = verification_dict(verification)["different"]
    return item


def test_short_values_are_shown_as_they_are():
    reported = Difference(".a", {"b": [1, True]}, None)

    assert shorten(reported) == reported
    assert shown(reported)["fields"] == [{"field": ".a", "expected": {"b": [1, True]}, "actual": None}]


def test_of_long_values_the_beginning_is_shown():
    reported = shorten(Difference(".a", "x" * 1000, ["y" * 1000]))

    assert reported.expected == f"{'x' * 200}... (1000 characters)"
    assert reported.actual == f'["{"y" * 198}... (1004 characters)'


def test_a_resource_with_many_differences_stays_short():
    item = shown(*(shorten(Difference(f".a{index}", "x" * 10_000, "y" * 10_000)) for index in range(100)))

    assert len(item["fields"]) == 20
    assert item["more_fields"] == 80
    assert len(json.dumps(item)) < 12_000
