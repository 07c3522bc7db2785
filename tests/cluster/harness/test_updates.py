# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The simulated cluster-version operator updates a cluster, and reports it, as the real one does."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT
from ansible_collections.capability.openshift.tests.cluster.helpers.updates import (
    ENABLED,
    GATE,
    PATH,
    history,
    image_of,
    request,
    wait_for_condition,
    wait_until_completed,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.cvo_status import condition_of
from ansible_collections.capability.openshift.tests.control_plane.openshift import CLUSTER_OPERATORS
from ansible_collections.capability.openshift.tests.control_plane.operators import Behaviour
from ansible_collections.capability.openshift.tests.control_plane.updates import ACKS, UpdatingOperator

pytestmark = pytest.mark.deep

OLD, NEXT, LAST = PATH


def acknowledge(plane: ControlPlane, value: str = "true") -> None:
    names = {"name": "admin-acks", "namespace": "openshift-config"}
    plane.api.apply(ACKS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": names, "data": {GATE: value}})


def test_two_updates_enable_what_the_releases_say(cluster: ControlPlane, operator: UpdatingOperator) -> None:
    assert wait_for_condition(cluster, "Upgradeable", "False")["reason"] == "AdminAckRequired"
    request(cluster, NEXT)
    refused = wait_for_condition(cluster, "ReleaseAccepted", "False", "PreconditionChecks")
    assert 'Precondition "ClusterVersionUpgradeable" failed because of "AdminAckRequired"' in refused["message"]
    assert history(cluster) == [(OLD, "Completed")]
    acknowledge(cluster)
    wait_until_completed(cluster, NEXT)
    request(cluster, LAST)
    wait_until_completed(cluster, LAST)
    status = cluster.api.get(OBJECT)["status"]
    assert status["capabilities"]["enabledCapabilities"] == ENABLED[LAST]
    condition = condition_of({"status": status}, "ImplicitlyEnabledCapabilities")
    assert condition["message"] == "The following capabilities could not be disabled: Console, Ingress, Insights"
    assert [item["verified"] for item in status["history"]] == [True, True, False]
    found = {item["metadata"]["name"]: item["status"]["versions"] for item in cluster.api.list(CLUSTER_OPERATORS)}
    names = ("console", "ingress", "insights")
    assert {name: versions[0]["version"] for name, versions in found.items()} == dict.fromkeys(names, LAST)


def test_failing_recovers_and_an_operator_is_slow(cluster: ControlPlane, operator: UpdatingOperator) -> None:
    acknowledge(cluster)
    operator.behaviours["ingress"] = Behaviour(silent=True)
    operator.minute = 0.01
    request(cluster, NEXT)
    slow = wait_for_condition(cluster, "Failing", "Unknown", "SlowClusterOperator")
    assert slow["message"] == "waiting on ingress over 30 minutes which is longer than expected"
    assert history(cluster) == [(NEXT, "Partial"), (OLD, "Completed")]
    operator.behaviours["ingress"] = Behaviour(unavailable="no endpoints")
    failing = wait_for_condition(cluster, "Failing", "True", "ClusterOperatorNotAvailable")
    assert failing["message"] == "Cluster operator ingress is not available"
    shown = wait_for_condition(cluster, "Progressing", "True", "ClusterOperatorNotAvailable")
    assert shown["message"] == f"Unable to apply {NEXT}: the cluster operator ingress is not available"
    operator.behaviours.clear()
    wait_until_completed(cluster, NEXT)
    assert wait_for_condition(cluster, "Failing", "False")


def test_a_release_that_is_not_accepted(cluster: ControlPlane, operator: UpdatingOperator) -> None:
    acknowledge(cluster)
    operator.refusal = "The update cannot be verified: no signature"
    request(cluster, NEXT)
    refused = wait_for_condition(cluster, "ReleaseAccepted", "False", "RetrievePayload")
    assert refused["message"].endswith("failure=The update cannot be verified: no signature")
    request(cluster, None)  # or the operator would retry the update as soon as nothing refuses it
    wait_for_condition(cluster, "ReleaseAccepted", "True", "PayloadLoaded")
    operator.refusal = ""
    cluster.api.patch(OBJECT, {"spec": {"desiredUpdate": {"version": LAST, "image": image_of(NEXT)}}})
    refused = wait_for_condition(cluster, "ReleaseAccepted", "False", "VerifyPayloadVersion")
    assert f"release image version {NEXT} does not match the expected upstream version {LAST}" in refused["message"]
    cluster.api.patch(OBJECT, {"spec": {"desiredUpdate": {"version": LAST, "image": None}}})
    invalid = wait_for_condition(cluster, "Invalid", "True", "InvalidClusterVersion")
    assert "when image is empty the update must be an available update" in invalid["message"]
    assert wait_for_condition(cluster, "Progressing", "False")["message"].startswith(f"Stopped at {OLD}")
    request(cluster, None)
    wait_for_condition(cluster, "ReleaseAccepted", "True", "PayloadLoaded")
    assert history(cluster) == [(OLD, "Completed")]


def test_the_new_operator_does_not_go_back(cluster: ControlPlane, operator: UpdatingOperator) -> None:
    acknowledge(cluster)
    operator.behaviours["ingress"] = Behaviour(silent=True)
    request(cluster, NEXT)
    wait_for_condition(cluster, "Progressing", "True", "ClusterOperatorUpdating")
    request(cluster, OLD)  # the operator of the new release is there already
    wait_for_condition(cluster, "ReleaseAccepted", "False", "PreconditionChecks")
    assert history(cluster) == [(NEXT, "Partial"), (OLD, "Completed")]
