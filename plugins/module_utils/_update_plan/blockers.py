# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Why a cluster refuses an update, as far as its own settings say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .._capability.inclusion import Override
from .._data import capabilities as capability_data
from .._data import feature_sets
from .path import is_upgrade
from .resolved_release import ResolvedRelease


class Blocker(NamedTuple):
    """Why a cluster refuses an update: ``reason`` is the condition's or fact's name, ``hint`` what to do about it."""

    reason: str
    message: str
    hint: str


def blockers(start: ResolvedRelease, end: ResolvedRelease) -> Iterator[Blocker]:
    """Yield why any cluster like this refuses to go from ``start`` to ``end``.

    Source: openshift/cluster-version-operator:pkg/payload/precondition/clusterversion/upgradeable.go (a version that
    is not later passes there) and rollback.go.
    """
    if is_upgrade(start.release, end.release):
        yield from _of_feature_set(start, end)
    elif is_upgrade(end.release, start.release):
        message = f"the cluster refuses to go back from {start.release.shown_version}"
        hint = "Install a cluster of that version; only the previous patch of the same minor may be gone back to"
        yield Blocker("LowDesiredVersion", message, hint)


def _of_feature_set(start: ResolvedRelease, end: ResolvedRelease) -> Iterator[Blocker]:
    feature_set = feature_sets.feature_set(start.facts.feature_set or "")
    if start.minor == end.minor or feature_set is None or not feature_set.blocks_updates:
        return
    message = f"feature set {feature_set.name} blocks updates to another minor"
    hint = "Set the default feature set first"
    if feature_set.permanent:
        message += ", and a cluster can never leave it"
        hint = "Install a cluster of the new minor in its place"
    yield Blocker("FeatureSet", message, hint)


def override_blockers(
    start: ResolvedRelease, end: ResolvedRelease, overrides: tuple[Override, ...]
) -> Iterator[Blocker]:
    """Yield why a cluster with ``overrides`` refuses to go on from ``start`` to ``end``, a later version."""
    unmanaged = [override for override in overrides if override.unmanaged]
    patches_too = start.minor < capability_data.OVERRIDES_ADMIT_PATCHES.since
    if unmanaged and (patches_too or start.minor != end.minor):
        named = ", ".join(f"{item.kind} {item.namespace}/{item.name}".replace(" /", " ") for item in unmanaged)
        what = "every update" if patches_too else "updates to another minor"
        message = f"spec.overrides block {what}: {named}"
        yield Blocker("ClusterVersionOverridesSet", message, "Remove these overrides before the update")
