# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kinds of clusters that a release is for: each cluster profile with each feature set."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product

from .._capability.cluster_options import InclusionCriteria, inclusion_context
from .._capability.inclusion import InclusionContext, gate_requirements, included_manifests
from .._capability.release_properties import cluster_profiles
from .._data.capabilities import always_enabled_by_default, gated_capabilities, gates_of_capabilities
from .._data.dependencies import with_required
from .._data.feature_sets import DEFAULT_FEATURE_SET, GATES_OF_FEATURE_SETS, feature_set_names
from .._data.hosted_clusters import HOSTED_PROFILE
from .._data.inclusion_rules import FEATURE_GATE_ANNOTATION
from .._problems import Problems
from .._release.manifest import Manifest
from .._release.release import CVO_MANIFESTS, Release
from .._resources import ResourceId


class ClusterVariant:
    """The clusters with one profile and one feature set (``""`` is the default one). They differ in capabilities."""

    def __init__(self, release: Release, whole: Release, profile: str, feature_set: str) -> None:
        self.profile, self.feature_set = profile, feature_set
        self._release, self._whole = release, whole

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the variant within a release: its profile and its feature set."""
        return self.profile, self.feature_set

    @property
    def can_update(self) -> bool:
        """Whether these clusters can update. Their API rejects it for some feature sets."""
        return not self.feature_set.endswith("NoUpgrade")

    @cached_property
    def _context(self) -> InclusionContext:
        filters = InclusionContext(cluster_profile=self.profile, feature_set=self.feature_set)
        criteria = InclusionCriteria(filters, hosted=self.profile == HOSTED_PROFILE)
        context = inclusion_context(criteria, self._whole, Problems())
        if self._whole.images:
            return context
        # The directory manifests/ is the one of an operator, not the one of the CVO.
        deleted = frozenset(file for file in context.deleted_files if not file.startswith(f"{CVO_MANIFESTS}/"))
        return context._replace(deleted_files=deleted)

    @cached_property
    def gates(self) -> frozenset[str]:
        """The enabled feature gates, of which those of capabilities are known without a FeatureGate manifest."""
        gates = self._context.feature_gates
        return GATES_OF_FEATURE_SETS.get(self.feature_set, frozenset()) if gates is None else gates

    @cached_property
    def absent(self) -> frozenset[str]:
        """Capabilities that do not exist, because their feature gates are disabled."""
        return gated_capabilities(self.gates)

    @property
    def _lacks_gates(self) -> bool:
        """Whether feature gates decide, and are not known."""
        return self._context.feature_gates is None and self._context.rules.reads_gates

    @cached_property
    def manifests(self) -> tuple[Manifest, ...]:
        """The manifests that pass every filter except the one for capabilities."""
        found = included_manifests(self._release.manifests, self._context)
        if not self._lacks_gates:
            return found
        known = gates_of_capabilities()
        return tuple(
            item
            for item in found
            if all((gate in self.gates) == is_required for gate, is_required in _gates_of(item) if gate in known)
        )

    @cached_property
    def by_resource(self) -> Mapping[ResourceId, tuple[Manifest, ...]]:
        """The manifests of each object, in the order of the release."""
        grouped: dict[ResourceId, list[Manifest]] = {}
        for manifest in self.manifests:
            grouped.setdefault(manifest.object_id, []).append(manifest)
        return {resource: tuple(found) for resource, found in grouped.items()}

    def can_have_both(self, first: Manifest, other: Manifest) -> bool:
        """Whether no feature gate excludes one of two manifests. If the gates are known, ``manifests`` has only one."""
        opposite = ((gate, not is_required) for gate, is_required in _gates_of(first))
        return not self._lacks_gates or frozenset(_gates_of(other)).isdisjoint(opposite)

    def closure(self, names: frozenset[str]) -> frozenset[str]:
        """The least capabilities of a cluster that has ``names``: what they require, and what is always enabled."""
        always = always_enabled_by_default(self._release.minor, self.profile)
        return with_required(names.union(always), self._release.minor, self.gates)


def cluster_variants(
    release: Release, other: Release | None = None, whole: Release | None = None
) -> tuple[ClusterVariant, ...]:
    """Every profile that manifests of ``release`` or ``other`` name, with every feature set of its version.

    ``release`` can be a part of the release ``whole``, which decides about the feature gates.
    """
    profiles = sorted({name for item in (release, other) if item is not None for name in cluster_profiles(item)})
    sets = [name for name in feature_set_names(release.minor) if name != DEFAULT_FEATURE_SET]
    return tuple(ClusterVariant(release, whole or release, *key) for key in product(profiles, ("", *sets)))


def _gates_of(manifest: Manifest) -> tuple[tuple[str, bool], ...]:
    """Each feature gate that ``manifest`` names, and whether it must be enabled."""
    return gate_requirements((manifest.annotations or {}).get(FEATURE_GATE_ANNOTATION, ""))
