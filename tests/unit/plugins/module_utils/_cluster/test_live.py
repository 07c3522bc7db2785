# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads and writes of the objects of a cluster, against a model of an API server."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster import live
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import CLUSTER_VERSION
from ansible_collections.capability.openshift.plugins.module_utils._cluster.live import (
    update_cluster_version,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    ClusterError,
)
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
)
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer

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
