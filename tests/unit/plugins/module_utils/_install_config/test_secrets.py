# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.document import read_document
from ansible_collections.capability.openshift.plugins.module_utils._install_config.secrets import masked, secret_values

CORPUS = sorted((Path(__file__).parents[3] / "install_configs").glob("*.*"))
assert CORPUS, "no install-config to test with"

# Every secret of the corpus contains the first marker, or in base64 the second.
MARKERS = ("hidden", "aGlkZGVu")


@pytest.mark.parametrize("change", [str, lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text])
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_no_secret_of_the_corpus_survives(path, change):
    text = change(path.read_bytes().decode())
    hidden = masked(text, None)
    assert "********" in hidden
    assert "changed" not in hidden.replace("change anything", "")
    assert not [line for line in hidden.splitlines() if any(marker in line for marker in MARKERS)]
    before, after = (read_document(side.encode(), "").data for side in (text, hidden))
    assert list(before) == list(after)
    assert before.get("capabilities") == after.get("capabilities")
    assert before.get("additionalTrustBundle") == after.get("additionalTrustBundle")
    assert before.get("imageDigestSources") == after.get("imageDigestSources")


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_the_secret_values_of_the_corpus(path):
    data = read_document(path.read_bytes(), "").data
    secrets = secret_values(data)
    assert data["pullSecret"] in secrets
    assert all(len(value) >= 4 for value in secrets)
    assert not secrets & {"vCurrent", "None", "example.com", "admin"}


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("password: a\n", "password: '********'\n"),
        ("password: 1234 # 1234\n", "password: '********' # ********\n"),
        ('"bmcPassword": "x\\"y"\n', '"bmcPassword": "********"\n'),
        (
            "password: &p !!str abcd\nb: [*p, abcd, abcde]\n",
            "password: &p !!str '********'\nb: [*p, ********, abcde]\n",
        ),
        ("a: &p abcd\npassword: *p\n", "a: &p '********'\npassword: *p\n"),
        ("a: &p {b: abcd}\nsecret: *p\n", "a: &p {b: '********'}\nsecret: *p\n"),
        ("password:\nb: ''\ntoken: ''\n", "password:\nb: ''\ntoken: ''\n"),
        (
            "auth: x\nauthor: x\nprivateKey: x\nkey: x\n",
            "auth: '********'\nauthor: x\nprivateKey: '********'\nkey: x\n",
        ),
        ("pullSecret: {auths: {r: {auth: x}}}\n", "pullSecret: {auths: {r: {auth: '********'}}}\n"),
        ("a: http://u:p@ss@h/p@th\n", "a: http://********@h/p@th\n"),
        ("a: quay.io/b@sha256:c\n", "a: quay.io/b@sha256:c\n"),
        ("a: 1 # see http://u:p@h\n", "a: 1 # see http://********@h\n"),
        ("a: 1\n# pullSecret: x y\n", "a: 1\n# pullSecret: ********\n"),
        ("a: 1\n#sshKey: |\n#  x\n#\n#b: 1\n", "a: 1\n#sshKey: ********\n#  ********\n#\n#b: 1\n"),
        ("a: 1\n#  - password: x\n", "a: 1\n#  - password: ********\n"),
        ("a: 1\n# ssh-rsa AAAAx you@h\n", "a: 1\n# ********\n"),
        ('a: 1\n# {"auths": {"x": 1}}\n', "a: 1\n# ********\n"),
        ("a#b: 'c # password: d'\n", "a#b: 'c # password: d'\n"),
        ("password: password\n", "password: '********'\n"),
        # a password of a proxy need not be one that a URL can hold
        ("httpProxy: http://u:pa/ss@w@h:1\n", "httpProxy: http://********@h:1\n"),
        ("HTTPS_PROXY: u:passw0rd@h:1\n", "HTTPS_PROXY: '********@h:1'\n"),
        ("httpProxy: 'http://u:pa''s s@h'\n", "httpProxy: 'http://********@h'\n"),
        ('httpProxy: "http://u:pa/s\\u0040\\x40h"\n', 'httpProxy: "http://********@h"\n'),
        ("httpProxy: |-\n  http://u:pa ss@h\n", "httpProxy: |-\n  http://********@h\n"),
        ("proxy: {https: &p !!str u:p/ss@h, more: *p}\n", "proxy: {https: &p !!str '********@h', more: *p}\n"),
        ("a: &p u:p/ss@h\nmyProxy: *p\n", "a: &p '********@h'\nmyProxy: *p\n"),
        ("proxy:\n  httpProxy: http://h:1\n  noProxy: a.b,.c,10.0.0.0/8\n", None),
        ("contact: you@example.com\nauthor: y:ou@h\n", None),
        ("a: 1\n# httpProxy: 'http://u:pa/s s@h'\n# see h\n", "a: 1\n# httpProxy: 'http://********@h'\n# see h\n"),
        ("a: 1\n# export http_proxy=u:p/ss@h\n# proxy: h\n", "a: 1\n# export http_proxy=********@h\n# proxy: h\n"),
        # names of secrets
        (
            "apiKey: a\napi_key: b\npassphrase: c\nPasswd: d\npasswd: e\nssh_key: f\naws_secret_access_key: g\n",
            "apiKey: '********'\napi_key: '********'\npassphrase: '********'\nPasswd: '********'\n"
            "passwd: '********'\nssh_key: '********'\naws_secret_access_key: '********'\n",
        ),
        (
            "a: 1\n# passwd=x\n#  y\n# passphrase: x y\n# api_key = x\n",
            "a: 1\n# passwd=********\n#  y\n# passphrase: ********\n# api_key = ********\n",
        ),
        ("keys: 1\nkeyring: b\ntokens_of: c # the secretary: d\n", None),
        # what is a secret by itself
        ("a: ssh-rsa AAAAx you@h\nb: [x AAAAx, AAAA]\n", "a: '********'\nb: [x ********, AAAA]\n"),
        ('a: "core ssh-rsa AAAAx you@h"\n', 'a: "core ********"\n'),
        ("a: |\n  one\n  ssh-rsa AAAAx you@h\n  two\n", "a: |\n  one\n  ********\n  two\n"),
        ('a: \'{"auths": {"r": {"auth": "x"}}}\' # c\n', "a: '********' # c\n"),
        ('a: "{ \\"auths\\": {\\"r\\": 1}}"\n', 'a: "********"\n'),
        ('a: \'{"r": {"auth": "x"}}\'\n', "a: '{\"r\": {********}}'\n"),
        (
            "a: |\n  b\n  -----BEGIN PRIVATE KEY-----\n  x\n  -----END PRIVATE KEY-----\n  c\n",
            "a: |\n  b\n  ********\n  c\n",
        ),
        # there is no secret
        ("sshKey: null\na: null\n", None),
        ("sshKey: ~\npullSecret:\npassword: Null # null\n", None),
        ("token: true\na: true\n", "token: '********'\na: true\n"),
        ("token: !!str null\na: null\n", "token: !!str '********'\na: ********\n"),
        ("", ""),
        ("a: [\npassword: x", "(cannot be read as YAML, content not shown)\n"),
    ],
)
def test_masked(text, hidden):
    assert masked(text, None) == (text if hidden is None else hidden)


def test_a_changed_secret_is_marked():
    old = "password: a\nb: 1\ntoken: c\nproxy: http://u:p@h\n"
    new = "password: x\nb: 1\ntoken: c\nproxy: http://u:q@h\nsecret: new\n"
    assert masked(new, old) == (
        "password: '******** (changed)'\nb: 1\ntoken: '********'\n"
        "proxy: http://******** (changed)@h\nsecret: '********'\n"
    )
    assert masked(new, "[") == masked(new, None)
    assert masked("sshKey: null\n", "sshKey: abc\n") == "sshKey: null\n"
    assert masked("sshKey: abc\n", "sshKey: null\n") == "sshKey: '********'\n"
    assert masked("a: ssh-rsa AAAAx\n", "a: ssh-rsa AAAAy\n") == "a: '******** (changed)'\n"


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
    text = json.dumps({**data, "b": sorted(secrets)})
    assert not [value for value in secrets if value in masked(text, None)]
