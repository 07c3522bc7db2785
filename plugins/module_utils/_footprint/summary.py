# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Summarizes a release: its capabilities, and what a cluster of given properties gets with each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions, check_options, inclusion_context
from .._capability.inclusion import InclusionContext, included_manifests
from .._capability.release_capabilities import defines_cluster_version
from .._capability.release_properties import cluster_profiles
from .._capability.resolved_release import ResolvedRelease, resolve_cluster, resolve_release
from .._data.capabilities import MinorData
from .._problems import InvalidOptionError, Problems, did_you_mean
from .._release.manifest import FEATURE_SET_ANNOTATION, Manifest
from .._release.release import Release
from .images import has_images, images_of


class CapabilitySummary(NamedTuple):
    """What a cluster gets with one capability.

    ``manifests`` counts the included manifests that need it, and ``deletions`` those of them that delete their
    resource. The other fields are sorted names of the resources in the rest; ``images`` are the pull specs in them.
    ``manifests_in_release`` counts all manifests that need it, for all profiles and feature sets.
    """

    manifests: int
    manifests_in_release: int
    deletions: int
    kinds: tuple[str, ...]
    namespaces: tuple[str, ...]
    cluster_operators: tuple[str, ...]
    crds: tuple[str, ...]
    images: tuple[str, ...]


class ReleaseSummary(NamedTuple):
    """A release in numbers and names. Known capabilities and capability sets are those of its minor and feature set.

    ``manifests`` counts all manifests of the release, ``included`` those that the cluster includes.
    """

    version: str | None
    manifests: int
    included: int
    known_capabilities: tuple[str, ...]
    capability_sets: Mapping[str, tuple[str, ...]]
    capabilities: Mapping[str, CapabilitySummary]
    cluster_profiles: tuple[str, ...]
    feature_sets: tuple[str, ...]


def summarize_release(release: Release, options: ClusterOptions, problems: Problems) -> ReleaseSummary:
    """Summarize ``release`` for a cluster of ``options``. Raises ``InvalidOptionError`` if they are not valid."""
    reported = Problems()
    criteria = check_options(options, release.minor, reported)
    reported.raise_errors(InvalidOptionError)
    resolved = resolve_release(criteria, release, reported)
    context = _context(options, release, resolved)
    # A summary is possible for an unknown minor; only decisions need its data.
    problems.extend(item._replace(severity="warning") if item.severity == "error" else item for item in reported)
    data = resolved.minor_data if resolved else None
    known = resolved.known if resolved else frozenset()
    gated = resolved.gated if resolved else frozenset()
    carriers = _carriers(release)
    capabilities = {
        name: _capability_summary(name, carriers.get(name, ()), release, context)
        for name in sorted({*known, *carriers})
    }
    if data is not None:
        _check_names(carriers, data, known, problems)
        _report_unused(known - set(carriers), release, problems)
    included = included_manifests(release.manifests, context)
    sets = data.sets if data else {}
    return ReleaseSummary(
        version=release.version,
        manifests=len(release.manifests),
        included=len(included),
        known_capabilities=tuple(sorted(known)),
        capability_sets={name: tuple(sorted(content - gated)) for name, content in sets.items()},
        capabilities=capabilities,
        cluster_profiles=cluster_profiles(release),
        feature_sets=tuple(sorted(_feature_sets(release))),
    )


def _carriers(release: Release) -> dict[str, list[Manifest]]:
    carriers: dict[str, list[Manifest]] = {}
    for manifest in release.manifests:
        for name in dict.fromkeys(manifest.capabilities):
            carriers.setdefault(name, []).append(manifest)
    return carriers


def _context(options: ClusterOptions, release: Release, resolved: ResolvedRelease | None) -> InclusionContext:
    """The context of decisions. Without data for the minor, capabilities exclude nothing."""
    if options.gives_status or (resolved is not None and resolved.minor_data is not None):
        context, _status = resolve_cluster(options, release, Problems())  # resolve_release reported the same problems
        return context
    return inclusion_context(check_options(options, release.minor, Problems()), release, Problems())


def _capability_summary(
    name: str, carriers: Collection[Manifest], release: Release, context: InclusionContext
) -> CapabilitySummary:
    status = context.capability_status
    if status is not None:
        context = context._replace(capability_status=status._replace(enabled=status.enabled | {name}))
    included = included_manifests(carriers, context)
    applied = [manifest for manifest in included if not manifest.deletes]
    resources = [manifest.resource_id for manifest in applied]
    pull_specs = frozenset(release.images.values())
    images = (images_of(item, release.read_body(item), pull_specs) for item in applied if has_images(item))
    namespaces = {item.name for item in resources if item.kind == "Namespace" and not item.group}
    return CapabilitySummary(
        manifests=len(included),
        manifests_in_release=len(carriers),
        deletions=len(included) - len(applied),
        kinds=_sorted(item.kind for item in resources),
        namespaces=_sorted(namespaces | {item.namespace for item in resources if item.namespace}),
        cluster_operators=_sorted(item.name for item in resources if item.kind == "ClusterOperator"),
        crds=_sorted(item.name for item in resources if item.kind == "CustomResourceDefinition"),
        images=_sorted(image for several in images for image in several),
    )


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


def _feature_sets(release: Release) -> set[str]:
    values = ((manifest.annotations or {}).get(FEATURE_SET_ANNOTATION, "") for manifest in release.manifests)
    return {name for value in values for name in value.split(",") if name}


def _check_names(
    carriers: Mapping[str, list[Manifest]], data: MinorData, known: frozenset[str], problems: Problems
) -> None:
    for name in sorted(set(carriers) - data.capabilities):
        manifest = carriers[name][0]
        more = f" and {len(carriers[name]) - 1} more" if len(carriers[name]) > 1 else ""
        message = f"{manifest.resource_id}{more} needs {name!r}, which is unknown in {data.minor}, so it is excluded"
        where = f"{manifest.file}, document {manifest.document}"
        problems.warning("unknown-capability", where, message, did_you_mean(name, known))


def _report_unused(names: Collection[str], release: Release, problems: Problems) -> None:
    if not any(defines_cluster_version(manifest) for manifest in release.manifests):
        message = (
            "has no CustomResourceDefinition of the ClusterVersion, so it is a part of a release; the counts cover "
            "only this part"
        )
        problems.info("partial-release", "release", message)
        return
    for name in sorted(names):
        message = "no manifest of this release needs it, so disabling it excludes nothing"
        problems.info("unused-capability", f"capability {name}", message)


def summary_dict(summary: ReleaseSummary) -> dict[str, Any]:
    """Convert a summary to the result ``release`` of the module ``release_info``."""
    capabilities = {name: capability._asdict() for name, capability in summary.capabilities.items()}
    return {**summary._asdict(), "capabilities": capabilities}
