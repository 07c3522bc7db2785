# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Named solutions: the capabilities that a purpose needs, with the source of each. Topologies: numbers of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from .version import Minor

TOPOLOGIES: Mapping[str, tuple[int, int]] = {"sno": (1, 0), "compact": (3, 0), "full": (3, 3)}
"""The replicas of the control plane and of the pool ``worker``, by the name of the topology."""


class WantedCapability(NamedTuple):
    """A capability that a solution needs, in minors up to ``until`` (``None``: all)."""

    capability: str
    until: Minor | None = None


class Solution(NamedTuple):
    """The purpose of a cluster: the start of its selection, names that it needs, and names that it excludes.

    ``without`` are mandatory exclusions. ``rather_without`` are excluded only if the rules allow it. ``topology`` is a
    key of ``TOPOLOGIES``, empty if the solution has no particular one.
    """

    name: str
    description: str
    starts_from: Literal["nothing", "everything"]
    wants: tuple[WantedCapability, ...] = ()
    without: tuple[str, ...] = ()
    rather_without: tuple[str, ...] = ()
    source: str = ""
    topology: str = ""


SOLUTIONS: tuple[Solution, ...] = (
    Solution(
        "minimal",
        "Only what version, platform and install method require",
        "nothing",
        source="openshift/enhancements:enhancements/installer/component-selection.md",
    ),
    Solution(
        "ran_du",
        "A single-node distributed unit of a radio access network: node tuning, and Operators from its own catalogs",
        "nothing",
        (
            WantedCapability("NodeTuning"),
            WantedCapability("OperatorLifecycleManager"),
            WantedCapability("marketplace", Minor(4, 14)),
        ),
        source="openshift-kni/telco-reference:telco-ran/install/clusterinstance/example-sno.yaml; "
        "openshift-kni/cnf-features-deploy release-4.12 to release-4.18",
        topology="sno",
    ),
    Solution(
        "headless",
        "Everything except the web console",
        "everything",
        without=("Console",),
        source="openshift/enhancements:enhancements/installer/component-selection.md (User Stories)",
    ),
    Solution(
        "no_image_registry",
        "Images come from an external registry; the cluster has neither a registry nor builds",
        "everything",
        without=("ImageRegistry",),
        rather_without=("Build",),
        source="openshift/enhancements#1729; openshift/release step ipi-conf-capability-additonalcaps",
    ),
    Solution(
        "managed_service",
        "A platform under a service that brings its own user interface, catalog and samples",
        "everything",
        without=("Console",),
        rather_without=("marketplace", "openshift-samples"),
        source="openshift/enhancements:enhancements/installer/component-selection.md (User Stories)",
    ),
    Solution(
        "disconnected",
        "Without remote health reports, the samples and the default catalogs of OLM v0, which need the internet",
        "everything",
        without=("Insights",),
        rather_without=("marketplace", "openshift-samples"),
        source="redhat-performance/jetlag#862",
    ),
)
