# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files that the EXAMPLES of plugins and the commands of the documentation read."""

from __future__ import annotations

import json
from pathlib import Path

from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import reported
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    image_references,
    manifest,
    write_files,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.builders.request_counts import cluster_version, request_count
from ansible_collections.capability.openshift.tests.unit.builders.sites import INSTALL_CONFIG, cluster_instance

API = "cloudcredential.openshift.io/v1"
LINKS = "consolelinks.console.openshift.io"
VERSIONS = ("4.13.59", "4.14.42", "4.15.37", "4.18.12", "4.19.9", "4.20.3", "4.20.4", "4.21.0", "4.23.0")
DISKS = {
    "group": "disks.example",
    "names": {"kind": "Disk", "plural": "disks"},
    "scope": "Cluster",
    "versions": [{"name": "v1", "served": True, "storage": True}],
}
TAGS = {"must-gather": "registry.example/must-gather@sha256:1111", "console": "registry.example/console@sha256:2222"}


def request(name: str, *actions: str) -> str:
    """Return a CredentialsRequest for AWS."""
    statements = [{"effect": "Allow", "action": list(actions), "resource": "*"}]
    spec = {
        "providerSpec": {"apiVersion": API, "kind": "AWSProviderSpec", "statementEntries": statements},
        "secretRef": {"namespace": "openshift-x", "name": name},
    }
    return manifest(name, "CloudCredential", kind="CredentialsRequest", api=API, more=f"spec: {json.dumps(spec)}\n")


def write_releases(folder: Path) -> None:
    """Write all releases of the examples. They differ in permissions."""
    for version in VERSIONS:
        action = "s3:Put" if version == "4.20.3" else "s3:Get"
        files = {
            "0000_10_base_01.yaml": manifest("base"),
            "0000_20_console-operator_01.yaml": manifest(
                LINKS, "Console", kind="CustomResourceDefinition", api="apiextensions.k8s.io/v1"
            ),
            "0000_30_storage_01.yaml": manifest("storage", "Storage"),
            "0000_30_storage_02.yaml": manifest(
                "disks.disks.example",
                "Storage",
                kind="CustomResourceDefinition",
                api="apiextensions.k8s.io/v1",
                more=f"spec: {json.dumps(DISKS)}\n",
            ),
            "0000_40_aws_01.yaml": request("one", "s3:Get", action),
            "0000_40_aws_02.yaml": request("two", "s3:Get").replace('"two"', f'"two-{action}"'),
        }
        references = image_references(version, TAGS)
        write_release(folder / "srv" / "releases" / version, files, version, references=references)


def write_all(folder: Path) -> None:
    """Write the files that examples read."""
    write_releases(folder)
    srv = folder / "srv"
    enabled = {"capabilities": {"enabledCapabilities": ["Ingress"], "knownCapabilities": ["Console", "Ingress"]}}
    status = json.dumps(reported("4.20.3", available=["4.20.4", "4.21.0"], status=enabled))
    installed = INSTALL_CONFIG.replace("[Console]", "[Console, Ingress]")
    for site in ("berlin", "paris"):
        write_files(srv / "sites" / site, {"install-config.yaml": installed, "clusterversion.yaml": status})
    instance = cluster_instance("", image_set="img-edge-stable")
    write_files(srv / "sites" / "clusters", {"berlin.yaml": instance})
    write_files(srv / "sites" / "policies" / "edge", {"rome.yaml": instance.replace("berlin", "rome")})
    write_files(srv / "sites", {".capability-baseline.json": json.dumps({"version": 1, "findings": []})})
    write_files(srv / "lint", {})
    for name in ("extra-manifests", "source-crs"):
        write_files(srv / "sites" / name, {"map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"})
    csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: a}\n"
    write_files(folder / "bundle" / "manifests", {"csv.yaml": csv})
    write_files(
        srv / "charts",
        {"widgets.yaml": "---\n# Source: a/templates/b.yaml\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"},
    )
    write_files(srv / "reviews", {})
    gathered = srv / "cases" / "0815" / "must-gather.local.1234" / "image" / "cluster-scoped-resources"
    count, version = request_count(f"{LINKS.replace('.', '.v1.', 1)}"), cluster_version("Storage")
    write_files(gathered / "apiserver.openshift.io" / "apirequestcounts", {"links.yaml": json.dumps(count)})
    write_files(gathered / "config.openshift.io" / "clusterversions", {"version.yaml": json.dumps(version)})
    operator = manifest("operator", "Backup", kind="Deployment", api="apps/v1", namespace="openshift-backup")
    write_files(folder / "manifests", {"07-operator.yaml": operator})
    for side, capability in (("old", ""), ("new", "Console")):
        write_files(folder / "manifests" / side, {"07-operator.yaml": manifest("operator", capability)})
    write_files(folder, {"vendor.yaml": manifest("vendor", "Console")})
    write_files(folder, {"console.yaml": manifest("console", "Console"), "credentials.yaml": request("one", "s3:Get")})
