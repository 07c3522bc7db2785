# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Which ClusterOperators belong to capabilities, and which versions they report once they are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._capability.inclusion import InclusionFacts, decide
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._release.manifest import CAPABILITY_ANNOTATION, Manifest
from .._release.release import Release
from .._unstructured import maps, walk

Versions = Mapping[str, str]
"""Name of a version, such as ``operator``, to the version itself."""

_PLACEHOLDER = "0.0.1-snapshot"
"""Stands for the version of the release where manifests were taken out of no release image; with a suffix for that of
a component, which nobody can tell. Source: openshift/oc:pkg/cli/admin/release/image_mapper.go."""


def operators_of_release(release: Release, capabilities: Iterable[str], enabled: frozenset[str]) -> dict[str, Versions]:
    """Return the ClusterOperators, name -> versions, that a cluster has because of ``capabilities``.

    ``enabled`` are all names that are on there: one that needs more than these does not come.
    """
    wanted = frozenset(capabilities)
    facts = InclusionFacts(cluster_profile=DEFAULT_CLUSTER_PROFILE, feature_set="")
    return {
        manifest.resource_id.name: versions_of_manifest(release, manifest)
        for manifest in release.manifests
        if manifest.resource_id.kind == "ClusterOperator"
        and wanted.intersection(manifest.capabilities)
        and enabled.issuperset(manifest.capabilities)
        and decide(manifest, facts).included
    }


def operators_of_cluster(
    operators: Mapping[str, Mapping[str, Any]], capabilities: Iterable[str], version: str | None
) -> dict[str, Versions]:
    """Return those among the ``operators`` of a cluster that say by their annotation to belong to ``capabilities``."""
    wanted = frozenset(capabilities)
    versions = {"operator": version} if version else {}
    return {
        name: versions
        for name, found in operators.items()
        if wanted.intersection(str(walk(found, "metadata", "annotations", CAPABILITY_ANNOTATION) or "").split("+"))
    }


def versions_of_manifest(release: Release, manifest: Manifest) -> Versions:
    """Return the versions that the ClusterOperator of ``manifest`` reports once it is there."""
    found: dict[str, str] = {}
    for item in maps(walk(release.body(manifest), "status", "versions")):
        name, version = item.get("name"), item.get("version")
        version = release.version if version == _PLACEHOLDER else version
        if isinstance(name, str) and isinstance(version, str) and version and not version.startswith(_PLACEHOLDER):
            found[name] = version
    return found
