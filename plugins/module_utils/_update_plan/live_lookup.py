# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Looks up on a cluster which of the resources that decide an update exist."""

from __future__ import annotations

from collections.abc import Collection

from .._kubernetes.client import Client
from .._kubernetes.lookup import find_existing
from .._kubernetes.rest_mapper import RestMapper
from .._problems import ClusterError, Problem, Problems, raise_errors
from .._resources import ResourceId

_WHERE = "live_resources"


def look_up_resources(
    client: Client, resources: Collection[ResourceId], problems: Problems, *, decisive: bool
) -> frozenset[ResourceId]:
    """Return which of ``resources`` exist on the cluster, and report how many were looked up.

    A resource of a kind that the cluster does not serve does not exist. ``decisive``: the plan depends on the
    resources, so ``ClusterError`` is raised with every kind that cannot be listed. Otherwise these are warnings.
    """
    if not resources:
        message = "nothing to look up: all capabilities that the new manifests need are enabled"
        problems.info("live-resources-read", _WHERE, message)
        return frozenset()
    lookup = find_existing(client, RestMapper(client), resources)
    if decisive:
        raise_errors(lookup.problems, ClusterError)
    problems += map(_as_warning, lookup.problems)
    kinds = {resource.group_kind for resource in resources}
    message = (
        f"looked up {len(resources)} resources of {len(kinds)} kinds on the cluster, and found {len(lookup.existing)}"
    )
    if lookup.unserved:
        message += f"; the cluster does not serve {lookup.unserved} of the kinds"
    problems.info("live-resources-read", _WHERE, message)
    return frozenset(lookup.existing)


def _as_warning(problem: Problem) -> Problem:
    message = f"{problem.message}, so live_only lacks its resources"
    return Problem("warning", problem.code, problem.where if any(problem.where) else _WHERE, message, problem.hint)
