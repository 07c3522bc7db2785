# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether an object on a cluster is ready, and why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from .._release.task_graph import Mode
from .._resources import CLUSTER_OPERATORS, Object, ResourceId, conditions_of, finalizers_of, mappings_in, nested

NO_VERSIONS: Mapping[str, str] = MappingProxyType({})


class Readiness(NamedTuple):
    """``ready``, ``waiting`` for what ``message`` names, or ``failed``: it will not become ready without intervention.

    ``degraded`` is the reason of the condition Degraded, empty if it is not True.
    """

    state: Literal["ready", "waiting", "failed"]
    message: str = ""
    degraded: str = ""


READY = Readiness("ready")


def readiness(
    resource: ResourceId,
    live: Mapping[str, Any] | None,
    mode: Mode,
    versions: Mapping[str, str] = NO_VERSIONS,
) -> Readiness:
    """Return the readiness of ``live``, the object of ``resource``; ``None`` if it does not exist.

    ``versions`` (name -> version) are those in the manifest of a ClusterOperator, and are for that kind only. An empty
    one stands for any version.

    This checks more than the CVO does (openshift/cluster-version-operator:lib/resourcebuilder/apps.go, batch.go,
    pkg/cvo/internal/operatorstatus.go). The CVO checks only these kinds and CRDs, and during an installation only
    ClusterOperators. It does not wait for replicas, generations, pods of a DaemonSet, or the end of a Job.
    """
    if live is None:
        return Readiness("waiting", "does not exist")
    if resource.group_kind == CLUSTER_OPERATORS.group_kind:
        result = _cluster_operator(live, mode, versions)
    else:
        result = _CHECKS.get(resource.group_kind, _generic)(live)
    if nested(live, "metadata", "deletionTimestamp"):
        return result._replace(state="waiting", message=_joined(_being_deleted(live), result.message))
    return result


def cluster_operator_readiness(live: Mapping[str, Any] | None, versions: Mapping[str, str]) -> Readiness:
    """Return the readiness of a ClusterOperator: it is Available, at ``versions`` (name -> version, empty for any).

    ``live`` is ``None`` if it does not exist. A missing condition counts as not met.
    Source: openshift/cluster-version-operator:pkg/cvo/internal/operatorstatus.go checkOperatorHealth. Unlike the CVO,
    this does not wait until the condition Degraded is False.
    """
    if live is None:
        return Readiness("waiting", "does not exist yet")
    conditions = conditions_of(live)
    condition = conditions.get("Degraded", {})
    degraded = (_message(condition) or "Degraded") if condition.get("status") == "True" else ""
    available = conditions.get("Available")
    if available is None:
        return Readiness("waiting", "has not reported yet whether it is available", degraded)
    if available.get("status") != "True":
        return Readiness("waiting", _joined("is not available", _message(available), degraded), degraded)
    reported = {item.get("name"): item.get("version") for item in mappings_in(nested(live, "status", "versions"))}
    outdated = [
        f"{name} is at {reported.get(name) or 'no version'}, expected {version}"
        for name, version in sorted(versions.items())
        if version and reported.get(name) != version
    ]
    if outdated:
        progress = _message_if_true(conditions.get("Progressing", {}))
        return Readiness("waiting", _joined(", ".join(outdated), progress, degraded), degraded)
    return Readiness("ready", "", degraded)


def _api_service(live: Object) -> Readiness:
    """Available is True."""
    return _waits_for(live, "Available", "is not available")


def _cluster_operator(live: Object, mode: Mode, versions: Mapping[str, str]) -> Readiness:
    """Available is True; except during installation, Degraded is False and each version matches the manifest."""
    if mode == "install":
        return cluster_operator_readiness(live, NO_VERSIONS)
    if not versions:
        return Readiness("failed", "its manifest lists no versions")
    available = cluster_operator_readiness(live, NO_VERSIONS)
    if available.state != "ready":
        return available
    degraded = conditions_of(live).get("Degraded")
    if degraded is None:
        return Readiness("waiting", "has not reported yet whether it is degraded")
    if degraded.get("status") != "False":
        state = "is degraded" if degraded.get("status") == "True" else "does not know whether it is degraded"
        return available._replace(state="waiting", message=_joined(state, _message(degraded)))
    return cluster_operator_readiness(live, versions)


def _custom_resource_definition(live: Object) -> Readiness:
    """Established is True; failed if NamesAccepted is False."""
    # Another CRD has the names. Established can still be True for the previous names.
    names = conditions_of(live).get("NamesAccepted", {})
    if names.get("status") == "False":
        return Readiness("failed", _joined("its names are not accepted", _message(names)))
    return _waits_for(live, "Established", "is not established")


def _daemon_set(live: Object) -> Readiness:
    """Each scheduled node has an available pod of the newest spec (OnDelete: of any spec)."""
    if outdated := _outdated_status(live):
        return Readiness("waiting", outdated)
    desired = _count(live, "status", "desiredNumberScheduled")
    counts = {"are available": _count(live, "status", "numberAvailable")}
    if nested(live, "spec", "updateStrategy", "type") != "OnDelete":
        counts = {"are updated": _count(live, "status", "updatedNumberScheduled"), **counts}
    return _enough("pods", counts, desired)


def _deployment(live: Object) -> Readiness:
    """All replicas are of the newest spec and available (paused: Available is True); failed after its deadline."""
    if outdated := _outdated_status(live):
        return Readiness("waiting", outdated)
    if nested(live, "spec", "paused") is True:
        return _waits_for(live, "Available", "is paused and not available")
    conditions = conditions_of(live)
    failure, progress = conditions.get("ReplicaFailure", {}), conditions.get("Progressing", {})
    # The rollout can still apply the missing object, such as a ServiceAccount.
    if failure.get("status") == "True":
        return Readiness("waiting", _joined("cannot create its pods", _message(failure)))
    if progress.get("status") == "False" and progress.get("reason") == "ProgressDeadlineExceeded":
        return Readiness("failed", _message(progress))
    desired = _count(live, "spec", "replicas", absent=1)
    if not desired:
        return READY
    updated, available = (_count(live, "status", field) for field in ("updatedReplicas", "availableReplicas"))
    counts = _enough("replicas", {"are updated": updated, "are available": available}, desired)
    former = _count(live, "status", "replicas") - updated
    if counts.state == "ready" and former > 0:
        # The available replicas can be the old ones; kubectl rollout status waits for this, too.
        counts = Readiness("waiting", f"replicas of the previous spec remain: {former}")
    return _both(counts, _waits_for(live, "Available", "" if counts.message else "is not available"))


def _job(live: Object) -> Readiness:
    """Complete is True, or a pod succeeded; failed if Failed is True."""
    conditions = conditions_of(live)
    if conditions.get("Complete", {}).get("status") == "True" or _count(live, "status", "succeeded") > 0:
        return READY
    failed = conditions.get("Failed", {})
    if failed.get("status") == "True":
        return Readiness("failed", _message(failed) or "failed")
    pods = [f"{count} {word}" for word in ("active", "failed") if (count := _count(live, "status", word))]
    state = f"is not complete ({', '.join(pods)})" if pods else "is not complete"
    return Readiness("waiting", _joined(state, _message_if_true(conditions.get("Suspended", {}))))


def _namespace(live: Object) -> Readiness:
    """The phase is Active."""
    phase = nested(live, "status", "phase") or "Active"
    if phase == "Active":
        return READY
    # It has conditions only while it is deleted; they name its remaining content.
    remaining = [_message_if_true(condition) for condition in conditions_of(live).values()]
    return Readiness("waiting", _joined(f"is {phase}", *remaining))


def _generic(live: Object) -> Readiness:
    """Of a custom resource, Ready and Available are True, if present. Pods and so on always, as for the CVO."""
    conditions = conditions_of(live)
    ready, available = (
        _waits_for(live, kind, words) if kind in conditions else READY
        for kind, words in (("Ready", "is not ready"), ("Available", "is not available"))
    )
    return _both(ready, available)


_CHECKS: Mapping[tuple[str, str], Callable[[Object], Readiness]] = {
    ("", "Namespace"): _namespace,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _custom_resource_definition,
    ("apiregistration.k8s.io", "APIService"): _api_service,
    ("apps", "DaemonSet"): _daemon_set,
    ("apps", "Deployment"): _deployment,
    ("batch", "Job"): _job,
}

READINESS_KINDS: Mapping[tuple[str, str], str] = {
    **{kind: check.__doc__ or "" for kind, check in _CHECKS.items()},
    CLUSTER_OPERATORS.group_kind: _cluster_operator.__doc__ or "",
}
"""Group and kind -> when it is ready, for the kinds with a specific rule."""


def _waits_for(live: Mapping[str, Any], kind: str, words: str) -> Readiness:
    condition = conditions_of(live).get(kind, {})
    return READY if condition.get("status") == "True" else Readiness("waiting", _joined(words, _message(condition)))


def _enough(things: str, counts: Mapping[str, int], desired: int) -> Readiness:
    missing = [f"{count} of {desired} {things} {state}" for state, count in counts.items() if count < desired]
    return Readiness("waiting", ", ".join(missing)) if missing else READY


def _both(one: Readiness, other: Readiness) -> Readiness:
    return READY if one == other == READY else Readiness("waiting", _joined(one.message, other.message))


def _outdated_status(live: Mapping[str, Any]) -> str:
    """A message if the status is about a previous spec, else empty."""
    observed, newest = _count(live, "status", "observedGeneration"), _count(live, "metadata", "generation")
    return f"its controller has not observed generation {newest} yet" if observed < newest else ""


def _being_deleted(live: Mapping[str, Any]) -> str:
    names = ", ".join(finalizers_of(live))
    return f"is being deleted, finalizers: {names}" if names else "is being deleted"


def _count(value: object, *path: str, absent: int = 0) -> int:
    number = nested(value, *path)
    return number if isinstance(number, int) else absent


def _message_if_true(condition: Mapping[str, Any]) -> str:
    return _message(condition) if condition.get("status") == "True" else ""


def _message(condition: Mapping[str, Any]) -> str:
    parts = [str(condition[field]) for field in ("reason", "message") if condition.get(field)]
    return ": ".join(parts)


def _joined(*parts: str) -> str:
    return "; ".join(dict.fromkeys(part for part in parts if part))


def can_be_unready(resource: ResourceId) -> bool:
    """Whether objects of a kind can be unready: those with a rule, and all kinds that OpenShift's APIs define."""
    return resource.group_kind in READINESS_KINDS or ("." in resource.group and not resource.group.endswith(".k8s.io"))
