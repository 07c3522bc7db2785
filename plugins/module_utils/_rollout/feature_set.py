# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The feature set of a cluster, as read from it or set by the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._data import feature_sets
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._data.inclusion_rules import inclusion_rules
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.rest_mapper import RestMapper
from .._problems import Problem
from .._release.release import Release
from .._resources import FEATURE_GATES, Target
from .._unstructured import mappings_in, nested
from .inventory import Inventory

_FEATURE_GATE = Target(FEATURE_GATES, "cluster")


class FeatureGateReading(NamedTuple):
    """The feature set of a cluster. ``readable``: it is known, even if only as the default.

    ``gates`` are the enabled gates of the release, ``None`` if the cluster does not report them.
    """

    readable: bool
    feature_set: str = ""
    gates: tuple[str, ...] | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def is_unserved(self) -> bool:
        """Whether the cluster does not serve FeatureGate yet, so its feature set is unknown."""
        return not self.readable and not self.problems


def read_feature_gate(
    client: Client, kinds: RestMapper, options: ClusterOptions, release: Release
) -> FeatureGateReading:
    """Read the feature set, unless ``options`` set it. Raises ``ClusterError``.

    A cluster that serves FeatureGate and has no such object has the default feature set.
    Source: openshift/cluster-version-operator:pkg/start/start.go processInitialFeatureGate.
    """
    if options.feature_set is not None and options.feature_gates is not None:
        return FeatureGateReading(True, options.feature_set)
    if kinds.find(FEATURE_GATES.group, FEATURE_GATES.kind) is None:
        return FeatureGateReading(options.feature_set is not None, options.feature_set or "")
    try:
        obj = client.find(_FEATURE_GATE)
    except ApiError as error:
        if not error.is_forbidden:
            raise
        return _forbidden(error, options)
    if obj is None:
        return FeatureGateReading(True, options.feature_set or "")
    feature_set = str(nested(obj, "spec", "featureSet") or "")
    if options.feature_set is None or _is_same(options.feature_set, feature_set):
        return FeatureGateReading(True, feature_set, _gates(obj, release))
    return FeatureGateReading(True, options.feature_set, None, (_other_feature_set(options.feature_set, feature_set),))


def _forbidden(error: ApiError, options: ClusterOptions) -> FeatureGateReading:
    if options.feature_set is not None:
        return FeatureGateReading(True, options.feature_set)
    problem = error.problems[0]
    message = f"{problem.message}, so manifests with a feature set are not applied"
    hint = f"{problem.hint}, or set feature_set"
    return FeatureGateReading(False, problems=(problem._replace(message=message, hint=hint),))


def _other_feature_set(given: str, reported: str) -> Problem:
    default = feature_sets.DEFAULT_FEATURE_SET
    message = f"is {given or default}, but the FeatureGate of the cluster has {reported or default}"
    return Problem(
        "warning", "different-feature-set", "feature_set", message, "Remove the option, unless the cluster is wrong"
    )


def _is_same(given: str, reported: str) -> bool:
    default = ("", feature_sets.DEFAULT_FEATURE_SET)
    return given == reported or (given in default and reported in default)


def cluster_options(
    options: ClusterOptions, gate: FeatureGateReading, inventory: Inventory | None, overrides: Sequence[Any]
) -> ClusterOptions:
    """Combine ``options`` with what the cluster reports. The profile defaults to that of the last rollout."""
    profile = options.cluster_profile or (inventory.cluster_profile if inventory else DEFAULT_CLUSTER_PROFILE)
    return options._replace(
        cluster_profile=profile,
        feature_set=gate.feature_set,
        feature_gates=options.feature_gates if options.feature_gates is not None else gate.gates,
        overrides=overrides if options.overrides is None else options.overrides,
    )


def _gates(obj: Mapping[str, Any], release: Release) -> tuple[str, ...] | None:
    """The enabled gates of ``release``, as reported by the config operator."""
    if release.minor is None or not inclusion_rules(release.minor).reads_gates:
        return None
    for item in mappings_in(nested(obj, "status", "featureGates")):
        if item.get("version") == release.version:
            return tuple(str(gate.get("name")) for gate in mappings_in(item.get("enabled")))
    return None
