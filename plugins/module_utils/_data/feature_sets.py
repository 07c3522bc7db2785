# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Feature sets: their names, the feature gates that they enable, and the minors that know them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .version import Minor

DEFAULT_FEATURE_SET = "Default"
CUSTOM_FEATURE_SET = "CustomNoUpgrade"


class FeatureSet(NamedTuple):
    """A feature set.

    ``release.openshift.io/feature-set`` may name it from ``since`` to ``until``. ``blocks_updates``: it blocks updates
    to another minor, and cannot be disabled once it is set.
    """

    name: str
    since: Minor
    until: Minor | None
    source: str
    blocks_updates: bool = False


GATES_OF_FEATURE_SETS: Mapping[str, frozenset[str]] = {
    name: frozenset({"CRDCompatibilityRequirementOperator", "ClusterAPIMachineManagement", "VolumeGroupSnapshot"})
    for name in ("TechPreviewNoUpgrade", "DevPreviewNoUpgrade")
}
"""The feature gates of capabilities and their APIs that a feature set enables (openshift/api:features).

Used only if the gates of the release are not known.
"""


_FEATURE_SETS_SOURCE = "openshift/api:config/v1/types_feature.go"


FEATURE_SETS: tuple[FeatureSet, ...] = (
    FeatureSet(DEFAULT_FEATURE_SET, Minor(4, 1), None, _FEATURE_SETS_SOURCE),
    FeatureSet("TechPreviewNoUpgrade", Minor(4, 1), None, _FEATURE_SETS_SOURCE, blocks_updates=True),
    FeatureSet(CUSTOM_FEATURE_SET, Minor(4, 1), None, _FEATURE_SETS_SOURCE, blocks_updates=True),
    FeatureSet("DevPreviewNoUpgrade", Minor(4, 16), None, _FEATURE_SETS_SOURCE, blocks_updates=True),
    FeatureSet("OKD", Minor(4, 22), None, "openshift/api:features AllFeatureSets"),
    FeatureSet("LatencySensitive", Minor(4, 1), Minor(4, 15), _FEATURE_SETS_SOURCE),
)


def feature_set(name: str) -> FeatureSet | None:
    """The feature set of this name (``""`` is the default one); ``None`` if it does not exist."""
    return next((item for item in FEATURE_SETS if item.name == (name or DEFAULT_FEATURE_SET)), None)


def feature_set_names(minor: Minor | None) -> tuple[str, ...]:
    """Feature sets that a cluster of ``minor`` can have, or one of any minor if it is ``None``."""
    return tuple(item.name for item in FEATURE_SETS if minor is None or minor.is_in(item.since, item.until))
