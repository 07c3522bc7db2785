# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Properties of a release apart from its manifests and its capabilities: feature gates, feature sets and profiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .._data import capabilities as capability_data
from .._data import feature_sets
from .._data.inclusion_rules import PROFILE_ANNOTATION
from .._problems import Problems, did_you_mean, nearest_name
from .._release.release import Release
from .._resources import as_list, nested
from .._version import Minor
from .inclusion import InclusionContext, decide

_FEATURE_GATES = ("config.openshift.io", "FeatureGate")
_CONFIG_OPERATOR_ONLY = "false-except-for-the-config-operator"


def resolve_feature_set(name: str, minor: Minor | None, problems: Problems) -> str:
    """The feature set as the API spells it (``""`` is the default one). Reports one that ``minor`` does not have."""
    if name in ("", feature_sets.DEFAULT_FEATURE_SET):
        return ""
    known = feature_sets.feature_set_names(minor)
    if name not in known:
        suffix = f" of {minor}" if minor else ""
        message = f"{name!r} is not a feature set{suffix}"
        problems.error("unknown-feature-set", "feature_set", message, did_you_mean(name, known))
    return name


def names_disabled_by_gates(gates: frozenset[str] | None, feature_set: str) -> frozenset[str]:
    """Capabilities that do not exist with ``gates``. If ``gates`` is ``None``, the feature set decides."""
    if gates is None:
        gates = feature_sets.GATES_OF_FEATURE_SETS.get(feature_set, frozenset())
    return capability_data.gated_capabilities(gates)


def read_release_gates(release: Release, context: InclusionContext, problems: Problems) -> frozenset[str] | None:
    """The feature gates that ``release`` itself enables for a cluster of ``context``; ``None`` disables the filter.

    The CVOs of releases before 4.22 do not filter by feature gates.
    """
    minor, feature_set, cluster_profile = release.minor, context.feature_set, context.cluster_profile
    if minor is None or not context.rules.reads_gates or not release.manifests:
        return None
    gates: frozenset[str] | None = None
    # The CVO skips these manifests; cluster-config-operator and oc read them.
    context = InclusionContext(feature_set=feature_set, major_version=minor.major, rules=context.rules)
    for manifest in release.manifests:
        if manifest.resource_id.group_kind != _FEATURE_GATES:
            continue
        marker = (manifest.annotations or {}).get(f"{PROFILE_ANNOTATION}{cluster_profile}")
        if marker in (_CONFIG_OPERATOR_ONLY, "true") and decide(manifest, context).included:
            entries = nested(release.read_body(manifest), "status", "featureGates")
            if isinstance(entries, list):
                gates = (gates or frozenset()).union(_gates_in(entries, "enabled"))
    if gates is None:
        name = feature_set or feature_sets.DEFAULT_FEATURE_SET
        message = (
            f"the release has no FeatureGate manifest for feature set {name} and profile {cluster_profile}, "
            "so manifests are not filtered by feature gates"
        )
        hint = "Set feature_gates to the enabled gates ([] for none)"
        problems.warning("missing-feature-gates", "feature_gates", message, hint)
    return gates


def check_gates(gates: Iterable[str], release: Release, problems: Problems) -> None:
    """Warn about feature gates that no FeatureGate manifest of ``release`` lists, if it has such manifests."""
    manifests = (item for item in release.manifests if item.resource_id.group_kind == _FEATURE_GATES)
    bodies = [nested(release.read_body(manifest), "status", "featureGates") for manifest in manifests]
    known = {name for body in bodies for state in ("enabled", "disabled") for name in _gates_in(as_list(body), state)}
    for name in sorted(set(gates) - known) if known else ():
        hint = did_you_mean(name, known) if nearest_name(name, known) else "Remove it"
        message = f"{name!r} is not a feature gate of {release.shown_version}"
        problems.warning("unknown-feature-gate", "feature_gates", message, hint)


def _gates_in(entries: Iterable[object], state: str) -> Iterator[str]:
    names = (nested(gate, "name") for entry in entries for gate in as_list(nested(entry, state)))
    yield from (name for name in names if isinstance(name, str))


def check_profile(profile: str, release: Release, problems: Problems) -> None:
    """Report that no manifest of ``release`` names ``profile``, which would exclude all of them."""
    names = cluster_profiles(release)
    if profile in names:
        return
    message = (
        f"no manifest of this release names profile {profile!r}, so none is included; "
        f"its profiles are {', '.join(names) or 'none'}"
    )
    hint = did_you_mean(profile, names) if nearest_name(profile, names) else "Set the profile of the cluster"
    problems.error("unknown-profile", "cluster_profile", message, hint)


def cluster_profiles(release: Release) -> tuple[str, ...]:
    """The profiles that manifests of ``release`` name, sorted."""
    names = {
        annotation.removeprefix(PROFILE_ANNOTATION)
        for manifest in release.manifests
        for annotation in manifest.annotations or ()
        if annotation.startswith(PROFILE_ANNOTATION)
    }
    return tuple(sorted(names))
