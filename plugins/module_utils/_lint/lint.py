# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the manifests of a release or of one operator, and the update from the previous release."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from .._capability.inclusion import InclusionContext
from .._capability.release_properties import read_minor_data
from .._data.capabilities import FORCED_CAPABILITIES
from .._problems import InvalidOptionError, Location, Problem, Problems, did_you_mean
from .._release.release import Release
from .._release.task_graph import component_of
from .._resources import CLUSTER_VERSIONS, CUSTOM_RESOURCE_DEFINITIONS
from .checkout import OperatorCheckout
from .cluster_rules import ambiguous_resources, dangling_references, odd_ones_out, other_profiles
from .cluster_variant import cluster_variants
from .manifest_rules import (
    invalid_deletions,
    manifests_without_profile,
    misplaced_annotations,
    misspelled_annotations,
    rendered_manifests,
    unknown_capabilities,
)
from .rules import finding
from .source import LintSource
from .update_rules import UpdateRules

_OF_UPDATES = ("gains-capability", "deletion-gains-capability")


class LintOptions(NamedTuple):
    """The options of a lint.

    ``known_capabilities``: names that the API of the release does not know yet. ``components``: components whose
    findings are returned, all if it is empty.
    """

    known_capabilities: Sequence[str] = ()
    components: Sequence[str] = ()

    def covers(self, file: str) -> bool:
        """Whether a file is of one of the components."""
        return not self.components or component_of(file) in self.components


def lint(
    source: LintSource,
    previous: LintSource | None,
    options: LintOptions,
    problems: Problems,
    released: LintSource | None = None,
) -> tuple[Problem, ...]:
    """Return the findings in ``source``, and in the update from ``previous`` if it is given.

    References between ``source`` and the other components of ``released`` are checked, too. Raises
    ``InvalidOptionError`` if the capabilities of a release are not known.
    """
    _check_components(options.components, source.release)
    known = known_names(source, options.known_capabilities, "openshift_version", problems)
    before = frozenset[str]()
    whole = previous.release if previous else None
    if previous is not None:
        before = known_names(previous, (), "previous_openshift_version", problems)
        _check_order(previous.release, source.release)
        if source.is_part and not previous.is_part:
            others = set(map(id, source.others(previous.release)))
            kept = tuple(item for item in previous.release.manifests if id(item) not in others)
            previous = previous._replace(release=previous.release._replace(manifests=kept))
    findings = [
        *source.findings,
        *_broken_rules(source, previous, whole, (before, known), released),
        *_vanished_capabilities(source, before - known),
    ]
    if source.is_complete:
        findings += _unused_capabilities(source, known.difference(options.known_capabilities))
    else:
        found = {(item.where.source, item.where.field) for item in findings}
        findings += (odd for odd in odd_ones_out(source) if (odd.where.source, odd.where.field) not in found)
    return tuple(found for found in findings if options.covers(found.where.source))


def lint_checkout(
    checkout: OperatorCheckout, released: LintSource | None, options: LintOptions, problems: Problems
) -> Iterator[Problem]:
    """Yield the findings in a checkout, in its update from the merge base, and in references to and from ``released``.

    Those about files that the operator applies are included. What an update enables is an error only if ``released``
    has the resource: others may be new. What the operator now applies itself does not stay without an owner. Raises
    ``InvalidOptionError`` if the capabilities of a release are not known.
    """
    applied = {str(item.resource_id) for item in checkout.operands.release.manifests}
    yield from (found for found in checkout.operands.findings if options.covers(found.where.source))
    shipped = {str(item.resource_id) for item in (released.release.manifests if released else ())}
    for found in lint(checkout.source, checkout.previous, options, problems, released):
        if found.code == "still-deletes" or (found.code == "left-behind" and found.where.field in applied):
            continue
        may_be_new = found.code in _OF_UPDATES and found.where.field not in shipped
        yield found._replace(severity="warning") if may_be_new else found


def known_names(source: LintSource, more: Sequence[str], option: str, problems: Problems) -> frozenset[str]:
    """The capabilities that ``source`` knows, and ``more``. Raises ``InvalidOptionError``."""
    own, release = Problems(), source.release
    if release.minor is None:
        message = "is missing; the known capabilities depend on it"
        raise InvalidOptionError([Problem("error", "missing-version", option, message, f"Set {option}")])
    data = read_minor_data(release, release.minor, InclusionContext(), own)
    if data is None:
        found = Problems()
        for problem in own:
            where = option if source.is_part else problem.where
            hint = problem.hint
            if problem.code == "unknown-version":
                instead = f"Set {option} to one of these" if source.is_part else "Use one with its ClusterVersion CRD"
                hint = f"{instead}, or update the collection"
            found.error(problem.code, where, problem.message, hint)
        raise InvalidOptionError(found)
    # Names that the release does not know yet are expected to differ from what this collection knows.
    problems += (problem for problem in own if problem.code != "different-capabilities" or not more)
    return data.capabilities.union(more)


def _broken_rules(
    source: LintSource,
    previous: LintSource | None,
    whole: Release | None,
    names: tuple[frozenset[str], frozenset[str]],
    released: LintSource | None,
) -> Iterator[Problem]:
    """``previous`` are the manifests of the release ``whole`` to compare with, ``names`` what each release knows."""
    _before, known = names
    variants = cluster_variants(source.release, previous.release if previous else None)
    yield from manifests_without_profile(source)
    yield from unknown_capabilities(source, known)
    yield from misspelled_annotations(source)
    yield from misplaced_annotations(source)
    yield from invalid_deletions(source)
    yield from rendered_manifests(source)
    if released is None:
        yield from dangling_references(source, variants, known)
    else:
        around, others = source.within(released.release)
        yield from dangling_references(around, cluster_variants(around.release), known, others)
    yield from ambiguous_resources(source, variants)
    yield from other_profiles(source)
    if previous is not None:
        pair = (cluster_variants(previous.release, source.release, whole), variants)
        yield from UpdateRules(previous, source, pair, names).findings()


def _check_order(previous: Release, release: Release) -> None:
    if previous.minor and release.minor and previous.minor > release.minor:
        message = f"is {previous.shown_version}, expected a release that is not later than {release.shown_version}"
        hint = "Set previous_release to an earlier release"
        raise InvalidOptionError([Problem("error", "later-release", "previous_release", message, hint)])


def _check_components(names: Sequence[str], release: Release) -> None:
    problems = Problems()
    known = {component_of(manifest.file) for manifest in release.manifests} - {""}
    for name in sorted(set(names) - known):
        message = f"{name!r} is not a component of the release, expected NAME of its files 0000_NN_NAME_..."
        problems.error("unknown-component", "components", message, did_you_mean(name, known))
    problems.raise_errors(InvalidOptionError)


def _unused_capabilities(source: LintSource, known: frozenset[str]) -> Iterator[Problem]:
    used = {name for manifest in source.release.manifests for name in manifest.capabilities}
    used.update(item.capability for item in FORCED_CAPABILITIES if item.to_minor == source.release.minor)
    message = "is a capability that no manifest needs, so no update enables it implicitly"
    for name in sorted(known - used):
        yield finding("unused-capability", _definition_of(name, source), message)


def _vanished_capabilities(source: LintSource, names: Collection[str]) -> Iterator[Problem]:
    message = (
        "is a capability of the previous release, but not of this one: the API server rejects every write to a "
        "ClusterVersion that contains it"
    )
    for name in sorted(names):
        yield finding("vanished-capability", _definition_of(name, source), message)


def _definition_of(name: str, source: LintSource) -> Location:
    """The location of a capability in the ClusterVersion CRD, or in the main file of a release without one."""
    is_crd = CUSTOM_RESOURCE_DEFINITIONS.group_kind, CLUSTER_VERSIONS.resource
    crds = (item for item in source.release.manifests if (item.resource_id.group_kind, item.resource_id.name) == is_crd)
    crd = next(crds, None)
    return (
        Location(source.main_file, field=name)
        if crd is None
        else source.location(crd, f"- {name}\n")._replace(field=name)
    )
