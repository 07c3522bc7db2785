# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Installs and removes the admission guard of a cluster, and verifies that it is enforced."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import FIELD_MANAGER, Client
from .._problems import ClusterError, Problem, Problems
from .._progress import Progress
from .._resources import ADMISSION_POLICIES, Target
from .cluster_version import CLUSTER_VERSION
from .cluster_version_client import get_cluster_version
from .guard_policy import FINGERPRINT, GUARD_NAME, PROBE, Guard, guard_objects, owned

PAUSE = 0.2
"""Seconds between two checks of the enforcement; API servers read policies about once a second."""

_UNSERVED = Problem(
    "error",
    "unserved-kind",
    ADMISSION_POLICIES.resource,
    f"the cluster does not serve {ADMISSION_POLICIES.kind} of {ADMISSION_POLICIES.api_version}",
    "Update the cluster: the guard needs OpenShift 4.17 (Kubernetes 1.30) or newer",
)


class GuardChange(NamedTuple):
    """The owned part of an object of the guard before and after, ``None`` if the object does not exist."""

    target: Target
    before: dict[str, Any] | None
    after: dict[str, Any] | None

    @property
    def changed(self) -> bool:
        """Whether the object had to be written."""
        return self.before != self.after


def install(client: Client, guard: Guard, *, dry_run: bool = False) -> tuple[GuardChange, ...]:
    """Apply the policy and then its binding, unless the cluster has both.

    Raises ``ClusterError``, also if another field manager has changed one of them. A dry run of both comes first, so
    nothing is written if one of them is denied.
    """
    objects = [(Target(kind, GUARD_NAME), desired) for kind, desired in guard_objects(guard)]
    changes = [_predicted(client, target, desired) for target, desired in objects]
    if not dry_run:
        for at, (change, (target, desired)) in enumerate(zip(changes, objects, strict=True)):
            if change.changed:
                changes[at] = change._replace(after=owned(desired, client.apply(target, desired).object))
    return tuple(changes)


def remove(client: Client, *, dry_run: bool = False) -> tuple[GuardChange, ...]:
    """Remove the binding and then the policy. Raises ``ClusterError``."""
    changes = []
    for kind, desired in reversed(guard_objects(Guard())):
        target = Target(kind, GUARD_NAME)
        live = _find(client, target, kind_required=False)
        if live is not None:
            client.delete(target, uid=live["metadata"]["uid"], dry_run=dry_run)
        changes.append(GuardChange(target, None if live is None else owned(desired, live), None))
    return tuple(changes)


def wait_until_enforced(
    client: Client, fingerprint: str, seconds: float, progress: Progress, problems: Problems, *, enforced: bool
) -> bool:
    """Wait until the API server rejects a write with the ``fingerprint`` of a guard, or until it no longer does.

    The write is a dry run of an annotation. Returns whether that was verified; if not, a warning has the reason, such
    as a missing permission. Raises ``ClusterError`` after ``seconds``.
    """
    start = time.monotonic()
    progress(f"waiting until the API server {'enforces' if enforced else 'no longer enforces'} {GUARD_NAME}")
    while True:
        try:
            if _is_rejected(client, fingerprint) is enforced:
                return True
        except ClusterError as error:
            reason = error.problems[0]
            message = f"the enforcement of the guard could not be verified: {reason.message}"
            problems.warning("unverified-guard", GUARD_NAME, message, reason.hint)
            return False
        if time.monotonic() - start >= seconds:
            break
        time.sleep(PAUSE)
    if enforced:
        code, message = "unenforced-guard", f"the API server does not enforce it after {seconds:g} s"
        hint = "Check that its admission plugin ValidatingAdmissionPolicy is enabled, or increase wait_timeout"
    else:
        code, message = "enforced-guard", f"the API server still enforces it after {seconds:g} s"
        hint = "Wait and run it again: with several API servers, some of them can lag behind"
    raise ClusterError([Problem("error", code, GUARD_NAME, message, hint)])


def enforced_fingerprint(objects: Mapping[str, Mapping[str, Any] | None]) -> str:
    """Return the fingerprint of the guard, by which its policy recognizes the write that tests it.

    ``objects`` has the policy and the binding by their kinds. Empty if the guard is incomplete, or rejects no write.
    """
    policy, binding = objects.get("ValidatingAdmissionPolicy"), objects.get("ValidatingAdmissionPolicyBinding")
    if policy is None or binding is None or "Deny" not in binding["spec"].get("validationActions", ()):
        return ""
    return str(policy["metadata"]["annotations"].get(FINGERPRINT, ""))


def _predicted(client: Client, target: Target, desired: dict[str, Any]) -> GuardChange:
    """What applying ``desired`` would change, by a dry run."""
    live = _find(client, target)
    before, goal = None if live is None else owned(desired, live), owned(desired, desired)
    if before == goal:
        return GuardChange(target, before, before)
    try:
        applied = client.apply(target, desired, dry_run=True).object
    except ApiError as error:
        if error.is_conflict:
            raise _conflicting_fields(target, error.problems[0].message) from None
        raise
    # A newer API server can add fields, so the object can differ without other managers.
    others = _other_managers(applied) if owned(desired, applied) != goal else []
    if others:
        raise _conflicting_fields(target, f"has changes of {', '.join(others)} in its spec")
    return GuardChange(target, before, owned(desired, applied))


def _find(client: Client, target: Target, *, kind_required: bool = True) -> dict[str, Any] | None:
    try:
        return client.get(target)
    except ApiError as error:
        if not error.is_not_found:
            raise
        if error.is_kind_not_served and kind_required:
            raise ClusterError([_UNSERVED]) from None
        return None


def _conflicting_fields(target: Target, message: str) -> ClusterError:
    hint = "Agree with the owner of that field manager, or remove the guard with state=absent and install it again"
    return ClusterError([Problem("error", "conflicting-managers", str(target), message, hint)])


def _other_managers(obj: Mapping[str, Any]) -> list[str]:
    """The other field managers that own fields of the spec."""
    entries = obj["metadata"].get("managedFields") or ()
    managers = {entry.get("manager", "") for entry in entries if "f:spec" in entry.get("fieldsV1", {})}
    return sorted(managers - {FIELD_MANAGER})


def _is_rejected(client: Client, fingerprint: str) -> bool:
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
