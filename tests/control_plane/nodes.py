# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Simulated nodes: kwok tells that they are ready, and that the Pods on them run."""

from __future__ import annotations

from ansible_collections.capability.openshift.tests.control_plane.api import Api
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

NODES = ("node-0", "node-1", "node-2")
_RESOURCES = {"cpu": "64", "memory": "256Gi", "pods": "1000"}


def add_nodes(api: Api) -> None:
    """Add three nodes which are control plane and worker at once, and wait until they are ready."""
    for name in NODES:
        labels = {
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/hostname": name,
            "kubernetes.io/os": "linux",
            "node-role.kubernetes.io/control-plane": "",
            "node-role.kubernetes.io/master": "",
            "node-role.kubernetes.io/worker": "",
        }
        status = {"allocatable": _RESOURCES, "capacity": _RESOURCES}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}
        api.post("/api/v1/nodes", node)
    wait_for(lambda: all(_ready(node) for node in api.list("/api/v1/nodes")), "the simulated nodes to be ready")


def _ready(node: dict) -> bool:
    conditions = node["status"].get("conditions", [])
    taints = node["spec"].get("taints", [])
    return not taints and any(item["type"] == "Ready" and item["status"] == "True" for item in conditions)
