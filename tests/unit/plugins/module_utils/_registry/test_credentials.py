# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Credentials: which entry counts for a repository, what helpers return, and that no secret is shown."""

from __future__ import annotations

import base64
import json
import os
import stat

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry import credentials as credentials_file
from ansible_collections.capability.openshift.plugins.module_utils._registry.credentials import (
    Credential,
    Credentials,
    call_helper,
    parse_auth_config,
    read_credentials,
)

SECRET = "tr0ub4dor"


def auth(user: str, password: str = SECRET) -> dict[str, str]:
    return {"auth": base64.b64encode(f"{user}:{password}".encode()).decode()}


def find(name: str, content: object) -> Credential | None:
    problems = Problems()
    config = parse_auth_config(json.dumps(content), "auth_file", problems)
    assert config is not None
    assert problems == []
    return Credentials((config,)).find(name)


def fault(call, *arguments):
    with pytest.raises(RegistryError) as error:
        call(*arguments)
    (problem,) = error.value.problems
    return problem.code, str(problem.where)


AUTHS = {
    "reg.example/a/b/image": auth("image"),
    "reg.example/a/b": auth("namespace"),
    "reg.example": auth("host"),
    "reg.example:5000": auth("port"),
    "https://old.example/v2/": auth("old"),
    "empty.example": {},
    "token.example": {"auth": auth("user", "")["auth"], "identitytoken": SECRET},
    "plain.example": {"username": "plain", "password": SECRET},
}


@pytest.mark.parametrize(
    ("name", "user"),
    [
        ("reg.example/a/b/image", "image"),
        ("reg.example/a/b/image2", "namespace"),
        ("reg.example/a/bc", "host"),
        ("reg.example/a", "host"),
        ("reg.example:5000/a/b/image", "port"),
        ("old.example/x", "old"),
        ("plain.example/x", "plain"),
        ("empty.example/x", None),
        ("reg.example.evil/a/b", None),
        ("other.example/x", None),
    ],
)
def test_the_longest_key_counts(name, user):
    found = find(name, {"auths": AUTHS})
    assert (found and found.username) == user
    assert found is None or found.password == SECRET


def test_an_identity_token():
    assert find("token.example/x", {"auths": AUTHS}) == Credential("user", "", SECRET)


def test_a_password_with_colons_and_padding():
    content = {"auths": {"reg.example": {"auth": base64.b64encode(b"user:a:b:cx\0\0").decode()}}}
    assert find("reg.example/x", content) == Credential("user", "a:b:cx")


@pytest.mark.parametrize(
    ("name", "content", "asked"),
    [
        ("reg.example/a", {"credHelpers": {"reg.example": "one"}, "auths": AUTHS}, ("one", "reg.example")),
        ("else.example/a", {"credsStore": "all", "auths": AUTHS}, ("all", "else.example")),
        ("empty.example/a", {"credsStore": "all", "auths": AUTHS}, ("all", "empty.example")),
        # An entry precedes the store.
        ("reg.example/a", {"credsStore": "all", "auths": AUTHS}, ("host", SECRET)),
    ],
)
def test_which_helper_is_asked(name, content, asked, monkeypatch):
    monkeypatch.setattr(credentials_file, "call_helper", Credential)
    assert find(name, content) == Credential(*asked)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "invalid-json"),
        ('{"auths": {"a": {"auth": "c2VjcmV0"}}', "invalid-json"),
        ("[]", "not-a-map"),
        ('"secret"', "not-a-map"),
        ('{"apiVersion": "v1", "kind": "Secret"}', "invalid-auth-file"),
        ('{"auths": ["a"]}', "invalid-auth-file"),
        ('{"credHelpers": "x"}', "invalid-auth-file"),
        ('{"credsStore": {}}', "invalid-auth-file"),
        ("[" * 100000, "invalid-json"),
    ],
)
def test_a_pull_secret_that_is_not_valid(text, code):
    problems = Problems()
    assert parse_auth_config(text, "pull_secret", problems) is None
    assert [problem.code for problem in problems] == [code]
    assert "c2VjcmV0" not in str(problems)
    assert "secret" not in problems[0].message


@pytest.mark.parametrize("entry", ["x", {"auth": "%%%"}, {"auth": base64.b64encode(b"secret").decode()}, {"auth": 1}])
def test_an_entry_that_is_not_valid_is_reported_if_it_is_needed(entry):
    problems = Problems()
    config = parse_auth_config(json.dumps({"auths": {"bad.example": entry, **AUTHS}}), "auth_file", problems)
    assert config is not None
    credentials = Credentials((config,))

    assert problems == []
    assert credentials.find("reg.example/x")
    assert fault(credentials.find, "bad.example/x") == ("invalid-credentials", "auth_file, entry bad.example")


def test_nothing_shows_a_secret():
    problems = Problems()
    config = parse_auth_config(json.dumps({"auths": AUTHS}), "auth_file", problems)
    assert config is not None
    credentials = Credentials((config,))
    shown = f"{config} {credentials!r} {credentials.find('plain.example/x')} {config.entries}"
    assert SECRET not in shown
    assert AUTHS["reg.example"]["auth"] not in shown


def write(path, content) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")
    return str(path)


def read(environ, problems=None, pull_secret=None, auth_file=None):
    reported = Problems() if problems is None else problems
    credentials = read_credentials(pull_secret, auth_file, environ, reported)
    if problems is None:
        assert reported == []
    found = credentials.find("reg.example/x")
    return found.username if found else None


def test_the_default_files_in_their_order(tmp_path):
    environ = {"HOME": str(tmp_path / "home"), "XDG_RUNTIME_DIR": str(tmp_path / "run")}
    files = [
        tmp_path / "run/containers/auth.json",
        tmp_path / "home/.config/containers/auth.json",
        tmp_path / "home/.docker/config.json",
    ]
    for number, path in enumerate(files):
        write(path, {"auths": {"reg.example": auth(str(number))}})
    write(tmp_path / "config/containers/auth.json", {"auths": {"reg.example": auth("xdg")}})
    write(tmp_path / "docker/config.json", {"auths": {"reg.example": auth("docker")}})

    assert read(environ) == "0"
    files[0].write_text('{"auths": {"other.example": {}}}')
    assert read(environ) == "1"
    assert read({**environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}) == "xdg"
    files[1].unlink()
    assert read(environ) == "2"
    assert read({**environ, "DOCKER_CONFIG": str(tmp_path / "docker")}) == "docker"


def test_an_explicit_file_is_the_only_one(tmp_path):
    environ = {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    write(tmp_path / "containers/auth.json", {"auths": {"reg.example": auth("default")}})
    other = write(tmp_path / "other.json", {"auths": {"else.example": auth("other")}})
    mine = write(tmp_path / "mine.json", {"auths": {"reg.example": auth("mine")}})

    assert read(environ) == "default"
    assert read({**environ, "REGISTRY_AUTH_FILE": other}) is None
    assert read({**environ, "REGISTRY_AUTH_FILE": other}, auth_file=mine) == "mine"
    assert read({**environ, "REGISTRY_AUTH_FILE": mine}, pull_secret='{"auths": {}}') is None
    secret = json.dumps({"auths": {"reg.example": auth("secret")}})
    assert read(environ, pull_secret=secret, auth_file=mine) == "secret"


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"auth_file": "/no/such/file"}, "auth_file (/no/such/file)"),
        ({"environ": {"REGISTRY_AUTH_FILE": "/no/such/file"}}, "REGISTRY_AUTH_FILE (/no/such/file)"),
        ({"auth_file": "/"}, "auth_file (/)"),
        ({"auth_file": "/proc/self/mem"}, "auth_file (/proc/self/mem)"),
    ],
)
def test_an_explicit_file_must_be_readable(options, where):
    problems = Problems()
    read(options.pop("environ", {}), problems, **options)
    assert [(problem.severity, problem.code, str(problem.where)) for problem in problems] == [
        ("error", "unreadable-file", where)
    ]


def test_a_default_file_that_is_not_valid_is_a_warning(tmp_path):
    path = tmp_path / "containers/auth.json"
    write(path, [])
    problems = Problems()
    assert read({"HOME": str(tmp_path / "none"), "XDG_RUNTIME_DIR": str(tmp_path)}, problems) is None
    assert [(problem.severity, str(problem.where)) for problem in problems] == [("warning", str(path))]


@pytest.fixture
def install_helper(tmp_path, monkeypatch):
    """Install a credential helper, a shell script."""

    def install(script: str) -> None:
        path = tmp_path / "docker-credential-tests"
        path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return install


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            'read s; echo "{\\"ServerURL\\":\\"$s\\",\\"Username\\":\\"$1 $s\\",\\"Secret\\":\\"x\\"}"',
            ("get reg.example", "x", ""),
        ),
        ('echo \'{"Username":"<token>","Secret":"x"}\'', ("", "", "x")),
        ("echo credentials not found in native keychain; exit 1", None),
    ],
)
def test_a_helper_answers(install_helper, script, expected):
    install_helper(script)
    found = call_helper("tests", "reg.example")
    assert (found and tuple(found)) == expected


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo the secret; echo the secret >&2; exit 3", "ended with exit code 3, for reg.example"),
        ("echo the secret", "did not print JSON with Username and Secret, for reg.example"),
        ("echo '[\"the secret\"]'", "did not print JSON with Username and Secret, for reg.example"),
        ('echo \'{"Username":"u","Secret":null}\'', "did not print JSON with Username and Secret, for reg.example"),
    ],
)
def test_a_helper_that_fails_shows_nothing(install_helper, script, message):
    install_helper(script)
    with pytest.raises(RegistryError) as error:
        call_helper("tests", "reg.example")
    assert [(problem.code, problem.message) for problem in error.value.problems] == [
        ("credential-helper-failed", message)
    ]


@pytest.mark.parametrize(
    ("helper", "code"), [("missing", "credential-helper-failed"), ("../../bin/sh", "invalid-credential-helper")]
)
def test_a_helper_that_cannot_be_run(helper, code):
    assert fault(call_helper, helper, "reg.example")[0] == code


def test_a_helper_that_fails_ends_the_search(install_helper):
    install_helper("exit 1")
    problems = Problems()
    content = json.dumps({"credHelpers": {"reg.example": "tests"}})
    first = parse_auth_config(content, "first", problems)
    second = parse_auth_config(json.dumps({"auths": AUTHS}), "second", problems)
    assert first is not None
    assert second is not None
    assert fault(Credentials((first, second)).find, "reg.example/x")[0] == "credential-helper-failed"
