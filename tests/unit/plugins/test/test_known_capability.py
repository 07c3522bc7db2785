# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from ansible.errors import AnsibleFilterError
from ansible.parsing.dataloader import DataLoader

from ansible_collections.capability.openshift.plugins.test.known_capability import known_capability

MINORS = json.loads((Path(__file__).parents[2] / "data" / "capabilities.json").read_text("utf-8"))["minors"]


@pytest.mark.parametrize("version", MINORS)
def test_every_name_of_every_minor(version):
    names = {name for data in MINORS.values() for name in data["known"]}
    known = set(MINORS[version]["known"]) - set(MINORS[version]["gated"])

    assert {name for name in names if known_capability(name, DataLoader().load(f"'{version}'"))} == known


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("console", {}, False),
        ("Console ", {}, False),
        ("", {}, False),
        (None, {}, False),
        (7, {}, False),
        ("ClusterAPI", {}, False),
        ("ClusterAPI", {"feature_set": "TechPreviewNoUpgrade"}, True),
        ("ClusterAPI", {"feature_gates": ["ClusterAPIMachineManagement"]}, True),
    ],
)
def test_names_are_exact_and_gates_count(name, options, expected):
    assert known_capability(name, "4.23", **options) is expected


@pytest.mark.parametrize("name", [[], {}, ["Console"]])
def test_a_name_that_is_no_string_is_an_error_of_the_test_or_unknown(name):
    with suppress(AnsibleFilterError):
        assert known_capability(name, "4.20") is False


@pytest.mark.parametrize(("version", "part"), [(4.2, "Quote it"), ("9.9", "9.9 is not known"), (None, "version")])
def test_a_version_that_cannot_be_is_an_error_of_the_test(version, part):
    with pytest.raises(AnsibleFilterError, match=part):
        known_capability("Console", version)
