# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.document import read_document
from ansible_collections.capability.openshift.plugins.module_utils._install_config.secrets import (
    secret_values,
    without_secrets,
)

CORPUS = sorted((Path(__file__).parents[3] / "install_configs").glob("*.*"))
assert CORPUS, "no install-config to test with"


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_the_secret_values_of_the_corpus(path):
    data = read_document(path.read_bytes(), "").data
    secrets = secret_values(data)
    assert data["pullSecret"] in secrets
    assert all(len(value) >= 4 for value in secrets)
    assert not secrets & {"vCurrent", "None", "example.com", "admin"}


def test_secret_values():
    pull_secret = json.dumps({"auths": {"r": {"auth": "dXNlcjpwYXNzd29yZA==", "email": "e@example.com"}}})
    data = {
        "pullSecret": pull_secret,
        "sshKey": "ssh-rsa AAAAblob me@example.com\n",
        "platform": {
            "hosts": [{"bmc": {"password": "hunter2", "username": "root"}}, {"password": "abc"}, {"token": 12345}]
        },
        "proxy": {"httpProxy": "http://user:p%40ss@h"},
        "x": "-----BEGIN PRIVATE KEY-----\nabcd",
        "publish": None,
    }
    assert secret_values(data) == {
        pull_secret,
        "dXNlcjpwYXNzd29yZA==",
        "password",
        "ssh-rsa AAAAblob me@example.com\n",
        "ssh-rsa AAAAblob me@example.com",
        "AAAAblob",
        "hunter2",
        "12345",
        "user:p%40ss",
        "p%40ss",
        "p@ss",
        "-----BEGIN PRIVATE KEY-----\nabcd",
        "-----BEGIN PRIVATE KEY-----",
        "abcd",
    }
    assert (
        secret_values({"platform": {"sshKeys": None, "token": True}, "noProxy": "a.b,you", "mail": "you@host"}) == set()
    )
    assert secret_values({"pullSecret": "{", "auth": {"password": "{}"}}) == set()


@pytest.mark.parametrize(
    ("data", "secrets"),
    [
        ({"httpProxy": "http://user:pa/ssw0rd@h:1"}, {"user:pa/ssw0rd", "pa/ssw0rd"}),
        ({"proxy": {"a": ["user:passw0rd@h:1"]}}, {"user:passw0rd", "passw0rd"}),
        ({"https_proxy": "http://user:pa ssw%30rd@h"}, {"user:pa ssw%30rd", "pa ssw%30rd", "pa ssw0rd"}),
        ({"a": {"apiKey": "one1", "passwd": ["two2"], "ssh_key": {"b": "three"}}}, {"one1", "two2", "three"}),
        ({"a": "x\nssh-rsa AAAAx you@h\nword"}, {"ssh-rsa AAAAx you@h", "AAAAx"}),
        ({"a": '{"auths":{"r":{"auth":"dTpwYXNz"}}}'}, {'{"auths":{"r":{"auth":"dTpwYXNz"}}}', "dTpwYXNz", "pass"}),
    ],
)
def test_secrets_are_recognized_by_key_and_by_content(data, secrets):
    assert secret_values(data) == secrets
    masked = without_secrets({"a": [f"before {value} after" for value in sorted(secrets)]}, secrets)
    assert masked == {"a": ["before ******** after"] * len(secrets)}
