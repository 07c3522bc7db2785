# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The inventory of a rollout on its cluster: read, written, and compared with what is there."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from typing import NamedTuple

from ._client import Client, Target, object_key
from ._domain.applied_object import PART_OF
from ._domain.errors import ApiError, ClusterError, Problem
from ._domain.manifest import ResourceId
from ._domain.rollout_inventory import (
    NAME,
    NAMESPACE,
    Inventory,
    applyset_id,
    inventory_object,
    parse_inventory,
)
from ._domain.served_kind import CONFIG_MAPS, ServedKind
from ._sending import Known, resource_key
from ._served_kinds import ServedKinds

_ATTEMPTS = 6
_TARGET = Target(CONFIG_MAPS, NAME, NAMESPACE)


class Kept(NamedTuple):
    """The inventory as the cluster has it; ``None`` and empty where there is none yet."""

    inventory: Inventory | None
    resource_version: str


def read_inventory(client: Client) -> Kept:
    """Return what the last rollout left. Raises ``ClusterError``."""
    try:
        found = client.get(_TARGET)
    except ApiError as error:
        if error.code != 404:
            raise
        return Kept(None, "")
    return Kept(parse_inventory(found), found["metadata"]["resourceVersion"])


def write_inventory(client: Client, kept: Kept, inventory: Inventory) -> Kept:
    """Write ``inventory``, unless it is what is there. Raises ``ClusterError``, also where somebody else wrote it."""
    if inventory == kept.inventory:
        return kept
    now = kept
    for attempt in range(_ATTEMPTS):
        try:
            return _written(client, now, inventory)
        except ApiError as error:
            if error.code != 409:
                raise
        time.sleep(random.uniform(0.05, 0.2) * attempt)
        now = read_inventory(client)
        if now.inventory == inventory:
            return now  # it was we, and only the answer got lost
        if now.inventory != kept.inventory:
            break
    message = "was written by somebody else meanwhile: another rollout to this cluster runs"
    raise ClusterError([Problem("error", str(_TARGET), message, "Let it end, and run this again")])


def _written(client: Client, kept: Kept, inventory: Inventory) -> Kept:
    body = inventory_object(inventory)
    if kept.inventory is None:
        metadata = client.create(_TARGET, body).object["metadata"]
    else:
        body["metadata"]["resourceVersion"] = kept.resource_version
        metadata = client.merge(_TARGET, body)["metadata"]
    return Kept(inventory, metadata["resourceVersion"])


def members_of_cluster(client: Client, kinds: ServedKinds, resources: Iterable[ResourceId]) -> Known:
    """Return the metadata of those of ``resources`` that are on the cluster and belong to the rollout.

    One list for each kind; what the user may not list is not known.
    """
    by_kind: dict[ServedKind, dict[str, ResourceId]] = {}
    for resource in resources:
        served = kinds.find(resource.group, resource.kind)
        if served is not None:
            by_kind.setdefault(served, {})[resource_key(resource, served.namespaced)] = resource
    of_rollout = f"{PART_OF}={applyset_id()}"

    def listed(served: ServedKind) -> Known:
        try:
            items = list(client.list(Target(served, labels=of_rollout), metadata_only=True))
        except ApiError as error:
            if error.code not in (403, 404):
                raise
            return {}
        wanted = by_kind[served]
        return {wanted[key]: item["metadata"] for item in items if (key := object_key(item)) in wanted}

    return {resource: found for part in client.each(listed, tuple(by_kind)) for resource, found in part.items()}
