# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Capabilities that HyperShift disables by default, or that a HostedCluster can select, by minor."""

from __future__ import annotations

from typing import NamedTuple

from .._version import Minor

DEFAULT_DISABLED: frozenset[str] = frozenset({"baremetal", "ClusterAPI", "CompatibilityRequirements"})
"""Names that a hosted cluster disables unless they are requested. It enables all others, new ones included.

Source: openshift/hypershift:support/capabilities/hosted_control_plane_capabilities.go CalculateEnabledCapabilities.
"""


class SelectableNames(NamedTuple):
    """Names that a HostedCluster can disable (``disabled``) and enable (``enabled``) from ``since`` on."""

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
