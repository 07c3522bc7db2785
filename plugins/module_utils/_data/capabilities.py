# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Capabilities, sets and special cases of each OpenShift minor, with their sources.

Nothing here is computed from a release. If a release has a ClusterVersion CRD, its names and sets replace those here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from .version import Minor, find_minor

NONE = "None"
V_CURRENT = "vCurrent"
DEFAULT_CLUSTER_PROFILE = "self-managed-high-availability"


class Capability(NamedTuple):
    """A capability.

    ``gates``: it exists only if one of these feature gates is enabled; empty means always. ``source`` is the source of
    ``gates`` and ``since``; the commit of each minor is in ``BRANCHES``.
    """

    name: str
    since: Minor
    gates: tuple[str, ...] = ()
    source: str = "openshift/api:config/v1/types_cluster_version.go KnownClusterVersionCapabilities"


class SetAmendment(NamedTuple):
    """A capability that was added to published sets."""

    capability: str
    sets: tuple[str, ...]
    since: Minor
    source: str


class SinceMinor(NamedTuple):
    """A behaviour that begins with a minor."""

    since: Minor
    source: str


class AlwaysEnabled(NamedTuple):
    """Capabilities that the CVO enables for every selection, from ``since`` on, except in ``except_profiles``."""

    capabilities: tuple[str, ...]
    since: Minor
    except_profiles: tuple[str, ...]
    source: str


class ForcedCapability(NamedTuple):
    """A capability that an update from one minor to another enables, although no manifest requires it."""

    capability: str
    from_minor: Minor
    to_minor: Minor
    source: str


class MinorData(NamedTuple):
    """All capabilities of a minor, whatever its feature gates are, and the content of its sets by name.

    ``not_written``: names that a hosted cluster lacks as soon as HyperShift writes a list.
    """

    minor: Minor
    capabilities: frozenset[str]
    sets: Mapping[str, frozenset[str]]
    not_written: frozenset[str] = frozenset()


_GATED = (
    "openshift/cluster-version-operator:lib/capability/capability.go featureGatedCapabilities; "
    "openshift/api:config/v1/types_cluster_version.go FeatureGateAwareEnum"
)

CAPABILITIES: tuple[Capability, ...] = (
    Capability("baremetal", Minor(4, 11)),
    Capability("marketplace", Minor(4, 11)),
    Capability("openshift-samples", Minor(4, 11)),
    Capability("CSISnapshot", Minor(4, 12)),
    Capability("Console", Minor(4, 12)),
    Capability("Insights", Minor(4, 12)),
    Capability("Storage", Minor(4, 12)),
    Capability("NodeTuning", Minor(4, 13)),
    Capability("Build", Minor(4, 14)),
    Capability("DeploymentConfig", Minor(4, 14)),
    Capability("ImageRegistry", Minor(4, 14)),
    Capability("MachineAPI", Minor(4, 14)),
    Capability("CloudCredential", Minor(4, 15)),
    Capability("OperatorLifecycleManager", Minor(4, 15)),
    Capability("CloudControllerManager", Minor(4, 16)),
    Capability("Ingress", Minor(4, 16)),
    Capability("OperatorLifecycleManagerV1", Minor(4, 18), (), "openshift/release#58914"),
    Capability(
        "CompatibilityRequirements",
        Minor(4, 23),
        ("CRDCompatibilityRequirementOperator", "ClusterAPIMachineManagement"),
        _GATED,
    ),
    Capability("ClusterAPI", Minor(4, 23), ("ClusterAPIMachineManagement",), _GATED),
)

VERSIONED_SETS: tuple[Minor, ...] = tuple(Minor(4, minor) for minor in range(11, 19))
"""Minors with their own set (v4.11 to v4.18); no minor after 4.18 added one.

A versioned set contains every capability known in its minor, and later minors keep it.
Source: openshift/api:config/v1/types_cluster_version.go ClusterVersionCapabilitySets, branches 4.11 to 5.2 compared.
"""

SET_AMENDMENTS: tuple[SetAmendment, ...] = (
    SetAmendment(
        "MachineAPI", ("v4.11", "v4.12", "v4.13"), Minor(4, 14), "openshift/api da7ec8746 (2023-08-11), release-4.14"
    ),
)

ALWAYS_ENABLED = AlwaysEnabled(
    ("Ingress",),
    Minor(4, 16),
    ("ibm-cloud-managed", "hypershift"),
    "openshift/cluster-version-operator:install/0000_00_cluster-version-operator_30_deployment.yaml "
    "--always-enable-capabilities (openshift/cluster-version-operator#946); hosted clusters do not pass it",
)

FORCED_CAPABILITIES: tuple[ForcedCapability, ...] = (
    ForcedCapability(
        "DeploymentConfig",
        Minor(4, 13),
        Minor(4, 14),
        "openshift/cluster-version-operator#981 (release-4.13:pkg/cvo/sync_worker.go syncPayload): "
        "no manifest carries it, so a 4.13 cluster-version operator adds it whenever it loads a 4.14 release",
    ),
)

OVERRIDES_ADMIT_PATCHES = SinceMinor(
    Minor(4, 22),
    "openshift/cluster-version-operator#1314: overrides block updates to another minor only; before 4.22, all updates",
)

DOWNGRADES_REFUSED = SinceMinor(
    Minor(4, 14),
    "openshift/cluster-version-operator#996, #1008, #1018 (rollback.go): refuses a downgrade, except to the previous "
    "version if only the patch differs",
)
ALL_DOWNGRADES_REFUSED_BY_SOME_PATCHES = (Minor(4, 14), Minor(4, 16))
"""Minors with patches that have no exception. Source: openshift/cluster-version-operator#1018, #1061, #1072."""

UPGRADEABLE_OF_CURRENT_MINOR = SinceMinor(
    Minor(4, 17),
    "openshift/cluster-version-operator#1094: compares the target with the version to which the cluster updates; "
    "before, with the last completed one, so Upgradeable=False also blocks another patch during a minor update",
)

SKIPPED_MINORS_REFUSED = SinceMinor(
    Minor(4, 19), "openshift/cluster-version-operator#1112 (gianthop.go): accepts no update that skips a minor version"
)

FIRST_OF_NEXT_MAJOR_ACCEPTED = SinceMinor(
    Minor(4, 22),
    "openshift/cluster-version-operator#1275 (gianthop.go): accepts an update to the minor 0 of the next major version",
)

BRANCHES: Mapping[Minor, str] = {
    Minor(4, 11): "92fe66c75e8fbd76d5f385443c2293d4d02f08cc",
    Minor(4, 12): "7ca3a4634e46f96ead414a5fc1d5221775e64c7f",
    Minor(4, 13): "0f638a8a4705427e0233f5b48e2289c5bdf8b891",
    Minor(4, 14): "b1c90a6cf9a3fd207d44f3dbc885a782a08de6f3",
    Minor(4, 15): "0a58f8c30a8c309baaa4aecd05580039b4d3888b",
    Minor(4, 16): "0677a8879a4608a5b6ecafd490fbbeb0ff77c6ef",
    Minor(4, 17): "92c55bf0f372c222dc02f17685c383d18e2c2e8b",
    Minor(4, 18): "f9b2d1ae30ebf759bc287c38474b41f246852cae",
    Minor(4, 19): "1ebdd7bba8e6c503a1f61c6d467ed877783826e1",
    Minor(4, 20): "05da40ea98557f8351483a39db3d0e7d9076bc8f",
    Minor(4, 21): "1cb630ce7109e6c4780332bb8140c8c4f7157426",
    Minor(4, 22): "9fda5179a7f76209e548ccc46d16767ed1e0bddb",
    Minor(4, 23): "dffcf504e2ea64d417e0778229b7be6df398a9be",
    Minor(5, 0): "e543cc5080e8c93e5dd65ffa26992321c7b079ca",
    Minor(5, 1): "2a3d73913b5a7caec4c57d5c3d04f51106ec4da3",
    Minor(5, 2): "2a3d73913b5a7caec4c57d5c3d04f51106ec4da3",
}
"""The minors with data here, and the commit of the branch of openshift/api that it was read from.

Source: openshift/api:config/v1/types_cluster_version.go
"""

_BY_NAME = {capability.name: capability for capability in CAPABILITIES}


def has_capabilities(minor: Minor) -> bool:
    """Whether ``minor`` has capabilities. An earlier CVO applies everything."""
    return minor >= min(BRANCHES)


def newest_minor() -> Minor:
    """The newest minor with data here."""
    return max(BRANCHES)


def shown_minors() -> str:
    """The minors with data here, as text. A major version can get further ones."""
    found = (sorted(minor for minor in BRANCHES if minor.major == major) for major in (4, 5))
    return " and ".join(f"{minors[0]} to {minors[-1]}" for minors in found)


@lru_cache
def data_of(minor: Minor) -> MinorData | None:
    """The capabilities and sets of ``minor``; ``None`` if it has no data here."""
    if minor not in BRANCHES:
        return None
    known = _names_at(minor)
    return MinorData(minor, known, {**_versioned_sets(minor), V_CURRENT: known})


def data_from_names(minor: Minor, names: Iterable[str], sets: Iterable[str] | None = None) -> MinorData:
    """The data of a minor from the ``names`` and ``sets`` in a ClusterVersion CRD, which does not have their content.

    ``vCurrent`` and the set of ``minor`` are all names. The other sets are those of this module, reduced to ``names``;
    sets that are not known here are omitted. Without ``sets``, they are those of this module.
    """
    known = frozenset(names)
    contents = {name: content & known for name, content in _versioned_sets(minor).items()}
    if sets is not None:
        versions = {name: find_minor(name.removeprefix("v")) for name in sets if name.startswith("v")}
        listed = sorted((version, name) for name, version in versions.items() if version and version <= minor)
        contents = {NONE: frozenset[str](), **{name: _names_at(version) & known for version, name in listed}} | {
            name: content for name, content in contents.items() if name in versions
        }
    if f"v{minor}" in contents:
        contents[f"v{minor}"] = known
    return MinorData(minor, known, {**contents, V_CURRENT: known})


def gates_of_capabilities() -> frozenset[str]:
    """The feature gates without which a capability does not exist."""
    return frozenset(gate for item in CAPABILITIES for gate in item.gates)


def gated_capabilities(gates: frozenset[str]) -> frozenset[str]:
    """Capabilities that do not exist if ``gates`` are all enabled feature gates.

    Source: openshift/cluster-version-operator:lib/capability/capability.go excludedCapabilities.
    """
    return frozenset(item.name for item in CAPABILITIES if item.gates and gates.isdisjoint(item.gates))


def forced_capabilities(from_minor: Minor, to_minor: Minor) -> tuple[ForcedCapability, ...]:
    """The capabilities that an update between these minors enables, although no manifest requires it."""
    return tuple(item for item in FORCED_CAPABILITIES if (item.from_minor, item.to_minor) == (from_minor, to_minor))


def gates_of_capability(capability: str) -> tuple[str, ...]:
    """The feature gates of ``capability``, which exists if one of them is enabled. Empty if it always exists."""
    known = _BY_NAME.get(capability)
    return known.gates if known else ()


def since_of(capability: str) -> Minor | None:
    """The first minor that knows ``capability``; ``None`` if no minor does."""
    known = _BY_NAME.get(capability)
    return known.since if known else None


def always_enabled_by_default(minor: Minor | None, cluster_profile: str) -> tuple[str, ...]:
    """Capabilities that clusters of ``minor`` enable for every selection."""
    if minor is None or minor < ALWAYS_ENABLED.since or cluster_profile in ALWAYS_ENABLED.except_profiles:
        return ()
    return ALWAYS_ENABLED.capabilities


def _names_at(minor: Minor) -> frozenset[str]:
    return frozenset(item.name for item in CAPABILITIES if item.since <= minor)


def _versioned_sets(minor: Minor) -> dict[str, frozenset[str]]:
    sets: dict[str, frozenset[str]] = {NONE: frozenset()}
    for versioned in VERSIONED_SETS:
        if versioned <= minor:
            name = f"v{versioned}"
            amended = {item.capability for item in SET_AMENDMENTS if name in item.sets and item.since <= minor}
            sets[name] = _names_at(versioned) | amended
    return sets


API_FIELDS = API_BASELINE, API_ADDITIONAL = "baselineCapabilitySet", "additionalEnabledCapabilities"
"""Fields of ``capabilities`` in an install-config, and in the spec of a ClusterVersion."""
