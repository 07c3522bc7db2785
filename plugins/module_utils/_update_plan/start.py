# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The cluster from which a plan starts."""

from __future__ import annotations

from typing import Literal, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._capability.inclusion import Override
from .._capability.selection import Selection
from .._cluster.cluster_version import ReportedCapabilities
from .._resources import ResourceId
from .live_resources import LiveResources


class StartingCluster(NamedTuple):
    """The cluster that is put on a path.

    ``selection`` is pinned, as the API has it. ``status`` is what it says of itself, and wins over what the sets say;
    without one it follows from the selection. ``present`` are the resources that it has, for the algorithm that
    compares with these.
    """

    selection: Selection
    status: ReportedCapabilities | None = None
    overrides: tuple[Override, ...] = ()
    present: frozenset[ResourceId] | None = None


class PlanOptions(NamedTuple):
    """What the user says of a cluster on a path, unchecked. ``None`` means that nothing was said.

    ``cluster_version`` is the object, ``place`` where it comes from.
    """

    cluster: ClusterOptions
    cluster_version: object = None
    live: LiveResources | None = None
    platform: str | None = None
    place: str = "cluster_version"

    @property
    def says_start(self) -> bool:
        """Whether the user said what the plan starts from, or tried to."""
        said = (self.cluster.capabilities, self.cluster.enabled_capabilities, self.cluster.known_capabilities)
        return any(value is not None for value in (*said, self.cluster_version))


Source = Literal["capabilities", "cluster_version", "enabled_capabilities"]
"""The option that says what the plan starts from."""
