# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What rollouts leave on a cluster, worked out from the manifests alone. It knows nothing of the product."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import CAPABILITY, PROFILE, Body

CLUSTER_SCOPED = {"Namespace", "CustomResourceDefinition", "ClusterRole"}
Identity = tuple[str, str, str, str]
"""Group, kind, namespace and name as the API has them: a cluster-scoped kind has no namespace."""


class Known(NamedTuple):
    """An object: its manifest, or that of the other client who made it, and whether a rollout made it."""

    body: Body
    is_ours: bool


class Expected(NamedTuple):
    """What a rollout leads to: what it applies, what it deletes, and the resources that ``release_verify`` reports."""

    applied: dict[Identity, Body]
    pruned: set[Identity]
    unexpected: set[Identity]


def identity(body: Body) -> Identity:
    """Return what the API server identifies an object by."""
    kind, metadata = body["kind"], body["metadata"]
    group = body["apiVersion"].rpartition("/")[0]
    return group, kind, "" if kind in CLUSTER_SCOPED else metadata["namespace"], metadata["name"]


def needs(body: Body) -> set[str]:
    """Return the capabilities that a manifest requires."""
    value = body["metadata"]["annotations"].get(CAPABILITY, "")
    return set(value.split("+")) if value else set()


def holds(outer: Identity, inner: Identity, body: Body) -> bool:
    """Return whether deleting ``outer`` deletes ``inner`` too."""
    if outer[1] == "Namespace":
        return inner[2] == outer[3]
    return outer[1] == "CustomResourceDefinition" and outer[3] == f"{body['kind'].lower()}s.{inner[0]}"


class Model:
    """The objects on a cluster, the enabled capabilities, and the manifests that rollouts applied."""

    def __init__(self, always: Iterable[str]) -> None:
        self.objects: dict[Identity, Known] = {}
        self.enabled = set(always)
        self.inventory: dict[Identity, Body] = {}
        self.previous: dict[Identity, Body] = {}
        """What the last release applied: the CVO compares it, and nothing older, with the next one."""
        self.held: set[Identity] = set()
        """Objects with the finalizer of another client: they stay if they are deleted."""

    def add(self, body: Body) -> None:
        """Have another client make an object."""
        self.objects[identity(body)] = Known(body, is_ours=False)

    def remove(self, gone: Identity) -> None:
        """Have an object deleted, with all that goes with it."""
        inside = [item for item, known in self.objects.items() if holds(gone, item, known.body)]
        for item in (gone, *inside):
            self.objects.pop(item, None)

    def roll_out(self, release: list[Body], requested: Iterable[str], *, prune: bool) -> Expected:
        """Apply a release, and return what that leads to."""
        of_cluster = {identity(body): body for body in release if body["metadata"]["annotations"].get(PROFILE)}
        self.enabled |= set(requested)
        self.enabled |= {name for item, body in of_cluster.items() for name in self._moved(item, body)}
        applied = {item: body for item, body in of_cluster.items() if needs(body) <= self.enabled}
        for item, body in applied.items():
            known = self.objects.get(item)
            self.objects[item] = Known(body, known is None or known.is_ours)
        self.inventory |= applied
        self.previous = applied
        dropped = {item for item in self.inventory if item not in set(map(identity, release))}
        kept = {item: body for item, body in self.inventory.items() if item in self.objects and item not in dropped}
        needed = {outer for outer in dropped if any(holds(outer, *inner) for inner in kept.items())}
        made = {item for item, known in self.objects.items() if known.is_ours}
        pruned = dropped & made - needed if prune else set()
        for item in pruned - self.held:
            self.remove(item)
        for item in dropped - set(self.objects):
            del self.inventory[item]
        excluded = {item for item in of_cluster if item not in applied} & set(self.objects)
        return Expected(applied, pruned, excluded | (set(self.inventory) & set(self.objects)) - set(applied))

    def _moved(self, item: Identity, body: Body) -> set[str]:
        """Return what a resource requires in addition, if it was applied. The CVO compares namespaces as written."""
        before = self.previous.get(item)
        if before is None or before["metadata"].get("namespace") != body["metadata"].get("namespace"):
            return set()
        return needs(body) - needs(before) if needs(before) <= self.enabled else set()
