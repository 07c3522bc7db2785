# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.release_properties import (
    cluster_profiles,
    crd_names,
    names_disabled_by_gates,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import newest_minor
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    PROFILE,
    cluster_version_crd,
    feature_gate,
    manifest,
)
from ansible_collections.capability.openshift.tests.unit.builders.resolved_clusters import (
    V4_15,
    V4_16,
    V4_20,
    V4_21,
    V4_22,
    V4_23,
    V9_9,
    Files,
    errors,
    resolve,
)


def test_the_defaults_are_those_of_a_standalone_cluster():
    context, status, problems = resolve()

    assert problems == []
    assert context.cluster_profile == PROFILE
    assert (context.feature_set, context.feature_gates, context.exclude_identifier) == ("", None, "")
    assert (context.major_version, context.overrides, context.allow_unknown) == (4, (), False)
    assert context.capability_status is status
    assert status.enabled == status.known
    assert "Console" in status.enabled


@pytest.mark.parametrize(
    ("minor", "options", "enabled"),
    [
        (V4_15, {}, []),
        (V4_16, {}, ["Ingress"]),
        (newest_minor(), {}, ["Ingress"]),
        (V4_20, {"cluster_profile": "ibm-cloud-managed"}, []),
        (V4_20, {"cluster_profile": "hypershift"}, []),
        (V4_20, {"always_enabled_capabilities": []}, []),
        (V4_20, {"always_enabled_capabilities": ["Build", "Console"]}, ["Build", "Console"]),
    ],
)
def test_always_enabled_names_depend_on_minor_and_profile_and_an_empty_list_is_a_value(minor, options, enabled):
    _context, status, _problems = resolve(minor, capabilities={"baselineCapabilitySet": "None"}, **options)

    assert sorted(status.enabled) == enabled
    assert sorted(status.implicitly_enabled) == enabled


def test_an_unknown_always_enabled_capability_is_an_error():
    (problem,) = errors(always_enabled_capabilities=["ingress"])

    assert problem.where == "always_enabled_capabilities"
    assert "Write Ingress" in problem.hint


def test_excluding_an_always_enabled_name_is_a_problem_and_leaves_it_enabled():
    _context, status, problems = resolve(capabilities={"excluded_capabilities": ["Ingress", "Console"]})

    pinned, problem = problems
    assert (pinned.severity, problem.severity) == ("info", "warning")
    assert "does not request capabilities of later releases" in pinned.message
    assert "Ingress" in problem.message
    assert "Ingress" in status.enabled
    assert "Console" not in status.enabled


GATED_NAMES = {"ClusterAPI", "CompatibilityRequirements"}


@pytest.mark.parametrize(
    ("options", "gated"),
    [
        ({}, GATED_NAMES),
        ({"feature_set": "TechPreviewNoUpgrade"}, set()),
        ({"feature_set": "DevPreviewNoUpgrade"}, set()),
        ({"feature_set": "CustomNoUpgrade"}, GATED_NAMES),
        ({"feature_set": "TechPreviewNoUpgrade", "feature_gates": []}, GATED_NAMES),
        ({"feature_gates": ["CRDCompatibilityRequirementOperator"]}, {"ClusterAPI"}),
        ({"feature_gates": ["ClusterAPIMachineManagement=true"]}, set()),
    ],
)
def test_capabilities_behind_gates_exist_only_with_their_gates(options, gated):
    _context, status, _problems = resolve(V4_23, **options)

    assert GATED_NAMES - status.known == gated
    assert GATED_NAMES - status.enabled == gated


def test_the_gates_of_the_release_decide_before_those_of_the_feature_set():
    files = Files(V4_23, manifest(), feature_gate(["CRDCompatibilityRequirementOperator"]))

    assert {"ClusterAPI"} == GATED_NAMES - resolve(V4_23, files)[1].known


def test_a_gated_capability_in_a_selection_is_an_error():
    selection = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["ClusterAPI"]}

    (problem,) = errors(V4_23, capabilities=selection)
    assert "ClusterAPIMachineManagement" in problem.message
    assert "ClusterAPI" in resolve(V4_23, capabilities=selection, feature_set="TechPreviewNoUpgrade")[1].enabled


@pytest.mark.parametrize(
    ("minor", "texts", "options", "expected"),
    [
        (V4_21, [feature_gate(["One"])], {}, None),
        (V4_22, [feature_gate(["One", "Two"])], {}, {"One", "Two"}),
        (V4_22, [feature_gate([])], {}, set()),
        (V4_22, [feature_gate(["One"]), feature_gate(["Two"], "TechPreviewNoUpgrade")], {}, {"One"}),
        (
            V4_22,
            [feature_gate(["One"]), feature_gate(["Two"], "TechPreviewNoUpgrade")],
            {"feature_set": "TechPreviewNoUpgrade"},
            {"Two"},
        ),
        (V4_22, [feature_gate(["One"], profile="ibm-cloud-managed"), feature_gate(["Two"])], {}, {"Two"}),
        (V4_22, [feature_gate(["Four"], major="4"), feature_gate(["Five"], major="5,6")], {}, {"Four"}),
        (Minor(5, 0), [feature_gate(["Four"], major="4"), feature_gate(["Five"], major="5,6")], {}, {"Five"}),
        (V4_22, [feature_gate(["One"])], {"feature_gates": []}, set()),
        (V4_22, [feature_gate(["One"])], {"feature_gates": ["Two", "Three=true", "Four=false"]}, {"Two", "Three"}),
        (V4_20, [], {"feature_gates": ["Two"]}, {"Two"}),
    ],
)
def test_gates_are_those_given_or_those_of_the_release_from_4_22_on(minor, texts, options, expected):
    files = Files(minor, manifest(), *texts)
    context, _status, problems = resolve(minor, files, **options)

    assert context.feature_gates == (None if expected is None else frozenset(expected))
    assert problems == []


@pytest.mark.parametrize(
    "texts", [[], [feature_gate(["One"], "TechPreviewNoUpgrade")], [feature_gate(["One"], profile="hypershift")]]
)
def test_without_a_feature_gate_manifest_the_filter_is_disabled_and_a_problem_reports_it(texts):
    context, _status, problems = resolve(V4_22, Files(V4_22, manifest(), *texts))

    (problem,) = problems
    assert context.feature_gates is None
    assert (problem.severity, problem.where) == ("warning", "feature_gates")
    assert "Default" in problem.message
    assert PROFILE in problem.message


def test_a_selection_without_a_version_is_an_error():
    (problem,) = errors(None)

    assert problem.where == "openshift_version"


def test_names_of_an_unknown_minor_come_from_the_crd_with_a_problem():
    files = Files(V9_9, manifest(), cluster_version_crd(["Console", "Brand"]), feature_gate([]))
    _context, status, problems = resolve(V9_9, files, capabilities={}, always_enabled_capabilities=[])

    (problem,) = problems
    assert status.known == status.enabled == {"Console", "Brand"}
    assert problem.severity == "warning"
    assert "9.9" in problem.message
    assert problem.where == "1.yaml"


def test_the_crd_of_the_feature_set_is_the_one_that_counts():
    files = Files(
        V9_9,
        manifest(),
        cluster_version_crd(["Console"], "Default"),
        cluster_version_crd(["Console", "Brand"], "TechPreviewNoUpgrade"),
    )

    assert crd_names(files.release, "", PROFILE) == (frozenset({"Console"}), "1.yaml")
    tech = crd_names(files.release, "TechPreviewNoUpgrade", PROFILE)
    assert tech == (frozenset({"Console", "Brand"}), "2.yaml")
    assert crd_names(files.release, "OKD", PROFILE) == (None, "")


@pytest.mark.parametrize("minor", [V9_9, Minor(4, 10), Minor(4, 2)])
def test_an_unknown_minor_without_a_crd_is_an_error(minor):
    (problem,) = errors(minor)

    assert problem.where == "openshift_version"
    assert (f"4.11 to {newest_minor()}" if minor == V9_9 else "expected 4.11 or later") in problem.message


def test_an_always_enabled_name_must_be_one_that_the_crd_of_an_unknown_minor_has():
    files = Files(V9_9, manifest(), cluster_version_crd(["Console"]), feature_gate([]))

    _context, status, _problems = resolve(V9_9, files)
    assert status.enabled == {"Console"}  # Ingress was not requested, so its absence is not an error
    (problem, *_others) = errors(V9_9, files, always_enabled_capabilities=["Ingress"])
    assert "Ingress" in problem.message


def test_a_profile_that_no_manifest_carries_is_a_problem_that_names_those_found():
    files = Files(V4_20, manifest(), manifest("two", profile="hypershift"))
    _context, _status, problems = resolve(V4_20, files, cluster_profile="self-managed-high-availabilty")

    (problem,) = problems
    assert (problem.severity, problem.where) == ("warning", "cluster_profile")
    assert f"its profiles are hypershift, {PROFILE}" in problem.message
    assert problem.hint == f"Did you mean {PROFILE}?"
    assert cluster_profiles(files.release) == ("hypershift", PROFILE)


def test_without_gates_the_feature_set_decides_which_names_are_gated():
    assert names_disabled_by_gates(None, "") == GATED_NAMES
    assert names_disabled_by_gates(None, "TechPreviewNoUpgrade") == set()
    assert names_disabled_by_gates(frozenset(), "TechPreviewNoUpgrade") == GATED_NAMES


@pytest.mark.parametrize(
    ("minor", "files", "where", "hint"),
    [
        (Minor(4, 10), None, "openshift_version", "Use a release of 4.11 or later"),
        # What YAML reads instead of an unquoted 4.20
        (Minor(4, 2), None, "openshift_version", "Quote the version: YAML reads an unquoted 4.20 as the number 4.2"),
        # The version of a release is not a number in YAML.
        (None, Files(Minor(4, 10), manifest("one")), "here", "Use a release of 4.11 or later"),
        (None, Files(Minor(4, 2), manifest("one")), "here", "Use a release of 4.11 or later"),
    ],
)
def test_a_version_without_capabilities_is_quoted_only_if_it_may_be_a_number(minor, files, where, hint):
    (problem,) = errors(minor, files)

    assert (problem.code, problem.where) == ("unsupported-version", where)
    assert problem.hint.startswith(hint)
