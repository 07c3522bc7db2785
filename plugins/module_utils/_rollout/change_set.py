# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Results of a rollout: for each manifest, for the capabilities, and for the whole."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from .._capability.inclusion import CapabilityStatus
from .._kubernetes.api_errors import FieldConflict
from .._problems import Problem, has_errors
from .._release.manifest import Manifest
from .._release.task_graph import Mode
from .._resources import Object, ResourceId
from .refusals import Refusal

Action = Literal[
    "created",
    "changed",
    "unchanged",
    "deleted",
    "deleting",
    "absent",
    "unserved",
    "skipped",
    "unanswered",
    "no_namespace",
    "terminating",
    "forbidden",
    "unavailable",
    "failed",
]
"""Public name of a result. ``deleting``: a deleted object that still exists. ``absent``: there was nothing to delete.

From ``unserved`` on, see ``Refusal``.
"""

_RETRYABLE: Mapping[Refusal, Action] = {
    Refusal.KIND_NOT_SERVED: "unserved",
    Refusal.KIND_SKIPPED: "skipped",
    Refusal.GROUP_UNAVAILABLE: "unanswered",
    Refusal.NAMESPACE_MISSING: "no_namespace",
    Refusal.NAMESPACE_TERMINATING: "terminating",
    Refusal.OBJECT_TERMINATING: "terminating",
    Refusal.FORBIDDEN: "forbidden",
    Refusal.DENIED: "forbidden",
    Refusal.SERVER_UNAVAILABLE: "unavailable",
}
"""Refusals that can end while the rollout runs. All others are ``failed``."""

_COMPLETE: frozenset[Action] = frozenset({"created", "changed", "unchanged", "deleted", "absent", "skipped"})
_NO_METADATA: Mapping[str, Any] = MappingProxyType({})


class ApplyResult(NamedTuple):
    """Result of a manifest. ``refusal`` is ``None`` if the cluster accepted it, or the rollout itself found an error.

    ``metadata``: of the object afterwards, empty if unknown. ``before`` and ``after`` are the whole object, if
    the options request it. ``pending``: a CustomResourceDefinition that is not established yet. ``deletion_sent``: this
    run requested the deletion of an object that is ``deleting``.
    """

    manifest: Manifest
    action: Action
    problems: tuple[Problem, ...] = ()
    conflicts: tuple[FieldConflict, ...] = ()
    metadata: Mapping[str, Any] = _NO_METADATA
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    pending: bool = False
    refusal: Refusal | None = None
    deletion_sent: bool = False

    @property
    def is_retryable(self) -> bool:
        """Whether the cluster lacks something that it may have later."""
        return self.refusal in _RETRYABLE

    @property
    def is_written(self) -> bool:
        """Whether the object was written or deleted."""
        return self.action in ("created", "changed", "deleted") or self.deletion_sent

    @property
    def is_complete(self) -> bool:
        """Whether the next run has nothing to do about the manifest."""
        return self.action in _COMPLETE


def refused(
    manifest: Manifest,
    refusal: Refusal,
    problems: tuple[Problem, ...] = (),
    conflicts: tuple[FieldConflict, ...] = (),
    metadata: Mapping[str, Any] = _NO_METADATA,
) -> ApplyResult:
    """Build the result of a manifest that the cluster refuses."""
    return ApplyResult(
        manifest, _RETRYABLE.get(refusal, "failed"), problems, conflicts, metadata=metadata, refusal=refusal
    )


class CapabilityResult(NamedTuple):
    """The capabilities that a rollout follows. ``cluster_version`` is ``None`` if the cluster does not serve the kind.

    ``implicit`` are those that this run enables without a request. ``changed``: spec or status were written.
    """

    cluster_version: Object | None
    status: CapabilityStatus
    condition: Mapping[str, Any] | None
    implicit: frozenset[str]
    changed: bool


class ChangeSet(NamedTuple):
    """Results of a task graph, in the order of the graph. ``problems`` are those that belong to no manifest.

    ``refused_later`` are results of manifests in ``not_applied``. Only a dry run tries these.
    """

    results: tuple[ApplyResult, ...]
    not_applied: tuple[Manifest, ...]
    problems: tuple[Problem, ...]
    refused_later: tuple[ApplyResult, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether the next run has nothing to do."""
        return not self.not_applied and all(result.is_complete for result in self.results)

    @property
    def has_failures(self) -> bool:
        """Whether a manifest or the graph failed. A skipped kind is not a failure, nor a deletion that takes long."""
        is_failed = any(not (result.is_complete or result.action == "deleting") for result in self.results)
        return bool(self.not_applied) or is_failed or has_errors(self.problems)


class Leftover(NamedTuple):
    """A resource of an earlier rollout that the release does not contain, or deletes. ``pruned``: it was deleted.

    ``finalizers`` are the finalizers of an object that is being deleted. ``sent``: this run requested the deletion.
    ``before`` is the whole object, if the options request it.
    """

    resource: ResourceId
    pruned: bool
    finalizers: tuple[str, ...] = ()
    sent: bool = False
    before: Mapping[str, Any] | None = None


class Rollout(NamedTuple):
    """Result of a rollout.

    ``cluster_version`` is the object before. ``inventory_changed``: the inventory now records a different release or
    different capabilities.
    """

    mode: Mode
    version: str
    cluster_version: Object | None
    capabilities: CapabilityResult
    changes: ChangeSet
    leftovers: tuple[Leftover, ...]
    inventory_changed: bool
    problems: tuple[Problem, ...]
