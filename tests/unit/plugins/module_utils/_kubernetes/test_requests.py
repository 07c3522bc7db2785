# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests of a client, and which objects exist, on a model of an API server."""

from __future__ import annotations

from typing import Any

import pytest
import urllib3

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import client as client_module
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import ApiError
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.lookup import find_existing
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.rest_mapper import RestMapper
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACES,
    ResourceId,
    Target,
)
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer, Body

A = Target(CONFIG_MAPS, "a", "x")
BODY = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "x"}, "data": {"n": "1"}}


@pytest.fixture
def server() -> ApiServer:
    server = ApiServer(DEPLOYMENTS)
    server.put(NAMESPACES, "x")
    return server


def test_an_object_from_its_creation_to_its_deletion(server: ApiServer) -> None:
    client = server.client()
    assert client.find(A) is None
    with pytest.raises(ApiError) as missing:
        client.get(A)
    assert missing.value.is_not_found
    dry = client.apply_new(A, BODY, dry_run=True)
    assert (dry.created, client.find(A)) == (True, None)
    created = client.create(A, BODY)
    assert created.created
    metadata = created.object["metadata"]
    with pytest.raises(ApiError) as exists:
        client.create(A, BODY)
    assert exists.value.is_conflict
    with pytest.raises(ApiError) as exists:
        client.apply_new(A, {**BODY, "data": {"n": "2"}})
    assert exists.value.is_concurrent_write
    assert client.get(A)["data"] == {"n": "1"}
    assert client.get(A, metadata_only=True).keys().isdisjoint({"data", "kind"})
    with pytest.raises(ApiError) as replaced:
        client.apply(A, BODY, uid="another")
    assert replaced.value.is_uid_mismatch
    applied = client.apply(A, {**BODY, "data": {"m": "3"}}, uid=metadata["uid"])
    assert (applied.created, applied.object["metadata"]["uid"]) == (False, metadata["uid"])
    merged = client.merge(A, {"metadata": {}, "data": {"m": None, "n": "4"}}, dry_run=True)
    assert (merged["data"], client.get(A)["data"]["m"]) == ({"n": "4"}, "3")
    assert client.merge(A, {"metadata": {}, "data": {"m": None, "n": "4"}})["data"] == {"n": "4"}
    assert client.delete(A, uid=metadata["uid"], dry_run=True)
    assert client.find(A) is not None
    with pytest.raises(ApiError) as replaced:
        client.delete(A, uid="another")
    assert replaced.value.is_uid_mismatch
    assert client.delete(A, uid=metadata["uid"])
    assert not client.delete(A)


def test_all_pages_of_a_kind_are_read(server: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_PAGE", 2)
    for name in "abcde":
        server.put(CONFIG_MAPS, name, "x", metadata={"labels": {"odd": str(name in "ace")}}, data={"n": name})
    client, kind = server.client(), Target(CONFIG_MAPS)
    assert [item["data"]["n"] for item in client.list(kind)] == list("abcde")
    assert len([request for request in server.requests if request.startswith("GET")]) == 3
    assert [item["metadata"]["name"] for item in client.list(kind._replace(labels="odd=True"))] == list("ace")
    assert all("data" not in item for item in client.list(kind, metadata_only=True))
    assert client.snapshot(kind).objects.keys() == {f"x/{name}" for name in "abcde"}
    assert client.snapshot(kind).resource_version
    assert client.snapshot(A._replace(namespace="")).objects.keys() == {"x/a"}


class Answers:
    """An API server that gives the same answer to every request."""

    def __init__(self, status: int, body: bytes, **headers: str) -> None:
        self.answer = status, body, headers
        self.sent: list[Any] = []

    def request_encode_url(self, _method: str, url: str, *, headers: Any, **options: Any) -> Any:
        self.sent.append((url, dict(headers), options))
        status, body, given = self.answer
        preloads = options["preload_content"]
        return urllib3.HTTPResponse(Body(body), status=status, headers=given, preload_content=preloads)

    def client(self, token: Any = lambda: None) -> Client:
        pool: Any = self
        return Client("https://api.example/base", pool, [("User-Agent", "me")], token)


@pytest.mark.parametrize("body", [b"", b"[]", b"<html>", b'"text"', b"[" * 100_000])
def test_an_answer_that_is_no_object_is_not_from_an_api_server(body: bytes) -> None:
    with pytest.raises(ClusterError) as error:
        Answers(200, body).client().get(A)
    assert [(item.code, str(item.where)) for item in error.value.problems] == [("invalid-answer", "host")]


@pytest.mark.parametrize("items", ["1", "[1]", '[{"metadata": {}}]', '[{"metadata": {"name": 1}}]'])
def test_a_list_of_what_has_no_names_is_not_from_an_api_server(items: str) -> None:
    with pytest.raises(ClusterError) as error:
        list(Answers(200, b'{"items": ' + items.encode() + b"}").client().list(Target(CONFIG_MAPS)))
    assert [item.code for item in error.value.problems] == ["invalid-answer"]


def test_a_list_without_items_is_empty() -> None:
    assert list(Answers(200, b'{"items": null, "metadata": {}}').client().list(Target(CONFIG_MAPS))) == []


def test_each_request_has_the_token_of_the_moment() -> None:
    tokens = iter(["Bearer one", "Bearer two"])
    answers = Answers(200, b'{"metadata": {}}', Date="Tue, 03 Feb 2026 12:00:00 GMT")
    client = answers.client(lambda: next(tokens))
    assert client.server_time() is None
    client.get(A._replace(name="a b"))
    client.get(A)
    assert [headers["Authorization"] for _url, headers, _options in answers.sent] == ["Bearer one", "Bearer two"]
    assert {headers["User-Agent"] for _url, headers, _options in answers.sent} == {"me"}
    assert answers.sent[0][0] == "https://api.example/base/api/v1/namespaces/x/configmaps/a%20b"
    assert answers.sent[0][2]["redirect"] is False
    time = client.server_time()
    assert time is not None
    assert time.isoformat().startswith("2026-02-03T12:00:00")


@pytest.mark.parametrize("answer", [b"{}", b'{"metadata": null}', b'{"items": []}'])
def test_an_answer_that_is_no_object_is_not_that_of_an_api_server(answer: bytes) -> None:
    with pytest.raises(ClusterError) as error:
        Answers(200, answer).client(lambda: None).get(A)
    assert [item.code for item in error.value.problems] == ["invalid-answer"]


def test_an_object_that_several_callers_need_is_read_once() -> None:
    answers = Answers(200, b'{"metadata": {}}')
    client = answers.client(lambda: None)
    assert client.find_once(A) == client.find_once(A) == {"metadata": {}}
    assert len(answers.sent) == 1


def test_a_program_that_returns_no_token_is_named() -> None:
    def fail() -> str:
        raise RuntimeError("oc is not logged in")

    answers = Answers(200, b"{}")
    with pytest.raises(ClusterError) as error:
        answers.client(fail).get(A)
    assert [item.code for item in error.value.problems] == ["missing-token"]
    assert "oc is not logged in" in error.value.problems[0].message
    assert answers.sent == []


@pytest.mark.parametrize("line", [b"text\n", b"[]\n", b'{"type": "ADDED"}\n', b'{"type": "ADDED", "object": 1}\n'])
def test_a_watch_ends_at_a_line_that_is_no_event(line: bytes) -> None:
    event = b'{"type": "BOOKMARK", "object": {}}\n\n'
    with pytest.raises(ClusterError):
        list(Answers(200, event + line).client().watch(A, "5", 0.2))
    answers = Answers(200, event + b'{"type": "ERROR"}\n')
    assert [item["type"] for item in answers.client().watch(A, "5", 0.2)] == ["BOOKMARK", "ERROR"]
    ((url, _headers, options),) = answers.sent
    assert url.startswith("https://api.example/base/api/v1/namespaces/x/configmaps?fieldSelector=metadata.name%3Da&")
    assert url.endswith("&resourceVersion=5&timeoutSeconds=1")
    assert options["preload_content"] is False


def test_which_resources_exist(server: ApiServer) -> None:
    ours, here = {"labels": {"ours": "yes"}}, ResourceId("", "ConfigMap", "x", "here")
    server.put(CONFIG_MAPS, "here", "x", metadata=ours)
    server.put(CONFIG_MAPS, "theirs", "x")
    server.put(NAMESPACES, "y", metadata=ours)
    spaced, served = ResourceId("", "Namespace", "ignored", "y"), ResourceId("test.io", "Other", "", "y")
    wanted = [here, here._replace(name="theirs"), here._replace(name="gone"), spaced, served]
    found = find_existing(server.client(), RestMapper(server.client()), wanted, "ours=yes")
    assert (set(found.existing), found.unserved, found.unclear) == ({here, spaced}, 1, frozenset())
    assert found.existing[here]["name"] == "here"
    every = find_existing(server.client(), RestMapper(server.client()), wanted)
    assert every.existing.keys() == {here, here._replace(name="theirs"), spaced}


def test_a_kind_that_cannot_be_listed_is_unclear(server: ApiServer) -> None:
    class Forbidden(Client):
        def list(self, target: Target, *, metadata_only: bool = False) -> Any:
            code = 404 if target.kind == DEPLOYMENTS else 403
            raise ApiError(code, "no", "list", str(target))

    client = server.client()
    forbidden = Forbidden("https://api.example", client._pool, [], lambda: None)
    config, deployment = ResourceId("", "ConfigMap", "x", "a"), ResourceId("apps", "Deployment", "x", "a")
    found = find_existing(forbidden, RestMapper(client), [config, config._replace(name="b"), deployment])
    assert not found.existing
    assert found.unclear == {config, config._replace(name="b")}
    assert [item.code for item in found.problems] == ["forbidden-request"]
