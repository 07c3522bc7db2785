# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Why a cluster refuses an update because of the two versions, its settings, or the gates of its release."""

from __future__ import annotations

from collections.abc import Iterator

from .._capability.inclusion import Override
from .._capability.resolved_release import ResolvedRelease
from .._cluster.admin_acks import ADMIN_GATES, AdminGate, gates_in
from .._data import capabilities as capability_data
from .._data import feature_sets
from .path import is_upgrade
from .update_reasons import OVERRIDES_SET, UpdateReason


def is_minor_update(start: ResolvedRelease, end: ResolvedRelease) -> bool:
    """Whether ``end`` is a later version, of another minor."""
    return start.minor != end.minor and is_upgrade(start.release, end.release)


def blockers(start: ResolvedRelease, end: ResolvedRelease, previous: str | None) -> Iterator[UpdateReason]:
    """Yield why a cluster refuses to update from ``start`` to ``end`` because of their versions and its feature set.

    ``previous``: the version before the current one, empty if there is none, and ``None`` if that is not known.
    Source: openshift/cluster-version-operator:pkg/payload/precondition/clusterversion, upgradeable.go (which accepts a
    version that is not later), rollback.go and gianthop.go. The CVO of a hosted cluster never loads another release.
    HyperShift compares only the minor versions, see openshift/hypershift:support/supportedversion IsValidReleaseVersion
    and openshift/hypershift#2381.
    """
    if is_upgrade(start.release, end.release):
        yield from _skipped_minor_reasons(start, end)
        yield from _feature_set_reasons(start, end)
    elif is_upgrade(end.release, start.release):
        yield from downgrade_reasons(start.release.shown_version, start, end, previous)


def downgrade_reasons(
    current: str, start: ResolvedRelease, end: ResolvedRelease, previous: str | None
) -> Iterator[UpdateReason]:
    """Yield why a cluster that runs ``current``, of the minor of ``start``, refuses to go back to ``end``."""
    target = end.release.shown_version
    source = f"the versions {current} and {target}"
    hint = f"Stay on {current}, or install a cluster of {target}"
    message = f"the cluster refuses a downgrade from {current}"
    if start.hosted and start.minor == end.minor:
        message = f"HyperShift does not refuse {target}, although it is older than {current}"
        hint = "Stay on the later patch"
        yield UpdateReason("risk", "downgrade", "LowDesiredVersion", message, source, hint, "downgrade")
    elif start.minor != end.minor or start.minor < capability_data.ROLLBACKS_TO_PREVIOUS_PATCH.since:
        yield UpdateReason("blocked", "downgrade", "LowDesiredVersion", message, source, hint)
    elif previous is None:
        message = f"the cluster refuses a downgrade from {current}, unless {target} is its previous version"
        hint = "Set cluster_version with its status, whose history contains the previous version"
        yield UpdateReason("risk", "unknown-history", "LowDesiredVersion", message, source, hint, "unknown-history")
    elif previous != target:
        message += f", except to its previous version, {previous or 'which it does not have'}"
        place = "ClusterVersion version: status.history"
        yield UpdateReason("blocked", "downgrade", "LowDesiredVersion", message, place, hint)


def _skipped_minor_reasons(start: ResolvedRelease, end: ResolvedRelease) -> Iterator[UpdateReason]:
    old, new = start.minor, end.minor
    source = f"the versions {start.release.shown_version} and {end.release.shown_version}"
    if old.major == new.major:
        reason, refused = "MultipleMinorVersionsUpdate", new.minor > old.minor + 1
    else:
        accepts_first = start.minor >= capability_data.FIRST_OF_NEXT_MAJOR_ACCEPTED.since
        accepted = accepts_first and (new.major, new.minor) == (old.major + 1, 0)
        reason, refused = "MajorVersionUpdate", not accepted
    hint = "Add a release of each skipped minor"
    if refused and not start.hosted and start.minor >= capability_data.SKIPPED_MINORS_REFUSED.since:
        message = f"the cluster refuses an update from {old} to {new}"
        yield UpdateReason("blocked", "skipped-minor", reason, message, source, hint)
    elif refused:
        message = f"an update from {old} to {new} skips a minor version, which OpenShift does not support"
        yield UpdateReason("risk", "skipped-minor", reason, message, source, hint, "skipped-minor")


def _feature_set_reasons(start: ResolvedRelease, end: ResolvedRelease) -> Iterator[UpdateReason]:
    feature_set = feature_sets.feature_set(start.context.feature_set or "")
    if start.minor == end.minor or feature_set is None or not feature_set.blocks_updates:
        return
    message = f"feature set {feature_set.name} blocks updates to another minor version"
    hint = "Set the default feature set before the update"
    if feature_set.permanent:
        message += ", and is permanent"
        hint = "Replace it with a new cluster of the new minor version"
    yield UpdateReason("blocked", "feature-set", "FeatureSet", message, f"feature set {feature_set.name}", hint)


def override_blockers(
    start: ResolvedRelease, end: ResolvedRelease, overrides: tuple[Override, ...]
) -> Iterator[UpdateReason]:
    """Yield why a cluster with ``overrides`` refuses to update from ``start`` to ``end``, or to roll back."""
    unmanaged = [override for override in overrides if override.unmanaged]
    blocks_patches = not start.hosted and start.minor < capability_data.OVERRIDES_ADMIT_PATCHES.since
    if unmanaged and (blocks_patches or is_minor_update(start, end)):
        named = ", ".join(f"{item.kind} {item.namespace}/{item.name}".replace(" /", " ") for item in unmanaged)
        updates = "every update" if blocks_patches else "updates to another minor version"
        message = f"spec.overrides block {updates}: {named}"
        hint = "Remove these overrides before the update"
        yield UpdateReason("blocked", "overrides", OVERRIDES_SET, message, "spec.overrides", hint)


def release_gates(start: ResolvedRelease) -> tuple[AdminGate, ...]:
    """Return the gates in the ConfigMap ``admin-gates`` of a release that its CVO loads."""
    source = f"ConfigMap {ADMIN_GATES.namespace}/{ADMIN_GATES.name} of {start.release.shown_version}"
    found = gates_in(start.release, start.loaded)
    return tuple(gate._replace(source=f"{source} ({gate.source})") for gate in found)
