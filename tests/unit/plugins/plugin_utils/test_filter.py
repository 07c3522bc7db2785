# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError
from ansible.parsing.dataloader import DataLoader
from ansible.utils.unsafe_proxy import wrap_var

from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    InvalidOptionError,
    Problem,
    Problems,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._filter import (
    MANIFEST_OPTIONS,
    filter_error,
    read_manifests,
    resolve_selection,
)

TEXT = "{a: [b, 1, 1.5, true, null, {c: 'd'}]}"
PLAIN = {"a": ["b", 1, 1.5, True, None, {"c": "d"}]}


def kinds(value):
    if isinstance(value, dict):
        return dict, {key: (type(key), kinds(item)) for key, item in value.items()}
    if isinstance(value, list):
        return list, [kinds(item) for item in value]
    return type(value)


@pytest.mark.parametrize("value", [DataLoader().load(TEXT), wrap_var(PLAIN)], ids=["of the loader", "unsafe"])
def test_values_of_ansible_become_plain_all_the_way_down(value):
    assert untag(value) == PLAIN
    assert kinds(untag(value)) == kinds(PLAIN)


def test_a_date_is_the_string_that_was_written():
    assert untag(DataLoader().load("a: 2024-05-01")) == {"a": "2024-05-01"}


def test_all_options_of_a_wrong_type_are_reported_at_once():
    with pytest.raises(InvalidOptionError) as raised:
        resolve_selection(
            4.2,
            None,
            {"feature_gates": "x", "overrides": {}, "cluster_profile": 7, "known_capabilities": [1]},
            MANIFEST_OPTIONS,
            Problems(),
        )

    assert [problem.where for problem in raised.value.problems] == [
        "feature_gates",
        "overrides",
        "cluster_profile",
        "known_capabilities[0]",
        "openshift_version",
    ]


def test_every_value_that_is_not_a_manifest_is_reported():
    good = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "one"}}
    problems = Problems()
    read_manifests([good, "text", None, {}], "manifests", problems)

    places = [problem.where for problem in problems if problem.severity == "error"]
    assert places == ["manifests, document 2", "manifests, document 4, kind", "manifests, document 4, metadata.name"]


def test_an_error_of_a_filter_is_ansible_s_own():
    error = filter_error(
        InvalidOptionError(
            [Problem("error", "one-fault", "a", "is wrong"), Problem("warning", "other-fault", "b", "is odd")]
        )
    )

    assert isinstance(error, AnsibleFilterError)
    assert "a: is wrong" in str(error)
    assert "is odd" not in str(error)
