# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads and writes the ClusterVersion of a cluster, and reads the capabilities that the cluster's version knows."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from .._capability.release_properties import accepted_names, data_as_accepted
from .._data import capabilities as capability_data
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, MinorData
from .._data.version import find_minor
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._problems import ClusterError, Problem, Problems
from .._resources import CLUSTER_VERSIONS, CUSTOM_RESOURCE_DEFINITIONS, Object, Target, as_list, nested
from .cluster_version import CLUSTER_VERSION, ClusterVersion

_CRD = Target(CUSTOM_RESOURCE_DEFINITIONS, CLUSTER_VERSIONS.resource)

_ATTEMPTS = 40
"""Attempts of a write with conflicts. Ten concurrent writers need about as many."""

Proposal = TypeVar("Proposal")


class UnknownToCrdError(ClusterError):
    """The CustomResourceDefinition of the cluster does not list the name of a capability or set."""


def get_cluster_version(client: Client) -> Object:
    """Return the object ``version``. Raises ``ClusterError``, with a hint if it or its kind does not exist."""
    try:
        return client.get(CLUSTER_VERSION)
    except ApiError as error:
        if not error.is_not_found:
            raise
        code = error.problems[0].code
        if error.object_name:
            message = "the cluster has no ClusterVersion named version"
            hint = "Create it; on a cluster without a cluster-version operator, set a new UUID as its spec.clusterID"
        else:
            message = f"{client.host} does not serve ClusterVersion: it is not the API server of an OpenShift cluster"
            hint = (
                "Check the address. On plain Kubernetes, apply the CustomResourceDefinition "
                "clusterversions.config.openshift.io of a release first: kubectl apply --server-side -f "
                "RELEASE/manifests/0000_00_cluster-version-operator_01_clusterversions-Default.crd.yaml "
                "(clusterversion.crd.yaml up to 4.15)"
            )
        raise ClusterError([Problem("error", code, CLUSTER_VERSIONS.resource, message, hint)]) from None


def update_cluster_version(
    client: Client, target: Target, propose: Callable[[Object], tuple[Object | None, Proposal]], *, dry_run: bool
) -> tuple[Object, Object, Proposal]:
    """Merge a change into the ClusterVersion, or into its status (``target``). No concurrent write is overwritten.

    ``propose`` returns the body to merge, ``None`` for no change, and a description of the change. After a conflict it
    is called again with the current object. Returns the object before and after (the same object if nothing was
    changed) and the description of the applied change. Raises ``ClusterError``, and what ``propose`` raises.
    """
    unanswered: tuple[Object, Proposal] | None = None
    obj: Object = get_cluster_version(client)
    for attempt in range(_ATTEMPTS):
        body, proposal = propose(obj)
        if body is None:
            before, proposal = unanswered or (obj, proposal)
            return before, obj, proposal
        if nested(obj, "metadata", "deletionTimestamp"):
            message = "is being deleted, so the change would be lost with it"
            hint = "Restore it from a backup once it is gone: no operator creates it again"
            raise ClusterError([Problem("error", "terminating-object", str(target), message, hint)])
        version = nested(obj, "metadata", "resourceVersion")
        body = {"metadata": {"resourceVersion": version}, **body}
        try:
            after = client.merge(target, body, dry_run=dry_run)
            _check_capabilities(body, after)
            return obj, after, proposal
        except ApiError as error:
            if not error.is_conflict:
                raise explained(error, target) from None
            if error.repeated:
                unanswered = unanswered or (obj, proposal)  # the conflict can be with our own first attempt
            # Concurrent writers conflict again unless they wait for different times.
            time.sleep(random.uniform(0.01, 0.05) * min(attempt + 1, 10))
            obj = get_cluster_version(client)
    message = f"was changed by other clients during each of {_ATTEMPTS} attempts to write it"
    hint = "Find the client that keeps writing it, and run this again"
    raise ClusterError([Problem("error", "conflicting-write", str(target), message, hint)])


def _check_capabilities(body: Object, after: Object) -> None:
    """Raise ``ClusterError`` if ``after``, the answer to the change ``body``, lacks the capabilities of ``body``."""
    stored = _requested(after)
    lacking = [name for name in _requested(body) if name not in stored]
    if lacking:
        message = f"lacks {', '.join(lacking)} after a write that requests it: a mutating webhook or policy rewrites it"
        hint = "Exclude the object from the webhook or policy"
        raise ClusterError(
            [Problem("error", "rewritten-field", f"{CLUSTER_VERSION}, spec.capabilities", message, hint)]
        )


def _requested(obj: Object) -> list[str]:
    """The set and the names in ``spec.capabilities`` as they are written."""
    block = nested(obj, "spec", "capabilities")
    return [*as_list(nested(block, API_ADDITIONAL)), *filter(None, [nested(block, API_BASELINE)])]


def explained(error: ApiError, target: Target) -> ClusterError:
    """Return ``error``, or an error with the cause and a hint if the server rejects names of capabilities."""
    names = sorted({item.value for item in error.unsupported_values if ".capabilities." in item.field})
    if not names:
        return error
    message = f"cannot contain {', '.join(names)}: the CustomResourceDefinition of the cluster does not list it"
    hint = (
        "Remove the name from the request, or, if the ClusterVersion already has it as after a rollback, apply the "
        "CustomResourceDefinition of a release and feature set that contain it"
    )
    return UnknownToCrdError([Problem("error", "outdated-crd", str(target), message, hint)])


def minor_data_of_cluster(client: Client, cluster: ClusterVersion, problems: Problems) -> MinorData:
    """Return the capabilities of a cluster's version: from this collection, or from the CRD in the cluster.

    The CRD decides if the cluster knows a name that this collection does not have in its version. Raises
    ``ClusterError`` if neither has them.
    """
    minor = find_minor(cluster.version)
    data = None if minor is None else capability_data.data_of(minor)
    if data is not None:
        return data if cluster.known <= data.capabilities else _data_of_crd(client, data, problems)
    accepted = accepted_names(client.get(_CRD), str(_CRD))
    if accepted is None:
        message = "does not list the names of capabilities, and the cluster's version is not known to the collection"
        hint = "Update the collection"
        raise ClusterError([Problem("error", "unknown-version", str(_CRD), message, hint)])
    unknown = f"{cluster.version} is not known to the collection" if cluster.version else "the version is not reported"
    message = f"{unknown}, so the capabilities are those that the cluster's CustomResourceDefinition lists"
    problems.info("unknown-version", CLUSTER_VERSIONS.resource, message)
    minor = minor or capability_data.newest_minor()
    return capability_data.data_from_names(minor, accepted.capabilities, accepted.sets)


def _data_of_crd(client: Client, data: MinorData, problems: Problems) -> MinorData:
    crd, _denied = client.find_permitted(_CRD)  # only a name that the collection does not have needs the permission
    accepted = accepted_names(crd, str(_CRD))
    every_gated = capability_data.gated_capabilities(frozenset())
    return data if accepted is None else data_as_accepted(data, accepted, every_gated, problems)
