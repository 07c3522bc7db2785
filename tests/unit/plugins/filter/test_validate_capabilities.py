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


NOTHING = {"baselineCapabilitySet": "None"}


def errors(problems):
    return [problem for problem in problems if problem["severity"] == "error"]


def test_all_invalid_options_are_reported_at_once():
    found = validate_capabilities(NOTHING, 4.2, platform="aws", cluster_profile=7)

    assert {problem["where"] for problem in found} == {"version", "platform", "cluster_profile"}


def test_an_undefined_value_is_reported():
    (problem,) = validate_capabilities(NOTHING, "4.20", feature_set=Undefined(name="feature_set"))

    assert (problem["code"], problem["where"]) == ("undefined-variable", "feature_set")
