# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads the properties of a cluster that decide what its CVO applies."""

from __future__ import annotations

from collections.abc import Collection

from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._problems import Problem, Problems
from .._resources import Target
from .._unstructured import Object
from .cluster_properties import (
    CVO_DEPLOYMENT,
    FEATURE_GATE,
    INFRASTRUCTURE,
    ClusterProperty,
    cluster_profile,
    feature_gate_properties,
    infrastructure_properties,
)

_OF_INFRASTRUCTURE = frozenset({"platform", "control_plane_topology", "infrastructure_topology"})


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
        found += feature_gate_properties(find_or_warn(client, FEATURE_GATE, "feature_set", problems, settable=settable))
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
    try:
        return client.find(target)
    except ApiError as error:
        if not error.is_forbidden:
            raise
        problem: Problem = error.problems[0]
        message = f"{problem.message}, so the default is used"
        hint = f"{problem.hint}, or set {option}" if settable else problem.hint
        problems.append(Problem("warning", problem.code, option, message, hint))
        return None
