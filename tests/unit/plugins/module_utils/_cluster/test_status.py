# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writing the status of a ClusterVersion, that of a model of a cluster, as a CVO that does not run would do."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_properties import (
    CVO_DEPLOYMENT,
    INFRASTRUCTURE,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import CLUSTER_VERSION
from ansible_collections.capability.openshift.plugins.module_utils._cluster.status import (
    UnknownToCrdError,
    report_status,
    status_dict,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.status_change import StatusInputs
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import data_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
    CVO,
    DEPLOYMENTS,
    INFRASTRUCTURES,
    LEASES,
    NAMESPACES,
)
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer, fault

PATH = CLUSTER_VERSION.path
DATA = data_of(Minor(4, 20))
assert DATA is not None
INPUTS = StatusInputs("4.20.3", "registry.example/release@sha256:1", DATA, frozenset(), frozenset())


@pytest.fixture
def server() -> ApiServer:
    server = ApiServer(CLUSTER_VERSIONS, DEPLOYMENTS, INFRASTRUCTURES, LEASES)
    capabilities = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]}
    server.put(CLUSTER_VERSIONS, "version", spec={"capabilities": capabilities, "clusterID": "1"})
    server.put(NAMESPACES, CVO[0])
    return server


def report(server: ApiServer, *, allowed: bool = False, dry_run: bool = False) -> Any:
    return report_status(server.client(), INPUTS, allow_cvo_managed=allowed, dry_run=dry_run)


def test_the_status_is_written_once(server: ApiServer) -> None:
    predicted = report(server, dry_run=True)
    assert "status" not in server.objects[PATH]
    written = report(server)
    status = server.objects[PATH]["status"]
    assert (predicted.changed, written.changed, written.before, written.after) == (True, True, {}, status)
    assert status["capabilities"]["enabledCapabilities"] == ["Ingress"]
    assert (status["desired"]["version"], status["desired"]["image"]) == (INPUTS.version, INPUTS.image)
    assert server.objects[PATH]["spec"]["clusterID"] == "1"
    assert status_dict(status)["condition"]["type"] == "ImplicitlyEnabledCapabilities"
    again = report(server)
    assert (again.changed, again.before, again.after) == (False, status, status)
    assert server.requests.count(f"PATCH {PATH}/status") == 2


def test_a_concurrent_change_of_the_spec_counts(server: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _seconds: None)

    def request_console(method: str, _path: str) -> None:
        if method == "PATCH":
            server.before = lambda _method, _path: None
            names = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", "Ingress"]}
            server.put(CLUSTER_VERSIONS, "version", spec={"capabilities": names})

    server.before = request_console
    assert report(server).after["capabilities"]["enabledCapabilities"] == ["Console", "Ingress"]


def deployment(server: ApiServer) -> None:
    status = {"conditions": [{"type": "Available", "status": "True"}]}
    server.put(DEPLOYMENTS, CVO_DEPLOYMENT.name, CVO[0], spec={"replicas": 1}, status=status)


def lease(server: ApiServer) -> None:
    renewed = datetime.now(UTC).isoformat()
    server.put(LEASES, "version", CVO[0], spec={"holderIdentity": "cvo", "renewTime": renewed})


def external(server: ApiServer) -> None:
    server.put(INFRASTRUCTURES, INFRASTRUCTURE.name, status={"controlPlaneTopology": "External"})


@pytest.mark.parametrize("evidence", [deployment, lease, external])
@pytest.mark.parametrize("allowed", [False, True])
def test_a_cluster_with_a_cvo_keeps_its_status(server: ApiServer, evidence: Any, allowed: bool) -> None:
    evidence(server)
    if allowed:
        assert report(server, allowed=True).changed
        return
    with pytest.raises(ClusterError) as error:
        report(server)
    assert [item.code for item in error.value.problems] == ["running-cvo"]
    assert "status" not in server.objects[PATH]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Ingress", "Apply the ClusterVersion CustomResourceDefinition of 4.20.3 for"),
        ("Newer", "Apply the ClusterVersion CustomResourceDefinition of the version that enabled Newer"),
    ],
)
def test_a_name_that_the_definition_lacks_is_explained(server: ApiServer, name: str, hint: str) -> None:
    field, message = "status.capabilities.enabledCapabilities[0]", f'Unsupported value: "{name}": supported values: "A"'
    cause = ("FieldValueNotSupported", field, message)
    server.faults["PATCH", f"{PATH}/status"] = [fault(422, f"{field}: {message}", cause)]
    with pytest.raises(UnknownToCrdError) as error:
        report(server)
    (problem,) = error.value.problems
    assert (problem.code, str(problem.where)) == ("outdated-crd", f"{CLUSTER_VERSION}, status.capabilities")
    assert name in problem.message
    assert problem.hint.startswith(hint)


def test_another_refusal_of_the_status_is_as_the_server_says(server: ApiServer) -> None:
    cause = ("FieldValueNotSupported", "status.history[0].state", 'Unsupported value: "X": supported values: "A"')
    server.faults["PATCH", f"{PATH}/status"] = [fault(422, f"{cause[1]}: {cause[2]}", cause)]
    with pytest.raises(ClusterError) as error:
        report(server)
    assert [item.code for item in error.value.problems] == ["invalid-object"]


def test_evidence_that_is_forbidden_is_not_counted_as_no_evidence(server: ApiServer) -> None:
    server.faults["GET", CVO_DEPLOYMENT.path] = [fault(403)]
    with pytest.raises(ClusterError) as error:
        report(server)
    assert [item.code for item in error.value.problems] == ["forbidden-request"]
    assert "allow_cvo_managed" in error.value.problems[0].hint
    assert "status" not in server.objects[PATH]
