# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Wrong addresses and kubeconfigs: errors with a hint, no traceback and no secret."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import retries
from ansible_collections.capability.openshift.tests.cluster.helpers.refusals import TOKEN, refused, written
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    Site,
    kubeconfig_of,
    selection,
    short_waits,
)
from ansible_collections.capability.openshift.tests.control_plane.ports import free_port
from ansible_collections.capability.openshift.tests.control_plane.users import EVERYTHING, token_of, token_user


@pytest.fixture
def direct(site: Site) -> dict[str, Any]:
    """Options without a kubeconfig, with a token that the server does not know."""
    site.make(selection("Console"), ["Console"])
    return {"kubeconfig": None, "host": site.plane.url, "ca_cert": site.plane.folder / "ca.crt", "api_key": TOKEN}


# Wrong addresses


@contextmanager
def black_hole() -> Iterator[int]:
    """A port with a full backlog: the kernel drops all connection attempts, as a firewall does."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        fillers = [socket.socket() for _number in range(3)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(server.getsockname())
        try:
            yield server.getsockname()[1]
        finally:
            for filler in fillers:
                filler.close()


def test_a_host_that_drops_all_packets(site: Site, direct: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert retries.CONNECT_SECONDS == 10
    monkeypatch.setattr(retries, "CONNECT_SECONDS", 1.0)
    with black_hole() as port:
        outcome = site.info(**{**direct, "host": f"https://127.0.0.1:{port}"})
    refused(outcome, "unreachable-server", f"https://127.0.0.1:{port} does not answer")


def test_a_host_without_a_handshake(site: Site, direct: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """It accepts the connection only: one attempt."""
    monkeypatch.setattr(retries, "CONNECT_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        refused(site.info(**{**direct, "host": f"https://127.0.0.1:{port}"}), "unreachable-server")
        server.accept()[0].close()
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_refused_and_unknown_hosts(site: Site, direct: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    short_waits(monkeypatch)
    for host, code, part in (
        (f"https://127.0.0.1:{free_port()}", "unreachable-server", "refused"),
        ("https://no-such-host.invalid:6443", "unreachable-server", "no-such-host.invalid"),
        ("https://127.0.0.1:port", "unreachable-server", "127.0.0.1:port"),
        ("https://[::1", "unreachable-server", "not a valid host"),
    ):
        refused(site.info(**{**direct, "host": host}), code, part)


@pytest.mark.parametrize("scheme", ["http://", ""])
def test_an_address_without_https(site: Site, direct: dict[str, Any], scheme: str) -> None:
    host = site.plane.url.replace("https://", scheme)
    refused(site.info(**{**direct, "host": host}), "invalid-request", "https://")


class _Page(BaseHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>Log in</html>")


def test_a_server_that_is_no_api_server(site: Site, direct: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    short_waits(monkeypatch)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        host = f"127.0.0.1:{server.server_port}"
        refused(site.info(**{**direct, "host": f"http://{host}"}), "invalid-answer")
        refused(site.info(**{**direct, "host": f"https://{host}"}), "failed-tls")
        server.shutdown()


# Wrong kubeconfigs


@pytest.mark.parametrize(
    "text",
    [
        "",
        "just words",
        "- a list",
        f"users: [token: {TOKEN}\n",
        f"token: {TOKEN}\n  indented: {TOKEN}: x\n",
        "\0",
        "{}",
    ],
    ids=["empty", "words", "list", "open", "indented", "binary", "map"],
)
def test_files_that_are_not_a_kubeconfig(site: Site, tmp_path: Path, text: str) -> None:
    outcome = site.info(kubeconfig=written(tmp_path / "kubeconfig", text))
    refused(outcome, "invalid-kubeconfig", "kubeconfig: ", "Set kubeconfig ")


def test_missing_kubeconfigs(site: Site, tmp_path: Path) -> None:
    for path, code in ((tmp_path / "nowhere", "missing-file"), (tmp_path, "unreadable-file")):
        refused(site.info(kubeconfig=path), code, "kubeconfig: ")


@pytest.mark.parametrize("given", ["file", "dict"])
@pytest.mark.parametrize(
    ("change", "options", "part"),
    [
        ({"current-context": ""}, {}, "kubeconfig: has no current-context"),
        ({}, {"context": "nowhere"}, "context: nowhere is not a context"),
        ({"clusters": []}, {}, "kubeconfig: the context names the cluster"),
        ({"contexts": []}, {}, "kubeconfig: has no contexts"),
    ],
    ids=["none-current", "unknown", "no-clusters", "no-contexts"],
)
def test_unknown_contexts(
    site: Site, tmp_path: Path, given: str, change: dict[str, Any], options: dict[str, Any], part: str
) -> None:
    document = {**kubeconfig_of(site.plane.kubeconfig), **change}
    kubeconfig: Any = document if given == "dict" else written(tmp_path / "kubeconfig", document)
    outcome = site.info(kubeconfig=kubeconfig, **options)
    refused(outcome, "invalid-kubeconfig", part)
    assert document["users"][0]["user"]["client-key-data"][:40] not in json.dumps(outcome.result)


def test_no_secret_is_shown_on_success(site: Site) -> None:
    user = token_user(site.plane, "jane", EVERYTHING)
    token = token_of(site.plane, "jane")
    site.make(selection("Console"), ["Console"])
    given: list[dict[str, Any]] = [
        {"kubeconfig": kubeconfig_of(user.kubeconfig)},
        {"kubeconfig": None, "host": site.plane.url, "ca_cert": site.plane.folder / "ca.crt", "api_key": token},
        {"kubeconfig": kubeconfig_of(site.plane.kubeconfig)},
    ]
    secrets = [
        token,
        kubeconfig_of(user.kubeconfig)["users"][0]["user"]["token"],
        kubeconfig_of(site.plane.kubeconfig)["users"][0]["user"]["client-key-data"],
    ]
    for options in given:
        for outcome in (site.info(**options), site.enable("Storage", **options, diff=True)):
            assert not outcome.failed, outcome.result
            assert not any(secret in json.dumps(outcome.result) for secret in secrets)


def in_exec_arguments(document: dict[str, Any]) -> Any:
    """As kubelogin accepts the secret of a service principal."""
    arguments = ["get-token", "--client-secret", TOKEN]
    program = {"apiVersion": "client.authentication.k8s.io/v1", "command": "false", "args": arguments}
    document["users"][0]["user"] = {"exec": {**program, "interactiveMode": "Never"}}
    return document


def in_exec_environment(document: dict[str, Any]) -> Any:
    program = {"apiVersion": "client.authentication.k8s.io/v1", "command": "false"}
    program_env = [{"name": "SECRET", "value": TOKEN}]
    document["users"][0]["user"] = {"exec": {**program, "env": program_env, "interactiveMode": "Never"}}
    return document


def in_the_proxy(document: dict[str, Any]) -> Any:
    document["clusters"][0]["cluster"]["proxy-url"] = f"http://me:{TOKEN}@127.0.0.1:1"
    return document


def in_the_address(document: dict[str, Any]) -> Any:
    server = document["clusters"][0]["cluster"]["server"]
    document["clusters"][0]["cluster"]["server"] = server.replace("//", f"//me:{TOKEN}@")
    return document


def in_json(document: dict[str, Any]) -> Any:
    """As a template renders a dict, on one line; it looks like a path."""
    document["users"][0]["user"] = {"token": TOKEN}
    return json.dumps(document)


def in_yaml(document: dict[str, Any]) -> Any:
    document["users"][0]["user"] = {"token": TOKEN}
    return yaml.safe_dump(document)


@pytest.mark.parametrize(
    "hide", [in_exec_arguments, in_exec_environment, in_the_proxy, in_the_address, in_json, in_yaml]
)
def test_secrets_in_any_part_of_a_kubeconfig_are_masked(
    site: Site, hide: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    short_waits(monkeypatch)
    site.make(selection("Console"), ["Console"])
    outcome = site.info(kubeconfig=hide(kubeconfig_of(site.plane.kubeconfig)))
    assert TOKEN not in json.dumps(outcome.result)
