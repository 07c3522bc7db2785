# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a watch shows: all changes, also after its connection ended or its version is too old."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import watch
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.watch import snapshots_of, watch_objects
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_OPERATORS,
    CONFIG_MAPS,
    NAMESPACES,
    Target,
)
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer

MAPS, SPACES = Target(CONFIG_MAPS), Target(NAMESPACES)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> ApiServer:
    monkeypatch.setattr(watch, "_PAUSE", 0.01)
    server = ApiServer()
    server.put(NAMESPACES, "x")
    server.put(CONFIG_MAPS, "a", "x", data={"n": "1"})
    return server


def change(server: ApiServer) -> None:
    client = server.client()
    server.put(CONFIG_MAPS, "b", "x", data={"n": "2"})
    server.put(CONFIG_MAPS, "b", "x", data={"n": "3"})
    client.delete(MAPS._replace(name="a", namespace="x"))
    server.put(NAMESPACES, "y")


def too_old(server: ApiServer) -> None:
    change(server)
    server.forget()


@pytest.mark.parametrize("happens", [change, too_old])
def test_all_changes_after_the_snapshot_are_seen(server: ApiServer, happens: Callable[[ApiServer], None]) -> None:
    client = server.client()
    snapshots = snapshots_of(client, [MAPS, SPACES])
    happens(server)
    states = []
    for state in watch_objects(client, snapshots, 5):
        assert state.error is None
        states.append({key: obj["data"]["n"] for key, obj in state.objects[MAPS].items()})
        if states[-1] == {"x/b": "3"} and set(state.objects[SPACES]) == {"x", "y"}:
            break
    assert (states[0], states[-1]) == ({"x/a": "1"}, {"x/b": "3"})


def test_a_server_that_keeps_denying_access_ends_the_watch(server: ApiServer) -> None:
    client = server.client()
    snapshots = snapshots_of(client, [MAPS])
    server.kinds.remove(CONFIG_MAPS)
    with pytest.raises(ClusterError) as error:
        list(watch_objects(client, snapshots, 5))
    assert [item.code for item in error.value.problems] == ["unserved-kind"]


def test_all_kinds_that_cannot_be_listed_are_reported(server: ApiServer) -> None:
    with pytest.raises(ClusterError) as error:
        snapshots_of(server.client(), [Target(CLUSTER_OPERATORS), MAPS, Target(CLUSTER_OPERATORS, "a")])
    assert [item.code for item in error.value.problems] == ["unserved-kind"] * 2
