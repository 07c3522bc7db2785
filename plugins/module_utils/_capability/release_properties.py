# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Properties of a release apart from its manifests: capability names, feature gates, feature sets and profiles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._data import capabilities as capability_data
from .._data import feature_sets
from .._data.capabilities import API_ADDITIONAL, MinorData
from .._data.inclusion_rules import inclusion_rules
from .._problems import Problems, did_you_mean, nearest_name
from .._release.manifest import PROFILE_ANNOTATION
from .._release.release import Release
from .._unstructured import nested
from .._version import Minor, is_semantic_version
from .inclusion import InclusionContext, decide

_CONFIG_OPERATOR_ONLY = "false-except-for-the-config-operator"


def resolve_feature_set(name: str, minor: Minor | None, problems: Problems) -> str:
    """The feature set as the API spells it (``""`` is the default one). Reports one that ``minor`` does not have."""
    if name in ("", feature_sets.DEFAULT_FEATURE_SET):
        return ""
    known = feature_sets.feature_set_names(minor)
    if name not in known:
        of = f" of {minor}" if minor else ""
        message = f"{name!r} is not a feature set{of}"
        problems.error("unknown-feature-set", "feature_set", message, did_you_mean(name, known))
    return name


def read_minor_data(
    release: Release, minor: Minor, feature_set: str, cluster_profile: str, problems: Problems
) -> MinorData | None:
    """Capabilities and sets of ``minor``: from this collection, or else from the ClusterVersion CRD in ``release``.

    ``None`` with an error if the minor has no capabilities (``unsupported-version``), or if neither knows them
    (``unknown-version``).
    """
    data = capability_data.data_of(minor)
    if data is not None:
        return data
    oldest, newest = min(capability_data.BRANCHES), capability_data.newest_minor()
    if not capability_data.has_capabilities(minor):
        message = f"{minor} has no capabilities, expected {oldest} or later"
        where, hint = "openshift_version", f"Use a release of {oldest} or later"
        if release.path and release.version is not None and is_semantic_version(release.version):
            where = release.path
        elif _may_be_a_number(minor):
            hint = f'Quote the version: YAML reads an unquoted {minor}0 as the number {minor}, so write "{minor}0"'
        problems.error("unsupported-version", where, message, hint)
        return None
    names, source = crd_names(release, feature_set, cluster_profile)
    unknown = f"{minor} is not known to this collection, which knows {oldest} to {newest}"
    if names is None:
        hint = "Use a release with its ClusterVersion CRD, or set enabled_capabilities and known_capabilities"
        problems.error("unknown-version", "openshift_version", unknown, hint)
        return None
    message = (
        f"{unknown}: known capabilities are those of its ClusterVersion CRD, "
        f"vCurrent is all of them, and older sets are those of {newest}"
    )
    problems.warning("unknown-version", source, message, "Update the collection")
    return capability_data.data_from_names(minor, names, source)


def _may_be_a_number(minor: Minor) -> bool:
    """Whether YAML may have read another minor, without quotes, as this one: 4.20 as the number 4.2."""
    return 0 < minor.minor < 10


def crd_names(release: Release, feature_set: str, cluster_profile: str) -> tuple[frozenset[str] | None, str]:
    """The capabilities that the ClusterVersion CRD of a feature set and profile accepts, and the file of the CRD."""
    rules = inclusion_rules(release.minor)
    context = InclusionContext(cluster_profile=cluster_profile, feature_set=feature_set, rules=rules)
    for manifest in release.manifests:
        resource = manifest.resource_id
        if resource.kind != "CustomResourceDefinition" or resource.name != "clusterversions.config.openshift.io":
            continue
        if decide(manifest, context).included:
            names = enum_names(release.read_body(manifest))
            if names is not None:
                return names, manifest.file
    return None, ""


def enum_names(crd: Any) -> frozenset[str] | None:
    """The names that a ClusterVersion CRD accepts in a list of capabilities; ``None`` if it has no such enum."""
    for version in _list(nested(crd, "spec", "versions")):
        capabilities = nested(version, "schema", "openAPIV3Schema", "properties", "spec", "properties", "capabilities")
        enum = nested(capabilities, "properties", API_ADDITIONAL, "items", "enum")
        if isinstance(enum, list):
            return frozenset(name for name in enum if isinstance(name, str))
    return None


def names_disabled_by_gates(gates: frozenset[str] | None, feature_set: str) -> frozenset[str]:
    """Capabilities that do not exist with ``gates``. If ``gates`` is ``None``, those of the feature set decide."""
    if gates is None:
        gates = feature_sets.GATES_OF_FEATURE_SETS.get(feature_set, frozenset())
    return capability_data.gated_capabilities(gates)


def read_release_gates(
    release: Release, feature_set: str, cluster_profile: str, problems: Problems
) -> frozenset[str] | None:
    """The feature gates that the release itself enables for a feature set; ``None`` disables the filter.

    The CVOs of releases before 4.22 do not filter by feature gates.
    """
    minor = release.minor
    if minor is None or not inclusion_rules(minor).reads_gates or not release.manifests:
        return None
    gates = _gates_of_manifests(release, cluster_profile, feature_set, minor)
    if gates is None:
        name = feature_set or feature_sets.DEFAULT_FEATURE_SET
        message = (
            f"the release has no FeatureGate manifest for feature set {name} and profile {cluster_profile}, "
            "so manifests are not filtered by feature gates"
        )
        hint = "Set feature_gates to the enabled gates ([] for none)"
        problems.warning("missing-feature-gates", "feature_gates", message, hint)
    return gates


def _gates_of_manifests(
    release: Release, cluster_profile: str, feature_set: str, minor: Minor
) -> frozenset[str] | None:
    # The CVO skips these manifests; cluster-config-operator and oc read them.
    context = InclusionContext(feature_set=feature_set, major_version=minor.major, rules=inclusion_rules(minor))
    gates: set[str] | None = None
    for manifest in release.manifests:
        resource = manifest.resource_id
        if resource.group_kind != ("config.openshift.io", "FeatureGate"):
            continue
        marker = (manifest.annotations or {}).get(f"{PROFILE_ANNOTATION}{cluster_profile}")
        if marker in (_CONFIG_OPERATOR_ONLY, "true") and decide(manifest, context).included:
            entries = nested(release.read_body(manifest), "status", "featureGates")
            if isinstance(entries, list):
                gates = gates or set()
                gates.update(_enabled_names(entries))
    return None if gates is None else frozenset(gates)


def _enabled_names(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        for gate in _list(nested(entry, "enabled")):
            name = nested(gate, "name")
            if isinstance(name, str):
                yield name


def check_profile(profile: str, release: Release, problems: Problems) -> None:
    """Warn if no manifest of ``release`` names ``profile``."""
    names = cluster_profiles(release)
    if profile in names:
        return
    message = (
        f"no manifest of this release names profile {profile!r}, so none is included; "
        f"its profiles are {', '.join(names) or 'none'}"
    )
    hint = did_you_mean(profile, names) if nearest_name(profile, names) else "Set the profile of the cluster"
    problems.warning("unknown-profile", "cluster_profile", message, hint)


def cluster_profiles(release: Release) -> tuple[str, ...]:
    """The profiles that manifests of ``release`` name, sorted."""
    names = {
        annotation.removeprefix(PROFILE_ANNOTATION)
        for manifest in release.manifests
        for annotation in manifest.annotations or ()
        if annotation.startswith(PROFILE_ANNOTATION)
    }
    return tuple(sorted(names))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
