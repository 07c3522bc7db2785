# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.parsing.dataloader import DataLoader
from jinja2 import Undefined

from ansible_collections.capability.openshift.plugins.filter.validate_capabilities import validate_capabilities


@pytest.mark.parametrize("selection", [None, {}, {"baselineCapabilitySet": "v4.18"}])
def test_nothing_wrong_is_an_empty_list(selection):
    assert validate_capabilities(selection, "4.20") == []


def test_a_problem_has_five_fields():
    text = "{baseline_capability_set: None, additional_enabled_capabilities: [console]}"

    (problem,) = validate_capabilities(DataLoader().load(text), "4.20")
    assert list(problem) == ["severity", "code", "where", "message", "hint"]
    assert (problem["severity"], problem["code"]) == ("error", "unknown-capability")
    assert problem["where"] == "capabilities.additional_enabled_capabilities[0]"
    assert problem["message"].startswith("'console'")
    assert problem["hint"].startswith("Write Console")


@pytest.mark.parametrize(
    ("selection", "version", "wheres"),
    [
        ({"baselineCapabilitySet": "v4.19"}, "4.20", ["capabilities.baselineCapabilitySet"]),
        ({"baselineCapabilitySet": "v4.18"}, "4.17", ["capabilities.baselineCapabilitySet"]),
        ("x", "4.20", ["capabilities"]),
        (None, 4.2, ["version"]),
        (
            {"baselineCapabilitySet": "x", "additionalEnabledCapabilities": ["y"]},
            "4.20",
            ["capabilities.baselineCapabilitySet", "capabilities.additionalEnabledCapabilities[0]"],
        ),
    ],
)
def test_every_error_is_returned_and_none_is_raised(selection, version, wheres):
    problems = validate_capabilities(selection, version)

    assert [problem["where"] for problem in problems] == wheres
    assert {problem["severity"] for problem in problems} == {"error"}


def test_a_location_has_the_name_of_the_argument():
    gates = ["A=true", "A=maybe"]
    problems = validate_capabilities(None, "4.20", feature_gates=gates, feature_set="CustomNoUpgrade")
    assert [problem["where"] for problem in problems if problem["severity"] == "error"] == ["feature_gates[1]"]


def test_what_is_only_worth_knowing_is_no_error():
    pinned, problem = validate_capabilities({"excludedCapabilities": ["Ingress"]}, "4.20")
    assert (pinned["severity"], problem["severity"]) == ("info", "warning")
    (problem,) = validate_capabilities({"inclusionDefault": "Include", "exclude": ["Console"]}, "4.20")
    assert problem["severity"] == "info"


def test_a_hint_proposes_only_names_that_a_hosted_cluster_can_exclude():
    (found,) = validate_capabilities({"excludedCapabilities": ["wrong"]}, "4.18", cluster_profile="ibm-cloud-managed")
    assert found["hint"] == "Use one of: ImageRegistry"


NOTHING = {"baselineCapabilitySet": "None"}


def errors(problems):
    return [problem for problem in problems if problem["severity"] == "error"]


@pytest.mark.parametrize(
    ("selection", "version", "options", "missing"),
    [
        (NOTHING, "4.18", {}, []),
        (NOTHING, "4.18", {"platform": "none"}, ["Ingress"]),
        (NOTHING, "4.15", {"platform": "none"}, []),
        (NOTHING, "4.18", {"platform": "aws"}, ["Ingress", "CloudCredential", "CloudControllerManager", "MachineAPI"]),
        (
            NOTHING,
            "4.18",
            {"platform": "aws", "install_method": "upi"},
            ["Ingress", "CloudCredential", "CloudControllerManager"],
        ),
        (NOTHING, "4.18", {"install_method": "ipi"}, ["Ingress", "MachineAPI"]),
        ({"excludedCapabilities": ["Console"]}, "4.18", {"platform": "vsphere"}, []),
        ({"excludedCapabilities": ["Console"]}, "4.18", {"install_method": "hosted"}, ["Console"]),
        (None, "4.18", {"platform": "aws", "feature_set": "Default"}, []),
        (None, "4.20", {"platform": "kubevirt", "install_method": "hosted"}, []),
        (None, "4.20", {"platform": "agent", "install_method": "hosted"}, []),
        (None, "4.18", {"platform": None, "install_method": None}, []),
    ],
)
def test_with_platform_or_method_the_rules_of_installers_count(selection, version, options, missing):
    found = errors(validate_capabilities(selection, version, **options))

    assert [problem["hint"].split()[1] for problem in found] == missing
    assert all(set(problem) == {"severity", "code", "where", "message", "hint"} for problem in found)
    assert all(problem["where"].startswith("capabilities.") and problem["hint"] for problem in found)


@pytest.mark.parametrize(
    ("options", "where", "message", "hint"),
    [
        ({"platform": "asw"}, "platform", "is not a platform", "Did you mean aws?"),
        ({"platform": "kubevirt"}, "platform", "is not a platform", ""),
        ({"platform": "vsphere", "install_method": "hosted"}, "platform", "is not a platform", ""),
        ({"platform": "AWS"}, "platform", "is not a platform", "Write aws"),
        ({"platform": 7}, "platform", "7", ""),
        ({"install_method": "uip"}, "install_method", "'uip' is not an install method", "Did you mean upi?"),
        ({"platform": "aws", "feature_set": "TechPreview"}, "feature_set", "TechPreview", "TechPreviewNoUpgrade"),
    ],
)
def test_options_of_an_installation_that_cannot_be(options, where, message, hint):
    (problem,) = errors(validate_capabilities({"baselineCapabilitySet": "vCurrent"}, "4.20", **options))

    # By the name that the user knows: there is no install-config here.
    assert problem["where"] == where
    assert message in problem["message"]
    assert hint in problem["hint"]


def test_the_filter_knows_the_rules_of_platforms():
    problems = validate_capabilities({"baselineCapabilitySet": "vCurrent"}, "4.20", "aws", "agent")

    assert [(item["code"], item["where"]) for item in problems] == [("agent-platform", "platform")]


@pytest.mark.parametrize("other", ["cluster_profile", "always_enabled_capabilities"])
@pytest.mark.parametrize("option", [{"platform": "aws"}, {"install_method": "upi"}])
def test_beside_an_installation_other_options_have_no_meaning(other, option):
    value = ["Build"] if other.startswith("always") else "self-managed-high-availability"
    (problem,) = errors(validate_capabilities(NOTHING, "4.20", **option, **{other: value}))

    assert problem["message"] == "is not an option here"
    for name in ("platform", "install_method", "feature_set", "feature_gates"):
        assert name in problem["hint"]
    assert errors(validate_capabilities(NOTHING, "4.20", **{other: value})) == []


def test_none_without_quotes_in_jinja_is_no_platform():
    (problem,) = validate_capabilities({"baselineCapabilitySet": "v4.11"}, "4.20", platform=None)
    assert (problem["severity"], problem["code"], problem["where"]) == ("warning", "unchecked-rules", "platform")
    assert "Quote 'none'" in problem["hint"]
    assert validate_capabilities({"baselineCapabilitySet": "v4.11"}, "4.20") == []


@pytest.mark.parametrize(
    ("version", "options", "hint"),
    [
        (None, {}, "Set version"),
        (None, {"platform": "aws"}, "Set version"),
        ("5.99", {}, "Update the collection"),
        ("5.99", {"platform": "aws"}, "Update the collection"),
        ("4.20", {"install_method": "agent"}, "Set platform"),
    ],
)
def test_hints_name_arguments_of_the_filter(version, options, hint):
    problems = validate_capabilities({"baselineCapabilitySet": "vCurrent"}, version, **options)
    assert [problem["hint"] for problem in problems] == [hint]


def test_feature_gates_of_an_installation_need_no_value():
    gates = ["ClusterAPIMachineManagement", "CRDCompatibilityRequirementOperator=true"]
    options = {"feature_set": "CustomNoUpgrade", "feature_gates": gates}
    names = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress", "ClusterAPI"]}
    without = errors(validate_capabilities(names, "5.1", platform="none", **options))
    assert {problem["code"] for problem in without} <= {"api-clusterapi-compat"}


def test_all_invalid_options_are_reported_at_once():
    found = validate_capabilities(NOTHING, 4.2, platform=7, install_method="x", cluster_profile="y")

    assert {problem["where"] for problem in found} == {"version", "platform", "install_method", "cluster_profile"}
    assert ("unknown-install-method", "install_method") in {(problem["code"], problem["where"]) for problem in found}


def test_an_undefined_value_is_reported():
    (problem,) = validate_capabilities(NOTHING, "4.20", platform=Undefined(name="platform"))

    assert (problem["code"], problem["where"]) == ("undefined-variable", "platform")
