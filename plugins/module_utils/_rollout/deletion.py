# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Deletions that hang: an object exists until the controllers of its finalizers have removed these.

The CVO also counts a deletion as in progress until the object is gone.
Source: openshift/cluster-version-operator:lib/resourcedelete/helper.go.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from .._kubernetes.client import Client
from .._kubernetes.retries import retry_while_unreachable
from .._problems import ClusterError, Problem, Problems, Severity
from .._progress import Progress
from .._resources import NAMESPACES, ResourceId, Target, conditions_of, finalizers_of, target_for
from .change_set import ChangeSet, Leftover
from .cluster_state import RolloutContext
from .options import RolloutOptions

_OF_THE_API_SERVER = "customresourcecleanup.apiextensions.k8s.io"
"""Finalizer of each definition that has objects. The API server itself removes it."""


def can_hang(metadata: Mapping[str, Any]) -> bool:
    """Whether the deletion of an object with this metadata waits for a controller. Only a prediction."""
    return "deletionTimestamp" in metadata or any(
        name != _OF_THE_API_SERVER for name in finalizers_of({"metadata": metadata})
    )


def read_terminating(client: Client, target: Target, metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object with this metadata as far as it is needed: the finalizer of a namespace is in its spec."""
    live = None
    if target.kind.group_kind == NAMESPACES.group_kind:
        with suppress(ClusterError):
            live = client.find(target)
    return live or {"metadata": metadata}


def terminating_problem(target: Target, live: Mapping[str, Any], severity: Severity) -> Problem:
    """Build the problem that names what prevents the deletion of ``live``, an object of ``read_terminating``."""
    since = live["metadata"].get("deletionTimestamp")
    message = f"has been terminating since {since}" if since else "is going to be deleted"
    finalizers = ", ".join(finalizers_of(live)) or "none"
    if target.kind.group_kind == NAMESPACES.group_kind:
        # The conditions of a namespace name the content that remains.
        remaining = [item["message"] for item in conditions_of(live).values() if item.get("status") == "True"]
        message = "; ".join([message, f"finalizers: {finalizers}", *map(str, remaining)])
        hint = "Check the content that remains in the namespace, and the finalizers of that content"
    else:
        message = f"{message}; finalizers: {finalizers}"
        hint = "Check the controllers that must remove the finalizers"
    return Problem(severity, "terminating-object", str(target), message, hint)


def await_deletions(
    client: Client,
    context: RolloutContext,
    changes: ChangeSet,
    leftovers: Sequence[Leftover],
    options: RolloutOptions,
    progress: Progress,
    problems: Problems,
) -> tuple[ChangeSet, tuple[Leftover, ...]]:
    """Wait until deleted objects are gone: with the option ``wait`` until the deadline, else for a moment.

    Returns ``changes`` and all leftovers afterwards. An object that still exists is one of these, with its finalizers,
    and reported: as an error if the rollout has waited for it.
    """
    pending = _pending(context, changes, leftovers)
    if options.dry_run:
        remaining = {resource: item for resource, item in pending.items() if can_hang(item.metadata)}
    else:
        remaining = _wait(client, pending, options, progress, problems)
    severity: Severity = "error" if options.wait and not options.dry_run else "warning"
    finalizers = {}
    for resource, deletion in remaining.items():
        live = read_terminating(client, deletion.target, deletion.metadata)
        problems.append(terminating_problem(deletion.target, live, severity))
        finalizers[resource] = finalizers_of(live)
    results = tuple(
        item._replace(action="deleted" if item.deletion_sent else "absent")
        if item.action == "deleting" and item.manifest.resource_id not in remaining
        else item
        for item in changes.results
    )
    deleting = [item.manifest.resource_id for item in results if item.action == "deleting"]
    kept = [Leftover(resource, pruned=False, finalizers=finalizers[resource]) for resource in deleting]
    for leftover in leftovers:
        resource = leftover.resource
        pruned = resource not in remaining if resource in pending else leftover.pruned
        kept.append(leftover._replace(pruned=pruned, finalizers=finalizers.get(resource, ())))
    return changes._replace(results=results), tuple(sorted(kept))


class _Deletion(NamedTuple):
    """An object that is being deleted, as it was read at last."""

    target: Target
    metadata: Mapping[str, Any]


def _pending(context: RolloutContext, changes: ChangeSet, leftovers: Sequence[Leftover]) -> dict[ResourceId, _Deletion]:
    """The objects whose deletion was requested, by this run or an earlier one, or would be."""
    found = {item.manifest.resource_id: item.metadata for item in changes.results if item.action == "deleting"}
    for leftover in leftovers:
        metadata = context.live[leftover.resource]
        if leftover.sent or metadata.get("deletionTimestamp"):
            found[leftover.resource] = metadata
    kinds = context.state.kinds
    served = {resource: kinds.find(resource.group, resource.kind) for resource in found}
    return {
        resource: _Deletion(target_for(kind, resource), found[resource])
        for resource, kind in served.items()
        if kind is not None
    }


def _wait(
    client: Client,
    pending: Mapping[ResourceId, _Deletion],
    options: RolloutOptions,
    progress: Progress,
    problems: Problems,
) -> dict[ResourceId, _Deletion]:
    """The deletions that are not over in time."""
    deadline = max(options.deadline, time.monotonic() + options.timings.deletion)
    pause = options.timings.first_pause

    def read(deletion: _Deletion) -> _Deletion | None:
        try:
            live = retry_while_unreachable(lambda: client.find(deletion.target, metadata_only=True))
        except ClusterError as error:
            problems.extend(error.problems)
            return deletion  # What cannot be read is not known to be gone.
        is_same = live is not None and live["metadata"]["uid"] == deletion.metadata["uid"]
        return deletion._replace(metadata=live["metadata"]) if live is not None and is_same else None

    remaining = dict(pending)
    while remaining:
        answers = zip(remaining, client.each(read, tuple(remaining.values())), strict=True)
        remaining = {resource: answer for resource, answer in answers if answer is not None}
        if not remaining or time.monotonic() >= deadline:
            break
        first = next(iter(remaining.values()))
        progress(waiting_text(len(remaining), str(first.target), "is being deleted"))
        time.sleep(pause)
        pause = min(pause * 1.5, options.timings.longest_pause)
    return remaining


def waiting_text(left: int, resource: str, message: str) -> str:
    """Return what to show while a rollout waits for ``left`` objects, first of all ``resource``."""
    return f"waiting for {left}: {resource}" + (f" ({message})" if message else "")
