# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The path of a cluster: releases in the order in which it runs them, starting with the current one.

Versions, feature sets and overrides can make a cluster refuse a hop of the path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .._capability.cluster_options import InclusionCriteria
from .._capability.inclusion import Override
from .._capability.release_properties import resolve_feature_set
from .._capability.resolved_release import ResolvedRelease, resolve_release
from .._cluster.admin_acks import ADMIN_GATES, AdminGate, gates_in
from .._data import capabilities as capability_data
from .._data import feature_sets
from .._data.hosted_clusters import is_same_minor, skips_minor
from .._data.version import precedence
from .._problems import Location, Problem, Problems
from .._release.release import Release
from .update_reasons import OVERRIDES_SET, UpdateReason


def is_upgrade(current: Release, target: Release) -> bool:
    """Whether ``target`` is a later version than ``current``."""
    return precedence(target.shown_version) > precedence(current.shown_version)


def check_path(releases: Sequence[Release], where: str, problems: Problems, *, allow_downgrade: bool) -> None:
    """Report the errors and warnings of a path."""
    if len(releases) < 2:
        message = f"names {len(releases) or 'no'} release{'' if len(releases) == 1 else 's'}, expected two or more"
        hint = "List the release that the cluster runs, then the releases that it updates to"
        problems.error("path-too-short", where, message, hint)
        return
    for index, (current, target) in enumerate(pairwise(releases), 1):
        # A missing version is reported when the release is resolved.
        if current.minor is not None and target.minor is not None:
            _check_hop(current, target, f"{where}[{index}]", problems, allow_downgrade=allow_downgrade)
    for index, release in enumerate(releases[:-1]):
        if release.minor is not None and not capability_data.has_capabilities(release.minor):
            first = min(capability_data.BRANCHES)
            message = f"{release.shown_version} has no capabilities, expected {first} or later"
            hint = "Remove it; only the last release of a path can be without capabilities"
            problems.error("unsupported-version", f"{where}[{index}]", message, hint)


def _check_hop(current: Release, target: Release, where: str, problems: Problems, *, allow_downgrade: bool) -> None:
    old, new = current.shown_version, target.shown_version
    hop = f"{old} to {new}"  # in a fleet, an index does not say of which path
    if is_upgrade(current, target):
        _check_skipped(current, target, hop, problems)
        return
    same = precedence(old) == precedence(new)
    message = f"{new} is the same version as the previous release" if same else f"{new} is older than {old}"
    if not allow_downgrade:
        correction = "Remove one of the two" if same else "List the releases in the order of the updates"
        problems.error("unexpected-downgrade", where, message, f"{correction}, or set allow_downgrade")
    elif not same:
        message += f": resources that only {old} has stay on the cluster"
        hint = "Roll back only to the previous version of the cluster, which is in the history of its ClusterVersion"
        if current.minor != target.minor:
            message += f". If its status contains a capability that {new} does not know, the API server rejects every"
            message += " write to the ClusterVersion"
            hint = "Plan to clean up by hand; OpenShift does not support downgrades"
        problems.warning("downgrade", hop, message, hint)


def _check_skipped(current: Release, target: Release, where: str, problems: Problems) -> None:
    old, new = current.minor, target.minor
    if old is None or new is None:
        return
    if old.major == new.major:
        skips = new.minor - old.minor > 1
    else:
        # The last minors of a major version are released together with the first minors of the next one.
        skips = sum(1 for minor in capability_data.BRANCHES if old < minor < new) > 1
    if skips:
        message = f"skips minors between {old} and {new}; a cluster updates to each of them, which can enable more"
        problems.warning("skipped-minor", where, message, "Plan the update to each skipped minor first")


def resolve_on_path(criteria: InclusionCriteria, release: Release, problems: Problems) -> ResolvedRelease | None:
    """Resolve a release of a path; ``None`` if its version is missing or not known.

    A release without capabilities is possible.
    """
    own = Problems()
    resolved = resolve_release(criteria, release, own)
    feature_set = criteria.filters.feature_set or ""
    if feature_sets.feature_set(feature_set) is not None:  # an unknown one is reported once, not per release
        resolve_feature_set(feature_set, release.minor, own)
    problems += (_located_in_release(item, release) for item in own if item.code != "unsupported-version")
    return resolved


def _located_in_release(problem: Problem, release: Release) -> Problem:
    if problem.code == "missing-version":
        hint = "Extract the release with its release-metadata, or write {release: PATH, openshift_version: X.Y.Z}"
        return problem._replace(where=Location(release.path, field="version"), hint=hint)
    if problem.code == "unknown-version" and problem.severity == "error":
        hint = "Use a release with its ClusterVersion CRD, or update the collection"
        return problem._replace(where=Location(release.path), hint=hint)
    return problem._replace(where=problem.where.within(release.shown_version))


def is_minor_update(start: ResolvedRelease, end: ResolvedRelease) -> bool:
    """Whether ``end`` is a later version, of another minor."""
    return start.minor != end.minor and is_upgrade(start.release, end.release)


def blockers(
    current: str, start: ResolvedRelease, end: ResolvedRelease, previous: str | None
) -> Iterator[UpdateReason]:
    """Yield why a cluster refuses to update from ``start`` to ``end`` because of their versions and its feature set.

    ``current``: the version that it runs, of the minor of ``start``. ``previous``: the one before it, empty if there is
    none, and ``None`` if that is not known.
    Source: openshift/cluster-version-operator:pkg/payload/precondition/clusterversion, upgradeable.go (which accepts a
    version that is not later), rollback.go and gianthop.go. The CVO of a hosted cluster never loads another release.
    HyperShift compares only the minor versions, see openshift/hypershift:support/supportedversion IsValidReleaseVersion
    and openshift/hypershift#2381.
    """
    change = precedence(end.release.shown_version), precedence(current)
    if change[0] > change[1]:
        yield from _skipped_minor_reasons(start, end)
        yield from _feature_set_reasons(start, end)
    elif change[0] < change[1]:
        yield from _downgrade_reasons(current, start, end, previous)


def _downgrade_reasons(
    current: str, start: ResolvedRelease, end: ResolvedRelease, previous: str | None
) -> Iterator[UpdateReason]:
    """Yield why a cluster that runs ``current``, of the minor of ``start``, refuses to go back to ``end``."""
    target = end.release.shown_version
    source = f"the versions {current} and {target}"
    hint = f"Stay on {current}, or install a cluster of {target}"
    message = f"the cluster refuses a downgrade from {current}"
    if start.hosted and is_same_minor(start.minor, end.minor):
        message = f"HyperShift does not refuse {target}, although it is older than {current}"
        hint = "Stay on the later version"
        yield UpdateReason("risk", "downgrade", "LowDesiredVersion", message, source, hint, "downgrade")
    elif start.minor < capability_data.DOWNGRADES_REFUSED.since and not start.hosted:
        message = f"{start.minor} does not refuse a downgrade, and OpenShift does not support it"
        yield UpdateReason("risk", "downgrade", "LowDesiredVersion", message, source, hint, "downgrade")
    elif start.minor != end.minor:
        yield UpdateReason("blocked", "downgrade", "LowDesiredVersion", message, source, hint)
    elif previous is None:
        message = f"the cluster refuses a downgrade from {current}, unless {target} is its previous version"
        hint = "Plan from the ClusterVersion, with the history in its status"
        yield UpdateReason("risk", "unknown-history", "LowDesiredVersion", message, source, hint, "unknown-history")
    elif previous != target:
        message += f", except to its previous version, {previous}" if previous else ", and has no previous version"
        place = "ClusterVersion version: status.history"
        yield UpdateReason("blocked", "downgrade", "LowDesiredVersion", message, place, hint)
    elif start.minor in capability_data.ALL_DOWNGRADES_REFUSED_BY_SOME_PATCHES:
        message = f"some patches of {start.minor} refuse each downgrade, also to the previous version"
        yield UpdateReason("risk", "downgrade", "LowDesiredVersion", message, source, hint, "downgrade")


def _skipped_minor_reasons(start: ResolvedRelease, end: ResolvedRelease) -> Iterator[UpdateReason]:
    old, new = start.minor, end.minor
    source = f"the versions {start.release.shown_version} and {end.release.shown_version}"
    if old.major == new.major or start.hosted:
        skips = skips_minor(old, new) if start.hosted else new.minor > old.minor + 1
        reason, refused = "MultipleMinorVersionsUpdate", skips
    else:
        accepts_first = start.minor >= capability_data.FIRST_OF_NEXT_MAJOR_ACCEPTED.since
        accepted = accepts_first and (new.major, new.minor) == (old.major + 1, 0)
        reason, refused = "MajorVersionUpdate", not accepted
    hint = "Plan the update to each skipped minor first"
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
    source = f"feature set {feature_set.name}"
    hint = "Replace it with a new cluster of the new minor version"
    if start.hosted:  # It has no ClusterOperator config-operator, which reports the feature set elsewhere.
        message = f"{source} supports no updates to another minor version, although HyperShift does not refuse them"
        yield UpdateReason("risk", "feature-set", "FeatureSet", message, source, hint, "feature-set")
    else:
        message = f"{source} blocks updates to another minor version, and is permanent"
        yield UpdateReason("blocked", "feature-set", "FeatureSet", message, source, hint)


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
