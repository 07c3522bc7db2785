# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What an update from a release to the next turns on because a resource of the cluster moved into a capability.

All manifests here have passed every filter but the one for capabilities.

Source of the rule: openshift/cluster-version-operator:lib/manifest/manifest.go GetImplicitlyEnabledCapabilities.
There, each manifest of the new release is compared with each of the old one. Here they meet by resource id, and
meetings with the same capabilities on both sides are judged together, so that an update is judged in microseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .._release.manifest import Manifest
from .._resources import ResourceId


class MovedResource(NamedTuple):
    """A resource that turns capabilities on: its manifest in the new release, and the one before.

    ``current`` is ``None`` where the resource is on the cluster and not in the outgoing release.
    """

    current: Manifest | None
    target: Manifest


class _ResourceGroup(NamedTuple):
    """Meetings of manifests that need the same: ``before`` in the old release and, other than that, ``after`` it.

    Each comes with its position in the new release.
    """

    before: frozenset[str]
    after: frozenset[str]
    meetings: tuple[tuple[int, MovedResource], ...]


class ImplicitEnablement:
    """Where the manifests of two releases meet, resource by resource."""

    def __init__(self, current: Sequence[Manifest], target: Sequence[Manifest]) -> None:
        self._current = _by_resource(current)
        self._target = target
        self._groups = _groups(self._current, target)
        self._merged: dict[tuple[int, ...], tuple[MovedResource, ...]] = {}

    def implicitly_enabled(self, enabled: frozenset[str]) -> Mapping[str, tuple[MovedResource, ...]]:
        """Return what an update turns on where ``enabled`` is on, each name with its causes in the release's order.

        A manifest that is out because of its capabilities, on a resource that was in before, turns on those of its
        capabilities that the old manifest did not have. A name that nobody knows yet counts as not enabled.
        """
        turned_on: dict[str, list[int]] = {}
        for index, group in enumerate(self._groups):
            if group.before <= enabled and not group.after <= enabled:
                for name in group.after - group.before - enabled:
                    turned_on.setdefault(name, []).append(index)
        return {name: self._merge(tuple(turned_on[name])) for name in sorted(turned_on)}

    def moved(self, selected: frozenset[str], enabled: frozenset[str]) -> Mapping[str, tuple[MovedResource, ...]]:
        """Return, for each name of ``selected``, what is on the cluster and moved into it, out of it or with it."""
        found: dict[str, list[int]] = {}
        for index, group in enumerate(self._groups):
            if group.before <= enabled:
                for name in (group.before | group.after) & selected:
                    found.setdefault(name, []).append(index)
        return {name: self._merge(tuple(found[name])) for name in sorted(found)}

    def enabled_by_presence(
        self, enabled: frozenset[str], present: frozenset[ResourceId]
    ) -> Mapping[str, tuple[MovedResource, ...]]:
        """Return what an update turns on where the resources ``present`` are on the cluster.

        The other algorithm of the design: the new release against the cluster. A manifest that would be out because of
        its capabilities, whose resource is there, turns them on; one that deletes its resource counts like any other.
        Source: openshift/enhancements:enhancements/installer/component-selection.md (upgrades).
        """
        turned_on: dict[str, list[MovedResource]] = {}
        for manifest in self._target:
            if manifest.resource_id in present and not enabled.issuperset(manifest.capabilities):
                cause = MovedResource(self._before(manifest, enabled), manifest)
                for name in set(manifest.capabilities) - enabled:
                    turned_on.setdefault(name, []).append(cause)
        return {name: tuple(turned_on[name]) for name in sorted(turned_on)}

    def _before(self, manifest: Manifest, enabled: frozenset[str]) -> Manifest | None:
        """Return what the resource was in the old release: the manifest that was in, if one was."""
        candidates = self._current.get(manifest.resource_id, ())
        included = (candidate for candidate in candidates if enabled.issuperset(candidate.capabilities))
        return next(iter((*included, *candidates)), None)

    def _merge(self, indexes: tuple[int, ...]) -> tuple[MovedResource, ...]:
        # Kept, because the clusters of a fleet have few distinct answers.
        merged = self._merged.get(indexes)
        if merged is None:
            meetings = sorted(
                (meeting for index in indexes for meeting in self._groups[index].meetings),
                key=lambda meeting: meeting[0],
            )
            merged = self._merged[indexes] = tuple(cause for _position, cause in meetings)
        return merged


def _by_resource(manifests: Iterable[Manifest]) -> Mapping[ResourceId, Sequence[Manifest]]:
    found: dict[ResourceId, list[Manifest]] = {}
    for manifest in manifests:
        found.setdefault(manifest.resource_id, []).append(manifest)
    return found


def _groups(current: Mapping[ResourceId, Sequence[Manifest]], target: Sequence[Manifest]) -> tuple[_ResourceGroup, ...]:
    sets: dict[tuple[str, ...], frozenset[str]] = {}
    meetings: dict[tuple[frozenset[str], frozenset[str]], list[tuple[int, MovedResource]]] = {}
    for position, manifest in enumerate(target):
        for old in current.get(manifest.resource_id, ()):
            names, old_names = manifest.capabilities, old.capabilities
            before = sets.setdefault(old_names, frozenset(old_names))
            after = sets.setdefault(names, frozenset(names))
            if before != after:
                meetings.setdefault((before, after), []).append((position, MovedResource(old, manifest)))
    return tuple(_ResourceGroup(before, after, tuple(found)) for (before, after), found in meetings.items())
