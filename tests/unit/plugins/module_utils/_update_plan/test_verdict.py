# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The verdict of each hop: what the releases, the settings and the status of a cluster report against an update."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.admin_acks import (
    AdminAcks,
    AdminGate,
    acknowledged,
    admin_gates,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import minor_of
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import Planner, PlanResult
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.verdict import HopVerdict
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import (
    condition,
    conditional,
    reported,
    risk,
)
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    TECH_PREVIEW,
    Entry,
    admin_gates_manifest,
    build_release,
    manifest,
    planned,
)
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference

PATCH, MINOR = ("4.18.3", "4.18.4"), ("4.18.3", "4.19.1")
GATE = "ack-4.18-kube-1.32-api-removals-in-4.19"
NOT_UPGRADEABLE = condition("Upgradeable", False, "PoolUpdating", "pools are updating")


def gates(*names: str, text: str = "Kubernetes 1.32 removes\n  several APIs.") -> Entry:
    """Return the ConfigMap admin-gates of a release."""
    return admin_gates_manifest(dict.fromkeys(names, text))


def on_path(path: tuple[str, ...], *start: Entry, down: bool = False, **options: Any) -> PlanResult:
    """Return the plan of a path whose first release has the manifests ``start``."""
    sides = [[manifest(), *start], *[[manifest()] for _release in path[1:]]]
    return planned(*sides, path=path, down=down, **options)


def verdict(path: tuple[str, ...], *start: Entry, **options: Any) -> HopVerdict:
    """Return the verdict of the first hop."""
    return on_path(path, *start, **options).verdicts[0]


def codes(found: HopVerdict) -> list[tuple[str, str, str]]:
    return [(item.verdict, item.code, item.reason) for item in found.reasons]


def with_acks(path: tuple[str, ...], acks: AdminAcks, *start: Entry, **options: Any) -> HopVerdict:
    """Return the verdict for a cluster whose ConfigMaps were read."""
    return with_state(path, {"acks": acks}, *start, **options)


def with_state(path: tuple[str, ...], state: dict[str, Any], *start: Entry, **options: Any) -> HopVerdict:
    """Return the verdict for a cluster of which ``state`` is known."""
    releases = [
        build_release(version, [manifest(), *(start if not place else ())]) for place, version in enumerate(path)
    ]
    request = reference.plan_request(releases, **options)
    request = request._replace(state=request.state._replace(**state))
    return reference.shared_plan(Planner(releases), request).verdicts[0]


@pytest.mark.parametrize("path", [PATCH, MINOR])
def test_a_healthy_cluster_goes_to_an_available_update(path):
    found = verdict(path, cluster_version=reported(path[0], available=[path[1]]))

    assert (found.verdict, found.reasons, found.not_checked) == ("go", (), ())


@pytest.mark.parametrize(("path", "expected"), [(PATCH, "go"), (MINOR, "blocked")])
def test_upgradeable_false_blocks_another_minor_only(path, expected):
    found = verdict(path, cluster_version=reported(path[0], NOT_UPGRADEABLE, available=[path[1]]))

    assert found.verdict == expected
    if expected == "blocked":
        (reason,) = found.reasons
        assert reason[:5] == (
            *("blocked", "not-upgradeable", "PoolUpdating", "pools are updating"),
            "ClusterVersion version: status.conditions[Upgradeable]",
        )


# Since 5.0, the CVO names reasons after risks, has no conditions for each, and adds the risks to conditional updates.
# openshift/cluster-version-operator release-5.0:pkg/cvo/status.go setUpgradeableCondition, pkg/risk.

TEXT = "Kubernetes 1.32 removes several APIs."
NO_REASON = "RiskNameNotCompatibleWithReasonProperty"
ACK_RISK = risk(f"AdminAck-{GATE}", message=TEXT)
DISABLED = (
    "Disabling ownership via cluster version overrides prevents updates between minor or major versions. "
    "Please remove overrides before requesting a minor or major version update."
)
OVERRIDES_RISK = risk("ClusterVersionOverrides", message=DISABLED)
OPERATOR_RISK = risk("ClusterOperatorUpgradeable-machine-config", message="pools are updating")
NO_CONFIG_MAP = 'Failed to retrieve ConfigMap {0} from namespace openshift-config: configmap "{0}" not found'
NO_ACKS_RISK = risk("AdminAckUnknown", message=NO_CONFIG_MAP.format("admin-acks"))
NO_GATES_RISK = risk("AdminAckUnknown", message=NO_CONFIG_MAP.format("admin-gates"))
OVERRIDE = {"kind": "Deployment", "group": "apps", "namespace": "a", "name": "b", "unmanaged": True}
ACK, OVERRIDDEN = ("acknowledge", "admin-ack-required"), ("blocked", "overrides")
BLOCKED = ("blocked", "not-upgradeable")


def upgradeable(*risks: dict[str, Any]) -> dict[str, str]:
    """Return the condition that a CVO of 5.0 reports for ``risks``."""
    (first, *more) = risks
    if not more:
        reason = first["name"] if first["name"].isalnum() else NO_REASON
        return condition("Upgradeable", False, reason, first["message"])
    head = "Cluster should not be upgraded between minor or major versions for multiple reasons:"
    return condition("Upgradeable", False, "MultipleReasons", "\n* ".join([head, *(one["message"] for one in risks)]))


@pytest.mark.parametrize(
    ("risks", "expected"),
    [
        ([ACK_RISK], [ACK]),
        ([OVERRIDES_RISK], [OVERRIDDEN]),
        ([OPERATOR_RISK], [BLOCKED]),
        ([NO_GATES_RISK], [BLOCKED]),
        ([NO_ACKS_RISK], [("acknowledge", "missing-admin-acks")]),
        ([NO_ACKS_RISK, OPERATOR_RISK], [BLOCKED, ("acknowledge", "missing-admin-acks")]),
        ([OVERRIDES_RISK, ACK_RISK], [OVERRIDDEN, ACK]),
        ([ACK_RISK, OPERATOR_RISK], [BLOCKED, ACK]),
    ],
)
@pytest.mark.parametrize("is_listed", [False, True], ids=["available", "conditional"])
def test_each_risk_that_a_cvo_names_is_returned_once(risks, expected, is_listed):
    """``is_listed``: the update service knows the update, so the risks are in its entry, too."""
    known = {GATE: TEXT} if ACK_RISK in risks else {}
    updates: dict[str, Any] = {"available": MINOR[1:]}
    if is_listed:
        updates = {"conditional_updates": [conditional(MINOR[1], False, "Several", *risks)]}
    overrides = [OVERRIDE] if OVERRIDES_RISK in risks else []
    status = reported(MINOR[0], upgradeable(*risks), overrides=overrides, **updates)
    found = with_acks(MINOR, AdminAcks(admin_gates(known, "here"), frozenset()), cluster_version=status)

    assert [item[:2] for item in found.reasons] == expected
    plain = with_acks(MINOR, AdminAcks(admin_gates(known, "here")), cluster_version=status)
    assert [item[:2] for item in plain.reasons] == expected


def test_a_risk_that_the_condition_does_not_report_stays_a_risk():
    more = risk("NodesHang")
    listed = conditional(MINOR[1], False, "Several", OPERATOR_RISK, more)
    status = reported(MINOR[0], upgradeable(OPERATOR_RISK), conditional_updates=[listed])
    found = verdict(MINOR, cluster_version=status)
    assert codes(found) == [
        ("blocked", "not-upgradeable", OPERATOR_RISK["name"]),
        ("risk", "conditional-risk", "NodesHang"),
    ]


def test_an_invalid_gate_is_returned_once():
    for reason, message in (
        ("AdminAckConfigMapGateNameError", "the name of a gate is not valid"),
        (NO_REASON, 'admin-gates configmap gate "kube-1.32" is invalid: it must comply with ^ack-'),
    ):
        shown = condition("Upgradeable", False, reason, message)
        acks = AdminAcks(admin_gates({"kube-1.32": "text"}, "here"), frozenset())
        status = reported(MINOR[0], shown, available=MINOR[1:])
        found = with_acks(MINOR, acks, cluster_version=status)
        assert codes(found) == [("blocked", "invalid-admin-gate", "AdminAckConfigMapGateNameError")]


@pytest.mark.parametrize("status", [True, "Unknown"])
def test_another_status_of_upgradeable_blocks_nothing(status):
    shown = condition("Upgradeable", status, "PoolUpdating", "pools are updating")
    assert verdict(MINOR, cluster_version=reported(MINOR[0], shown, available=MINOR[1:])).verdict == "go"


def test_each_of_several_reasons_of_upgradeable_is_returned():
    conditions = [
        condition("Upgradeable", False, "MultipleReasons", "for multiple reasons: a, b, c"),
        condition("UpgradeableAdminAckRequired", False, "AdminAckRequired", "APIs are removed"),
        condition("UpgradeableClusterOperators", False, "PoolUpdating", "pools are updating"),
        condition("UpgradeableDeletesInProgress", False, "ResourceDeletesInProgress", "a, b"),
    ]
    found = verdict(MINOR, cluster_version=reported(MINOR[0], *conditions, available=MINOR[1:]))

    assert codes(found) == [
        ("blocked", "not-upgradeable", "PoolUpdating"),
        ("blocked", "not-upgradeable", "ResourceDeletesInProgress"),
        ("acknowledge", "admin-ack-required", "AdminAckRequired"),
    ]
    assert found.reasons[2].source == "ClusterVersion version: status.conditions[UpgradeableAdminAckRequired]"


@pytest.mark.parametrize(("progressing", "expected"), [(True, "blocked"), (False, "go")])
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("Upgradeable", "UpdateInProgress"),
        ("UpgradeableUpgradeInProgress", "UpdateInProgress"),
        ("Upgradeable", "ClusterVersionUpdating"),
    ],
)
def test_an_update_that_is_completed_is_no_longer_in_progress(kind, reason, progressing, expected):
    conditions = [condition(kind, False, reason, "already in progress")]
    if kind != "Upgradeable":
        conditions.append(condition("Upgradeable", False, "MultipleReasons", "for multiple reasons"))
    conditions.append(condition("Progressing", progressing, "", "working"))
    found = verdict(MINOR, cluster_version=reported(MINOR[0], *conditions, available=MINOR[1:]))

    blocking = [reason for reason in found.reasons if reason.code == "not-upgradeable"]
    assert [reason.hint[:7] for reason in blocking] == (["Wait un"] if expected == "blocked" else [])
    assert found.verdict == expected


STATES = [
    (condition("Failing", True, "ClusterOperatorDegraded", "etcd is degraded"), ("risk", "failing")),
    (condition("Failing", "Unknown", "SlowClusterOperator", "waits for etcd"), ("risk", "failing")),
    (condition("Failing", False), None),
    (condition("ReleaseAccepted", False, "RetrievePayload", "no image"), ("risk", "release-not-accepted")),
    (condition("Progressing", True, "ClusterOperatorUpdating", "1 of 9"), ("risk", "update-in-progress")),
    (condition("Invalid", True, "InvalidClusterVersion", "spec is wrong"), ("risk", "invalid-cluster-version")),
]


@pytest.mark.parametrize("path", [PATCH, MINOR])
@pytest.mark.parametrize(("shown", "expected"), STATES)
def test_conditions_of_the_cluster_count_for_every_update(path, shown, expected):
    found = verdict(path, cluster_version=reported(path[0], shown, available=path[1:]))

    assert [(item.verdict, item.code) for item in found.reasons] == ([expected] if expected else [])
    for reason in found.reasons:
        assert reason.reason == shown["reason"]
        assert shown["message"] in reason.message
        assert reason.source == f"ClusterVersion version: status.conditions[{shown['type']}]"
        assert reason.hint
        assert "an update to" not in reason.message  # the one to this version is completed


def test_a_release_that_the_cvo_does_not_accept_blocks_the_update_to_it():
    shown = condition("ReleaseAccepted", False, "PreconditionChecks", "failed")
    wanted: dict[str, Any] = {"desiredUpdate": {"version": MINOR[1]}}
    found = verdict(MINOR, cluster_version=reported(MINOR[0], shown, available=MINOR[1:], **wanted))

    assert codes(found) == [("blocked", "release-not-accepted", "PreconditionChecks")]


@pytest.mark.parametrize("kind", ["availableUpdates", "conditionalUpdates"])
@pytest.mark.parametrize(("image", "expected"), [("mirror@b", "blocked"), ("a@c", "risk"), ("", "blocked")])
def test_an_image_that_is_not_accepted_does_not_block_the_listed_one_of_its_version(kind, image, expected):
    shown = condition("ReleaseAccepted", False, "RetrievePayload", "no image")
    listed: dict[str, Any] = {"version": MINOR[1], "image": "a@b"}
    status = {kind: [listed if kind == "availableUpdates" else {"release": listed, "conditions": []}]}
    wanted: dict[str, Any] = {"desiredUpdate": {"version": MINOR[1], "image": image}}
    found = verdict(MINOR, cluster_version=reported(MINOR[0], shown, status=status, **wanted))

    assert (expected, "release-not-accepted", "RetrievePayload") in codes(found)


@pytest.mark.parametrize(
    ("version", "image", "expected"),
    [(MINOR[1], "a@b", "blocked"), ("4.19.0", "a@b", "risk"), (MINOR[1], "c@d", "risk")],
)
def test_a_release_that_is_requested_by_its_image_has_the_version_that_the_cvo_found(version, image, expected):
    text = f'Preconditions failed for payload loaded version="{version}" image="{image}": failed'
    shown = condition("ReleaseAccepted", False, "PreconditionChecks", text)
    wanted: dict[str, Any] = {"desiredUpdate": {"version": "", "image": "a@b"}}
    found = verdict(MINOR, cluster_version=reported(MINOR[0], shown, available=MINOR[1:], **wanted))

    assert codes(found) == [(expected, "release-not-accepted", "PreconditionChecks")]


def test_a_partial_update_is_under_way_even_without_its_condition():
    found = verdict(PATCH, cluster_version=reported(PATCH[0], state="Partial", past=["4.18.2"], available=PATCH[1:]))

    assert codes(found) == [("risk", "update-in-progress", "Partial")]


@pytest.mark.parametrize("path", [PATCH, MINOR, ("4.18.3", "4.18.2")])
def test_before_its_installation_is_completed_a_cluster_ignores_each_update(path):
    working = condition("Progressing", True, "ClusterOperatorDegraded", "waits for console")
    status = reported(path[0], working, state="Partial", past=[path[1]], available=path[1:])
    status["status"]["history"][1]["state"] = "Partial"
    (reason,) = (item for item in verdict(path, down=True, cluster_version=status).reasons if item.code != "downgrade")

    assert reason[:3] == ("blocked", "not-installed", "ClusterOperatorDegraded")
    assert reason.message.endswith("until it is: waits for console")
    assert not reason.name


def test_a_hosted_cluster_gets_its_update_also_before_it_is_installed():
    sides = [[manifest(profile="ibm-cloud-managed")]] * 2
    status = reported(PATCH[0], state="Partial", available=PATCH[1:])
    (found,) = planned(*sides, path=PATCH, cluster_profile="ibm-cloud-managed", cluster_version=status).verdicts

    assert codes(found) == [("risk", "update-in-progress", "Partial")]


@pytest.mark.parametrize(
    ("requested", "expected"),
    [("4.18.9", [("risk", "update-in-progress", "RetrievePayload")]), (PATCH[0], []), (PATCH[1], []), ("", [])],
)
def test_another_update_that_the_cvo_loads_is_in_progress(requested, expected):
    loading = condition("ReleaseAccepted", "Unknown", "RetrievePayload", "Retrieving and verifying payload")
    wanted: dict[str, Any] = {"desiredUpdate": {"version": requested}}
    found = verdict(PATCH, cluster_version=reported(PATCH[0], loading, available=PATCH[1:], **wanted))

    assert codes(found) == expected


# Gates that an administrator acknowledges.


def test_without_a_cluster_a_gate_of_the_release_has_to_be_acknowledged():
    found = verdict(MINOR, gates(GATE))

    (reason,) = found.reasons
    assert (found.verdict, reason.code, reason.reason) == ("acknowledge", "admin-ack-required", "AdminAckRequired")
    assert reason.message == f"{GATE}: Kubernetes 1.32 removes several APIs"
    assert reason.source == "ConfigMap openshift-config-managed/admin-gates of 4.18.3 (0000_00_gates.yaml)"
    assert reason.hint.endswith(AdminGate(GATE, "", "").command)
    assert [item.code for item in found.not_checked] == ["cluster-state", "admin-acks"]


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        (PATCH, GATE, "go"),
        (MINOR, GATE, "acknowledge"),
        (MINOR, "ack-4.17-old", "go"),
        (MINOR, "ack-4.180-other", "go"),
        (("5.0.1", "5.1.1"), "ack-5.0-x", "acknowledge"),
        (("4.23.1", "5.0.1"), "ack-4.23-x", "acknowledge"),
    ],
)
def test_a_gate_counts_for_its_own_minor_when_the_cluster_leaves_it(path, name, expected):
    assert verdict(path, gates(name)).verdict == expected


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("kube-1.32", "text", "AdminAckConfigMapGateNameError"),
        ("ack-4.18--x", "text", "AdminAckConfigMapGateNameError"),
        ("ack-6.0-x", "text", "AdminAckConfigMapGateNameError"),
        (GATE, "", "AdminAckConfigMapGateValueError"),
    ],
)
def test_an_invalid_gate_cannot_be_acknowledged(name, text, reason):
    acks = AdminAcks((), frozenset({name}))

    assert codes(with_acks(MINOR, acks, gates(name, text=text))) == [("blocked", "invalid-admin-gate", reason)]


def test_the_gates_of_the_cluster_count_besides_those_of_its_release():
    found = with_acks(MINOR, AdminAcks(admin_gates({GATE: "a", "ack-4.18-b": "b"}, "here"), frozenset()), gates(GATE))

    assert [(item.message, item.source) for item in found.reasons] == [
        (f"{GATE}: a", "here"),
        ("ack-4.18-b: b", "here"),
    ]


def test_the_gates_of_the_cluster_count_after_an_update_to_a_patch():
    path, acks = ("4.18.3", "4.18.4", "4.19.1"), AdminAcks(admin_gates({GATE: "a", "ack-4.18-b": "b"}, "here"))
    releases = [build_release(version, [manifest(), gates(GATE)]) for version in path]
    request = reference.plan_request(releases, cluster_version=reported(path[0], available=path[1:]))
    request = request._replace(state=request.state._replace(acks=acks._replace(acks=frozenset())))
    later = reference.shared_plan(Planner(releases), request).verdicts[1]

    assert [item.message for item in later.reasons] == [f"{GATE}: {TEXT.rstrip('.')}", "ack-4.18-b: b"]


@pytest.mark.parametrize(("value", "expected"), [("true", "go"), ("True", "acknowledge"), (True, "acknowledge")])
def test_only_the_string_true_acknowledges(value, expected):
    found = with_acks(MINOR, AdminAcks((), acknowledged({GATE: value})), gates(GATE))

    assert found.verdict == expected
    assert "admin-acks" not in [item.code for item in found.not_checked]


def test_the_condition_shows_whether_gates_are_acknowledged_if_acks_are_not_read():
    path = MINOR
    shown = condition("Upgradeable", False, "AdminAckRequired", TEXT)
    done = verdict(path, gates(GATE), cluster_version=reported(path[0], available=path[1:]))
    open_ = verdict(path, gates(GATE), cluster_version=reported(path[0], shown, available=path[1:]))
    older = verdict(path, gates(GATE), cluster_version=reported("4.18.2", available=path[1:]))
    # Until an update is completed, the CVO looks at the gates of the version before it.
    unfinished = reported(path[0], state="Partial", past=["4.17.9"], available=path[1:])
    # Its result is from before the end of the update for up to two minutes.
    outdated = condition("Upgradeable", False, "UpdateInProgress", "An update is in progress")
    fresh = reported(path[0], outdated, condition("Progressing", False), past=["4.17.9"], available=path[1:])

    assert codes(done) == []
    for unknown in (unfinished, fresh):
        assert ("acknowledge", "admin-ack-required", "AdminAckRequired") in codes(
            verdict(path, gates(GATE), cluster_version=unknown)
        )
    # The gate has a name, so the condition does not repeat it.
    assert [item.source.split(" of ")[0] for item in open_.reasons] == [
        "ConfigMap openshift-config-managed/admin-gates"
    ]
    assert codes(older) == [("acknowledge", "admin-ack-required", "AdminAckRequired")]


@pytest.mark.parametrize(
    ("path", "state", "past", "blocks"),
    [
        (("4.16.3", "4.16.4"), "Partial", "4.15.9", True),
        (("4.16.3", "4.16.4"), "Partial", "4.16.2", False),
        (("4.16.3", "4.16.4"), "Completed", "4.15.9", False),
        (("4.17.3", "4.17.4"), "Partial", "4.16.9", False),
    ],
)
def test_before_4_17_another_patch_is_blocked_while_a_minor_update_is_under_way(path, state, past, blocks):
    status = reported(path[0], NOT_UPGRADEABLE, state=state, past=[past], available=path[1:])
    found = [item for item in verdict(path, cluster_version=status).reasons if item.code == "not-upgradeable"]

    assert [item.verdict for item in found] == ["blocked"] * blocks
    assert all("another patch" not in item.hint for item in found)


@pytest.mark.parametrize("text", ["Boot images are old.", f"Boot images are old. {TEXT}"])
def test_a_gate_that_an_operator_added_counts_besides_those_of_the_release(text):
    """The machine-config operator adds gates to the ConfigMap, which are in no release."""
    shown = condition("Upgradeable", False, "AdminAckRequired", text)
    found = verdict(MINOR, gates(GATE), cluster_version=reported(MINOR[0], shown, available=MINOR[1:]))

    assert [item.name for item in found.reasons] == [GATE, ""]
    assert text.startswith(found.reasons[1].message)


def test_a_later_hop_has_the_gates_of_that_release_and_no_state_of_the_cluster():
    sides = [[manifest()], [manifest(), gates("ack-4.19-x", "ack-4.18-y")], [manifest()]]
    status = reported("4.18.3", NOT_UPGRADEABLE, available=["4.18.4"])
    first, second = planned(*sides, path=("4.18.3", "4.19.1", "4.20.1"), cluster_version=status).verdicts

    assert first.verdict == "blocked"
    assert [item.message.partition(":")[0] for item in second.reasons] == ["ack-4.19-x"]
    assert [item.code for item in second.not_checked] == ["cluster-state", "admin-acks"]


# The update service.

QUERY = "group(a)\n  or\n0 * group(b)"
SINGLE = risk("Slow", promql=QUERY)
RISKS = [
    # (Recommended, reason, risks) -> risks that count, and those that were not evaluated
    ((True, "AsExpected", [SINGLE]), [], []),
    ((False, "Slow", [SINGLE]), ["Slow"], []),
    ((False, "Slow", [risk("Other", promql="x"), SINGLE]), ["Slow"], []),
    ((False, "MultipleReasons", [SINGLE, risk("Lost", promql="x")]), ["Slow", "Lost"], ["Slow", "Lost"]),
    (("Unknown", "EvaluationFailed", [SINGLE]), ["Slow"], ["Slow"]),
    (("Unknown", "EvaluationFailed", [SINGLE, risk("Sure")]), ["Slow", "Sure"], ["Slow"]),
    ((False, "Odd", []), ["Odd"], []),
]


@pytest.mark.parametrize(("update", "counted", "not_evaluated"), RISKS)
def test_risks_count_for_exactly_their_target(update, counted, not_evaluated):
    recommended, reason, risks = update
    entries = [conditional("4.18.4", recommended, reason, *risks), conditional("4.18.5", False, "Far", risk("Far"))]
    status = reported("4.18.3", available=["4.18.6"], conditional_updates=entries)
    found = verdict(PATCH, cluster_version=status)

    assert codes(found) == [("risk", "conditional-risk", name) for name in counted]
    assert [item.code for item in found.not_checked] == ["promql"] * len(not_evaluated)
    for name, item in zip(not_evaluated, found.not_checked, strict=True):
        assert name in item.message
    for found_reason in found.reasons:
        assert found_reason.source == "ClusterVersion version: status.conditionalUpdates[4.18.4]"


def test_an_expression_that_was_not_evaluated_is_named():
    entry = conditional("4.18.4", "Unknown", "EvaluationFailed", SINGLE)
    (item,) = verdict(PATCH, cluster_version=reported("4.18.3", conditional_updates=[entry])).not_checked

    assert item.message == "PromQL of the risk Slow was not evaluated: group(a) or 0 * group(b)"


@pytest.mark.parametrize(("applies", "expected"), [("True", "risk"), ("False", "go"), ("Unknown", "risk")])
def test_a_risk_of_the_whole_cluster_is_found_by_its_name(applies, expected):
    entry = {**conditional("4.18.4", False, "MultipleReasons"), "riskNames": ["Slow"]}
    of_cluster = [{**SINGLE, "conditions": [condition("Applies", applies)]}]
    status = reported("4.18.3", conditional_updates=[entry], status={"conditionalUpdateRisks": of_cluster})

    assert verdict(PATCH, cluster_version=status).verdict == expected


@pytest.mark.parametrize(
    ("shown", "spec", "expected"),
    [
        (condition("RetrievedUpdates", True), {}, "update-not-listed"),
        (condition("RetrievedUpdates", False, "RemoteFailed", "no route"), {}, "updates-not-retrieved"),
        (condition("RetrievedUpdates", False, "NoChannel", "no channel"), {"channel": ""}, "no-channel"),
    ],
)
def test_an_update_that_the_update_service_does_not_list_is_a_risk(shown, spec, expected):
    found = verdict(PATCH, cluster_version=reported("4.18.3", shown, available=["4.18.5"], **spec))

    assert [(item.verdict, item.code) for item in found.reasons] == [("risk", expected)]


def test_a_missing_config_map_of_acknowledgements():
    shown = condition("Upgradeable", False, "UnableToAccessAdminAcksConfigMap", "admin-acks configmap not found.")
    acks = AdminAcks(admin_gates({GATE: "a"}, "here"), frozenset())
    found = with_acks(MINOR, acks, cluster_version=reported(MINOR[0], shown, available=MINOR[1:]))

    assert found.verdict == "acknowledge"
    assert {item.code: item.hint.split(":")[0] for item in found.reasons} == {
        "admin-ack-required": "Check what it describes, then acknowledge it",
        "missing-admin-acks": "Wait",
    }


# What is not known.

LATE = "the operator has not reported the last change of the ClusterVersion yet, which takes up to four minutes"


@pytest.mark.parametrize(
    ("generation", "unkept", "message"),
    [
        (7, "", ""),
        (8, "", f"{LATE}, so the status may be outdated"),
        (8, "no operator runs", "no operator runs, so the status may be outdated"),
        (7, "no operator runs", "no operator runs, so the status may be outdated"),
    ],
)
def test_a_status_that_nothing_keeps_is_not_checked(generation, unkept, message):
    obj = reported(PATCH[0], available=PATCH[1:], status={"observedGeneration": 7})
    obj = {**obj, "metadata": {**obj["metadata"], "generation": generation}}
    found = with_state(PATCH, {"unkept": unkept}, cluster_version=obj)

    assert found.verdict == "go"
    assert found.not_checked == ((("outdated-status", message),) if message else ())


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "cluster-state"),
        ({"cluster_version": reported("4.18.3", status={"conditions": []})}, "unused-status"),
    ],
)
def test_conditions_that_are_not_known_do_not_count(options, code):
    found = verdict(MINOR, **options)

    assert found.verdict == "go"
    assert [item.code for item in found.not_checked] == [code, "admin-gates"]
    # The cluster that was read has more than its ClusterVersion.
    whole = with_state(MINOR, {"is_read": True}, **options)
    assert [item.code for item in whole.not_checked] == ["unused-status", "admin-gates"]


@pytest.mark.parametrize("path", [MINOR, ("4.18.3", "4.18.4", "4.19.1")])
def test_without_the_manifests_of_the_cvo_the_gates_of_a_release_are_not_known(path):
    """`oc adm release extract` writes such a directory."""
    gate_file, last = gates(GATE), len(path) - 2
    found = on_path(path).verdicts[last]
    assert (found.verdict, "admin-gates" in {item.code for item in found.not_checked}) == ("go", True)
    crd = manifest(
        name="clusterversions.config.openshift.io",
        api="apiextensions.k8s.io/v1",
        kind="CustomResourceDefinition",
        namespace="",
    )
    for own, verdict_of in ((gate_file, "acknowledge"), (crd, "go")):
        whole = planned(*[[manifest(), own]] * len(path), path=path).verdicts[last]
        assert (whole.verdict, "admin-gates" in {item.code for item in whole.not_checked}) == (verdict_of, False)
    # The ConfigMap of the cluster has them, or its CVO found them acknowledged.
    assert "admin-gates" not in {item.code for item in with_acks(MINOR, AdminAcks((), frozenset())).not_checked}
    status = reported(MINOR[0], available=[MINOR[1]])
    assert verdict(MINOR, cluster_version=status).not_checked == ()


@pytest.mark.parametrize(
    ("runs", "path", "hops"),
    [
        ("4.18.3", ("4.18.3", "4.19.1", "4.20.1"), [False, True]),
        ("4.18.3", ("4.18.3", "4.18.4", "4.19.1"), [False, True]),
        ("4.18.2", MINOR, [True]),
    ],
)
def test_the_config_map_of_a_cluster_has_the_gates_of_the_release_that_it_runs(runs, path, hops):
    releases = [build_release(version, [manifest()]) for version in path]
    request = reference.plan_request(releases, cluster_version=reported(runs, available=[path[1]]))
    state = request.state._replace(acks=AdminAcks((), frozenset()))
    found = reference.shared_plan(Planner(releases), request._replace(state=state)).verdicts
    minors = [item for item, start, end in zip(found, path, path[1:], strict=False) if minor_of(start) < minor_of(end)]
    assert ["admin-gates" in {item.code for item in verdict.not_checked} for verdict in minors] == hops[-len(minors) :]


def test_a_missing_config_map_of_acknowledgements_acknowledges_no_gate():
    """The CVO looks at no gate until it has created the ConfigMap again."""
    message = NO_CONFIG_MAP.format("admin-acks")
    missing = condition("Upgradeable", False, "UnableToAccessAdminAcksConfigMap", message)
    found = verdict(MINOR, gates(GATE), cluster_version=reported(MINOR[0], missing, available=[MINOR[1]]))
    assert {(item.code, item.name) for item in found.reasons} == {
        ("admin-ack-required", GATE),
        ("missing-admin-acks", "missing-admin-acks"),
    }


def test_the_conditions_of_another_minor_do_not_count():
    found = verdict(MINOR, cluster_version=reported("4.17.9", NOT_UPGRADEABLE))

    assert codes(found) == [("risk", "version-mismatch", "VersionMismatch")]
    unchecked, of_gates = found.not_checked
    assert of_gates.code == "admin-gates"
    assert unchecked == ("unused-status", "the cluster runs 4.17.9, not 4.18.3, so its status was not used")


@pytest.mark.parametrize(
    ("runs", "past", "expected"),
    [
        ("4.18.2", [], []),
        ("4.18.4", [], []),
        ("4.18.9", ["4.18.5"], [("blocked", "downgrade", "LowDesiredVersion")]),
        ("4.18.9", ["4.18.4"], []),
    ],
)
def test_a_cluster_of_another_patch_does_not_go_back_unnoticed(runs, past, expected):
    found = verdict(PATCH, cluster_version=reported(runs, past=past, available=[PATCH[1]]))

    assert codes(found) == expected
    assert [item.code for item in found.not_checked] == ["version-mismatch"]


NOT_LISTED = ("risk", "update-not-listed", "UnknownUpdate")


@pytest.mark.parametrize(
    ("runs", "past", "expected"),
    [
        ("4.18.5", ["4.18.4"], [("blocked", "downgrade", "LowDesiredVersion"), NOT_LISTED]),
        # No channel has a rollback.
        ("4.18.5", ["4.18.3"], [NOT_LISTED]),
        ("4.18.2", [], [NOT_LISTED]),
    ],
)
def test_a_rollback_is_one_from_the_version_that_the_cluster_runs(runs, past, expected):
    found = verdict(("4.18.8", "4.18.3"), down=True, cluster_version=reported(runs, past=past))

    assert codes(found) == expected


@pytest.mark.parametrize(("state", "expected"), [("Partial", ["update-in-progress"]), ("Completed", [])])
def test_the_version_that_the_cluster_updates_to_is_not_expected_in_its_channel(state, expected):
    found = verdict(PATCH, cluster_version=reported(PATCH[1], past=PATCH[:1], state=state))

    assert [item.code for item in found.reasons] == expected


def test_a_status_without_updates_does_not_say_whether_one_is_recommended():
    status = reported("4.18.3", status={"conditions": [condition("Available", True)]})
    found = verdict(PATCH, cluster_version=status)

    assert (found.verdict, [item.code for item in found.not_checked]) == ("go", ["recommended-updates"])


# Settings and versions.


def test_overrides_and_a_feature_set_block_and_their_condition_is_not_repeated():
    override = {"kind": "Deployment", "group": "apps", "namespace": "one", "name": "one", "unmanaged": True}
    shown = condition("Upgradeable", False, "ClusterVersionOverridesSet", "remove overrides")
    status = reported("4.18.3", shown, available=MINOR[1:], overrides=[override])
    found = verdict(MINOR, cluster_version=status, feature_set=TECH_PREVIEW)

    assert codes(found) == [
        ("blocked", "feature-set", "FeatureSet"),
        ("blocked", "overrides", "ClusterVersionOverridesSet"),
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("4.19.1", "4.21.1"), ("blocked", "skipped-minor", "MultipleMinorVersionsUpdate")),
        (("4.18.1", "4.20.1"), ("risk", "skipped-minor", "MultipleMinorVersionsUpdate")),
        (("4.21.1", "5.0.1"), ("blocked", "skipped-minor", "MajorVersionUpdate")),
        (("4.22.1", "5.1.1"), ("blocked", "skipped-minor", "MajorVersionUpdate")),
        (("4.22.1", "5.0.1"), None),
        (("4.22.1", "4.23.1"), None),
    ],
)
def test_a_minor_cannot_be_skipped(path, expected):
    assert codes(verdict(path)) == ([expected] if expected else [])


ROLLBACKS = [
    # (path, versions before, verdict)
    (("4.18.3", "4.18.2"), ["4.18.2", "4.18.1"], "go"),
    (("4.18.3", "4.18.1"), ["4.18.2", "4.18.1"], "blocked"),
    (("4.18.3", "4.18.2"), ["4.17.9"], "blocked"),
    (("4.18.3", "4.17.9"), ["4.17.9"], "blocked"),
    (("4.18.3", "4.18.2"), ["not a version", "4.18.2"], "blocked"),
    (("4.18.3", "4.18.2"), [], "blocked"),
    (("4.15.3", "4.15.2"), ["4.15.2"], "go"),
    (("4.15.3", "4.15.1"), ["4.15.2"], "blocked"),
    (("4.16.3", "4.16.2"), ["4.16.2"], "risk"),  # some patches refuse it
    (("4.13.3", "4.13.1"), ["4.13.2"], "risk"),
    (("4.13.3", "4.12.9"), [], "risk"),
]


@pytest.mark.parametrize(("path", "past", "expected"), ROLLBACKS)
def test_a_cluster_rolls_back_to_the_previous_patch_only(path, past, expected):
    found = verdict(path, down=True, cluster_version=reported(path[0], past=past, available=path[1:]))

    assert found.verdict == expected
    assert codes(found) == ([] if expected == "go" else [(expected, "downgrade", "LowDesiredVersion")])


@pytest.mark.parametrize(
    ("state", "past", "path", "expected"),
    [
        ("Completed", ["4.12.9"], ("4.13.3", "4.12.9"), [BLOCKED]),
        ("Partial", ["4.12.9"], ("4.13.3", "4.12.9"), []),  # back to the version that is completed
        ("Partial", ["4.12.9"], ("4.13.3", "4.11.9"), [BLOCKED]),
        ("Partial", ["4.13.3"], ("4.12.9", "4.13.3"), []),
        ("Completed", ["4.13.3"], ("4.14.3", "4.13.3"), []),  # refused in any case
    ],
)
def test_before_4_14_the_condition_blocks_a_downgrade_to_another_minor(state, past, path, expected):
    status = reported(path[0], NOT_UPGRADEABLE, state=state, past=past, available=path[1:])
    found = verdict(path, down=True, cluster_version=status)

    assert [item[:2] for item in codes(found) if item[1] == "not-upgradeable"] == expected


HOSTED = [
    (("4.18.3", "4.18.2"), {}, [("risk", "downgrade")]),
    (("4.13.9", "4.12.9"), {}, [("blocked", "downgrade")]),
    (("4.18.3", "4.17.9"), {}, [("blocked", "downgrade")]),
    (("5.1.0", "4.23.1"), {}, [("blocked", "downgrade")]),
    (("4.19.1", "4.21.1"), {}, [("risk", "skipped-minor")]),
    (("4.22.1", "5.0.1"), {}, []),
    (("4.22.1", "5.1.1"), {}, [("risk", "skipped-minor")]),
    (("4.23.1", "5.1.1"), {}, []),
    (("4.18.3", "4.18.4"), {"overrides": [{"kind": "Namespace", "name": "a", "unmanaged": True}]}, []),
    (MINOR, {"overrides": [{"kind": "Namespace", "name": "a", "unmanaged": True}]}, [("blocked", "overrides")]),
    (MINOR, {"feature_set": TECH_PREVIEW}, [("risk", "feature-set")]),
]


@pytest.mark.parametrize(("path", "options", "expected"), HOSTED)
def test_hypershift_compares_only_the_minors_of_a_hosted_cluster(path, options, expected):
    profile = "ibm-cloud-managed"
    sides = [[manifest(profile=profile)] for _release in path]
    (found,) = planned(*sides, path=path, down=True, cluster_profile=profile, **options).verdicts

    assert [(item.verdict, item.code) for item in found.reasons] == expected
    # The CVO considers gates before an update to a later minor version.
    of_gates = ["admin-gates"] if minor_of(path[0]) < minor_of(path[1]) else []
    assert [item.code for item in found.not_checked] == ["cluster-state", "hosted-cluster", *of_gates]


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [([], [("risk", "downgrade")]), ([NOT_UPGRADEABLE], [("blocked", "not-upgradeable"), ("risk", "downgrade")])],
)
def test_hypershift_counts_5_0_and_4_23_as_the_same_minor_but_not_for_the_condition(conditions, expected):
    path, profile = ("5.0.1", "4.23.1"), "ibm-cloud-managed"
    sides = [[manifest(profile=profile)]] * 2
    status = reported(path[0], *conditions, available=path[1:])
    (found,) = planned(*sides, path=path, down=True, cluster_profile=profile, cluster_version=status).verdicts

    assert [(item.verdict, item.code) for item in found.reasons] == expected


@pytest.mark.parametrize(
    ("profile", "path", "expected"),
    [
        ("ibm-cloud-managed", ("5.0.1", "5.1.1"), [("blocked", "not-upgradeable")]),
        ("ibm-cloud-managed", ("5.0.1", "5.0.2"), []),
        ("self-managed-high-availability", ("5.0.1", "5.1.1"), []),
    ],
)
def test_an_unknown_condition_blocks_the_minor_update_of_a_hosted_cluster(profile, path, expected):
    unknown = condition("Upgradeable", "Unknown", "EvaluationFailed", "the server was not found")
    sides = [[manifest(profile=profile)]] * 2
    status = reported(path[0], unknown, available=path[1:])
    (found,) = planned(*sides, path=path, cluster_profile=profile, cluster_version=status).verdicts

    assert [(item.verdict, item.code) for item in found.reasons] == expected


def test_the_channel_of_a_hosted_cluster_is_set_in_its_hosted_cluster():
    profile, status = (
        "ibm-cloud-managed",
        reported("4.18.3", condition("RetrievedUpdates", False, "NoChannel"), channel=""),
    )
    sides = [[manifest(profile=profile)]] * 2
    (found,) = planned(*sides, path=PATCH, cluster_profile=profile, cluster_version=status).verdicts
    assert [item.hint for item in found.reasons] == ["Set the channel: spec.channel of its HostedCluster"]


def test_an_entry_with_another_image_is_a_previous_version():
    status = reported("4.18.3")
    status["status"]["history"].append({"state": "Completed", "version": "4.18.3", "image": "other"})
    status["status"]["history"].append({"state": "Completed", "version": "4.18.2", "image": "image:4.18.2"})

    assert verdict(("4.18.3", "4.18.2"), down=True, cluster_version=status).verdict == "blocked"


def test_without_a_history_a_rollback_is_a_risk_and_a_path_is_its_own_history():
    back = ("4.18.3", "4.18.2")
    there_and_back = on_path(("4.18.2", *back), down=True).verdicts

    assert codes(verdict(back, down=True)) == [("risk", "unknown-history", "LowDesiredVersion")]
    assert [item.verdict for item in there_and_back] == ["go", "go"]


def test_a_pre_release_is_not_expected_to_enable_names_that_it_does_not_know():
    known = ["Console", "Insights"]
    capabilities = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Insights", "Storage"]}
    status = {"capabilities": {"enabledCapabilities": ["Console"], "knownCapabilities": known}}
    answer = on_path(
        ("4.19.0-ec.1", "4.19.0"), cluster_version=reported("4.19.0-ec.1", status=status, capabilities=capabilities)
    )

    (pending,) = [item for item in answer.problems if item.code == "pending-capability"]
    assert pending.message.endswith("yet: Insights; the first update enables them")
    assert not pending.hint
