# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError
from ansible.parsing.dataloader import DataLoader

from ansible_collections.capability.openshift.plugins.test.included import included
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest

CONSOLE = DataLoader().load(manifest("console", "Console", kind="Service"))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"openshift_version": "4.20"}, True),
        ({"openshift_version": "4.20", "capabilities": {"baselineCapabilitySet": "None"}}, False),
        ({"openshift_version": "4.11"}, False),
        ({"openshift_version": "4.20", "cluster_profile": "hypershift"}, False),
        ({"openshift_version": "4.20", "always_enabled_capabilities": ["Console"], "capabilities": None}, True),
        ({"enabled_capabilities": ["Console"], "known_capabilities": ["Console"]}, True),
        (
            {"openshift_version": "4.20", "overrides": [{"kind": "Service", "name": "console", "unmanaged": True}]},
            False,
        ),
        ({"openshift_version": "4.20", "overrides": None, "feature_gates": None}, True),
    ],
)
def test_whether_a_cluster_gets_a_manifest(options, expected):
    assert included(CONSOLE, **options) is expected


@pytest.mark.parametrize(
    ("value", "options", "part"),
    [
        (CONSOLE, {}, "openshift_version"),
        (CONSOLE, {"openshift_version": 4.2}, "Quote it"),
        ({}, {"openshift_version": "4.20"}, "kind: is missing"),
        (CONSOLE, {"openshift_version": "4.20", "capabilities": {"colour": "red"}}, "capabilities.colour"),
    ],
)
def test_what_cannot_be_is_an_error_of_the_test(value, options, part):
    with pytest.raises(AnsibleFilterError) as raised:
        included(value, **options)

    assert part in str(raised.value)
