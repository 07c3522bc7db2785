# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What an update changes on a cluster, resource by resource: what comes, what goes, and what is left behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._release.manifest import Manifest
from .._resources import ResourceId

_Needs = tuple[frozenset[str], ...]
"""What each manifest of one resource needs, in the order of the release; the first one that gets it is in."""

_Column = tuple[tuple[int, Manifest], ...]
"""The first manifests of several resources, or the second ones, each with its position in the release."""


class Changes(NamedTuple):
    """Manifests in the order of their release, one for each resource.

    ``added``: applied by the new release and not by the old one. ``removed``: the other way round; nobody deletes
    them, so they stay on the cluster, unmanaged. ``deleted``: the new release deletes them and the old one did not.
    """

    added: tuple[Manifest, ...]
    removed: tuple[Manifest, ...]
    deleted: tuple[Manifest, ...]


class _Side(NamedTuple):
    """Resources in one release that the same question decides: what their manifests need, with the manifests."""

    choices: tuple[tuple[frozenset[str], _Column], ...]

    def chosen(self, met: frozenset[frozenset[str]]) -> _Column | None:
        """Return the manifests that are in, one for each resource; ``None`` where none is."""
        for need, column in self.choices:
            if need in met:
                return column
        return None


class _ResourceChange(NamedTuple):
    """Resources that the same questions decide: by which manifests each release applies or deletes them."""

    before: _Side
    after: _Side
    deleted_before: _Side
    deleted_after: _Side


class ReleaseDiff:
    """The resources of two releases; their manifests have passed every filter but the one for capabilities."""

    def __init__(self, current: Sequence[Manifest], target: Sequence[Manifest]) -> None:
        self._groups = _groups(current, target)
        self._needs = frozenset(need for group in self._groups for side in group for need, _column in side.choices)

    def changes(self, before: frozenset[str] | None, after: frozenset[str] | None) -> Changes:
        """Return what changes where ``before`` was on and ``after`` will be; ``None`` stands for everything."""
        added: list[tuple[int, Manifest]] = []
        removed: list[tuple[int, Manifest]] = []
        deleted: list[tuple[int, Manifest]] = []
        met_before, met_after = self._met(before), self._met(after)
        for group in self._groups:
            was_in, is_in = group.before.chosen(met_before), group.after.chosen(met_after)
            is_deleted = group.deleted_after.chosen(met_after)
            if is_deleted is not None:
                if group.deleted_before.chosen(met_before) is None:
                    deleted += is_deleted
            elif is_in is not None and was_in is None:
                added += is_in
            elif was_in is not None and is_in is None:
                removed += was_in
        return Changes(_in_order(added), _in_order(removed), _in_order(deleted))

    def _met(self, enabled: frozenset[str] | None) -> frozenset[frozenset[str]]:
        # Once for all groups: many resources need the same few combinations.
        return self._needs if enabled is None else frozenset(need for need in self._needs if need <= enabled)


def _in_order(found: list[tuple[int, Manifest]]) -> tuple[Manifest, ...]:
    return tuple(manifest for _position, manifest in sorted(found, key=lambda item: item[0]))


def _groups(current: Sequence[Manifest], target: Sequence[Manifest]) -> tuple[_ResourceChange, ...]:
    old, new = _by_resource(current), _by_resource(target)
    found: dict[tuple[_Needs, ...], list[tuple[list[tuple[int, Manifest]], ...]]] = {}
    for resource in {**old, **new}:
        before, deleted_before = old.get(resource, ([], []))
        after, deleted_after = new.get(resource, ([], []))
        sides = (before, after, deleted_before, deleted_after)
        needs = tuple(_needs(side) for side in sides)
        if needs != _ALWAYS_IN:
            found.setdefault(needs, []).append(sides)
    return tuple(_group(needs, rows) for needs, rows in found.items())


def _group(needs: tuple[_Needs, ...], rows: Sequence[Sequence[Sequence[tuple[int, Manifest]]]]) -> _ResourceChange:
    """Return the group of resources that have ``needs`` on each side; a row is one of them, side by side."""
    sides = zip(needs, zip(*rows, strict=True), strict=True)
    return _ResourceChange(*(_Side(tuple(zip(of_side, _columns(members), strict=True))) for of_side, members in sides))


_ALWAYS_IN: tuple[_Needs, ...] = ((frozenset(),), (frozenset(),), (), ())
"""Of a resource that both releases apply whatever is on."""


def _by_resource(
    manifests: Sequence[Manifest],
) -> dict[ResourceId, tuple[list[tuple[int, Manifest]], list[tuple[int, Manifest]]]]:
    """Return, for each resource, the manifests that apply it and those that delete it."""
    found: dict[ResourceId, tuple[list[tuple[int, Manifest]], list[tuple[int, Manifest]]]] = {}
    for position, manifest in enumerate(manifests):
        found.setdefault(manifest.resource_id, ([], []))[manifest.deletes].append((position, manifest))
    return found


def _needs(found: Sequence[tuple[int, Manifest]]) -> _Needs:
    return tuple(frozenset(manifest.capabilities) for _position, manifest in found)


def _columns(members: Sequence[Sequence[tuple[int, Manifest]]]) -> tuple[_Column, ...]:
    return tuple(zip(*members, strict=True))
