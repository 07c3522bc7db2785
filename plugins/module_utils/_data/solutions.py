# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Named solutions: the capabilities that a purpose needs, with the source of each."""

from __future__ import annotations

from typing import Literal, NamedTuple

from .._version import Minor


class WantedCapability(NamedTuple):
    """A capability that a solution needs, in minors up to ``until`` (``None``: all)."""

    capability: str
    until: Minor | None = None


class Solution(NamedTuple):
    """An intent: what to start from, what it needs, what must not be there, and what goes where that is possible."""

    name: str
    description: str
    starts_from: Literal["nothing", "everything"]
    wants: tuple[WantedCapability, ...] = ()
    without: tuple[str, ...] = ()
    rather_without: tuple[str, ...] = ()
    source: str = ""


SOLUTIONS: tuple[Solution, ...] = (
    Solution(
        "minimal",
        "Nothing but what version, platform and install method demand",
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
    ),
    Solution(
        "headless",
        "Everything but the web console",
        "everything",
        without=("Console",),
        source="openshift/enhancements:enhancements/installer/component-selection.md (User Stories)",
    ),
    Solution(
        "no_image_registry",
        "Images come from a registry outside of the cluster, so there is none inside, and no builds that push to it",
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
        "Without what reaches for the internet: remote health reports, the default catalogs, the samples",
        "everything",
        without=("Insights",),
        rather_without=("marketplace", "openshift-samples"),
        source="redhat-performance/jetlag#862",
    ),
)
