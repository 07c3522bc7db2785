# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an installation comes to: the cluster that the install-config describes, and what the selection does to it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._data.consequences import CONSEQUENCES
from ansible_collections.capability.openshift.plugins.module_utils._install_config.check import check_installation
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    InstallOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    GATED,
    after,
    asks_for,
    check,
    errors,
    known,
    listed,
    sets_of,
    warnings,
)

NONE: dict[str, Any] = {"platform": {"none": {}}}
TECH_PREVIEW = {**NONE, "featureSet": "TechPreviewNoUpgrade"}


def block(baseline, *names):
    return {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}


def rules(found):
    return sorted(item.rule.name for item in found.violations)


def said(problems):
    return [(problem.where, problem.message) for problem in problems]


@pytest.mark.parametrize(
    ("document", "method", "platform"),
    [
        ({}, "upi", None),
        (NONE, "upi", "none"),
        ({"platform": {"external": {}}}, "upi", "external"),
        ({"platform": {"aws": {}}}, "ipi", "aws"),
        ({"platform": {"baremetal": {}}}, "ipi", "baremetal"),
        ({"platform": {"vsphere": {}}}, "ipi", "vsphere"),
        ({"platform": {"aws": {}, "none": {}}}, "upi", None),
        ({"platform": {"moon": {}}}, "upi", None),
        ({"platform": "aws"}, "upi", None),
        ({"platform": {"aws": {}}, "bootstrapInPlace": {}}, "upi", "aws"),
    ],
)
def test_method_and_platform_follow_from_the_document(document, method, platform):
    found = check("4.20", document)

    assert (found.method, found.platform) == (method, platform)
    assert check("4.20", document, method="agent").method == "agent"


def test_a_cluster_that_the_installer_provisions_needs_machine_api():
    given = block("None", "CloudControllerManager", "CloudCredential", "Ingress")
    document: dict[str, Any] = {"platform": {"gcp": {}}}

    assert rules(check("4.20", document, capabilities=given)) == ["inst-ipi-machineapi"]
    assert rules(check("4.20", document, capabilities=given, method="upi")) == []


@pytest.mark.parametrize(
    ("manager", "expected"), [("External", ["inst-ccm-external"]), ("None", []), ("", []), (None, [])]
)
def test_an_external_platform_says_whether_it_has_a_cloud_controller_manager(manager, expected):
    document = {"platform": {"external": {"platformName": "oci", "cloudControllerManager": manager}}}

    found = check("4.20", document, capabilities=block("None", "CloudCredential", "Ingress"))

    assert rules(found) == expected


@pytest.mark.parametrize(("hosts", "expected"), [([], ["inst-baremetal-hosts"]), ([{"name": "one"}], [])])
def test_platform_baremetal_lists_its_hosts(hosts, expected):
    document = {"platform": {"baremetal": {"hosts": hosts}}}

    found = check("4.20", document, complete=True, capabilities=block("vCurrent"))
    by_agent = check("4.20", document, complete=True, capabilities=block("vCurrent"), method="agent")

    assert rules(found) == expected
    assert rules(by_agent) == []
    assert rules(check("4.20", document, capabilities=block("vCurrent"))) == []


@pytest.mark.parametrize("minor", after("4.23"))
def test_names_behind_gates_need_a_feature_set_that_turns_them_on(minor):
    names = ("ClusterAPI", "CompatibilityRequirements", "Ingress")

    refused = check(minor, NONE, capabilities=block("None", *names))
    accepted = check(minor, TECH_PREVIEW, capabilities=block("None", *names))

    gates = "CRDCompatibilityRequirementOperator or ClusterAPIMachineManagement"
    assert said(errors(refused.problems)) == [
        (
            "capabilities.additional_enabled_capabilities[0]",
            f"ClusterAPI exists in {minor} only while the feature gate ClusterAPIMachineManagement is on",
        ),
        (
            "capabilities.additional_enabled_capabilities[1]",
            f"CompatibilityRequirements exists in {minor} only while the feature gate {gates} is on",
        ),
    ]
    assert errors(accepted.problems) == []
    assert accepted.status is not None
    assert accepted.status.enabled == set(names)
    assert accepted.status.known == known(minor) | GATED


@pytest.mark.parametrize("minor", after("4.23"))
def test_cluster_api_needs_compatibility_requirements_where_it_exists(minor):
    for baseline in ("None", "vCurrent"):
        given = block(baseline, "ClusterAPI", "Ingress")
        assert rules(check(minor, TECH_PREVIEW, capabilities=given)) == ["api-clusterapi-compat"]
    assert "api-clusterapi-compat" not in rules(check(minor, NONE, capabilities=block("None", "ClusterAPI", "Ingress")))


@pytest.mark.parametrize(
    ("gates", "expected"),
    [
        (["ClusterAPIMachineManagement=true", "CRDCompatibilityRequirementOperator=true"], ["api-clusterapi-compat"]),
        (["ClusterAPIMachineManagement=true"], []),
        (["ClusterAPIMachineManagement=false"], ["inst-known-names"]),
        (["CRDCompatibilityRequirementOperator=true"], ["inst-known-names"]),
        ([], ["inst-known-names"]),
    ],
)
def test_gates_of_the_document_decide_about_names(gates, expected):
    document = {**NONE, "featureSet": "CustomNoUpgrade", "featureGates": gates}

    found = check("5.0", document, capabilities=block("None", "ClusterAPI", "Ingress"))

    assert rules(found) == expected


@pytest.mark.parametrize("entry", ["ClusterAPIMachineManagement", "Some=maybe", "=true", "Some=", ""])
def test_a_gate_of_a_document_is_a_name_and_a_value(entry):
    document = {**NONE, "featureSet": "CustomNoUpgrade", "featureGates": ["Other=true", entry]}

    (problem,) = errors(check("5.0", document).problems)

    assert problem.where == "content: featureGates[1]"


@pytest.mark.parametrize("gates", ["Some=true", {"Some": True}, [7], [{"Some": True}]])
def test_gates_that_are_no_list_of_texts_are_an_error(gates):
    found = check("5.0", {**NONE, "featureSet": "CustomNoUpgrade", "featureGates": gates})

    assert [problem.where.startswith("content: featureGates") for problem in errors(found.problems)] == [True]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("TechPreview", "Did you mean TechPreviewNoUpgrade?"),
        ("techpreviewnoupgrade", "Write TechPreviewNoUpgrade: names are case sensitive"),
    ],
)
def test_an_unknown_feature_set_is_told_with_the_nearest_one(name, hint):
    found = check("4.20", {**NONE, "featureSet": name})

    message = f"{name!r} is not a feature set of 4.20"
    assert errors(found.problems) == [Problem("error", "todo", "content: featureSet", message, hint)]


@pytest.mark.parametrize("value", [7, ["TechPreviewNoUpgrade"], {}, True])
def test_a_feature_set_is_a_text(value):
    found = check("4.20", {**NONE, "featureSet": value})

    assert [problem.where for problem in errors(found.problems)] == ["content: featureSet"]


@pytest.mark.parametrize("name", ["", "Default", None])
def test_the_default_feature_set_may_be_said(name):
    assert check("4.20", {**NONE, "featureSet": name}).problems == ()


def test_a_version_is_needed():
    found = check(None, NONE, capabilities=block("None"))

    assert said(errors(found.problems)) == [
        ("openshift_version", "is needed: which rules and capabilities there are depends on the version")
    ]
    assert (found.chosen, found.status, found.violations) == (None, None, ())
    assert found.platform == "none"


@pytest.mark.parametrize("minor", [Minor(4, 10), Minor(4, 2)])
def test_a_version_without_capabilities_is_an_error(minor):
    options = InstallOptions(document=NONE, place="content", complete=False, capabilities=block("None"))

    found = check_installation(options, release_of_version(minor))

    (problem,) = errors(found.problems)
    assert problem.where == "openshift_version"
    assert f"{minor} has no capabilities" in problem.message
    assert found.chosen is None


def test_a_version_that_is_not_known_here_is_an_error_where_there_is_no_release():
    options = InstallOptions(document=NONE, place="content", complete=False)

    (problem,) = check_installation(options, release_of_version(Minor(6, 0))).problems

    assert (problem.severity, problem.where) == ("error", "openshift_version")


_UNCHECKED = ["inst-ccm", "inst-ccm-external", "inst-cloudcredential", "inst-platform-baremetal"]


@pytest.mark.parametrize(
    ("minor", "method", "expected"),
    [
        ("4.14", None, []),
        ("4.15", None, ["inst-cloudcredential"]),
        ("4.16", None, _UNCHECKED),
        ("5.2", "agent", _UNCHECKED),
        ("5.2", "hosted", []),
    ],
)
@pytest.mark.parametrize("options", [{"capabilities": block("vCurrent")}, {"solution": "minimal"}])
def test_rules_that_need_the_platform_are_named_where_nobody_tells_it(minor, method, expected, options):
    found = check(minor, {}, method=method, **options)

    told = [problem for problem in warnings(found.problems) if problem.where == "content: platform"]
    if expected:
        (problem,) = told
        assert sorted(problem.message.partition("not checked: ")[2].split(", ")) == expected
    else:
        assert told == []
    assert not any(problem.where == "content: platform" for problem in check(minor, NONE, **options).problems)


def test_rules_that_need_the_platform_are_named_for_a_block_too():
    found = check("4.20", {"capabilities": block("None", "Ingress")})

    assert [problem.where for problem in warnings(found.problems)] == ["content: platform"]


@pytest.mark.parametrize("off", [(), ("Console",), ("Insights", "openshift-samples", "baremetal"), ("Build",)])
def test_there_are_consequences_for_exactly_what_is_off(off):
    found = check("4.20", NONE, capabilities={"excludedCapabilities": list(off)})

    assert found.consequences == tuple(item for item in CONSEQUENCES if item.capability in off)
    assert {item.capability for item in found.consequences} == set(off)


def test_there_are_no_consequences_of_what_stays_on_in_any_case():
    found = check("4.20", NONE, capabilities=block("None"))

    assert {item.capability for item in found.consequences} == known("4.20") - {"Ingress"}
    assert found.status is not None
    assert found.status.implicitly_enabled == {"Ingress"}
    assert rules(found) == ["inst-ingress"]


def test_a_hosted_cluster_has_nothing_on_in_any_case():
    found = check("4.20", method="hosted", capabilities={"excludedCapabilities": ["Ingress", "Console"]})

    assert {item.capability for item in found.consequences} == {"Ingress", "Console", "baremetal"}
    assert found.status is not None
    assert found.status.implicitly_enabled == set()


def test_several_errors_are_told_at_once():
    document = {
        "apiVersion": "v2",
        "metadata": {"name": "Big"},
        "platform": {"aws": {}},
        "pullSecret": "{",
        "featureSet": "Techpreview",
        "capabilities": {**block("None", "console", "marketplace"), "extra": 1},
    }

    found = check("4.20", document, complete=True)

    assert [problem.where for problem in errors(found.problems)] == [
        "content: baseDomain",
        "content: apiVersion",
        "content: metadata.name",
        "content: pullSecret",
        "content: capabilities.extra",
        "content: featureSet",
        "content: capabilities.additionalEnabledCapabilities[0]",
        *["content: capabilities.additionalEnabledCapabilities"] * 6,
    ]
    assert rules(found) == [
        "api-marketplace-olm",
        "inst-ccm",
        "inst-cloudcredential",
        "inst-ingress",
        "inst-ipi-machineapi",
        "inst-known-names",
        "inst-marketplace-olm",
    ]


def test_the_mended_selection_is_the_nearest_that_is_valid():
    found = check("4.20", {"platform": {"aws": {}}}, capabilities=block("v4.11", "CSISnapshot", "Console", "Storage"))

    assert found.mended is not None
    assert found.mended.baseline == "v4.11"
    assert found.mended.additional == (
        "CSISnapshot",
        "CloudControllerManager",
        "CloudCredential",
        "Console",
        "Ingress",
        "OperatorLifecycleManager",
        "Storage",
    )


def test_the_mended_selection_leaves_out_what_does_not_exist():
    found = check("4.20", NONE, capabilities=block("None", "Nonsense", "Console", "Console"))

    assert found.mended == Selection("None", ("Console", "Ingress"))


def test_the_shortest_form_is_told_beside_the_chosen_one():
    found = check("4.20", NONE, capabilities=block("None", *sorted(known("4.20") - {"Build"})))

    assert found.chosen is not None
    assert found.chosen.selection == listed(*sorted(known("4.20") - {"Build"}))
    assert found.shortest is not None
    assert found.shortest.selection.baseline == "v4.13"
    assert set(found.shortest.selection.additional) == known("4.20") - sets_of("4.20")["v4.13"] - {"Build"}


NAMES = st.lists(st.sampled_from(sorted(known("5.2"))), max_size=8, unique=True)


@given(st.sampled_from(after("4.18", "4.22")), st.sampled_from(["None", "v4.11", "v4.16", "vCurrent"]), NAMES)
def test_what_is_mended_is_valid_and_holds_what_was_asked_for(minor, baseline, names):
    document: dict[str, Any] = {"platform": {"aws": {}}}
    found = check(minor, document, capabilities=block(baseline, *names))

    assert found.mended is not None
    mended = asks_for(found.mended, minor)
    again = check(minor, document, capabilities=block(found.mended.baseline, *found.mended.additional))

    assert mended >= asks_for(Selection(baseline, tuple(names)), minor)
    assert errors(again.problems) == []
    assert errors(found.problems) or again.status == found.status


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["None", "Console", "aws"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "platform",
                        "capabilities",
                        "baselineCapabilitySet",
                        "additionalEnabledCapabilities",
                        "networking",
                    ),
                    *("featureSet", "featureGates", "pullSecret", "compute", "controlPlane", "metadata", "none"),
                    *("external", "baremetal", "hosts", "publish", "proxy", "imageDigestSources", "bootstrapInPlace"),
                ]
            ),
            inner,
            max_size=6,
        )
    ),
)


@given(st.dictionaries(st.sampled_from(["platform", "capabilities", "featureSet", "featureGates"]), ANYTHING), ANYTHING)
def test_no_value_at_all_ends_in_an_exception(document, capabilities):
    found = check("4.20", document, complete=True, capabilities=capabilities)

    assert all(problem.where and problem.message for problem in found.problems)
    assert found.chosen is not None or errors(found.problems)
