# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The properties of a cluster that decide what its CVO applies, as the objects of the cluster report them.

Source: openshift/oc:pkg/cli/admin/release/extract.go (included manifests of a connected cluster);
openshift/cluster-version-operator:pkg/start/start.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from .._data import feature_sets
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._data.hosted_clusters import HOSTED_PROFILE
from .._data.inclusion_rules import inclusion_rules
from .._problems import Problems
from .._resources import CVO, DEPLOYMENTS, FEATURE_GATES, INFRASTRUCTURES, Object, Target, mappings_in, nested
from .._version import Minor

FEATURE_GATE = Target(FEATURE_GATES, "cluster")
INFRASTRUCTURE = Target(INFRASTRUCTURES, "cluster")
CVO_DEPLOYMENT = Target(DEPLOYMENTS, CVO[1], CVO[0])

Names = TypeVar("Names", list[str], tuple[str, ...])

_PROFILE_VARIABLE = "CLUSTER_PROFILE"
_OUTSIDE = "External"


class ClusterProperty(NamedTuple):
    """A property of a cluster. ``source``: the object and the field that it was read from."""

    name: str
    value: Any
    source: str


def feature_set(feature_gate: Object) -> str:
    """Return the feature set in a FeatureGate; empty for the default one."""
    return str(nested(feature_gate, "spec", "featureSet") or "")


def enabled_gates(feature_gate: Object) -> dict[str, tuple[str, ...]]:
    """Return the enabled gates in a FeatureGate by version, as the config operator reports them."""
    return {
        str(item.get("version")): tuple(str(gate.get("name")) for gate in mappings_in(item.get("enabled")))
        for item in mappings_in(nested(feature_gate, "status", "featureGates"))
    }


def gates_of_version(reported: Mapping[str, Names] | None, minor: Minor | None, version: str) -> Names | None:
    """Return the enabled gates of ``version``, of ``minor``, among those that a cluster reports by version.

    ``None`` if they are not reported, or if the CVO of ``minor`` does not filter by gates.
    """
    if reported is None or minor is None or not inclusion_rules(minor).reads_gates:
        return None
    return reported.get(version)


def check_feature_set(given: str | None, reported: str, problems: Problems) -> bool:
    """Whether the option ``given`` is the feature set that a cluster reports, or absent. A difference is a warning."""
    default = feature_sets.DEFAULT_FEATURE_SET
    if given is None or (given or default) == (reported or default):
        return True
    message = f"is {given or default}, but the FeatureGate of the cluster has {reported or default}"
    hint = "Remove the option to use the feature set of the cluster"
    problems.warning("different-feature-set", "feature_set", message, hint)
    return False


def cluster_profile(deployment: Object | None, infrastructure: Object | None) -> ClusterProperty | None:
    """Return the cluster profile of the CVO; ``None`` if it is not known.

    The CVO of a cluster with an external control plane runs in another cluster, with the profile of hosted clusters.
    """
    if deployment is not None:
        field = f"{CVO_DEPLOYMENT}, environment variable {_PROFILE_VARIABLE}"
        values = [*_values(deployment, _PROFILE_VARIABLE), DEFAULT_CLUSTER_PROFILE]
        return ClusterProperty("cluster_profile", values[0], field)
    if is_control_plane_outside(infrastructure):
        return ClusterProperty("cluster_profile", HOSTED_PROFILE, f"{INFRASTRUCTURE}, .status.controlPlaneTopology")
    return None


def is_control_plane_outside(infrastructure: Object | None) -> bool:
    """Whether the control plane of a cluster, with its CVO, runs in another cluster."""
    return bool(nested(infrastructure, "status", "controlPlaneTopology") == _OUTSIDE)


def feature_gate_properties(obj: Object | None) -> Iterator[ClusterProperty]:
    """Yield ``feature_set`` and ``feature_gates``, a dict of versions with the names of enabled gates."""
    if obj is not None:
        yield ClusterProperty("feature_set", feature_set(obj), f"{FEATURE_GATE}, .spec.featureSet")
        gates = {version: list(names) for version, names in enabled_gates(obj).items()}
        yield ClusterProperty("feature_gates", gates, f"{FEATURE_GATE}, .status.featureGates")


def infrastructure_properties(obj: Object | None) -> Iterator[ClusterProperty]:
    """Yield ``platform`` in lower case, both topologies, and ``infrastructure_name``, which is unique in a cloud."""
    fields = {
        "platform": ("platformStatus", "type"),
        "control_plane_topology": ("controlPlaneTopology",),
        "infrastructure_topology": ("infrastructureTopology",),
        "infrastructure_name": ("infrastructureName",),
    }
    for name, path in fields.items():
        value = nested(obj, "status", *path)
        if isinstance(value, str) and value:
            source = f"{INFRASTRUCTURE}, .status.{'.'.join(path)}"
            yield ClusterProperty(name, value.lower() if name == "platform" else value, source)


def _values(deployment: Object, variable: str) -> Iterator[str]:
    containers = nested(deployment, "spec", "template", "spec", "containers")
    for container in mappings_in(containers):
        for entry in mappings_in(container.get("env")):
            if entry.get("name") == variable and isinstance(entry.get("value"), str):
                yield entry["value"]
