# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""``HostedCluster.spec.capabilities``: other names and other rules than a standalone cluster's."""

from __future__ import annotations

from typing import NamedTuple

from .._data.capabilities import V_CURRENT, MinorData
from .._data.hosted_clusters import DEFAULT_OFF, SELECTABLE_SINCE


class HostedCapabilities(NamedTuple):
    """What a HostedCluster says to come closest to a wish: ``enabled`` and ``disabled``.

    ``stays_on`` and ``stays_off`` are the names that it cannot say.
    """

    enabled: tuple[str, ...]
    disabled: tuple[str, ...]
    stays_on: frozenset[str]
    stays_off: frozenset[str]

    def stanza(self) -> dict[str, list[str]]:
        """Return it in the API's shape; a list that is empty is left out, as its serialization does."""
        lists = {"enabled": list(self.enabled), "disabled": list(self.disabled)}
        return {field: names for field, names in lists.items() if names}


def default_enabled(facts: MinorData, hidden: frozenset[str]) -> frozenset[str]:
    """Return what a hosted cluster of this minor has on where nothing is said."""
    return facts.sets[V_CURRENT] - DEFAULT_OFF - hidden


def hosted_capabilities(enabled: frozenset[str], facts: MinorData, hidden: frozenset[str]) -> HostedCapabilities:
    """Return how a HostedCluster of this minor says that ``enabled`` is on and nothing else."""
    names = next((item for item in reversed(SELECTABLE_SINCE) if item.since <= facts.minor), None)
    may_disable, may_enable = (names.disabled, names.enabled) if names else (frozenset(), frozenset())
    default = default_enabled(facts, hidden)
    off, on = default - enabled, enabled - default
    return HostedCapabilities(
        tuple(sorted(on & may_enable)), tuple(sorted(off & may_disable)), off - may_disable, on - may_enable
    )
