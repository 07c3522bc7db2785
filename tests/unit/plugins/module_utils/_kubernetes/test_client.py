# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a client does without a server: its parallelism, and discovery behind something that is not an API server."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import urllib3

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import ApiError
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import auth_spec
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import PARALLELISM, Client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import connect
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.rest_mapper import RestMapper
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError


def client(*parallelism: int) -> Client:
    params = {**dict.fromkeys(auth_spec()), "host": "https://127.0.0.1:9", "api_key": "token"}
    return connect(SimpleNamespace(params=params, no_log_values=set()), *parallelism)


@pytest.mark.parametrize("parallelism", [1, 3, PARALLELISM])
def test_no_more_requests_than_allowed_run_at_the_same_time(parallelism: int) -> None:
    everyone = threading.Barrier(parallelism)
    running: list[int] = []
    most = 0

    def work(item: int) -> int:
        nonlocal most
        running.append(item)
        most = max(most, len(running))
        everyone.wait(10)
        running.remove(item)
        return item * 2

    assert list(client(parallelism).each(work, range(2 * parallelism))) == [n * 2 for n in range(2 * parallelism)]
    assert most == parallelism


class NotAnApi(Client):
    """A proxy that answers each path with 404, or with ``code``."""

    def __init__(self, code: int = 404) -> None:
        pool: Any = None
        super().__init__("https://proxy.example", pool, [], lambda: None)
        self.code = code

    def document(self, path: str, accept: str = "") -> dict[str, Any]:
        raise ApiError(self.code, "<h1>Not Found</h1>", "get", path)


def test_a_server_without_discovery_is_not_an_api_server() -> None:
    with pytest.raises(ClusterError) as error:
        RestMapper(NotAnApi()).find("apps", "Deployment")
    (problem,) = error.value.problems
    assert (problem.code, str(problem.where)) == ("invalid-answer", "host")
    assert problem.message == "cannot get /api: https://proxy.example does not answer like an API server"


def test_a_server_that_forbids_discovery_is_one() -> None:
    with pytest.raises(ApiError) as error:
        RestMapper(NotAnApi(403)).find("apps", "Deployment")
    assert error.value.code == 403


def test_the_time_is_that_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    dates = ["", "Tue, 03 Feb 2026 12:00:00 GMT", "yesterday"]

    class Pool:
        def request_encode_url(self, *_arguments: Any, **_options: Any) -> Any:
            return urllib3.HTTPResponse(b"{}", status=200, headers={"Date": dates.pop(0)})

    pool: Any = Pool()
    asked = Client("https://one.example", pool, [], lambda: None)
    found = []
    for _answer in range(3):
        asked.document("/api")
        now[0] += 5
        found.append(asked.server_time())
    noon = datetime(2026, 2, 3, 12, tzinfo=UTC)
    assert found == [None, noon + timedelta(seconds=5), noon + timedelta(seconds=10)]


@pytest.mark.parametrize(
    ("answers", "requests", "code"),
    [([200], 1, 0), ([429, 429, 200], 3, 0), ([429] * 91, 91, 429), ([409], 1, 409), ([429, 409], 2, 409)],
)
def test_a_request_is_repeated_while_the_server_has_too_many(
    answers: list[int], requests: int, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    sent = 0

    class Pool:
        def request_encode_url(self, *_arguments: Any, **_options: Any) -> Any:
            nonlocal sent
            sent += 1
            text = {200: b"{}", 429: b"Too many requests, please try again later."}.get(answers[sent - 1], b"no")
            return urllib3.HTTPResponse(text, status=answers[sent - 1])

    pool: Any = Pool()
    asked = Client("https://one.example", pool, [], lambda: None)
    try:
        asked.document("/api")
        failed = 0
    except ApiError as error:
        failed = error.code
    assert (sent, failed) == (requests, code)


@pytest.mark.parametrize("token", [None, "Bearer secret"])
def test_a_request_has_the_headers_of_the_connection_and_the_token_of_the_moment(token: str | None) -> None:
    sent: list[dict[str, str]] = []

    class Pool:
        def request_encode_url(self, *_arguments: Any, headers: Any, **_options: Any) -> Any:
            sent.append(dict(headers.items()))
            return urllib3.HTTPResponse(b"{}", status=200)

    pool: Any = Pool()
    tokens = iter([token, "Bearer new"])
    asked = Client("https://one.example", pool, [("Impersonate-User", "me")], lambda: next(tokens))
    for _request in range(2):
        asked.document("/api")
    common = {"Impersonate-User": "me", "Accept": "application/json"}
    assert sent == [
        {**common, **({"Authorization": token} if token else {})},
        {**common, "Authorization": "Bearer new"},
    ]
