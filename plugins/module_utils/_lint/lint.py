# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Checks the manifests of a release, or those of one operator, and the update from the previous release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .._capability.inclusion import InclusionContext
from .._capability.release_capabilities import read_minor_data
from .._findings.finding import CheckRule, Finding
from .._problems import InvalidOptionError, Problems, did_you_mean
from .._release.release import Release
from .breach import Breach
from .of_manifests import invalid_deletions, misplaced, misspelled, unknown_names, without_profile
from .of_update import UpdateRules
from .of_worlds import dangling, odd_ones_out, two_answers
from .rules import RULES, RULES_BY_ID
from .source import LintSource
from .worlds import worlds_of


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
    rules = {rule.id for rule in options.rules}
    findings = [found for found in source.findings if found.rule in rules]
    findings += (
        breach.finding(source) for breach in _breaches(source, previous, known, problems) if breach.rule in rules
    )
    if source.is_complete and "unused-capability" in rules:
        findings += _unused(source.release, known.difference(options.assume_known))
    return LintResult(tuple(findings), known)


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
    source: LintSource, previous: LintSource | None, known: frozenset[str], problems: Problems
) -> Iterator[Breach]:
    release = source.release
    worlds = worlds_of(release, previous.release if previous else None)
    yield from without_profile(release)
    yield from unknown_names(release, known)
    yield from misspelled(release)
    yield from misplaced(release)
    yield from invalid_deletions(release)
    yield from dangling(release, worlds)
    yield from two_answers(worlds)
    yield from odd_ones_out(worlds)
    if previous is not None:
        before = known_names(previous.release, (), "previous_openshift_version", problems)
        pair = (worlds_of(previous.release, release), worlds)
        yield from UpdateRules(previous.release, release, pair, (before, known)).breaches()


def _check_rules(names: Sequence[str]) -> None:
    problems = Problems()
    for name in names:
        if name not in RULES_BY_ID:
            problems.error("unknown-rule", "skip_rules", f"{name!r} is not a rule", did_you_mean(name, RULES_BY_ID))
    problems.raise_errors(InvalidOptionError)


def _unused(release: Release, known: frozenset[str]) -> Iterator[Finding]:
    used = {name for manifest in release.manifests for name in manifest.capabilities}
    rule = RULES_BY_ID["unused-capability"]
    for name in sorted(known - used):
        yield Finding(rule.id, rule.severity, "", 0, name, "is a capability that no manifest needs", rule.hint)
