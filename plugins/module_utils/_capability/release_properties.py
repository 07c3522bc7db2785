# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Properties of a release apart from its manifests: capabilities and sets, feature gates, feature sets and profiles.

Capabilities and sets are from its ClusterVersion CRD, or else from this collection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .._data import capabilities as capability_data
from .._data import feature_sets
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, MinorData
from .._data.inclusion_rules import PROFILE_ANNOTATION
from .._data.version import Minor, is_semantic_version
from .._problems import Problems, did_you_mean, nearest_name
from .._release.manifest import Manifest
from .._release.release import Release
from .._resources import CLUSTER_VERSION_CRD, as_list, nested
from .inclusion import InclusionContext, decide

_UPDATE = "Update the collection"
_FEATURE_GATES = ("config.openshift.io", "FeatureGate")
_CONFIG_OPERATOR_ONLY = "false-except-for-the-config-operator"


class AcceptedNames(NamedTuple):
    """What a ClusterVersion CRD accepts in a selection. ``sets`` is ``None`` if it does not list them.

    ``source``: its file or its location in a cluster.
    """

    capabilities: frozenset[str]
    sets: frozenset[str] | None
    source: str


def read_minor_data(release: Release, minor: Minor, context: InclusionContext, problems: Problems) -> MinorData | None:
    """Capabilities and sets of ``release``. ``context`` decides which of its CRDs counts.

    ``None`` with an error if the minor has no capabilities (``unsupported-version``), or if neither the release nor
    this collection knows them (``unknown-version``). A difference between both is a warning.
    """
    oldest, newest = min(capability_data.BRANCHES), capability_data.newest_minor()
    if not capability_data.has_capabilities(minor):
        message = f"{minor} has no capabilities, expected {oldest} or later"
        where, hint = "openshift_version", f"Use a release of {oldest} or later"
        if not is_semantic_version(release.version or ""):
            hint = hint_to_quote(minor) or hint
        elif release.images:  # a release image has its version in release-metadata
            where = release.path
        problems.error("unsupported-version", where, message, hint)
        return None
    data, accepted = capability_data.data_of(minor), names_of_release(release, context)
    if data is not None:
        gated = names_disabled_by_gates(context.feature_gates, context.feature_set or "")
        return data if accepted is None else data_as_accepted(data, accepted, gated, problems)
    unknown = f"{minor} is not known to this collection, which knows {capability_data.shown_minors()}"
    if accepted is None:
        hint = "Use a release with its ClusterVersion CRD, or set enabled_capabilities and known_capabilities"
        problems.error("unknown-version", "openshift_version", unknown, hint)
        return None
    message = (
        f"{unknown}: known capabilities are those of its ClusterVersion CRD, "
        f"vCurrent is all of them, and older sets are those of {newest}"
    )
    problems.warning("unknown-version", accepted.source, message, _UPDATE)
    return capability_data.data_from_names(minor, accepted.capabilities, accepted.sets)


def data_as_accepted(data: MinorData, accepted: AcceptedNames, gated: frozenset[str], problems: Problems) -> MinorData:
    """``data`` with the names that a CRD of its minor accepts. Each difference is reported: the CRD decides.

    ``gated``: names whose feature gates are disabled. The CRD of a feature set lacks them, and they stay in ``data``.
    """
    names = accepted.capabilities | (data.capabilities & gated)
    own = capability_data.data_from_names(data.minor, names, accepted.sets)
    listed = frozenset(data.sets) if accepted.sets is None else accepted.sets
    differences = (
        ("capabilities", names - data.capabilities, data.capabilities - names),
        ("capability sets", listed - set(data.sets), set(data.sets) - listed),
    )
    for noun, added, missing in differences:
        if added:
            message = f"the ClusterVersion CRD has {noun} that this collection does not know in {data.minor}: "
            problems.warning("different-capabilities", accepted.source, message + _listed(added), _UPDATE)
        if missing:
            message = f"the ClusterVersion CRD lacks {noun} that this collection expects in {data.minor}: "
            hint = f"Check that the release is complete. {_UPDATE}"
            problems.warning("different-capabilities", accepted.source, message + _listed(missing), hint)
    unknown = listed - set(own.sets)
    if unknown:
        message = f"the content of these capability sets is not known, so they cannot be used: {_listed(unknown)}"
        problems.warning("unknown-capability-set", accepted.source, message, _UPDATE)
    is_same = own.capabilities == data.capabilities and set(own.sets) == set(data.sets)
    return data if is_same else own


def names_of_release(release: Release, context: InclusionContext) -> AcceptedNames | None:
    """What the ClusterVersion CRD of ``release`` accepts that a cluster of ``context`` gets; ``None`` without a CRD.

    If the release has none for the cluster profile, the one of another profile counts: the names are those that the
    CVO was built with.
    """
    definitions = [manifest for manifest in release.manifests if defines_cluster_version(manifest)]
    # What other filters exclude does not change the names that the CVO was built with.
    filters = InclusionContext(
        context.cluster_profile,
        context.feature_set,
        context.feature_gates,
        major_version=context.major_version,
        rules=context.rules,
    )
    for criteria in (filters, filters._replace(cluster_profile=None)):
        for manifest in definitions:
            if decide(manifest, criteria).included:
                accepted = accepted_names(release.read_body(manifest), manifest.file)
                if accepted is not None:
                    return accepted
    return None


def accepted_names(crd: Any, source: str) -> AcceptedNames | None:
    """What a ClusterVersion CRD accepts in a selection; ``None`` if it does not list capabilities."""
    for version in as_list(nested(crd, "spec", "versions")):
        spec = nested(version, "schema", "openAPIV3Schema", "properties", "spec", "properties")
        fields = nested(spec, "capabilities", "properties")
        names = nested(fields, API_ADDITIONAL, "items", "enum")
        if isinstance(names, list):
            sets = nested(fields, API_BASELINE, "enum")
            return AcceptedNames(_strings(names), _strings(sets) if isinstance(sets, list) else None, source)
    return None


def defines_cluster_version(manifest: Manifest) -> bool:
    """Whether ``manifest`` is the CustomResourceDefinition of the ClusterVersion, which each whole release has."""
    resource = manifest.resource_id
    return resource.kind == CLUSTER_VERSION_CRD.kind and resource.name == CLUSTER_VERSION_CRD.name


def hint_to_quote(minor: Minor) -> str:
    """What to do if YAML may have read another minor, without quotes, as this one: 4.20 as 4.2. Empty if it has not."""
    data_of = capability_data.data_of
    if data_of(minor) is not None or data_of(minor._replace(minor=minor.minor * 10)) is None:
        return ""
    return f'Quote the version: YAML reads an unquoted {minor}0 as the number {minor}, so write "{minor}0"'


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _strings(values: list[Any]) -> frozenset[str]:
    # The API also accepts an empty baseline, which means the default set.
    return frozenset(value for value in values if isinstance(value, str) and value)


def resolve_feature_set(name: str, minor: Minor | None, problems: Problems) -> str:
    """The feature set as the API spells it (``""`` is the default one). Reports one that ``minor`` does not have."""
    if name in ("", feature_sets.DEFAULT_FEATURE_SET):
        return ""
    known = set(feature_sets.feature_set_names(minor)) - {feature_sets.DEFAULT_FEATURE_SET}
    if name not in known:
        suffix = f" of {minor}" if minor else ""
        message = f"{name!r} is not a feature set{suffix}"
        # A name of another version is not a misspelling, however similar it is to a name of this one.
        other = feature_sets.feature_set(name)
        is_newer = minor is not None and other is not None and minor < other.since
        hint = f"Use it with {other.since} or later" if other and is_newer else did_you_mean(name, known)
        if nearest_name(name, known) is None:
            hint += ", or remove it for the default one"
        problems.error("unknown-feature-set", "feature_set", message, hint)
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


def check_gates(gates: Collection[str], releases: Sequence[Release], problems: Problems) -> None:
    """Warn about feature gates that no FeatureGate manifest of ``releases`` lists, if they have such manifests."""
    bodies = [
        nested(release.read_body(manifest), "status", "featureGates")
        for release in releases
        for manifest in release.manifests
        if gates and manifest.resource_id.group_kind == _FEATURE_GATES
    ]
    known = {name for body in bodies for state in ("enabled", "disabled") for name in _gates_in(as_list(body), state)}
    versions = " or ".join(dict.fromkeys(release.shown_version for release in releases))
    for name in sorted(set(gates) - known) if known else ():
        hint = did_you_mean(name, known) if nearest_name(name, known) else "Remove it"
        message = f"{name!r} is not a feature gate of {versions}"
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
