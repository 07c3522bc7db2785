# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The admission guard on a cluster: installed exactly as asked for, removed, and seen to be in force."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import FIELD_MANAGER, Client
from .._problems import ClusterError, Problem
from .._resources import ADMISSION_POLICIES, Target
from .guard_policy import FINGERPRINT, GUARD_NAME, PROBE, Guard, guard_objects, owned
from .live import CLUSTER_VERSION, get_cluster_version

PAUSE = 0.2
"""Seconds between two looks whether the guard is in force; API servers read policies about once a second."""

_UNSERVED = Problem(
    "error",
    "todo",
    ADMISSION_POLICIES.resource,
    f"the cluster does not serve {ADMISSION_POLICIES.kind} of {ADMISSION_POLICIES.api_version}",
    "The guard needs OpenShift 4.17 (Kubernetes 1.30) or newer",
)


class GuardChange(NamedTuple):
    """An object of the guard before and after: what of it is the guard's business, ``None`` where there is none."""

    target: Target
    before: dict[str, Any] | None
    after: dict[str, Any] | None

    @property
    def changed(self) -> bool:
        """Whether something had to be written."""
        return self.before != self.after


class Probe(NamedTuple):
    """What shows whether a guard is in force: a mark that it refuses, and whether it refuses anything."""

    fingerprint: str
    enforces: bool


def install(client: Client, guard: Guard, *, force: bool = False, dry_run: bool = False) -> tuple[GuardChange, ...]:
    """Have the policy and then its binding as ``guard`` says. Nothing is sent where the cluster has them so.

    What somebody else wrote into them is an error, or with ``force`` is overwritten. Raises ``ClusterError``.
    """
    return tuple(
        _applied(client, Target(kind, GUARD_NAME), wanted, force, dry_run) for kind, wanted in guard_objects(guard)
    )


def remove(client: Client, *, dry_run: bool = False) -> tuple[GuardChange, ...]:
    """Remove the binding and then the policy. Raises ``ClusterError``."""
    changes = []
    for kind, wanted in reversed(guard_objects(Guard())):
        target = Target(kind, GUARD_NAME)
        found = _found(client, target, absent_api_is_fine=True)
        if found is not None:
            client.delete(target, uid=found["metadata"]["uid"], dry_run=dry_run)
        changes.append(GuardChange(target, None if found is None else owned(wanted, found), None))
    return tuple(changes)


def wait_until(client: Client, probe: Probe, refused: bool, seconds: float) -> tuple[Problem, ...]:
    """Wait until the API server refuses (or takes) a write that carries the mark of ``probe``.

    The write is a dry run of an annotation, so that nothing ever comes of it. Returns a warning where the user may not
    even try. Raises ``ClusterError`` where ``seconds`` were not enough.
    """
    begin = time.monotonic()
    while True:
        try:
            if _is_refused(client, probe.fingerprint) is refused:
                return ()
        except ClusterError as error:
            reason = error.problems[0]
            message = f"it cannot be told whether the guard is in force: {reason.message}"
            return (Problem("warning", "todo", GUARD_NAME, message, reason.hint),)
        if time.monotonic() - begin >= seconds:
            break
        time.sleep(PAUSE)
    if refused:
        message = f"the guard is installed, and after {seconds:g} s the API server does not enforce it"
        hint = "Look whether its admission plugin ValidatingAdmissionPolicy is on"
    else:
        message = f"the guard is removed, and after {seconds:g} s the API server still enforces it"
        hint = "Wait a little; several API servers do not learn of it at the same time"
    raise ClusterError([Problem("error", "todo", GUARD_NAME, message, hint)])


def probe_of(objects: Mapping[str, Mapping[str, Any] | None]) -> Probe | None:
    """Return what shows whether the guard of these ``objects`` (kind to object) is in force; ``None`` without one."""
    policy, binding = objects.get("ValidatingAdmissionPolicy"), objects.get("ValidatingAdmissionPolicyBinding")
    if policy is None or binding is None:
        return None
    fingerprint = policy["metadata"]["annotations"].get(FINGERPRINT, "")
    return Probe(fingerprint, "Deny" in binding["spec"].get("validationActions", ()))


def _applied(client: Client, target: Target, wanted: dict[str, Any], force: bool, dry_run: bool) -> GuardChange:
    found = _found(client, target)
    before, goal = None if found is None else owned(wanted, found), owned(wanted, wanted)
    if before == goal:
        return GuardChange(target, before, before)
    try:
        made = client.apply(target, wanted, force=force, dry_run=True).object
    except ApiError as error:
        if error.is_conflict and not force:
            raise _conflicting_fields(target, error.problems[0].message) from None
        raise
    # With new fields of the API server's own it never is as it was asked for, and that is as good.
    others = _other_writers(made) if owned(wanted, made) != goal else []
    if others and not force:
        raise _conflicting_fields(target, f"has what {', '.join(others)} wrote in its spec")
    if others and found is not None and not dry_run:
        # Entries that others added to its lists stay when it is applied.
        client.delete(target, uid=found["metadata"]["uid"])
    if not dry_run:
        made = client.apply(target, wanted, force=force).object
    return GuardChange(target, before, goal if others else owned(wanted, made))


def _found(client: Client, target: Target, *, absent_api_is_fine: bool = False) -> dict[str, Any] | None:
    try:
        return client.get(target)
    except ApiError as error:
        if not error.is_not_found:
            raise
        if error.is_kind_not_served and not absent_api_is_fine:
            raise ClusterError([_UNSERVED]) from None
        return None


def _conflicting_fields(target: Target, message: str) -> ClusterError:
    hint = "Ask whoever it was, and overwrite it with force_conflicts=true"
    return ClusterError([Problem("error", "todo", str(target), message, hint)])


def _other_writers(found: Mapping[str, Any]) -> list[str]:
    """Return who else has written to the spec of an object."""
    entries = found["metadata"].get("managedFields") or ()
    writers = {entry.get("manager", "") for entry in entries if "f:spec" in entry.get("fieldsV1", {})}
    return sorted(writers - {FIELD_MANAGER})


def _is_refused(client: Client, fingerprint: str) -> bool:
    version = get_cluster_version(client)["metadata"]["resourceVersion"]
    body = {"metadata": {"resourceVersion": version, "annotations": {PROBE: fingerprint}}}
    try:
        client.merge(CLUSTER_VERSION, body, dry_run=True)
    except ApiError as error:
        if error.is_denied_by_policy(GUARD_NAME):
            return True
        if not error.is_conflict:
            raise
    return False
