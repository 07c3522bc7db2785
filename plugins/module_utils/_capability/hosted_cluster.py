# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""How HyperShift changes a release and a selection before the CVO of a hosted cluster reads them."""

from __future__ import annotations

import fnmatch
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from .._data.capabilities import V_CURRENT, MinorData
from .._data.hosted_clusters import (
    COMMITS,
    DEFAULT_DISABLED_SINCE,
    DELETED_CVO_MANIFESTS,
    DELETED_FILES,
    DELETED_WITHOUT_OAUTH,
    DELETED_WITHOUT_OAUTH_SINCE,
    KEEPING_PLATFORMS,
    KEPT_FILES,
    NOT_WRITTEN,
    SELECTABLE_SINCE,
    WRITTEN_WITHOUT,
    SelectableNames,
)
from .._data.version import Minor
from .._problems import Problem, Problems
from .._release.release import CVO_MANIFESTS, Release
from .selection import Selection

_WHERE = "hosted_control_plane"
_COMPARE = "Compare with the init container prepare-payload of the cluster-version-operator in the hosted control plane"


class HostedCapabilities(NamedTuple):
    """The lists ``enabled`` and ``disabled`` of a HostedCluster that come closest to a set of names.

    ``stays_enabled``: names that it cannot disable. ``stays_disabled``: names that it cannot enable.
    """

    enabled: tuple[str, ...]
    disabled: tuple[str, ...]
    stays_enabled: frozenset[str]
    stays_disabled: frozenset[str]

    def stanza(self) -> dict[str, list[str]]:
        """The lists in the API's shape, without empty ones."""
        lists = {"enabled": list(self.enabled), "disabled": list(self.disabled)}
        return {field: names for field, names in lists.items() if names}


def hosted_data(data: MinorData) -> MinorData:
    """``data`` of a hosted cluster: its vCurrent is what HyperShift enables by default, because it uses no sets."""
    disabled = next(item.names for item in reversed(DEFAULT_DISABLED_SINCE) if item.since <= data.minor)
    sets = {**data.sets, V_CURRENT: data.sets[V_CURRENT] - disabled}
    return data._replace(sets=sets, not_written=NOT_WRITTEN.get(data.minor, frozenset()))


def selectable_names(minor: Minor) -> SelectableNames:
    """The names that a HostedCluster of ``minor`` can enable and disable."""
    found = next((item for item in reversed(SELECTABLE_SINCE) if item.since <= minor), None)
    return found or SelectableNames(minor, frozenset(), frozenset(), "")


def hosted_capabilities(enabled: frozenset[str], data: MinorData, gated: frozenset[str]) -> HostedCapabilities:
    """The lists of a HostedCluster of this minor that enable ``enabled`` and disable every other name."""
    may, own = selectable_names(data.minor), hosted_data(data)
    to_disable, to_enable = _disabled(enabled, own, gated), enabled - (own.sets[V_CURRENT] - gated)
    return HostedCapabilities(
        tuple(sorted(to_enable & may.enabled)),
        tuple(sorted(to_disable & may.disabled)),
        to_disable - may.disabled,
        to_enable - may.enabled,
    )


def hosted_selection(selection: Selection, data: MinorData, gated: frozenset[str]) -> Selection:
    """``selection`` as differences from what HyperShift enables by default in this minor.

    HyperShift writes the list of the ClusterVersion again for each release, with the new names that the release enables
    by default. So the differences, and not the list, stay the same when a hosted cluster is updated.
    """
    names = selection.requested(data) - gated
    disabled = tuple(sorted(_disabled(names, data, gated)))
    return Selection(V_CURRENT, tuple(sorted(names - data.sets[V_CURRENT])), disabled or None, selection.where)


def _disabled(enabled: frozenset[str], data: MinorData, gated: frozenset[str]) -> frozenset[str]:
    """What a HostedCluster has to disable so that only ``enabled`` are enabled. ``data``: as ``hosted_data``."""
    disabled = data.sets[V_CURRENT] - gated - enabled
    return disabled - data.not_written if WRITTEN_WITHOUT in disabled else disabled


def without_pinning(problems: Iterable[Problem]) -> Iterator[Problem]:
    """``problems`` of a selection, without the note that exclusions pin it: a HostedCluster has exclusions too."""
    return (problem for problem in problems if problem.code != "pinned-selection")


def deleted_files(release: Release, platform: str | None, problems: Problems) -> frozenset[str]:
    """The files of ``release`` that HyperShift deletes, and a report of those for which this is not known.

    ``platform``: of the HostedCluster in lower case, ``None`` if it is not known.
    Files are relative to the release. Which manifests of a flat directory are those of the CVO itself is not known,
    so none of these is deleted. Without a version, nothing is known of any file.
    """
    minor = release.minor
    files = {manifest.file for manifest in release.manifests}
    by_name = {file.rpartition("/")[2]: file for file in files if not file.startswith(f"{CVO_MANIFESTS}/")}
    if minor is None or not files:
        return frozenset()
    deleted = {name for item in DELETED_FILES if item.contains(minor) for name in item.names}
    _report_unknown_files(by_name, minor, problems)
    if platform in KEEPING_PLATFORMS:
        deleted -= KEPT_FILES
    elif platform is None:
        _report_unknown_platform(deleted & KEPT_FILES & set(by_name), problems)
    return frozenset(
        {
            *(by_name[name] for name in deleted & set(by_name)),
            *(file for name in DELETED_CVO_MANIFESTS for file in fnmatch.filter(files, f"{CVO_MANIFESTS}/{name}")),
        }
    )


def _report_unknown_files(present: Container[str], minor: Minor, problems: Problems) -> None:
    if minor > (newest := max(COMMITS)):
        message = f"the files that HyperShift of {minor} deletes are not known; they count as those of {newest}"
        problems.info("unknown-hosted-files", _WHERE, message, _COMPARE)
    if minor >= DELETED_WITHOUT_OAUTH_SINCE and DELETED_WITHOUT_OAUTH in present:
        message = (
            f"{DELETED_WITHOUT_OAUTH} is not excluded, but HyperShift deletes it if the HostedCluster has no OAuth "
            "server, and that is not known here"
        )
        problems.info("unknown-hosted-oauth", _WHERE, message, _COMPARE)


def _report_unknown_platform(kept: set[str], problems: Problems) -> None:
    if kept:
        message = (
            "the platform of the HostedCluster is not known, so these files count as excluded, but HyperShift keeps "
            f"them on {' and '.join(KEEPING_PLATFORMS)}: {', '.join(sorted(kept))}"
        )
        problems.info("unknown-hosted-platform", _WHERE, message, _COMPARE)
