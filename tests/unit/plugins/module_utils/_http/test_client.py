# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests to servers on loopback: redirects, challenges, retries and limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._http.client import (
    HttpClient,
    Patience,
    trusted_certificates,
)
from ansible_collections.capability.openshift.plugins.module_utils._http.error import HttpError
from ansible_collections.capability.openshift.tests.control_plane.ports import free_port
from ansible_collections.capability.openshift.tests.control_plane.server import Server

BASIC = 'Basic realm="x"'
CERTIFICATES = trusted_certificates(None)
Answer = tuple[int, bytes, dict[str, str]]


class Site:
    """A server that gives its ``answers`` one after the other, and the last one again and again."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                site.requests.append((self.command, self.path))
                site.headers.append({name.lower(): value for name, value in self.headers.items()})
                site.bodies.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                status, body, headers = site.answers[0]
                del site.answers[: len(site.answers) > 1]
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_HEAD = answer

            def log_message(self, *_arguments: Any) -> None:
                pass

        self.server = Server(Handler, None)
        self.url = self.server.url


@pytest.fixture
def site() -> Iterator[Site]:
    found = Site((200, b"text", {"X-A": "1"}))
    yield found
    found.server.close()


@pytest.fixture
def other() -> Iterator[Site]:
    found = Site((200, b"other", {}))
    yield found
    found.server.close()


class Client(HttpClient):
    """A client that does not wait. ``pauses`` are the seconds that it would."""

    def __init__(self) -> None:
        super().__init__({}, CERTIFICATES)
        self.pauses: list[float] = []
        self.pause = self.pauses.append  # type: ignore[assignment]


def read(client: HttpClient, url: str, headers: Mapping[str, str] = MappingProxyType({}), **options: Any) -> Any:
    return client.request(url, headers, most=10, **options)[:2]


def fault(client: HttpClient, url: str, **options: Any) -> HttpError:
    with pytest.raises(HttpError) as raised:
        read(client, url, **options)
    return raised.value


def test_a_form_is_posted_and_an_answer_is_cut(site: Site) -> None:
    client = Client()
    assert read(client, f"{site.url}/a?b=c", {"Accept": "x"}) == (200, b"text")
    assert client.request(site.url, method="POST", form="p=s").headers["x-a"] == "1"
    assert (site.requests, site.bodies) == ([("GET", "/a?b=c"), ("POST", "/")], [b"", b"p=s"])
    assert [headers.get("content-type") for headers in site.headers] == [None, "application/x-www-form-urlencoded"]
    assert (site.headers[0]["accept"], site.headers[0]["accept-encoding"]) == ("x", "identity")
    site.answers = [(200, b"x" * 100, {})]
    assert read(client, site.url)[1] == b"x" * 11


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_and_another_host_gets_no_credentials(site: Site, other: Site, status: int) -> None:
    site.answers = [(status, b"", {"Location": "/here"}), (status, b"", {"Location": f"{other.url}/there"})]
    found = read(Client(), f"{site.url}/start", authorize=lambda _challenges: "Basic secret")
    assert found == (200, b"other")
    assert [path for _method, path in (*site.requests, *other.requests)] == ["/start", "/here", "/there"]
    assert [headers.get("authorization") for headers in (*site.headers, *other.headers)] == ["Basic secret"] * 2 + [
        None
    ]


def test_only_the_redirects_of_get_are_followed(site: Site, other: Site) -> None:
    site.answers = [(302, b"", {"Location": other.url})]
    assert read(Client(), site.url, method="POST", form="a=b")[0] == 302
    assert read(Client(), site.url, method="HEAD")[0] == 302
    assert other.requests == []


@pytest.mark.parametrize(
    ("location", "code", "number"),
    [("/again", "too-many-redirects", 11), ("http://[bad", "invalid-redirect", 1), ("//x:y/", "invalid-redirect", 1)],
)
def test_a_redirect_to_nowhere_is_refused(site: Site, location: str, code: str, number: int) -> None:
    site.answers = [(302, b"", {"Location": location})]
    error = fault(Client(), site.url, patience=Patience(tries=1))
    assert (error.code, len(site.requests), "bad" in str(error)) == (code, number, False)


def challenged(answers: Sequence[str]) -> tuple[Any, list[list[str]]]:
    seen: list[list[str]] = []
    headers = iter(answers)

    def authorize(challenges: Sequence[str]) -> str:
        seen.append(list(challenges))
        return next(headers)

    return authorize, seen


def test_credentials_are_sent_after_a_challenge_and_only_once(site: Site) -> None:
    denied: Answer = (401, b"", {"WWW-Authenticate": BASIC})
    site.answers = [denied, (200, b"text", {})]
    authorize, seen = challenged(["", "Basic one"])
    assert read(Client(), site.url, authorize=authorize)[0] == 200
    assert (seen, site.headers[1]["authorization"]) == ([[], [BASIC]], "Basic one")
    site.answers, site.requests = [denied], []
    authorize, seen = challenged(["Basic one", "Basic two"])
    assert read(Client(), site.url, authorize=authorize)[0] == 401
    assert (len(seen), len(site.requests)) == (2, 2)
    site.requests = []
    authorize, seen = challenged(["Basic one", "Basic one"])
    assert read(Client(), site.url, authorize=authorize)[0] == 401
    assert len(site.requests) == 1


def test_the_challenge_of_another_host_gets_no_credentials(site: Site, other: Site) -> None:
    site.answers = [(302, b"", {"Location": other.url})]
    other.answers = [(401, b"", {"WWW-Authenticate": BASIC})]
    authorize, seen = challenged(["", "Basic secret"])
    assert read(Client(), site.url, authorize=authorize) == (401, b"")
    assert seen == [[]]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(site: Site, status: int) -> None:
    busy: Answer = (status, b"busy", {})
    site.answers = [busy, (status, b"", {"Retry-After": "7"}), (status, b"", {"Retry-After": "99"}), (200, b"", {})]
    client = Client()
    assert read(client, site.url)[0] == 200
    assert client.pauses == [0.5, 7, 30]
    site.answers = [busy]
    assert read(Client(), site.url, patience=Patience(tries=2)) == (status, b"busy")
    site.answers, site.requests = [(404, b"", {})], []
    assert read(Client(), site.url)[0] == 404
    assert len(site.requests) == 1


def test_an_answer_that_breaks_is_read_again(site: Site) -> None:
    site.answers = [(200, b"te", {"Content-Length": "4"}), (200, b"text", {})]
    client = Client()
    assert read(client, site.url) == (200, b"text")
    assert len(client.pauses) == 1
    site.answers = [(200, b"te", {"Content-Length": "4"})]
    assert fault(client, site.url, patience=Patience(tries=3)).code == "unreachable"
    assert len(client.pauses) == 3


class Writer:
    """Collects a body, and each beginning of it."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def begin(self) -> None:
        self.bodies.append(b"")

    def write(self, data: bytes) -> None:
        self.bodies[-1] += data


def test_a_body_is_written_from_its_start_after_a_connection_that_breaks(site: Site) -> None:
    site.answers = [(200, b"te", {"Content-Length": "4"}), (200, b"text", {})]
    writer = Writer()
    assert Client().request(site.url, most=4, writer=writer)[:2] == (200, b"")
    assert writer.bodies == [b"te", b"text"]


def test_only_the_body_of_a_success_is_written(site: Site) -> None:
    site.answers = [(404, b"not here", {})]
    writer = Writer()
    assert Client().request(site.url, most=4, writer=writer)[:2] == (404, b"")
    assert writer.bodies == []


@pytest.mark.parametrize(("dead", "pauses"), [(True, 2), (False, 0)])
def test_a_host_that_is_not_there_is_asked_again_only_if_there_is_no_other(dead: bool, pauses: int) -> None:
    client = Client()
    error = fault(client, f"http://127.0.0.1:{free_port()}/", patience=Patience(tries=3, dead=dead))
    assert (error.code, error.final, len(client.pauses)) == ("unreachable", not dead, pauses)
    assert "refused" in str(error)
    assert "object at" not in str(error)


def test_an_error_without_a_text_is_named_by_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    pool = SimpleNamespace(request=Mock(side_effect=TimeoutError))
    monkeypatch.setattr(client, "_pool", lambda _url: pool)
    assert str(fault(client, "http://127.0.0.1/")).endswith(": TimeoutError")


def test_authorities_of_a_file_or_directory_are_trusted(tmp_path: Path) -> None:
    text = tmp_path / "ca.pem"
    text.write_text("no certificate", "utf-8")
    for path, code in ((text, "invalid-certificate"), (tmp_path / "missing", "unreadable-file")):
        with pytest.raises(HttpError) as raised:
            trusted_certificates(str(path))
        assert raised.value.code == code
    assert trusted_certificates(str(tmp_path)).check_hostname
