# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What a rollout writes into the inventory: what it is going to do, and then what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from .._kubernetes.client import FIELD_MANAGER
from .._release.loader import LoadedRelease
from .._release.manifest import Manifest
from .._release.task_graph import Mode
from .change_set import CapabilityResult, ChangeSet, Leftover
from .cluster_state import RolloutContext, included_by_resource, resources_dropped_by
from .desired_object import is_create_only
from .drift import owned_digest
from .inventory import Entry, Inventory

_NEW = Entry(())


def planned_inventory(
    scene: RolloutContext, version: str, settled: CapabilityResult, included: Sequence[Manifest], mode: Mode
) -> Inventory:
    """Return the inventory before anything is sent: what was there, what is going to be, and what is on."""
    inventory = scene.kept.inventory
    entries = dict(inventory.entries) if inventory else {}
    # What is overridden counts as applied where resources move between capabilities, as in the CVO.
    unmanaged = included_by_resource(scene._replace(facts=scene.facts._replace(overrides=())), settled.status)
    for manifest in (*unmanaged, *included):
        if not manifest.deletes:
            there = entries.get(manifest.resource_id, _NEW)
            entries[manifest.resource_id] = there._replace(capabilities=manifest.capabilities)
    profile = scene.facts.cluster_profile or ""
    planned = Inventory(version, profile, settled.status.enabled, "", entries)
    return planned if planned == inventory else planned._replace(unfinished=mode, implicit=settled.implicit)


def final_inventory(
    planned: Inventory,
    scene: RolloutContext,
    loaded: LoadedRelease,
    outcome: ChangeSet,
    left: Sequence[Leftover],
    unfinished: Mode | None,
) -> Inventory:
    """Return the inventory after the rollout: what is or should be there, with what of it is ours.

    ``unfinished`` is the mode in which the next one has to go on, ``None`` where there is nothing left to do.
    """
    entries = dict(planned.entries)
    seen = {*scene.known, *scene.members.unread}
    gone = {resource for resource in resources_dropped_by(scene.kept.inventory, loaded) if resource not in seen}
    gone |= {item.resource for item in left if item.pruned}
    for sent in outcome.sent:
        resource = sent.manifest.resource_id
        if sent.manifest.deletes and unfinished is None and sent.state in ("deleted", "absent"):
            gone.add(resource)
        elif resource in entries and sent.metadata:
            there = entries[resource]
            made = there.made or (sent.state == "created" and not is_create_only(sent.manifest))
            entries[resource] = there._replace(owned=owned_digest(sent.metadata, FIELD_MANAGER), made=made)
    for resource in gone:
        entries.pop(resource, None)
    implicit = frozenset[str]() if unfinished is None else planned.implicit
    return planned._replace(entries=entries, unfinished=unfinished or "", implicit=implicit)
