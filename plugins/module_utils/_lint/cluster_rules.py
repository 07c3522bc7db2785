# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules about manifests that a cluster can have together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from .._contents.unmet_references import UnmetReference, consequence, missing_names, unmet_references
from .._problems import Location, Problem
from .._release.manifest import Manifest
from .._resources import CLUSTER_OPERATORS, ResourceId
from .cluster_variant import ClusterVariant
from .rules import finding
from .source import LintSource

_MOST = 0.8
_ENOUGH = 5


def dangling_references(
    source: LintSource, variants: Iterable[ClusterVariant], known: frozenset[str], released: Sequence[Manifest] = ()
) -> Iterator[Problem]:
    """References whose target needs a capability that the manifest does not need, each of them once.

    If a name is not ``known``, that is the mistake, and no cluster has the manifest. Those of ``released``, which may
    be older, are warnings, and those within ``released`` are left out.
    """
    reported: set[tuple[object, ...]] = set()
    others = {id(manifest) for manifest in released}
    for variant in variants:
        for reference in unmet_references(source.release, variant.manifests):
            manifest = reference.source
            if others.issuperset(map(id, (manifest, *reference.providers))):
                continue
            if not all(known.issuperset(item.capabilities) for item in (manifest, *reference.providers)):
                continue
            if not any(variant.can_have_both(manifest, provider) for provider in reference.providers):
                continue
            key = (reference.kind, manifest.file, manifest.document, reference.target)
            enabled = variant.closure(frozenset(manifest.capabilities))
            if key not in reported and not variant.absent & enabled and reference.dangles(enabled):
                reported.add(key)
                # What ``released`` contains is in no file of the source.
                own, *_others = (item for item in (manifest, *reference.providers) if id(item) not in others)
                where = source.location(own)._replace(field=str(manifest.resource_id))
                found = _dangling(reference, enabled, where)
                yield found._replace(severity="warning") if id(manifest) in others else found


def _dangling(reference: UnmetReference, enabled: frozenset[str], where: Location) -> Problem:
    names = " and ".join(missing_names(reference, enabled))
    own = " and ".join(reference.source.capabilities) or "no capability"
    message = f"needs {own}, but refers to {reference.target}, which needs {names}: {consequence(reference)}"
    hint = f"Add {names} to its annotation, or move the reference to {reference.target}"
    return finding(reference.kind, where, message, hint)


def ambiguous_resources(source: LintSource, variants: Iterable[ClusterVariant]) -> Iterator[Problem]:
    """Resources with two manifests in one cluster that need other capabilities, or of which one deletes it."""
    reported: set[tuple[str, int]] = set()
    for variant in variants:
        for manifests in variant.by_resource.values():
            first = manifests[0]
            for other in manifests[1:]:
                key = (other.file, other.document)
                differs = _decision(other) != _decision(first) and variant.can_have_both(first, other)
                if differs and key not in reported:
                    reported.add(key)
                    yield finding("two-answers", source.location(other), _ambiguity(first, other))


def other_profiles(source: LintSource) -> Iterator[Problem]:
    """Manifests of one resource in different profiles, of which one needs a capability and the other none."""
    by_resource: dict[ResourceId, list[Manifest]] = {}
    for manifest in source.release.manifests:
        if not manifest.deletes and manifest.profiles:
            by_resource.setdefault(manifest.object_id, []).append(manifest)
    for manifests in by_resource.values():
        annotated = [item for item in manifests if item.capabilities]
        for manifest in manifests if annotated else ():
            if not manifest.capabilities and manifest.profiles != annotated[0].profiles:
                message = f"needs no capability, but {annotated[0].file} for other profiles {_describe(annotated[0])}"
                yield finding("other-profile", source.location(manifest), message)


def odd_ones_out(source: LintSource) -> Iterator[Problem]:
    """Manifests without a capability that most manifests of the only operator need."""
    manifests = [item for item in source.release.manifests if item.profiles and not item.deletes]
    operators = {item.resource_id for item in manifests if item.resource_id.group_kind == CLUSTER_OPERATORS.group_kind}
    counted = Counter(name for item in manifests for name in set(item.capabilities))
    common = {name for name, number in counted.items() if _ENOUGH <= number >= _MOST * len(manifests)}
    for manifest in manifests if len(operators) < 2 else ():
        missing = common.difference(manifest.capabilities)
        if missing:
            number = sum(missing.issubset(item.capabilities) for item in manifests)
            names = " and ".join(sorted(missing))
            message = f"does not need {names}, as {number} of the {len(manifests)} manifests here do"
            yield finding("odd-one-out", source.location(manifest), message)


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
