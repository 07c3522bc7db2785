# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from collections.abc import Collection
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._contents.exposure import (
    Exposure,
    exposure,
    exposure_dict,
)
from ansible_collections.capability.openshift.plugins.module_utils._contents.parts import PartReader
from ansible_collections.capability.openshift.plugins.module_utils._contents.text import RESOURCES
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    manifest,
    write_release,
)

RBAC = "rbac.authorization.k8s.io/v1"
ADMISSION = "admissionregistration.k8s.io/v1"
CLOUD = "cloudcredential.openshift.io/v1"


def of(**fields: Any) -> str:
    return "".join(f"{name}: {json.dumps(value)}\n" for name, value in fields.items())


def reader(name: str, capability: str = "", *, verb: str = "get", **options: Any) -> str:
    rules = [{"verbs": [verb], "apiGroups": [""], "resources": ["secrets"]}]
    return manifest(name, capability, kind="ClusterRole", api=RBAC, more=of(rules=rules), **options)


def binding(name: str, role: str, capability: str = "", *, namespace: str = "", **options: Any) -> str:
    reference = {"kind": "ClusterRole", "name": role}
    subject = {"kind": "ServiceAccount", "name": name, "namespace": "openshift-one"}
    kind = "RoleBinding" if namespace else "ClusterRoleBinding"
    more = of(roleRef=reference, subjects=[subject])
    return manifest(name, capability, kind=kind, api=RBAC, namespace=namespace, more=more, **options)


def workload(name: str, capability: str = "", kind: str = "Deployment", **pods: Any) -> str:
    spec = {"template": {"spec": {"containers": [], **pods}}}
    return manifest(name, capability, kind=kind, api="apps/v1", namespace="openshift-one", more=of(spec=spec))


def request(name: str, capability: str, **provider: Any) -> str:
    spec = {"providerSpec": provider}
    return manifest(
        name, capability, kind="CredentialsRequest", api=CLOUD, namespace="openshift-one", more=of(spec=spec)
    )


AWS = {"kind": "AWSProviderSpec", "statementEntries": [{"effect": "Allow", "action": ["s3:Get*"], "resource": "*"}]}


@pytest.fixture
def expose(tmp_path: Path):
    """Return a function that returns the exposure of manifests, without those that need a disabled capability."""
    numbers = count()

    def run(*texts: str, disabled: Collection[str] = (), platform: str | None = None) -> Exposure:
        folder = write_release(
            tmp_path / str(next(numbers)), {f"0000_{at:02}_x.yaml": text for at, text in enumerate(texts)}
        )
        release = load_release(str(folder)).release
        included = [item for item in release.manifests if not set(item.capabilities) & set(disabled)]
        return exposure(PartReader(release, platform).parts(included))

    return run


def test_accounts_are_those_of_bindings_and_service_accounts(expose):
    found = expose(
        reader("reader"),
        binding("bound", "reader", "Console"),
        binding("local", "reader", namespace="openshift-one"),
        manifest("alone", kind="ServiceAccount", namespace="openshift-two"),
        manifest(
            "all",
            kind="ClusterRoleBinding",
            api=RBAC,
            more=of(
                roleRef={"kind": "ClusterRole", "name": "cluster-admin"},
                subjects=[{"kind": "Group", "name": "system:serviceaccounts:openshift-two"}],
            ),
        ),
    )

    everything = {"Group system:serviceaccounts:openshift-two": (), "openshift-two/alone": ()}
    assert found.accounts["do_everything"] == everything
    assert found.accounts["read_secrets"] == {**everything, "openshift-one/bound": ("Console",)}
    assert found.unknown_roles == frozenset()


def test_what_a_disabled_capability_excludes_grants_nothing(expose):
    texts = reader("reader", "Storage"), binding("bound", "reader", "Console")

    assert expose(*texts).accounts["read_secrets"] == {"openshift-one/bound": ("Console", "Storage")}
    assert expose(*texts, disabled=["Console"]).accounts["read_secrets"] == {}
    without_role = expose(*texts, disabled=["Storage"])
    assert (without_role.accounts["read_secrets"], without_role.unknown_roles) == ({}, {"reader"})


def test_the_later_of_two_manifests_counts_and_one_that_deletes_does_not(expose):
    deleted = {DELETE: "true"}
    bound = binding("bound", "reader")

    assert expose(reader("reader"), reader("reader", verb="update"), bound).accounts["read_secrets"] == {}
    assert expose(reader("reader"), binding("bound", "reader", annotations=deleted)).accounts["read_secrets"] == {}
    assert expose(manifest("gone", kind="Namespace", annotations=deleted)).resources["namespaces"] == {}


def test_resources_are_named_with_their_capabilities(expose):
    found = expose(
        manifest("openshift-one", kind="Namespace"),
        manifest("one", kind="Namespace", api="example.org/v1"),
        manifest("metrics", "Console+Build", kind="Service", namespace="openshift-one"),
        # The API ignores its namespace.
        manifest("checks", kind="ValidatingWebhookConfiguration", api=ADMISSION, namespace="openshift-one"),
        manifest("changes", kind="MutatingWebhookConfiguration", api=ADMISSION),
        manifest("links.example.org", "Console", kind="CustomResourceDefinition", api="apiextensions.k8s.io/v1"),
        workload("host", "Storage", hostNetwork=True),
        workload("root", kind="DaemonSet", initContainers=[{"securityContext": {"privileged": True}}]),
        workload("plain", hostNetwork=False, containers=[{"securityContext": {"privileged": False}}, None]),
    )

    assert {kind: names for kind, names in found.resources.items() if names} == {
        "namespaces": {"openshift-one": ()},
        "services": {"openshift-one/metrics": ("Build", "Console")},
        "webhooks": {"checks": (), "changes": ()},
        "crds": {"links.example.org": ("Console",)},
        "host_network_workloads": {"Deployment openshift-one/host": ("Storage",)},
        "privileged_workloads": {"DaemonSet openshift-one/root": ()},
    }
    assert set(found.resources) == set(RESOURCES)


def test_permissions_in_the_cloud_are_those_of_the_platform(expose):
    texts = (
        request("aws", "Storage", **AWS),
        request("more", "Console+Storage", **AWS),
        request("gcp", "", kind="GCPProviderSpec", predefinedRoles=["roles/x"]),
    )
    on_aws = {
        "credentials_requests": {"openshift-one/aws": ("Storage",), "openshift-one/more": ("Console", "Storage")},
        "cloud_permissions": {"AWSProviderSpec: Allow s3:Get* on *": ("Storage",)},
    }

    def cloud(platform: str | None) -> dict[str, Any]:
        return {kind: dict(expose(*texts, platform=platform).resources[kind]) for kind in on_aws}

    assert cloud("aws") == on_aws
    assert cloud("baremetal") == {kind: {} for kind in on_aws}
    assert set(cloud(None)["cloud_permissions"]) == {
        "AWSProviderSpec: Allow s3:Get* on *",
        "GCPProviderSpec: role roles/x",
    }


def test_two_exposures_are_compared_by_capabilities(expose):
    texts = reader("reader"), binding("kept", "reader"), binding("gone", "reader", "Console")
    services = [manifest(name, name.title(), kind="Service", namespace="x") for name in ("console", "storage")]
    before, after = expose(*texts, services[0]), expose(*texts, services[1], disabled=["Console"])

    compared = exposure_dict(before, after)

    assert compared["accounts"]["read_secrets"] == {
        "before": 2,
        "after": 1,
        "by_capabilities": [
            {
                "capabilities": [],
                "before": 1,
                "after": 1,
                "removed": [],
                "added": [],
                "unchanged": ["openshift-one/kept"],
            },
            {
                "capabilities": ["Console"],
                "before": 1,
                "after": 0,
                "removed": ["openshift-one/gone"],
                "added": [],
                "unchanged": [],
            },
        ],
    }
    assert compared["resources"]["services"] == {
        "before": 1,
        "after": 1,
        "by_capabilities": [
            {"capabilities": ["Console"], "before": 1, "after": 0, "removed": ["x/console"], "added": []},
            {"capabilities": ["Storage"], "before": 0, "after": 1, "removed": [], "added": ["x/storage"]},
        ],
    }
    assert compared["accounts"]["do_everything"] == {"before": 0, "after": 0, "by_capabilities": []}


def test_a_name_that_needs_another_capability_afterwards_is_unchanged(expose):
    before = expose(reader("reader"), binding("moved", "reader"))
    after = expose(reader("reader"), binding("moved", "reader", "Console"))

    without, console = exposure_dict(before, after)["accounts"]["read_secrets"]["by_capabilities"]

    assert (without["before"], without["after"], without["removed"]) == (1, 0, [])
    assert (console["before"], console["after"], console["unchanged"]) == (0, 1, ["openshift-one/moved"])
