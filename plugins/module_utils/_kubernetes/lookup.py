# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Which of some resources are on a cluster: one list of metadata for each kind."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, Protocol

from .._problems import ApiError, ClusterError, Problem
from .._resources import ApiResource, ResourceId, Target, target_for
from .client import Client, object_key


class KindLookup(Protocol):
    """What tells which kinds a cluster serves."""

    def find(self, group: str, kind: str) -> ApiResource | None:
        """Return a kind; ``None`` where it is not served, or where nobody can tell now."""

    def unknown(self, group: str) -> bool:
        """Tell whether a group may serve more than is known: its own API server does not answer."""


class ExistingResources(NamedTuple):
    """The metadata of what is there, by resource. ``unclear`` is what the cluster does not tell, ``errors`` why not.

    ``unserved`` is how many kinds the cluster does not have, so that nothing of them is there.
    """

    there: Mapping[ResourceId, Mapping[str, Any]]
    unclear: frozenset[ResourceId]
    errors: tuple[ClusterError, ...]
    unserved: int

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the errors say."""
        return tuple(dict.fromkeys(problem for error in self.errors for problem in error.problems))


def find_existing(
    client: Client, kinds: KindLookup, resources: Collection[ResourceId], labels: str = ""
) -> ExistingResources:
    """Return which of ``resources`` are there, among the objects that a label selector chooses.

    Raises ``ClusterError`` where the server does not answer at all.
    """
    by_kind: dict[tuple[str, str], list[ResourceId]] = {}
    for resource in sorted(resources):
        by_kind.setdefault(resource.group_kind, []).append(resource)
    # Some manifests of cluster-scoped resources name a namespace, which the API ignores, and which targets have not.
    wanted: dict[ApiResource, dict[str, list[ResourceId]]] = {}
    unclear: set[ResourceId] = set()
    errors: list[ClusterError] = []
    for (group, kind), named in by_kind.items():
        served = kinds.find(group, kind)
        if served is not None:
            keys = wanted.setdefault(served, {})
            for resource in named:
                keys.setdefault(target_for(served, resource).key, []).append(resource)
        elif kinds.unknown(group):
            unclear.update(named)
            errors.append(_group_unavailable(group, kind))
    unserved = len(by_kind) - len(wanted) - len(errors)

    def listed(served: ApiResource) -> Mapping[ResourceId, Mapping[str, Any]] | ApiError:
        keys = wanted[served]
        try:
            items = client.list(Target(served, labels=labels), metadata_only=True)
            return {resource: item["metadata"] for item in items for resource in keys.get(object_key(item), ())}
        except ApiError as error:
            return {} if error.code == 404 else error  # its CustomResourceDefinition went meanwhile

    there: dict[ResourceId, Mapping[str, Any]] = {}
    for served, answer in zip(wanted, client.each(listed, tuple(wanted)), strict=True):
        if isinstance(answer, ApiError):
            errors.append(answer)
            unclear.update(resource for resources in wanted[served].values() for resource in resources)
        else:
            there.update(answer)
    return ExistingResources(there, frozenset(unclear), tuple(errors), unserved)


def _group_unavailable(group: str, kind: str) -> ClusterError:
    message = f"cannot list {kind} of {group}: the server of this API group does not answer"
    hint = "Look at the APIServices of the group (oc get apiservice), and run it again"
    return ClusterError([Problem("error", "todo", "", message, hint)])
