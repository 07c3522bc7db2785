# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What a release offers: its capabilities and what each of them brings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._capability.release_properties import (
    cluster_profiles,
    crd_names,
    gated_off,
    minor_data,
    profile_problems,
    release_gates,
    resolve_feature_set,
)
from .._data.capabilities import MinorData
from .._problems import InvalidOptionError, Problem, Problems, did_you_mean, raise_errors
from .._release.manifest import FEATURE_SET_ANNOTATION, Manifest
from .._release.release import Release
from .._release.task_graph import component_of
from .workloads import is_workload, workload_images

_SHOWN = 3


class CapabilitySummary(NamedTuple):
    """What carries one capability's name. All names are sorted; ``images`` are pull specs of its workloads."""

    manifests: int
    kinds: tuple[str, ...]
    namespaces: tuple[str, ...]
    cluster_operators: tuple[str, ...]
    crds: tuple[str, ...]
    images: tuple[str, ...]


class ReleaseSummary(NamedTuple):
    """What a release offers; ``known_capabilities`` and ``capability_sets`` are those of its minor and feature set."""

    version: str | None
    manifests: int
    known_capabilities: tuple[str, ...]
    capability_sets: Mapping[str, tuple[str, ...]]
    capabilities: Mapping[str, CapabilitySummary]
    cluster_profiles: tuple[str, ...]
    feature_sets: tuple[str, ...]


def summarize_release(
    release: Release, feature_set: str, cluster_profile: str
) -> tuple[ReleaseSummary, tuple[Problem, ...]]:
    """Describe ``release``. Raises ``InvalidOptionError`` for a feature set that does not exist."""
    problems = Problems()
    feature_set = resolve_feature_set(feature_set, release.minor, problems)
    raise_errors(problems, InvalidOptionError)
    facts = _facts(release, feature_set, cluster_profile, problems)
    gates, found = release_gates(release, feature_set, cluster_profile)
    problems += found
    hidden = gated_off(gates, feature_set)
    known = facts.capabilities - hidden if facts else frozenset()
    carriers = _carriers(release)
    capabilities = {name: _capability_summary(carriers.get(name, ()), release) for name in sorted({*known, *carriers})}
    if facts is not None:
        problems += _name_problems(carriers, facts, known)
        names, source = crd_names(release, feature_set, cluster_profile)
        problems += _crd_problems(names, source, known)
    problems += profile_problems(cluster_profile, release)
    problems += _partly_annotated(release)
    sets = facts.sets if facts else {}
    contents = ReleaseSummary(
        version=release.version,
        manifests=len(release.manifests),
        known_capabilities=tuple(sorted(known)),
        capability_sets={name: tuple(sorted(content - hidden)) for name, content in sets.items()},
        capabilities=capabilities,
        cluster_profiles=cluster_profiles(release),
        feature_sets=tuple(sorted(_feature_sets(release))),
    )
    return contents, tuple(problems)


def _facts(release: Release, feature_set: str, cluster_profile: str, problems: Problems) -> MinorData | None:
    if release.minor is None:
        message = "the version of this release is not known, so neither are its capabilities and sets"
        problems.append(Problem("warning", "todo", "openshift_version", message, "Set openshift_version"))
        return None
    found = Problems()
    facts = minor_data(release, release.minor, feature_set, cluster_profile, found)
    # A release can be described without its minor being known; only deciding needs that.
    problems += [Problem("warning", "todo", item.where, item.message, item.hint) for item in found]
    return facts


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
    images = {image for item in workloads for image in workload_images(item, release.body(item), pull_specs)}
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


def _name_problems(
    carriers: Mapping[str, list[Manifest]], facts: MinorData, known: frozenset[str]
) -> Iterator[Problem]:
    for name in sorted(set(carriers) - facts.capabilities):
        manifest = carriers[name][0]
        more = f" and {len(carriers[name]) - 1} more" if len(carriers[name]) > 1 else ""
        message = f"{manifest.resource_id}{more} carries {name!r}, which {facts.minor} does not know, so it is left out"
        yield Problem(
            "warning", "todo", f"{manifest.file}, document {manifest.document}", message, did_you_mean(name, known)
        )
    for name in sorted(known - set(carriers)):
        message = (
            "no manifest of this release carries the name: "
            "turning it off removes nothing here, and implicit enablement cannot see it"
        )
        yield Problem("info", "todo", f"capability {name}", message)


def _crd_problems(names: frozenset[str] | None, source: str, known: frozenset[str]) -> Iterator[Problem]:
    for name in sorted((names or frozenset()) - known):
        message = f"the ClusterVersion CRD accepts {name!r}, which is not known here"
        yield Problem("warning", "todo", source, message, "Update the collection")


def _partly_annotated(release: Release) -> Iterator[Problem]:
    """ClusterOperators whose component has manifests with capabilities and manifests without."""
    components: dict[str, list[Manifest]] = {}
    for manifest in release.manifests:
        components.setdefault(component_of(manifest.file), []).append(manifest)
    for component, manifests in sorted(components.items()):
        operators = sorted({item.resource_id.name for item in manifests if item.resource_id.kind == "ClusterOperator"})
        # Manifests that the CVO never reads (no annotations at all) say nothing about the component.
        without = [item for item in manifests if not item.capabilities and item.annotations]
        annotated = sum(1 for item in manifests if item.capabilities)
        if component and operators and annotated and without:
            shown = ", ".join(str(item.resource_id) for item in without[:_SHOWN])
            more = f" and {len(without) - _SHOWN} more" if len(without) > _SHOWN else ""
            message = (
                f"component {component} has {annotated} manifests with capabilities and {len(without)} without, "
                f"which no selection leaves out: {shown}{more}"
            )
            yield Problem("info", "todo", f"ClusterOperator {', '.join(operators)}", message)


def summary_dict(contents: ReleaseSummary) -> dict[str, Any]:
    """Return what a release offers in the shape that playbooks get."""
    capabilities = {name: brings._asdict() for name, brings in contents.capabilities.items()}
    return {**contents._asdict(), "capabilities": capabilities}
