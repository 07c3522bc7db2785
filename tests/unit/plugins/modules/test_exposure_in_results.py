# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The exposure that modules return: which manifests they count before and after."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import release_info
from ansible_collections.capability.openshift.tests.unit.builders.releases import DELETE, manifest, write_release

RBAC = "rbac.authorization.k8s.io/v1"
CLOUD = "cloudcredential.openshift.io/v1"
NOTHING = {"baselineCapabilitySet": "None"}


def admin(name: str, capability: str = "", **options: Any) -> str:
    reference = {"kind": "ClusterRole", "name": "cluster-admin"}
    subjects = [{"kind": "ServiceAccount", "name": name, "namespace": "openshift-one"}]
    more = f"roleRef: {json.dumps(reference)}\nsubjects: {json.dumps(subjects)}\n"
    return manifest(name, capability, kind="ClusterRoleBinding", api=RBAC, more=more, **options)


def request(name: str, kind: str) -> str:
    spec = {"providerSpec": {"kind": kind, "permissions": [f"{name}.get"]}}
    return manifest(name, "CloudCredential", kind="CredentialsRequest", api=CLOUD, more=f"spec: {json.dumps(spec)}\n")


@pytest.fixture
def releases(tmp_path: Path) -> list[str]:
    """Three releases: one drops a binding, and the next deletes another."""
    always = {"0000_10_a.yaml": admin("kept"), "0000_11_a.yaml": admin("console", "Console")}
    always |= {"0000_20_a.yaml": request("aws", "AWSProviderSpec"), "0000_21_a.yaml": request("gcp", "GCPProviderSpec")}
    deleted = admin("deleted", annotations={DELETE: "true"})
    files = {
        "4.18.0": {"0000_30_a.yaml": admin("dropped"), "0000_31_a.yaml": admin("deleted")},
        "4.19.0": {},
        "4.20.0": {"0000_31_a.yaml": deleted},
    }
    return [str(write_release(tmp_path / version, {**always, **parts}, version)) for version, parts in files.items()]


def counts(part: dict[str, Any]) -> tuple[int, int]:
    return part["before"], part["after"]


def names(part: dict[str, Any], key: str) -> list[str]:
    return [name for group in part["by_capabilities"] for name in group[key]]


def test_a_release_is_compared_as_if_each_was_installed(call, releases):
    outcome = call(release_info, release=releases[2], changes_from=releases[0], capabilities=NOTHING)
    accounts = outcome["changes"]["exposure"]["accounts"]["read_secrets"]

    assert counts(accounts) == (3, 1)
    assert names(accounts, "removed") == ["openshift-one/deleted", "openshift-one/dropped"]
    assert names(accounts, "unchanged") == ["openshift-one/kept"]
