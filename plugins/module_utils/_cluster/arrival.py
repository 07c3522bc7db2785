# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Whether capabilities that were asked for are there: in the status, and with every operator that they bring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._problems import Problem
from .._resources import CLUSTER_OPERATORS, CLUSTER_VERSIONS
from .._unstructured import conditions_of, walk
from .operators import Versions
from .readiness import cluster_operator_readiness

_TOLD = ("Invalid", "Failing", "Progressing")
"""Conditions of ClusterVersion that can say why nothing happens."""


class Arrival(NamedTuple):
    """What is ``missing``, a problem for each operator; ``complaints`` are warnings about what is there."""

    missing: tuple[Problem, ...]
    complaints: tuple[Problem, ...]


def arrival_of(
    capabilities: frozenset[str],
    cluster_version: Mapping[str, Any] | None,
    operators: Mapping[str, Mapping[str, Any]],
    expected: Mapping[str, Versions],
) -> Arrival:
    """Return how much of ``capabilities`` is there, whose operators are ``expected`` (name -> versions).

    ``cluster_version`` and ``operators`` (by name) are the objects as the API has them.
    """
    missing: list[Problem] = []
    complaints: list[Problem] = []
    absent = capabilities.difference(walk(cluster_version, "status", "capabilities", "enabledCapabilities") or ())
    if absent:
        message = f"status does not have {', '.join(sorted(absent))} yet{_told(cluster_version)}"
        mend = "Look whether the cluster-version operator runs"
        missing.append(Problem("error", f"{CLUSTER_VERSIONS.resource} version", message, mend))
    for name, versions in sorted(expected.items()):
        readiness = cluster_operator_readiness(operators.get(name), versions)
        where = CLUSTER_OPERATORS.shown(name)
        if readiness.state != "ready":
            missing.append(Problem("error", where, readiness.message))
        elif readiness.degraded:
            complaints.append(Problem("warning", where, f"is available, and degraded: {readiness.degraded}"))
    return Arrival(tuple(missing), tuple(complaints))


def _told(cluster_version: Mapping[str, Any] | None) -> str:
    """Return what the CVO says of itself, if it says anything."""
    conditions = conditions_of(cluster_version)
    said = {kind: item.get("message") for kind, item in conditions.items() if item.get("status") == "True"}
    words = [f"{kind}: {said[kind]}" for kind in _TOLD if said.get(kind)]
    return f" ({'; '.join(words)})" if words else ""
