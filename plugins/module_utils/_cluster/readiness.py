# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Whether an object on a cluster is ready, and what it says if it is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from .._release.task_graph import Mode
from .._resources import ResourceId
from .._unstructured import conditions_of, mappings_in, nested

NO_VERSIONS: Mapping[str, str] = MappingProxyType({})


class Readiness(NamedTuple):
    """``ready``, ``waiting`` for something that ``message`` names, or ``failed``: it will not become ready by itself.

    ``degraded`` is what it complains about, empty where it does not.
    """

    state: Literal["ready", "waiting", "failed"]
    message: str = ""
    degraded: str = ""


READY = Readiness("ready")


def readiness(
    resource: ResourceId,
    found: Mapping[str, Any] | None,
    mode: Mode,
    versions: Mapping[str, str] = NO_VERSIONS,
) -> Readiness:
    """Return whether ``found``, what the cluster has of ``resource``, works; ``None`` where it has nothing.

    ``versions`` (name -> version) is what the manifest of a ClusterOperator lists, and is for that kind alone.

    This is for somebody who waits until things work, and asks more than the CVO does
    (openshift/cluster-version-operator:lib/resourcebuilder/apps.go, batch.go, pkg/cvo/internal/operatorstatus.go):
    that waits neither for replicas and generations, nor for pods of a DaemonSet, nor for the end of a Job, it skips
    all but ClusterOperators during an installation, and looks at no other kinds than these and CRDs.
    """
    if found is None:
        return Readiness("waiting", "does not exist")
    check = _CHECKS.get(resource.group_kind, _generic)
    result = check(_Seen(found, mode, versions))
    if nested(found, "metadata", "deletionTimestamp"):
        return result._replace(state="waiting", message=_joined(_being_deleted(found), result.message))
    return result


def cluster_operator_readiness(found: Mapping[str, Any] | None, versions: Mapping[str, str]) -> Readiness:
    """Return whether a ClusterOperator is Available at ``versions`` (name -> version, as its manifest lists them).

    ``found`` is ``None`` where the cluster does not have it. What is not told counts as not being so.
    Source: openshift/cluster-version-operator:pkg/cvo/internal/operatorstatus.go checkOperatorHealth, but for
    Degraded, which is told and does not hold anything up.
    """
    if found is None:
        return Readiness("waiting", "does not exist yet")
    conditions = conditions_of(found)
    degraded = conditions.get("Degraded", {})
    complaint = (_message(degraded) or "Degraded") if degraded.get("status") == "True" else ""
    available = conditions.get("Available")
    if available is None:
        return Readiness("waiting", "does not say yet whether it is available", complaint)
    if available.get("status") != "True":
        return Readiness("waiting", _joined("is not available", _message(available), complaint), complaint)
    told = {item.get("name"): item.get("version") for item in mappings_in(nested(found, "status", "versions"))}
    behind = [
        f"{name} is at {told.get(name) or 'no version'} and not at {version}"
        for name, version in sorted(versions.items())
        if told.get(name) != version
    ]
    if behind:
        progress = conditions.get("Progressing", {})
        says = _message(progress) if progress.get("status") == "True" else ""
        return Readiness("waiting", _joined(", ".join(behind), says, complaint), complaint)
    return Readiness("ready", "", complaint)


class _Seen(NamedTuple):
    found: Mapping[str, Any]
    mode: Mode
    versions: Mapping[str, str]


def _api_service(seen: _Seen) -> Readiness:
    """Available is True."""
    return _waits_for(seen.found, "Available", "is not available")


def _cluster_operator(seen: _Seen) -> Readiness:
    """Available is True; but for installations also Degraded is False, and each version is that of its manifest."""
    if seen.mode == "install":
        return cluster_operator_readiness(seen.found, NO_VERSIONS)
    if not seen.versions:
        return Readiness("failed", "its manifest lists no versions")
    available = cluster_operator_readiness(seen.found, NO_VERSIONS)
    if available.state != "ready":
        return available
    degraded = conditions_of(seen.found).get("Degraded")
    if degraded is None:
        return Readiness("waiting", "does not say yet whether it is degraded")
    if degraded.get("status") != "False":
        what = "is degraded" if degraded.get("status") == "True" else "does not know whether it is degraded"
        return available._replace(state="waiting", message=_joined(what, _message(degraded)))
    return cluster_operator_readiness(seen.found, seen.versions)


def _custom_resource_definition(seen: _Seen) -> Readiness:
    """Established is True; failed if NamesAccepted is False."""
    # Another CRD has the names: Established may go on to be True for the names of before.
    names = conditions_of(seen.found).get("NamesAccepted", {})
    if names.get("status") == "False":
        return Readiness("failed", _joined("its names are not accepted", _message(names)))
    return _waits_for(seen.found, "Established", "is not established")


def _daemon_set(seen: _Seen) -> Readiness:
    """Each node that should have a pod has one of the newest spec (OnDelete: of any) that is available."""
    found = seen.found
    if unseen := _unseen(found):
        return Readiness("waiting", unseen)
    wanted = _count(found, "status", "desiredNumberScheduled")
    counts = {"are available": _count(found, "status", "numberAvailable")}
    if nested(found, "spec", "updateStrategy", "type") != "OnDelete":
        counts = {"are updated": _count(found, "status", "updatedNumberScheduled"), **counts}
    return _enough("pods", counts, wanted)


def _deployment(seen: _Seen) -> Readiness:
    """All replicas are of the newest spec and available (paused: Available is True); failed beyond its deadline."""
    found = seen.found
    if unseen := _unseen(found):
        return Readiness("waiting", unseen)
    if nested(found, "spec", "paused") is True:
        return _waits_for(found, "Available", "is paused and not available")
    conditions = conditions_of(found)
    failure, progress = conditions.get("ReplicaFailure", {}), conditions.get("Progressing", {})
    # What keeps pods from being created, such as a missing ServiceAccount, may still come with the rollout.
    if failure.get("status") == "True":
        return Readiness("waiting", _joined("cannot create its pods", _message(failure)))
    if progress.get("status") == "False" and progress.get("reason") == "ProgressDeadlineExceeded":
        return Readiness("failed", _message(progress))
    wanted = _count(found, "spec", "replicas", absent=1)
    if not wanted:
        return READY
    updated, available = (_count(found, "status", field) for field in ("updatedReplicas", "availableReplicas"))
    counts = _enough("replicas", {"are updated": updated, "are available": available}, wanted)
    former = _count(found, "status", "replicas") - updated
    if counts.state == "ready" and former > 0:
        # As long as they are there, it may be they that are available (kubectl rollout status waits for it too).
        counts = Readiness("waiting", f"replicas of the spec before are left: {former}")
    return _both(counts, _waits_for(found, "Available", "" if counts.message else "is not available"))


def _job(seen: _Seen) -> Readiness:
    """Complete is True, or a pod succeeded; failed if Failed is True."""
    conditions = conditions_of(seen.found)
    if conditions.get("Complete", {}).get("status") == "True" or _count(seen.found, "status", "succeeded") > 0:
        return READY
    failed = conditions.get("Failed", {})
    if failed.get("status") == "True":
        return Readiness("failed", _message(failed) or "failed")
    pods = [f"{count} {word}" for word in ("active", "failed") if (count := _count(seen.found, "status", word))]
    state = f"is not complete ({', '.join(pods)})" if pods else "is not complete"
    return Readiness("waiting", _joined(state, _message_if_true(conditions.get("Suspended", {}))))


def _namespace(seen: _Seen) -> Readiness:
    """The phase is Active."""
    phase = nested(seen.found, "status", "phase") or "Active"
    if phase == "Active":
        return READY
    # Only while it goes away it has conditions, and they tell what is still in it.
    left = [_message_if_true(condition) for condition in conditions_of(seen.found).values()]
    return Readiness("waiting", _joined(f"is {phase}", *left))


def _stateful_set(seen: _Seen) -> Readiness:
    """All replicas are ready and, but for OnDelete and those below its partition, of the newest spec."""
    found = seen.found
    if unseen := _unseen(found):
        return Readiness("waiting", unseen)
    wanted = _count(found, "spec", "replicas", absent=1)
    strategy = nested(found, "spec", "updateStrategy")
    ready = _enough("replicas", {"are ready": _count(found, "status", "readyReplicas")}, wanted)
    if nested(strategy, "type") == "OnDelete":
        return ready
    wanted = max(wanted - _count(strategy, "rollingUpdate", "partition"), 0)
    updated = _enough("replicas", {"are updated": _count(found, "status", "updatedReplicas")}, wanted)
    return _both(updated, ready)


def _generic(seen: _Seen) -> Readiness:
    """Neither Ready nor Available, where it has such a condition, is anything but True."""
    conditions = conditions_of(seen.found)
    ready, available = (
        _waits_for(seen.found, kind, words) if kind in conditions else READY
        for kind, words in (("Ready", "is not ready"), ("Available", "is not available"))
    )
    return _both(ready, available)


_CHECKS: Mapping[tuple[str, str], Callable[[_Seen], Readiness]] = {
    ("", "Namespace"): _namespace,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _custom_resource_definition,
    ("apiregistration.k8s.io", "APIService"): _api_service,
    ("apps", "DaemonSet"): _daemon_set,
    ("apps", "Deployment"): _deployment,
    ("apps", "StatefulSet"): _stateful_set,
    ("batch", "Job"): _job,
    ("config.openshift.io", "ClusterOperator"): _cluster_operator,
}

READINESS_KINDS: Mapping[tuple[str, str], str] = {kind: check.__doc__ or "" for kind, check in _CHECKS.items()}
"""Group and kind -> when it is ready, for the kinds with a rule of their own."""

OTHER_KINDS = _generic.__doc__ or ""
"""The same for all others."""


def _waits_for(found: Mapping[str, Any], kind: str, words: str) -> Readiness:
    condition = conditions_of(found).get(kind, {})
    return READY if condition.get("status") == "True" else Readiness("waiting", _joined(words, _message(condition)))


def _enough(things: str, counts: Mapping[str, int], wanted: int) -> Readiness:
    missing = [f"{count} of {wanted} {things} {what}" for what, count in counts.items() if count < wanted]
    return Readiness("waiting", ", ".join(missing)) if missing else READY


def _both(one: Readiness, other: Readiness) -> Readiness:
    return READY if one == other == READY else Readiness("waiting", _joined(one.message, other.message))


def _unseen(found: Mapping[str, Any]) -> str:
    """Return that the status is about a spec of before, if it is."""
    seen, newest = _count(found, "status", "observedGeneration"), _count(found, "metadata", "generation")
    return f"its controller has not seen generation {newest} yet" if seen < newest else ""


def _being_deleted(found: Mapping[str, Any]) -> str:
    finalizers = nested(found, "metadata", "finalizers")
    names = ", ".join(map(str, finalizers)) if isinstance(finalizers, list) else ""
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
    """Tell whether objects of a kind can take their time: those of the table, and all that OpenShift's APIs define."""
    return resource.group_kind in READINESS_KINDS or ("." in resource.group and not resource.group.endswith(".k8s.io"))
