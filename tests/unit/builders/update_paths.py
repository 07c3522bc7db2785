# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A path of small releases for tests of updates, and the ClusterVersion of a cluster that begins it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    FEATURE_SET,
    documents,
    manifest,
    write_release,
)

NOTHING = {"baselineCapabilitySet": "None"}
BAREMETAL = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["baremetal"]}
DELETE = "release.openshift.io/delete"

KNOWN_4_13 = sorted(
    ["CSISnapshot", "Console", "Insights", "NodeTuning", "Storage", "baremetal", "marketplace", "openshift-samples"]
)
KNOWN_4_14 = sorted([*KNOWN_4_13, "Build", "DeploymentConfig", "ImageRegistry", "MachineAPI"])


def deployment(name: str, capability: str = "") -> str:
    return manifest(name, capability, kind="Deployment", api="apps/v1", namespace="operators")


def credentials(name: str, provider: str, capability: str = "") -> str:
    return manifest(
        name,
        capability,
        kind="CredentialsRequest",
        api="cloudcredential.openshift.io/v1",
        namespace="credentials",
        more=f"spec: {{providerSpec: {{kind: {provider}}}}}\n",
    )


COMMON = {"0000_10_base_01.yaml": manifest("base"), "0000_50_console_01.yaml": deployment("console", "Console")}
FILES_4_13: Mapping[str, str] = {
    **COMMON,
    "0000_30_machine-api_01.yaml": documents(deployment("machine-api"), manifest("machine-api", kind="Service")),
    "0000_31_baremetal_01.yaml": deployment("baremetal", "baremetal"),
    "0000_60_old_01.yaml": manifest("old"),
    "0000_70_gone_01.yaml": manifest("gone"),
    "0000_80_credentials_01.yaml": credentials("ebs", "AWSProviderSpec"),
}
FILES_4_14: Mapping[str, str] = {
    **COMMON,
    "0000_20_new_01.yaml": manifest("new"),
    "0000_30_machine-api_09.yaml": documents(
        deployment("machine-api", "MachineAPI"), manifest("machine-api", "MachineAPI", kind="Service")
    ),
    "0000_31_baremetal_01.yaml": deployment("baremetal", "baremetal+MachineAPI"),
    "0000_45_preview_01.yaml": manifest("preview", annotations={FEATURE_SET: "TechPreviewNoUpgrade"}),
    "0000_70_gone_01.yaml": manifest("gone", annotations={DELETE: "true"}),
    "0000_80_credentials_01.yaml": documents(
        credentials("ebs", "AWSProviderSpec"),
        credentials("vsphere", "VSphereProviderSpec"),
        credentials("registry", "AWSProviderSpec", "ImageRegistry"),
    ),
}
FILES_4_15: Mapping[str, str] = {**FILES_4_14, "0000_40_cloud_01.yaml": manifest("cloud", "CloudCredential")}


class Releases(NamedTuple):
    """Directories of releases."""

    r4_10: str
    r4_13: str
    r4_14: str
    r4_15: str

    @property
    def hop(self) -> list[str]:
        """The path of most tests."""
        return [self.r4_13, self.r4_14]

    @property
    def path(self) -> list[str]:
        """A path of two hops."""
        return [self.r4_13, self.r4_14, self.r4_15]


def write_releases(folder: Path) -> Releases:
    """Write the releases below ``folder``."""
    every = {"4.10.9": FILES_4_13, "4.13.5": FILES_4_13, "4.14.2": FILES_4_14, "4.15.0": FILES_4_15}
    return Releases(*(str(write_release(folder / version, files, version)) for version, files in every.items()))


def cluster_version(
    enabled: Sequence[str] = ("Console", "baremetal"),
    known: Sequence[str] = KNOWN_4_13,
    capabilities: Mapping[str, Any] | None = None,
    version: str = "4.13.5",
    **spec: Any,
) -> dict[str, Any]:
    """Return the ClusterVersion of a cluster whose spec has ``capabilities``, by default only baremetal."""
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "spec": {"capabilities": dict(BAREMETAL if capabilities is None else capabilities), **spec},
        "status": {
            "desired": {"version": version},
            "history": [{"state": "Completed", "version": version}],
            "capabilities": {"enabledCapabilities": list(enabled), "knownCapabilities": list(known)},
        },
    }
