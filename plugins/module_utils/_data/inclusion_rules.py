# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The annotations that the CVO of each minor reads when it decides on a manifest, and the values that it knows."""

from __future__ import annotations

from typing import Literal, NamedTuple

from .feature_sets import feature_set_names
from .version import Minor

CAPABILITY_ANNOTATION = "capability.openshift.io/name"
PROFILE_ANNOTATION = "include.release.openshift.io/"
EXCLUDE_ANNOTATION = "exclude.release.openshift.io/"
FEATURE_SET_ANNOTATION = "release.openshift.io/feature-set"
FEATURE_GATE_ANNOTATION = "release.openshift.io/feature-gate"
MAJOR_VERSION_ANNOTATION = "release.openshift.io/major-version"
CREATE_ONLY_ANNOTATION = "release.openshift.io/create-only"
DELETE_ANNOTATION = "release.openshift.io/delete"
BOOTSTRAP_ANNOTATION = "release.openshift.io/bootstrap-required"

NAMED_ANNOTATIONS = (
    CAPABILITY_ANNOTATION,
    DELETE_ANNOTATION,
    FEATURE_GATE_ANNOTATION,
    FEATURE_SET_ANNOTATION,
    MAJOR_VERSION_ANNOTATION,
)
"""The annotations with a fixed name. The constants for the others contain a prefix."""

GateFilter = Literal["ignored", "tech_preview", "gates"]
"""How a CVO reads ``release.openshift.io/feature-gate``: not at all, with ``TechPreviewNoUpgrade`` as the only value,
or as a list of gates."""


class InclusionRules(NamedTuple):
    """What the CVO of a minor reads besides the profile, the exclude identifier and the capabilities.

    They apply from ``since`` up to the next rules. ``feature_sets``: known values of
    ``release.openshift.io/feature-set``, sorted; empty if the CVO does not read it. ``major_version``: whether it reads
    ``release.openshift.io/major-version``. ``overrides``: whether the filter itself checks overrides. An earlier CVO
    skips the overridden manifests when it applies a release, with the same effect on the cluster.
    """

    since: Minor
    feature_sets: tuple[str, ...]
    feature_gate: GateFilter
    major_version: bool
    overrides: bool
    source: str

    @property
    def reads_gates(self) -> bool:
        """Whether the enabled feature gates of a cluster affect the decision."""
        return self.feature_gate == "gates"


def _known_at(minor: Minor) -> tuple[str, ...]:
    return tuple(sorted(feature_set_names(minor)))


_FILTER = "vendor/github.com/openshift/library-go/pkg/manifest/manifest.go"

INCLUSION_RULES: tuple[InclusionRules, ...] = (
    InclusionRules(
        Minor(4, 11),
        (),
        "tech_preview",
        major_version=False,
        overrides=False,
        source=f"openshift/cluster-version-operator release-4.11:{_FILTER} Include; pkg/cvo/sync_worker.go "
        "getOverrideForManifest",
    ),
    InclusionRules(
        Minor(4, 12),
        _known_at(Minor(4, 12)),
        "ignored",
        major_version=False,
        overrides=False,
        source=f"openshift/cluster-version-operator release-4.12:{_FILTER} checkFeatureSets; pkg/cvo/sync_worker.go "
        "getOverrideForManifest",
    ),
    InclusionRules(
        Minor(4, 14),
        _known_at(Minor(4, 14)),
        "ignored",
        major_version=False,
        overrides=True,
        source=f"openshift/cluster-version-operator release-4.14:{_FILTER} IncludeAllowUnknownCapabilities",
    ),
    InclusionRules(
        Minor(4, 16),
        _known_at(Minor(4, 16)),
        "ignored",
        major_version=False,
        overrides=True,
        source=f"openshift/cluster-version-operator release-4.16:{_FILTER} knownFeatureSets",
    ),
    InclusionRules(
        Minor(4, 22),
        _known_at(Minor(4, 22)),
        "gates",
        major_version=True,
        overrides=True,
        source=f"openshift/cluster-version-operator release-4.22:{_FILTER} checkFeatureGates, checkMajorVersion",
    ),
)
"""The rules of each minor, oldest first. The known feature sets are those of openshift/api in that minor."""

NEWEST_RULES = INCLUSION_RULES[-1]


def inclusion_rules(minor: Minor | None) -> InclusionRules:
    """The rules of the CVO of ``minor``: the newest ones if it is ``None``, the oldest ones before 4.11."""
    if minor is None:
        return NEWEST_RULES
    return next((rules for rules in reversed(INCLUSION_RULES) if rules.since <= minor), INCLUSION_RULES[0])
