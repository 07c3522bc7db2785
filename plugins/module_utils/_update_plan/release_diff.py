# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What an update changes on a cluster, resource by resource: added, no longer applied, deleted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._release.manifest import Manifest
from .._resources import ResourceId

_Needs = tuple[frozenset[str], ...]
"""Capabilities that each manifest of one resource needs, in release order; the first with its needs met is included."""

_Column = tuple[tuple[int, Manifest], ...]
"""The n-th manifests of several resources, each with its position in the release."""


class Changes(NamedTuple):
    """Manifests in the order of their release, one for each resource.

    ``added``: only the new release applies them. ``removed``: only the old release applies them, so they stay on the
    cluster and are no longer managed. ``deleted``: the new release deletes them and the old one did not.
    """

    added: tuple[Manifest, ...]
    removed: tuple[Manifest, ...]
    deleted: tuple[Manifest, ...]


class _Side(NamedTuple):
    """Resources in one release whose manifests have the same needs: these needs, with the manifests."""

    choices: tuple[tuple[frozenset[str], _Column], ...]

    def chosen(self, met: frozenset[frozenset[str]]) -> _Column | None:
        """Return the included manifests, one for each resource; ``None`` if none is included."""
        for need, column in self.choices:
            if need in met:
                return column
        return None


class _ResourceChange(NamedTuple):
    """Resources with the same needs in both releases: the manifests by which each release applies or deletes them."""

    before: _Side
    after: _Side
    deleted_before: _Side
    deleted_after: _Side


class ReleaseDiff:
    """The resources of two releases, whose manifests passed every filter except the one for capabilities."""

    def __init__(self, current: Sequence[Manifest], target: Sequence[Manifest]) -> None:
        self._groups = _groups(current, target)
        self._needs = frozenset(need for group in self._groups for side in group for need, _column in side.choices)

    def changes(self, before: frozenset[str] | None, after: frozenset[str] | None) -> Changes:
        """Return what changes between the enabled names ``before`` and ``after``; ``None`` means all names."""
        added: list[tuple[int, Manifest]] = []
        removed: list[tuple[int, Manifest]] = []
        deleted: list[tuple[int, Manifest]] = []
        met_before, met_after = self._met(before), self._met(after)
        for group in self._groups:
            included_before, included = group.before.chosen(met_before), group.after.chosen(met_after)
            to_delete = group.deleted_after.chosen(met_after)
            if to_delete is not None:
                if group.deleted_before.chosen(met_before) is None:
                    deleted += to_delete
            elif included is not None and included_before is None:
                added += included
            elif included_before is not None and included is None:
                removed += included_before
        return Changes(_in_order(added), _in_order(removed), _in_order(deleted))

    def _met(self, enabled: frozenset[str] | None) -> frozenset[frozenset[str]]:
        # Computed once for all groups, because many resources need the same few combinations.
        return self._needs if enabled is None else frozenset(need for need in self._needs if need <= enabled)


def _in_order(manifests: list[tuple[int, Manifest]]) -> tuple[Manifest, ...]:
    return tuple(manifest for _position, manifest in sorted(manifests, key=lambda item: item[0]))


def _groups(current: Sequence[Manifest], target: Sequence[Manifest]) -> tuple[_ResourceChange, ...]:
    old, new = _by_resource(current), _by_resource(target)
    rows: dict[tuple[_Needs, ...], list[tuple[list[tuple[int, Manifest]], ...]]] = {}
    for resource in {**old, **new}:
        before, deleted_before = old.get(resource, ([], []))
        after, deleted_after = new.get(resource, ([], []))
        sides = (before, after, deleted_before, deleted_after)
        needs = tuple(_needs(side) for side in sides)
        if needs != _ALWAYS_IN:
            rows.setdefault(needs, []).append(sides)
    return tuple(_group(needs, members) for needs, members in rows.items())


def _group(needs: tuple[_Needs, ...], rows: Sequence[Sequence[Sequence[tuple[int, Manifest]]]]) -> _ResourceChange:
    """Return the group of resources that have ``needs`` on each side; each row is one resource."""
    sides = zip(needs, zip(*rows, strict=True), strict=True)
    return _ResourceChange(*(_Side(tuple(zip(need, _columns(members), strict=True))) for need, members in sides))


_ALWAYS_IN: tuple[_Needs, ...] = ((frozenset(),), (frozenset(),), (), ())
"""The needs of a resource that both releases always apply."""


def _by_resource(
    manifests: Sequence[Manifest],
) -> dict[ResourceId, tuple[list[tuple[int, Manifest]], list[tuple[int, Manifest]]]]:
    """Return the manifests that apply each resource, and those that delete it."""
    resources: dict[ResourceId, tuple[list[tuple[int, Manifest]], list[tuple[int, Manifest]]]] = {}
    for position, manifest in enumerate(manifests):
        resources.setdefault(manifest.resource_id, ([], []))[manifest.deletes].append((position, manifest))
    return resources


def _needs(manifests: Sequence[tuple[int, Manifest]]) -> _Needs:
    return tuple(frozenset(manifest.capabilities) for _position, manifest in manifests)


def _columns(members: Sequence[Sequence[tuple[int, Manifest]]]) -> tuple[_Column, ...]:
    return tuple(zip(*members, strict=True))
