# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The challenge of a registry, and the token that answers it."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._registry.credentials import Credential
from ansible_collections.capability.openshift.plugins.module_utils._registry.token_server import (
    Challenge,
    Token,
    is_allowed_realm,
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
        (
            [f'Bearer realm="{REALM}", Basic realm="r, s"'],
            [("bearer", {"realm": REALM}), ("basic", {"realm": "r, s"})],
        ),
        ([f'BEARER Realm = "{REALM}"', "Basic"], [("bearer", {"realm": REALM}), ("basic", {})]),
        (["Bearer realm=plain,service=s"], [("bearer", {"realm": "plain", "service": "s"})]),
        ([r'Bearer realm="a\"b"'], [("bearer", {"realm": 'a"b'})]),
        (['Bearer realm="unclosed'], [("bearer", {})]),
        (["Negotiate, Basic realm=x"], [("negotiate", {}), ("basic", {"realm": "x"})]),
    ],
)
def test_challenges_are_parsed(headers, expected):
    assert [tuple(challenge) for challenge in parse_challenges(headers)] == expected


def request_for(realm=REALM, credential=None, **parameters):
    problems = Problems()
    challenge = Challenge("bearer", {"realm": realm, "scope": "repository:else:push", **parameters})
    return token_request(challenge, "a/b", credential, "reg.example", problems), problems


def test_a_token_is_requested_for_reading_this_repository_only():
    request, problems = request_for(service="reg", credential=Credential("us er", "p:w"))
    assert request is not None
    assert problems == []
    assert parse_qs(urlsplit(request.url).query) == {
        "scope": ["repository:a/b:pull"],
        "service": ["reg"],
        "account": ["us er"],
    }
    assert request.headers == {"Authorization": "Basic dXMgZXI6cDp3"}
    assert request.body is None
    assert "dXMg" not in repr(request)


def test_an_anonymous_token_and_a_realm_with_a_query():
    request, _problems = request_for(f"{REALM}?tenant=1")
    assert request is not None
    assert request.url == f"{REALM}?tenant=1&scope=repository%3Aa%2Fb%3Apull"
    assert request.headers == {}


def test_an_identity_token_is_posted():
    request, _problems = request_for(service="reg", credential=Credential("user", "", "id token"))
    assert request is not None
    assert request.url == REALM
    assert parse_qs(request.body) == {
        "scope": ["repository:a/b:pull"],
        "service": ["reg"],
        "grant_type": ["refresh_token"],
        "client_id": ["capability.openshift"],
        "refresh_token": ["id token"],
    }
    assert "Authorization" not in request.headers


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
    request, problems = request_for(realm, Credential("user", "password"))
    assert request is None
    assert [(problem.code, str(problem.where)) for problem in problems] == [("invalid-token-server", "reg.example")]


@pytest.mark.parametrize(
    ("url", "insecure", "allowed"),
    [(REALM, False, True), ("http://auth.example/t", False, False), ("http://auth.example/t", True, True)],
)
def test_credentials_go_to_https_unless_the_token_server_is_named_as_insecure(url, insecure, allowed):
    problems = Problems()
    assert is_allowed_realm(url, "reg.example", problems, insecure=insecure) is allowed
    assert [problem.code for problem in problems] == ([] if allowed else ["insecure-token-server"])


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
    problems = Problems()
    assert parse_token(body.encode(), "auth.example", problems) == expected
    assert problems == []
    assert "Token(***)" in repr(expected)


@pytest.mark.parametrize("body", ["", "secret", "[]", "{}", '{"token": 1}', '{"token": "a\\r\\nX: y"}', "[" * 100000])
def test_an_answer_without_a_token_is_not_shown(body):
    problems = Problems()
    assert parse_token(body.encode(), "auth.example", problems) is None
    assert [problem.code for problem in problems] == ["invalid-token"]
    assert "secret" not in str(problems)
