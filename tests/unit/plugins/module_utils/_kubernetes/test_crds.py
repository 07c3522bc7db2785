# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting for definitions, as far as it needs no watch. tests/cluster/test_established.py waits for real ones."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import crds
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.crds import (
    TOUCHED,
    DefinitionWatch,
    wait_until_established,
)
from ansible_collections.capability.openshift.plugins.module_utils._resources import CUSTOM_RESOURCE_DEFINITIONS, Target
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer

TARGET = Target(CUSTOM_RESOURCE_DEFINITIONS, "things.test.io")


def condition(type_: str, status: str) -> dict[str, str]:
    return {"type": type_, "status": status, "reason": "Why", "message": "so"}


@pytest.mark.parametrize(
    ("conditions", "reason"),
    [
        ([condition("Established", "True")], ""),
        ([condition("NamesAccepted", "False")], "its names are not accepted (so)"),
        (
            [condition("NamesAccepted", "True"), condition("Established", "False")],
            "is not established in time: Why (so)",
        ),
        (None, "is not established in time: the API server has not processed it"),
    ],
)
def test_without_time_the_definition_is_read_once(conditions: Any, reason: str) -> None:
    server = ApiServer()
    metadata = {"uid": "1", "name": TARGET.name}
    server.objects[TARGET.path] = {"metadata": metadata, "status": {"conditions": conditions}}

    crd, found = wait_until_established(server.client(), TARGET, metadata, 0)

    assert (crd["status"]["conditions"], found) == (conditions, reason)
    assert server.requests == [f"GET {TARGET.path}"]


def test_the_trace_of_a_killed_run_is_removed() -> None:
    server = ApiServer()
    versions = [{"name": "v1", "served": True}]
    spec = {
        "group": "test.io",
        "scope": "Cluster",
        "names": {"plural": "things", "kind": "Thing"},
        "versions": versions,
    }
    obj = server.put(CUSTOM_RESOURCE_DEFINITIONS, TARGET.name, metadata={"annotations": {TOUCHED: "1"}}, spec=spec)

    _crd, reason = wait_until_established(server.client(), TARGET, obj["metadata"], 0)

    assert reason == ""
    assert server.objects[TARGET.path]["metadata"]["annotations"] == {}


SPEC = {
    "group": "test.io",
    "scope": "Cluster",
    "names": {"plural": "things", "kind": "Thing"},
    "versions": [{"name": "v1", "served": True, "schema": {"openAPIV3Schema": {}}}],
}


def waiting(monkeypatch: pytest.MonkeyPatch, *conditions: dict[str, str], after: int = 1) -> tuple[ApiServer, Any]:
    """A server that decides about a definition before a watch, or another request of the given number."""
    monkeypatch.setattr(crds, "_PAUSE", 0.01)
    server, seen = ApiServer(), 0
    obj = server.put(CUSTOM_RESOURCE_DEFINITIONS, TARGET.name, spec=SPEC)
    obj["status"] = {"conditions": []}
    server.objects[TARGET.path] = obj
    server.events.clear()

    def decide(_method: str, _path: str) -> None:
        nonlocal seen
        seen += 1
        if seen == after:
            version = str(int(obj["metadata"]["resourceVersion"]) + 50)
            decided = {**obj, "metadata": {**obj["metadata"], "resourceVersion": version}}
            decided["status"] = {"conditions": list(conditions)}
            server.objects[TARGET.path] = decided
            server.events.append(("MODIFIED", TARGET.path, decided))

    server.before = decide
    return server, obj["metadata"]


@pytest.mark.parametrize("after", [1, 2])
def test_a_definition_is_established_while_it_is_waited_for(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    server, metadata = waiting(monkeypatch, condition("Established", "True"), after=after)
    crd, reason = wait_until_established(server.client(), TARGET, metadata, 20, 10)
    assert (crd["metadata"]["uid"], reason) == (metadata["uid"], "")
    assert crd["spec"]["names"] == SPEC["names"]
    assert [(item["name"], item["served"]) for item in crd["spec"]["versions"]] == [("v1", True)]
    assert not [request for request in server.requests if request.startswith("PATCH")]


def test_rejected_names_end_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    server, metadata = waiting(monkeypatch, condition("NamesAccepted", "False"))
    _crd, reason = wait_until_established(server.client(), TARGET, metadata, 20, 10)
    assert reason == "its names are not accepted (so)"


def test_a_definition_that_makes_no_progress_is_changed_and_changed_back(monkeypatch: pytest.MonkeyPatch) -> None:
    server, metadata = waiting(monkeypatch, after=0)
    touches: list[Any] = []

    def note(method: str, path: str) -> None:
        if (method, path) == ("PATCH", TARGET.path):
            annotations = server.objects[TARGET.path]["metadata"].get("annotations")
            touches.append(dict(annotations or {}))

    server.before = note
    _crd, reason = wait_until_established(server.client(), TARGET, metadata, 0.2, 0.02)
    assert touches[:2] == [{}, {TOUCHED: "1"}]
    assert TOUCHED not in server.objects[TARGET.path]["metadata"]["annotations"]
    assert reason == ""  # the model establishes a definition that is written


class OneEvent:
    """A client whose watch has one event, and ends when that was taken."""

    def __init__(self, type_: str, obj: Any) -> None:
        self.event, self.is_taken = {"type": type_, "object": obj}, Event()

    def watch(self, *_arguments: Any) -> Iterator[Any]:
        yield self.event
        if self.event["type"] != "DELETED":
            self.is_taken.wait(60)


@pytest.mark.parametrize("type_", ["ADDED", "DELETED", "ERROR"])
def test_only_an_event_about_a_definition_that_exists_decides(type_: str) -> None:
    conditions = [condition("Established", "True")]
    client: Any = OneEvent(
        type_, {"metadata": {"name": "a", "uid": "1"}, "spec": SPEC, "status": {"conditions": conditions}}
    )
    found = DefinitionWatch(client).wait("a", "1", 60)
    client.is_taken.set()
    assert (found is not None) is (type_ == "ADDED")
