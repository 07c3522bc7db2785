# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""``HostedCluster.spec.capabilities``, which has other names and rules than a standalone cluster."""

from __future__ import annotations

from typing import NamedTuple

from .._data.capabilities import V_CURRENT, MinorData
from .._data.hosted_clusters import DEFAULT_DISABLED, SELECTABLE_SINCE


class HostedCapabilities(NamedTuple):
    """The lists ``enabled`` and ``disabled`` of a HostedCluster that come closest to a set of names.

    ``stays_on``: names that it cannot disable. ``stays_off``: names that it cannot enable.
    """

    enabled: tuple[str, ...]
    disabled: tuple[str, ...]
    stays_on: frozenset[str]
    stays_off: frozenset[str]

    def stanza(self) -> dict[str, list[str]]:
        """The lists in the API's shape, without empty ones."""
        lists = {"enabled": list(self.enabled), "disabled": list(self.disabled)}
        return {field: names for field, names in lists.items() if names}


def default_enabled(data: MinorData, gated: frozenset[str]) -> frozenset[str]:
    """The names that a hosted cluster of this minor enables by default."""
    return data.sets[V_CURRENT] - DEFAULT_DISABLED - gated


def hosted_capabilities(enabled: frozenset[str], data: MinorData, gated: frozenset[str]) -> HostedCapabilities:
    """The lists of a HostedCluster of this minor that enable ``enabled`` and disable every other name."""
    names = next((item for item in reversed(SELECTABLE_SINCE) if item.since <= data.minor), None)
    may_disable, may_enable = (names.disabled, names.enabled) if names else (frozenset(), frozenset())
    default = default_enabled(data, gated)
    to_disable, to_enable = default - enabled, enabled - default
    return HostedCapabilities(
        tuple(sorted(to_enable & may_enable)),
        tuple(sorted(to_disable & may_disable)),
        to_disable - may_disable,
        to_enable - may_enable,
    )
