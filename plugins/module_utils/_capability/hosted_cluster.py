# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""``HostedCluster.spec.capabilities``: other names and other rules than a standalone cluster's."""

from __future__ import annotations

from typing import NamedTuple

from .._data.capabilities import V_CURRENT, MinorFacts
from .._version import Minor

DEFAULT_OFF: frozenset[str] = frozenset({"baremetal", "ClusterAPI", "CompatibilityRequirements"})
"""Names that a hosted cluster has off unless they are asked for; it has all others on.

Source: openshift/hypershift:support/capabilities/hosted_control_plane_capabilities.go CalculateEnabledCapabilities.
"""


class SelectableNames(NamedTuple):
    """Names that a HostedCluster can turn off (``disabled``) and on (``enabled``) from ``since`` on."""

    since: Minor
    disabled: frozenset[str]
    enabled: frozenset[str]
    source: str


_TYPES = "openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go"
_SEVEN = frozenset({"ImageRegistry", "openshift-samples", "Insights", "baremetal", "Console", "NodeTuning", "Ingress"})

SELECTABLE_SINCE: tuple[SelectableNames, ...] = (
    SelectableNames(Minor(4, 18), frozenset({"ImageRegistry"}), frozenset(), f"{_TYPES} release-4.18"),
    SelectableNames(Minor(4, 20), _SEVEN, _SEVEN, f"{_TYPES} release-4.20"),
)


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


def default_enabled(facts: MinorFacts, hidden: frozenset[str]) -> frozenset[str]:
    """Return what a hosted cluster of this minor has on where nothing is said."""
    return facts.sets[V_CURRENT] - DEFAULT_OFF - hidden


def hosted_capabilities(enabled: frozenset[str], facts: MinorFacts, hidden: frozenset[str]) -> HostedCapabilities:
    """Return how a HostedCluster of this minor says that ``enabled`` is on and nothing else."""
    names = next((item for item in reversed(SELECTABLE_SINCE) if item.since <= facts.minor), None)
    may_disable, may_enable = (names.disabled, names.enabled) if names else (frozenset(), frozenset())
    default = default_enabled(facts, hidden)
    off, on = default - enabled, enabled - default
    return HostedCapabilities(
        tuple(sorted(on & may_enable)), tuple(sorted(off & may_disable)), off - may_disable, on - may_enable
    )
