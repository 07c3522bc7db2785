# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a cluster-version operator (CVO) manages a cluster.

A CVO writes a status only if it changes, and can run outside the cluster. But as long as it lives, it renews its Lease
at least every 137 seconds, and releases it when it ends.
Source: openshift/cluster-version-operator:pkg/start/start.go createResourceLock, run;
openshift/library-go:pkg/config/leaderelection/leaderelection.go LeaderElectionDefaulting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from .._kubernetes.client import Client
from .._problems import ClusterError, Problem, Problems
from .._resources import CVO, LEASES, Object, Target, conditions_of, mappings_in, nested
from .cluster_properties import CVO_DEPLOYMENT, INFRASTRUCTURE, is_control_plane_outside
from .cluster_version import CLUSTER_VERSION

_LEASE = Target(LEASES, "version", CVO[0])
_RECENT = timedelta(minutes=5)
"""A CVO writes or renews something at least this often. On a single node, it renews its Lease every 60 seconds."""


def refuse_cvo(client: Client, cluster_version: Object, ours: Callable[[Object], bool]) -> None:
    """Raise ``ClusterError`` if a CVO runs, see ``find_running_cvo``."""
    evidence = find_running_cvo(client, cluster_version, ours)
    if evidence:
        message = f"is managed by a running cluster-version operator: {evidence}"
        hint = "Let the operator apply the release, or set allow_cvo_managed if none runs"
        raise ClusterError([Problem("error", "running-cvo", str(CLUSTER_VERSION), message, hint)])


def find_running_cvo(client: Client, cluster_version: Object, ours: Callable[[Object], bool]) -> str:
    """Return the evidence that a CVO manages the cluster of ``cluster_version``, empty if there is none.

    A Deployment that is ``ours`` is no evidence, because a rollout applies the one of the release. Raises
    ``ClusterError`` if something that can be evidence cannot be read.
    """
    problems = Problems()
    evidence = next(filter(None, _evidence(client, cluster_version, ours, problems)), "")
    if not evidence:
        problems.raise_errors(ClusterError)
    return evidence


def _evidence(
    client: Client, cluster_version: Object, ours: Callable[[Object], bool], problems: Problems
) -> Iterator[str]:
    yield recent_write(cluster_version, client.server_time())
    deployment = _find(client, CVO_DEPLOYMENT, problems)
    if deployment is not None and not ours(deployment):
        yield availability(deployment)
    yield held_lease(_find(client, _LEASE, problems), client.server_time())
    if is_control_plane_outside(_find(client, INFRASTRUCTURE, problems)):
        yield "its control plane is external, so its operator runs in another cluster"


def recent_write(cluster_version: Object, now: datetime | None) -> str:
    """Evidence that a CVO wrote the status. ``now`` is the time of the server, ``None`` if it is not known.

    A time in the future counts, because clocks differ.
    """
    for entry in mappings_in(nested(cluster_version, "metadata", "managedFields")):
        if (entry.get("manager"), entry.get("subresource")) == (CVO[1], "status") and _is_recent(
            entry.get("time"), now
        ):
            return f"{CVO[1]} wrote the status at {entry['time']}"
    return ""


def availability(deployment: Object) -> str:
    """Evidence that the Deployment of a CVO has Pods. One that is scaled to 0 is still Available."""
    is_available = conditions_of(deployment).get("Available", {}).get("status") == "True"
    if not is_available or nested(deployment, "spec", "replicas") == 0:
        return ""
    return f"its Deployment {CVO_DEPLOYMENT.key} is available"


def held_lease(lease: Object | None, now: datetime | None) -> str:
    """Evidence that a CVO renews its Lease. ``now`` as in ``recent_write``."""
    renewed = nested(lease, "spec", "renewTime")
    if not nested(lease, "spec", "holderIdentity") or not _is_recent(renewed, now):
        return ""
    return f"its Lease {_LEASE.key} was renewed at {renewed}"


def unkept_status(client: Client, *, can_be_elsewhere: bool = True) -> str:
    """Return why the status of a cluster may be outdated: no CVO renews its Lease, or the user may not read it.

    Empty if a CVO renews it. If there is none, empty if the CVO ``can_be_elsewhere``: the one of a hosted cluster runs
    in another cluster. Raises ``ClusterError``.
    """
    lease, denied = client.find_permitted(_LEASE)
    if denied:
        return f"the user may not get {_LEASE}, which shows whether a cluster-version operator runs"
    if lease is None and not can_be_elsewhere:
        return f"no cluster-version operator runs: {_LEASE} does not exist"
    if lease is None or held_lease(lease, client.server_time()):
        return ""
    if not nested(lease, "spec", "holderIdentity"):
        return f"no cluster-version operator runs: {_LEASE} has no holder"
    return f"no cluster-version operator runs: {_LEASE} was renewed at {nested(lease, 'spec', 'renewTime')}"


def _is_recent(value: object, now: datetime | None) -> bool:
    try:
        at = datetime.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        return False
    return now is None or now - (at if at.tzinfo else at.replace(tzinfo=UTC)) < _RECENT


def _find(client: Client, target: Target, problems: Problems) -> Object | None:
    found, denied = client.find_permitted(target)
    if denied:
        message = f"{denied.message}, so it is not known whether a cluster-version operator runs"
        hint = f"Grant the user a role that allows get on {target.kind.resource}, or set allow_cvo_managed if none runs"
        problems.append(denied._replace(message=message, hint=hint))
    return found
