# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import (
    ClusterOptions,
    check_options,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import Override
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.unit.builders.resolved_clusters import (
    V4_15,
    V4_20,
    V9_9,
    errors,
    resolve,
)


@pytest.mark.parametrize("name", ["", "Default"])
def test_default_and_the_empty_feature_set_are_the_same(name):
    assert resolve(feature_set=name)[0].feature_set == ""


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("techpreviewnoupgrade", "Write TechPreviewNoUpgrade"),
        ("TechPreview", "Did you mean TechPreviewNoUpgrade?"),
        ("default", "Use one of: CustomNoUpgrade, DevPreviewNoUpgrade, TechPreviewNoUpgrade, or remove it"),
        ("LatencySensitive", "Use one of:"),
    ],
)
def test_an_unknown_feature_set_is_an_error_with_the_nearest_name(name, hint):
    (problem,) = errors(feature_set=name)

    assert str(problem.where) == "feature_set"
    assert problem.hint.startswith(hint)


def test_latency_sensitive_is_a_feature_set_of_older_minors():
    assert resolve(V4_15, feature_set="LatencySensitive")[0].feature_set == "LatencySensitive"


@pytest.mark.parametrize("entry", ["", "=true", "One=", "One=maybe", "One=true=false"])
def test_a_gate_that_is_neither_a_name_nor_an_assignment_is_an_error(entry):
    (problem,) = errors(feature_gates=["Fine", entry])

    assert str(problem.where) == "feature_gates[1]"


@pytest.mark.parametrize("entries", [["One", "One=false"], ["One=True", "Two", "One=FALSE"], ["One=1", "One=f"]])
def test_a_gate_that_is_both_enabled_and_disabled_is_an_error(entries):
    (problem,) = errors(feature_gates=entries)

    assert (problem.code, str(problem.where)) == ("conflicting-feature-gate", f"feature_gates[{len(entries) - 1}]")
    assert "One" in problem.message


def test_a_gate_may_be_given_twice_with_the_same_value():
    assert resolve(feature_gates=["One", "One=true"])[0].feature_gates == {"One"}


def test_overrides_are_read_as_cluster_version_has_them():
    entry = {"kind": "Deployment", "group": "apps", "namespace": "one", "name": "two", "unmanaged": True}
    bare = {"kind": "ConfigMap", "name": "two", "unmanaged": False}

    assert resolve(overrides=[entry, bare])[0].overrides == (
        Override("Deployment", "apps", "one", "two", True),
        Override("ConfigMap", "", "", "two", False),
    )


@pytest.mark.parametrize(
    ("entry", "where"),
    [
        ("Deployment", "overrides[0]"),
        ({"name": "two", "unmanaged": True}, "overrides[0].kind"),
        ({"kind": "ConfigMap", "unmanaged": True}, "overrides[0].name"),
        ({"kind": "ConfigMap", "name": 7, "unmanaged": True}, "overrides[0].name"),
        ({"kind": ["ConfigMap"], "name": "two", "unmanaged": True}, "overrides[0].kind"),
        ({"kind": "ConfigMap", "name": "two", "group": {"a": 1}, "unmanaged": True}, "overrides[0].group"),
        ({"kind": "ConfigMap", "name": "two", "namespace": ["a"], "unmanaged": True}, "overrides[0].namespace"),
        ({"kind": "ConfigMap", "name": "two", "unmanaged": []}, "overrides[0].unmanaged"),
        ({"kind": "ConfigMap", "name": "two", "unmanaged": True, 7: "x"}, "overrides[0].7"),
        ({"kind": "ConfigMap", "name": "two"}, "overrides[0].unmanaged"),
        ({"kind": "ConfigMap", "name": "two", "unmanaged": "yes"}, "overrides[0].unmanaged"),
        ({"kind": "ConfigMap", "name": "two", "unmanaged": True, "names": "x"}, "overrides[0].names"),
    ],
)
def test_an_override_that_cannot_be_is_an_error(entry, where):
    assert [str(problem.where) for problem in errors(overrides=[entry])] == [where]


def test_only_well_formed_overrides_are_handed_on():
    good, bad = {"kind": "ConfigMap", "name": "two", "unmanaged": True}, {"kind": ["x"], "name": "a", "unmanaged": True}
    problems = Problems()
    criteria = check_options(ClusterOptions(overrides=["x", bad, good, {**good, "unmanaged": 1}]), V4_20, problems)

    assert criteria.filters.overrides == (Override("ConfigMap", "", "", "two", True),)
    assert hash(criteria) == hash(criteria._replace())
    assert [str(problem.where) for problem in problems] == [
        "overrides[0]",
        "overrides[1].kind",
        "overrides[3].unmanaged",
    ]
    assert problems[2].code == "not-a-boolean"


@pytest.mark.parametrize(
    ("enabled", "known", "where"),
    [(["Console"], None, "known_capabilities"), (None, ["Console"], "enabled_capabilities"), ([], None, "known")],
)
def test_half_a_capability_status_is_an_error(enabled, known, where):
    (problem,) = errors(enabled_capabilities=enabled, known_capabilities=known)

    assert str(problem.where).startswith(where)


def test_a_capability_status_is_taken_as_it_is_for_any_version_and_none():
    for minor in (V4_20, V9_9, None):
        _context, status, _problems = resolve(
            minor, enabled_capabilities=["Brand"], known_capabilities=["Brand", "New"]
        )
        assert (status.enabled, status.known) == ({"Brand"}, {"Brand", "New"})


def test_nothing_enabled_is_a_status():
    assert resolve(enabled_capabilities=[], known_capabilities=["Console"])[1].enabled == set()


def test_a_selection_beside_a_status_is_an_error():
    (problem,) = errors(capabilities={}, enabled_capabilities=[], known_capabilities=[])

    assert str(problem.where) == "capabilities"


def test_all_errors_come_at_once():
    found = errors(
        capabilities={"baselineCapabilitySet": "v9", "additionalEnabledCapabilities": ["console"]},
        feature_set="Beta",
        feature_gates=["One=maybe"],
        overrides=["x"],
        always_enabled_capabilities=["ingress"],
    )

    assert [str(problem.where) for problem in found] == [
        "feature_set",
        "feature_gates[0]",
        "overrides[0]",
        "capabilities.baselineCapabilitySet",
        "capabilities.additionalEnabledCapabilities[0]",
        "always_enabled_capabilities",
    ]


def test_only_the_profile_of_hypershift_has_a_hosted_control_plane():
    (problem,) = errors(hosted_control_plane=True)

    assert (problem.code, str(problem.where)) == ("conflicting-options", "hosted_control_plane")
    assert problem.hint.startswith("Set cluster_profile to ibm-cloud-managed")
