# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An address without TLS, and secrets in any part of a kubeconfig: neither is ever shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.tests.cluster.helpers.refusals import TOKEN, refused
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    Site,
    kubeconfig_of,
    selection,
    short_waits,
)
from ansible_collections.capability.openshift.tests.control_plane.users import EVERYTHING, token_of, token_user


@pytest.fixture
def direct(site: Site) -> dict[str, Any]:
    """Options without a kubeconfig, with a token that the server does not know."""
    site.make(selection("Console"), ["Console"])
    return {"kubeconfig": None, "host": site.plane.url, "ca_cert": site.plane.folder / "ca.crt", "api_key": TOKEN}


@pytest.mark.parametrize("scheme", ["http://", ""])
def test_an_address_without_https(site: Site, direct: dict[str, Any], scheme: str) -> None:
    host = site.plane.url.replace("https://", scheme)
    refused(site.info(**{**direct, "host": host}), "invalid-request", "https://")


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
