# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The path of a cluster: releases in the order in which it runs them, starting with the current one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .._capability.cluster_options import InclusionCriteria
from .._capability.release_properties import resolve_feature_set
from .._capability.resolved_release import ResolvedRelease, resolve_release
from .._data import capabilities as capability_data
from .._data import feature_sets
from .._problems import Location, Problem, Problems
from .._release.release import Release
from .._version import precedence


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
    if is_upgrade(current, target):
        _check_skipped(current, target, where, problems)
        return
    old, new = current.shown_version, target.shown_version
    same = precedence(old) == precedence(new)
    message = f"{new} is the same version as the previous release" if same else f"{new} is older than {old}"
    if not allow_downgrade:
        hint = (
            "Remove one of the two, or set allow_downgrade"
            if same
            else "List the releases in the order of the updates, current one first, or set allow_downgrade"
        )
        problems.error("unexpected-downgrade", where, message, hint)
    elif not same and current.minor == target.minor:
        message += f": resources that only {old} has stay on the cluster"
        hint = "Roll back only to the previous version of the cluster, which is in the history of its ClusterVersion"
        problems.warning("downgrade", where, message, hint)
    elif not same:
        message += (
            f": resources that only {old} has stay on the cluster. If its status contains a capability that {new} does "
            "not know, the API server rejects every write to the ClusterVersion"
        )
        hint = "Plan to clean up by hand; OpenShift does not support downgrades"
        problems.warning("downgrade", where, message, hint)


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
        problems.warning("skipped-minor", where, message, "Add a release of each skipped minor")


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
        return problem._replace(where=Location(release.path), hint=hint)
    if problem.code == "unknown-version" and problem.severity == "error":
        return problem._replace(
            where=Location(release.path), hint="Use a release with its ClusterVersion CRD, or update the collection"
        )
    return problem._replace(where=problem.where.within(release.shown_version))
