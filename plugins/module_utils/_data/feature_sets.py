# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Feature sets: their names, the feature gates that they enable, and the minors that know them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .._version import Minor

DEFAULT_FEATURE_SET = "Default"


class FeatureSet(NamedTuple):
    """A feature set: ``annotated`` ones may be named by ``release.openshift.io/feature-set``.

    ``blocks_updates``: no update to another minor while it is on. ``permanent``: it can never be left.
    """

    name: str
    since: Minor
    until: Minor | None
    annotated: bool
    source: str
    blocks_updates: bool = False
    permanent: bool = False


GATES_FILTERED_SINCE = Minor(4, 22)
"""First minor whose CVO reads ``release.openshift.io/feature-gate``. Source: openshift/library-go:pkg/manifest."""


GATES_OF_FEATURE_SETS: Mapping[str, frozenset[str]] = {
    "TechPreviewNoUpgrade": frozenset({"CRDCompatibilityRequirementOperator", "ClusterAPIMachineManagement"}),
    "DevPreviewNoUpgrade": frozenset({"CRDCompatibilityRequirementOperator", "ClusterAPIMachineManagement"}),
}
"""Which of the gates that hide capabilities a feature set turns on (openshift/api:features, branches 4.22 to 5.2).

Used only where the release's own FeatureGate manifest cannot be asked.
"""


_FEATURE_SETS_SOURCE = "openshift/api:config/v1/types_feature.go"


FEATURE_SETS: tuple[FeatureSet, ...] = (
    FeatureSet(DEFAULT_FEATURE_SET, Minor(4, 1), None, True, _FEATURE_SETS_SOURCE),
    FeatureSet("TechPreviewNoUpgrade", Minor(4, 1), None, True, _FEATURE_SETS_SOURCE, True, True),
    FeatureSet("CustomNoUpgrade", Minor(4, 1), None, True, _FEATURE_SETS_SOURCE, True, True),
    FeatureSet("DevPreviewNoUpgrade", Minor(4, 16), None, True, _FEATURE_SETS_SOURCE, True, True),
    FeatureSet("OKD", Minor(4, 22), None, True, "openshift/api:features AllFeatureSets"),
    FeatureSet("LatencySensitive", Minor(4, 1), Minor(4, 15), False, _FEATURE_SETS_SOURCE),
)


ANNOTATED_FEATURE_SETS: tuple[str, ...] = tuple(sorted(item.name for item in FEATURE_SETS if item.annotated))
"""Values that the newest CVO knows in ``release.openshift.io/feature-set``, sorted.

Source: openshift/library-go:pkg/manifest/manifest.go knownFeatureSets.
"""


def feature_set(name: str) -> FeatureSet | None:
    """Return the feature set of this name (``""`` is the default one), or ``None`` where there is none."""
    wanted = name or DEFAULT_FEATURE_SET
    return next((item for item in FEATURE_SETS if item.name == wanted), None)


def feature_set_names(minor: Minor | None) -> tuple[str, ...]:
    """Feature sets that a cluster of ``minor`` can have; of any minor where it is ``None``."""
    return tuple(
        item.name
        for item in FEATURE_SETS
        if minor is None or (item.since <= minor and (item.until is None or minor <= item.until))
    )
