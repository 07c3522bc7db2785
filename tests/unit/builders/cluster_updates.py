# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A model of a cluster that runs the first example release, and the update of it to the second one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.follow import POOLS
from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.target import TargetRelease
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_OPERATORS,
    CLUSTER_VERSIONS,
    DEPLOYMENTS,
    FEATURE_GATES,
    INFRASTRUCTURES,
    LEASES,
    NAMESPACES,
)
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import condition, reported

CURRENT, NEXT = "4.21.0", "4.22.0"
OBJECT = CLUSTER_VERSIONS.path("version")
KINDS = (CLUSTER_VERSIONS, CLUSTER_OPERATORS, FEATURE_GATES, INFRASTRUCTURES, DEPLOYMENTS, LEASES, POOLS.kind)


def image_of(version: str) -> str:
    """Return a pull spec by digest."""
    return f"quay.io/openshift/release@sha256:{version.encode().hex():0<64}"


TARGET = TargetRelease(NEXT, image_of(NEXT))


def release(version: str, **more: Any) -> dict[str, Any]:
    """Return a release as the status has it."""
    return {"version": version, "image": image_of(version), **more}


def cluster_version(
    *history: tuple[str, str], available: Sequence[dict[str, Any]] = (), **fields: Any
) -> dict[str, Any]:
    """Return a ClusterVersion with ``history``, the newest version first, each with its state."""
    found = history or ((CURRENT, "Completed"),)
    status = {
        "desired": release(found[0][0]),
        "history": [{"state": state, **release(version)} for version, state in found],
        "availableUpdates": list(available),
        "capabilities": {"enabledCapabilities": ["Ingress"], "knownCapabilities": ["Ingress", "Insights"]},
        **fields.pop("status", {}),
    }
    return reported(found[0][0], *fields.pop("conditions", ()), status=status, **fields)


def operator(version: str = CURRENT, **statuses: str) -> dict[str, Any]:
    """Return the status of a ClusterOperator that is available, apart from ``statuses``."""
    conditions = {"Available": "True", "Degraded": "False", **statuses}
    shown = [condition(kind, status, "Reason", f"about {kind}") for kind, status in conditions.items()]
    return {"conditions": shown, "versions": [{"name": "operator", "version": version}]}


def cluster(obj: dict[str, Any] | None = None) -> ApiServer:
    """Return a server with a ClusterVersion, by default of a cluster that can update."""
    server = ApiServer(*KINDS)
    for name in ("openshift-config", "openshift-config-managed", "openshift-cluster-version"):
        server.put(NAMESPACES, name)
    found = obj or cluster_version(available=[release(NEXT)])
    server.put(CLUSTER_VERSIONS, "version", spec=found["spec"], status=found["status"])
    server.put(CLUSTER_OPERATORS, "console", status=operator())
    server.put(POOLS.kind, "worker", spec={}, status={"conditions": [condition("Updated", status=True)]})
    server.put(INFRASTRUCTURES, "cluster", status={"controlPlaneTopology": "HighlyAvailable"})
    gates = {"version": CURRENT, "enabled": [{"name": "ClusterUpdateAcceptRisks"}]}
    server.put(FEATURE_GATES, "cluster", spec={}, status={"featureGates": [gates]})
    held = {"holderIdentity": "cvo", "renewTime": datetime.now(UTC).isoformat()}
    server.put(LEASES, "version", "openshift-cluster-version", spec=held)
    return server
