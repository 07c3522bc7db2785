# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The status of a ClusterVersion, written as the CVO would where none runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._problems import ClusterError, Problem
from .._resources import DEPLOYMENTS, Target
from .._unstructured import Object, nested
from .cluster_version import CVO, evidence_of_cvo, implicit_names
from .live import CLUSTER_VERSION, update_cluster_version
from .status_change import StatusChange, StatusInputs, find_capability_condition, next_status

_STATUS = CLUSTER_VERSION._replace(subresource="status")
_DEPLOYMENT = Target(DEPLOYMENTS, CVO[1], CVO[0])
_LOCATION = str(CLUSTER_VERSION)


class StatusReport(NamedTuple):
    """The status before, and as it is now (as it would be after a dry run)."""

    changed: bool
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    problems: tuple[Problem, ...]


class UnknownToCrdError(ClusterError):
    """The CustomResourceDefinition of the cluster does not list a name that is on."""


def utc_now() -> datetime:
    """Return the time of this host."""
    return datetime.now(UTC)


def report_status(
    client: Client,
    facts: StatusInputs,
    *,
    allow_cvo_managed: bool,
    dry_run: bool,
    clock: Callable[[], datetime] = utc_now,
) -> StatusReport:
    """Bring the status of a cluster's ClusterVersion to what its CVO would write. Raises ``ClusterError``.

    Where somebody else writes at the same time, the object is read and the status computed anew. A cluster with a
    live CVO is refused, unless ``allow_cvo_managed``; it is not looked for then.
    """
    deployment = None if allow_cvo_managed else _cvo_deployment(client)
    computed: list[tuple[Object, StatusChange, tuple[Problem, ...]]] = []

    def propose(obj: Object) -> Object | None:
        now = clock()
        if not allow_cvo_managed:
            _refuse_cvo(obj, deployment, now, "Leave its status to it")
        change, problems = next_status(obj, facts, now.strftime("%Y-%m-%dT%H:%M:%SZ"))
        if change is None:
            raise ClusterError([item._replace(where=f"{_LOCATION}, {item.where}") for item in problems])
        computed.append((obj, change, problems))
        return {"status": change.body} if change.changed else None

    try:
        before, after = update_cluster_version(client, _STATUS, propose, dry_run=dry_run)
    except ApiError as error:
        raise _explained(error, facts) from None
    change, problems = next((change, problems) for obj, change, problems in computed if obj is before)
    return StatusReport(before is not after, change.before, nested(after, "status") or {}, problems)


def status_dict(status: Mapping[str, Any]) -> dict[str, Any]:
    """Return a status in the shape that playbooks get."""
    condition = find_capability_condition(status)
    return {
        "status": dict(status),
        "condition": condition,
        "enabled_capabilities": nested(status, "capabilities", "enabledCapabilities") or [],
        "known_capabilities": nested(status, "capabilities", "knownCapabilities") or [],
        "implicitly_enabled_capabilities": list(implicit_names(condition.get("message", ""))) if condition else [],
    }


def status_lines(status: Mapping[str, Any]) -> str:
    """Return a status as lines for a diff; empty where there is none."""
    return json.dumps(status, indent=2, sort_keys=True, ensure_ascii=False) + "\n" if status else ""


def refuse_cvo(client: Client, cluster_version: Mapping[str, Any], ours: Callable[[Object], bool]) -> None:
    """Raise ``ClusterError`` where a cluster-version operator runs.

    Its Deployment alone is no sign where it is ``ours``: a rollout brings it with everything else.
    """
    deployment = _cvo_deployment(client)
    if deployment is not None and ours(deployment):
        deployment = None
    _refuse_cvo(cluster_version, deployment, utc_now(), "Leave the rollout to it")


def _refuse_cvo(
    cluster_version: Mapping[str, Any], deployment: Mapping[str, Any] | None, now: datetime, hint: str
) -> None:
    sign = evidence_of_cvo(cluster_version, deployment, now)
    if sign:
        message = f"belongs to a cluster-version operator that runs: {sign}"
        hint = f"{hint}, or set allow_cvo_managed if you know better"
        raise ClusterError([Problem("error", "todo", _LOCATION, message, hint)])


def _cvo_deployment(client: Client) -> dict[str, Any] | None:
    try:
        return client.find(_DEPLOYMENT)
    except ApiError as error:
        if not error.is_forbidden:
            raise
        message = f"{error.problems[0].message}, so nobody can tell whether a cluster-version operator runs"
        hint = f"Give the user a role that allows get on {DEPLOYMENTS.resource}, or set allow_cvo_managed if none runs"
        raise ClusterError([Problem("error", "todo", "", message, hint)]) from None


def _explained(error: ApiError, facts: StatusInputs) -> ClusterError:
    """Return the server's refusal; where it is about names of capabilities, in words that lead to the cause."""
    names = sorted({item.value for item in error.unsupported_values if item.field.startswith("status.capabilities.")})
    if not names:
        return error
    message = f"cannot have {', '.join(names)}: the CustomResourceDefinition of the cluster does not list that"
    later = [name for name in names if name not in facts.known.capabilities]
    hint = f"Apply the CustomResourceDefinition of {facts.version}, of the feature set that the cluster has"
    if later:
        hint = (
            f"A later version than {facts.version} left {', '.join(later)}, which is on and must stay so: "
            "apply the ClusterVersion CustomResourceDefinition of that version"
        )
    return UnknownToCrdError([Problem("error", "todo", f"{_LOCATION}, status.capabilities", message, hint)])
