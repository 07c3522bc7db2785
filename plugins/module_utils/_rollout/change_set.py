# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Results of applying a release: per manifest, and for the whole rollout."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from .._capability.inclusion import CapabilityStatus
from .._problems import Problem
from .._release.manifest import Manifest
from .._release.task_graph import Mode
from .._resources import ResourceId
from .._unstructured import Object

Action = Literal[
    "created",
    "changed",
    "unchanged",
    "deleted",
    "absent",
    "unserved",
    "unanswered",
    "no_namespace",
    "terminating",
    "forbidden",
    "unavailable",
    "failed",
]
"""``absent``: was to be deleted and is not there. ``unserved``: the server does not have the kind.
``unanswered``: the API server of its group, another one, does not answer. ``terminating``: the object is about to go,
with what was applied."""


RETRYABLE: frozenset[Action] = frozenset(
    {"unserved", "unanswered", "no_namespace", "terminating", "forbidden", "unavailable"}
)
"""What the cluster lacks, and may have later."""


class Conflict(NamedTuple):
    """A field that another field manager owns."""

    resource: ResourceId
    manager: str
    field: str


class ApplyResult(NamedTuple):
    """What came of a manifest. ``metadata`` is that of the object afterwards, empty where that is not known.

    ``before`` and ``after`` are the whole object where somebody wants to see the difference. ``pending``: a
    CustomResourceDefinition that is not established yet.
    """

    manifest: Manifest
    state: Action
    problems: tuple[Problem, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    metadata: Mapping[str, Any] = MappingProxyType({})
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    pending: bool = False


LiveMetadata = Mapping[ResourceId, Mapping[str, Any]]
"""Metadata of the objects of the rollout that the cluster has, by resource."""


class CapabilityResult(NamedTuple):
    """The capabilities of a rollout. ``cluster_version`` is ``None`` on a cluster that does not have the kind.

    ``implicit``: what this very run turns on without being asked. ``changed``: spec or status were written.
    """

    cluster_version: Object | None
    status: CapabilityStatus
    condition: Mapping[str, Any] | None
    implicit: frozenset[str]
    changed: bool
    problems: tuple[Problem, ...]


class ChangeSet(NamedTuple):
    """What came of a graph: of each manifest that was sent, in the graph's order; ``left`` were not.

    ``problems`` are those that belong to no manifest.
    """

    sent: tuple[ApplyResult, ...]
    left: tuple[Manifest, ...]
    problems: tuple[Problem, ...]


class Leftover(NamedTuple):
    """A resource of an earlier rollout that the release no longer has; ``pruned``: it was deleted."""

    resource: ResourceId
    pruned: bool


class Rollout(NamedTuple):
    """What came of a rollout.

    ``cluster_version`` is the object before. ``noted``: the inventory tells another release or other capabilities now.
    """

    mode: Mode
    version: str
    cluster_version: Object | None
    settled: CapabilityResult
    outcome: ChangeSet
    leftovers: tuple[Leftover, ...]
    noted: bool
    problems: tuple[Problem, ...]
