# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What a rollout goes by beside capabilities: as somebody said, else as the cluster itself says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._data import feature_sets
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.rest_mapper import RestMapper
from .._problems import Problem
from .._release.manifest import FEATURE_SET_ANNOTATION, Manifest
from .._release.release import Release
from .._resources import FEATURE_GATES, PROXIES, Target
from .._unstructured import mappings_in, nested
from .inventory import Inventory
from .options import RolloutCriteria

_FEATURE_GATE = Target(FEATURE_GATES, "cluster")
_PROXY = Target(PROXIES, "cluster")


class FeatureGateReading(NamedTuple):
    """What the cluster's FeatureGate says. ``readable``: there is an answer, also that there is none, the default.

    ``gates`` are those of the release; ``None`` where it does not say.
    """

    readable: bool
    feature_set: str = ""
    gates: tuple[str, ...] | None = None
    problems: tuple[Problem, ...] = ()


def read_feature_gate(client: Client, kinds: RestMapper, said: RolloutCriteria, release: Release) -> FeatureGateReading:
    """Return what the cluster says of features. Raises ``ClusterError``.

    A cluster without the object has the default feature set; of one that does not serve the kind nobody knows yet.
    Source: openshift/cluster-version-operator:pkg/start/start.go processInitialFeatureGate.
    """
    if said.feature_set is not None and said.feature_gates is not None:
        return FeatureGateReading(True, said.feature_set)
    if kinds.find(FEATURE_GATES.group, FEATURE_GATES.kind) is None:
        return FeatureGateReading(said.feature_set is not None, said.feature_set or "")
    try:
        found = client.find(_FEATURE_GATE)
    except ApiError as error:
        if not error.is_forbidden:
            raise
        problem = error.problems[0]
        if said.feature_set is not None:
            return FeatureGateReading(True, said.feature_set)
        message = f"{problem.message}, so manifests with a feature set are held back"
        hint = f"{problem.hint}, or give feature_set"
        return FeatureGateReading(False, problems=(problem._replace(message=message, hint=hint),))
    if found is None:
        return FeatureGateReading(True, said.feature_set or "")
    feature_set = str(nested(found, "spec", "featureSet") or "")
    if said.feature_set is None or _is_same(said.feature_set, feature_set):
        return FeatureGateReading(True, feature_set, _gates(found, release))
    shown = feature_set or feature_sets.DEFAULT_FEATURE_SET
    message = f"is {said.feature_set or feature_sets.DEFAULT_FEATURE_SET}, and FeatureGate cluster says {shown}"
    problem = Problem("warning", "todo", "feature_set", message, "Leave it out, unless the cluster is wrong")
    return FeatureGateReading(True, said.feature_set, None, (problem,))


def _is_same(given: str, told: str) -> bool:
    default = ("", feature_sets.DEFAULT_FEATURE_SET)
    return given == told or (given in default and told in default)


def cluster_options(
    said: RolloutCriteria, gate: FeatureGateReading, inventory: Inventory | None, overrides: Sequence[Any]
) -> ClusterOptions:
    """Return what is known of the cluster; the profile is that of the last rollout where nobody says one."""
    profile = said.cluster_profile or (inventory.cluster_profile if inventory else DEFAULT_CLUSTER_PROFILE)
    return ClusterOptions(
        cluster_profile=profile,
        feature_set=gate.feature_set,
        feature_gates=said.feature_gates if said.feature_gates is not None else gate.gates,
        exclude_identifier=said.exclude_identifier,
        overrides=overrides if said.overrides is None else said.overrides,
        always_enabled_capabilities=said.always_enabled_capabilities,
    )


def needs_feature_set(manifest: Manifest) -> bool:
    """Tell whether a manifest cannot be decided on while the feature set is not known."""
    return FEATURE_SET_ANNOTATION in (manifest.annotations or {})


def read_proxy(client: Client, kinds: RestMapper) -> Mapping[str, Any]:
    """Return the status of the cluster's Proxy, empty where there is none."""
    if kinds.find(PROXIES.group, PROXIES.kind) is None:
        return {}
    return nested(client.find(_PROXY), "status") or {}


def _gates(found: Mapping[str, Any], release: Release) -> tuple[str, ...] | None:
    """Return the gates that are on in ``release``, as config-operator has told them."""
    if release.minor is None or release.minor < feature_sets.GATES_FILTERED_SINCE:
        return None
    for item in mappings_in(nested(found, "status", "featureGates")):
        if item.get("version") == release.version:
            return tuple(str(gate.get("name")) for gate in mappings_in(item.get("enabled")))
    return None
