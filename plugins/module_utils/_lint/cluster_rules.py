# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Rules about manifests that a cluster can have together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .._problems import Problem
from .._references.report import consequence, missing_names
from .._references.unmet import UnmetReference, unmet_references
from .._release.manifest import Manifest
from .cluster_variant import ClusterVariant
from .rules import finding
from .source import LintSource


def dangling_references(
    source: LintSource, variants: Iterable[ClusterVariant], known: frozenset[str]
) -> Iterator[Problem]:
    """References whose target needs a capability that the manifest does not need, each of them once.

    If a name is not ``known``, that is the mistake, and no cluster has the manifest.
    """
    reported: set[tuple[object, ...]] = set()
    for variant in variants:
        for reference in unmet_references(source.release, variant.manifests):
            manifest = reference.source
            if not all(known.issuperset(item.capabilities) for item in (manifest, *reference.providers)):
                continue
            key = (reference.kind, manifest.file, manifest.document, reference.target)
            enabled = variant.closure(frozenset(manifest.capabilities))
            if key not in reported and not variant.absent & enabled and reference.dangles(enabled):
                reported.add(key)
                yield _dangling(reference, enabled, source)


def _dangling(reference: UnmetReference, enabled: frozenset[str], source: LintSource) -> Problem:
    names = " and ".join(missing_names(reference, enabled))
    own = " and ".join(reference.source.capabilities) or "no capability"
    message = f"needs {own}, but refers to {reference.target}, which needs {names}: {consequence(reference)}"
    hint = f"Add {names} to its annotation, or move the reference"
    return finding(reference.kind, source.location(reference.source), message, hint)


def ambiguous_resources(source: LintSource, variants: Iterable[ClusterVariant]) -> Iterator[Problem]:
    """Resources with two manifests in one cluster that need other capabilities, or of which one deletes it."""
    reported: set[tuple[str, int]] = set()
    for variant in variants:
        for manifests in variant.by_resource.values():
            first = manifests[0]
            for other in manifests[1:]:
                key = (other.file, other.document)
                if _decision(other) != _decision(first) and key not in reported:
                    reported.add(key)
                    yield finding("two-answers", source.location(other), _ambiguity(first, other))


def _decision(manifest: Manifest) -> tuple[bool, frozenset[str]]:
    return manifest.deletes, frozenset(manifest.capabilities)


def _ambiguity(first: Manifest, other: Manifest) -> str:
    return (
        f"has another manifest in {first.file}, which {_describe(first)}; this one {_describe(other)}: the order of "
        "the files decides what the cluster has"
    )


def _describe(manifest: Manifest) -> str:
    names = " and ".join(manifest.capabilities) or "no capability"
    return f"{'deletes it and ' if manifest.deletes else ''}needs {names}"
