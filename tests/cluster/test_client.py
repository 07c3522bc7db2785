# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each connection option and variable selects the cluster and the user that its documentation promises."""

from __future__ import annotations

import json
import socket
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.tests.cluster.helpers.identities import identity_of
from ansible_collections.capability.openshift.tests.cluster.helpers.processes import Process
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    AGENT,
    Site,
    kubeconfig_of,
    selection,
    site_of,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ADMINISTRATORS, ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.users import (
    EVERYTHING,
    Rule,
    certificate_user,
    token_of,
    token_user,
)

READER: Rule = {"apiGroups": ["config.openshift.io"], "resources": ["clusterversions"], "verbs": ["get", "list"]}
IMPERSONATE: Rule = {"apiGroups": [""], "resources": ["users", "groups"], "verbs": ["impersonate"]}


@pytest.fixture
def site(
    cluster: ControlPlane, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Site:
    monkeypatch.setenv("HOME", str(tmp_path))
    site = site_of(cluster, capsys, monkeypatch)
    site.make(selection("Console"), ["Console"])
    return site


@pytest.fixture
def direct(site: Site) -> dict[str, Any]:
    """Options without a kubeconfig."""
    token_user(site.plane, "direct", [READER])
    return {"host": site.plane.url, "ca_cert": site.plane.folder / "ca.crt", "api_key": token_of(site.plane, "direct")}


DIRECT = "system:serviceaccount:kube-system:direct"


def client_files(site: Site, folder: Path) -> dict[str, Any]:
    """Return options with a client certificate and its key in files."""
    pair = site.plane.authority.client("by-files", ADMINISTRATORS)
    (folder / "client.crt").write_bytes(pair.certificate)
    (folder / "client.key").write_bytes(pair.key)
    return {"client_cert": folder / "client.crt", "client_key": folder / "client.key"}


# Options


def test_kubeconfig_is_a_path_or_its_content(site: Site) -> None:
    user = certificate_user(site.plane, "by-path", [READER])
    assert identity_of(site, kubeconfig=user.kubeconfig).user == "by-path"
    assert identity_of(site, kubeconfig=kubeconfig_of(user.kubeconfig)).user == "by-path"


def test_context_selects_a_context(site: Site, tmp_path: Path) -> None:
    document = kubeconfig_of(certificate_user(site.plane, "first", [READER]).kubeconfig)
    other = kubeconfig_of(certificate_user(site.plane, "second", [READER]).kubeconfig)
    document["users"].append({"name": "second", "user": other["users"][0]["user"]})
    context = {"cluster": document["clusters"][0]["name"], "user": "second"}
    document["contexts"].append({"name": "other", "context": context})
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    assert identity_of(site, kubeconfig=path).user == "first"
    assert identity_of(site, kubeconfig=path, context="other").user == "second"
    assert identity_of(site, kubeconfig=document, context="other").user == "second"


def test_host_and_token(site: Site, direct: dict[str, Any]) -> None:
    assert identity_of(site, **direct).user == DIRECT
    assert identity_of(site, **{**direct, "host": f"{site.plane.url}/"}).user == DIRECT


def test_aliases_of_options(site: Site, direct: dict[str, Any], tmp_path: Path) -> None:
    files = client_files(site, tmp_path)
    direct["ssl_ca_cert"] = direct.pop("ca_cert")
    assert identity_of(site, **direct).user == DIRECT
    named = {"cert_file": files["client_cert"], "key_file": files["client_key"], "verify_ssl": False}
    assert identity_of(site, host=site.plane.url, **named).user == "by-files"


def test_client_certificates(site: Site, direct: dict[str, Any], tmp_path: Path) -> None:
    files = client_files(site, tmp_path)
    assert identity_of(site, host=site.plane.url, ca_cert=direct["ca_cert"], **files).user == "by-files"


def test_validation_of_certificates_can_be_disabled(site: Site, direct: dict[str, Any]) -> None:
    direct.pop("ca_cert")
    assert identity_of(site, **direct, validate_certs=False).user == DIRECT
    assert site.info(kubeconfig=None, **direct, validate_certs=True).faults == [("untrusted-certificate", "")]
    document = kubeconfig_of(site.plane.kubeconfig)
    document["clusters"][0]["cluster"].pop("certificate-authority-data")
    document["clusters"][0]["cluster"]["insecure-skip-tls-verify"] = True
    assert identity_of(site, kubeconfig=document).user == "administrator"


@pytest.mark.parametrize("is_verified", [True, False])
def test_certificates_are_loaded_once_and_not_for_each_connection(
    site: Site, direct: dict[str, Any], monkeypatch: pytest.MonkeyPatch, is_verified: bool
) -> None:
    def fail(*_: Any, **_options: Any) -> None:
        raise AssertionError("certificates are loaded")

    monkeypatch.setattr("urllib3.connection.create_urllib3_context", fail)
    monkeypatch.setattr("ssl.SSLContext.load_default_certs", fail)
    authority = {} if is_verified else {"ca_cert": None, "validate_certs": False}
    assert identity_of(site, **{**direct, **authority}).user == DIRECT


def program(folder: Path, **status: str) -> dict[str, Any]:
    """Return a user whose credentials a program prints."""
    version = "client.authentication.k8s.io/v1"
    (folder / "credential").write_text(json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": status}))
    command = {"apiVersion": version, "command": "cat", "args": [str(folder / "credential")]}
    return {"exec": {**command, "interactiveMode": "Never"}}


def certificate_from_program(document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the administrator, whose certificate a program prints."""
    user = document["users"][0]["user"]
    certificate, key = (b64decode(user[f"client-{name}-data"]).decode() for name in ("certificate", "key"))
    return program(folder, clientCertificateData=certificate, clientKeyData=key)


def test_a_program_creates_credentials(site: Site, direct: dict[str, Any], tmp_path: Path) -> None:
    document = kubeconfig_of(site.plane.kubeconfig)
    administrator = document["users"][0]["user"]
    document["users"][0]["user"] = program(tmp_path, token=direct["api_key"])
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    assert identity_of(site, kubeconfig=document).user == DIRECT
    assert identity_of(site, kubeconfig=path).user == DIRECT
    document["users"][0]["user"] = administrator
    document["users"][0]["user"] = certificate_from_program(document, tmp_path)
    assert identity_of(site, kubeconfig=document).user == "administrator"


@pytest.mark.parametrize("by_program", [False, True])
def test_private_key_of_a_kubeconfig_is_in_no_file_when_requests_begin(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_program: bool
) -> None:
    document = kubeconfig_of(site.plane.kubeconfig)
    if by_program:
        document["users"][0]["user"] = certificate_from_program(document, tmp_path)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    with socket.create_server(("127.0.0.1", 0)) as server:
        document["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{server.getsockname()[1]}"
        process = Process("cluster_capabilities_info", kubeconfig=document)
        connection, _address = server.accept()
        process.kill()
        process.wait(30)
        connection.close()
    assert [path.name for path in folder.rglob("*") if path.is_file() and b"PRIVATE KEY" in path.read_bytes()] == []


def test_options_take_precedence_over_the_kubeconfig(site: Site, direct: dict[str, Any]) -> None:
    assert identity_of(site, kubeconfig=site.plane.kubeconfig, **direct).user == DIRECT
    document = kubeconfig_of(site.plane.kubeconfig)
    document["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    assert identity_of(site, kubeconfig=document, host=site.plane.url).user == "administrator"


def test_impersonation(site: Site) -> None:
    certificate_user(site.plane, "jane", [READER])
    poor = certificate_user(site.plane, "poor", [IMPERSONATE])
    identity = identity_of(site, kubeconfig=poor.kubeconfig, impersonate_user="jane", impersonate_groups=["a", "b"])
    assert (identity.user, identity.impersonated) == ("poor", "jane")
    assert set(identity.groups) == {"a", "b", "system:authenticated"}
    outcome = site.enable("Storage", kubeconfig=poor.kubeconfig, impersonate_user="jane")
    assert 'User "jane" cannot patch' in outcome.message


def test_impersonation_applies_to_every_request(site: Site) -> None:
    """Also to writes and watches."""
    resources = ["clusterversions", "clusteroperators", "infrastructures"]
    rules = [{**READER, "resources": resources, "verbs": ["*"]}]
    certificate_user(site.plane, "jane", rules)
    poor = certificate_user(site.plane, "poor", [IMPERSONATE])
    mark = site.plane.audit.mark()
    options = {"kubeconfig": poor.kubeconfig, "impersonate_user": "jane", "wait": True, "wait_timeout": 1}
    faults = site.enable("Storage", **options).faults
    assert ("missing-capability", "clusterversions.config.openshift.io version") in faults
    assert site.names == {"Console", "Storage"}
    # The cluster has no Infrastructure.
    assert {(request.user, request.code) for request in site.requests(mark)} == {("poor", 200), ("poor", 404)}
    assert len(site.requests(mark)) == 7


# Environment


def set_all(monkeypatch: pytest.MonkeyPatch, **variables: object) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))


def test_environment_names_a_kubeconfig(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    user = certificate_user(site.plane, "by-variable", [READER])
    set_all(monkeypatch, K8S_AUTH_KUBECONFIG=user.kubeconfig)
    assert identity_of(site).user == "by-variable"
    assert identity_of(site, kubeconfig=site.plane.kubeconfig).user == "administrator"  # an option takes precedence
    document = kubeconfig_of(user.kubeconfig)
    document["contexts"].append({**document["contexts"][0], "name": "other"})
    document["current-context"] = "gone"
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(document), encoding="utf-8")
    set_all(monkeypatch, K8S_AUTH_KUBECONFIG=tmp_path / "kubeconfig", K8S_AUTH_CONTEXT="other")
    assert identity_of(site).user == "by-variable"


def test_environment_names_a_host(site: Site, direct: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(
        monkeypatch,
        K8S_AUTH_HOST=direct["host"],
        K8S_AUTH_API_KEY=direct["api_key"],
        K8S_AUTH_SSL_CA_CERT=direct["ca_cert"],
    )
    assert identity_of(site).user == DIRECT
    monkeypatch.delenv("K8S_AUTH_SSL_CA_CERT")
    assert site.info(kubeconfig=None).faults == [("untrusted-certificate", "")]
    set_all(monkeypatch, K8S_AUTH_CA_CERT=direct["ca_cert"])
    assert identity_of(site).user == DIRECT
    monkeypatch.delenv("K8S_AUTH_CA_CERT")
    set_all(monkeypatch, K8S_AUTH_VERIFY_SSL="no")
    assert identity_of(site).user == DIRECT


def test_environment_names_the_impersonated_user(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate_user(site.plane, "jane", [READER])
    set_all(monkeypatch, K8S_AUTH_IMPERSONATE_USER="jane", K8S_AUTH_IMPERSONATE_GROUPS="a,b")
    identity = identity_of(site, kubeconfig=site.plane.kubeconfig)
    assert (identity.user, identity.impersonated) == ("administrator", "jane")
    assert {"a", "b"} <= set(identity.groups)


# User agent, field manager and masked values


def test_requests_have_our_user_agent_and_field_manager(site: Site, direct: dict[str, Any]) -> None:
    mark = site.plane.audit.mark()
    site.enable("Storage", **{"kubeconfig": None, **direct, "api_key": admin_token(site)})
    assert len(site.plane.audit.requests(mark, user_agent=AGENT)) == 3
    (entry,) = [
        item
        for item in site.plane.api.get("/apis/config.openshift.io/v1/clusterversions/version")["metadata"][
            "managedFields"
        ]
        if item["manager"] == AGENT
    ]
    assert list(entry["fieldsV1"]["f:spec"]) == ["f:capabilities"]


def admin_token(site: Site) -> str:
    token_user(site.plane, "chief", EVERYTHING)
    return token_of(site.plane, "chief")


def test_names_in_a_kubeconfig_are_not_masked_in_the_result(site: Site) -> None:
    """Ansible masks every value of a secret option, but such names are not secret."""
    text = json.dumps(kubeconfig_of(site.plane.kubeconfig)).replace('"control-plane"', '"openshift"')
    outcome = site.info(kubeconfig=json.loads(text))
    assert "openshift-samples" in outcome["disabled_capabilities"]
    assert 'cluster_version_capability{name="openshift-samples"} 0' in outcome["metrics"]
