# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which authorization answers the challenge of a registry. Token servers are in tests/registry."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.access_options import AccessOptions
from ansible_collections.capability.openshift.plugins.module_utils._registry.configured_access import (
    ConfiguredAccess,
    configure_access,
)
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import PullSpec

SPEC = PullSpec("reg.example", "a/b", "tag")
BASIC, BEARER = ['Basic realm="r"'], ["Negotiate"]


def access(auth: dict[str, Any]) -> ConfiguredAccess:
    problems = Problems()
    secret = json.dumps({"auths": {"reg.example": auth}})
    found = configure_access(AccessOptions(pull_secret=secret), {"HOME": "/none"}, problems)
    assert problems == []
    return found


def test_nothing_is_sent_before_the_registry_demands_it():
    found = access({"username": "me", "password": "secret"})

    assert found.authorization(SPEC, []) == ""
    assert found.authorization(SPEC, BASIC) == "Basic bWU6c2VjcmV0"
    assert found.authorization(SPEC, []) == "Basic bWU6c2VjcmV0"
    assert found.authorization(SPEC._replace(repository="c"), []) == ""


@pytest.mark.parametrize(
    ("auth", "challenge", "code"),
    [
        ({"identitytoken": "t"}, BASIC, "registry-unauthorized"),
        ({"username": "me", "password": "secret"}, BEARER, "unsupported-challenge"),
    ],
)
def test_what_cannot_be_answered_is_an_error(auth, challenge, code):
    with pytest.raises(RegistryError) as error:
        access(auth).authorization(SPEC, challenge)

    assert [item.code for item in error.value.problems] == [code]


@pytest.mark.parametrize(("registry", "url"), [("reg.example", "reg.example"), ("docker.io", "registry-1.docker.io")])
def test_a_registry_is_read_with_tls(registry, url):
    assert access({"username": "me", "password": "secret"}).base_url(registry) == f"https://{url}"
