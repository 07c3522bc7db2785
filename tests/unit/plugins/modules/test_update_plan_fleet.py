# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plans of a fleet, and the policy that a plan is held against, through the module as Ansible runs it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.basic import AnsibleModule

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import (
    BAREMETAL,
    NOTHING,
)
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

CONSOLE = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console"]}
UNKNOWN_NAME = {"enabled_capabilities": ["Nope"], "known_capabilities": ["Console"]}


SAMPLES = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["openshift-samples"]}


def plan_of(outcome: Outcome, name: str) -> dict[str, Any]:
    return dict(outcome["plans"][outcome["clusters"][name]])


@pytest.mark.parametrize("capabilities", [NOTHING, CONSOLE, None])
def test_a_plan_of_a_fleet_is_what_one_cluster_gets(capabilities, run, releases):
    options = {"releases": releases.path, "details": True, "platform": "aws"}
    alone = run(capabilities=capabilities, **options)
    among = run(
        clusters=[{"name": "other", "capabilities": SAMPLES}, {"name": "one", "capabilities": capabilities}], **options
    )

    plan = plan_of(among, "one")
    assert plan == {key: alone[key] for key in plan}


def test_what_a_cluster_does_not_set_is_as_in_the_options(run, releases):
    common = {
        "capabilities": NOTHING,
        "platform": "vsphere",
        "feature_set": "TechPreviewNoUpgrade",
        "overrides": [{"kind": "ConfigMap", "name": "new", "unmanaged": True}],
        "live_resources": [],
    }
    own = {
        "name": "own",
        "releases": releases.path,
        "capabilities": BAREMETAL,
        "platform": "AWS",
        "feature_set": "",
        "overrides": [],
        "live_resources": [{"group": "apps", "kind": "Deployment", "namespace": "operators", "name": "console"}],
    }
    null = dict.fromkeys(common)
    clusters = [{"name": "none"}, {"name": "null", **null}, own]
    outcome = run(clusters=clusters, details=True, **common)

    assert outcome["clusters"] == {"none": 0, "null": 0, "own": 1}
    first, second = outcome["plans"]
    assert first["releases"] == ["4.13.5", "4.14.2"]
    assert second["releases"] == ["4.13.5", "4.14.2", "4.15.0"]
    assert [len(plan["capabilities"]["additional_enabled_capabilities"]) for plan in (first, second)] == [0, 1]
    added = [{item["name"] for item in plan["hops"][0]["added"]} for plan in (first, second)]
    assert added == [{"preview", "vsphere"}, {"new", "vsphere"}]
    requests = [{item["name"] for item in plan["hops"][0]["credentials_requests"]} for plan in (first, second)]
    assert requests == [{"vsphere"}, {"ebs"}]
    assert first["enabled_capabilities"] == ["DeploymentConfig", "MachineAPI"]
    assert second["enabled_capabilities"] == ["DeploymentConfig", "MachineAPI", "baremetal"]


@pytest.fixture
def warned(monkeypatch) -> list[str]:
    """The warnings that the module shows. How Ansible returns them depends on its version."""
    texts: list[str] = []
    monkeypatch.setattr(AnsibleModule, "warn", lambda _module, text: texts.append(text))
    return texts


def warnings(outcome: Outcome) -> list[str]:
    return [str(Problem(**item)) for item in outcome["problems"] if item["severity"] == "warning"]


def test_problems_of_all_plans_are_reported_once_and_the_others_counted(run, warned, releases):
    clusters = [{"name": "one"}, {"name": "two", "platform": "aws"}, {"name": "three", "releases": releases.path}]
    alone = run(**UNKNOWN_NAME)
    warned.clear()
    outcome = run(clusters=clusters, **UNKNOWN_NAME)

    *common, counted = outcome["problems"]
    # The others name the entry of a cluster.
    assert common == [item for item in alone["problems"] if item["where"] == "4.13.5 to 4.14.2"]
    assert len(common) == 1
    assert counted == {
        "severity": "warning",
        "code": "separate-problems",
        "where": "clusters",
        "message": "3 of 3 plans have further problems, see plans[].problems",
        "hint": "",
    }
    assert [len(plan["problems"]) for plan in outcome["plans"]] == [3, 3, 4]
    assert all(item in plan["problems"] for plan in outcome["plans"] for item in common)
    assert warned == warnings(outcome)


@pytest.mark.parametrize("fleet", [False, True])
def test_a_plan_with_violations_is_shown_with_its_warnings(fleet, run, warned):
    options: dict[str, Any] = {"clusters": [{"name": "one", **UNKNOWN_NAME}]} if fleet else UNKNOWN_NAME
    passed, failed = (run(forbidden_capabilities=names, **options) for names in ([], ["all"]))

    assert failed.failed
    assert len(warnings(passed)) == 2
    assert warned == warnings(passed) * 2
    assert failed["problems"] == passed["problems"]


@pytest.mark.parametrize(
    ("forbidden", "capabilities", "expected"),
    [
        (["MachineAPI"], NOTHING, ["MachineAPI"]),
        (["DeploymentConfig", "MachineAPI"], NOTHING, ["DeploymentConfig", "MachineAPI"]),
        (["all"], NOTHING, ["DeploymentConfig", "MachineAPI"]),
        (["all", "MachineAPI"], NOTHING, ["DeploymentConfig", "MachineAPI"]),
        # v4.11 requests MachineAPI from 4.14 on: "all" allows it, its name does not.
        (["all"], {"baselineCapabilitySet": "v4.11"}, ["DeploymentConfig"]),
        (["MachineAPI"], {"baselineCapabilitySet": "v4.11"}, ["MachineAPI"]),
        (["all"], None, []),
        (["Build"], None, ["Build"]),
        (["Build", "ImageRegistry"], NOTHING, []),
        ([], NOTHING, []),
    ],
)
def test_a_path_that_enables_forbidden_names_fails_with_the_whole_plan(forbidden, capabilities, expected, run):
    outcome = run(forbidden_capabilities=forbidden, capabilities=capabilities)
    planned = run(capabilities=capabilities)

    assert outcome.failed is bool(expected)
    assert [item["name"] for item in outcome["violations"]] == expected
    for key in planned.result.keys() - {"violations", "invocation", "warnings"}:
        assert outcome[key] == planned[key]
    if expected:
        assert outcome.message.splitlines() == [
            "The plan violates fail_on or forbidden_capabilities:",
            *(f"- {item['message']}" for item in outcome["violations"]),
        ]


def test_violations_of_a_fleet_name_its_clusters(run):
    clusters = [{"name": f"site-{index}", "capabilities": NOTHING} for index in range(6)]
    everything = {"name": "everything"}
    outcome = run(clusters=[*clusters, everything], forbidden_capabilities=["all"])

    assert [(item["name"], item["clusters"]) for item in outcome["violations"]] == [
        (name, [f"site-{index}" for index in range(6)]) for name in ("DeploymentConfig", "MachineAPI")
    ]
    assert "site-0, site-1, site-2, site-3, site-4 and 1 more: 4.13.5 to 4.14.2 enables MachineAPI" in outcome.message
    assert list(outcome["clusters"]) == [*(f"site-{index}" for index in range(6)), "everything"]
    assert len(outcome["plans"]) == 2
