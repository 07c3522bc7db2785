# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Capabilities that an update enables because a resource of the cluster moved into them.

All manifests here have passed every filter except the one for capabilities.

Source of the rule: openshift/cluster-version-operator:lib/manifest/manifest.go GetImplicitlyEnabledCapabilities.
The CVO compares each manifest of the new release with each of the old one. Here they are paired by resource first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .._release.manifest import Manifest
from .._resources import ResourceId


class MovedResource(NamedTuple):
    """A resource whose manifests require different capabilities in the new release and in the outgoing one.

    ``current`` is ``None`` if the resource is on the cluster, but not in the outgoing release.
    """

    current: Manifest | None
    target: Manifest


class ImplicitEnablement:
    """Compares the manifests of two releases, resource by resource."""

    def __init__(self, current: Sequence[Manifest], target: Sequence[Manifest]) -> None:
        self._current: dict[ResourceId, list[Manifest]] = {}
        for manifest in current:
            self._current.setdefault(manifest.resource_id, []).append(manifest)
        self._target = target
        self._moves = tuple(_moves(self._current, target))

    def implicitly_enabled(self, enabled: frozenset[str]) -> Mapping[str, tuple[MovedResource, ...]]:
        """The names that an update enables in a cluster with ``enabled``, each with its causes in release order.

        If capabilities exclude the new manifest of a resource that was included before, the update enables those that
        the old manifest did not require. Names that the cluster does not know count as disabled.
        """
        newly_enabled: dict[str, list[MovedResource]] = {}
        for before, after, resource in self._moves:
            if before <= enabled and not after <= enabled:
                for name in after - before - enabled:
                    newly_enabled.setdefault(name, []).append(resource)
        return _sorted(newly_enabled)

    def moved(self, selected: frozenset[str], enabled: frozenset[str]) -> Mapping[str, tuple[MovedResource, ...]]:
        """For each name of ``selected``, the resources on the cluster whose move affects it."""
        affected: dict[str, list[MovedResource]] = {}
        for before, after, resource in self._moves:
            if before <= enabled:
                for name in (before | after) & selected:
                    affected.setdefault(name, []).append(resource)
        return _sorted(affected)

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
        return _sorted(newly_enabled)

    def _before(self, manifest: Manifest, enabled: frozenset[str]) -> Manifest | None:
        """The resource's manifest in the old release, preferably an included one."""
        candidates = self._current.get(manifest.resource_id, ())
        included = (candidate for candidate in candidates if enabled.issuperset(candidate.capabilities))
        return next(iter((*included, *candidates)), None)


def _moves(
    current: Mapping[ResourceId, Sequence[Manifest]], target: Sequence[Manifest]
) -> Iterator[tuple[frozenset[str], frozenset[str], MovedResource]]:
    """Yield what each moved resource requires before and after, in the order of ``target``."""
    for manifest in target:
        for old in current.get(manifest.resource_id, ()):
            before, after = frozenset(old.capabilities), frozenset(manifest.capabilities)
            if before != after:
                yield before, after, MovedResource(old, manifest)


def _sorted(causes: Mapping[str, Sequence[MovedResource]]) -> dict[str, tuple[MovedResource, ...]]:
    return {name: tuple(causes[name]) for name in sorted(causes)}
