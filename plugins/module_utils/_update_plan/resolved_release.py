# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A release on the path of a cluster: what its CVO makes of the cluster, and which of its manifests can come at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .._capability.cluster_options import InclusionCriteria, always_enabled, inclusion_context
from .._capability.inclusion import CapabilityStatus, InclusionContext, included_manifests
from .._capability.release_properties import gated_off, minor_data, resolve_feature_set
from .._capability.selection import Selection, capability_status, translate
from .._data import capabilities as capability_data
from .._data import feature_sets
from .._data.capabilities import MinorData
from .._problems import Problem, Problems
from .._release.manifest import Manifest
from .._release.release import Release
from .._version import Minor


class ResolvedRelease(NamedTuple):
    """A release as one cluster meets it.

    ``minor_data`` is ``None`` for a minor that has no capabilities: its CVO applies everything. ``facts`` decide
    without capabilities. ``hidden`` are the names whose feature gates are off, ``always`` those that are on whatever
    is asked. ``loaded`` are the manifests that the CVO loads.
    """

    release: Release
    minor: Minor
    minor_facts: MinorData | None
    facts: InclusionContext
    hidden: frozenset[str]
    always: frozenset[str]
    loaded: tuple[Manifest, ...]

    @property
    def known(self) -> frozenset[str]:
        """Names that the CVO of this release knows."""
        return self.minor_facts.capabilities - self.hidden if self.minor_facts else frozenset()

    def status(self, selection: Selection, stay_on: Iterable[str] = ()) -> CapabilityStatus:
        """Return what the CVO of this release makes of ``selection`` where the names ``stay_on`` were on before."""
        if self.minor_facts is None:
            return CapabilityStatus(frozenset(), frozenset(stay_on))
        return capability_status(selection, self.minor_facts, self.hidden, {*stay_on, *self.always})

    def requested(self, selection: Selection) -> frozenset[str]:
        """Return what ``selection`` itself asks of this release."""
        if self.minor_facts is None:
            return frozenset()
        return capability_status(selection, self.minor_facts, self.hidden).enabled

    def pinned(self, selection: Selection) -> Selection:
        """Return ``selection`` as the API can say it, the same wherever it is asked later."""
        if self.minor_facts is not None:
            selection = translate(selection, self.minor_facts, self.hidden)
        return selection._replace(additional=tuple(sorted(set(selection.additional))))

    def usable(self, status: CapabilityStatus) -> frozenset[str] | None:
        """Return the names that let a manifest in; ``None`` where capabilities keep nothing out."""
        return None if self.minor_facts is None else status.enabled & status.known

    def load(self, other: ResolvedRelease) -> tuple[Manifest, ...]:
        """Return the manifests of another release that the CVO of this one loads: under its own feature gates.

        Source: openshift/cluster-version-operator:pkg/payload/payload.go LoadUpdate (no capabilities, no overrides).
        """
        if other.facts.feature_gates == self.facts.feature_gates:
            return other.loaded
        return included_manifests(other.release.manifests, other.facts._replace(feature_gates=self.facts.feature_gates))


def resolve_release(cluster: InclusionCriteria, release: Release, problems: Problems) -> ResolvedRelease | None:
    """Return ``release`` as ``cluster`` meets it; ``None`` where its minor cannot be understood.

    What is wrong or odd goes to ``problems``.
    """
    minor = release.minor
    if minor is None:
        message = "has no version, and what a selection turns on depends on it"
        hint = "Extract the release with its release-metadata, or give {release: PATH, openshift_version: X.Y.Z}"
        problems.append(Problem("error", "todo", release.path, message, hint))
        return None
    found = Problems()
    facts = inclusion_context(cluster, release, found)
    without = not capability_data.has_capabilities(minor)
    of_minor = None if without else minor_data(release, minor, cluster.feature_set, cluster.cluster_profile, found)
    if feature_sets.feature_set(cluster.feature_set) is not None:  # else it was told already, of no minor at all
        resolve_feature_set(cluster.feature_set, minor, found)
    problems += [_of_release(problem, release) for problem in found]
    if of_minor is None and not without:
        return None
    hidden = always = frozenset[str]()
    if of_minor is not None:
        # A CVO that does not know a name does not hide it either.
        hidden = gated_off(facts.feature_gates, cluster.feature_set) & of_minor.capabilities
        always = always_enabled(cluster, of_minor) - hidden
    return ResolvedRelease(
        release, minor, of_minor, facts, hidden, always, included_manifests(release.manifests, facts)
    )


def _of_release(problem: Problem, release: Release) -> Problem:
    if problem.where == "cluster_profile":
        # A plan without a single manifest would be a gate that is always open.
        problem = problem._replace(severity="error")
    if problem.where == "openshift_version":
        return problem._replace(
            where=release.path, hint="Use a release with its ClusterVersion CRD, or a newer collection"
        )
    return problem._replace(where=f"{release.shown_version}, {problem.where}")
