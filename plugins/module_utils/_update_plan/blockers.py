# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The settings of a cluster that make it refuse an update."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .._capability.inclusion import Override
from .._capability.resolved_release import ResolvedRelease
from .._data import capabilities as capability_data
from .._data import feature_sets
from .path import is_upgrade


class Blocker(NamedTuple):
    """Why a cluster refuses an update. ``reason``: the name of the condition or setting. ``hint``: what to do."""

    reason: str
    message: str
    hint: str


def blockers(start: ResolvedRelease, end: ResolvedRelease) -> Iterator[Blocker]:
    """Yield why every cluster with these criteria refuses to update from ``start`` to ``end``.

    Source: openshift/cluster-version-operator:pkg/payload/precondition/clusterversion/upgradeable.go (which accepts a
    version that is not later) and rollback.go.
    """
    if is_upgrade(start.release, end.release):
        yield from _of_feature_set(start, end)
    elif is_upgrade(end.release, start.release):
        message = f"the cluster refuses a downgrade from {start.release.shown_version}"
        hint = "Install a cluster of that version; only a rollback to the previous patch of the same minor is possible"
        yield Blocker("LowDesiredVersion", message, hint)


def _of_feature_set(start: ResolvedRelease, end: ResolvedRelease) -> Iterator[Blocker]:
    feature_set = feature_sets.feature_set(start.context.feature_set or "")
    if start.minor == end.minor or feature_set is None or not feature_set.blocks_updates:
        return
    message = f"feature set {feature_set.name} blocks updates to another minor version"
    hint = "Set the default feature set before the update"
    if feature_set.permanent:
        message += ", and is permanent"
        hint = "Replace it with a new cluster of the new minor version"
    yield Blocker("FeatureSet", message, hint)


def override_blockers(
    start: ResolvedRelease, end: ResolvedRelease, overrides: tuple[Override, ...]
) -> Iterator[Blocker]:
    """Yield why a cluster with ``overrides`` refuses to update from ``start`` to ``end``, a later version."""
    unmanaged = [override for override in overrides if override.unmanaged]
    blocks_patches = start.minor < capability_data.OVERRIDES_ADMIT_PATCHES.since
    if unmanaged and (blocks_patches or start.minor != end.minor):
        named = ", ".join(f"{item.kind} {item.namespace}/{item.name}".replace(" /", " ") for item in unmanaged)
        updates = "every update" if blocks_patches else "updates to another minor version"
        message = f"spec.overrides block {updates}: {named}"
        yield Blocker("ClusterVersionOverridesSet", message, "Remove these overrides before the update")
