# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What release_info returns for two releases, two selections, or both: which manifests count on which side."""

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
CONSOLE = {**NOTHING, "additionalEnabledCapabilities": ["Console"]}


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


def test_a_release_is_compared_as_if_each_was_installed(call, releases):
    outcome = call(release_info, release=releases[2], previous_release=releases[0], capabilities=NOTHING)
    accounts = outcome["changes"]["accounts"]["read_secrets"]

    assert (accounts["before"], accounts["after"]) == (3, 1)
    assert accounts["removed"] == ["openshift-one/deleted", "openshift-one/dropped"]
    (group,) = accounts["by_capabilities"]
    assert (group["capabilities"], group["unchanged"]) == ([], ["openshift-one/kept"])
    # A deletion of what neither side has any more is no removal.
    assert [item["name"] for item in outcome["changes"]["manifests"]["deleted"]] == ["deleted"]


def test_a_release_and_a_selection_can_both_differ(call, releases):
    given = {"release": releases[1], "previous_release": releases[0]}
    changes = call(release_info, **given, capabilities=NOTHING, previous_capabilities=CONSOLE)["changes"]

    assert changes["previous_version"] == "4.18.0"
    assert changes["accounts"]["do_everything"]["removed"] == [
        f"openshift-one/{x}" for x in ("console", "deleted", "dropped")
    ]


@pytest.mark.parametrize("more", [{}, {"capabilities": NOTHING}])
def test_a_mistake_in_the_other_selection_is_reported_there(call, releases, more):
    wrong = {**NOTHING, "additionalEnabledCapabilities": ["Consol"]}
    outcome = call(release_info, release=releases[0], previous_capabilities=wrong, **more)

    assert outcome.faults == [("unknown-capability", "previous_capabilities.additionalEnabledCapabilities[0]")]


def test_resources_are_returned_with_their_decisions(call, releases):
    outcome = call(release_info, release=releases[0], resource_kind="clusterrolebinding", capabilities=NOTHING)

    found = {item["name"]: (item["capabilities"], item["included"]) for item in outcome["resources"]}
    assert found["console"] == (["Console"], False)
    assert found["kept"] == ([], True)
    none = call(release_info, release=releases[0], resource_kind="Route")
    assert (none["resources"], none.problem("unknown-resource")["where"]) == ([], "resource_kind")
    assert "resources" not in call(release_info, release=releases[0]).result
