# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads and writes of the objects of a cluster, against a model of an API server."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._cluster import live
from ansible_collections.capability.openshift.plugins.module_utils._cluster.admin_acks import AdminAcks, AdminGate
from ansible_collections.capability.openshift.plugins.module_utils._cluster.capabilities import (
    capabilities_dict,
    enable_capabilities,
    read_capabilities,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import CLUSTER_VERSION
from ansible_collections.capability.openshift.plugins.module_utils._cluster.live import (
    find_admin_acks,
    update_cluster_version,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.spec_change import CapabilityRequest
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    ClusterError,
    InvalidOptionError,
    Problems,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
    CONFIG_MAPS,
    NAMESPACES,
)
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer
from ansible_collections.capability.openshift.tests.unit.builders.releases import cluster_version_crd, write_release

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
    monkeypatch.setattr(live, "_ATTEMPTS", 3)

    def always(method: str, _path: str) -> None:
        if method == "PATCH":
            change(server, count=server.objects[PATH]["spec"]["count"] + 1)
            server.before = always

    server.before = always
    with pytest.raises(ClusterError) as error:
        update_cluster_version(server.client(), CLUSTER_VERSION, count_up, dry_run=False)

    assert [item.code for item in error.value.problems] == ["conflicting-write"]
    assert server.requests.count(f"PATCH {PATH}") == 3


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
        live.get_cluster_version(ApiServer(*([CLUSTER_VERSIONS] if served else [])).client())

    (problem,) = error.value.problems
    assert (problem.code, str(problem.where)) == (code, where)


def test_admin_gates_and_acknowledgements_are_read(server):
    assert find_admin_acks(server.client(), Problems()) == AdminAcks((), frozenset())
    for namespace, name, data in (
        ("openshift-config-managed", "admin-gates", {"ack-4.20-a": "Read it "}),
        ("openshift-config", "admin-acks", {"ack-4.20-a": "true", "ack-4.20-b": "yes"}),
    ):
        server.put(NAMESPACES, namespace)
        server.put(CONFIG_MAPS, name, namespace, data=data)

    found = find_admin_acks(server.client(), Problems())

    source = "ConfigMap openshift-config-managed/admin-gates of the cluster"
    assert found == AdminAcks((AdminGate("ack-4.20-a", "Read it", source),), frozenset({"ack-4.20-a"}))


def test_the_capabilities_of_a_cluster_are_divided_by_what_spec_and_status_say(server):
    spec = {"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", "Insights"]}}
    capabilities = {
        "enabledCapabilities": ["Console", "Build"],
        "knownCapabilities": ["Build", "Console", "Insights", "Storage"],
    }
    status = {"desired": {"version": "4.20.3"}, "capabilities": capabilities}
    server.put(CLUSTER_VERSIONS, "version", spec=spec, status=status)

    found = capabilities_dict(read_capabilities(server.client()))

    assert {name.removesuffix("_capabilities"): value for name, value in found.items() if name.endswith("ies")} == {
        "requested": ["Console", "Insights"],
        "enabled": ["Build", "Console"],
        "known": ["Build", "Console", "Insights", "Storage"],
        "available": ["Insights", "Storage"],
        "pending": ["Insights"],
        "implicitly_enabled": ["Build"],
    }
    assert (found["spec"], found["openshift_version"]) == (spec["capabilities"], "4.20.3")


@pytest.mark.parametrize("version", [None, "4.20.3", "4.20.4"])
def test_a_capability_is_enabled_with_the_release_of_the_cluster_only(server, version, tmp_path):
    capabilities = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]}
    server.put(
        CLUSTER_VERSIONS,
        "version",
        spec={"capabilities": capabilities},
        status={"desired": {"version": "4.20.3"}, "capabilities": {"enabledCapabilities": ["Ingress"]}},
    )
    release = None
    if version is not None:
        crd = {"0000_00_a.yaml": cluster_version_crd(["Console", "Ingress"])}
        release = load_release(str(write_release(tmp_path, crd, version))).release
    request = CapabilityRequest(Selection("None", ("Console",)), append=True)
    if version == "4.20.4":
        with pytest.raises(InvalidOptionError) as error:
            enable_capabilities(server.client(), request, release, dry_run=False)
        assert [item.code for item in error.value.problems if item.severity == "error"] == ["other-release"]
        return

    result = enable_capabilities(server.client(), request, release, dry_run=False)

    wanted = {**capabilities, "additionalEnabledCapabilities": ["Console", "Ingress"]}
    assert server.objects[PATH]["spec"]["capabilities"] == result.after.obj["spec"]["capabilities"] == wanted
    again = enable_capabilities(server.client(), request, release, dry_run=False)
    assert (result.change.changed, again.change.changed) == (True, False)
