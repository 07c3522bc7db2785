# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kubeconfigs, options and variables, compared with what the library ``kubernetes`` reads from the same kubeconfig."""

from __future__ import annotations

import base64
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st
from kubernetes.client import Configuration
from kubernetes.config import load_kube_config, load_kube_config_from_dict

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import connection, kubeconfig, retries
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.kubeconfig import (
    ConnectionConfig,
    KubeconfigEntry,
    connection_config,
    read_entry,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problems

SERVER = "https://api.example.com:6443"
TOKEN = "sha256~c2VjcmV0LXRva2Vu"
PROXY = "http://proxy.example.com:3128"
READ: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing": ({}, {}),
    "token": ({}, {"token": TOKEN}),
    "token with a line break": ({}, {"token": f"{TOKEN}\n"}),
    "token file": ({}, {"tokenFile": "token"}),
    "token and file": ({}, {"tokenFile": "/nowhere/token", "token": TOKEN}),
    "slash": ({"server": f"{SERVER}/k8s/clusters/c-1/"}, {"token": TOKEN}),
    "http": ({"server": "http://localhost:8080"}, {"token": TOKEN}),
    "unverified": ({"insecure-skip-tls-verify": True}, {"token": TOKEN}),
    "verified": ({"insecure-skip-tls-verify": False}, {"token": TOKEN}),
    "other name": ({"tls-server-name": "kubernetes"}, {"token": TOKEN}),
    "authority": ({"certificate-authority": "pair.pem"}, {"token": TOKEN}),
    "authority data": ({"certificate-authority-data": "DATA"}, {"token": TOKEN, "extensions": []}),
    "data and file": (
        {"certificate-authority-data": "DATA", "certificate-authority": "/nowhere/ca.pem"},
        {"token": TOKEN},
    ),
    "certificate": ({}, {"client-certificate": "pair.pem", "client-key": "pair.pem"}),
    "certificate data": ({}, {"client-certificate-data": "DATA", "client-key-data": "DATA", "token": TOKEN}),
    "certificate with its key": ({}, {"client-certificate": "pair.pem"}),
    "unknown fields": ({"disable-compression": True}, {"token": TOKEN}),
}
WRITTEN_BY_OTHERS: dict[str, dict[str, Any]] = {
    "program": {"exec": {"command": "oc"}},
    "provider": {"auth-provider": {"name": "oidc"}, "token": TOKEN},
    "password": {"username": "admin", "password": "secret"},
}
WRONG: dict[str, dict[str, Any]] = {
    "no contexts": {"contexts": None},
    "a map of clusters": {"clusters": {"c": {"server": SERVER}}},
    "a context without a name": {"contexts": [{"context": {"cluster": "c"}}]},
    "a text for a user": {"users": [{"name": "u", "user": TOKEN}]},
    "no current context": {"current-context": ""},
    "a list for the current context": {"current-context": ["u"]},
    "a list for a user": {"contexts": [{"name": "u", "context": {"cluster": "c", "user": ["u"]}}]},
    "an unknown user": {"users": []},
    "an unknown cluster": {"clusters": []},
    "no server": {"clusters": [{"name": "c", "cluster": {}}]},
    "a number for the server": {"clusters": [{"name": "c", "cluster": {"server": 6443}}]},
    "a text for a boolean": {
        "clusters": [{"name": "c", "cluster": {"server": SERVER, "insecure-skip-tls-verify": "no"}}]
    },
    "a number for a token": {"users": [{"name": "u", "user": {"token": 12345678}}]},
    "groups without a user to impersonate": {"users": [{"name": "u", "user": {"token": TOKEN, "as-groups": ["a"]}}]},
    "a text for groups": {"users": [{"name": "u", "user": {"token": TOKEN, "as": "jane", "as-groups": "a"}}]},
    "data without content": {"users": [{"name": "u", "user": {"client-key-data": "!"}}]},
}


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture(scope="module")
def pair() -> bytes:
    """A private key and its certificate, which signs itself."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a")])
    end = datetime.now(UTC) + timedelta(days=1)
    built = x509.CertificateBuilder(name, name, key.public_key(), 1, end - timedelta(days=2), end)
    signed = built.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + signed


@pytest.fixture
def write(tmp_path: Path, pair: bytes) -> Any:
    (tmp_path / "pair.pem").write_bytes(pair)
    (tmp_path / "token").write_text(f"{TOKEN}\n", encoding="utf-8")

    def write(cluster: dict[str, Any], user: dict[str, Any], **fields: Any) -> str:
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": SERVER, **cluster}}],
            "users": [{"name": "u", "user": user}, {"name": "other", "user": {"exec": {"command": "oc"}}}],
            "contexts": [{"name": name, "context": {"cluster": "c", "user": name}} for name in ("u", "other")],
            "current-context": "u",
            **fields,
        }
        text = yaml.safe_dump(document).replace(": DATA", f": {base64.b64encode(pair).decode()}")
        path = tmp_path / "kubeconfig"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def connect(**params: Any) -> Client:
    return connection.connect(SimpleNamespace(params=params, no_log_values=set()), 3)


def refused(**params: Any) -> list[tuple[str, str]]:
    """Return code and location of the errors, without any library."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("urllib3", "kubernetes"):
            patch.setitem(sys.modules, name, None)
        with pytest.raises(ClusterError) as error:
            connect(**params)
    return [(problem.code, str(problem.where)) for problem in error.value.problems]


def content(value: Any, folder: Path) -> bytes | None:
    """Return the content of a PEM file."""
    return value if value is None or isinstance(value, bytes) else (folder / value).read_bytes()


def read_by_library(path: str, context: str | None = None) -> dict[str, Any]:
    """Return what the library reads, in the fields of ``ConnectionConfig``."""
    found, folder = Configuration(), Path(path.rpartition(":")[2]).parent
    load_kube_config(path, context, found, persist_config=False, temp_file_path=str(folder))
    token = found.auth_settings().get("BearerToken", {}).get("value")
    return {
        "server": found.host,
        "is_verified": found.verify_ssl,
        "authority": content(found.ssl_ca_cert, folder) if found.verify_ssl else None,
        "certificate": content(found.cert_file, folder),
        "key": content(found.key_file, folder),
        "token": token and token.strip(),
        "server_name": found.tls_server_name or "",
    }


def read_here(path: str, context: str | None = None) -> dict[str, Any]:
    """Return the same as ``read_by_library`` by our own reader."""
    problems, folder = Problems(), Path(path.rpartition(":")[2]).parent
    config = connection_config({}, read_entry(path, context, problems), problems)
    assert problems == []
    assert config is not None
    fields = config._asdict()
    assert (fields.pop("proxy"), fields.pop("impersonation")) == ("", ())
    del fields["token_file"]
    for name in ("authority", "certificate", "key"):
        fields[name] = content(fields[name], folder)
    return {**fields, "token": connection._own_token(config)()}


@pytest.mark.parametrize("case", READ)
def test_a_kubeconfig_means_what_the_library_reads(case: str, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(*READ[case])
    assert read_here(path) == read_by_library(path)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "kubernetes", None)
        client = connect(kubeconfig=path)
    options = client._pool.connection_pool_kw
    assert (client._url, options["maxsize"]) == (read_here(path)["server"], 3)
    assert options["ssl_context"].verify_mode == options["cert_reqs"]


def test_several_files_are_merged_as_in_kubectl(write: Any, tmp_path: Path) -> None:
    first = Path(write({}, {"token": "first"}, **{"current-context": "other"})).rename(tmp_path / "first")
    folder, pair = tmp_path / "folder", str(tmp_path / "pair.pem")
    folder.mkdir()
    user = {"name": "more", "user": {"client-certificate": pair, "client-key": pair}}
    more = {
        "users": [{"name": "u", "user": {"token": "second"}}, user],
        "contexts": [{"name": "more", "context": {"cluster": "c", "user": "more"}}],
        "current-context": "more",
    }
    (folder / "second").write_text(yaml.safe_dump(more), encoding="utf-8")
    joined = f"/nowhere/config:{first}:{folder / 'second'}"
    (tmp_path / "empty").touch()
    assert read_entry(f"{tmp_path / 'empty'}:{joined}", None, Problems()).context == "other"
    # The library would use the current context of the last file.
    assert read_entry(joined, None, Problems()).context == "other"
    assert read_here(joined, "more") == read_by_library(joined, "more")
    assert read_here(joined, "u") == read_by_library(joined, "u")
    assert read_here(joined, "u")["token"] == "Bearer first"


def test_a_token_file_precedes_a_token_as_in_kubectl(write: Any, tmp_path: Path) -> None:
    client = connect(kubeconfig=write({}, {"tokenFile": "rotated", "token": "outdated"}))
    assert client._token() == "Bearer outdated"
    for text, token in (("", "outdated"), ("first\n", "first"), ("next", "next")):
        (tmp_path / "rotated").write_text(text, encoding="utf-8")
        assert client._token() == f"Bearer {token}"


def test_paths_are_relative_to_the_file_of_their_user_as_in_kubectl(write: Any, tmp_path: Path) -> None:
    """The library looks for them next to the file of the cluster."""
    first = Path(write({}, {})).rename(tmp_path / "first")
    folder = tmp_path / "folder"
    folder.mkdir()
    more = {
        "users": [{"name": "more", "user": {"client-certificate": "pair.pem"}}],
        "contexts": [{"name": "more", "context": {"cluster": "c", "user": "more"}}],
    }
    (folder / "second").write_text(yaml.safe_dump(more), encoding="utf-8")
    entry = read_entry(f"{first}:{folder / 'second'}", "more", Problems())
    config = connection_config({}, entry, Problems())
    assert config is not None
    assert config.certificate == str(folder / "pair.pem")


def test_a_program_is_relative_to_the_file_of_its_user_as_in_kubectl(write: Any, tmp_path: Path) -> None:
    """And a CA to the file of its cluster. The library looks for both next to the latter."""
    first = Path(write({"certificate-authority": "pair.pem"}, {})).rename(tmp_path / "first")
    folder = tmp_path / "folder"
    folder.mkdir()
    status = {"apiVersion": "client.authentication.k8s.io/v1", "status": {"token": TOKEN}}
    (folder / "login").write_text(
        f"#!/bin/sh\necho '{json.dumps({**status, 'kind': 'ExecCredential'})}'", encoding="utf-8"
    )
    (folder / "login").chmod(0o755)
    program = {"apiVersion": status["apiVersion"], "command": "./login", "interactiveMode": "Never"}
    more = {
        "users": [{"name": "more", "user": {"exec": program}}],
        "contexts": [{"name": "more", "context": {"cluster": "c", "user": "more"}}],
    }
    (folder / "second").write_text(yaml.safe_dump(more), encoding="utf-8")
    assert connect(kubeconfig=f"{first}:{folder / 'second'}", context="more")._token() == f"Bearer {TOKEN}"


@pytest.mark.parametrize("command", ["/nowhere/login", "false", "echo"])
def test_no_request_is_sent_without_the_credentials_of_a_program(command: str, write: Any) -> None:
    program = {"apiVersion": "client.authentication.k8s.io/v1", "command": command, "interactiveMode": "Never"}
    with pytest.raises(ClusterError) as error:
        connect(kubeconfig=write({}, {"exec": program}))
    assert [problem.code for problem in error.value.problems] == ["missing-token"]


def test_a_kubeconfig_can_be_given_as_its_content(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write({}, {"token": TOKEN}, **{"current-context": "other"})
    document = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    found = Configuration()
    load_kube_config_from_dict(document, "u", found)
    monkeypatch.setitem(sys.modules, "kubernetes", None)
    client = connect(kubeconfig=document, context="u")
    assert client._url == found.host == SERVER
    assert client._token() == found.auth_settings()["BearerToken"]["value"]


@pytest.mark.parametrize("case", WRITTEN_BY_OTHERS)
def test_the_library_creates_all_other_credentials(case: str, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write({}, WRITTEN_BY_OTHERS[case])
    assert read_entry(path, None, Problems()).needs_library
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "kubernetes", None)
        with pytest.raises(ClusterError) as error:
            connect(kubeconfig=path)
        assert [problem.code for problem in error.value.problems] == ["missing-library"]
        assert connect(kubeconfig=path, api_key=TOKEN)._token() == f"Bearer {TOKEN}"


def test_basic_authentication_is_that_of_the_library(write: Any) -> None:
    client = connect(kubeconfig=write({}, WRITTEN_BY_OTHERS["password"]))
    assert client._token() == f"Basic {base64.b64encode(b'admin:secret').decode()}"


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_a_kubeconfig_is_reported_without_any_library(case: str, write: Any) -> None:
    path = write({}, {"exec": {"command": "oc"}}, **WRONG[case])
    document = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    for source in (path, document):
        assert refused(kubeconfig=source) == [("invalid-kubeconfig", "kubeconfig")]


@pytest.mark.parametrize("text", ["", "[]", "{", "a: 1\n---\nb: 2\n", "\x00"])
def test_a_file_that_is_no_kubeconfig(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(text, encoding="utf-8")
    assert refused(kubeconfig=str(path)) == [("invalid-kubeconfig", "kubeconfig")]


def test_a_missing_kubeconfig_or_context_is_reported_without_any_library(write: Any, tmp_path: Path) -> None:
    missing = [("missing-file", "kubeconfig")]
    assert refused() == missing
    assert refused(kubeconfig="/nowhere/config") == missing
    assert refused(kubeconfig="/nowhere/config:/nowhere/other") == missing
    assert refused(kubeconfig=str(tmp_path)) == [("unreadable-file", "kubeconfig")]
    assert refused(kubeconfig=["a"]) == [("invalid-kubeconfig", "kubeconfig")]
    path = write({}, {"exec": {"command": "oc"}})
    assert refused(kubeconfig=path, context="nowhere") == [("invalid-kubeconfig", "context")]
    assert refused(kubeconfig=path) == [("missing-library", "")]


def test_the_messages_about_a_kubeconfig_name_the_repair(write: Any) -> None:
    path, problems = write({}, {}), Problems()
    read_entry(path, "othr", problems)
    read_entry("/nowhere/a:/nowhere/b", None, problems)
    for hidden in ('{"token": "secret"}', ":"):
        read_entry(hidden, None, problems)
    hint = "Set kubeconfig to the path of a kubeconfig, or to its content as a dict, or set host with api_key"
    assert list(map(str, problems)) == [
        "context: othr is not a context of the kubeconfig. Did you mean other?",
        f"kubeconfig: no file exists at /nowhere/a and /nowhere/b. {hint}",
        *[f"kubeconfig: no file exists at the given path. {hint}"] * 2,
    ]


def config_of(kubeconfig: str, **options: Any) -> ConnectionConfig:
    problems = Problems()
    config = connection_config(options, read_entry(kubeconfig, None, problems), problems)
    assert config is not None, problems
    return config


def test_options_replace_what_the_kubeconfig_has(write: Any) -> None:
    path = write({"certificate-authority": "a.pem", "proxy-url": PROXY}, {"token": "old", "client-certificate": "c"})
    assert (config_of(path).proxy, config_of(path).is_verified) == (PROXY, True)
    changed = config_of(
        path, host="https://other/", validate_certs=False, ca_cert="/ca", api_key=TOKEN, proxy="http://p"
    )
    assert changed == ConnectionConfig("https://other", False, "/ca", None, None, TOKEN, "", "", "http://p")
    changed = config_of(path, client_cert="/cert", client_key="/key")
    assert (changed.token, changed.certificate, changed.key) == ("", "/cert", "/key")


def test_the_user_of_a_kubeconfig_can_impersonate_another_one(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes", None)
    user = {"as": "jane", "as-uid": "1", "as-groups": ["a", "b"], "as-user-extra": {"example.com/why": ["x", "z"]}}
    path = write({}, {"token": TOKEN, **user})
    expected = [("Impersonate-User", "jane"), ("Impersonate-Uid", "1")]
    expected += [("Impersonate-Group", "a"), ("Impersonate-Group", "b")]
    expected += [("Impersonate-Extra-example.com%2Fwhy", "x"), ("Impersonate-Extra-example.com%2Fwhy", "z")]
    assert list(connect(kubeconfig=path)._headers[1:]) == expected
    # Options replace all of it, and so do other credentials.
    assert list(connect(kubeconfig=path, impersonate_user="joe")._headers[1:]) == [("Impersonate-User", "joe")]
    assert list(connect(kubeconfig=path, api_key="other")._headers[1:]) == []
    assert refused(kubeconfig=path, impersonate_groups=["a"]) == [("missing-option", "impersonate_user")]


def test_a_user_whose_credentials_the_library_creates_can_impersonate_another_one(write: Any) -> None:
    path = write({}, {"username": "admin", "password": "secret", "as": "jane"})
    assert list(connect(kubeconfig=path)._headers[1:]) == [("Impersonate-User", "jane")]


def test_the_environment_completes_options(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write({}, {"token": TOKEN})
    monkeypatch.setitem(sys.modules, "kubernetes", None)
    monkeypatch.setenv("KUBECONFIG", path)
    assert connect()._url == SERVER
    monkeypatch.setenv("K8S_AUTH_HOST", "https://other.example.com:6443")
    monkeypatch.setenv("K8S_AUTH_IMPERSONATE_GROUPS", "a,b")
    monkeypatch.setenv("HTTPS_PROXY", PROXY)
    client = connect(impersonate_user="jane")
    assert client._url == "https://other.example.com:6443"
    expected = [("Impersonate-User", "jane"), ("Impersonate-Group", "a"), ("Impersonate-Group", "b")]
    assert list(client._headers[1:]) == expected
    monkeypatch.setenv("KUBECONFIG", "/nowhere/config")
    assert refused() == [("missing-file", "kubeconfig")]
    monkeypatch.setenv("K8S_AUTH_API_KEY", TOKEN)
    assert connect(impersonate_user="jane")._token() == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    ("host", "server"), [("10.0.0.1", "https://10.0.0.1:443"), ("fd00::1", "https://[fd00::1]:443")]
)
def test_in_a_pod_its_service_account_is_used(
    host: str, server: str, write: Any, pair: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = tmp_path / "serviceaccount"
    monkeypatch.setattr(kubeconfig, "_SERVICE_ACCOUNT", str(account))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    path = write({}, {"token": TOKEN})
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert refused() == [("missing-file", "kubeconfig")]  # it has no service account
    account.mkdir()
    (account / "ca.crt").write_bytes(pair)
    (account / "token").write_text("first\n", encoding="utf-8")
    client = connect()
    assert (client._url, client._token()) == (server, "Bearer first")
    (account / "token").write_text("next", encoding="utf-8")
    assert client._token() == "Bearer next"
    assert connect(kubeconfig=path)._url == SERVER
    assert refused(context="u") == [("missing-file", "kubeconfig")]
    with monkeypatch.context() as patch:
        patch.setenv("KUBECONFIG", path)
        assert connect()._url == connect(context="u")._url == SERVER
    (tmp_path / ".kube").mkdir()
    Path(path).rename(tmp_path / ".kube" / "config")
    assert connect()._url == SERVER


def test_a_proxy_is_that_of_the_library(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write({"proxy-url": PROXY}, {"token": TOKEN})
    assert str(connect(kubeconfig=path)._pool.proxy) == PROXY
    assert connect(kubeconfig=path, no_proxy="example.com")._pool.proxy is None
    assert connect(kubeconfig=path, no_proxy="example.com")._pool.connection_pool_kw["ssl_context"] is not None
    monkeypatch.setattr(retries, "_MOST_RETRIES", 0)
    with pytest.raises(ClusterError, match=f": {SERVER} through the proxy http://localhost:1 does not answer"):
        connect(kubeconfig=path, proxy="http://user:secret@localhost:1").document("/api")
    https = connect(kubeconfig=path, proxy="https://proxy.example.com")._pool
    assert https.connection_pool_kw["_proxy_config"].ssl_context is not None
    monkeypatch.setitem(sys.modules, "kubernetes", None)
    with pytest.raises(ClusterError) as error:
        connect(kubeconfig=path)
    assert [problem.code for problem in error.value.problems] == ["missing-library"]


@pytest.mark.parametrize(
    ("field", "option"),
    [("certificate-authority", "ca_cert"), ("client-certificate", "client_cert"), ("client-key", "client_key")],
)
def test_a_file_that_a_kubeconfig_names_is_named_if_it_is_missing(field: str, option: str, write: Any) -> None:
    cluster = {field: "missing.pem"} if option == "ca_cert" else {}
    user = {"token": TOKEN} if option == "ca_cert" else {"client-certificate": "pair.pem", field: "missing.pem"}
    with pytest.raises(ClusterError) as error:
        connect(kubeconfig=write(cluster, user))
    assert [(problem.code, str(problem.where)) for problem in error.value.problems] == [("unreadable-file", option)]


def test_an_entry_is_empty_after_an_error() -> None:
    assert read_entry("/nowhere", None, Problems()) == KubeconfigEntry()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "u", "c", TOKEN]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["name", "context", "cluster", "user", "server", "token", "client-key-data", "insecure-skip-tls-verify"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["contexts", "clusters", "users", "current-context"]), VALUES))
def test_any_document_is_read_or_reported(document: dict[str, Any]) -> None:
    problems = Problems()
    entry = read_entry(document, None, problems)
    config = connection_config({}, entry, problems)
    assert (config is None) == problems.has_errors


def test_a_ca_that_is_no_certificate_is_reported(tmp_path):
    (tmp_path / "ca.crt").write_text("no certificate")
    with pytest.raises(ClusterError) as error:
        connect(host="https://api.example:6443", api_key=TOKEN, ca_cert=str(tmp_path / "ca.crt"))
    (problem,) = error.value.problems
    assert (problem.code, "\n" in problem.message) == ("failed-tls", False)
