# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Checks the manifests of a release, or those of one operator, and the update from the previous release."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from .._capability.inclusion import InclusionContext
from .._capability.release_capabilities import read_minor_data
from .._findings.finding import CheckRule, Finding
from .._problems import InvalidOptionError, Problems, did_you_mean
from .._release.release import Release
from .._resources import CLUSTER_VERSIONS, CUSTOM_RESOURCE_DEFINITIONS
from .breach import Breach
from .cluster_rules import ambiguous_resources, dangling_references, inconsistent_capabilities
from .cluster_variant import cluster_variants
from .manifest_rules import (
    invalid_deletions,
    manifests_without_profile,
    misplaced_annotations,
    misspelled_annotations,
    unknown_capabilities,
)
from .rules import RULES, RULES_BY_ID
from .source import LintSource
from .update_rules import UpdateRules


class LintOptions(NamedTuple):
    """The options of a lint.

    ``assume_known``: capabilities that the API of the release does not know yet. ``skip_rules``: rules that are not
    checked. ``extra_rules``: rules that are checked besides the usual ones.
    """

    assume_known: Sequence[str] = ()
    skip_rules: Sequence[str] = ()
    extra_rules: Sequence[str] = ()

    @property
    def rules(self) -> tuple[CheckRule, ...]:
        """The rules that are checked."""
        return tuple(
            rule for rule in RULES if rule.id not in self.skip_rules and (rule.default or rule.id in self.extra_rules)
        )


class LintResult(NamedTuple):
    """What a lint found. ``known`` are the capabilities that manifests can need."""

    findings: tuple[Finding, ...]
    known: frozenset[str]


def lint(source: LintSource, previous: LintSource | None, options: LintOptions, problems: Problems) -> LintResult:
    """Check ``source``, and the update from ``previous`` if it is given.

    Raises ``InvalidOptionError`` if the capabilities of a release are not known.
    """
    _check_rules(options.skip_rules)
    known = known_names(source.release, options.assume_known, "openshift_version", problems)
    before = frozenset[str]()
    if previous is not None:
        before = known_names(previous.release, (), "previous_openshift_version", problems)
        _check_order(previous.release, source.release)
    rules = {rule.id for rule in options.rules}
    findings = [
        *source.findings,
        *(breach.finding(source) for breach in _breaches(source.release, previous, before, known)),
        *_vanished_capabilities(source, before - known),
    ]
    if source.is_complete:
        findings += _unused_capabilities(source, known.difference(options.assume_known))
    return LintResult(tuple(found for found in findings if found.rule in rules), known)


def known_names(release: Release, assume_known: Sequence[str], option: str, problems: Problems) -> frozenset[str]:
    """The capabilities that ``release`` knows, and ``assume_known``. Raises ``InvalidOptionError``."""
    own = Problems()
    if release.minor is None:
        message = "is missing; the known capabilities depend on it"
        own.error("missing-version", option, message, f"Set {option}")
        raise InvalidOptionError(own)
    data = read_minor_data(release, release.minor, InclusionContext(), own)
    if data is None:
        raise InvalidOptionError(own)
    # Names that the release does not know yet are expected to differ from what this collection knows.
    problems += (problem for problem in own if problem.code != "different-capabilities" or not assume_known)
    return data.capabilities.union(assume_known)


def _breaches(
    release: Release, previous: LintSource | None, before: frozenset[str], known: frozenset[str]
) -> Iterator[Breach]:
    variants = cluster_variants(release, previous.release if previous else None)
    yield from manifests_without_profile(release)
    yield from unknown_capabilities(release, known)
    yield from misspelled_annotations(release)
    yield from misplaced_annotations(release)
    yield from invalid_deletions(release)
    yield from dangling_references(release, variants)
    yield from ambiguous_resources(variants)
    yield from inconsistent_capabilities(variants)
    if previous is not None:
        pair = (cluster_variants(previous.release, release), variants)
        yield from UpdateRules(previous.release, release, pair, (before, known)).breaches()


def _check_order(previous: Release, release: Release) -> None:
    if previous.minor and release.minor and previous.minor > release.minor:
        problems = Problems()
        message = f"is {previous.shown_version}, expected a release that is not later than {release.shown_version}"
        problems.error("later-release", "previous_release", message, "Set previous_release to an earlier release")
        raise InvalidOptionError(problems)


def _check_rules(names: Sequence[str]) -> None:
    problems = Problems()
    for name in names:
        if name not in RULES_BY_ID:
            problems.error("unknown-rule", "skip_rules", f"{name!r} is not a rule", did_you_mean(name, RULES_BY_ID))
    problems.raise_errors(InvalidOptionError)


def _unused_capabilities(source: LintSource, known: frozenset[str]) -> Iterator[Finding]:
    used = {name for manifest in source.release.manifests for name in manifest.capabilities}
    message = "is a capability that no manifest needs, so no update enables it implicitly"
    for name in sorted(known - used):
        yield _capability_finding("unused-capability", name, message, source)


def _vanished_capabilities(source: LintSource, names: Collection[str]) -> Iterator[Finding]:
    message = (
        "is a capability of the previous release, but not of this one: the API server rejects every write to a "
        "ClusterVersion that contains it"
    )
    for name in sorted(names):
        yield _capability_finding("vanished-capability", name, message, source)


def _capability_finding(rule_id: str, name: str, message: str, source: LintSource) -> Finding:
    """A finding about a capability. Its location is that in the ClusterVersion CRD, if the release contains one."""
    rule = RULES_BY_ID[rule_id]
    is_crd = CUSTOM_RESOURCE_DEFINITIONS.group_kind, CLUSTER_VERSIONS.resource
    crds = (item for item in source.release.manifests if (item.resource_id.group_kind, item.resource_id.name) == is_crd)
    crd = next(crds, None)
    file, line = (crd.file, source.line_of(crd, f"- {name}\n")) if crd else ("", 0)
    return Finding(rule.id, rule.severity, file, line, name, message, rule.hint)
