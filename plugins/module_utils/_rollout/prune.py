# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What earlier rollouts applied and the release no longer speaks of: told, and deleted if that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from .._capability.inclusion import is_overridden
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.retries import retry_while_unreachable
from .._problems import ClusterError, InvalidOptionError, Problem, Problems, raise_errors
from .._release.loader import LoadedRelease
from .._resources import CLUSTER_VERSIONS, CUSTOM_RESOURCE_DEFINITIONS, ResourceId, target_for
from .change_set import Leftover
from .cluster_state import RolloutContext, resources_dropped_by
from .inventory_store import RunLock

_CREATED_FIRST = ("Namespace", CUSTOM_RESOURCE_DEFINITIONS.kind)
_CLUSTER_VERSIONS = ResourceId(
    CUSTOM_RESOURCE_DEFINITIONS.group, CUSTOM_RESOURCE_DEFINITIONS.kind, "", CLUSTER_VERSIONS.resource
)


def leftovers_of(scene: RolloutContext, loaded: LoadedRelease) -> tuple[ResourceId, ...]:
    """Return what an earlier rollout applied, is there, and no manifest of the release speaks of, sorted."""
    return tuple(resource for resource in resources_dropped_by(scene.kept.inventory, loaded) if resource in scene.known)


def refuse_unsafe_prune(scene: RolloutContext, loaded: LoadedRelease) -> None:
    """Raise ``InvalidOptionError`` where what looks left over is rather a release of which something is missing.

    The ClusterVersion owns all that was applied: with its definition everything would go.
    """
    inventory = scene.kept.inventory
    left = leftovers_of(scene, loaded)
    message = ""
    if loaded.partial:
        message = "is asked for, and the release is not complete (see the warnings), so nobody knows what is left over"
    elif _CLUSTER_VERSIONS in left:
        message = f"would delete {_CLUSTER_VERSIONS}, and with that all that was ever applied"
    elif inventory is not None and 2 * len(left) > len(inventory.entries):
        message = f"would delete {len(left)} of {len(inventory.entries)} resources, which is another release"
    problems = [Problem("error", "todo", "prune", message, "Look at release: give the directory of the whole one")]
    raise_errors(problems if message else (), InvalidOptionError)


def as_kept(left: Sequence[ResourceId]) -> tuple[Leftover, ...]:
    """Return leftovers that stay."""
    return tuple(Leftover(resource, False) for resource in left)


def prune(
    client: Client, scene: RolloutContext, left: Sequence[ResourceId], claim: RunLock | None
) -> tuple[tuple[Leftover, ...], tuple[Problem, ...]]:
    """Delete the leftovers that a rollout made; what was there before it, and what nobody manages, stays.

    Nothing is deleted without a ``claim``, which is checked before each deletion: another rollout may want to keep it.
    """
    entries = scene.kept.inventory.entries if scene.kept.inventory else {}
    found: list[Leftover] = []
    problems = Problems()
    is_over = False
    # Definitions and namespaces last, because the rest goes with them.
    for resource in sorted(left, key=lambda resource: resource.kind in _CREATED_FIRST):
        served = scene.kinds.find(resource.group, resource.kind)
        if served is None:
            continue  # it went with its definition
        target = target_for(served, resource)
        made = entries[resource].made and not is_overridden(resource, scene.facts.overrides)
        if made and is_over:
            made = False
        elif made:
            try:
                if claim is not None:
                    retry_while_unreachable(claim.insist)
                retry_while_unreachable(
                    partial(client.delete, target, uid=scene.known[resource]["uid"], dry_run=claim is None)
                )
            except ClusterError as error:
                problems += error.problems
                made = False
                is_over = not isinstance(error, ApiError)  # the cluster is another one's, or does not answer
        else:
            message = "is not pruned: it was there before the rollout, is create-only or unmanaged, or a run was killed"
            problems.append(Problem("warning", "todo", str(target), message, "Delete it yourself if nobody needs it"))
        found.append(Leftover(resource, made))
    return tuple(sorted(found)), tuple(problems)
