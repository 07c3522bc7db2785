# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which texts of connection options are secret."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import (
    check_connection_options,
    connection_options,
    looks_like_path,
    show_kubeconfig,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems

CONFIG: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "context",
    "contexts": [
        {"name": "context", "context": {"cluster": "cluster", "user": "admin@site", "namespace": "space"}},
        "text",
        {"name": "hidden-name", "context": "text"},
    ],
    "clusters": [{"name": "cluster", "cluster": {"server": "https://api.example", "proxy-url": "http://u:p@proxy"}}],
    "users": [
        {
            "name": "person",
            "user": {"token": "s3cr3t-token", "client-key-data": "hidden-key", "username": "someone", "password": "12"},
        }
    ],
    "extensions": "hidden-extension",
}


def hidden_texts(params: dict[str, Any]) -> set[str]:
    """Return the values that Ansible masks: of all texts in secret options, those that are still in the list."""
    secret = ("kubeconfig", "api_key")
    module = SimpleNamespace(params=params, no_log_values={text for name in secret for text in texts(params.get(name))})
    show_kubeconfig(module)
    hidden: set[str] = module.no_log_values
    return hidden


def texts(value: Any) -> set[str]:
    """Return all values in maps and lists as text."""
    if isinstance(value, dict):
        return texts(list(value.values()))
    if isinstance(value, list):
        return {text for item in value for text in texts(item)}
    return set() if value is None else {str(value)}


def test_the_secrets_of_a_kubeconfig_stay_hidden_and_its_names_do_not() -> None:
    found = hidden_texts({"kubeconfig": CONFIG})
    hidden = {"admin@site", "http://u:p@proxy", "s3cr3t-token", "hidden-key", "hidden-extension", "hidden-name", "text"}
    assert found == hidden - {"text"}


def test_what_another_option_has_as_a_secret_stays_hidden() -> None:
    found = hidden_texts({"kubeconfig": CONFIG, "api_key": "space", "host": "context"})
    assert "space" in found
    assert found.isdisjoint({"context", "https://api.example"})


@pytest.mark.parametrize(
    ("kubeconfig", "masked"),
    [
        ("/home/me/.kube/config", set()),
        ("/a/config:/b/config", set()),
        ('/a/config:token="x"', {'token="x"', '/a/config:token="x"'}),
        ("apiVersion: v1\ntoken: secret", {"apiVersion: v1\ntoken: secret"}),
        (None, set()),
    ],
)
def test_the_path_of_a_kubeconfig_is_shown_and_its_content_is_not(kubeconfig: Any, masked: set[str]) -> None:
    texts = {kubeconfig, *kubeconfig.split(":")} if kubeconfig and "\n" not in kubeconfig else {kubeconfig}
    module = SimpleNamespace(params={"kubeconfig": kubeconfig}, no_log_values={text for text in texts if text})
    show_kubeconfig(module)
    assert module.no_log_values == masked


@pytest.mark.parametrize(
    ("text", "expected"), [("~/a b/c.yaml", True), ("a\nb", False), ("", False), ("x" * 256, False)]
)
def test_a_path_has_only_characters_of_paths(text: str, expected: bool) -> None:
    assert looks_like_path(text) == expected


@pytest.mark.parametrize(
    ("params", "where"),
    [
        ({}, []),
        ({"kubeconfig": "/a", "context": "b"}, []),
        ({"kubeconfig": {}, "context": " "}, ["kubeconfig", "context"]),
        ({"kubeconfig": " : "}, ["kubeconfig"]),
        ({"kubeconfig": {"a": 1}, "context": ""}, ["context"]),
        ({"impersonate_groups": [], "validate_certs": False}, []),
        *(({name: ""}, [name]) for name in ("host", "api_key", "proxy", "no_proxy", "impersonate_user")),
    ],
)
def test_an_empty_option_selects_no_cluster(params: dict[str, Any], where: list[str]) -> None:
    problems = Problems()
    check_connection_options(params, problems)
    assert [(item.code, str(item.where)) for item in problems] == [("empty-option", option) for option in where]


@pytest.mark.parametrize(
    ("variables", "option", "expected"),
    [
        ({"K8S_AUTH_HOST": "https://a"}, "host", "https://a"),
        ({"K8S_AUTH_HOST": ""}, "host", None),
        ({}, "host", None),
        ({"K8S_AUTH_VALIDATE_CERTS": "False"}, "validate_certs", False),
        ({"K8S_AUTH_VERIFY_SSL": "no"}, "validate_certs", False),
        ({"K8S_AUTH_VERIFY_SSL": "0"}, "validate_certs", False),
        ({"K8S_AUTH_VERIFY_SSL": "true"}, "validate_certs", True),
        ({"K8S_AUTH_CA_CERT": "/a", "K8S_AUTH_SSL_CA_CERT": "/b"}, "ca_cert", "/a"),
        ({"K8S_AUTH_SSL_CA_CERT": "/b"}, "ca_cert", "/b"),
        ({"K8S_AUTH_CERT_FILE": "/c"}, "client_cert", "/c"),
        ({"K8S_AUTH_KEY_FILE": "/k"}, "client_key", "/k"),
        ({"K8S_AUTH_IMPERSONATE_GROUPS": "a,,b"}, "impersonate_groups", ["a", "b"]),
    ],
)
def test_a_variable_is_the_value_of_an_option_that_is_not_set(
    variables: dict[str, str], option: str, expected: Any
) -> None:
    assert connection_options({}, variables)[option] == expected
    assert connection_options({option: "given"}, variables)[option] == "given"
