# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Which of some resources are on a cluster: one list request for each kind, names only."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ._client import Client, Target
from ._discovery import Discovery
from ._domain.errors import ApiError, ClusterError, Problem, raise_errors
from ._domain.live_resources import LiveResources
from ._domain.manifest import ResourceId
from ._domain.served_kind import ServedKind

_WHERE = "live_resources"


def ask_live_resources(client: Client, wanted: Collection[ResourceId]) -> LiveResources:
    """Return which of ``wanted`` are on the cluster, and say how many were asked for.

    A resource of a kind that the cluster does not serve is not there. Raises ``ClusterError`` with every kind that
    the cluster does not tell.
    """
    if not wanted:
        message = "nothing to ask the cluster for: all capabilities that the new manifests need are on"
        return LiveResources(frozenset(), (Problem("info", _WHERE, message),))
    by_kind: dict[tuple[str, str], list[ResourceId]] = {}
    for resource in sorted(wanted):
        by_kind.setdefault((resource.group, resource.kind), []).append(resource)
    problems: list[Problem] = []
    asked = _served(Discovery(client), by_kind.values(), problems)

    def find(kind: _Kind) -> frozenset[ResourceId] | ApiError:
        try:
            return _present(client, kind)
        except ApiError as error:
            return error

    present: set[ResourceId] = set()
    for answer in client.each(find, asked):
        if isinstance(answer, ApiError):
            problems += answer.problems
        else:
            present |= answer
    raise_errors(problems, ClusterError)
    unserved = len(by_kind) - len(asked)
    message = f"asked the cluster for {len(wanted)} resources of {len(by_kind)} kinds, and found {len(present)}"
    if unserved:
        message += f"; it does not serve {unserved} of the kinds"
    return LiveResources(frozenset(present), (Problem("info", _WHERE, message),))


class _Kind(NamedTuple):
    """A kind, and the resources of it that are wanted."""

    served: ServedKind
    wanted: Sequence[ResourceId]


def _served(
    discovery: Discovery, wanted: Collection[Sequence[ResourceId]], problems: list[Problem]
) -> tuple[_Kind, ...]:
    found: list[_Kind] = []
    for resources in wanted:
        group, kind, _namespace, _name = resources[0]
        served = discovery.find(group, kind)
        if served is not None:
            found.append(_Kind(served, resources))
        elif discovery.unknown(group):
            message = f"cannot list {kind} of {group}: the server of this API group does not answer"
            mend = "Look at the APIServices of the group (oc get apiservice), and run it again"
            problems.append(Problem("error", "", message, mend))
    return tuple(found)


def _present(client: Client, kind: _Kind) -> frozenset[ResourceId]:
    try:
        listed = [item["metadata"] for item in client.list(Target(kind.served), metadata_only=True)]
    except ApiError as error:
        if error.code != 404:
            raise
        return frozenset()  # its CustomResourceDefinition went meanwhile
    names = {(metadata.get("namespace") or "", metadata["name"]) for metadata in listed}
    # Some manifests of cluster-scoped resources name a namespace, which the API ignores.
    return frozenset(
        resource
        for resource in kind.wanted
        if (resource.namespace if kind.served.namespaced else "", resource.name) in names
    )
