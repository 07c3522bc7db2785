# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The feature set of a cluster, as read from it or set by the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._cluster.cluster_properties import FEATURE_GATE, check_feature_set, enabled_gates, feature_set, gates_of_version
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._kubernetes.client import Client
from .._kubernetes.rest_mapper import RestMapper
from .._problems import Problem, Problems
from .._release.release import Release
from .._resources import FEATURE_GATES


class FeatureGateReading(NamedTuple):
    """The feature set of a cluster, ``None`` if it is not known.

    ``gates`` are the enabled gates of the release, ``None`` if the cluster does not report them.
    """

    feature_set: str | None = ""
    gates: tuple[str, ...] | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def is_unserved(self) -> bool:
        """Whether the cluster does not serve FeatureGate yet, so its feature set is unknown."""
        return self.feature_set is None and not self.problems


def read_feature_gate(
    client: Client, kinds: RestMapper, options: ClusterOptions, release: Release
) -> FeatureGateReading:
    """Read the feature set, unless ``options`` set it. Raises ``ClusterError``.

    A cluster that serves FeatureGate and has no such object has the default feature set.
    Source: openshift/cluster-version-operator:pkg/start/start.go processInitialFeatureGate.
    """
    if options.feature_set is not None and options.feature_gates is not None:
        return FeatureGateReading(options.feature_set)
    if kinds.find(FEATURE_GATES.group, FEATURE_GATES.kind) is None:
        return FeatureGateReading(options.feature_set)
    obj, denied = client.find_permitted(FEATURE_GATE)
    if denied and options.feature_set is None:
        message = f"{denied.message}, so manifests with a feature set are not applied"
        problem = denied._replace(message=message, hint=f"{denied.hint}, or set feature_set")
        return FeatureGateReading(None, problems=(problem,))
    if obj is None:
        return FeatureGateReading(options.feature_set or "")
    reported, problems = feature_set(obj), Problems()
    if check_feature_set(options.feature_set, reported, problems):
        return FeatureGateReading(reported, gates_of_version(enabled_gates(obj), release.minor, release.shown_version))
    return FeatureGateReading(options.feature_set or "", problems=tuple(problems))


def cluster_options(
    options: ClusterOptions, gate: FeatureGateReading, cluster_profile: str, overrides: Sequence[Any]
) -> ClusterOptions:
    """Combine ``options`` with what the cluster reports. ``cluster_profile`` is empty if it is not known."""
    return options._replace(
        cluster_profile=options.cluster_profile or cluster_profile or DEFAULT_CLUSTER_PROFILE,
        feature_set=gate.feature_set or "",
        feature_gates=options.feature_gates if options.feature_gates is not None else gate.gates,
        overrides=overrides if options.overrides is None else options.overrides,
    )
