# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Capabilities that an update enables because a resource of the cluster moved into them.

All manifests here have passed every filter except the one for capabilities.

Source of the rule: openshift/cluster-version-operator:lib/manifest/manifest.go GetImplicitlyEnabledCapabilities.
The CVO compares each manifest of the new release with each of the old one. Here they are paired by resource, and pairs
with the same capabilities on both sides form a group, so an update is evaluated in microseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .._release.manifest import Manifest
from .._resources import ResourceId


class MovedResource(NamedTuple):
    """A resource whose manifests require different capabilities in the new release and in the outgoing one.

    ``current`` is ``None`` if the resource is on the cluster, but not in the outgoing release.
    """

    current: Manifest | None
    target: Manifest


class _PairGroup(NamedTuple):
    """Pairs of manifests that require ``before`` in the old release and ``after`` in the new one.

    Each pair has its position in the new release.
    """

    before: frozenset[str]
    after: frozenset[str]
    pairs: tuple[tuple[int, MovedResource], ...]


class ImplicitEnablement:
    """Compares the manifests of two releases, resource by resource."""

    def __init__(self, current: Sequence[Manifest], target: Sequence[Manifest]) -> None:
        self._current = _by_resource(current)
        self._target = target
        self._groups = _groups(self._current, target)
        self._merged: dict[tuple[int, ...], tuple[MovedResource, ...]] = {}

    def implicitly_enabled(self, enabled: frozenset[str]) -> Mapping[str, tuple[MovedResource, ...]]:
        """The names that an update enables in a cluster with ``enabled``, each with its causes in release order.

        If capabilities exclude the new manifest of a resource that was included before, the update enables those that
        the old manifest did not require. Names that the cluster does not know count as disabled.
        """
        newly_enabled: dict[str, list[int]] = {}
        for index, group in enumerate(self._groups):
            if group.before <= enabled and not group.after <= enabled:
                for name in group.after - group.before - enabled:
                    newly_enabled.setdefault(name, []).append(index)
        return {name: self._merge(tuple(newly_enabled[name])) for name in sorted(newly_enabled)}

    def moved(self, selected: frozenset[str], enabled: frozenset[str]) -> Mapping[str, tuple[MovedResource, ...]]:
        """For each name of ``selected``, the resources on the cluster whose move affects it."""
        affected: dict[str, list[int]] = {}
        for index, group in enumerate(self._groups):
            if group.before <= enabled:
                for name in (group.before | group.after) & selected:
                    affected.setdefault(name, []).append(index)
        return {name: self._merge(tuple(affected[name])) for name in sorted(affected)}

    def enabled_by_presence(
        self, enabled: frozenset[str], present: frozenset[ResourceId]
    ) -> Mapping[str, tuple[MovedResource, ...]]:
        """The names that an update enables in a cluster with the resources ``present``.

        This is the second algorithm of the enhancement: it compares the new release with the cluster. A manifest that
        capabilities would exclude enables them if its resource exists, even if the manifest deletes it.
        Source: openshift/enhancements:enhancements/installer/component-selection.md (upgrades).
        """
        newly_enabled: dict[str, list[MovedResource]] = {}
        for manifest in self._target:
            if manifest.resource_id in present and not enabled.issuperset(manifest.capabilities):
                cause = MovedResource(self._before(manifest, enabled), manifest)
                for name in set(manifest.capabilities) - enabled:
                    newly_enabled.setdefault(name, []).append(cause)
        return {name: tuple(newly_enabled[name]) for name in sorted(newly_enabled)}

    def _before(self, manifest: Manifest, enabled: frozenset[str]) -> Manifest | None:
        """The resource's manifest in the old release, preferably an included one."""
        candidates = self._current.get(manifest.resource_id, ())
        included = (candidate for candidate in candidates if enabled.issuperset(candidate.capabilities))
        return next(iter((*included, *candidates)), None)

    def _merge(self, indexes: tuple[int, ...]) -> tuple[MovedResource, ...]:
        # Cached, because the clusters of a fleet have few distinct results.
        merged = self._merged.get(indexes)
        if merged is None:
            pairs = sorted((pair for index in indexes for pair in self._groups[index].pairs), key=lambda pair: pair[0])
            merged = self._merged[indexes] = tuple(cause for _position, cause in pairs)
        return merged


def _by_resource(manifests: Iterable[Manifest]) -> Mapping[ResourceId, Sequence[Manifest]]:
    grouped: dict[ResourceId, list[Manifest]] = {}
    for manifest in manifests:
        grouped.setdefault(manifest.resource_id, []).append(manifest)
    return grouped


def _groups(current: Mapping[ResourceId, Sequence[Manifest]], target: Sequence[Manifest]) -> tuple[_PairGroup, ...]:
    sets: dict[tuple[str, ...], frozenset[str]] = {}
    pairs: dict[tuple[frozenset[str], frozenset[str]], list[tuple[int, MovedResource]]] = {}
    for position, manifest in enumerate(target):
        for old in current.get(manifest.resource_id, ()):
            names, old_names = manifest.capabilities, old.capabilities
            before = sets.setdefault(old_names, frozenset(old_names))
            after = sets.setdefault(names, frozenset(names))
            if before != after:
                pairs.setdefault((before, after), []).append((position, MovedResource(old, manifest)))
    return tuple(_PairGroup(before, after, tuple(group)) for (before, after), group in pairs.items())
