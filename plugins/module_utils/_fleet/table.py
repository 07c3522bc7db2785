# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""One table for the capabilities of a fleet: which cluster has which, and which cluster differs from its group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple


class FleetRow(NamedTuple):
    """A cluster of the table. ``capabilities``: as the module returns them, ``None`` if they could not be read.

    ``errors``: why they could not be read, as text.
    """

    name: str
    group: str
    capabilities: Mapping[str, Any] | None
    errors: tuple[str, ...] = ()


def fleet_dict(rows: Sequence[FleetRow]) -> dict[str, Any]:
    """Convert to the form that the module returns: the rows, the groups, and the clusters of each capability."""
    common = {group: _common(rows, group) for group in dict.fromkeys(row.group for row in rows)}
    return {
        "clusters": [_row_dict(row, common[row.group]) for row in rows],
        "groups": [
            {"name": group, "clusters": [row.name for row in rows if row.group == group], "common": sorted(names)}
            for group, names in common.items()
        ],
        "capabilities": [_clusters_of(name, rows) for name in sorted(_names(rows))],
    }


def _common(rows: Iterable[FleetRow], group: str) -> frozenset[str]:
    """The names that are enabled on most of the clusters of a group that know them. A tie is not most of them."""
    own = [row.capabilities for row in rows if row.group == group and row.capabilities is not None]
    known = {name for cluster in own for name in cluster["known_capabilities"]}
    return frozenset(name for name in known if _is_common(name, own))


def _is_common(name: str, clusters: Iterable[Mapping[str, Any]]) -> bool:
    enabled = [name in cluster["enabled_capabilities"] for cluster in clusters if name in cluster["known_capabilities"]]
    return 2 * sum(enabled) > len(enabled)


def _row_dict(row: FleetRow, common: frozenset[str]) -> dict[str, Any]:
    cluster = row.capabilities
    if cluster is None:
        return {"name": row.name, "group": row.group, "reachable": False, "errors": list(row.errors)}
    enabled, known = frozenset(cluster["enabled_capabilities"]), frozenset(cluster["known_capabilities"])
    fields = ("openshift_version", "requested", "enabled", "known", "pending", "implicitly_enabled")
    values = {field: cluster[field if field == "openshift_version" else f"{field}_capabilities"] for field in fields}
    missing, additional = sorted((common & known) - enabled), sorted((enabled & known) - common)
    return {
        "name": row.name,
        "group": row.group,
        "reachable": True,
        **values,
        "missing": missing,
        "additional": additional,
        "differs": bool(missing or additional),
        "errors": list(row.errors),
    }


def _names(rows: Iterable[FleetRow]) -> set[str]:
    return {name for row in rows if row.capabilities for name in row.capabilities["known_capabilities"]}


def _clusters_of(name: str, rows: Iterable[FleetRow]) -> dict[str, Any]:
    read = [(row.name, row.capabilities) for row in rows if row.capabilities is not None]
    return {
        "name": name,
        "enabled": [cluster for cluster, values in read if name in values["enabled_capabilities"]],
        "disabled": [
            cluster
            for cluster, values in read
            if name in values["known_capabilities"] and name not in values["enabled_capabilities"]
        ],
        "unknown": [cluster for cluster, values in read if name not in values["known_capabilities"]],
    }
