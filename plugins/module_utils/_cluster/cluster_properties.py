# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the properties of a cluster that decide what its CVO applies from the objects that report them.

Source: openshift/oc:pkg/cli/admin/release/extract.go (included manifests of a connected cluster);
openshift/cluster-version-operator:pkg/start/start.go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from .._capability.cluster_options import ClusterOptions, check_options, inclusion_context
from .._capability.inclusion import InclusionContext
from .._data import feature_sets
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._data.hosted_clusters import HOSTED_PROFILE
from .._data.inclusion_rules import inclusion_rules
from .._data.version import Minor, find_minor
from .._kubernetes.client import Client
from .._problems import Problems
from .._release.release import Release
from .._resources import CVO, DEPLOYMENTS, FEATURE_GATES, INFRASTRUCTURES, Object, Target, mappings_in, nested

FEATURE_GATE = Target(FEATURE_GATES, "cluster")
INFRASTRUCTURE = Target(INFRASTRUCTURES, "cluster")
CVO_DEPLOYMENT = Target(DEPLOYMENTS, CVO[1], CVO[0])

Names = TypeVar("Names", list[str], tuple[str, ...])

_PROFILE_VARIABLE = "CLUSTER_PROFILE"
_OUTSIDE = "External"
_OF_INFRASTRUCTURE = frozenset({"platform", "control_plane_topology", "infrastructure_topology"})
_CRITERIA = ("cluster_profile", "feature_set", "feature_gates")


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
            value = entry.get("value")
            # A rollout of a flat directory does not render templates.
            if entry.get("name") == variable and isinstance(value, str) and "{{" not in value:
                yield value


def read_properties(
    client: Client, names: Collection[str], problems: Problems, *, settable: bool = True
) -> dict[str, ClusterProperty]:
    """Read the properties ``names`` of a cluster, and those that are in the same objects. Raises ``ClusterError``.

    Names are ``feature_set``, ``feature_gates`` (a dict of versions with the names of enabled gates),
    ``cluster_profile``, ``platform`` (in lower case), ``control_plane_topology`` and ``infrastructure_topology``.
    A property of an object that does not exist, or whose kind the cluster does not serve, is not in the result. An
    object that the user may not read is a warning. ``settable``: whether the user can set the properties instead.
    """
    found: list[ClusterProperty] = []
    if not {"feature_set", "feature_gates"}.isdisjoint(names):
        option = "feature_set" if "feature_set" in names else "feature_gates"
        found += feature_gate_properties(find_or_warn(client, FEATURE_GATE, option, problems, settable=settable))
    deployment = infrastructure = None
    if "cluster_profile" in names:
        deployment = find_or_warn(client, CVO_DEPLOYMENT, "cluster_profile", problems, settable=settable)
    if not _OF_INFRASTRUCTURE.isdisjoint(names) or ("cluster_profile" in names and deployment is None):
        option = "platform" if "platform" in names else "cluster_profile"
        infrastructure = find_or_warn(client, INFRASTRUCTURE, option, problems, settable=settable)
        found += infrastructure_properties(infrastructure)
    profile = cluster_profile(deployment, infrastructure) if "cluster_profile" in names else None
    found += [profile] if profile else []
    return {item.name: item for item in found}


def find_or_warn(
    client: Client, target: Target, option: str, problems: Problems, *, settable: bool = True
) -> Object | None:
    """Return an object, ``None`` if it or its kind does not exist. One that the user may not read is a warning.

    ``option`` is the property that it contains, and the option that replaces it if it is ``settable``. Raises
    ``ClusterError``.
    """
    found, denied = client.find_permitted(target)
    if denied:
        hint = f"{denied.hint}, or set {option}" if settable else denied.hint
        problems.warning(denied.code, option, f"{denied.message}, so only its default is known", hint)
    return found


def check_hosted(client: Client, effect: str, hint: str, problems: Problems) -> None:
    """Report a cluster whose ClusterVersion HyperShift writes; a warning if that is not known. Raises ``ClusterError``.

    ``effect``: what follows, as a whole sentence.
    Source: openshift/hypershift:control-plane-operator/hostedclusterconfigoperator/controllers/resources/resources.go
    reconcileClusterVersion.
    """
    infrastructure, denied = client.find_permitted(INFRASTRUCTURE)
    if denied:
        message = f"{denied.message}, so it is not known whether {effect}"
        problems.warning(denied.code, str(INFRASTRUCTURE), message, denied.hint)
    if is_control_plane_outside(infrastructure):
        message = f"reports an external control plane, so {effect}"
        problems.error("hosted-control-plane", str(INFRASTRUCTURE), message, hint)


def read_inclusion_criteria(
    client: Client, cluster_version: Mapping[str, Any], version: str, problems: Problems
) -> dict[str, Any]:
    """Read what decides, besides capabilities, which manifests the CVO of a cluster includes. Raises ``ClusterError``.

    ``cluster_version`` is the ClusterVersion, and ``version`` the version in its status. A value is ``None`` if the
    cluster does not report it, so its default applies. An object that the user may not read is a warning.
    """
    return _options(read_properties(client, _CRITERIA, problems, settable=False), cluster_version, version)


def read_inclusion_context(
    client: Client, cluster_version: Mapping[str, Any], version: str, release: Release, problems: Problems
) -> InclusionContext:
    """Read how the CVO of a cluster decides about the manifests of ``release``, whatever the capabilities are.

    ``problems`` gets what could not be read, but not what is unknown of the release: the caller decides about some of
    its manifests only. The other arguments are those of ``read_inclusion_criteria``. Raises ``ClusterError``.
    """
    found = read_properties(client, (*_CRITERIA, "platform"), problems, settable=False)
    release_problems = Problems()
    options = ClusterOptions.from_params(_options(found, cluster_version, version))
    criteria = check_options(options, release.minor, release_problems)._replace(platform=_value(found, "platform"))
    return inclusion_context(criteria, release, release_problems)


def _options(found: Mapping[str, ClusterProperty], cluster_version: Mapping[str, Any], version: str) -> dict[str, Any]:
    return {
        "cluster_profile": _value(found, "cluster_profile"),
        "feature_set": _value(found, "feature_set"),
        "feature_gates": gates_of_version(_value(found, "feature_gates"), find_minor(version), version),
        "overrides": nested(cluster_version, "spec", "overrides") or [],
    }


def _value(found: Mapping[str, ClusterProperty], name: str) -> Any:
    return found[name].value if name in found else None
