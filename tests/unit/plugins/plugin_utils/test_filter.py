# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

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


def test_all_options_of_a_wrong_type_are_reported_at_once():
    with pytest.raises(InvalidOptionError) as raised:
        resolve_selection(
            4.2,
            None,
            {"feature_gates": "x", "overrides": {}, "cluster_profile": 7, "known_capabilities": [1]},
            MANIFEST_OPTIONS,
            Problems(),
        )

    assert [str(problem.where) for problem in raised.value.problems] == [
        "feature_gates",
        "overrides",
        "cluster_profile",
        "known_capabilities[0]",
        "openshift_version",
    ]


def test_an_option_of_another_filter_is_reported():
    with pytest.raises(InvalidOptionError) as raised:
        resolve_selection("4.20", None, {"cluster_profil": "a"}, MANIFEST_OPTIONS, Problems())

    found = [(problem.code, str(problem.where), problem.hint) for problem in raised.value.problems]
    assert found == [("unknown-option", "cluster_profil", "Did you mean cluster_profile?")]


def test_every_value_that_is_not_a_manifest_is_reported():
    good = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "one"}}
    problems = Problems()
    read_manifests([good, "text", None, {}], "manifests", problems)

    places = [str(problem.where) for problem in problems if problem.severity == "error"]
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
