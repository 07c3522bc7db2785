# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The challenge of a registry, and the token that answers it."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.credentials import Credential
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import PullSpec
from ansible_collections.capability.openshift.plugins.module_utils._registry.token_server import (
    Token,
    parse_challenges,
    parse_token,
    token_request,
)

REALM = "https://auth.example/token"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([], []),
        ([""], []),
        (['Basic realm="x"'], [("basic", {"realm": "x"})]),
        (["Basic"], [("basic", {})]),
        (
            [f'Bearer realm="{REALM}",service="reg",scope="repository:a/b:pull,push"'],
            [("bearer", {"realm": REALM, "service": "reg", "scope": "repository:a/b:pull,push"})],
        ),
        ([f'Bearer realm="{REALM}", Basic realm="r, s"'], [("bearer", {"realm": REALM}), ("basic", {"realm": "r, s"})]),
        ([f'BEARER Realm = "{REALM}"', "Basic"], [("bearer", {"realm": REALM}), ("basic", {})]),
        (["Bearer realm=plain,service=s"], [("bearer", {"realm": "plain", "service": "s"})]),
        ([r'Bearer realm="a\"b"'], [("bearer", {"realm": 'a"b'})]),
        (['Bearer realm="unclosed'], [("bearer", {})]),
        (["Negotiate, Basic realm=x"], [("negotiate", {}), ("basic", {"realm": "x"})]),
    ],
)
def test_challenges_are_parsed(headers, expected):
    assert parse_challenges(headers) == dict(expected)


def request_for(realm=REALM, credential=None, insecure="", **parameters):
    challenge = {"realm": realm, "scope": "repository:else:push", **parameters}
    spec = PullSpec("reg.example", "a/b", "tag")
    return token_request(challenge, spec, credential, lambda host: host == insecure)


def code(call, *arguments):
    with pytest.raises(RegistryError) as error:
        call(*arguments)
    assert "secret" not in str(error.value)
    return error.value.problems[0].code


def test_a_token_is_requested_for_reading_this_repository_only():
    request = request_for(service="reg", credential=Credential("us er", "p:w"))
    assert parse_qs(urlsplit(request.url).query) == {
        "scope": ["repository:a/b:pull"],
        "service": ["reg"],
        "account": ["us er"],
    }
    assert (request.authorization, request.form) == ("Basic dXMgZXI6cDp3", "")
    assert "dXMg" not in repr(request)


def test_an_anonymous_token_and_a_realm_with_a_query():
    request = request_for(f"{REALM}?tenant=1")
    assert request.url == f"{REALM}?tenant=1&scope=repository%3Aa%2Fb%3Apull"
    assert request.authorization == ""


def test_an_identity_token_is_posted():
    request = request_for(service="reg", credential=Credential("user", "", "id token"))
    assert request.url == REALM
    assert parse_qs(request.form) == {
        "scope": ["repository:a/b:pull"],
        "service": ["reg"],
        "grant_type": ["refresh_token"],
        "client_id": ["capability.openshift"],
        "refresh_token": ["id token"],
    }
    assert request.authorization == ""


@pytest.mark.parametrize(
    "realm",
    [
        "",
        "auth.example/token",
        "ftp://auth.example/",
        "https://",
        "https://user:password@auth.example/",
        "https://auth.example/#fragment",
        "https://auth.example:x/",
        "https://auth.example/ x",
        "https://auth.example/\r\nX: y",
        "file:///etc/passwd",
    ],
)
def test_a_realm_that_is_no_url(realm):
    assert code(request_for, realm, Credential("user", "password")) == "invalid-token-server"


def test_credentials_go_to_https_unless_the_token_server_is_named_as_insecure():
    plain = "http://auth.example/t"
    assert code(request_for, plain) == "insecure-token-server"
    assert request_for(plain, insecure="auth.example").url.startswith(plain)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"token": "t", "expires_in": 300}', Token("t", 300)),
        ('{"access_token": "a"}', Token("a", 60)),
        ('{"token": "", "access_token": "a", "expires_in": 1}', Token("a", 60)),
        ('{"token": "t", "expires_in": true}', Token("t", 60)),
    ],
)
def test_a_token(body, expected):
    assert parse_token(body.encode(), "auth.example") == expected
    assert "Token(***)" in repr(expected)


@pytest.mark.parametrize("body", ["", "secret", "[]", "{}", '{"token": 1}', '{"token": "a\\r\\nX: y"}', "[" * 100000])
def test_an_answer_without_a_token_is_not_shown(body):
    assert code(parse_token, body.encode(), "auth.example") == "invalid-token"
