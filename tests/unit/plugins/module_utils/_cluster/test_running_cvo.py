# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_properties import (
    CVO_DEPLOYMENT,
    INFRASTRUCTURE,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.running_cvo import (
    availability,
    held_lease,
    recent_write,
    refuse_cvo,
    unkept_status,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
    CVO,
    DEPLOYMENTS,
    INFRASTRUCTURES,
    LEASES,
    NAMESPACES,
)
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer, fault

NOW = datetime(2026, 2, 3, 12, 0, 0, tzinfo=UTC)
NONE = ""
DEPLOYMENT = "its Deployment openshift-cluster-version/cluster-version-operator is available"


def deployment(available: str | None, **spec: Any) -> dict[str, Any]:
    conditions = [{"type": "Progressing", "status": "True"}]
    if available is not None:
        conditions.append({"type": "Available", "status": available})
    return {"spec": spec, "status": {"conditions": conditions}}


def written(time: Any, manager: str = "cluster-version-operator", subresource: str = "status") -> dict[str, Any]:
    return {"metadata": {"managedFields": [{"manager": manager, "subresource": subresource, "time": time}]}}


@pytest.mark.parametrize(
    ("live", "expected"),
    [
        ({}, NONE),
        ({"status": None}, NONE),
        (deployment(None), NONE),
        (deployment("False"), NONE),
        (deployment("Unknown"), NONE),
        (deployment("True"), DEPLOYMENT),
        (deployment("True", replicas=1), DEPLOYMENT),
        # `oc scale --replicas=0` stops the CVO, and a Deployment without replicas is Available
        (deployment("True", replicas=0), NONE),
    ],
)
def test_an_available_deployment_is_evidence(live, expected):
    assert availability(live) == expected


@pytest.mark.parametrize(
    ("obj", "owned"),
    [
        (written("2026-02-03T11:59:59Z"), True),
        (written("2026-02-03T11:55:01Z"), True),
        (written("2026-02-03T11:55:00Z"), False),
        (written("2025-02-03T11:59:59Z"), False),
        # a host whose clock is slow
        (written("2026-02-03T12:09:00Z"), True),
        (written("2026-02-03T13:59:00+02:00"), True),
        (written("2026-02-03T11:59:59"), True),
        (written("yesterday"), False),
        (written(None), False),
        (written("2026-02-03T11:59:59Z", subresource=""), False),
        (written("2026-02-03T11:59:59Z", manager="kubectl-edit"), False),
        ({"metadata": {"managedFields": ["x"]}}, False),
        ({"metadata": None}, False),
        ({}, False),
    ],
)
def test_a_recent_write_of_the_status_is_evidence(obj, owned):
    evidence = recent_write(obj, NOW)

    assert bool(evidence) == owned
    if owned:
        assert evidence == f"cluster-version-operator wrote the status at {obj['metadata']['managedFields'][0]['time']}"


@pytest.mark.parametrize(
    ("lease", "held"),
    [
        ({"holderIdentity": "a", "renewTime": "2026-02-03T11:55:00.000001Z"}, True),
        ({"holderIdentity": "a", "renewTime": "2026-02-03T11:55:00.000000Z"}, False),
        ({"holderIdentity": "", "renewTime": "2026-02-03T11:59:59.000000Z"}, False),
        ({"renewTime": "2026-02-03T11:59:59.000000Z"}, False),
        ({"holderIdentity": "a"}, False),
        (None, False),
    ],
)
def test_a_renewed_lease_is_evidence(lease, held):
    assert bool(held_lease({"spec": lease}, NOW)) == held
    assert held_lease(None, NOW) == NONE


def test_every_time_is_recent_if_the_time_of_the_server_is_not_known():
    assert recent_write(written("2025-02-03T11:59:59Z"), None)
    assert held_lease({"spec": {"holderIdentity": "a", "renewTime": "2025-02-03T11:59:59.000000Z"}}, None)
    assert not recent_write({}, None)


@pytest.fixture
def server() -> ApiServer:
    server = ApiServer(CLUSTER_VERSIONS, DEPLOYMENTS, INFRASTRUCTURES, LEASES)
    server.put(NAMESPACES, CVO[0])
    return server


def refusal(server: ApiServer, *, is_ours: bool = False) -> list[tuple[str, str]]:
    """Return code and hint of the errors, none if no CVO runs."""
    try:
        refuse_cvo(server.client(), {}, lambda _deployment: is_ours)
    except ClusterError as error:
        return [(item.code, item.hint) for item in error.problems]
    return []


def put_deployment(server: ApiServer) -> None:
    status = {"conditions": [{"type": "Available", "status": "True"}]}
    server.put(DEPLOYMENTS, CVO_DEPLOYMENT.name, CVO[0], spec={"replicas": 1}, status=status)


def put_lease(server: ApiServer) -> None:
    renewed = datetime.now(UTC).isoformat()
    server.put(LEASES, "version", CVO[0], spec={"holderIdentity": "cvo", "renewTime": renewed})


def put_infrastructure(server: ApiServer) -> None:
    server.put(INFRASTRUCTURES, INFRASTRUCTURE.name, status={"controlPlaneTopology": "External"})


@pytest.mark.parametrize("put", [put_deployment, put_lease, put_infrastructure])
def test_evidence_of_a_cvo_is_an_error(server, put):
    assert refusal(server) == []
    put(server)
    assert [code for code, _hint in refusal(server)] == ["running-cvo"]


def test_the_deployment_of_a_rollout_is_no_evidence(server):
    put_deployment(server)
    assert refusal(server, is_ours=True) == []


def test_evidence_that_is_forbidden_is_not_counted_as_no_evidence(server):
    server.faults["GET", CVO_DEPLOYMENT.path] = [fault(403)]
    ((code, hint),) = refusal(server)
    assert code == "forbidden-request"
    assert "allow_cvo_managed" in hint


@pytest.mark.parametrize(
    ("lease", "reason"),
    [
        (None, ""),
        ({"holderIdentity": "a", "renewTime": "2126-02-03T12:00:00.000000Z"}, ""),
        ({"holderIdentity": "", "renewTime": "2126-02-03T12:00:00.000000Z"}, "has no holder"),
        ({"holderIdentity": "a", "renewTime": "2026-02-03T11:00:00.000000Z"}, "was renewed at 2026-02-03T11:00:00"),
    ],
)
def test_a_lease_that_is_free_or_old_shows_that_no_cvo_keeps_the_status(
    lease: dict[str, str] | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ApiServer(LEASES)
    client = server.client()
    monkeypatch.setattr(client, "server_time", lambda: NOW)
    server.put(NAMESPACES, CVO[0])
    if lease is not None:
        server.put(LEASES, "version", CVO[0], spec=lease)
    found = unkept_status(client)
    assert (found == "") == (reason == "")
    assert reason in found
    server.faults["GET", LEASES.path("version", CVO[0])] = [fault(403)]
    assert unkept_status(server.client()).startswith("the user may not get leases.coordination.k8s.io")
