# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the selection of an installation against every rule, and determines the cluster that results from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions, InclusionCriteria, check_options, parse_gate
from .._capability.hosted_cluster import HostedCapabilities, hosted_capabilities, without_pinning
from .._capability.inclusion import CapabilityStatus, InclusionContext
from .._capability.release_properties import check_gates, read_release_gates
from .._capability.resolved_release import ResolvedRelease, resolve_release
from .._capability.rules import InstallContext, RuleViolation, rule_violations, suggested_selection, unchecked_rules
from .._capability.selection import Selection
from .._capability.solution import ResolvedSelection
from .._contents.unmet_references import check_references
from .._data.bootstrap_resources import BOOTSTRAP_OBJECTS, bootstrap_renderer
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE, since_of
from .._data.dependencies import DEPENDENCIES
from .._data.feature_sets import CUSTOM_FEATURE_SET, GATES_OF_FEATURE_SETS
from .._data.hosted_clusters import HOSTED_PLATFORMS, HOSTED_PROFILE
from .._data.inclusion_rules import inclusion_rules
from .._data.install_rules import BASELINE_REQUIRED, HOSTED, Rule
from .._data.platforms import PLATFORMS, installer_platforms
from .._data.version import Minor
from .._problems import Location, Problem, Problems, Severity, nearest_name
from .._release.release import Release
from .._resources import NAMESPACES, nested
from .fields import (
    check_install_config,
    feature_gates_of,
    feature_set_of,
    method_of,
    method_violations,
    platform_of,
    with_exact_names,
)
from .selection_source import (
    NO_SELECTION,
    InstallOptions,
    SelectionOptions,
    SelectionRequest,
    read_request,
    resolve_selection,
)

_FIELDS_OF_OPTIONS = {"feature_set": "featureSet", "feature_gates": "featureGates"}
_RULES_OF_NAMESPACES = frozenset(item.rule.name for item in DEPENDENCIES if item.namespace)
_MISSPELLINGS = frozenset({"not-a-string", "unknown-field"})
_BASELINE_PROBLEMS = frozenset({"invalid-baseline", "missing-baseline"})


class Installation(NamedTuple):
    """An install-config for a release, whatever its selection.

    ``document`` has the values of the install-config as the installer reads them. ``document_problems`` are problems
    of its fields, and ``cluster_problems`` of its feature set, feature gates and topology. The fields from
    ``resolved_release`` on are empty if an error prevents their computation. No selection avoids a violation in
    ``rejected`` or ``broken``; the check of a selection reports ``broken`` again. The rules in ``unchecked`` need a
    platform, which is not known.
    """

    options: InstallOptions
    release: Release
    document: Mapping[str, Any]
    method: str
    platform: str | None
    document_problems: tuple[Problem, ...]
    cluster_problems: tuple[Problem, ...]
    resolved_release: ResolvedRelease | None = None
    install: InstallContext | None = None
    rejected: tuple[RuleViolation, ...] = ()
    broken: tuple[RuleViolation, ...] = ()
    unchecked: tuple[Rule, ...] = ()

    @property
    def problems(self) -> frozenset[Problem]:
        """The problems that every selection has."""
        of_rules = (item.problem for item in (*self.rejected, *self.broken))
        return frozenset((*self.document_problems, *self.cluster_problems, *of_rules))


class InstallCheck(NamedTuple):
    """The result of a check. Fields from ``resolved`` on are empty if an error prevents their computation.

    ``resolved`` is the selection to write. ``suggested_selection`` is the nearest selection that satisfies every rule.
    """

    installation: Installation
    problems: tuple[Problem, ...] = ()
    resolved: ResolvedSelection | None = None
    status: CapabilityStatus | None = None
    violations: tuple[RuleViolation, ...] = ()
    suggested_selection: Selection | None = None
    hosted: HostedCapabilities | None = None

    @property
    def install(self) -> InstallContext | None:
        """What the rules depend on besides the selection."""
        return self.installation.install

    @property
    def context(self) -> InclusionContext | None:
        """The context that decides which manifests are included."""
        resolved = self.installation.resolved_release
        if resolved is None or self.status is None:
            return None if resolved is None else resolved.context
        return resolved.context._replace(capability_status=self.status)


def profile_of(method: str | None) -> str:
    """The cluster profile that an install method uses."""
    return HOSTED_PROFILE if method == HOSTED else DEFAULT_CLUSTER_PROFILE


def platforms_of(method: str | None, minor: Minor | None = None) -> tuple[str, ...]:
    """The platforms that an install method has in a minor, or in any."""
    if method == HOSTED:
        return HOSTED_PLATFORMS
    return PLATFORMS if minor is None else installer_platforms(minor)


def read_installation(options: InstallOptions, release: Release) -> Installation:
    """Check an install-config for ``release`` apart from its selection. Raises nothing."""
    problems, cluster_problems = Problems(), Problems()
    document = with_exact_names(options.document, options.source, problems)
    method = options.method or method_of(document)
    platforms = platforms_of(options.method, release.minor)
    check_install_config(
        document,
        options.source,
        problems,
        complete=options.complete,
        platforms=platforms,
        method=method,
        minor=release.minor,
    )
    platform = platform_of(document, platforms)
    cluster = ClusterOptions(
        cluster_profile=profile_of(method),
        feature_set=feature_set_of(document),
        feature_gates=feature_gates_of(document),
    )
    criteria = check_options(cluster, release.minor, cluster_problems)._replace(platform=platform)
    check_gates(criteria.filters.feature_gates or (), [release], cluster_problems)
    criteria = _with_default_gates(criteria, document, release)
    resolved = resolve_release(criteria, release, cluster_problems)
    located = tuple(_as_in_document(cluster_problems, options.source, release))
    installation = Installation(options, release, document, method, platform, tuple(problems), located)
    if resolved is None or resolved.minor_data is None:
        return installation
    gates = resolved.context.feature_gates
    # A misspelled manager is an error, and the selection has to be right after its correction, too.
    manager = nested(document, "platform", "external", "cloudControllerManager")
    hosts = nested(document, "platform", "baremetal", "hosts")
    install = InstallContext(
        resolved.minor_data,
        method,
        platform,
        manager is not None and nearest_name(manager, ("External",)) is not None,
        bool(hosts) if platform == "baremetal" and options.complete else None,
        GATES_OF_FEATURE_SETS.get(resolved.context.feature_set or "", frozenset()) if gates is None else gates,
        resolved.gated,
        frozenset(item.name for item in options.provided if item.group_kind == NAMESPACES.group_kind),
        options.source,
        resolved.context.feature_set or "",
    )
    return installation._replace(
        resolved_release=resolved,
        install=install,
        broken=rule_violations(None, install),
        unchecked=unchecked_rules(install),
        rejected=tuple(method_violations(document, install, options.source, complete=options.complete)),
    )


def _with_default_gates(
    criteria: InclusionCriteria, document: Mapping[str, Any], release: Release
) -> InclusionCriteria:
    """``criteria`` with the gates of the default feature set, which a cluster has besides those of its document.

    Source: openshift/api:payload-command/render/render.go renderCustomNoUpgradeFeatureGate;
    openshift/cluster-config-operator:pkg/operator/featuregates/featuregate_controller.go completeFeatureGatesForCustom
    """
    filters = criteria.filters
    if filters.feature_set != CUSTOM_FEATURE_SET:
        return criteria
    context = filters._replace(feature_set="", rules=inclusion_rules(release.minor))
    default = read_release_gates(release, context, Problems())
    if default is None:
        return criteria
    given = map(parse_gate, feature_gates_of(document) or ())
    default -= {name for name, is_enabled in given if not is_enabled}
    return criteria._replace(filters=filters._replace(feature_gates=default.union(filters.feature_gates or ())))


def check_selection(installation: Installation, selection: SelectionOptions = NO_SELECTION) -> InstallCheck:
    """Check and resolve the selection of ``installation``. Returns all problems and raises nothing.

    ``selection`` overrides the block of the install-config.
    """
    problems = Problems()
    request = read_request(selection, installation.document, installation.options.source, problems)
    return check_request(installation, request, problems)


def check_request(
    installation: Installation, request: SelectionRequest | None, request_problems: Iterable[Problem] = ()
) -> InstallCheck:
    """Check and resolve a selection that was read, with the problems of reading it. ``None``: it is ambiguous."""
    options, method, install = installation.options, installation.method, installation.install
    problems = Problems(installation.document_problems)
    problems += request_problems if method != HOSTED else without_pinning(request_problems)
    problems += installation.cluster_problems
    check = InstallCheck(installation)
    resolved_release = installation.resolved_release
    if resolved_release is None or install is None:
        return check._replace(problems=tuple(problems))
    rejected = list(installation.rejected)
    resolved = resolve_selection(request, install, rejected, problems) if request is not None else None
    problems += [item.problem for item in rejected]
    is_missing = installation.unchecked and not options.complete and not installation.document.get("platform")
    if is_missing and (request is None or request.selection is not None or request.solution is not None):
        names = ", ".join(rule.name for rule in installation.unchecked)
        message = f"is not known, so these rules are not checked: {names}"
        where = Location(options.source, field="platform")
        problems.warning("unchecked-rules", where, message, "Set content with the platform")
    check = check._replace(violations=tuple(rejected))
    if resolved is not None:
        ensure = frozenset() if method == HOSTED else resolved_release.always
        check = check._replace(resolved=resolved)
        check = _with_selection(check, resolved, install, ensure, problems)
        if check.status is not None:
            _report_rendered(check.status, install, installation, problems)
            release, loaded, provided = installation.release, resolved_release.loaded, options.provided
            if method != HOSTED or not problems.has_errors:  # no extra manifest makes an impossible selection possible
                check_references(release, loaded, check.status, "error", problems, provided=provided)
            if release.manifests:  # they show whether anything needs the Namespace
                problems[:] = [item for item in problems if item.code not in _RULES_OF_NAMESPACES]
    return check._replace(problems=tuple(problems))


def _with_selection(
    check: InstallCheck,
    resolved: ResolvedSelection,
    install: InstallContext,
    ensure: frozenset[str],
    problems: Problems,
) -> InstallCheck:
    """Add the violations of a selection to ``check``; ``ensure`` are always-enabled names."""
    selection = resolved.selection
    enabled = install.enabled(selection or Selection()) & install.names
    broken = rule_violations(selection, install, resolved.requested)
    hosted = suggested = None
    if selection is not None:
        hosted = hosted_capabilities(enabled, install.minor_data, install.gated)
        # What is enabled stays enabled. So nothing is suggested if only the user knows what to enable.
        is_clear = all(item.rule is not BASELINE_REQUIRED for item in broken)
        if is_clear and not _has_misspellings(resolved.requested, install, problems):
            suggested = suggested_selection(selection, install)[0]
    # A misspelled name is reported as such, so what it stands for is not missing, too.
    unknown = [name for name in resolved.requested.additional if since_of(name) is None and name not in install.names]
    misspelled = {nearest_name(name, install.names) for name in unknown}
    problems += [
        _for_solution(item, resolved.requested.excluded or ())
        for item in each_mistake_once(broken)
        if item.capability not in misspelled and not _already_reported(item, resolved.requested, problems)
    ]
    if hosted is not None and install.method == HOSTED:
        _warn_about_hosted(hosted, install, problems)
        enabled -= hosted.stays_disabled
    status = CapabilityStatus(install.names, enabled | ensure, ensure - enabled)
    return check._replace(
        status=status, violations=(*check.violations, *broken), suggested_selection=suggested, hosted=hosted
    )


def _has_misspellings(requested: Selection, install: InstallContext, problems: Problems) -> bool:
    """Whether a selection has unknown fields, names that are no strings, or exclusions that no version knows."""
    unread = any(
        item.code in _MISSPELLINGS and item.where.field.startswith(f"{requested.where.field}.") for item in problems
    )
    names = install.minor_data.capabilities
    return unread or any(name not in names and since_of(name) is None for name in requested.excluded or ())


def _report_rendered(
    status: CapabilityStatus, install: InstallContext, installation: Installation, problems: Problems
) -> None:
    """Report what the bootstrap creates although its capability is disabled. A hosted cluster has no bootstrap."""
    disabled = status.known - status.enabled if install.method != HOSTED else frozenset()
    for item in BOOTSTRAP_OBJECTS:
        is_possible = item.since <= install.minor and install.method in item.methods
        has_platform = not item.platforms or install.platform in item.platforms
        is_requested = not item.field or installation.document.get(item.field) == item.value
        if item.capability in disabled and is_possible and has_platform and is_requested:
            where = Location(installation.options.source, field=item.field or "capabilities")
            message = f"{item.capability} is disabled, but {item.objects}"
            severity: Severity = "warning" if item.harmful else "info"
            problems.append(Problem(severity, "rendered-anyway", where, message, item.hint))
    for manifest in installation.release.manifests:
        names, resource = sorted(disabled.intersection(manifest.capabilities)), manifest.resource_id
        if names and bootstrap_renderer(resource.kind, resource.name, install.minor):
            message = f"{' and '.join(names)} is disabled, but the bootstrap creates {resource}"
            problems.info("rendered-anyway", manifest.location, message)


def _as_in_document(problems: Problems, source: str, release: Release) -> Iterator[Problem]:
    """Relocate problems of options whose values come from the install-config."""
    for problem in problems:
        option, bracket, index = problem.where.field.partition("[")
        if option == "hosted_control_plane":
            problem = problem._replace(where=Location(field="install_method"))
        if option in _FIELDS_OF_OPTIONS:
            field = f"{_FIELDS_OF_OPTIONS[option]}{bracket}{index}"
            problem = problem._replace(where=Location(source, field=field))
        if problem.code == "missing-feature-gates":  # an install-config has them only with CustomNoUpgrade
            problem = problem._replace(where=Location(release.path), hint="Name a whole release")
        if problem.code == "missing-version" and not release.manifests:
            problem = problem._replace(hint="Set openshift_version or release")
        if problem.code == "unknown-version" and problem.severity == "error":
            problem = problem._replace(hint="Correct the version, or set release to one with its ClusterVersion CRD")
        yield problem


def each_mistake_once(broken: Iterable[RuleViolation]) -> Iterator[RuleViolation]:
    """Yield the violations, and of those about the same missing name only the first error, or else the first one.

    The installer, the API and the documentation have rules about the same names.
    """
    found = tuple(broken)
    first: dict[str, RuleViolation] = {}
    for item in sorted(found, key=lambda item: item.problem.severity != "error"):
        first.setdefault(item.capability, item)
    for item in found:
        if not item.capability or first[item.capability] is item:
            yield item


def _for_solution(violation: RuleViolation, excluded: Collection[str]) -> Problem:
    """The problem of a violation. A solution cannot be changed, so its hint is to replace it.

    A name that it has ``excluded`` is what the user wants, and no mistake.
    """
    problem = violation.problem
    if not problem.where.source.startswith("solution "):
        return problem
    name = violation.capability
    hint = f"To correct it, set capabilities instead of solution, with {name}" if name not in ("", *excluded) else ""
    return problem._replace(where=Location(problem.where.source), hint=hint)


def _already_reported(violation: RuleViolation, requested: Selection, problems: Problems) -> bool:
    """Whether a missing baseline was already reported when the selection was read, maybe as a misspelled field."""
    within = f"{requested.where.field}."
    errors = [item for item in problems if item.severity == "error"]
    unread = any(item.code == "unknown-field" and item.where.field.startswith(within) for item in errors)
    known = unread or any(item.code in _BASELINE_PROBLEMS for item in errors)
    return known and violation.rule is BASELINE_REQUIRED


def _warn_about_hosted(hosted: HostedCapabilities, install: InstallContext, problems: Problems) -> None:
    """Warn about names that a HostedCluster cannot enable. Names that it cannot disable violate a rule instead."""
    if hosted.stays_disabled:
        message = f"a HostedCluster of {install.minor} cannot enable {', '.join(sorted(hosted.stays_disabled))}"
        problems.warning("unsupported-capability", "hosted_cluster_spec", message)
