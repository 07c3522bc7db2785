# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.parsing.dataloader import DataLoader

from ansible_collections.capability.openshift.plugins.filter.validate_capabilities import validate_capabilities


@pytest.mark.parametrize("selection", [None, {}, {"baselineCapabilitySet": "v4.18"}])
def test_nothing_wrong_is_an_empty_list(selection):
    assert validate_capabilities(selection, "4.20") == []


def test_a_problem_has_four_fields():
    text = "{baseline_capability_set: None, additional_enabled_capabilities: [console]}"

    assert validate_capabilities(DataLoader().load(text), "4.20") == [
        {
            "severity": "error",
            "where": "capabilities.additional_enabled_capabilities[0]",
            "message": "'console' is not a capability of 4.20",
            "mend": "Write Console: names are case sensitive",
        }
    ]


@pytest.mark.parametrize(
    ("selection", "version", "wheres"),
    [
        ({"baselineCapabilitySet": "v4.19"}, "4.20", ["capabilities.baseline_capability_set"]),
        ({"baselineCapabilitySet": "v4.18"}, "4.17", ["capabilities.baseline_capability_set"]),
        ("x", "4.20", ["capabilities"]),
        (None, 4.2, ["version"]),
        (
            {"baselineCapabilitySet": "x", "additionalEnabledCapabilities": ["y"]},
            "4.20",
            ["capabilities.baseline_capability_set", "capabilities.additional_enabled_capabilities[0]"],
        ),
    ],
)
def test_every_error_is_returned_and_none_is_raised(selection, version, wheres):
    problems = validate_capabilities(selection, version)

    assert [problem["where"] for problem in problems] == wheres
    assert {problem["severity"] for problem in problems} == {"error"}


def test_a_minor_that_is_not_known_is_reported_at_the_name_the_filter_gives_it():
    (problem,) = validate_capabilities(None, "9.9")

    assert problem["where"] == "version"


def test_what_is_only_worth_knowing_is_no_error():
    pinned, problem = validate_capabilities({"excludedCapabilities": ["Ingress"]}, "4.20")
    assert (pinned["severity"], problem["severity"]) == ("info", "warning")
    (problem,) = validate_capabilities({"inclusionDefault": "Include", "exclude": ["Console"]}, "4.20")
    assert problem["severity"] == "info"
