# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.document import read_document
from ansible_collections.capability.openshift.plugins.module_utils._install_config.secrets import (
    secret_values,
    without_secrets,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location, Problem

CORPUS = sorted((Path(__file__).parents[3] / "install_configs").glob("*.*"))
assert CORPUS, "no install-config to test with"


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_the_secret_values_of_the_corpus(path):
    data = read_document(path.read_bytes(), "").data
    secrets = secret_values(data)
    assert data["pullSecret"] in secrets
    assert all(len(value) >= 8 for value in secrets)
    assert not secrets & {"vCurrent", "None", "example.com", "admin"}


@pytest.mark.parametrize(
    ("data", "secrets"),
    [
        ({"pullSecret": '{"auths":{"r":{"auth":"dXNlcjpw","email":"you@example"}}}'},
         {'{"auths":{"r":{"auth":"dXNlcjpw","email":"you@example"}}}', "dXNlcjpw", "you@example"}),
        ({"sshKey": "ssh-rsa AAAAblob me\n"}, {"ssh-rsa AAAAblob me\n", "ssh-rsa AAAAblob me"}),
        ({"hosts": [{"bmc": {"password": "hunter22", "username": "root-root"}}, {"password": "short"}]}, {"hunter22"}),
        ({"a": {"apiKey": "one-1111", "passwd": ["two-2222"], "ssh_key": {"b": 12345678}}},
         {"one-1111", "two-2222", "12345678"}),
        ({"proxy": {"httpProxy": "http://user:pa/ss%40wo@h:1", "noProxy": ".example.com"}},
         {"http://user:pa/ss%40wo@h:1", "user:pa/ss%40wo", "pa/ss%40wo", "pa/ss@wo"}),
        ({"mirror": "https://user:passw0rd@h"}, {"user:passw0rd", "passw0rd"}),
        ({"sshKeys": None, "token": True, "mail": "operators@example.com"}, set()),
    ],
)  # fmt: skip
def test_secrets_are_recognized_by_key_and_in_urls(data, secrets):
    assert secret_values(data) == secrets
    problem = Problem("error", "a", Location("f", field="x"), f"is {'; '.join(sorted(secrets))}", "Remove it")
    masked = without_secrets(problem, secrets)
    assert masked == problem._replace(message=f"is {'; '.join(['********'] * len(secrets))}")
