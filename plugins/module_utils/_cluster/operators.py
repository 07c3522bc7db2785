# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Which ClusterOperators belong to capabilities, and which versions they report once they are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._capability.inclusion import InclusionContext, decide
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._problems import Problem, Problems
from .._release.manifest import CAPABILITY_ANNOTATION, Manifest
from .._release.release import Release
from .._release.task_graph import Mode
from .._resources import CLUSTER_OPERATORS, CLUSTER_VERSIONS
from .._unstructured import conditions_of, mappings_in, nested
from .readiness import Readiness, cluster_operator_readiness, readiness

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
    facts = InclusionContext(cluster_profile=DEFAULT_CLUSTER_PROFILE, feature_set="")
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
        if wanted.intersection(str(nested(found, "metadata", "annotations", CAPABILITY_ANNOTATION) or "").split("+"))
    }


def versions_of_manifest(release: Release, manifest: Manifest) -> Versions:
    """Return the versions that the ClusterOperator of ``manifest`` reports once it is there."""
    found: dict[str, str] = {}
    for item in mappings_in(nested(release.body(manifest), "status", "versions")):
        name, version = item.get("name"), item.get("version")
        version = release.version if version == _PLACEHOLDER else version
        if isinstance(name, str) and isinstance(version, str) and version and not version.startswith(_PLACEHOLDER):
            found[name] = version
    return found


_REPORTED = ("Invalid", "Failing", "Progressing")
"""Conditions of ClusterVersion that can say why nothing happens."""


class Availability(NamedTuple):
    """What is ``missing``, a problem for each operator; ``complaints`` are warnings about what is there."""

    missing: tuple[Problem, ...]
    complaints: tuple[Problem, ...]


def check_availability(
    capabilities: frozenset[str],
    cluster_version: Mapping[str, Any] | None,
    operators: Mapping[str, Mapping[str, Any]],
    expected: Mapping[str, Versions],
) -> Availability:
    """Return how much of ``capabilities`` is there, whose operators are ``expected`` (name -> versions).

    ``cluster_version`` and ``operators`` (by name) are the objects as the API has them.
    """
    missing = Problems()
    complaints = Problems()
    absent = capabilities.difference(nested(cluster_version, "status", "capabilities", "enabledCapabilities") or ())
    if absent:
        message = f"status does not have {', '.join(sorted(absent))} yet{_reported(cluster_version)}"
        hint = "Look whether the cluster-version operator runs"
        missing.append(Problem("error", "todo", f"{CLUSTER_VERSIONS.resource} version", message, hint))
    for name, versions in sorted(expected.items()):
        readiness = cluster_operator_readiness(operators.get(name), versions)
        where = CLUSTER_OPERATORS.shown(name)
        if readiness.state != "ready":
            missing.append(Problem("error", "todo", where, readiness.message))
        elif readiness.degraded:
            complaints.append(Problem("warning", "todo", where, f"is available, and degraded: {readiness.degraded}"))
    return Availability(tuple(missing), tuple(complaints))


def _reported(cluster_version: Mapping[str, Any] | None) -> str:
    """Return what the CVO says of itself, if it says anything."""
    conditions = conditions_of(cluster_version)
    said = {kind: item.get("message") for kind, item in conditions.items() if item.get("status") == "True"}
    words = [f"{kind}: {said[kind]}" for kind in _REPORTED if said.get(kind)]
    return f" ({'; '.join(words)})" if words else ""


def readiness_of(release: Release, manifest: Manifest, found: Mapping[str, Any] | None, mode: Mode) -> Readiness:
    """Return whether the object of ``manifest`` is ready."""
    versions: Versions = {}
    if manifest.resource_id.group_kind == CLUSTER_OPERATORS.group_kind:
        versions = versions_of_manifest(release, manifest)
    return readiness(manifest.resource_id, found, mode, versions)
