# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The ClusterVersion of a cluster, and what the cluster's version knows."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from .._capability.release_properties import enum_names
from .._data import capabilities as capability_data
from .._data.capabilities import MinorData
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._problems import ClusterError, Problem, Problems
from .._resources import CLUSTER_VERSIONS, CUSTOM_RESOURCE_DEFINITIONS, Target
from .._unstructured import Object, nested
from .._version import find_minor
from .cluster_version import ClusterVersion

CLUSTER_VERSION = Target(CLUSTER_VERSIONS, "version")
_CRD = Target(CUSTOM_RESOURCE_DEFINITIONS, CLUSTER_VERSIONS.resource)

_ATTEMPTS = 40
"""How often somebody else may be faster; ten writers at once need about as many attempts."""


def get_cluster_version(client: Client) -> Object:
    """Return the object ``version``. Raises ``ClusterError``, which says what is missing where there is none."""
    try:
        return client.get(CLUSTER_VERSION)
    except ApiError as error:
        if not error.is_not_found:
            raise
        if error.object_name:
            message = "the cluster has no ClusterVersion named version"
            hint = "Create it, on a cluster without a cluster-version operator with a spec.clusterID of your own"
        else:
            message = f"{client.host} does not serve ClusterVersion: it is no OpenShift cluster, or no cluster's API"
            hint = (
                "Look at the address. On plain Kubernetes apply the CustomResourceDefinition "
                "clusterversions.config.openshift.io of a release first: kubectl apply --server-side -f "
                "RELEASE/manifests/0000_00_cluster-version-operator_01_clusterversions-Default.crd.yaml "
                "(clusterversion.crd.yaml up to 4.15)"
            )
        raise ClusterError([Problem("error", "todo", "clusterversions.config.openshift.io", message, hint)]) from None


def find_cluster_version(client: Client) -> Object | None:
    """Return the object ``version``, ``None`` where there is none. Raises ``ClusterError``."""
    return client.find(CLUSTER_VERSION)


def update_cluster_version(
    client: Client, target: Target, propose: Callable[[Object], Object | None], *, dry_run: bool
) -> tuple[Object, Object]:
    """Merge into the ClusterVersion (or, by ``target``, its status) what ``propose`` makes of it; ``None`` is nothing.

    Nobody's work is lost: where somebody else was faster, the object is read and the proposal made anew. Returns the
    object before and after, the same twice where nothing was sent. Raises ``ClusterError``, and what ``propose`` does.
    """
    unanswered: Object | None = None
    obj: Object = get_cluster_version(client)
    for attempt in range(_ATTEMPTS):
        body = propose(obj)
        if body is None:
            return unanswered or obj, obj
        version = nested(obj, "metadata", "resourceVersion")
        try:
            return obj, client.merge(target, {"metadata": {"resourceVersion": version}, **body}, dry_run=dry_run)
        except ApiError as error:
            if not error.is_conflict:
                raise
            if error.repeated:
                unanswered = unanswered or obj  # we may have been faster than ourselves, and only the answer got lost
            # Writers that met once meet again unless they wait for different times.
            time.sleep(random.uniform(0.01, 0.05) * min(attempt + 1, 10))
            obj = get_cluster_version(client)
    message = f"was changed by others {_ATTEMPTS} times while this was being written"
    hint = "Find out who writes it all the time, and run this again"
    raise ClusterError([Problem("error", "todo", str(target), message, hint)])


def minor_data_of_cluster(client: Client, cluster: ClusterVersion, problems: Problems) -> MinorData:
    """Return what the version of a cluster knows; where the registry does not know it, what the cluster's CRD lists.

    Raises ``ClusterError`` where neither says it.
    """
    minor = find_minor(cluster.version)
    facts = None if minor is None else capability_data.data_of(minor)
    if facts is not None:
        return facts
    crd = client.get(_CRD)
    names = enum_names(crd)
    if names is None:
        message = "does not list the names of capabilities, and the cluster's version is not known here"
        raise ClusterError([Problem("error", "todo", str(_CRD), message, "Give release, or update the collection")])
    found = f"{cluster.version} is not known here" if cluster.version else "the cluster does not say its version"
    message = f"{found}, so the capabilities are those that its CustomResourceDefinition lists"
    problems.append(Problem("info", "todo", CLUSTER_VERSIONS.resource, message, "Give release to be sure"))
    return capability_data.data_from_names(minor or capability_data.newest_minor(), names, str(_CRD))
