# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plans of a fleet, and the policy that a plan is held against, through the module as Ansible runs it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.basic import AnsibleModule

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem
from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import (
    condition,
    conditional,
    reported,
    risk,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    FEATURE_GATE,
    INCLUDE,
    manifest,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import (
    BAREMETAL,
    NOTHING,
    cluster_version,
)
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

CONSOLE = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console"]}
SAMPLES = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["openshift-samples"]}


def plan_of(outcome: Outcome, name: str) -> dict[str, Any]:
    return dict(outcome["plans"][outcome["clusters"][name]])


def test_equal_questions_have_one_plan_and_the_order_is_that_of_the_clusters(run):
    selections = {"rome": NOTHING, "berlin": CONSOLE, "paris": NOTHING, "oslo": SAMPLES, "bern": CONSOLE}
    clusters = [{"name": name, "capabilities": selection} for name, selection in selections.items()]
    outcome = run(clusters=clusters)

    assert list(outcome["clusters"].items()) == [("rome", 0), ("berlin", 1), ("paris", 0), ("oslo", 2), ("bern", 1)]
    asked = [plan["capabilities"]["additional_enabled_capabilities"] for plan in outcome["plans"]]
    assert asked == [[], ["Console"], ["openshift-samples"]]
    assert "hops" not in outcome.result


def test_clusters_share_a_plan_only_with_the_same_verdicts(run):
    failing = condition("Failing", True, "ClusterOperatorDegraded", "etcd is degraded")
    states = {"a": [], "b": [failing], "c": [], "d": [failing], "e": [{**failing, "message": "another"}]}
    clusters = [
        {"name": name, "cluster_version": reported("4.13.5", *shown, available=["4.14.2"])}
        for name, shown in states.items()
    ]
    outcome = run(clusters=clusters, fail_on="risk")

    assert outcome["clusters"] == {"a": 0, "b": 1, "c": 0, "d": 1, "e": 2}
    assert [plan["verdict"] for plan in outcome["plans"]] == ["go", "risk", "risk"]
    assert [(item["name"], item["clusters"]) for item in outcome["violations"]] == [
        ("risk", ["b", "d"]),
        ("risk", ["e"]),
    ]


def test_results_of_promql_are_those_of_each_cluster(run):
    entry = conditional("4.14.2", "Unknown", "EvaluationFailed", risk("Slow", promql="x"))
    common = {"cluster_version": reported("4.13.5", conditional_updates=[entry])}
    clusters = [{"name": name, **common, "promql": {"Slow": name == "a"}} for name in "ab"] + [{"name": "c", **common}]
    outcome = run(clusters=clusters, promql={"Slow": False})

    assert [plan_of(outcome, name)["verdict"] for name in "abc"] == ["risk", "go", "go"]


def test_selections_with_the_same_meaning_share_a_plan(run):
    both = ["Console", "Storage"]
    spellings: list[dict[str, Any]] = [
        {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": both},
        {"baseline_capability_set": "None", "additional_enabled_capabilities": both[::-1]},
        {"inclusionDefault": "Exclude", "include": both},
    ]
    clusters = [{"name": str(index), "capabilities": value} for index, value in enumerate(spellings)]

    assert set(run(clusters=clusters)["clusters"].values()) == {0}


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
        "rule": "presence",
    }
    own = {
        "name": "own",
        "releases": releases.path,
        "capabilities": BAREMETAL,
        "platform": "AWS",
        "feature_set": "",
        "overrides": [],
        "live_resources": [{"group": "apps", "kind": "Deployment", "namespace": "operators", "name": "console"}],
        "rule": "manifest",
    }
    null = dict.fromkeys(common.keys() - {"rule"})
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
    assert first["enabled_capabilities"] == ["DeploymentConfig"]
    assert second["enabled_capabilities"] == ["DeploymentConfig", "MachineAPI", "baremetal"]
    hinted = [[item["name"] for item in plan["hops"][0]["live_only"]] for plan in (first, second)]
    assert hinted == [[], ["console"]]


STARTS = {
    "capabilities": CONSOLE,
    "cluster_version": cluster_version(["Storage", "baremetal"]),
    "enabled_capabilities": ["Insights"],
}
ENABLED = {
    "capabilities": ["Console"],
    "cluster_version": ["Storage", "baremetal"],
    "enabled_capabilities": ["Insights"],
}


@pytest.mark.parametrize("common", STARTS)
@pytest.mark.parametrize("own", STARTS)
def test_what_a_cluster_starts_from_replaces_all_that_the_others_start_from(own, common, run):
    known = {"known_capabilities": ["Insights"]} if common == "enabled_capabilities" else {}
    outcome = run(clusters=[{"name": "own", own: STARTS[own]}, {"name": "common"}], **{common: STARTS[common]}, **known)

    before = {name: plan_of(outcome, name)["hops"][0]["enabled_before"] for name in ("own", "common")}
    assert before == {"own": ENABLED[own], "common": ENABLED[common]}


@pytest.mark.parametrize("spelling", ["feature_gates", "featureGates"])
def test_a_cluster_has_its_own_feature_gates(spelling, call, tmp_path):
    gated = {"a.yaml": manifest("one"), "b.yaml": manifest("gated", annotations={FEATURE_GATE: "Beta"})}
    path = [
        str(write_release(tmp_path / version, files, version))
        for version, files in {"4.22.1": {"a.yaml": manifest("one")}, "4.23.1": gated}.items()
    ]
    clusters = [{"name": "on", spelling: ["Beta"]}, {"name": "off", spelling: []}, {"name": "not asked"}]
    outcome = call(update_plan, releases=path, clusters=clusters, details=True)

    added = {name: len(plan_of(outcome, name)["hops"][0]["added"]) for name in outcome["clusters"]}
    assert added == {"on": 1, "off": 0, "not asked": 1}


@pytest.mark.parametrize(("details", "shown"), [(None, False), (False, False), (True, True)])
def test_a_fleet_has_details_only_if_they_are_requested(details, shown, run):
    outcome = run(clusters=[{"name": "one", "capabilities": NOTHING}], details=details)

    (hop,) = outcome["plans"][0]["hops"]
    assert ("added" in hop) is shown
    (machine_api,) = [item for item in hop["implicitly_enabled"] if item["name"] == "MachineAPI"]
    assert len(machine_api["resources"]) == (2 if shown else 1)


def test_problems_of_clusters_are_in_their_plans_with_their_names_and_counted_outside(run):
    other = cluster_version(version="4.12.9")
    clusters = [{"name": f"site-{index}", "cluster_version": other} for index in range(7)]
    outcome = run(clusters=[*clusters, {"name": "fine"}])

    (problem,) = outcome["problems"]
    assert (problem["severity"], problem["code"], problem["where"]) == ("warning", "separate-problems", "clusters")
    assert problem["message"].startswith("1 of 2 plans have further problems")
    (of_plan,) = plan_of(outcome, "site-0")["problems"]
    first = "site-0, site-1, site-2, site-3, site-4 and 2 more"
    assert of_plan["where"] == f"{first}: cluster_version.status.desired.version"
    assert plan_of(outcome, "fine")["problems"] == []


@pytest.fixture
def warned(monkeypatch) -> list[str]:
    """The warnings that the module shows. How Ansible returns them depends on its version."""
    texts: list[str] = []
    monkeypatch.setattr(AnsibleModule, "warn", lambda _module, text: texts.append(text))
    return texts


def warnings(outcome: Outcome) -> list[str]:
    return [str(Problem(**item)) for item in outcome["problems"] if item["severity"] == "warning"]


def test_problems_of_all_plans_are_reported_once_and_the_others_counted(run, warned):
    clusters = [
        {"name": "one", "capabilities": NOTHING},
        {"name": "two", "capabilities": CONSOLE},
        {"name": "three", "cluster_version": cluster_version(version="4.12.9")},
    ]
    overrides = [{"kind": "Deployment", "name": "x", "unmanaged": True}]
    alone = run(feature_set="TechPreviewNoUpgrade", overrides=overrides)
    warned.clear()
    outcome = run(clusters=clusters, feature_set="TechPreviewNoUpgrade", overrides=overrides)

    *common, counted = outcome["problems"]
    assert common == alone["problems"]
    assert len(common) == 2
    assert counted == {
        "severity": "warning",
        "code": "separate-problems",
        "where": "clusters",
        "message": "1 of 3 plans have further problems, see plans[].problems",
        "hint": "",
    }
    assert [len(plan["problems"]) for plan in outcome["plans"]] == [2, 2, 3]
    assert all(item in plan["problems"] for plan in outcome["plans"] for item in common)
    assert warned == warnings(outcome)


def test_notes_about_a_plan_are_not_counted(run):
    outcome = run(clusters=[{"name": "one", "enabled_capabilities": []}, {"name": "two", "capabilities": CONSOLE}])

    assert [item["severity"] for item in plan_of(outcome, "one")["problems"]] == ["info"]
    assert outcome["problems"] == []


def test_a_warning_about_a_release_is_reported_once_for_all_plans(call, tmp_path):
    odd = {"a.yaml": manifest("a", annotations={INCLUDE: True}), "b.yaml": manifest("b")}
    path = [str(write_release(tmp_path / version, odd, version)) for version in ("4.19.1", "4.20.1")]
    outcome = call(update_plan, releases=path, clusters=[{"name": "one"}, {"name": "two", "capabilities": NOTHING}])

    locations = [item["where"] for item in outcome["problems"] if item["where"].startswith(str(tmp_path))]
    assert len(locations) == len(set(locations)) == 2
    assert [where.partition(": ")[0] for where in locations] == path


@pytest.mark.parametrize("fleet", [False, True])
def test_a_plan_with_violations_is_shown_with_its_warnings(fleet, run, warned):
    options: dict[str, Any] = {"capabilities": NOTHING}
    options = {"clusters": [{"name": "one", **options}]} if fleet else options
    passed, failed = (
        run(feature_set="TechPreviewNoUpgrade", forbidden_capabilities=names, **options) for names in ([], ["all"])
    )

    assert failed.failed
    assert len(warnings(passed)) == 1
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


@pytest.mark.parametrize(
    ("name", "capabilities", "message"),
    [
        ("MachineAPI", NOTHING, "MachineAPI because of Deployment.apps operators/machine-api and 1 more"),
        ("Build", None, "Build: the selection"),
        ("DeploymentConfig", NOTHING, "DeploymentConfig: openshift/cluster-version-operator#981"),
    ],
)
def test_a_violation_names_the_hop_and_the_cause(name, capabilities, message, run):
    (violation,) = run(forbidden_capabilities=[name], capabilities=capabilities)["violations"]

    assert (violation["from"], violation["to"], violation["clusters"]) == ("4.13.5", "4.14.2", [])
    assert violation["message"].startswith(f"4.13.5 to 4.14.2 enables {message}")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Consoel", "Did you mean Console?"),
        ("console", "Write Console"),
        ("All", "Write all"),
        ("blocked", "Use one of: Build, "),
        # known to a later release than those of the path
        ("OperatorLifecycleManagerV1", "Use one of: Build, "),
    ],
)
def test_an_unknown_forbidden_name_is_an_error(name, hint, run):
    outcome = run(forbidden_capabilities=["Console", name])

    (problem,) = outcome["problems"]
    assert (problem["code"], problem["where"]) == ("unknown-capability", "forbidden_capabilities[1]")
    assert problem["hint"].startswith(hint)


def test_forbidden_names_are_not_checked_if_a_release_is_invalid(run):
    outcome = run(forbidden_capabilities=["Console"], capabilities={"baselineCapabilitySet": "none"})

    assert [item["where"] for item in outcome["problems"]] == ["capabilities.baselineCapabilitySet"]


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


def test_a_failing_fleet_reports_its_problems_like_any_other(run):
    odd = {**cluster_version(), "status": None}
    clusters = [{"name": "site", "cluster_version": odd}, {"name": "other", "capabilities": NOTHING}]
    failed, passed = (run(clusters=clusters, forbidden_capabilities=names) for names in (["all"], []))

    assert (failed.failed, passed.failed) == (True, False)
    assert failed["problems"] == passed["problems"]
    assert [item["where"] for item in passed["problems"]] == ["clusters"]
    assert failed["plans"] == passed["plans"]
