# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The selection of a cluster that is going to be installed: from what the user said to what is written, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions, always_enabled, check_options, inclusion_context
from .._capability.hosted_cluster import HostedCapabilities, hosted_capabilities
from .._capability.inclusion import CapabilityStatus, InclusionContext
from .._capability.release_properties import gated_off, minor_data
from .._capability.rules import InstallContext, RuleViolation, suggested_selection, unchecked, violations
from .._capability.selection import Selection
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, DEFAULT_CLUSTER_PROFILE, V_CURRENT
from .._data.consequences import Consequence, consequences_of
from .._data.feature_sets import GATES_OF_FEATURE_SETS
from .._data.install_rules import BASELINE_REQUIRED, HOSTED, HOSTED_SINCE
from .._problems import Problem, Problems
from .._release.release import Release
from .pinning import SelectionForm, candidate_minors, shortest
from .selection_source import InstallOptions, ResolvedSelection, read_request, resolve_selection
from .validation import (
    default_method,
    feature_gates_of,
    feature_set_of,
    has_external_cloud_controller_manager,
    has_hosts,
    install_config_problems,
    platform_of,
)

_HOSTED_PROFILE = "ibm-cloud-managed"


class InstallCheck(NamedTuple):
    """What was found. Fields but ``problems`` and ``method`` are void where an error hides what they are.

    ``facts`` decide about manifests. ``chosen`` is what is to be written; ``suggested_selection``: the nearest
    selection that keeps
    every rule.
    """

    method: str
    platform: str | None
    problems: tuple[Problem, ...]
    facts: InclusionContext | None = None
    chosen: ResolvedSelection | None = None
    status: CapabilityStatus | None = None
    violations: tuple[RuleViolation, ...] = ()
    mended: Selection | None = None
    shortest: SelectionForm | None = None
    hosted: HostedCapabilities | None = None
    consequences: tuple[Consequence, ...] = ()


def profile_of(method: str | None) -> str:
    """Return the cluster profile of what ``method`` installs."""
    return _HOSTED_PROFILE if method == HOSTED else DEFAULT_CLUSTER_PROFILE


def block_of(selection: Selection) -> dict[str, Any]:
    """Return ``selection``, one without exclusions, as the API writes it; a list that is empty is left out."""
    block: dict[str, Any] = {API_BASELINE: selection.baseline or V_CURRENT}
    if selection.additional:
        block[API_ADDITIONAL] = list(selection.additional)
    return block


def check_installation(options: InstallOptions, release: Release) -> InstallCheck:
    """Check an installation of ``release`` and choose its selection; nothing is raised, all problems are returned."""
    problems = Problems(install_config_problems(options.document, options.place, complete=options.complete))
    asked = read_request(options, problems)
    method = options.method or default_method(options.document)
    found = InstallCheck(method, platform_of(options.document), ())
    if release.minor is None:
        message = "is needed: which rules and capabilities there are depends on the version"
        problems.append(Problem("error", "todo", "openshift_version", message, "Set it, or release"))
        return found._replace(problems=tuple(problems))
    of_cluster = Problems()
    cluster = check_options(_cluster_options(options, method), release.minor, of_cluster)
    facts = inclusion_context(cluster, release, of_cluster)
    known = minor_data(release, release.minor, cluster.feature_set, cluster.cluster_profile, of_cluster)
    problems += _as_in_document(of_cluster, options.place)
    if known is None:
        return found._replace(problems=tuple(problems))
    gates = facts.feature_gates
    install = InstallContext(
        known,
        method,
        found.platform,
        has_external_cloud_controller_manager(options.document),
        has_hosts(options.document) if found.platform == "baremetal" and options.complete else None,
        GATES_OF_FEATURE_SETS.get(cluster.feature_set, frozenset()) if gates is None else gates,
        gated_off(gates, cluster.feature_set),
    )
    refused: list[RuleViolation] = []
    chosen = resolve_selection(asked, install, problems, refused) if asked is not None else None
    problems += [item.problem for item in refused]
    if not options.complete and (asked is None or asked.says_something):
        problems += _unchecked(install, options.place)
    found = found._replace(facts=facts, violations=tuple(refused))
    if chosen is not None:
        ensure = frozenset() if method == HOSTED else always_enabled(cluster, known)
        found = _installed(found._replace(chosen=chosen), chosen, install, ensure, problems)
    return found._replace(problems=tuple(problems))


def _installed(
    found: InstallCheck,
    chosen: ResolvedSelection,
    install: InstallContext,
    ensure: frozenset[str],
    problems: Problems,
) -> InstallCheck:
    """Return ``found`` with what the chosen selection leads to; ``ensure`` are names that are on whatever is asked."""
    selection = chosen.selection
    enabled = install.enabled(selection or Selection()) & install.names
    broken = violations(selection, install, chosen.asked)
    problems += [item.problem for item in broken if not _already_reported(item, problems)]
    found = found._replace(violations=(*found.violations, *broken))
    if selection is not None:
        hosted = hosted_capabilities(enabled, install.minor_facts, install.hidden)
        problems += _hosted_problems(hosted, install)
        enabled -= hosted.stays_off if install.method == HOSTED else frozenset()
        meant = _cleaned(selection, install)
        found = found._replace(
            mended=suggested_selection(meant, install)[0],
            shortest=shortest(meant, candidate_minors(install.minor_facts)),
            hosted=hosted,
        )
    status = CapabilityStatus(install.names, enabled | ensure, ensure - enabled)
    return found._replace(
        facts=found.facts._replace(capability_status=status) if found.facts is not None else None,
        status=status,
        consequences=consequences_of(install.names - status.enabled),
    )


def _cluster_options(options: InstallOptions, method: str) -> ClusterOptions:
    return ClusterOptions(
        cluster_profile=profile_of(method),
        feature_set=feature_set_of(options.document),
        feature_gates=feature_gates_of(options.document),
    )


def _as_in_document(problems: Problems, place: str) -> Iterator[Problem]:
    """Say where a problem of an option is, if the install-config says what the option says elsewhere."""
    for problem in problems:
        for option, field in (("feature_set", "featureSet"), ("feature_gates", "featureGates")):
            if problem.where.startswith(option):
                problem = problem._replace(where=f"{place}: {problem.where.replace(option, field, 1)}")
        if problem.where == "openshift_version" and "is not known here" in problem.message:
            problem = problem._replace(hint="Name the release itself, in release, if it is newer than this collection")
        yield problem


def _already_reported(violation: RuleViolation, problems: Problems) -> bool:
    """A missing baseline is found where the block is read, too, and said there with the names beside it."""
    where = violation.problem.where
    return violation.rule is BASELINE_REQUIRED and any(problem.where == where for problem in problems)


def _cleaned(selection: Selection, install: InstallContext) -> Selection:
    """Return ``selection`` with the default it stands for, and without names that do not exist."""
    known = tuple(name for name in dict.fromkeys(selection.additional) if name in install.names)
    return selection._replace(baseline=selection.baseline or V_CURRENT, additional=known)


def _unchecked(install: InstallContext, place: str) -> Iterator[Problem]:
    rules = unchecked(install)
    if rules:
        message = f"nobody says it, so these rules are not checked: {', '.join(rule.name for rule in rules)}"
        yield Problem("warning", "todo", f"{place}: platform", message, "Give content with the platform")


def _hosted_problems(hosted: HostedCapabilities, install: InstallContext) -> Iterator[Problem]:
    """Say what a HostedCluster cannot turn on; what it has to have on is a rule."""
    if install.method == HOSTED and hosted.stays_off and not HOSTED_SINCE.in_force(install.minor, HOSTED):
        message = f"a HostedCluster of {install.minor} cannot turn on {', '.join(sorted(hosted.stays_off))}"
        yield Problem("warning", "todo", "hosted_cluster_spec", message)
