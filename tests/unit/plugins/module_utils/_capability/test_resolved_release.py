# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import InclusionContext
from ansible_collections.capability.openshift.plugins.module_utils._capability.release_properties import (
    cluster_profiles,
    names_disabled_by_gates,
    names_of_release,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import data_of, newest_minor
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.plugins.module_utils._release.release import (
    ImageStream,
    ImageStreamTag,
)
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
    assert (context.major_version, context.overrides) == (4, ())
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


@pytest.mark.parametrize(
    ("minor", "options", "disabled"),
    [
        (V4_20, {"solution": "headless"}, {"Console"}),
        (V4_20, {"solution": "no_image_registry"}, {"Build", "ImageRegistry"}),
        (V4_20, {"solution": "headless", "cluster_profile": "ibm-cloud-managed"}, {"Console", "baremetal"}),
    ],
)
def test_a_solution_is_the_selection_of_an_installation(minor, options, disabled):
    _context, status, problems = resolve(minor, **options)

    assert (status.known - status.enabled, problems.has_errors) == (disabled, False)


def test_the_names_that_a_solution_needs_depend_on_the_platform():
    on_aws, anywhere = (resolve(solution="minimal", platform=name) for name in ("aws", None))

    # Without a platform, no installer provisions machines, as in install_config.
    assert {"CloudControllerManager", "MachineAPI"} <= on_aws[1].enabled - anywhere[1].enabled
    older = resolve(Minor(4, 14), solution="minimal")  # only the documentation has a rule about its platforms
    assert [[item.code for item in found[2]] for found in (on_aws, anywhere, older)] == [[], *[["unchecked-rules"]] * 2]
    assert resolve(solution="headless")[2] == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"solution": "headles"}, ("unknown-solution", "solution")),
        ({"solution": "headless", "capabilities": {}}, ("conflicting-options", "solution")),
        ({"solution": "headless", "enabled_capabilities": []}, ("conflicting-options", "solution")),
    ],
)
def test_a_solution_is_known_and_the_only_selection(options, expected):
    assert (errors(**options)[0].code, str(errors(**options)[0].where)) == expected


def test_an_unknown_always_enabled_capability_is_an_error():
    (problem,) = errors(always_enabled_capabilities=["ingress"])

    assert str(problem.where) == "always_enabled_capabilities"
    assert "Write Ingress" in problem.hint


def test_excluding_an_always_enabled_name_is_a_problem_and_leaves_it_enabled():
    _context, status, problems = resolve(capabilities={"excluded_capabilities": ["Ingress", "Console"]})

    pinned, problem = problems
    assert (pinned.severity, problem.severity) == ("info", "warning")
    assert pinned.code == "pinned-selection"
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
    assert [item.code for item in problems if item.code != "unknown-feature-gate"] == []


@pytest.mark.parametrize(
    "texts", [[], [feature_gate(["One"], "TechPreviewNoUpgrade")], [feature_gate(["One"], profile="hypershift")]]
)
def test_without_a_feature_gate_manifest_the_filter_is_disabled_and_a_problem_reports_it(texts):
    context, _status, problems = resolve(V4_22, Files(V4_22, manifest(), *texts))

    (problem,) = problems
    assert context.feature_gates is None
    assert (problem.severity, problem.code, str(problem.where)) == ("warning", "missing-feature-gates", "feature_gates")
    assert "Default" in problem.message
    assert PROFILE in problem.message


def test_a_selection_without_a_version_is_an_error():
    (problem,) = errors(None)

    assert str(problem.where) == "openshift_version"


def test_names_of_an_unknown_minor_come_from_the_crd_with_a_problem():
    files = Files(V9_9, manifest(), cluster_version_crd(["Console", "Brand"]), feature_gate([]))
    _context, status, problems = resolve(V9_9, files, capabilities={}, always_enabled_capabilities=[])

    (problem,) = problems
    assert status.known == status.enabled == {"Console", "Brand"}
    assert problem.severity == "warning"
    assert "9.9" in problem.message
    assert str(problem.where) == "1.yaml"


def test_the_crd_of_the_feature_set_is_the_one_that_counts():
    files = Files(
        V9_9,
        manifest(),
        cluster_version_crd(["Console"], "Default"),
        cluster_version_crd(["Console", "Brand"], "TechPreviewNoUpgrade"),
    )

    context = InclusionContext(cluster_profile=PROFILE, feature_set="")
    assert names_of_release(files.release, context) == (frozenset({"Console"}), None, "1.yaml")
    tech = names_of_release(files.release, context._replace(feature_set="TechPreviewNoUpgrade"))
    assert tech == (frozenset({"Console", "Brand"}), None, "2.yaml")
    assert names_of_release(files.release, context._replace(feature_set="OKD")) is None
    # Hosted clusters have no CRD in the release, and the same CVO.
    assert names_of_release(files.release, context._replace(cluster_profile="hypershift")) == (
        frozenset({"Console"}),
        None,
        "1.yaml",
    )


V5_1 = Minor(5, 1)
GATED = {"ClusterAPI", "CompatibilityRequirements"}


def table(minor):
    data = data_of(minor)
    assert data is not None
    return data


def resolved_with_crd(minor, names, sets=(), feature_set="", **options):
    files = Files(minor, manifest(), cluster_version_crd(sorted(names), sets=sets), feature_gate([]))
    options = {"capabilities": {}, "always_enabled_capabilities": [], "feature_set": feature_set, **options}
    return resolve(minor, files, **options)


@pytest.mark.parametrize(
    ("feature_set", "names"),
    [
        ("", table(V5_1).capabilities - GATED),  # the CRD of the default feature set
        ("", table(V5_1).capabilities),  # a CRD of all feature sets
        ("TechPreviewNoUpgrade", table(V5_1).capabilities),
    ],
)
def test_a_crd_with_the_names_of_the_collection_is_no_problem(feature_set, names):
    gates = {} if not feature_set else {"feature_gates": ["ClusterAPIMachineManagement"]}
    _context, status, problems = resolved_with_crd(V5_1, names, table(V5_1).sets, feature_set, **gates)

    assert problems == []
    assert status.known == table(V5_1).capabilities - (GATED if not feature_set else set())


def test_a_name_that_only_the_release_has_is_a_capability_of_it():
    names = (table(V5_1).capabilities - GATED) | {"Monitoring"}
    _context, status, problems = resolved_with_crd(V5_1, names)

    (problem,) = problems
    assert "Monitoring" in status.known & status.enabled
    assert (problem.severity, problem.code, str(problem.where)) == ("warning", "different-capabilities", "1.yaml")
    assert problem.message.endswith("does not know in 5.1: Monitoring")


def test_a_name_that_the_release_lacks_is_no_capability_of_it():
    _context, status, problems = resolved_with_crd(V5_1, table(V5_1).capabilities - GATED - {"Console"})

    assert "Console" not in status.known | status.enabled
    assert [(item.code, item.message.rpartition(": ")[2]) for item in problems] == [
        ("different-capabilities", "Console")
    ]


def test_a_gated_name_that_the_crd_of_enabled_gates_lacks_is_no_capability_of_it():
    gates = {"feature_gates": ["ClusterAPIMachineManagement"]}
    _context, status, problems = resolved_with_crd(V5_1, table(V5_1).capabilities - GATED, **gates)

    assert not status.known & GATED
    assert [(item.code, item.message.rpartition(": ")[2]) for item in problems] == [
        ("different-capabilities", "ClusterAPI, CompatibilityRequirements")
    ]


def test_the_sets_of_the_release_are_those_that_can_be_requested():
    sets = [*table(V5_1).sets, "v5.0", "v5.1", "vNext"]
    names = (table(V5_1).capabilities - GATED) | {"Monitoring"}

    def enabled(baseline):
        selection = {"baselineCapabilitySet": baseline}
        _context, status, problems = resolved_with_crd(V5_1, names, sets, capabilities=selection)
        assert [item.code for item in problems] == [
            "different-capabilities",
            "different-capabilities",
            "unknown-capability-set",
        ]
        return status.enabled

    assert enabled("v5.1") == enabled("vCurrent") == names
    assert enabled("v5.0") == names - {"Monitoring"}
    assert enabled("v4.11") == table(V5_1).sets["v4.11"]
    fewer = [name for name in table(V5_1).sets if name != "v4.18"]
    found = errors(
        V5_1,
        Files(V5_1, manifest(), cluster_version_crd(sorted(names), sets=fewer), feature_gate([])),
        capabilities={"baselineCapabilitySet": "v4.18"},
    )
    assert "unknown-capability-set" in [item.code for item in found]


@pytest.mark.parametrize("minor", [V9_9, Minor(4, 10), Minor(4, 2)])
def test_an_unknown_minor_without_a_crd_is_an_error(minor):
    (problem,) = errors(minor)

    assert str(problem.where) == "openshift_version"
    known = f"4.11 to 4.23 and 5.0 to {newest_minor()}"
    assert (known if minor == V9_9 else "expected 4.11 or later") in problem.message


def test_an_always_enabled_name_must_be_one_that_the_crd_of_an_unknown_minor_has():
    files = Files(V9_9, manifest(), cluster_version_crd(["Console"]), feature_gate([]))

    _context, status, _problems = resolve(V9_9, files)
    assert status.enabled == {"Console"}  # Ingress was not requested, so its absence is not an error
    (problem, *_others) = errors(V9_9, files, always_enabled_capabilities=["Ingress"])
    assert "Ingress" in problem.message


def test_a_profile_that_no_manifest_carries_is_a_problem_that_names_those_found():
    files = Files(V4_20, manifest(), manifest("two", profile="hypershift"))
    with pytest.raises(InvalidOptionError) as error:
        resolve(V4_20, files, cluster_profile="self-managed-high-availabilty")

    (problem,) = error.value.problems
    assert (problem.code, str(problem.where)) == ("unknown-profile", "cluster_profile")
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
        # There is no 4.90.
        (Minor(4, 9), None, "openshift_version", "Use a release of 4.11 or later"),
        # The version of a release is not a number in YAML.
        (None, Files(Minor(4, 10), manifest("one")), "openshift_version", "Use a release of 4.11 or later"),
        (None, Files(Minor(4, 2), manifest("one")), "openshift_version", "Use a release of 4.11 or later"),
    ],
)
def test_a_version_without_capabilities_is_quoted_only_if_it_may_be_a_number(minor, files, where, hint):
    (problem,) = errors(minor, files)

    assert (problem.code, str(problem.where)) == ("unsupported-version", where)
    assert problem.hint.startswith(hint)


def test_the_version_of_a_release_image_is_not_an_option():
    files = Files(Minor(4, 10), manifest("one"))
    files.release = files.release._replace(
        image_stream=ImageStream(tags=(ImageStreamTag("cli", "registry.example/cli"),))
    )

    (problem,) = errors(None, files)

    assert (problem.code, str(problem.where)) == ("unsupported-version", "here")
    # Without release-metadata, an option has the version.
    files.release = files.release._replace(version="4.2", minor=Minor(4, 2))
    (problem,) = errors(None, files)
    assert (str(problem.where), problem.hint.split(":")[0]) == ("openshift_version", "Quote the version")
