# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which reasons and capabilities can be accepted by which name, and what a fleet has in common."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import CapabilityStatus
from ansible_collections.capability.openshift.plugins.module_utils._cluster.admin_acks import AdminAcks, admin_gates
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.acceptance import Acceptance
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import Planner, PlanResult
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.result import (
    required_acceptances,
    shared_reasons,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.update_reasons import ACCEPTABLE_CODES
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.update_status import (
    ConditionalRisk,
    read_update_status,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.verdict import acceptable_names
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.violations import capability_violations
from ansible_collections.capability.openshift.tests.unit.builders import cluster_versions
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import condition, conditional, risk
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    Entry,
    admin_gates_manifest,
    build_release,
    manifest,
)
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference

PATCH, MINOR = ("4.18.3", "4.18.4"), ("4.18.3", "4.19.1")
GATE = "ack-4.18-kube-1.32-api-removals-in-4.19"
GATES = admin_gates_manifest({GATE: "Kubernetes 1.32 removes several APIs."})
ENABLED = '1 - max(cluster_version_capability{name="Console"})'
"""Of blocked-edges/4.14.0-ConsoleImplicitlyEnabled.yaml: with a line break at its end, and true if it is disabled."""

IS_ENABLED = 'max(cluster_version_capability{name="Console"})'
"""Of blocked-edges/4.18.12-ConsoleEnabledTargetDownAlert.yaml."""


def reported(version: str, *conditions: Any, status: Any = None, **fields: Any) -> dict[str, Any]:
    """Return a ClusterVersion that has Ingress enabled, as every cluster of these versions."""
    names = {"capabilities": {"enabledCapabilities": ["Ingress"], "knownCapabilities": ["Console", "Ingress"]}}
    return cluster_versions.reported(version, *conditions, status={**names, **(status or {})}, **fields)


def plan(
    path: tuple[str, str], *start: Entry, end: Entry | None = None, state: Any = None, **options: Any
) -> PlanResult:
    sides = [[manifest(), *start], [end or manifest()]]
    if "cluster_version" not in options:
        options = {"capabilities": {"baselineCapabilitySet": "None"}, **options}
    state = {"acks": AdminAcks(acks=frozenset()), **(state or {})}
    releases = [build_release(version, side) for version, side in zip(path, sides, strict=True)]
    request = reference.plan_request(releases, **options)
    return reference.shared_plan(Planner(releases), request._replace(state=request.state._replace(**state)))


def names(result: PlanResult) -> list[str]:
    return [item.name for item in result.verdicts[0].reasons]


def accepting(*accepted: str) -> dict[str, Any]:
    return {"acceptances": tuple(Acceptance(name, "why") for name in accepted)}


CONDITIONAL = conditional("4.18.4", False, "MultipleReasons", risk("Slow"), risk("Lost"))


@pytest.mark.parametrize(
    ("path", "status", "expected"),
    [
        (MINOR, reported("4.18.3", available=["4.19.1"]), [GATE]),
        # The condition is the only source if the gates of the release have no text of it.
        (
            MINOR,
            reported("4.18.3", condition("Upgradeable", False, f"AdminAck-{GATE}", "text"), available=["4.19.1"]),
            [GATE],
        ),
        (PATCH, reported("4.18.3", conditional_updates=[CONDITIONAL]), ["Slow", "Lost"]),
        (PATCH, reported("4.18.3", conditional_updates=[conditional("4.18.4", False, "Odd")]), ["conditional-risk"]),
        (PATCH, reported("4.18.3", condition("Failing", True, "X"), available=["4.18.4"]), ["failing"]),
        (PATCH, reported("4.18.3", condition("Progressing", True, "X"), available=["4.18.4"]), ["update-in-progress"]),
        (PATCH, reported("4.18.3", state="Partial", past=["4.18.2"], available=["4.18.4"]), ["update-in-progress"]),
        (
            PATCH,
            reported("4.18.3", condition("ReleaseAccepted", False), available=["4.18.4"]),
            ["release-not-accepted"],
        ),
        (PATCH, reported("4.18.3"), ["update-not-listed"]),
        (PATCH, reported("4.18.3", condition("RetrievedUpdates", False)), ["updates-not-retrieved"]),
        (PATCH, reported("4.18.3", channel=""), ["no-channel"]),
        (PATCH, reported("4.18.3", condition("Invalid", True), available=["4.18.4"]), ["invalid-cluster-version"]),
        # The CVO refuses this whatever an administrator accepts.
        (MINOR, reported("4.18.3", condition("Upgradeable", False, "Pool"), available=["4.19.1"]), ["", GATE]),
    ],
)
def test_a_reason_is_accepted_by_the_gate_the_risk_or_the_code(path, status, expected):
    start = [GATES] if path == MINOR else []
    found = plan(path, *start, cluster_version=status)

    assert names(found) == expected
    assert all(name in ACCEPTABLE_CODES or name in (GATE, "Slow", "Lost", "") for name in expected)
    left = [item for item in expected if not item]
    accepted = plan(path, *start, cluster_version=status, state=accepting(*filter(None, expected)))
    assert accepted.verdict == ("blocked" if left else "go")
    assert [item.accepted is None for item in accepted.verdicts[0].reasons] == [not name for name in names(accepted)]


def test_a_gate_that_only_the_condition_reports_has_the_name_of_its_risk():
    status = reported("4.18.3", condition("Upgradeable", False, f"AdminAck-{GATE}", "text"), available=["4.19.1"])
    assert names(plan(MINOR, cluster_version=status)) == [GATE]

    unnamed = reported("4.18.3", condition("Upgradeable", False, "AdminAckRequired", "text"), available=["4.19.1"])
    assert names(plan(MINOR, cluster_version=unnamed)) == [""]


NO_ACKS = condition("Upgradeable", False, "UnableToAccessAdminAcksConfigMap", "admin-acks configmap not found.")


@pytest.mark.parametrize(
    ("start", "accepted", "verdict"),
    [
        ([GATES], (), "acknowledge"),
        ([GATES], (GATE,), "go"),
        ([GATES], ("missing-admin-acks",), "acknowledge"),
        ([GATES], (GATE, "missing-admin-acks"), "go"),
        ([], (), "acknowledge"),
        ([], (GATE,), "acknowledge"),
        ([], ("missing-admin-acks",), "go"),
    ],
)
def test_who_accepts_all_gates_accepts_a_missing_config_map(start, accepted, verdict):
    status = reported("4.18.3", NO_ACKS, available=["4.19.1"])
    found = plan(MINOR, *start, cluster_version=status, state=accepting(*accepted))

    assert found.verdict == verdict
    assert set(names(found)) == {"missing-admin-acks", *([GATE] if start else [])}
    used = {item.name for item in found.accepted}
    assert used == set(accepted).intersection(names(found))


def test_a_missing_config_map_stays_as_long_as_one_gate_is_not_accepted():
    gates = AdminAcks(admin_gates({GATE: "a", f"{GATE}-too": "b"}, "here"), frozenset())
    status = reported("4.18.3", NO_ACKS, available=["4.19.1"])
    found = plan(MINOR, cluster_version=status, state={"acks": gates, **accepting(GATE)})

    assert names(found) == [f"{GATE}-too", "missing-admin-acks", GATE]
    assert found.verdict == "acknowledge"


def test_a_reason_that_is_accepted_comes_after_the_others():
    status = reported("4.18.3", condition("Failing", True, "X"), available=["4.19.1"])
    found = plan(MINOR, GATES, cluster_version=status, state=accepting("failing"))

    assert names(found) == [GATE, "failing"]
    assert (found.verdict, [item.name for item in found.accepted]) == ("acknowledge", ["failing"])


def test_a_capability_that_is_accepted_violates_nothing():
    moved = manifest("Console")
    found = plan(MINOR, end=moved)
    (violation,) = capability_violations(found, ["all"])
    assert violation.name == "Console"

    accepted = plan(MINOR, end=moved, state=accepting("Console", "Insights"))
    assert list(capability_violations(accepted, ["all", "Console"])) == []
    assert [item.name for item in accepted.accepted] == ["Console"]


def test_gates_and_risks_can_be_accepted_whether_they_are_against_the_update_or_not():
    result = plan(MINOR, GATES)
    state = result.request.state._replace(
        status=read_update_status(reported("4.18.3", conditional_updates=[CONDITIONAL])),
        acks=AdminAcks(acks=frozenset({"ack-4.18-acknowledged"})),
    )

    assert acceptable_names([], state) == {"ack-4.18-acknowledged", "Slow", "Lost"}


# Risks that only ask about a capability.


@pytest.mark.parametrize(
    ("promql", "capabilities", "expected"),
    [
        ([ENABLED], ("Console", "Console"), False),
        ([ENABLED], ("", "Console"), True),
        ([IS_ENABLED], ("Console", "Console"), True),
        ([IS_ENABLED], ("", "Console"), False),
        # Enabled but unknown counts as enabled, as in the metric.
        ([IS_ENABLED], ("Console", ""), True),
        # The metric has no series, so the result of the CVO is an error.
        ([IS_ENABLED], ("", "Insights"), None),
        ([ENABLED], ("Insights", ""), None),
        ([], ("Console", "Console"), None),
        ([IS_ENABLED, IS_ENABLED], ("Console", "Console"), None),
        (['max(cluster_version_capability{name=~"Console"})'], ("Console", "Console"), None),
        (['max(cluster_version_capability{_id="",name="Console"})'], ("Console", "Console"), None),
        (['min(cluster_version_capability{name="Console"})'], ("Console", "Console"), None),
        ([f"{IS_ENABLED} or vector(1)"], ("Console", "Console"), None),
        ([f"0 * {IS_ENABLED}"], ("Console", "Console"), None),
        (['1-max(cluster_version_capability{name="Console"})'], ("Console", "Console"), None),
    ],
)
def test_only_two_expressions_are_decided(promql, capabilities, expected):
    enabled, known = (frozenset(names.split()) for names in capabilities)
    asked = ConditionalRisk("Some", "", "", tuple(promql), None)

    assert asked.result(CapabilityStatus(enabled=enabled, known=known, implicitly_enabled=frozenset())) is expected


@pytest.mark.parametrize(("enabled", "expected"), [([], "risk"), (["Console"], "go")])
def test_a_risk_about_a_capability_applies_as_the_plan_knows(enabled, expected):
    implicitly = risk("ConsoleImplicitlyEnabled", promql=f"{ENABLED}\n")
    entry = conditional("4.18.4", "Unknown", "EvaluationFailed", implicitly)
    status = {"capabilities": {"enabledCapabilities": enabled, "knownCapabilities": ["Console"]}}
    cluster_version = reported("4.18.3", conditional_updates=[entry], status=status)
    (found,) = plan(PATCH, cluster_version=cluster_version).verdicts

    assert (found.verdict, found.not_checked) == (expected, ())
    assert all(not item.message.startswith("it is not known") for item in found.reasons)


def test_the_answer_of_the_operator_counts_more_than_the_plan():
    implicitly = risk("ConsoleImplicitlyEnabled", promql=ENABLED)
    entry = conditional("4.18.4", False, "ConsoleImplicitlyEnabled", implicitly)
    status = {"capabilities": {"enabledCapabilities": ["Console"], "knownCapabilities": ["Console"]}}

    found = plan(PATCH, cluster_version=reported("4.18.3", conditional_updates=[entry], status=status))
    assert found.verdict == "risk"


# What a fleet has in common.


def fleet() -> tuple[list[PlanResult], list[list[str]]]:
    waiting = plan(MINOR, GATES, end=manifest("Console"), cluster_version=reported("4.18.3", available=["4.19.1"]))
    status = reported("4.18.3", condition("Failing", True, "Here", "berlin fails"), available=["4.19.1"])
    failing = plan(MINOR, GATES, cluster_version=status, state=accepting(GATE))
    status = reported("4.18.3", condition("Failing", True, "There", "rome fails"), available=["4.18.4"])
    other = plan(PATCH, cluster_version=status)
    return [waiting, failing, other], [["paris", "edge-1"], ["berlin"], ["rome"]]


def test_a_reason_of_a_fleet_names_all_its_clusters():
    assert [
        (row["name"], row["verdict"], row["code"], row["reason"], row["clusters"], row["accepted"])
        for row in shared_reasons(*fleet())
    ] == [
        ("failing", "risk", "failing", "Here", ["berlin", "rome"], []),
        (GATE, "acknowledge", "admin-ack-required", "AdminAckRequired", ["paris", "edge-1", "berlin"], ["berlin"]),
    ]


def test_reasons_without_a_name_are_the_same_if_the_cluster_reports_the_same():
    def blocked(reason: str) -> PlanResult:
        status = reported("4.18.3", condition("Upgradeable", False, reason, f"{reason} text"), available=["4.19.1"])
        return plan(MINOR, cluster_version=status)

    rows = shared_reasons([blocked("Pool"), blocked("Pool"), blocked("Etcd")], [["paris"], ["rome"], ["berlin"]])
    assert [(row["name"], row["reason"], row["clusters"]) for row in rows] == [
        ("", "Pool", ["paris", "rome"]),
        ("", "Etcd", ["berlin"]),
    ]
    assert required_acceptances([blocked("Pool")], [["paris"]]) == []


def test_required_acceptances_are_the_names_that_are_not_accepted_yet():
    rows = required_acceptances(*fleet())

    assert [(row["name"], row["clusters"]) for row in rows] == [
        ("Console", ["paris", "edge-1"]),
        (GATE, ["paris", "edge-1"]),
        ("failing", ["berlin", "rome"]),
    ]
    assert rows[0]["message"].startswith("4.18.3 to 4.19.1 enables Console because of Deployment.apps ")
    assert rows[1]["message"] == f"{GATE}: Kubernetes 1.32 removes several APIs"


def test_with_the_required_acceptances_nothing_is_left():
    status = reported("4.18.3", condition("Failing", True, "Here"))
    start: dict[str, Any] = {"end": manifest("Console"), "cluster_version": status}
    found = plan(MINOR, GATES, **start)
    needed = [row["name"] for row in required_acceptances([found], [[]])]

    assert needed == ["Console", GATE, "failing", "update-not-listed"]
    accepted = plan(MINOR, GATES, **start, state=accepting(*needed))
    assert accepted.verdict == "go"
    assert required_acceptances([accepted], [[]]) == []
    assert list(capability_violations(accepted, ["all"])) == []


def test_a_requested_capability_needs_no_acceptance():
    selection = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console"]}

    assert required_acceptances([plan(MINOR, end=manifest("Console"), capabilities=selection)], [[]]) == []
