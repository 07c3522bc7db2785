# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests of the client: pages, metadata, watches, writes and deletions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import client as _client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import watch
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import ApiError
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.lookup import find_existing
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.rest_mapper import RestMapper
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.watch import snapshots_of, watch_objects
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CUSTOM_RESOURCE_DEFINITIONS,
    ApiResource,
    ResourceId,
    Target,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import crd
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    Site,
    restart,
    short_waits,
    site_of,
    verbs,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.faults import FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.openshift import CRDS, is_established
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

CONFIG_MAPS = ApiResource("", "v1", "configmaps", "ConfigMap", True)
ALL = Target(CONFIG_MAPS, namespace="work")
PATH = "/api/v1/namespaces/work/configmaps"


def one(name: str) -> Target:
    return Target(CONFIG_MAPS, name, "work")


def body(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "work"}, "data": data}


@pytest.fixture
def site(cluster: ControlPlane, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Site:
    site = site_of(cluster, capsys, monkeypatch)
    cluster.api.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "work"}})
    return site


@pytest.fixture
def client(site: Site) -> Iterator[Client]:
    client = site.client()
    yield client
    client.close()


def names(objects: Any) -> list[str]:
    return sorted(item["metadata"]["name"] for item in objects)


def create(site: Site, *object_names: str) -> None:
    for name in object_names:
        site.plane.api.post(PATH, body(name, some="data"))


# Reading


def test_long_lists_come_in_pages(site: Site, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    create(site, *"abcdefg")
    monkeypatch.setattr(_client, "_PAGE", 3)
    mark = site.plane.audit.mark()
    assert names(client.list(ALL)) == list("abcdefg")
    assert [request.uri.partition("&continue=")[0] for request in site.requests(mark)] == [f"{PATH}?limit=3"] * 3
    snapshot = client.snapshot(ALL)
    assert sorted(snapshot.objects) == [f"work/{name}" for name in "abcdefg"]
    assert int(snapshot.resource_version) > 0


def test_metadata_without_data(site: Site, client: Client) -> None:
    create(site, "a")
    (obj,) = client.list(ALL, metadata_only=True)
    assert (obj["metadata"]["name"], obj["kind"]) == ("a", "PartialObjectMetadata")
    assert "data" not in obj
    (obj,) = client.list(ALL)
    assert obj["data"] == {"some": "data"}


def test_all_namespaces_or_one_object(site: Site, client: Client) -> None:
    create(site, "a", "b")
    assert {"a", "b"} <= {item["metadata"]["name"] for item in client.list(Target(CONFIG_MAPS))}
    assert list(client.snapshot(one("a")).objects) == ["work/a"]
    assert client.snapshot(one("none")).objects == {}
    assert client.get(one("b"))["data"] == {"some": "data"}
    with pytest.raises(ApiError, match="cannot get configmaps work/none: 404 NotFound") as caught:
        client.get(one("none"))
    assert (caught.value.code, caught.value.object_name) == (404, "none")


def test_names_are_quoted(site: Site, client: Client) -> None:
    """A name can have characters with a meaning in URLs."""
    with pytest.raises(ApiError) as caught:
        client.get(one("a?b#c d%2e"))
    assert caught.value.code in (400, 404)


@pytest.fixture
def fresh_kinds(site: Site) -> Iterator[list[ApiResource]]:
    """Established kinds whose storage the server initializes with the first request."""
    kinds = [ApiResource("test.io", "v1", f"fresh{number}s", f"Fresh{number}", True) for number in range(5)]
    for kind in kinds:
        body = crd(kind.plural, kind.kind)
        site.plane.api.apply(f"{CRDS}/{body['metadata']['name']}", body)
    names = [kind.resource for kind in kinds]
    wait_for(lambda: all(is_established(site.plane.api, name) for name in names), "the definitions to be established")
    yield kinds
    for name in names:
        site.plane.api.delete(f"{CRDS}/{name}")
    wait_for(lambda: not any(site.plane.api.exists(f"{CRDS}/{name}") for name in names), "the definitions to be gone")


def test_kind_that_was_not_listed_before_is_listed_without_a_long_pause(
    site: Site, client: Client, fresh_kinds: list[ApiResource], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server answers 429 with ``Retry-After: 1``, and is ready long before that."""
    mark = site.plane.audit.mark()
    pauses: list[float] = []
    sleep = time.sleep

    def note(seconds: float) -> None:
        pauses.append(seconds)
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", note)
    assert [list(client.list(Target(kind, labels="some=label"))) for kind in fresh_kinds] == [[]] * 5
    refused = [request for request in site.requests(mark) if request.code == 429]
    assert refused
    assert 0 < sum(pauses) < len(refused)


def test_members_of_kinds_that_a_release_defines_cost_one_request_each(
    site: Site, client: Client, fresh_kinds: list[ApiResource]
) -> None:
    wanted = [ResourceId(kind.group, kind.kind, "work", "some") for kind in fresh_kinds]
    definitions = CUSTOM_RESOURCE_DEFINITIONS.group_kind
    wanted += [ResourceId(*definitions, "", kind.resource) for kind in fresh_kinds]
    kinds = RestMapper(client)
    assert kinds.find("test.io", "Fresh0")
    mark = site.plane.audit.mark()
    assert not find_existing(client, kinds, wanted, "some=label").existing
    assert [request.code for request in site.requests(mark)] == [200] * 6


# Writing


def test_merging_needs_the_current_version(site: Site, client: Client) -> None:
    create(site, "a")
    version = client.get(one("a"))["metadata"]["resourceVersion"]
    change = {"metadata": {"resourceVersion": version}, "data": {"more": "data"}}
    assert client.merge(one("a"), change, dry_run=True)["data"] == {"some": "data", "more": "data"}
    assert client.get(one("a"))["data"] == {"some": "data"}
    client.merge(one("a"), change)
    with pytest.raises(ApiError, match="409 Conflict") as caught:
        client.merge(one("a"), change)
    assert caught.value.is_concurrent_write


def test_applying_owns_fields(site: Site, client: Client) -> None:
    applied = client.apply(one("a"), body("a", mine="1")).object
    assert applied["metadata"]["managedFields"][0]["manager"] == _client.FIELD_MANAGER
    again = client.apply(one("a"), body("a", mine="1")).object
    assert again["metadata"]["resourceVersion"] == applied["metadata"]["resourceVersion"]
    site.plane.api.apply(f"{PATH}/a", body("a", mine="2"))
    with pytest.raises(ApiError, match=r"409 Conflict.*conflict with") as caught:
        client.apply(one("a"), body("a", mine="3"))
    assert caught.value.is_field_conflict
    assert [conflict.field for conflict in caught.value.field_conflicts] == [".data.mine"]
    assert client.apply(one("a"), body("a", mine="3"), force=True, dry_run=True).object["data"] == {"mine": "3"}
    assert client.get(one("a"))["data"] == {"mine": "2"}
    assert client.apply(one("a"), body("a", mine="3"), force=True).object["data"] == {"mine": "3"}


def test_applying_to_the_object_with_a_uid_changes_no_other_object(site: Site, client: Client) -> None:
    metadata = client.apply(one("a"), body("a", mine="1")).object["metadata"]
    again = client.apply(one("a"), body("a", mine="1"), uid=metadata["uid"]).object["metadata"]
    assert (again["resourceVersion"], again["managedFields"]) == (
        metadata["resourceVersion"],
        metadata["managedFields"],
    )
    site.plane.api.delete(f"{PATH}/a")
    for dry_run in (True, False):
        with pytest.raises(ApiError) as caught:
            client.apply(one("a"), body("a", mine="1"), uid=metadata["uid"], dry_run=dry_run)
        assert caught.value.is_uid_mismatch
    create(site, "a")
    for force in (True, False):
        with pytest.raises(ApiError) as caught:
            client.apply(one("a"), body("a", mine="1"), uid=metadata["uid"], force=force)
        assert caught.value.is_uid_mismatch
    assert "mine" not in client.get(one("a"))["data"]


def test_a_dry_run_deletes_nothing(site: Site, client: Client) -> None:
    create(site, "a")
    client.delete(one("a"), dry_run=True)
    client.delete(one("a"), uid=client.get(one("a"))["metadata"]["uid"], dry_run=True)
    assert site.plane.api.exists(f"{PATH}/a")


def test_deletions_are_idempotent(site: Site, client: Client) -> None:
    create(site, "a")
    uid = client.get(one("a"))["metadata"]["uid"]
    with pytest.raises(ApiError, match="409 Conflict"):
        client.delete(one("a"), uid="6ba7b810-9dad-41d1-80b4-00c04fd430c8")
    client.delete(one("a"), uid=uid)
    client.delete(one("a"), uid=uid)
    assert list(client.snapshot(ALL).objects) == []


def test_a_deletion_whose_answer_is_lost_is_done(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    short_waits(monkeypatch, read_seconds=30)
    create(site, "a")
    with FaultProxy(site.plane) as proxy:
        proxy.fail("lose", method="DELETE")
        site.client(kubeconfig=str(proxy.kubeconfig)).delete(one("a"))
        assert [request.method for request in proxy.requests] == ["DELETE", "DELETE"]
    assert not site.plane.api.exists(f"{PATH}/a")


# Watching


def test_a_watch_continues_from_a_list(site: Site, client: Client) -> None:
    create(site, "a")
    snapshot = client.snapshot(ALL)
    create(site, "b")
    site.plane.api.patch(f"{PATH}/a", {"data": {"some": "other"}})
    site.plane.api.delete(f"{PATH}/b")
    events = []
    for event in client.watch(ALL, snapshot.resource_version, 30):
        events.append((event["type"], event["object"]["metadata"]["name"]))
        if len(events) == 3:
            break
    assert events == [("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "b")]


def test_a_watch_of_one_object_ends_in_time(site: Site, client: Client) -> None:
    create(site, "a", "b")
    version = client.snapshot(one("a")).resource_version
    for name in ("b", "a"):
        site.plane.api.patch(f"{PATH}/{name}", {"data": {"some": "other"}})
    events = client.watch(one("a"), version, 3)
    assert names(event["object"] for event in events if event["type"] != "BOOKMARK") == ["a"]


def test_large_objects_arrive_complete(site: Site, client: Client) -> None:
    """Larger than one read, and not only ASCII."""
    version = client.snapshot(ALL).resource_version
    large = "ü€\n" * 100_000
    site.plane.api.post(PATH, body("large", text=large))
    event = next(iter(client.watch(ALL, version, 30)))
    assert event["object"]["data"] == {"text": large}


def test_a_watch_and_a_restarted_server(site: Site, client: Client) -> None:
    """A broken connection is an error. After the restart, an event reports that the version is too old."""
    create(site, "a")
    old = client.snapshot(ALL).resource_version
    events = iter(client.watch(ALL, old, 60))
    site.plane.api.patch(f"{PATH}/a", {"data": {"some": "other"}})
    assert next(events)["type"] == "MODIFIED"
    site.plane.kill_api_server()
    try:
        with pytest.raises(ClusterError, match=r"cannot watch configmaps work: .* does not answer"):
            next(events)
    finally:
        restart(site.plane)  # its watch cache is empty
    create(site, "b")
    (event,) = client.watch(ALL, str(int(old) - 1), 60)
    assert (event["type"], event["object"]["code"]) == ("ERROR", 410)
    assert sorted(client.snapshot(ALL).objects) == ["work/a", "work/b"]


def test_observing_survives_broken_connections(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes between two watches are in the next list."""
    short_waits(monkeypatch, read_seconds=30)
    monkeypatch.setattr(watch, "_PAUSE", 0.1)
    create(site, "a")
    with FaultProxy(site.plane) as proxy:
        proxy.fail("reset", 3, path="watch=true")
        client = site.client(kubeconfig=str(proxy.kubeconfig))
        states = watch_objects(client, snapshots_of(client, [ALL]), 120)
        assert "work/a" in next(states).objects[ALL]
        create(site, "b")
        site.plane.api.delete(f"{PATH}/a")
        for state in states:
            if "work/b" in state.objects[ALL] and "work/a" not in state.objects[ALL]:
                break
        else:
            pytest.fail("the change was not seen")
        states.close()  # type: ignore[attr-defined]


def test_a_watch_is_restarted_after_a_while(site: Site, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection can be dead without an error."""
    monkeypatch.setattr(watch, "_LONGEST_WATCH", 1.0)
    mark = site.plane.audit.mark()

    def create_late() -> None:
        wait_for(lambda: verbs(site.requests(mark)).count("watch") >= 2, "the second watch")
        create(site, "late")

    with ThreadPoolExecutor(1) as pool:
        created = pool.submit(create_late)
        for state in watch_objects(client, snapshots_of(client, [ALL]), 180):
            if "work/late" in state.objects[ALL]:
                break
        created.result()
    assert verbs(site.requests(mark))[:3] == ["list", "watch", "watch"]
