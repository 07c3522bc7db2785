# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Which of the resources that decide an update are on a cluster."""

from __future__ import annotations

from collections.abc import Collection

from .._kubernetes.client import Client
from .._kubernetes.discovery import Discovery
from .._kubernetes.lookup import find_existing
from .._problems import ClusterError, Problem, raise_errors
from .._resources import ResourceId
from .live_resources import LiveResources

_WHERE = "live_resources"


def read_live_resources_of_cluster(client: Client, wanted: Collection[ResourceId]) -> LiveResources:
    """Return which of ``wanted`` are on the cluster, and say how many were asked for.

    A resource of a kind that the cluster does not serve is not there. Raises ``ClusterError`` with every kind that
    the cluster does not tell.
    """
    if not wanted:
        message = "nothing to ask the cluster for: all capabilities that the new manifests need are on"
        return LiveResources(frozenset(), (Problem("info", "todo", _WHERE, message),))
    presence = find_existing(client, Discovery(client), wanted)
    raise_errors(presence.problems, ClusterError)
    kinds, present = {resource.group_kind for resource in wanted}, frozenset(presence.existing)
    message = f"asked the cluster for {len(wanted)} resources of {len(kinds)} kinds, and found {len(present)}"
    if presence.unserved:
        message += f"; it does not serve {presence.unserved} of the kinds"
    return LiveResources(present, (Problem("info", "todo", _WHERE, message),))
