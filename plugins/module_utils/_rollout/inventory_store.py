# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory on the cluster: reads and writes it, and uses it as the lock of a run."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Collection, Mapping
from threading import Lock
from typing import Any, NamedTuple

from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.lookup import ExistingResources, find_existing
from .._kubernetes.rest_mapper import RestMapper
from .._problems import ClusterError, LockLostError, Problem
from .._resources import CONFIG_MAPS, ResourceId, Target, nested, target_for
from .desired_object import PART_OF
from .drift import owned_digest
from .inventory import NAME, NAMESPACE, Inventory, applyset_id, inventory_object, parse_inventory

_ATTEMPTS = 6
_RUN = "capability.openshift.io/run"
"""Annotation with the id of the run that owns the inventory."""

_TARGET = Target(CONFIG_MAPS, NAME, NAMESPACE)

APPLYSET_MEMBERS = f"{PART_OF}={applyset_id()}"
"""Label selector of the objects that rollouts applied."""


class StoredInventory(NamedTuple):
    """The inventory on the cluster, ``None`` if there is none.

    ``run`` is the id of the run that wrote it; empty if that run has applied everything and left the rest to another
    mode, so it does not own the cluster any more.
    """

    inventory: Inventory | None
    resource_version: str = ""
    run: str = ""


def read_inventory(client: Client) -> StoredInventory:
    """Read the inventory. Raises ``ClusterError``."""
    obj = client.find(_TARGET)
    if obj is None:
        return StoredInventory(None)
    return StoredInventory(parse_inventory(obj), obj["metadata"]["resourceVersion"], _run_of(obj))


def write_inventory(
    client: Client,
    stored: StoredInventory,
    inventory: Inventory,
    *,
    begins: bool = False,
    ends: bool = False,
    dry_run: bool = False,
) -> StoredInventory:
    """Write ``inventory`` if it differs from ``stored``.

    ``begins``: take ownership of the cluster for this run, even if it resumes another run's rollout. ``ends``: the run
    has nothing left to do, so it releases the cluster if it leaves a part of the rollout to another mode.
    Raises ``ClusterError``; ``LockLostError`` if another run has written the inventory.
    """
    is_released = bool(ends and inventory.unfinished)
    if inventory == stored.inventory and not (inventory.unfinished and (begins or (is_released and stored.run))):
        return stored
    run = "" if is_released else secrets.token_hex(4) if begins or not stored.run else stored.run
    current = stored
    for attempt in range(_ATTEMPTS):
        try:
            return _write(client, current, inventory, run, dry_run=dry_run)
        except ApiError as error:
            if error.is_not_found and current.inventory is not None:
                current = stored = StoredInventory(None)  # It was deleted, and the next run needs its content.
                continue
            if not error.is_conflict:
                raise
        time.sleep(random.uniform(0.05, 0.2) * attempt)
        current = read_inventory(client)
        if current.inventory == inventory and current.run == run:
            return current  # An earlier attempt of this run succeeded, and its answer was lost.
        if (current.inventory, current.run) != (stored.inventory, stored.run):
            break
    message = "was written by another rollout to this cluster, which runs at the same time"
    raise LockLostError(
        [Problem("error", "lost-lock", str(_TARGET), message, "Run it again when that one is finished")]
    )


def _run_of(obj: Mapping[str, Any]) -> str:
    return str(nested(obj, "metadata", "annotations", _RUN) or "")


def _write(
    client: Client, stored: StoredInventory, inventory: Inventory, run: str, *, dry_run: bool
) -> StoredInventory:
    body = inventory_object(inventory)
    body["metadata"]["annotations"][_RUN] = run
    if stored.inventory is None:
        metadata = client.create(_TARGET, body, dry_run=dry_run).object["metadata"]
        if dry_run:
            client.check_access("patch", _TARGET)
    else:
        body["metadata"]["resourceVersion"] = stored.resource_version
        metadata = client.merge(_TARGET, body, dry_run=dry_run)["metadata"]
    return StoredInventory(inventory, metadata.get("resourceVersion", ""), run)


class RunLock:
    """Checks that the inventory still belongs to this run. Several threads may use it."""

    def __init__(self, client: Client, stored: StoredInventory, check_seconds: float) -> None:
        self._client, self.stored, self._check_seconds = client, stored, check_seconds
        self._next = time.monotonic() + check_seconds
        self._lock = Lock()

    def check(self) -> None:
        """Raise ``LockLostError`` if another run owns the cluster. Asks at most once in ``check_seconds``."""
        with self._lock:
            if time.monotonic() < self._next:
                return
            self._next = time.monotonic() + self._check_seconds
        try:
            self.verify()
        except LockLostError:
            raise
        except ClusterError:
            return  # The next manifest reports what is wrong with the server.

    def verify(self) -> None:
        """Raise ``LockLostError`` if another run owns the cluster, and ``ClusterError`` if that cannot be read."""
        obj = self._client.get(_TARGET, metadata_only=True)
        if _run_of(obj) != self.stored.run:
            message = "was written by another rollout, which started after this one, so this one stops"
            hint = "Run it again when that one is finished"
            raise LockLostError([Problem("error", "lost-lock", str(_TARGET), message, hint)])


def is_applyset_member(metadata: object) -> bool:
    """Whether an object with this metadata has the label of the rollout."""
    return bool(nested(metadata, "labels", PART_OF) == applyset_id())


def is_ours(obj: object) -> bool:
    """Whether an object has the label of the rollout."""
    return is_applyset_member(nested(obj, "metadata"))


def find_members(client: Client, kinds: RestMapper, resources: Collection[ResourceId]) -> ExistingResources:
    """Find the members of the ApplySet among ``resources``. Raises ``ClusterError``."""
    lookup = find_existing(client, kinds, resources, APPLYSET_MEMBERS)
    for error in lookup.errors:
        # The rollout may repair a kind whose webhook does not answer.
        if isinstance(error, ApiError) and not (error.is_forbidden or error.is_server_error):
            raise error
    return lookup


def with_unlabelled(
    client: Client, kinds: RestMapper, members: ExistingResources, dropped: Collection[ResourceId]
) -> ExistingResources:
    """Add those of the ``dropped`` resources that exist without the label, because another client removed it.

    Without this, an inventory would forget them. An object of which no rollout owns a field was created by another
    client. Raises ``ClusterError``.
    """
    existing, unclear = dict(members.existing), set(members.unclear)
    for resource in dropped:
        served = kinds.find(resource.group, resource.kind)
        if resource in existing or resource in unclear or served is None:
            continue
        try:
            obj = client.find(target_for(served, resource), metadata_only=True)
        except ApiError as error:
            if not (error.is_forbidden or error.is_server_error):
                raise
            unclear.add(resource)
        else:
            if obj is not None and owned_digest(obj["metadata"]):
                existing[resource] = obj["metadata"]
    return members._replace(existing=existing, unclear=frozenset(unclear))
