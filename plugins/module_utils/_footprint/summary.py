# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Summarizes a release: its capabilities, and the resources of each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions, check_options
from .._capability.release_properties import cluster_profiles, crd_names
from .._capability.resolved_release import resolve_release
from .._data.capabilities import MinorData
from .._problems import InvalidOptionError, Problems, did_you_mean
from .._release.manifest import FEATURE_SET_ANNOTATION, Manifest
from .._release.release import Release
from .._release.task_graph import component_of
from .workloads import is_workload, workload_images

_SHOWN = 3


class CapabilitySummary(NamedTuple):
    """Resources annotated with one capability. Names are sorted; ``images`` are the pull specs of its workloads."""

    manifests: int
    kinds: tuple[str, ...]
    namespaces: tuple[str, ...]
    cluster_operators: tuple[str, ...]
    crds: tuple[str, ...]
    images: tuple[str, ...]


class ReleaseSummary(NamedTuple):
    """A release in numbers and names. Known capabilities and capability sets are those of its minor and feature set."""

    version: str | None
    manifests: int
    known_capabilities: tuple[str, ...]
    capability_sets: Mapping[str, tuple[str, ...]]
    capabilities: Mapping[str, CapabilitySummary]
    cluster_profiles: tuple[str, ...]
    feature_sets: tuple[str, ...]


def summarize_release(release: Release, feature_set: str, cluster_profile: str, problems: Problems) -> ReleaseSummary:
    """Summarize ``release``. Raises ``InvalidOptionError`` for an unknown feature set."""
    reported = Problems()
    options = ClusterOptions(cluster_profile=cluster_profile, feature_set=feature_set)
    criteria = check_options(options, release.minor, reported)
    reported.raise_errors(InvalidOptionError)
    resolved = resolve_release(criteria, release, reported)
    # A summary is possible for an unknown minor; only decisions need its data.
    problems.extend(item._replace(severity="warning") for item in reported)
    data = resolved.minor_data if resolved else None
    known = resolved.known if resolved else frozenset()
    gated = resolved.gated if resolved else frozenset()
    carriers = _carriers(release)
    capabilities = {name: _capability_summary(carriers.get(name, ()), release) for name in sorted({*known, *carriers})}
    if data is not None:
        _check_names(carriers, data, known, problems)
        names, source = crd_names(release, criteria.feature_set, cluster_profile)
        _check_crd(names, source, known, problems)
    _report_partly_annotated(release, problems)
    sets = data.sets if data else {}
    return ReleaseSummary(
        version=release.version,
        manifests=len(release.manifests),
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


def _capability_summary(manifests: Iterable[Manifest], release: Release) -> CapabilitySummary:
    carriers = list(manifests)
    resources = [manifest.resource_id for manifest in carriers]
    pull_specs = frozenset(release.images.values())
    workloads = (manifest for manifest in carriers if is_workload(manifest))
    images = {image for item in workloads for image in workload_images(item, release.read_body(item), pull_specs)}
    namespaces = {item.name for item in resources if item.kind == "Namespace" and not item.group}
    return CapabilitySummary(
        manifests=len(resources),
        kinds=_sorted(item.kind for item in resources),
        namespaces=_sorted(namespaces | {item.namespace for item in resources if item.namespace}),
        cluster_operators=_sorted(item.name for item in resources if item.kind == "ClusterOperator"),
        crds=_sorted(item.name for item in resources if item.kind == "CustomResourceDefinition"),
        images=_sorted(images),
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
    for name in sorted(known - set(carriers)):
        message = "no manifest of this release needs it, so disabling it excludes nothing"
        problems.info("unused-capability", f"capability {name}", message)


def _check_crd(names: frozenset[str] | None, source: str, known: frozenset[str], problems: Problems) -> None:
    for name in sorted((names or frozenset()) - known):
        message = f"the ClusterVersion CRD accepts {name!r}, which this collection does not know"
        problems.warning("unknown-capability", source, message, "Update the collection")


def _report_partly_annotated(release: Release, problems: Problems) -> None:
    """Report ClusterOperators whose component has manifests with capabilities and manifests without."""
    components: dict[str, list[Manifest]] = {}
    for manifest in release.manifests:
        components.setdefault(component_of(manifest.file), []).append(manifest)
    for component, manifests in sorted(components.items()):
        operators = sorted({item.resource_id.name for item in manifests if item.resource_id.kind == "ClusterOperator"})
        # The CVO ignores manifests without any annotation, so they do not count.
        without = [item for item in manifests if not item.capabilities and item.annotations]
        annotated = sum(1 for item in manifests if item.capabilities)
        if component and operators and annotated and without:
            shown = ", ".join(str(item.resource_id) for item in without[:_SHOWN])
            more = f" and {len(without) - _SHOWN} more" if len(without) > _SHOWN else ""
            message = (
                f"component {component} has {annotated} manifests with capabilities and {len(without)} without, "
                f"which no selection excludes: {shown}{more}"
            )
            problems.info("partly-annotated", f"ClusterOperator {', '.join(operators)}", message)


def summary_dict(summary: ReleaseSummary) -> dict[str, Any]:
    """Convert a summary to the result ``release`` of the module ``release_info``."""
    capabilities = {name: capability._asdict() for name, capability in summary.capabilities.items()}
    return {**summary._asdict(), "capabilities": capabilities}
