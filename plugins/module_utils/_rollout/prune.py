# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Leftovers: resources of earlier rollouts that the release does not contain. Lists and prunes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from .._capability.inclusion import is_overridden
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.rest_mapper import RestMapper
from .._kubernetes.retries import retry_while_unreachable
from .._problems import ClusterError, InvalidOptionError, Problem, Problems
from .._release.manifest import is_create_only
from .._resources import (
    CLUSTER_VERSIONS,
    CUSTOM_RESOURCE_DEFINITIONS,
    NAMESPACES,
    ApiResource,
    ResourceId,
    Target,
    target_for,
)
from .change_set import ApplyResult, Leftover
from .cluster_state import RolloutContext
from .desired_object import is_created_by_rollout
from .inventory_store import RunLock
from .options import RolloutOptions

_CREATED_FIRST = {kind.group_kind: kind for kind in (NAMESPACES, CUSTOM_RESOURCE_DEFINITIONS)}
"""Deleting one of these deletes what is in it."""
_CLUSTER_VERSIONS = ResourceId(*CUSTOM_RESOURCE_DEFINITIONS.group_kind, "", CLUSTER_VERSIONS.resource)


def refuse_unsafe_prune(context: RolloutContext) -> None:
    """Raise ``InvalidOptionError`` if the release seems to be incomplete or another one.

    The ClusterVersion owns all applied objects, so deleting its definition would delete everything.
    """
    inventory = context.state.inventory
    leftovers = _leftovers(context)
    code = message = ""
    if context.release.partial:
        code = "incomplete-release"
        message = "is not possible, because the release is incomplete (see the warnings), so leftovers are unknown"
    elif _CLUSTER_VERSIONS in leftovers:
        code = "unsafe-prune"
        message = f"would delete {_CLUSTER_VERSIONS}, and with it all objects that were ever applied"
    elif inventory is not None and 2 * len(leftovers) > len(inventory.entries):
        code = "unsafe-prune"
        message = f"would delete {len(leftovers)} of {len(inventory.entries)} resources, so this is another release"
    if code:
        hint = "Check release: it must be the directory of the complete release"
        raise InvalidOptionError([Problem("error", code, "prune", message, hint)])


def as_kept(context: RolloutContext, applied: Sequence[ApplyResult]) -> tuple[Leftover, ...]:
    """The leftovers of a run that ``applied`` manifests. They are listed and stay."""
    return tuple(Leftover(resource, pruned=False) for resource in _leftovers(context, applied))


def prune(
    client: Client,
    context: RolloutContext,
    applied: Sequence[ApplyResult],
    lock: RunLock,
    options: RolloutOptions,
    problems: Problems,
) -> tuple[Leftover, ...]:
    """Delete the leftovers that a rollout created. Objects that existed before, and unmanaged ones, stay.

    What this run ``applied`` is never deleted, whatever the inventory contains. Before each deletion, ``lock`` is
    verified, because another rollout may need the object.
    """
    leftovers: list[Leftover] = []
    is_over = False
    # The release can contain what an earlier rollout applied for other clusters only.
    kept = context.live.keys() - set(context.dropped)
    for resource in sorted(_leftovers(context, applied), key=lambda resource: resource.group_kind in _CREATED_FIRST):
        served = context.state.kinds.find(resource.group, resource.kind)
        if served is None:
            continue  # It was deleted with its definition.
        target = target_for(served, resource)
        is_pruned, before = False, None
        metadata = context.live[resource]
        is_ours = is_created_by_rollout(metadata) and not is_create_only(metadata.get("annotations"))
        if metadata.get("deletionTimestamp"):
            pass  # An earlier deletion is not over yet.
        elif any(_is_needed_by(result, target, metadata, context.state.kinds) for result in applied) or any(
            _is_inside(target, item, context.state.kinds.find(item.group, item.kind)) for item in kept
        ):
            message = "is not pruned: the release still contains it, or an object that would be deleted with it"
            hint = "Do nothing: it is pruned when the release no longer contains what needs it"
            problems.warning("applied-leftover", str(target), message, hint)
        elif not is_ours or is_overridden(resource, context.overrides):
            message = "is not pruned: it existed before the first rollout, or is create-only or unmanaged"
            problems.warning("kept-leftover", str(target), message, "Delete it yourself if it is not needed")
        elif not is_over:
            try:
                if not options.dry_run:
                    retry_while_unreachable(lock.verify)
                before = retry_while_unreachable(partial(client.find, target)) if options.diff_mode else None
                retry_while_unreachable(partial(client.delete, target, uid=metadata["uid"], dry_run=options.dry_run))
                is_pruned = True
            except ClusterError as error:
                problems += error.problems
                is_over = not isinstance(error, ApiError)  # Another run owns the cluster, or it does not answer.
        leftovers.append(Leftover(resource, is_pruned, sent=is_pruned, before=before))
    return tuple(sorted(leftovers))


def _leftovers(context: RolloutContext, applied: Sequence[ApplyResult] = ()) -> tuple[ResourceId, ...]:
    """The existing resources of earlier rollouts that no manifest of the release contains, sorted.

    The API server deletes some of them with a namespace or definition that this run deleted.
    """
    kinds = context.state.kinds
    deleted = [
        Target(_CREATED_FIRST[item.manifest.resource_id.group_kind], item.manifest.resource_id.name)
        for item in applied
        if item.action in ("deleted", "deleting") and item.manifest.resource_id.group_kind in _CREATED_FIRST
    ]
    existing = [item for item in context.dropped if item in context.live]
    return tuple(
        item for item in existing if not any(_is_inside(one, item, kinds.find(*item.group_kind)) for one in deleted)
    )


def _is_needed_by(result: ApplyResult, target: Target, metadata: Mapping[str, Any], kinds: RestMapper) -> bool:
    """Whether an applied object is the one with this target, or is deleted with it: by its namespace or its kind."""
    resource = result.manifest.resource_id
    if result.manifest.deletes:
        return False
    served = kinds.find(resource.group, resource.kind, result.manifest.version)
    return _is_inside(target, resource, served) or result.metadata.get("uid") == metadata["uid"]


def _is_inside(target: Target, resource: ResourceId, served: ApiResource | None) -> bool:
    """Whether a resource, whose kind is ``served``, is deleted with the namespace or definition at ``target``."""
    if served is None:
        return False
    if target.kind.group_kind == NAMESPACES.group_kind:
        return served.namespaced and resource.namespace == target.name
    return target.kind.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind and served.resource == target.name
