# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What a release tells of itself, beside its manifests: names, gates and profiles; and what its minor knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._data import capabilities as capability_data
from .._data import feature_sets
from .._data.capabilities import API_ADDITIONAL, MinorData
from .._problems import Problem, Problems, did_you_mean
from .._release.manifest import PROFILE_ANNOTATION
from .._release.release import Release
from .._unstructured import nested
from .._version import Minor
from .inclusion import InclusionContext, decide

_CONFIG_OPERATOR_ONLY = "false-except-for-the-config-operator"


def resolve_feature_set(name: str, minor: Minor | None, problems: Problems) -> str:
    """Return the feature set as the API spells it (``""`` is the default one); report one that does not exist."""
    if name in ("", feature_sets.DEFAULT_FEATURE_SET):
        return ""
    known = feature_sets.feature_set_names(minor)
    if name not in known:
        of = f" of {minor}" if minor else ""
        problems.append(
            Problem("error", "todo", "feature_set", f"{name!r} is not a feature set{of}", did_you_mean(name, known))
        )
    return name


def minor_data(
    release: Release, minor: Minor, feature_set: str, cluster_profile: str, problems: Problems
) -> MinorData | None:
    """Return what ``minor``, that of ``release``, knows: from the registry, else from the ClusterVersion CRD in it."""
    facts = capability_data.data_of(minor)
    if facts is not None:
        return facts
    oldest = min(capability_data.BRANCHES)
    if not capability_data.has_capabilities(minor):
        message = f"{minor} has no capabilities, they began with {oldest}"
        hint = 'Give the version of the release; an unquoted 4.20 in YAML is the number 4.2, so quote it: "4.20"'
        problems.append(Problem("error", "todo", "openshift_version", message, hint))
        return None
    known_to = f"{oldest} to {capability_data.newest_minor()}"
    names, source = crd_names(release, feature_set, cluster_profile)
    if names is None:
        hint = "Use a release with its ClusterVersion CRD, or say what a cluster of it has enabled and knows"
        problems.append(
            Problem("error", "todo", "openshift_version", f"{minor} is not known here ({known_to} are)", hint)
        )
        return None
    message = (
        f"{minor} is not known here ({known_to} are): known capabilities come from its ClusterVersion CRD, "
        f"vCurrent is all of them, and older sets are those of {capability_data.newest_minor()}"
    )
    problems.append(Problem("warning", "todo", source, message, "Update the collection"))
    return capability_data.data_from_names(minor, names, source)


def crd_names(release: Release, feature_set: str, cluster_profile: str) -> tuple[frozenset[str] | None, str]:
    """Return the capabilities that the release's ClusterVersion CRD of this flavour accepts, and its file."""
    flavour = InclusionContext(cluster_profile=cluster_profile, feature_set=feature_set)
    for manifest in release.manifests:
        resource = manifest.resource_id
        if resource.kind != "CustomResourceDefinition" or resource.name != "clusterversions.config.openshift.io":
            continue
        if decide(manifest, flavour).included:
            names = enum_names(release.body(manifest))
            if names is not None:
                return names, manifest.file
    return None, ""


def enum_names(crd: Any) -> frozenset[str] | None:
    """Return the names that a ClusterVersion CRD accepts in a list of capabilities, ``None`` where it lists none."""
    for version in _list(nested(crd, "spec", "versions")):
        capabilities = nested(version, "schema", "openAPIV3Schema", "properties", "spec", "properties", "capabilities")
        enum = nested(capabilities, "properties", API_ADDITIONAL, "items", "enum")
        if isinstance(enum, list):
            return frozenset(name for name in enum if isinstance(name, str))
    return None


def gated_off(gates: frozenset[str] | None, feature_set: str) -> frozenset[str]:
    """Capabilities that do not exist under these gates; with no gates known, under those of the feature set."""
    if gates is None:
        gates = feature_sets.GATES_OF_FEATURE_SETS.get(feature_set, frozenset())
    return capability_data.gated_capabilities(gates)


def release_gates(
    release: Release, feature_set: str, cluster_profile: str
) -> tuple[frozenset[str] | None, tuple[Problem, ...]]:
    """Return the gates that the release itself turns on for a feature set; ``None`` where the filter is off.

    Releases before 4.22 do not filter by gates, and without manifests nobody can be asked.
    """
    minor = release.minor
    if minor is None or minor < feature_sets.GATES_FILTERED_SINCE or not release.manifests:
        return None, ()
    gates = _gates_of_manifests(release, cluster_profile, feature_set, minor.major)
    if gates is not None:
        return gates, ()
    name = feature_set or feature_sets.DEFAULT_FEATURE_SET
    message = (
        f"the release has no FeatureGate manifest for feature set {name} and profile {cluster_profile}, "
        "so the feature-gate filter is off"
    )
    return None, (Problem("warning", "todo", "feature_gates", message, "Give the gates that are on ([] for none)"),)


def _gates_of_manifests(release: Release, cluster_profile: str, feature_set: str, major: int) -> frozenset[str] | None:
    """Gates that the release's FeatureGate manifests turn on; the CVO skips them, config-operator and oc read them."""
    flavour = InclusionContext(feature_set=feature_set, major_version=major)
    gates: set[str] | None = None
    for manifest in release.manifests:
        resource = manifest.resource_id
        if resource.group_kind != ("config.openshift.io", "FeatureGate"):
            continue
        marker = (manifest.annotations or {}).get(f"{PROFILE_ANNOTATION}{cluster_profile}")
        if marker in (_CONFIG_OPERATOR_ONLY, "true") and decide(manifest, flavour).included:
            entries = nested(release.body(manifest), "status", "featureGates")
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


def profile_problems(profile: str, release: Release) -> list[Problem]:
    """Return what is odd about a profile: that no manifest of the release names it."""
    carried = cluster_profiles(release)
    if profile in carried:
        return []
    found = ", ".join(carried) or "none"
    message = f"no manifest of this release names profile {profile!r}, so none is included; found are {found}"
    hint = did_you_mean(profile, carried)
    # All of them are in the message already.
    hint = "Give the profile that the cluster has" if hint.startswith("Known") else hint
    return [Problem("warning", "todo", "cluster_profile", message, hint)]


def cluster_profiles(release: Release) -> tuple[str, ...]:
    """Return the profiles that manifests of the release name, sorted."""
    found = {
        annotation.removeprefix(PROFILE_ANNOTATION)
        for manifest in release.manifests
        for annotation in manifest.annotations or ()
        if annotation.startswith(PROFILE_ANNOTATION)
    }
    return tuple(sorted(found))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
