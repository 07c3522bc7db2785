# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What an update changes on a cluster, resource by resource: what comes, what goes, and what is left behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .manifest import Manifest, ResourceId

_Needs = frozenset[frozenset[str]]
"""What each manifest of one resource needs; the resource is in where one of them gets it."""


class Changes(NamedTuple):
    """Manifests in the order of their release, one for each resource.

    ``added``: applied by the new release and not by the old one. ``removed``: the other way round; nobody deletes
    them, so they stay on the cluster, unmanaged. ``deleted``: the new release deletes them and the old one did not.
    """

    added: tuple[Manifest, ...]
    removed: tuple[Manifest, ...]
    deleted: tuple[Manifest, ...]


class _Group(NamedTuple):
    """Resources that the same question decides, each with its position and the manifest that stands for it."""

    before: _Needs
    after: _Needs
    deleted_before: _Needs
    deleted_after: _Needs
    current: tuple[tuple[int, Manifest], ...]
    target: tuple[tuple[int, Manifest], ...]


class Comparison:
    """The resources of two releases; their manifests have passed every filter but the one for capabilities."""

    def __init__(self, current: Sequence[Manifest], target: Sequence[Manifest]) -> None:
        self._groups = _groups(current, target)
        self._needs = frozenset[frozenset[str]]().union(*(needs for group in self._groups for needs in group[:4]))

    def changes(self, before: frozenset[str] | None, after: frozenset[str] | None) -> Changes:
        """Return what changes where ``before`` was on and ``after`` will be; ``None`` stands for everything."""
        added: list[tuple[int, Manifest]] = []
        removed: list[tuple[int, Manifest]] = []
        deleted: list[tuple[int, Manifest]] = []
        met_before, met_after = self._met(before), self._met(after)
        for group in self._groups:
            was_in, is_in = not met_before.isdisjoint(group.before), not met_after.isdisjoint(group.after)
            if not met_after.isdisjoint(group.deleted_after):
                if met_before.isdisjoint(group.deleted_before):
                    deleted += group.target
            elif is_in and not was_in:
                added += group.target
            elif was_in and not is_in:
                removed += group.current
        return Changes(_in_order(added), _in_order(removed), _in_order(deleted))

    def _met(self, enabled: frozenset[str] | None) -> _Needs:
        # Once for all groups: many resources need the same few combinations.
        return self._needs if enabled is None else frozenset(need for need in self._needs if need <= enabled)


def _in_order(found: list[tuple[int, Manifest]]) -> tuple[Manifest, ...]:
    return tuple(manifest for _position, manifest in sorted(found, key=lambda item: item[0]))


def _groups(current: Sequence[Manifest], target: Sequence[Manifest]) -> tuple[_Group, ...]:
    old, new = _by_resource(current), _by_resource(target)
    sides: dict[
        tuple[_Needs, _Needs, _Needs, _Needs], tuple[list[tuple[int, Manifest]], list[tuple[int, Manifest]]]
    ] = {}
    for resource in {**old, **new}:
        before, deleted_before = _needs(old.get(resource, ()))
        after, deleted_after = _needs(new.get(resource, ()))
        if before == after and not deleted_before and not deleted_after and before == {frozenset()}:
            continue  # in both, whatever is on
        from_side, to_side = sides.setdefault((before, after, deleted_before, deleted_after), ([], []))
        from_side += list(old.get(resource, ()))[:1]
        to_side += list(new.get(resource, ()))[:1]
    return tuple(_Group(*key, tuple(from_side), tuple(to_side)) for key, (from_side, to_side) in sides.items())


def _by_resource(manifests: Sequence[Manifest]) -> dict[ResourceId, list[tuple[int, Manifest]]]:
    found: dict[ResourceId, list[tuple[int, Manifest]]] = {}
    for item in enumerate(manifests):
        found.setdefault(item[1].resource_id, []).append(item)
    return found


def _needs(found: Iterable[tuple[int, Manifest]]) -> tuple[_Needs, _Needs]:
    """Return what the manifests of a resource need: those that apply it, and those that delete it."""
    applying: set[frozenset[str]] = set()
    deleting: set[frozenset[str]] = set()
    for _position, manifest in found:
        (deleting if manifest.deletes else applying).add(frozenset(manifest.capabilities))
    return frozenset(applying), frozenset(deleting)
