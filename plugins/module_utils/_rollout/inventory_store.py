# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The inventory of a rollout on its cluster: read, written, and compared with what is there."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Collection, Mapping
from threading import Lock
from typing import Any, NamedTuple

from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.lookup import find_existing
from .._kubernetes.rest_mapper import RestMapper
from .._problems import ClusterError, LockLostError, Problem
from .._resources import CONFIG_MAPS, ResourceId, Target
from .._unstructured import nested
from .change_set import LiveMetadata
from .desired_object import PART_OF
from .inventory import NAME, NAMESPACE, Inventory, applyset_id, inventory_object, parse_inventory

_ATTEMPTS = 6
_RUN = "capability.openshift.io/run"
"""Annotation with a word of its own for each rollout that wrote the inventory."""

_TARGET = Target(CONFIG_MAPS, NAME, NAMESPACE)

OF_ROLLOUT = f"{PART_OF}={applyset_id()}"
"""Label selector of what rollouts applied."""


class StoredInventory(NamedTuple):
    """The inventory as the cluster has it; ``None`` and empty where there is none yet. The rollout ``run`` wrote it."""

    inventory: Inventory | None
    resource_version: str = ""
    run: str = ""


def read_inventory(client: Client) -> StoredInventory:
    """Return what the last rollout left. Raises ``ClusterError``."""
    found = client.find(_TARGET)
    if found is None:
        return StoredInventory(None)
    return StoredInventory(parse_inventory(found), found["metadata"]["resourceVersion"], _run_of(found))


def write_inventory(
    client: Client, kept: StoredInventory, inventory: Inventory, *, begins: bool = False
) -> StoredInventory:
    """Write ``inventory``, unless it is what is there. Raises ``ClusterError``, also where somebody else wrote it.

    ``begins``: a rollout begins, which claims the cluster, also where it goes on with what another one left.
    """
    if inventory == kept.inventory and not (begins and inventory.unfinished):
        return kept
    now, run = kept, secrets.token_hex(4) if begins or not kept.run else kept.run
    for attempt in range(_ATTEMPTS):
        try:
            return _written(client, now, inventory, run)
        except ApiError as error:
            if error.is_not_found and now.inventory is not None:
                now = kept = StoredInventory(None)  # somebody deleted it, and what is in it is needed all the same
                continue
            if not error.is_conflict:
                raise
        time.sleep(random.uniform(0.05, 0.2) * attempt)
        now = read_inventory(client)
        if now.inventory == inventory and now.run == run:
            return now  # it was we, and only the answer got lost
        if (now.inventory, now.run) != (kept.inventory, kept.run):
            break
    message = "was written by somebody else meanwhile: another rollout to this cluster runs"
    raise LockLostError([Problem("error", "todo", str(_TARGET), message, "Let it end, and run this again")])


def _run_of(found: Mapping[str, Any]) -> str:
    return str(nested(found, "metadata", "annotations", _RUN) or "")


def _written(client: Client, kept: StoredInventory, inventory: Inventory, run: str) -> StoredInventory:
    body = inventory_object(inventory)
    body["metadata"]["annotations"][_RUN] = run
    if kept.inventory is None:
        metadata = client.create(_TARGET, body).object["metadata"]
    else:
        body["metadata"]["resourceVersion"] = kept.resource_version
        metadata = client.merge(_TARGET, body)["metadata"]
    return StoredInventory(inventory, metadata["resourceVersion"], run)


class RunLock:
    """Whether the inventory is still that of this rollout; asked now and then, by several threads."""

    def __init__(self, client: Client, kept: StoredInventory, check_seconds: float) -> None:
        self._client, self._run, self._check_seconds = client, kept.run, check_seconds
        self._next = time.monotonic() + check_seconds
        self._lock = Lock()

    def check(self) -> None:
        """Raise ``ClusterError`` where another rollout has begun meanwhile: the later one wins, and this one stops."""
        with self._lock:
            if time.monotonic() < self._next:
                return
            self._next = time.monotonic() + self._check_seconds
        try:
            self.insist()
        except LockLostError:
            raise
        except ClusterError:
            return  # whoever sends the next manifest finds out what is wrong

    def insist(self) -> None:
        """Raise ``ClusterError`` where another rollout has begun meanwhile, or nobody can tell."""
        found = self._client.get(_TARGET, metadata_only=True)
        if _run_of(found) != self._run:
            message = "was written by another rollout, which has begun after this one: this one stops"
            raise LockLostError([Problem("error", "todo", str(_TARGET), message, "Let that end, and run it once more")])


class ApplySetMembers(NamedTuple):
    """What of a rollout is on the cluster, by resource. ``unread`` are resources that nobody could look for."""

    known: LiveMetadata
    unread: frozenset[ResourceId]


def members_of_cluster(client: Client, kinds: RestMapper, resources: Collection[ResourceId]) -> ApplySetMembers:
    """Return which of ``resources`` are on the cluster and belong to the rollout. Raises ``ClusterError``."""
    presence = find_existing(client, kinds, resources, OF_ROLLOUT)
    for error in presence.errors:
        # A kind whose webhook does not answer is what this rollout may mend.
        if isinstance(error, ApiError) and not (error.is_forbidden or error.is_server_error):
            raise error
    return ApplySetMembers(presence.existing, presence.unclear)
