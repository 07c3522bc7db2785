# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pools of machines of a cluster, whose nodes the machine-config operator updates one after the other.

Each function names the one that it follows in openshift/machine-config-operator, commit 7ff337a4f. Image mode is left
out. ``tests/cluster/harness/test_pools.py`` compares it with the table of the operator's own tests.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.tests.control_plane.api import Api
from ansible_collections.capability.openshift.tests.control_plane.cvo_status import condition, condition_of, timed

Body = Mapping[str, Any]
POOLS = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools"
REQUIRED = "operator.machineconfiguration.openshift.io/required-for-upgrade"
"""The label of pools without which the operator does not report its version: ``master``, and not ``worker``."""

NAMES = ("master", "worker")
MACHINES = 3
_OBJECT = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_STATUS = {
    "type": "object",
    "properties": {
        "conditions": {"type": "array", "items": _OBJECT, "x-kubernetes-list-type": "atomic"},
        "configuration": _OBJECT,
        "observedGeneration": {"type": "integer", "format": "int64"},
        **{
            f"{name}MachineCount": {"type": "integer", "format": "int32"}
            for name in ("degraded", "ready", "unavailable", "updated")
        },
        "machineCount": {"type": "integer", "format": "int32"},
    },
}
DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {
        "name": "machineconfigpools.machineconfiguration.openshift.io",
        "annotations": {"include.release.openshift.io/self-managed-high-availability": "true"},
    },
    "spec": {
        "group": "machineconfiguration.openshift.io",
        "names": {"kind": "MachineConfigPool", "listKind": "MachineConfigPoolList", "plural": "machineconfigpools"},
        "scope": "Cluster",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _OBJECT, "status": _STATUS}}},
            }
        ],
    },
}
"""The part of the definition in openshift/api, commit 2a3d73913, machineconfiguration/v1, that is read here."""


class Node(NamedTuple):
    """A node, with the configurations that it has and gets. ``failure``: why its daemon is degraded."""

    current: str
    desired: str
    ready: bool = True
    failure: str = ""

    @property
    def is_done(self) -> bool:
        """pkg/controller/common/layered_node_state.go IsNodeDone."""
        return self.current == self.desired and not self.failure

    @property
    def is_unavailable(self) -> bool:
        """The same file, IsUnavailableForUpdate."""
        return not self.ready or not (self.is_done or self.failure)


def pool_status(pool: Body, nodes: Sequence[Node], now: str) -> dict[str, Any]:
    """pkg/controller/node/status.go calculateStatus."""
    config, before = pool["spec"].get("configuration", {}), pool.get("status", {})
    updated = [node for node in nodes if node.is_done and node.desired == config.get("name")]
    ready = sum(node.ready for node in updated)
    unavailable = sum(node.is_unavailable for node in nodes)
    failures = [f'Node node-{index} is reporting: "{node.failure}"' for index, node in enumerate(nodes) if node.failure]
    line = f"MachineConfig {config.get('name')}"
    done = len(updated) == ready == len(nodes) and not unavailable
    if done:
        found = [condition("Updated", "True", "", f"All nodes are updated with {line}"), condition("Updating", "False")]
    elif pool["spec"].get("paused"):
        text = f"Pool is paused; will not update to {line}"
        found = [condition("Updated", "False"), condition("Updating", "False", "", text)]
    else:
        found = [
            condition("Updated", "False"),
            condition("Updating", "True", "", f"All nodes are updating to {line}"),
        ]
    text = ", ".join(failures)
    state = str(bool(failures))
    reason = f"{len(failures)} nodes are reporting degraded status on sync" if failures else ""
    found += [condition("NodeDegraded", state, reason, text), condition("Degraded", state, "", text)]
    return {
        "observedGeneration": pool["metadata"].get("generation", 0),
        "machineCount": len(nodes),
        "updatedMachineCount": len(updated),
        "readyMachineCount": ready,
        "unavailableMachineCount": unavailable,
        "degradedMachineCount": len(failures),
        "configuration": config if done else before.get("configuration", {}),
        "conditions": timed(found, before.get("conditions") or (), now),
    }


def required_error(pools: Iterable[Body]) -> str:
    """pkg/operator/sync.go syncRequiredMachineConfigPools: why the operator is not done, empty if it is."""
    for pool in pools:
        name, status = pool["metadata"]["name"], pool.get("status", {})
        if condition_of(pool, "Degraded").get("status") == "True":
            return f"MachineConfigPool {name} is not ready, retrying"
        is_current = pool["metadata"]["generation"] <= status.get("observedGeneration", 0)
        if REQUIRED not in pool["metadata"].get("labels", {}):
            continue
        if not (is_current and condition_of(pool, "Updated").get("status") == "True"):
            if pool["spec"].get("paused"):
                return f"required MachineConfigPool {name} is paused and cannot sync until it is unpaused"
            return f"required MachineConfigPool {name} is not ready, retrying"
    return ""


def upgradeable(pools: Iterable[Body]) -> dict[str, str]:
    """pkg/operator/status.go syncUpgradeableStatus."""
    if all(condition_of(pool, "Degraded").get("status") != "True" for pool in pools):
        return condition("Upgradeable", "True", "AsExpected")
    text = "One or more machine config pools are degraded, please see `oc get mcp` for further details and resolve"
    return condition("Upgradeable", "False", "DegradedPool", f"{text} before upgrading")


class Pools:
    """The pools ``NAMES`` of a cluster, with three nodes each. A test may change all public attributes.

    - ``seconds`` that a node needs
    - ``held``: pools whose nodes do not go on
    - ``failures``: why a node of a pool is degraded; it does not go on, either
    """

    def __init__(self, api: Api, version: str) -> None:
        self.seconds = 0.0
        self.held: set[str] = set()
        self.failures: dict[str, str] = {}
        self._api = api
        configs = {name: _rendered(name, version) for name in NAMES}
        self._nodes = {name: [Node(config, config)] * MACHINES for name, config in configs.items()}
        self._since = dict.fromkeys(NAMES, 0.0)
        for name, config in configs.items():
            labels = {REQUIRED: ""} if name == "master" else {}
            body = {"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfigPool"}
            spec = {"configuration": {"name": config}}
            api.post(POOLS, {**body, "metadata": {"name": name, "labels": labels}, "spec": spec})
        self.sync()

    def render(self, version: str) -> None:
        """pkg/controller/render: each pool gets a new configuration, also one that is paused."""
        for name in NAMES:
            path, config = f"{POOLS}/{name}", {"name": _rendered(name, version)}
            if self._api.get(path)["spec"]["configuration"] != config:
                self._api.patch(path, {"spec": {"configuration": config}})

    def sync(self) -> list[dict[str, Any]]:
        """pkg/controller/node: have the nodes go on, and write the status. Return the pools."""
        return [self._sync_pool(name) for name in NAMES]

    def _sync_pool(self, name: str) -> dict[str, Any]:
        pool = self._api.get(f"{POOLS}/{name}")
        self._nodes[name] = nodes = self._next(name, pool)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        status = pool_status(pool, nodes, now)
        if status != pool.get("status"):
            pool = self._api.patch(f"{POOLS}/{name}/status", {"status": status})
        return pool

    def _next(self, name: str, pool: Body) -> list[Node]:
        """One node at a time gets a new configuration, and has it after ``seconds``."""
        nodes, target = list(self._nodes[name]), pool["spec"]["configuration"]["name"]
        failure, now = self.failures.get(name, ""), time.monotonic()
        at = next((index for index, node in enumerate(nodes) if not node.is_done or node.current != target), None)
        if failure:
            nodes[at or 0] = nodes[at or 0]._replace(failure=failure)
        elif at is not None and (nodes[at].desired != nodes[at].current or nodes[at].failure):
            nodes[at] = nodes[at]._replace(failure="")
            if name not in self.held and now - self._since[name] >= self.seconds:
                nodes[at] = nodes[at]._replace(current=nodes[at].desired)
        elif at is not None and not pool["spec"].get("paused"):
            nodes[at], self._since[name] = nodes[at]._replace(desired=target), now
        return nodes


def _rendered(name: str, version: str) -> str:
    return f"rendered-{name}-{version}"
