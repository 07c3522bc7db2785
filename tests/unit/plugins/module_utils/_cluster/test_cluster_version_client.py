# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads and writes of the objects of a cluster, against a model of an API server."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster import cluster_version_client
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_properties import (
    read_properties,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import (
    CLUSTER_VERSION,
    parse_live_cluster_version,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version_client import (
    minor_data_of_cluster,
    update_cluster_version,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
    CUSTOM_RESOURCE_DEFINITIONS,
    FEATURE_GATES,
    INFRASTRUCTURES,
)
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer, fault

PATH = CLUSTER_VERSION.path


@pytest.fixture
def server() -> ApiServer:
    server = ApiServer(CLUSTER_VERSIONS)
    server.put(CLUSTER_VERSIONS, "version", spec={"channel": "stable", "count": 0})
    return server


def count_up(obj: Any) -> tuple[Any, int]:
    number = obj["spec"]["count"] + 1
    return {"spec": {"count": number}}, number


def change(server: ApiServer, **spec: Any) -> None:
    """Write the object as another client, and only once."""
    server.before = lambda _method, _path: None
    obj = server.objects[PATH]
    server.put(CLUSTER_VERSIONS, "version", spec={**obj["spec"], **spec})


def test_a_write_keeps_what_others_write_at_the_same_time(server, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    server.before = lambda method, _path: change(server, count=5, channel="fast") if method == "PATCH" else None

    before, after, number = update_cluster_version(server.client(), CLUSTER_VERSION, count_up, dry_run=False)

    assert number == 6
    assert (before["spec"], after["spec"]) == ({"channel": "fast", "count": 5}, {"channel": "fast", "count": 6})
    assert server.objects[PATH]["spec"] == {"channel": "fast", "count": 6}


def test_a_write_gives_up_after_many_conflicts(server, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    monkeypatch.setattr(cluster_version_client, "_ATTEMPTS", 3)

    def always(method: str, _path: str) -> None:
        if method == "PATCH":
            change(server, count=server.objects[PATH]["spec"]["count"] + 1)
            server.before = always

    server.before = always
    with pytest.raises(ClusterError) as error:
        update_cluster_version(server.client(), CLUSTER_VERSION, count_up, dry_run=False)

    assert [item.code for item in error.value.problems] == ["conflicting-write"]
    assert server.requests.count(f"PATCH {PATH}") == 3


@pytest.mark.parametrize("dry_run", [False, True])
def test_nothing_is_requested_of_a_cluster_version_that_is_being_deleted(server, dry_run):
    server.objects[PATH]["metadata"]["deletionTimestamp"] = "2026-02-03T12:00:00Z"
    with pytest.raises(ClusterError) as error:
        update_cluster_version(server.client(), CLUSTER_VERSION, count_up, dry_run=dry_run)
    assert [item.code for item in error.value.problems] == ["terminating-object"]
    assert f"PATCH {PATH}" not in server.requests


@pytest.mark.parametrize(("changes", "written"), [(False, 0), (True, 0)])
def test_no_change_and_a_dry_run_store_nothing(server, changes, written):
    stored = server.objects[PATH]

    before, after, number = update_cluster_version(
        server.client(), CLUSTER_VERSION, count_up if changes else lambda _obj: (None, written), dry_run=True
    )

    assert (before is after, number) == (not changes, int(changes))
    assert server.objects[PATH] is stored
    assert server.requests.count(f"PATCH {PATH}") == int(changes)


@pytest.mark.parametrize(
    ("served", "code", "where"),
    [
        (True, "missing-object", "clusterversions.config.openshift.io"),
        (False, "unserved-kind", "clusterversions.config.openshift.io"),
    ],
)
def test_a_cluster_without_its_cluster_version_is_an_error(served, code, where):
    with pytest.raises(ClusterError) as error:
        cluster_version_client.get_cluster_version(ApiServer(*([CLUSTER_VERSIONS] if served else [])).client())

    (problem,) = error.value.problems
    assert (problem.code, str(problem.where)) == (code, where)


def test_a_conflict_with_the_own_lost_answer_is_a_change(server, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    server.faults["PATCH", PATH] = [fault(409, "the object has been modified")]

    before, after, number = update_cluster_version(server.client(), CLUSTER_VERSION, count_up, dry_run=False)

    assert (before["spec"]["count"], after["spec"]["count"], number) == (0, 1, 1)
    server.faults["PATCH", PATH] = [fault(422)]
    with pytest.raises(ClusterError) as error:
        update_cluster_version(server.client(), CLUSTER_VERSION, count_up, dry_run=False)
    assert [item.code for item in error.value.problems] == ["invalid-object"]


def definition(*names: str) -> dict[str, Any]:
    items = {"additionalEnabledCapabilities": {"items": {"enum": list(names)}}} if names else {}
    spec = {"properties": {"spec": {"properties": {"capabilities": {"properties": items}}}}}
    return {"group": CLUSTER_VERSIONS.group, "scope": "Cluster", "names": {"plural": "x", "kind": "X"}} | {
        "versions": [{"name": "v1", "schema": {"openAPIV3Schema": spec}}]
    }


def data_of(server: ApiServer, version: str | None, known: list[str]) -> tuple[set[str], list[tuple[str, str, str]]]:
    obj = {"status": {"desired": {"version": version}, "capabilities": {"knownCapabilities": known}}}
    problems = Problems()
    cluster = parse_live_cluster_version({**server.objects[PATH], **obj}, Problems())
    found = minor_data_of_cluster(server.client(), cluster, problems)
    return set(found.capabilities), [(item.severity, item.code, item.hint) for item in problems]


def test_the_definition_of_the_cluster_has_the_names_that_the_collection_does_not_know(server):
    crd = CUSTOM_RESOURCE_DEFINITIONS.path(CLUSTER_VERSIONS.resource)
    names, problems = data_of(server, "4.20.3", ["Console"])
    assert ("Console" in names, "Newer" in names, problems) == (True, False, [])
    assert not [request for request in server.requests if crd in request]
    server.put(CUSTOM_RESOURCE_DEFINITIONS, CLUSTER_VERSIONS.resource, spec=definition("Console", "Newer"))
    names, _problems = data_of(server, "4.20.3", ["Console", "Newer"])
    assert {"Console", "Newer"} <= names
    for version in ("99.1.0", None):
        assert data_of(server, version, []) == ({"Console", "Newer"}, [("info", "unknown-version", "")])
    server.faults["GET", crd] = [fault(403)]
    names, _problems = data_of(server, "4.20.3", ["Console", "Newer"])
    assert "Newer" not in names


@pytest.mark.parametrize(
    ("answer", "code"), [(None, "unknown-version"), (fault(403), "forbidden-request"), (fault(500), "failed-server")]
)
def test_a_version_that_is_not_known_needs_the_definition(server, answer, code, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    server.put(CUSTOM_RESOURCE_DEFINITIONS, CLUSTER_VERSIONS.resource, spec=definition())
    server.faults["GET", CUSTOM_RESOURCE_DEFINITIONS.path(CLUSTER_VERSIONS.resource)] = [answer] * 9 if answer else []
    with pytest.raises(ClusterError) as error:
        data_of(server, "99.1.0", [])
    assert [item.code for item in error.value.problems] == [code]


@pytest.mark.parametrize("settable", [True, False])
def test_a_property_that_is_forbidden_is_a_warning_with_its_option(settable):
    server = ApiServer(FEATURE_GATES, INFRASTRUCTURES)
    server.put(INFRASTRUCTURES, "cluster", status={"platformStatus": {"type": "AWS"}})
    server.faults["GET", FEATURE_GATES.path("cluster")] = [fault(403)]
    problems = Problems()
    found = read_properties(server.client(), ("feature_set", "platform"), problems, settable=settable)
    assert {name: item.value for name, item in found.items()} == {"platform": "aws"}
    (problem,) = problems
    assert (problem.severity, problem.code, str(problem.where)) == ("warning", "forbidden-request", "feature_set")
    assert ("set feature_set" in problem.hint) == settable
    server.faults["GET", FEATURE_GATES.path("cluster")] = [fault(422)]
    with pytest.raises(ClusterError):
        read_properties(server.client(), ("feature_set",), problems)
