# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible.parsing.dataloader import DataLoader

from ansible_collections.capability.openshift.plugins.filter.included_manifests import included_manifests
from ansible_collections.capability.openshift.tests.unit.builders.releases import FEATURE_GATE, manifest

NOTHING = {"baselineCapabilitySet": "None"}


def loaded(*texts: str) -> list[Any]:
    return [DataLoader().load(text) for text in texts]


MANIFESTS = loaded(
    manifest("always"),
    manifest("console", "Console"),
    manifest("gated", annotations={FEATURE_GATE: "Beta"}),
    manifest("hosted", profile="hypershift"),
    manifest("excluded", annotations={"exclude.release.openshift.io/here": "true"}),
)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"openshift_version": "4.20"}, ["always", "console", "gated", "excluded"]),
        ({"openshift_version": "4.20", "capabilities": NOTHING}, ["always", "gated", "excluded"]),
        ({"openshift_version": "4.22", "feature_gates": []}, ["always", "console", "excluded"]),
        ({"openshift_version": "4.21", "feature_gates": []}, ["always", "console", "gated", "excluded"]),
        ({"openshift_version": "4.11"}, ["always", "excluded"]),
        ({"openshift_version": "4.22", "feature_gates": ["Beta=true"]}, ["always", "console", "gated", "excluded"]),
        ({"openshift_version": "4.20", "cluster_profile": "hypershift"}, ["hosted"]),
        ({"openshift_version": "4.20", "exclude_identifier": "here"}, ["always", "console", "gated"]),
        (
            {
                "openshift_version": "4.20",
                "overrides": [{"kind": "ConfigMap", "name": "always", "namespace": "x", "unmanaged": True}],
            },
            ["console", "gated", "excluded"],
        ),
        (
            {"enabled_capabilities": ["Console"], "known_capabilities": ["Console"]},
            ["always", "console", "gated", "excluded"],
        ),
        ({"enabled_capabilities": [], "known_capabilities": ["Console"]}, ["always", "gated", "excluded"]),
    ],
)
def test_the_manifests_that_are_in_keep_their_order_and_their_values(options, names):
    result = included_manifests(MANIFESTS, **options)

    assert [item["metadata"]["name"] for item in result] == names
    assert all(any(item is given for given in MANIFESTS) for item in result)


def test_empty_documents_are_passed_over():
    assert included_manifests([None, *MANIFESTS[:1], None], openshift_version="4.20") == MANIFESTS[:1]
    assert included_manifests(iter(MANIFESTS[:1]), openshift_version="4.20") == MANIFESTS[:1]


@pytest.mark.parametrize(
    ("manifests", "options", "part"),
    [
        ("text", {"openshift_version": "4.20"}, "expected a list of manifests"),
        ({"kind": "A"}, {"openshift_version": "4.20"}, "expected a list of manifests"),
        ([{}, "x"], {"openshift_version": "4.20"}, "manifests, document 2"),
        ([], {}, "openshift_version"),
        ([], {"openshift_version": 4.2}, "Quote it"),
        ([], {"openshift_version": "4.20", "overrides": ["x"]}, "overrides[0]"),
        ([], {"enabled_capabilities": []}, "known_capabilities"),
    ],
)
def test_what_cannot_be_is_an_error_of_the_filter(manifests, options, part):
    with pytest.raises(AnsibleFilterError) as raised:
        included_manifests(manifests, **options)

    assert part in str(raised.value)
