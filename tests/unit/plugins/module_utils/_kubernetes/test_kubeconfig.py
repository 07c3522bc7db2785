# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kubeconfigs that are read without the library, compared with what the library reads."""

from __future__ import annotations

import base64
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from ansible_collections.kubernetes.core.plugins.module_utils.args_common import AUTH_ARG_SPEC
from ansible_collections.kubernetes.core.plugins.module_utils.k8s import client as core
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from kubernetes.client import Configuration
from kubernetes.config import kube_config

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import connection
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import auth_spec
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.kubeconfig import read_explicit_config
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError

SERVER = "https://api.example.com:6443"
TOKEN = "sha256~c2VjcmV0LXRva2Vu"
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "token": ({}, {"token": TOKEN}),
    "token with a line break": ({}, {"token": f"{TOKEN}\n"}),
    "slash": ({"server": f"{SERVER}/k8s/clusters/c-1/"}, {"token": TOKEN}),
    "unverified": ({"insecure-skip-tls-verify": True}, {"token": TOKEN}),
    "verified": ({"insecure-skip-tls-verify": False}, {"token": TOKEN}),
    "authority": ({"certificate-authority": "pair.pem"}, {"token": TOKEN}),
    "authority data": ({"certificate-authority-data": "DATA"}, {"token": TOKEN, "extensions": []}),
    "certificate": ({}, {"client-certificate": "pair.pem", "client-key": "pair.pem"}),
    "certificate data": ({}, {"client-certificate-data": "DATA", "client-key-data": "DATA", "token": TOKEN}),
}
LEFT: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing": ({}, {}),
    "http": ({"server": "http://localhost:8080"}, {"token": TOKEN}),
    "no server": ({"server": None}, {"token": TOKEN}),
    "proxy": ({"proxy-url": "http://proxy.example.com"}, {"token": TOKEN}),
    "other name": ({"tls-server-name": "kubernetes"}, {"token": TOKEN}),
    "text for a boolean": ({"insecure-skip-tls-verify": "true"}, {"token": TOKEN}),
    "program": ({}, {"exec": {"command": "oc"}}),
    "provider": ({}, {"auth-provider": {"name": "oidc"}, "token": TOKEN}),
    "file": ({}, {"tokenFile": "/nowhere/token"}),
    "password": ({}, {"username": "admin", "password": "secret"}),
    "number for a token": ({}, {"token": 12345678}),
    "certificate without key": ({}, {"client-certificate-data": "DATA"}),
    "empty data": ({"certificate-authority-data": ""}, {"token": TOKEN}),
    "data without content": ({"certificate-authority-data": "!"}, {"token": TOKEN}),
    "data and file": ({"certificate-authority-data": "DATA", "certificate-authority": "pair.pem"}, {"token": TOKEN}),
}


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    Configuration.set_default(None)


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

    def write(cluster: dict[str, Any], user: dict[str, Any], **fields: Any) -> Path:
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
        return path

    return write


def module(**params: Any) -> Any:
    return SimpleNamespace(params=params, no_log_values=set())


def seen(client: Client) -> tuple[Any, ...]:
    """What requests depend on."""
    options = client._pool.connection_pool_kw
    context = options["ssl_context"]
    authorities = context.get_ca_certs()
    return (
        client._url,
        client._token(),
        client._headers,
        options["cert_reqs"],
        options["maxsize"],
        context.verify_mode,
        context.check_hostname,
        authorities,
    )


@pytest.mark.parametrize("case", CHANGES)
def test_an_explicit_kubeconfig_means_what_the_library_reads(case: str, write: Any, monkeypatch: Any) -> None:
    path = str(write(*CHANGES[case]))
    expected = seen(connection._connect_with_library({"kubeconfig": path}, 3))
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "kubernetes", None)
        assert seen(connection.connect(module(kubeconfig=path), 3)) == expected


@pytest.mark.parametrize("case", LEFT)
def test_the_library_interprets_every_other_kubeconfig(case: str, write: Any) -> None:
    assert read_explicit_config({"kubeconfig": str(write(*LEFT[case]))}, {}) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"current-context": None},
        {"current-context": "missing"},
        {"current-context": "other"},
        {"users": []},
        {"users": [{"name": "u", "user": {"token": TOKEN}}] * 2},
        {"clusters": {"c": {"server": SERVER}}},
        {"contexts": [{"name": "u"}]},
    ],
)
def test_the_library_reports_what_is_wrong_with_a_kubeconfig(fields: dict[str, Any], write: Any) -> None:
    assert read_explicit_config({"kubeconfig": str(write({}, {"token": TOKEN}, **fields))}, {}) is None


@pytest.mark.parametrize("text", ["", "[]", "{", "a: 1\n---\nb: 2\n", "\x00"])
def test_a_file_that_is_no_kubeconfig(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(text, encoding="utf-8")
    assert read_explicit_config({"kubeconfig": str(path)}, {}) is None
    assert read_explicit_config({"kubeconfig": str(tmp_path / "missing")}, {}) is None


def test_a_context_can_be_chosen(write: Any) -> None:
    path = str(write({}, {"token": TOKEN}, **{"current-context": "other"}))
    config = read_explicit_config({"kubeconfig": path, "context": "u"}, {})
    assert config is not None
    assert config.token == TOKEN


def test_without_an_option_the_environment_names_the_file(write: Any) -> None:
    path = str(write({}, {"token": TOKEN}))
    assert read_explicit_config({}, {"KUBECONFIG": path}) is not None
    assert read_explicit_config({}, {"KUBECONFIG": f"{path}:/nowhere/other"}) is None
    assert read_explicit_config({}, {"KUBECONFIG": path, "KUBERNETES_SERVICE_HOST": "10.0.0.1"}) is None


@pytest.mark.parametrize("params", [{"api_key": TOKEN}, {"validate_certs": False}, {"impersonate_user": "jane"}])
def test_the_library_interprets_other_options(params: dict[str, Any], write: Any) -> None:
    path = str(write({}, {"token": TOKEN}))
    assert read_explicit_config({"kubeconfig": path}, {}) is not None
    assert read_explicit_config({"kubeconfig": path, **params}, {}) is None


@pytest.mark.parametrize("name", ["K8S_AUTH_HOST", "HTTPS_PROXY", "https_proxy", "no_proxy"])
def test_the_library_interprets_variables(name: str, write: Any) -> None:
    assert read_explicit_config({"kubeconfig": str(write({}, {"token": TOKEN}))}, {name: "x"}) is None


def test_the_library_reports_a_certificate_that_cannot_be_loaded(write: Any) -> None:
    path = str(write({"certificate-authority": "missing.pem"}, {"token": TOKEN}))
    with pytest.raises(ClusterError) as error:
        connection.connect(module(kubeconfig=path))
    assert [problem.code for problem in error.value.problems] == ["invalid-kubeconfig"]


def test_kubernetes_core_has_the_private_functions_that_interpret_options(write: Any) -> None:
    """Holds those that ``_connect_with_library`` calls: with ``get_api_client`` it would read all discovery documents.

    The matrix runs this test with each supported ansible-core.
    """
    options = {"kubeconfig": str(write({}, {"token": TOKEN})), "impersonate_groups": ["a", "b"]}
    auth = core._create_auth_spec(**options, host=None)

    assert auth.pop("proxy_headers", {}) == {}
    assert auth == {"kubeconfig": options["kubeconfig"]}
    assert core._create_configuration(auth).host == SERVER
    assert core._create_headers(**options) == {"Impersonate-Group": ["a", "b"]}
    kube_config._cleanup_temp_files()


def test_the_options_are_those_of_kubernetes_core() -> None:
    def typed(spec: dict[str, Any]) -> dict[str, Any]:
        nested = {name: typed(option["options"]) for name, option in spec.items() if "options" in option}
        return {name: {"type": "str", **option, "options": nested.get(name)} for name, option in spec.items()}

    theirs = typed(AUTH_ARG_SPEC)
    # kubernetes.core 7 masks only the values in a kubeconfig that it takes for secrets.
    theirs["kubeconfig"]["no_log"] = True
    assert typed(auth_spec()) == theirs


def test_a_missing_library_is_named(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an environment that has only Ansible."""
    path = write({}, {"token": TOKEN})
    for name in ("urllib3", "kubernetes"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ClusterError) as error:
        connection.connect(module(kubeconfig=str(path)))
    (problem,) = error.value.problems
    assert problem.code == "missing-library"
    assert problem.hint.endswith("pip install urllib3")
