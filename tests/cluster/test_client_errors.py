# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Incomplete clusters, permissions and credentials: errors with a hint, no traceback and no secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.refusals import TOKEN, refused, written
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    KNOWN,
    OBJECT,
    VERSION,
    Site,
    crd_of,
    kubeconfig_of,
    remove_crd,
    selection,
)
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_VERSIONS,
    EXAMPLE,
    capabilities_status,
    set_cluster_version_status,
)
from ansible_collections.capability.openshift.tests.control_plane.users import (
    Rule,
    certificate_user,
    expired_token,
    unknown_authority,
    unknown_token,
)

GROUP = "config.openshift.io"
READER: Rule = {"apiGroups": [GROUP], "resources": ["clusterversions"], "verbs": ["get"]}


@pytest.fixture
def direct(site: Site) -> dict[str, Any]:
    """Options without a kubeconfig, with a token that the server does not know."""
    site.make(selection("Console"), ["Console"])
    return {"kubeconfig": None, "host": site.plane.url, "ca_cert": site.plane.folder / "ca.crt", "api_key": TOKEN}


# Incomplete clusters


def test_no_cluster_version(site: Site) -> None:
    for outcome in (site.info(), site.enable("Console"), site.enable("Console", check=True)):
        refused(outcome, "missing-object", "the cluster has no ClusterVersion named version", "Create it")
    assert site.plane.api.list(CLUSTER_VERSIONS) == []


def test_plain_kubernetes(site: Site) -> None:
    remove_crd(site.plane.api)
    for outcome in (site.info(), site.enable("Console")):
        refused(outcome, "unserved-kind", "clusterversions.config.openshift.io", "kubectl apply")


def test_an_outdated_crd_is_reported_with_the_name_it_lacks(site: Site) -> None:
    """As if the CRD of an older release was applied last."""
    with crd_of(site.plane.api, EXAMPLE, without="Storage"):
        site.make(selection("Console"))
        status = {"desired": {"version": VERSION}, **capabilities_status(["Console"], KNOWN - {"Storage"})}
        status["capabilities"].pop("knownCapabilities")
        set_cluster_version_status(site.plane.api, status)
        before = site.plane.api.get(OBJECT)
        message = refused(
            site.enable("Storage"),
            "outdated-crd",
            "cannot contain Storage: the CustomResourceDefinition of the cluster does not list it",
        )
        assert site.plane.api.get(OBJECT) == before
    assert "{" not in message


# Missing permissions


@pytest.mark.parametrize(
    ("rules", "verb", "resource"),
    [([], "get", "clusterversions.config.openshift.io"), ([READER], "patch", "clusterversions.config.openshift.io")],
    ids=["get", "patch"],
)
def test_a_missing_permission_is_named(site: Site, rules: list[Rule], verb: str, resource: str) -> None:
    site.make(selection("Console"), ["Console"])
    user = certificate_user(site.plane, "another-user", rules)
    outcome = site.enable("Storage", kubeconfig=user.kubeconfig)
    refused(outcome, "forbidden-request", "403 Forbidden", f"allows {verb} on {resource}", '"another-user"')


@pytest.mark.parametrize("check", [False, True])
def test_permissions_for_the_wait_are_checked_before_anything_is_written(site: Site, check: bool) -> None:
    site.make(selection("Console"), ["Console"])
    user = certificate_user(site.plane, "another-user", [{**READER, "verbs": ["get", "patch"]}])
    with site.untouched():
        outcome = site.enable("Storage", kubeconfig=user.kubeconfig, wait=True, check=check)
    assert [
        f"role that allows list on {kind}.config.openshift.io" in item["hint"]
        for item, kind in zip(outcome.errors, ["clusterversions", "clusteroperators"], strict=True)
    ] == [True, True]


def test_check_mode_needs_the_same_permission(site: Site) -> None:
    site.make(selection("Console"), ["Console"])
    user = certificate_user(site.plane, "another-user", [READER])
    outcome = site.enable("Storage", kubeconfig=user.kubeconfig, check=True)
    refused(outcome, "forbidden-request", "role that allows patch on clusterversions")
    assert not site.enable("Console", kubeconfig=user.kubeconfig)["changed"]
    assert site.info(kubeconfig=user.kubeconfig)["enabled_capabilities"] == ["Console"]


@pytest.mark.parametrize(
    ("seconds", "fault"),
    [
        (2, ("missing-capability", "clusterversions.config.openshift.io version")),
        (600, ("unknown-availability", "wait")),
    ],
)
def test_a_missing_permission_to_watch_is_reported_at_the_end(site: Site, seconds: int, fault: tuple[str, str]) -> None:
    """Lists still work, so it does not fail at once."""
    site.make(selection("Console"), [])
    rules = [
        {**READER, "verbs": ["get", "patch", "list"]},
        {**READER, "resources": ["clusteroperators"], "verbs": ["list"]},
    ]
    user = certificate_user(site.plane, "another-user", rules)
    outcome = site.enable("Console", kubeconfig=user.kubeconfig, wait=True, wait_timeout=seconds)
    assert "role that allows watch on cluster" in outcome.message
    assert fault in outcome.faults


def test_a_missing_permission_to_impersonate_is_named(site: Site) -> None:
    site.make(selection("Console"), ["Console"])
    user = certificate_user(site.plane, "another-user", [READER])
    outcome = site.info(kubeconfig=user.kubeconfig, impersonate_user="jane")
    message = refused(outcome, "forbidden-request", "cannot impersonate")
    assert "role that allows impersonate" in message


def test_a_kubeconfig_that_impersonates_a_user_has_the_rights_of_that_user(site: Site) -> None:
    site.make(selection("Console"), ["Console"])
    document = kubeconfig_of(site.plane.kubeconfig)
    document["users"][0]["user"] |= {"as": "jane", "as-groups": ["guests"]}
    outcome = site.enable("Storage", kubeconfig=document)
    assert 'User "jane" cannot get' in refused(outcome, "forbidden-request")


# Wrong credentials


def test_wrong_tokens(site: Site, direct: dict[str, Any]) -> None:
    expected = "unauthorized-request", "401 Unauthorized"
    refused(site.info(**direct), *expected)
    refused(site.info(kubeconfig=unknown_token(site.plane)), *expected)
    refused(site.info(kubeconfig=expired_token(site.plane, "late")), *expected)


@pytest.mark.parametrize("end", ["\n", "\r\n", " "])
def test_a_token_with_a_line_break_is_not_shown(site: Site, direct: dict[str, Any], tmp_path: Path, end: str) -> None:
    """Files usually end with one."""
    outcomes = [site.info(**{**direct, "api_key": TOKEN + end})]
    document = kubeconfig_of(unknown_token(site.plane))
    document["users"][0]["user"]["token"] = TOKEN + end
    outcomes.append(site.info(kubeconfig=written(tmp_path / "kubeconfig", document)))
    for outcome in outcomes:
        assert TOKEN not in json.dumps(outcome.result)
        assert outcome.failed


def test_no_credentials(site: Site, direct: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    outcome = site.info(kubeconfig=None, host=site.plane.url)
    refused(outcome, "missing-file", "no file exists at ~/.kube/config")


@pytest.mark.parametrize("command", [["/nowhere/login"], ["sh", "-c", "exit 3"], ["sh", "-c", "echo no JSON"]])
def test_a_failing_login_program_is_reported(site: Site, tmp_path: Path, command: list[str]) -> None:
    """The library continues without credentials, and the server would treat the user as anonymous."""
    site.make(selection("Console"), ["Console"])
    document = kubeconfig_of(site.plane.kubeconfig)
    program, *arguments = command
    document["users"][0]["user"] = {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": program,
            "args": arguments,
            "interactiveMode": "Never",
        }
    }
    refused(site.info(kubeconfig=written(tmp_path / "kubeconfig", document)), "missing-token", "no credentials")


def test_another_authority_is_not_trusted(site: Site, direct: dict[str, Any]) -> None:
    expected = "untrusted-certificate", "ca_cert"
    refused(site.info(kubeconfig=unknown_authority(site.plane)), *expected)
    refused(site.info(**{**direct, "ca_cert": None}), *expected)


def test_client_certificates_in_the_kubeconfig(site: Site, tmp_path: Path) -> None:
    site.make(selection("Console"), ["Console"])
    document = kubeconfig_of(site.plane.kubeconfig)
    user = document["users"][0]["user"]
    key = user.pop("client-key-data")
    for wrong, code in (
        ({"client-key": "/nowhere/key"}, "unreadable-file"),
        ({"client-key-data": key[:-40]}, "failed-tls"),
        ({"client-key-data": "!"}, "invalid-kubeconfig"),
    ):
        document["users"][0]["user"] = {**user, **wrong}
        outcome = site.info(kubeconfig=written(tmp_path / "kubeconfig", document))
        refused(outcome, code)
        assert key[:40] not in json.dumps(outcome.result)
