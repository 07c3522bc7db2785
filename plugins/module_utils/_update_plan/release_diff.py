# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an update changes on a cluster, resource by resource: added, no longer applied, deleted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from .._release.manifest import Manifest
from .._resources import ResourceId

_Placed = list[tuple[int, Manifest]]
"""Manifests, each with its position in the release."""

_Needs = tuple[tuple[frozenset[str], bool], ...]
"""Of each manifest of a resource: the capabilities that it needs, and whether it deletes the resource."""


class Changes(NamedTuple):
    """Manifests in the order of their release, one for each resource.

    ``added``: only the new release applies them. ``removed``: only the old release applies them, so they stay on the
    cluster and are no longer managed. ``deleted``: the new release deletes them and the old one did not.
    """

    added: tuple[Manifest, ...]
    removed: tuple[Manifest, ...]
    deleted: tuple[Manifest, ...]


class ReleaseDiff:
    """Compares the loaded manifests of two releases. Resources that need the same capabilities change together."""

    def __init__(self, old: Iterable[Manifest], new: Iterable[Manifest]) -> None:
        resources: dict[ResourceId, tuple[_Placed, _Placed]] = defaultdict(lambda: ([], []))
        for side, manifests in enumerate((old, new)):
            for position, manifest in enumerate(manifests):
                resources[manifest.object_id][side].append((position, manifest))
        self._groups: dict[tuple[_Needs, _Needs], list[tuple[_Placed, _Placed]]] = defaultdict(list)
        for before, after in resources.values():
            self._groups[_needs(before), _needs(after)].append((before, after))

    def changes(self, before: frozenset[str], after: frozenset[str]) -> Changes:
        """Return what changes. Manifests may require the names ``before`` in the old release, ``after`` in the new."""
        added: _Placed = []
        removed: _Placed = []
        deleted: _Placed = []
        for (old_needs, new_needs), resources in self._groups.items():
            was_applied, was_deleted = _first_included(old_needs, before)
            is_applied, is_deleted = _first_included(new_needs, after)
            if is_deleted is not None:
                if was_deleted is None:
                    deleted += (new[is_deleted] for _old, new in resources)
            elif is_applied is not None and was_applied is None:
                added += (new[is_applied] for _old, new in resources)
            elif is_applied is None and was_applied is not None:
                removed += (old[was_applied] for old, _new in resources)
        return Changes(*(tuple(manifest for _position, manifest in sorted(side)) for side in (added, removed, deleted)))


def _needs(manifests: _Placed) -> _Needs:
    return tuple((frozenset(manifest.capabilities), manifest.deletes) for _position, manifest in manifests)


def _first_included(needs: _Needs, enabled: frozenset[str]) -> tuple[int | None, int | None]:
    """Return the indexes of the first included manifest that applies the resource, and of the first that deletes it."""
    found: dict[bool, int] = {}
    for index, (names, deletes) in enumerate(needs):
        if names <= enabled:
            found.setdefault(deletes, index)
    return found.get(False), found.get(True)
