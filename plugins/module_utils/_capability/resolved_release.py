# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A release resolved for a cluster: capabilities, the context of decisions, and the manifests that its CVO loads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .._data.capabilities import MinorData, always_enabled_by_default, has_capabilities
from .._data.feature_sets import GATES_OF_FEATURE_SETS
from .._data.hosted_clusters import SelectableNames
from .._data.install_rules import HOSTED
from .._data.platforms import default_method
from .._data.version import Minor
from .._problems import InvalidOptionError, Location, Problems, did_you_mean
from .._release.manifest import Manifest
from .._release.release import Release
from .cluster_options import ClusterOptions, InclusionCriteria, check_options, inclusion_context, read_capability_status
from .hosted_cluster import hosted_capabilities, hosted_data, hosted_selection, selectable_names, without_pinning
from .inclusion import CapabilityStatus, InclusionContext, included_manifests
from .release_properties import check_gates, names_disabled_by_gates, read_minor_data
from .rules import InstallContext, unchecked_rules
from .selection import Selection, capability_status, check_selection, parse_selection
from .solution import find_solution, resolve


class ResolvedRelease(NamedTuple):
    """A release resolved for a cluster of some criteria, whatever its selection.

    ``minor_data`` is ``None`` if the minor has no capabilities: its CVO applies everything. ``context`` decides without
    capabilities. ``gated``: names whose feature gates are disabled. ``always``: names that are enabled for every
    selection. ``loaded``: the manifests that the CVO loads. ``hosted``: HyperShift writes the capabilities of the
    ClusterVersion, and ``minor_data`` has what it enables by default as vCurrent.
    """

    release: Release
    minor: Minor
    minor_data: MinorData | None
    context: InclusionContext
    gated: frozenset[str]
    always: frozenset[str]
    loaded: tuple[Manifest, ...]
    hosted: bool = False

    @property
    def known(self) -> frozenset[str]:
        """Names that the CVO of this release knows."""
        return self.minor_data.capabilities - self.gated if self.minor_data else frozenset()

    @property
    def selectable(self) -> SelectableNames | None:
        """The names that its HostedCluster can select, ``None`` if it has none."""
        return selectable_names(self.minor) if self.hosted else None

    def status(self, selection: Selection, stay_enabled: Iterable[str] = ()) -> CapabilityStatus:
        """The status that the CVO computes from ``selection``. ``stay_enabled``: names enabled before."""
        if self.minor_data is None:
            return CapabilityStatus(frozenset(), frozenset(stay_enabled))
        return capability_status(selection, self.minor_data, self.gated, {*stay_enabled, *self.always})

    def requested(self, selection: Selection) -> frozenset[str]:
        """Names that ``selection`` itself requests of this release."""
        if self.minor_data is None:
            return frozenset()
        return capability_status(selection, self.minor_data, self.gated).enabled

    def pinned(self, selection: Selection) -> Selection:
        """``selection`` as the API writes it, with the same meaning in every later release.

        That of a hosted cluster is what a HostedCluster has: its difference from the default, and so with exclusions.
        """
        if self.hosted and self.minor_data is not None:
            return hosted_selection(selection, self.minor_data, self.gated)
        if self.minor_data is not None:
            selection = selection.pinned(self.minor_data, self.gated)
        return selection._replace(additional=tuple(sorted(set(selection.additional))))

    def capability_filter(self, status: CapabilityStatus) -> frozenset[str]:
        """The names that a manifest may require; every name if the CVO does not filter by capabilities."""
        if self.minor_data is None:
            return frozenset(name for manifest in self.loaded for name in manifest.capabilities)
        return status.enabled & status.known

    def included(self, status: CapabilityStatus) -> tuple[Manifest, ...]:
        """The manifests that a cluster with ``status`` includes, in the order of the release."""
        names = self.capability_filter(status)
        return tuple(manifest for manifest in self.loaded if names.issuperset(manifest.capabilities))

    def manifests_loaded_by(self, loader: ResolvedRelease) -> tuple[Manifest, ...]:
        """The manifests of this release that the CVO of ``loader`` loads, by its own rules and with its feature gates.

        Source: openshift/cluster-version-operator:pkg/payload/payload.go LoadUpdate (no capabilities, no overrides).
        """
        context = self.context._replace(feature_gates=loader.context.feature_gates, rules=loader.context.rules)
        if context == self.context:
            return self.loaded
        return included_manifests(self.release.manifests, context)


def resolve_release(
    criteria: InclusionCriteria, release: Release, problems: Problems, *, for_cvo: bool = False
) -> ResolvedRelease | None:
    """Resolve ``release`` for a cluster; ``None`` if its version is missing, or its capabilities are not known.

    ``for_cvo``: with the sets by which the CVO resolves the spec, even if HyperShift writes that spec by its own.
    A minor without capabilities is reported as ``unsupported-version``, and is resolved nevertheless.
    """
    context = inclusion_context(criteria, release, problems)
    minor = release.minor
    if minor is None:
        message = "is missing; capabilities, sets and rules depend on it"
        problems.error("missing-version", "openshift_version", message, "Set openshift_version")
        return None
    data = read_minor_data(release, minor, context, problems)
    if data is None and has_capabilities(minor):
        return None
    gated = always = frozenset[str]()
    hosted = criteria.hosted and not for_cvo
    if data is not None and hosted:
        data = hosted_data(data)
    if data is not None:
        # A CVO that does not know a name does not gate it either.
        gated = names_disabled_by_gates(context.feature_gates, context.feature_set or "") & data.capabilities
        always = always_enabled(criteria, data) - gated
    loaded = included_manifests(release.manifests, context)
    return ResolvedRelease(release, minor, data, context, gated, always, loaded, hosted)


def read_selection(options: ClusterOptions, problems: Problems, option: str = "capabilities") -> Selection:
    """The selection in ``options``, which ``option`` contains."""
    own = Problems()
    if options.solution is not None and options.capabilities is not None:
        problems.error("conflicting-options", "solution", f"cannot be combined with {option}", "Set one of the two")
    selection = parse_selection(options.capabilities, Location(field=option), own)
    problems += without_pinning(own) if options.hosted else own
    return selection


def solution_selection(name: str, resolved: ResolvedRelease, platform: str | None, problems: Problems) -> Selection:
    """The selection of a solution for a cluster of ``resolved``, as an installation of it would have."""
    solution, data, gates = find_solution(name, problems), resolved.minor_data, resolved.context.feature_gates
    if solution is None or data is None:
        return Selection()
    feature_set = resolved.context.feature_set or ""
    if gates is None:
        gates = GATES_OF_FEATURE_SETS.get(feature_set, frozenset())
    method = HOSTED if resolved.hosted else default_method(platform)
    install = InstallContext(data, method, platform, gates=gates, gated=resolved.gated, feature_set=feature_set)
    found = resolve(solution, install, problems)
    if found is None or found.selection is None:
        return Selection()
    if unchecked_rules(install, install.enabled(found.selection)):
        message = "the platform is not known, so names that it requires may be missing"
        hint = "Set capabilities to what install_config selects for the platform, or set platform if it is an option"
        problems.warning("unchecked-rules", "solution", message, hint)
    return found.selection


def resolve_cluster(
    options: ClusterOptions, release: Release, problems: Problems, option: str = "capabilities"
) -> tuple[InclusionContext, CapabilityStatus]:
    """The context of decisions on ``release``, and the capability status in it. ``option`` contains the selection.

    Raises ``InvalidOptionError`` with all problems if one of them is an error.
    """
    criteria = check_options(options, release.minor, problems)
    check_gates(criteria.filters.feature_gates or (), [release], problems)
    selection = read_selection(options, problems, option)
    if options.gives_status:
        context, status = inclusion_context(criteria, release, problems), read_capability_status(options, problems)
        _report_unknown_status(status, release, context, problems)
    else:
        resolved = resolve_release(criteria, release, problems)
        if resolved is not None and resolved.minor_data is not None:
            if options.solution is not None:
                selection = solution_selection(options.solution, resolved, options.platform, problems)
            check_selection(selection, resolved.minor_data, resolved.gated, problems, resolved.selectable)
            check_always_enabled(criteria, (resolved.minor_data,), problems)
        if resolved is None or problems.has_errors:
            raise InvalidOptionError(problems)
        report_hosted_selection(selection, resolved, problems)
        report_ineffective_exclusions(selection, resolved.always, problems)
        context, status = resolved.context, resolved.status(selection)
    problems.raise_errors(InvalidOptionError)
    return context._replace(capability_status=status), status


def _report_unknown_status(
    status: CapabilityStatus, release: Release, context: InclusionContext, problems: Problems
) -> None:
    """Warn about names in the status of a cluster that ``release`` does not know."""
    data = read_minor_data(release, release.minor, context, Problems()) if release.minor else None
    unknown = status.known - data.capabilities if data else ()
    for name in sorted(unknown):
        message = f"{name!r} is not a capability of {release.shown_version}"
        hint = "Check whether the cluster runs another release"
        problems.warning("unknown-capability", "known_capabilities", message, hint)


def always_enabled(criteria: InclusionCriteria, data: MinorData) -> frozenset[str]:
    """Names that are enabled for every selection: the given ones, else by the version and profile.

    A name that the minor does not know is not among them.
    """
    given = criteria.always_enabled
    names = always_enabled_by_default(data.minor, criteria.filters.cluster_profile or "") if given is None else given
    return data.capabilities.intersection(names)


def check_always_enabled(criteria: InclusionCriteria, minors: Sequence[MinorData], problems: Problems) -> None:
    """Report names in ``always_enabled_capabilities`` that none of ``minors`` knows."""
    known = frozenset[str]().union(*(data.capabilities for data in minors))
    versions = " or ".join(str(data.minor) for data in minors)
    for name in criteria.always_enabled or ():
        if name not in known:
            message = f"{name!r} is not a capability of {versions}; the CVO would not start"
            problems.error("unknown-capability", "always_enabled_capabilities", message, did_you_mean(name, known))


def report_hosted_selection(selection: Selection, resolved: ResolvedRelease, problems: Problems) -> None:
    """Warn about names that the HostedCluster of ``resolved`` cannot disable or enable as ``selection`` does."""
    data = resolved.minor_data
    if not resolved.hosted or data is None:
        return
    hosted = hosted_capabilities(resolved.requested(selection), data, resolved.gated)
    for verb, names in (("disable", hosted.stays_enabled), ("enable", hosted.stays_disabled)):
        if names:
            message = f"a HostedCluster of {resolved.minor} cannot {verb} {', '.join(sorted(names))}"
            hint = "Change the selection, or set hosted_control_plane to false if HyperShift does not run the cluster"
            problems.warning("unsupported-capability", selection.where, message, hint)


def report_ineffective_exclusions(selection: Selection, always: Iterable[str], problems: Problems) -> None:
    """Warn about excluded names that are enabled for every selection."""
    for name in sorted(set(selection.excluded or ()) & set(always)):
        message = f"{name} is excluded, but clusters of this version and profile always enable it"
        hint = "Remove it from the exclusions, or set always_enabled_capabilities for a cluster that does not need it"
        problems.warning("ineffective-exclusion", selection.where.child(selection.excluded_field), message, hint)
