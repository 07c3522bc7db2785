# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The path of a cluster: releases in the order in which it runs them, current first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .._data import capabilities as capability_data
from .._problems import Problem, Problems
from .._release.release import Release
from .._version import precedence


def is_upgrade(current: Release, target: Release) -> bool:
    """Tell whether ``target`` is a later version than ``current``."""
    return precedence(target.shown_version) > precedence(current.shown_version)


def path_problems(releases: Sequence[Release], allow_downgrade: bool, where: str = "releases") -> list[Problem]:
    """Return what is wrong with a path, or worth knowing about it."""
    if len(releases) < 2:
        message = f"names {len(releases) or 'no'} release{'' if len(releases) == 1 else 's'}, expected two or more"
        return [
            Problem("error", "todo", where, message, "Name the release that the cluster runs, then those it goes to")
        ]
    problems = Problems()
    for index, (current, target) in enumerate(pairwise(releases), 1):
        if current.minor is None or target.minor is None:
            continue  # told where the release is looked at
        problems += _hop_problems(current, target, allow_downgrade, f"{where}[{index}]")
    for index, release in enumerate(releases[:-1]):
        if release.minor is not None and not capability_data.has_capabilities(release.minor):
            message = f"{release.shown_version} has no capabilities, they began with {min(capability_data.BRANCHES)}"
            hint = "A path can only end in such a release; leave it out"
            problems.append(Problem("error", "todo", f"{where}[{index}]", message, hint))
    return problems


def _hop_problems(current: Release, target: Release, allow_downgrade: bool, where: str) -> list[Problem]:
    old, new = current.shown_version, target.shown_version
    if is_upgrade(current, target):
        return _skipped(current, target, where)
    found = "is the same version as the one before" if precedence(old) == precedence(new) else f"is older than {old}"
    if not allow_downgrade:
        hint = "Name the releases in the order of the updates, current first, or set allow_downgrade"
        return [Problem("error", "todo", where, f"{new} {found}", hint)]
    if precedence(old) == precedence(new):
        return []
    message = (
        f"{new} {found}: what only {old} has stays behind on the cluster, and where its status names a capability "
        f"that {new} does not know, every write to ClusterVersion is refused there"
    )
    return [
        Problem("warning", "todo", where, message, "Plan to clean up by hand; going back is not supported by OpenShift")
    ]


def _skipped(current: Release, target: Release, where: str) -> list[Problem]:
    old, new = current.minor, target.minor
    if old is None or new is None:
        return []
    if old.major == new.major:
        skips = new.minor - old.minor > 1
    else:
        # The last minors of a major and the first of the next are made at the same time.
        skips = sum(1 for minor in capability_data.BRANCHES if old < minor < new) > 1
    if not skips:
        return []
    message = f"goes from {old} to {new}; a cluster passes every minor between, and each can turn something on"
    return [Problem("warning", "todo", where, message, "Name a release of each minor on the way")]
