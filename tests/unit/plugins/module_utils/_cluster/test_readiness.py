# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._cluster.readiness import (
    READINESS_KINDS,
    READY,
    Readiness,
    cluster_operator_readiness,
    readiness,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.task_graph import MODES
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId

VERSIONS = {"operator": "4.20.3", "operand": "1.2"}


def condition(kind: str, status: str, reason: str = "", message: str = "") -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason, "message": message}


AVAILABLE = condition("Available", "True", "AsExpected", "All is well")
AT_VERSION = [{"name": "operator", "version": "4.20.3"}, {"name": "operand", "version": "1.2"}]


def operator(*conditions: Any, versions: Any = None) -> dict[str, Any]:
    reported = AT_VERSION if versions is None else versions
    return {"status": {"conditions": list(conditions), "versions": reported}}


def test_an_operator_that_is_available_at_its_versions_is_ready():
    more = [*AT_VERSION, {"name": "other", "version": "9"}]

    assert cluster_operator_readiness(operator(AVAILABLE, versions=more), VERSIONS) == Readiness("ready")


# As openshift/cluster-version-operator:pkg/cvo/internal/operatorstatus.go checkOperatorHealth, without Progressing
@pytest.mark.parametrize(
    ("live", "message"),
    [
        (None, "does not exist yet"),
        ({}, "has not reported yet whether it is available"),
        ({"status": None}, "has not reported yet whether it is available"),
        ({"status": {"conditions": None}}, "has not reported yet whether it is available"),
        (operator(condition("Progressing", "True")), "has not reported yet whether it is available"),
        (operator(condition("Available", "False")), "is not available"),
        (operator(condition("Available", "Unknown", "NoData")), "is not available; NoData"),
        (operator(condition("Available", "False", "", "No pods")), "is not available; No pods"),
        (operator(condition("Available", "False", "Gone", "No pods")), "is not available; Gone: No pods"),
        (operator({"type": "Available"}), "is not available"),
        (
            operator(condition("Available", "False", "Gone"), condition("Degraded", "True", "Broken", "Pods crash")),
            "is not available; Gone; Broken: Pods crash",
        ),
        (
            operator(condition("Available", "False", "Gone"), condition("Degraded", "True", "Gone")),
            "is not available; Gone",
        ),
        (
            operator(AVAILABLE, versions=[]),
            "operand is at no version, expected 1.2, operator is at no version, expected 4.20.3",
        ),
        (operator(AVAILABLE, versions=AT_VERSION[:1]), "operand is at no version, expected 1.2"),
        (
            operator(AVAILABLE, versions=[AT_VERSION[1], {"name": "operator", "version": "4.20.2"}]),
            "operator is at 4.20.2, expected 4.20.3",
        ),
        (
            operator(AVAILABLE, condition("Progressing", "True", "Rolling", "1 of 3"), versions=AT_VERSION[:1]),
            "operand is at no version, expected 1.2; Rolling: 1 of 3",
        ),
        (
            operator(AVAILABLE, condition("Progressing", "False", "AsExpected"), versions=AT_VERSION[:1]),
            "operand is at no version, expected 1.2",
        ),
    ],
)
def test_the_message_names_what_it_waits_for(live, message):
    readiness = cluster_operator_readiness(live, VERSIONS)

    assert (readiness.state, readiness.message) == ("waiting", message)


@pytest.mark.parametrize(
    ("degraded", "text"),
    [
        (condition("Degraded", "True", "Broken", "Pods crash"), "Broken: Pods crash"),
        (condition("Degraded", "True", "Broken"), "Broken"),
        (condition("Degraded", "False", "AsExpected", "Nothing"), ""),
        (condition("Degraded", "Unknown", "NoData"), ""),
    ],
)
def test_degraded_is_reported_and_does_not_block(degraded, text):
    assert cluster_operator_readiness(operator(AVAILABLE, degraded), VERSIONS) == Readiness("ready", "", text)


def test_degraded_without_reason_and_message_is_reported():
    """Both are optional."""
    degraded = {"type": "Degraded", "status": "True"}

    assert cluster_operator_readiness(operator(AVAILABLE, degraded), VERSIONS).degraded != ""


def test_progressing_does_not_block():
    progressing = condition("Progressing", "True", "Rolling")

    assert cluster_operator_readiness(operator(AVAILABLE, progressing), VERSIONS) == Readiness("ready")


@pytest.mark.parametrize("versions", [None, [], AT_VERSION])
def test_an_operator_without_expected_versions_must_only_be_available(versions):
    assert cluster_operator_readiness(operator(AVAILABLE, versions=versions), {}).state == "ready"
    assert cluster_operator_readiness(operator(versions=versions), {}).state == "waiting"


statuses = st.sampled_from(["True", "False", "Unknown", None])
conditions = st.lists(
    st.builds(
        lambda kind, status, reason, message: {"type": kind, "status": status, "reason": reason, "message": message},
        st.sampled_from(["Available", "Degraded", "Progressing", "Upgradeable"]),
        statuses,
        st.sampled_from(["", "Why"]),
        st.sampled_from(["", "Because", None]),
    ),
    max_size=4,
    unique_by=lambda item: item["type"],
)


@pytest.mark.parametrize("versions", [[], AT_VERSION])
def test_any_version_is_accepted_where_the_manifest_has_a_placeholder(versions):
    assert cluster_operator_readiness(operator(AVAILABLE, versions=versions), {"operator": ""}).state == "ready"
    live = operator(AVAILABLE, NOT_DEGRADED, versions=versions)
    assert readiness(CLUSTER_OPERATOR, live, "reconcile", {"operator": ""}) == READY


reported_versions = st.lists(
    st.builds(
        lambda name, version: {"name": name, "version": version},
        st.sampled_from(["operator", "operand"]),
        st.sampled_from(["4.20.3", "1.2", ""]),
    ),
    max_size=2,
    unique_by=lambda item: item["name"],
)


@given(conditions, reported_versions)
def test_ready_is_available_at_every_version_and_nothing_else(conditions, versions):
    readiness = cluster_operator_readiness(operator(*conditions, versions=versions), VERSIONS)

    available = any((item["type"], item["status"]) == ("Available", "True") for item in conditions)
    at_versions = VERSIONS.items() <= {item["name"]: item["version"] for item in versions}.items()
    assert (readiness.state == "ready") == (available and at_versions)
    assert (readiness.message == "") == (readiness.state == "ready")
    assert not readiness.degraded or {"type": "Degraded", "status": "True"}.items() <= next(
        item.items() for item in conditions if item["type"] == "Degraded"
    )


CLUSTER_OPERATOR = ResourceId("config.openshift.io", "ClusterOperator", "", "console")
CRD = ResourceId("apiextensions.k8s.io", "CustomResourceDefinition", "", "one")
API_SERVICE = ResourceId("apiregistration.k8s.io", "APIService", "", "v1.one")
NAMESPACE = ResourceId("", "Namespace", "", "one")
DEPLOYMENT = ResourceId("apps", "Deployment", "one", "one")
DAEMON_SET = ResourceId("apps", "DaemonSet", "one", "one")
JOB = ResourceId("batch", "Job", "one", "one")
CLAIM = ResourceId("", "PersistentVolumeClaim", "one", "one")
OTHER = ResourceId("operator.openshift.io", "Console", "", "cluster")
KINDS = (CLUSTER_OPERATOR, CRD, API_SERVICE, NAMESPACE, DEPLOYMENT, DAEMON_SET, JOB, CLAIM, OTHER)

AVAILABLE_DEPLOYMENT = condition("Available", "True", "MinimumReplicasAvailable")
TOO_FEW = condition(
    "Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
)
TOO_LATE = condition("Progressing", "False", "ProgressDeadlineExceeded", "ReplicaSet one has timed out progressing.")
NO_QUOTA = condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota")
DELETED = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def with_conditions(*conditions: Any) -> dict[str, Any]:
    return {"status": {"conditions": list(conditions)}}


def workload(spec: Any, *conditions: Any, observed: int = 2, **status: Any) -> dict[str, Any]:
    """Return an object of generation 2."""
    return {
        "metadata": {"generation": 2},
        "spec": spec,
        "status": {"observedGeneration": observed, "conditions": list(conditions), **status},
    }


def test_kinds_with_a_specific_rule_are_listed_with_it():
    listed = [kind for kind in KINDS if kind[:2] in READINESS_KINDS]

    assert (*listed, CLAIM, OTHER) == KINDS
    assert len(listed) == len(READINESS_KINDS)
    assert list(READINESS_KINDS) == sorted(READINESS_KINDS)
    for rule in READINESS_KINDS.values():
        assert rule.endswith(".")
        assert "\n" not in rule


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("resource", KINDS)
def test_a_missing_object_is_waited_for(resource, mode):
    assert readiness(resource, None, mode) == Readiness("waiting", "does not exist")


def test_the_finalizer_of_a_namespace_is_in_its_spec():
    live = {"kind": "Namespace", "metadata": {**DELETED}, "spec": {"finalizers": ["kubernetes"]}}
    namespace = ResourceId("", "Namespace", "", "a")
    assert readiness(namespace, live, "update").message == "is being deleted, finalizers: kubernetes"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("resource", KINDS)
def test_an_object_that_is_being_deleted_is_not_ready(resource, mode):
    live = {"metadata": {**DELETED, "finalizers": ["example.com/one", "foregroundDeletion"]}}

    result = readiness(resource, live, mode, VERSIONS)

    assert result.state == "waiting"
    assert result.message.startswith("is being deleted, finalizers: example.com/one, foregroundDeletion")


def test_a_failed_object_that_is_being_deleted_is_waited_for():
    live = {"metadata": DELETED, **with_conditions(condition("Failed", "True", "DeadlineExceeded"))}

    assert readiness(JOB, live, "update") == Readiness("waiting", "is being deleted; DeadlineExceeded")


@pytest.mark.parametrize(
    ("resource", "live", "expected"),
    [
        (CRD, with_conditions(condition("Established", "True"), condition("NamesAccepted", "True")), READY),
        (CRD, {}, Readiness("waiting", "is not established")),
        (
            CRD,
            with_conditions(condition("Established", "False", "Installing", "the initial names have been accepted")),
            Readiness("waiting", "is not established; Installing: the initial names have been accepted"),
        ),
        (
            CRD,
            with_conditions(condition("Established", "True"), condition("NamesAccepted", "False", "Taken", "by ones")),
            Readiness("failed", "its names are not accepted; Taken: by ones"),
        ),
        (API_SERVICE, with_conditions(condition("Available", "True", "Passed")), READY),
        (API_SERVICE, {}, Readiness("waiting", "is not available")),
        (
            API_SERVICE,
            with_conditions(condition("Available", "False", "MissingEndpoints", "no addresses")),
            Readiness("waiting", "is not available; MissingEndpoints: no addresses"),
        ),
        (NAMESPACE, {"status": {"phase": "Active"}}, READY),
        (NAMESPACE, {"status": {"phase": None}}, READY),
        (NAMESPACE, {}, READY),
        (NAMESPACE, {"status": {"phase": "Terminating"}}, Readiness("waiting", "is Terminating")),
        (
            NAMESPACE,
            {
                "metadata": DELETED,
                "status": {
                    "phase": "Terminating",
                    "conditions": [
                        condition("NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered"),
                        condition("NamespaceContentRemaining", "True", "SomeResourcesRemain", "pods. has 1 left"),
                    ],
                },
            },
            Readiness("waiting", "is being deleted; is Terminating; SomeResourcesRemain: pods. has 1 left"),
        ),
    ],
)
def test_readiness_by_a_condition_or_a_phase(resource, live, expected):
    for mode in MODES:
        assert readiness(resource, live, mode) == expected


@pytest.mark.parametrize("resource", [DEPLOYMENT, DAEMON_SET])
@pytest.mark.parametrize("status", [{"observedGeneration": 1}, {}, None])
def test_a_status_of_a_previous_spec_does_not_count(resource, status):
    live = {"metadata": {"generation": 2}, "spec": {"replicas": 0, "paused": True}, "status": status}

    expected = Readiness("waiting", "its controller has not observed generation 2 yet")
    assert readiness(resource, live, "update") == expected


def replicas(updated: int, available: int, more: int = 0) -> dict[str, int]:
    return {"replicas": updated + more, "updatedReplicas": updated, "availableReplicas": available}


@pytest.mark.parametrize(
    ("live", "state", "message"),
    [
        (workload({"replicas": 3}, AVAILABLE_DEPLOYMENT, **replicas(3, 3)), "ready", ""),
        (workload({}, AVAILABLE_DEPLOYMENT, **replicas(1, 1)), "ready", ""),
        (workload({}, AVAILABLE_DEPLOYMENT, observed=3, **replicas(1, 1)), "ready", ""),
        (workload({"replicas": 0}), "ready", ""),
        (workload({}), "waiting", "0 of 1 replicas are updated, 0 of 1 replicas are available"),
        (
            workload({"replicas": 3}, TOO_FEW, **replicas(3, 2)),
            "waiting",
            "2 of 3 replicas are available; MinimumReplicasUnavailable: Deployment does not have minimum availability.",
        ),
        (
            workload({"replicas": 3}, AVAILABLE_DEPLOYMENT, **replicas(1, 3, more=2)),
            "waiting",
            "1 of 3 replicas are updated",
        ),
        # Three pods are available, but they can be others than the three updated ones.
        (
            workload({"replicas": 3}, AVAILABLE_DEPLOYMENT, **replicas(3, 3, more=1)),
            "waiting",
            "replicas of the previous spec remain: 1",
        ),
        (workload({}, **replicas(1, 1)), "waiting", "is not available"),
        (workload({}, condition("Available", "Unknown", "Why"), **replicas(1, 1)), "waiting", "is not available; Why"),
        (
            workload({"replicas": 3}, TOO_FEW, NO_QUOTA, **replicas(1, 1)),
            "waiting",
            "cannot create its pods; FailedCreate: exceeded quota",
        ),
        (
            workload({"replicas": 3}, TOO_FEW, TOO_LATE, **replicas(3, 2)),
            "failed",
            "ProgressDeadlineExceeded: ReplicaSet one has timed out progressing.",
        ),
        # A later object of the rollout can be what the pods need.
        (
            workload({"replicas": 3}, TOO_LATE, NO_QUOTA),
            "waiting",
            "cannot create its pods; FailedCreate: exceeded quota",
        ),
        (workload({}, AVAILABLE_DEPLOYMENT, condition("Progressing", "False", "Other"), **replicas(1, 1)), "ready", ""),
        (workload({"paused": True, "replicas": 3}, AVAILABLE_DEPLOYMENT, TOO_LATE, NO_QUOTA), "ready", ""),
        (
            workload({"paused": True}, condition("Available", "False", "Why")),
            "waiting",
            "is paused and not available; Why",
        ),
    ],
)
def test_a_deployment_has_all_its_replicas(live, state, message):
    for mode in MODES:
        assert readiness(DEPLOYMENT, live, mode) == Readiness(state, message)


ON_DELETE = {"updateStrategy": {"type": "OnDelete"}}


@pytest.mark.parametrize(
    ("live", "message"),
    [
        (workload({}, desiredNumberScheduled=3, updatedNumberScheduled=3, numberAvailable=3), ""),
        (workload({}, desiredNumberScheduled=0), ""),
        (workload({}, desiredNumberScheduled=3, updatedNumberScheduled=3), "0 of 3 pods are available"),
        (
            workload({}, desiredNumberScheduled=3, updatedNumberScheduled=1, numberAvailable=2),
            "1 of 3 pods are updated, 2 of 3 pods are available",
        ),
        (workload(ON_DELETE, desiredNumberScheduled=3, updatedNumberScheduled=1, numberAvailable=3), ""),
        (workload(ON_DELETE, desiredNumberScheduled=3, numberAvailable=1), "1 of 3 pods are available"),
    ],
)
def test_a_daemon_set_has_a_pod_on_each_node(live, message):
    assert readiness(DAEMON_SET, live, "install") == Readiness("waiting" if message else "ready", message)


@pytest.mark.parametrize(
    ("live", "state", "message"),
    [
        (with_conditions(condition("Complete", "True")), "ready", ""),
        ({"status": {"succeeded": 1}}, "ready", ""),
        ({}, "waiting", "is not complete"),
        (with_conditions(condition("Complete", "False"), condition("Failed", "False")), "waiting", "is not complete"),
        ({"status": {"active": 1, "failed": 2}}, "waiting", "is not complete (1 active, 2 failed)"),
        (
            with_conditions(condition("Suspended", "True", "JobSuspended", "Job suspended")),
            "waiting",
            "is not complete; JobSuspended: Job suspended",
        ),
        (with_conditions(condition("Suspended", "False", "JobResumed")), "waiting", "is not complete"),
        (
            with_conditions(condition("Failed", "True", "BackoffLimitExceeded", "Job has reached the limit")),
            "failed",
            "BackoffLimitExceeded: Job has reached the limit",
        ),
        (with_conditions(condition("Failed", "True")), "failed", "failed"),
    ],
)
def test_a_job_is_done(live, state, message):
    assert readiness(JOB, live, "install") == Readiness(state, message)


NOT_DEGRADED = condition("Degraded", "False", "AsExpected")


@pytest.mark.parametrize("mode", ["update", "reconcile"])
@pytest.mark.parametrize(
    ("live", "message"),
    [
        (operator(AVAILABLE, NOT_DEGRADED), ""),
        (operator(AVAILABLE, NOT_DEGRADED, condition("Progressing", "True")), ""),
        (operator(NOT_DEGRADED), "has not reported yet whether it is available"),
        (operator(AVAILABLE), "has not reported yet whether it is degraded"),
        (
            operator(AVAILABLE, condition("Degraded", "Unknown", "NoData")),
            "does not know whether it is degraded; NoData",
        ),
        (operator(AVAILABLE, condition("Degraded", "True", "Broken", "Pods crash")), "is degraded; Broken: Pods crash"),
        (operator(AVAILABLE, NOT_DEGRADED, versions=AT_VERSION[:1]), "operand is at no version, expected 1.2"),
    ],
)
def test_an_operator_is_available_not_degraded_and_at_its_versions(live, message, mode):
    result = readiness(CLUSTER_OPERATOR, live, mode, VERSIONS)

    assert (result.state, result.message) == ("waiting" if message else "ready", message)
    assert bool(result.degraded) == message.startswith("is degraded")


@pytest.mark.parametrize("mode", ["update", "reconcile"])
def test_an_operator_without_versions_in_its_manifest_fails(mode):
    live = operator(AVAILABLE, NOT_DEGRADED)

    assert readiness(CLUSTER_OPERATOR, live, mode) == Readiness("failed", "its manifest lists no versions")


@pytest.mark.parametrize("versions", [{}, VERSIONS])
def test_during_an_installation_an_operator_must_only_be_available(versions):
    """Degraded is reported but does not block, and versions are not checked.

    Source: openshift/cluster-version-operator:pkg/cvo/internal/operatorstatus.go checkOperatorHealth.
    """
    degraded = condition("Degraded", "True", "Broken")

    for live, expected in (
        (operator(AVAILABLE, versions=[]), READY),
        (operator(AVAILABLE, degraded, versions=[]), Readiness("ready", "", "Broken")),
        (operator(NOT_DEGRADED), Readiness("waiting", "has not reported yet whether it is available")),
    ):
        assert readiness(CLUSTER_OPERATOR, live, "install", versions) == expected


@pytest.mark.parametrize(
    ("live", "message"),
    [
        ({}, ""),
        ({"status": None}, ""),
        ({"status": {"phase": "Pending"}}, ""),
        (with_conditions(condition("Ready", "True"), condition("Available", "True")), ""),
        (with_conditions(condition("Degraded", "True"), condition("Progressing", "True")), ""),
        (with_conditions(condition("Ready", "False", "Why", "Because")), "is not ready; Why: Because"),
        (with_conditions(condition("Available", "Unknown")), "is not available"),
        (
            with_conditions(condition("Ready", "False"), condition("Available", "False", "Why")),
            "is not ready; is not available; Why",
        ),
    ],
)
def test_other_kinds_are_ready_unless_a_condition_is_not_true(live, message):
    for resource in (CLAIM, OTHER, DEPLOYMENT._replace(group="example.com")):
        assert readiness(resource, live, "update") == Readiness("waiting" if message else "ready", message)


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-1, 3), st.sampled_from(["", "True", "False", "OnDelete"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(
            st.sampled_from(
                [
                    "metadata",
                    "spec",
                    "status",
                    "conditions",
                    "replicas",
                    "updateStrategy",
                    "type",
                    "phase",
                    "generation",
                ]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)
bodies = st.fixed_dictionaries({"metadata": values, "spec": values, "status": values})


@given(
    st.sampled_from(KINDS),
    st.one_of(bodies, conditions.map(lambda items: with_conditions(*items))),
    st.sampled_from(MODES),
)
def test_any_object_has_a_readiness_with_a_message_unless_it_is_ready(resource, live, mode):
    result = readiness(resource, live, mode, VERSIONS)

    assert (result.message == "") == (result.state == "ready")
