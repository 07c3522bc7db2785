# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ClusterOperators of capabilities, the versions that they report, and whether they are available."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._capability.inclusion import InclusionContext, decide
from .._data.inclusion_rules import CAPABILITY_ANNOTATION
from .._problems import Problem, Problems
from .._release.manifest import Manifest
from .._release.release import Release
from .._release.task_graph import Mode
from .._resources import CLUSTER_OPERATORS, conditions_of, mappings_in, nested
from .cluster_version import CLUSTER_VERSION, is_behind
from .readiness import Readiness, cluster_operator_readiness, readiness

Versions = Mapping[str, str]
"""Name of a version, such as ``operator``, to the version itself, empty if any version is accepted."""

_PLACEHOLDER = "0.0.1-snapshot"
"""Replaces the version of the release in manifests that do not come from a release image. With a suffix it replaces the
version of a component, which is not known. Source: openshift/oc:pkg/cli/admin/release/image_mapper.go."""

_REPORTED = ("Invalid", "Failing", "Progressing")
"""Conditions of ClusterVersion that can explain why a capability is not available."""


class Availability(NamedTuple):
    """``missing``: a problem for each operator that is not available. ``degraded``: warnings about the others."""

    missing: tuple[Problem, ...]
    degraded: tuple[Problem, ...]


def operators_of_release(
    release: Release, capabilities: Iterable[str], enabled: frozenset[str], context: InclusionContext
) -> dict[str, Versions]:
    """Return the ClusterOperators, name -> versions, that a cluster has because of ``capabilities``.

    ``enabled`` are all enabled names: an operator that requires other names is not among the result. ``context``:
    that of the cluster, without a capability status.
    """
    names = frozenset(capabilities)
    return {
        manifest.resource_id.name: versions_of_manifest(release, manifest)
        for manifest in release.manifests
        if manifest.resource_id.kind == "ClusterOperator"
        and names.intersection(manifest.capabilities)
        and enabled.issuperset(manifest.capabilities)
        and decide(manifest, context).included
    }


def operators_of_cluster(
    operators: Mapping[str, Mapping[str, Any]], capabilities: Iterable[str], version: str | None
) -> dict[str, Versions]:
    """Return those of the ``operators`` of a cluster that belong to ``capabilities`` according to their annotation."""
    names = frozenset(capabilities)
    versions = {"operator": version} if version else {}
    return {
        name: versions
        for name, operator in operators.items()
        if names.intersection(str(nested(operator, "metadata", "annotations", CAPABILITY_ANNOTATION) or "").split("+"))
    }


def versions_of_manifest(release: Release, manifest: Manifest) -> Versions:
    """Return the versions that the ClusterOperator of ``manifest`` reports when it is available."""
    versions: dict[str, str] = {}
    for item in mappings_in(nested(release.read_body(manifest), "status", "versions")):
        name, version = item.get("name"), item.get("version")
        version = release.version if version == _PLACEHOLDER else version
        if isinstance(name, str) and isinstance(version, str) and version:
            versions[name] = "" if _is_placeholder(version) else version
    return versions


def _is_placeholder(version: str) -> bool:
    """Whether a release image has something else in place of ``version``.

    Of an operand that is the suffixed placeholder, or an image without the digest that oc adds
    (openshift/oc:pkg/cli/admin/release/image_mapper.go).
    """
    return version.startswith(_PLACEHOLDER) or ("/" in version and "@" not in version)


def check_availability(
    capabilities: frozenset[str],
    cluster_version: Mapping[str, Any] | None,
    operators: Mapping[str, Mapping[str, Any]],
    expected: Mapping[str, Versions],
    *,
    is_processed: bool = False,
) -> Availability:
    """Check that ``capabilities`` are enabled, and their ``expected`` operators (name -> versions) are available.

    The CVO must also have finished its sync, if it reports one.

    ``cluster_version`` and ``operators`` (by name) are the objects of the cluster. ``is_processed``: the CVO has
    nothing to apply because of the last change of the spec, even if it does not report the generation yet.
    """
    missing = Problems()
    degraded = Problems()
    absent = capabilities.difference(nested(cluster_version, "status", "capabilities", "enabledCapabilities") or ())
    hint = "Check that the cluster-version operator runs"
    if absent:
        message = f"status does not have {', '.join(sorted(absent))} yet{_reported(cluster_version)}"
        missing.error("missing-capability", str(CLUSTER_VERSION), message, hint)
    elif unfinished := _unfinished_sync(cluster_version, is_processed=is_processed):
        hint = "Wait, or repair what it waits for"
        if is_behind(cluster_version) and not is_processed:
            hint = "After a change of the channel, wait up to four minutes, and otherwise check that the operator runs"
        missing.error("unfinished-sync", str(CLUSTER_VERSION), unfinished, hint)
    for name, versions in sorted(expected.items()):
        readiness = cluster_operator_readiness(operators.get(name), versions)
        where = CLUSTER_OPERATORS.shown(name)
        if readiness.state != "ready":
            missing.error("unready-object", where, readiness.message)
        elif readiness.degraded:
            degraded.warning("degraded-operator", where, f"is available but degraded: {readiness.degraded}")
    return Availability(tuple(missing), tuple(degraded))


def is_synced(cluster_version: Mapping[str, Any] | None) -> bool:
    """Whether a CVO reports that it has applied everything, also what became included with the last change."""
    return "Progressing" in conditions_of(cluster_version) and not _unfinished_sync(cluster_version)


def _unfinished_sync(cluster_version: Mapping[str, Any] | None, *, is_processed: bool = False) -> str:
    """Why the CVO may not have applied the manifests of a capability yet, empty if nothing shows that.

    After a change of the spec, it first adds the names to the status. Only when it begins to apply the manifests, it
    reports the generation of the spec, and is Progressing until all of them are applied and their operators available.
    Source: openshift/cluster-version-operator:pkg/cvo/sync_worker.go Update, calculateNextFrom, apply.
    """
    if is_behind(cluster_version) and not is_processed:
        generation = nested(cluster_version, "metadata", "generation")
        observed = nested(cluster_version, "status", "observedGeneration")
        return f"the operator has not reported generation {generation} of the spec yet, only {observed}"
    progressing = conditions_of(cluster_version).get("Progressing", {})
    if progressing.get("status") == "True":
        return f"the operator has not applied everything yet: {progressing.get('message')}"
    return ""


def _reported(cluster_version: Mapping[str, Any] | None) -> str:
    """The conditions in which the CVO reports a problem, in parentheses; empty if there are none."""
    conditions = conditions_of(cluster_version)
    messages = {kind: item.get("message") for kind, item in conditions.items() if item.get("status") == "True"}
    parts = [f"{kind}: {messages[kind]}" for kind in _REPORTED if messages.get(kind)]
    return f" ({'; '.join(parts)})" if parts else ""


def readiness_of(release: Release, manifest: Manifest, live: Mapping[str, Any] | None, mode: Mode) -> Readiness:
    """Return the readiness of ``live``, the object of ``manifest``."""
    versions: Versions = {}
    if manifest.resource_id.group_kind == CLUSTER_OPERATORS.group_kind:
        versions = versions_of_manifest(release, manifest)
    return readiness(manifest.resource_id, live, mode, versions)
