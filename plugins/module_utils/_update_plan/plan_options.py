# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of a plan for one cluster, as the user sets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal, NamedTuple, get_args

from .._capability.cluster_options import ClusterOptions
from .._release_image.release_source import ReleaseSource
from .plan import Rule
from .update_reasons import UpdateReason

_STARTS = ("capabilities", "solution", "cluster_version", "enabled_capabilities", "known_capabilities")


FailOn = Literal["acknowledge", "risk", "blocked", "never"]
"""The least serious verdict that fails, or none."""

FAIL_ON: tuple[FailOn, ...] = get_args(FailOn)


class SharedOptions(NamedTuple):
    """The options that count for all clusters of a fleet. ``source``: how releases in images are read.

    ``forbidden_capabilities``: names that no update may enable. ``acceptances``: as set by the user, unchecked.
    ``cluster_name``: the name that a single cluster has in them. ``today``: the day on which they have to count.
    """

    source: ReleaseSource = ReleaseSource()
    allow_downgrade: bool = False
    forbidden_capabilities: Sequence[str] = ()
    fail_on: FailOn = "blocked"
    acceptances: Sequence[Mapping[str, Any]] = ()
    cluster_name: str | None = None
    today: date = date.min

    @property
    def is_strict(self) -> bool:
        """Whether the task can fail because of the plan, so the plan must not lack what it depends on."""
        return bool(self.forbidden_capabilities) or self.fail_on != "never"


DEFAULT_SHARED_OPTIONS = SharedOptions()


class PlanOptions(NamedTuple):
    """The options of a cluster and its path as set by the user, unchecked. ``None`` means not set.

    ``releases``: the path as given. ``cluster_version``: the object, or the path of its file. ``name``: of a cluster of
    a fleet. ``where``, ``releases_where`` and ``location``: the locations of the cluster, of its path and of its
    ClusterVersion in problems. ``reported_gates``: as in ``InclusionCriteria``. ``preflight``: what the caller found
    against the first update.
    """

    cluster: ClusterOptions
    releases: Sequence[Any] | None = None
    cluster_version: object = None
    live_resources: Sequence[Any] | None = None
    extra_manifests: Sequence[str] | None = None
    rule: Rule = "manifest"
    name: str = ""
    where: str = ""
    releases_where: str = "releases"
    location: str = "cluster_version"
    reported_gates: tuple[tuple[str, frozenset[str]], ...] = ()
    preflight: tuple[UpdateReason, ...] = ()

    def of_cluster(self, entry: Mapping[str, Any], index: int) -> PlanOptions:
        """The options of a cluster of a fleet: its entry, and these for what it does not set.

        A selection, an object or a list of names in it replaces everything that these start from.
        """
        own = {name: value for name, value in entry.items() if value is not None}
        where = f"clusters[{index}]" + (f" ({own['name']})" if own["name"] else "")
        cluster, values = self.cluster, {name: own[name] for name in self._fields if name in own}
        if not own.keys().isdisjoint(_STARTS):
            cluster = cluster._replace(
                capabilities=None, solution=None, enabled_capabilities=None, known_capabilities=None
            )
            values.setdefault("cluster_version", None)
        if "releases" in own:
            values["releases_where"] = f"{where}.releases"
        cluster = cluster._replace(**{name: own[name] for name in cluster._fields if name in own})
        return self._replace(cluster=cluster, where=where, **values)

    @property
    def has_start(self) -> bool:
        """Whether the user set what the plan starts from, valid or not."""
        cluster = self.cluster
        others = (self.cluster_version, cluster.capabilities, cluster.solution)
        return any(value is not None for value in others) or cluster.gives_status

    @property
    def missing(self) -> frozenset[str]:
        """What the user did not set, so a selected cluster is read for it. ``start``: what the plan starts from."""
        cluster = self.cluster
        values: dict[str, Any] = {
            "start": self.has_start or None,
            "live_resources": self.live_resources,
            "platform": cluster.platform,
            "cluster_profile": cluster.cluster_profile,
            "feature_set": cluster.feature_set,
            "feature_gates": cluster.feature_gates,
            # A ClusterVersion that the user set contains its overrides.
            "overrides": cluster.overrides if self.cluster_version is None else True,
        }
        return frozenset(name for name, value in values.items() if value is None)
