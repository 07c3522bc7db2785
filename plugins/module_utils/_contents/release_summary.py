# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Summarizes a release: its capabilities, and what a cluster of given properties gets with each of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .._capability.cluster_options import ClusterOptions, check_options, inclusion_context
from .._capability.inclusion import InclusionContext, included_manifests
from .._capability.release_properties import cluster_profiles, defines_cluster_version
from .._capability.resolved_release import ResolvedRelease, resolve_cluster, resolve_release
from .._data.capabilities import MinorData
from .._data.inclusion_rules import FEATURE_SET_ANNOTATION
from .._problems import InvalidOptionError, Problems, did_you_mean
from .._release.manifest import Manifest
from .._release.release import Release
from .images import has_images, images_of

_UNKNOWN_MINOR = frozenset({"missing-version", "unknown-version", "unsupported-version"})


def summarize_release(release: Release, options: ClusterOptions, problems: Problems) -> dict[str, Any]:
    """Return the result ``release`` of the module ``release_info`` for a cluster of ``options``.

    Raises ``InvalidOptionError`` if they are not valid.
    """
    reported = Problems()
    resolved = resolve_release(check_options(options, release.minor, reported), release, reported)
    # A summary is possible for an unknown minor; only a selection and decisions need its data.
    is_needed = options.capabilities is not None or options.solution is not None
    tolerated = frozenset() if is_needed else _UNKNOWN_MINOR
    problems += (item._replace(severity="warning") if item.code in tolerated else item for item in reported)
    context = _context(options, release, resolved, problems)
    problems.raise_errors(InvalidOptionError)
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
    included, status = included_manifests(release.manifests, context), context.capability_status
    sets = data.sets if data else {}
    return {
        "version": release.version,
        "manifests": len(release.manifests),
        "included": len(included),
        "included_without_capability": sum(not manifest.capabilities for manifest in included),
        "known_capabilities": sorted(known),
        "enabled_capabilities": sorted(status.enabled) if status else [],
        "capability_sets": {name: sorted(content - gated) for name, content in sets.items()},
        "capabilities": capabilities,
        "cluster_profiles": list(cluster_profiles(release)),
        "feature_sets": sorted(_feature_sets(release)),
    }


def _carriers(release: Release) -> dict[str, list[Manifest]]:
    carriers: dict[str, list[Manifest]] = {}
    for manifest in release.manifests:
        for name in dict.fromkeys(manifest.capabilities):
            carriers.setdefault(name, []).append(manifest)
    return carriers


def _context(
    options: ClusterOptions, release: Release, resolved: ResolvedRelease | None, problems: Problems
) -> InclusionContext:
    """The context of decisions. Without data for the minor, capabilities exclude nothing."""
    if options.gives_status or (resolved is not None and resolved.minor_data is not None):
        own = Problems()
        context, _status = resolve_cluster(options, release, own)
        reported = set(problems)  # by resolve_release
        problems += (problem for problem in own if problem not in reported)
        return context
    return inclusion_context(check_options(options, release.minor, Problems()), release, Problems())


def _capability_summary(
    name: str, carriers: Collection[Manifest], release: Release, context: InclusionContext
) -> dict[str, Any]:
    """What a cluster gets with one capability. Manifests that delete their resource count in ``manifests`` only."""
    status = context.capability_status
    if status is not None:
        context = context._replace(capability_status=status._replace(enabled=status.enabled | {name}))
    included = included_manifests(carriers, context)
    applied = [manifest for manifest in included if not manifest.deletes]
    resources = [manifest.resource_id for manifest in applied]
    pull_specs = frozenset(release.images.values())
    images = (images_of(item, release.read_body(item), pull_specs) for item in applied if has_images(item))
    namespaces = {item.name for item in resources if item.kind == "Namespace" and not item.group}
    return {
        "manifests": len(included),
        "namespaces": sorted(namespaces | {item.namespace for item in resources if item.namespace}),
        "cluster_operators": sorted({item.name for item in resources if item.kind == "ClusterOperator"}),
        "crds": sorted({item.name for item in resources if item.kind == "CustomResourceDefinition"}),
        "images": sorted({image for several in images for image in several}),
    }


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
        message = "no manifest of this release needs it; disabling it can still change what operators do"
        problems.info("unused-capability", f"capability {name}", message)
