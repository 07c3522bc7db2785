# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writing the status of a ClusterVersion, on a model of a cluster, as a CVO that does not run would do."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import CLUSTER_VERSION
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version_client import (
    UnknownToCrdError,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.status_change import StatusInputs
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import data_of
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError
from ansible_collections.capability.openshift.plugins.module_utils._resources import CLUSTER_VERSIONS
from ansible_collections.capability.openshift.plugins.module_utils._rollout.capabilities import (
    write_status,
)
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer, fault

PATH = CLUSTER_VERSION.path
DATA = data_of(Minor(4, 20))
assert DATA is not None
INPUTS = StatusInputs("4.20.3", "registry.example/release@sha256:1", DATA, frozenset(), frozenset())


@pytest.fixture
def server() -> ApiServer:
    server = ApiServer(CLUSTER_VERSIONS)
    capabilities = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]}
    server.put(CLUSTER_VERSIONS, "version", spec={"capabilities": capabilities, "clusterID": "1"})
    return server


def test_the_status_is_written_once(server: ApiServer) -> None:
    changed, status, _problems = write_status(server.client(), INPUTS)
    assert (changed, status) == (True, server.objects[PATH]["status"])
    assert status["capabilities"]["enabledCapabilities"] == ["Ingress"]
    assert (status["desired"]["version"], status["desired"]["image"]) == (INPUTS.version, INPUTS.image)
    assert server.objects[PATH]["spec"]["clusterID"] == "1"
    assert [item["type"] for item in status["conditions"]] == ["ImplicitlyEnabledCapabilities"]
    assert write_status(server.client(), INPUTS)[:2] == (False, status)
    assert server.requests.count(f"PATCH {PATH}/status") == 1


def test_a_concurrent_change_of_the_spec_counts(server: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _seconds: None)

    def request_console(method: str, _path: str) -> None:
        if method == "PATCH":
            server.before = lambda _method, _path: None
            names = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", "Ingress"]}
            server.put(CLUSTER_VERSIONS, "version", spec={"capabilities": names})

    server.before = request_console
    _changed, status, _problems = write_status(server.client(), INPUTS)
    assert status["capabilities"]["enabledCapabilities"] == ["Console", "Ingress"]


def test_a_name_that_the_definition_lacks_is_explained(server: ApiServer) -> None:
    name = "Newer"
    field, message = "status.capabilities.enabledCapabilities[0]", f'Unsupported value: "{name}": supported values: "A"'
    cause = ("FieldValueNotSupported", field, message)
    server.faults["PATCH", f"{PATH}/status"] = [fault(422, f"{field}: {message}", cause)]
    with pytest.raises(UnknownToCrdError) as error:
        write_status(server.client(), INPUTS)
    (problem,) = error.value.problems
    assert (problem.code, str(problem.where)) == ("outdated-crd", "clusterversions.config.openshift.io/status version")
    assert name in problem.message


def test_another_refusal_of_the_status_is_as_the_server_says(server: ApiServer) -> None:
    cause = ("FieldValueNotSupported", "status.history[0].state", 'Unsupported value: "X": supported values: "A"')
    server.faults["PATCH", f"{PATH}/status"] = [fault(422, f"{cause[1]}: {cause[2]}", cause)]
    with pytest.raises(ClusterError) as error:
        write_status(server.client(), INPUTS)
    assert [item.code for item in error.value.problems] == ["invalid-object"]
