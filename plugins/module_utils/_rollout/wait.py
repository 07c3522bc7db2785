# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits until the applied objects are ready, with one watch for each kind."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from .._cluster.operators import readiness_of
from .._cluster.readiness import Readiness, can_be_unready
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client, Snapshot
from .._kubernetes.rest_mapper import RestMapper
from .._kubernetes.watch import Objects, watch_objects
from .._problems import ClusterError, Location, Problem, Problems
from .._release.manifest import Manifest
from .._release.release import Release
from .._release.task_graph import Mode
from .._resources import CLUSTER_OPERATORS, CUSTOM_RESOURCE_DEFINITIONS, ApiResource, Target, target_for
from .change_set import ApplyResult
from .cluster_state import RolloutContext
from .inventory_store import APPLYSET_MEMBERS, is_applyset_member

WaitedFor = Mapping[Target, Mapping[str, Manifest]]
"""Manifests by kind, and by the key of the object."""

_Unready = Sequence[tuple[Target, str, Readiness]]


def wait_until_ready(
    client: Client,
    context: RolloutContext,
    results: Sequence[ApplyResult],
    mode: Mode,
    deadline: float,
    notify: Callable[[int, str, str], None],
    problems: Problems,
) -> None:
    """Wait until the applied objects of ``results`` are ready, by the rules of ``mode``.

    Reports objects that are not ready at ``deadline`` (of ``time.monotonic``), and warns of degraded operators.
    ``notify`` receives the number of unready objects, the first of them, and why it is not ready.
    """
    release = context.release
    waited_for = _by_kind(context.state.kinds, results)
    failure: ClusterError | None = None
    unlisted: dict[Target, ClusterError] = {}
    warnings = Problems()
    try:
        snapshots = dict(
            zip(waited_for, client.each(partial(_snapshot, client, unlisted), tuple(waited_for)), strict=True)
        )
        objects: Objects = {target: snapshot.objects for target, snapshot in snapshots.items()}
        unready = _judge(waited_for, objects, release, mode, warnings)
        late = {target: snapshots[target] for target in waited_for if any(item[0] == target for item in unready)}
        failure = next(iter(unlisted.values()), None)
        if late and not _is_hopeless(unready):
            waited_for = {target: waited_for[target] for target in late}
            for state in watch_objects(client, late, max(0.0, deadline - time.monotonic())):
                unready = _judge(waited_for, state.objects, release, mode, more := Problems())
                # A kind that could not be listed yet has no objects, which does not mean that they are ready.
                blind = (error for target, error in unlisted.items() if target in late and not state.objects[target])
                failure = state.error or next(blind, None)
                if not unready or _is_hopeless(unready):
                    break
                target, key, readiness = unready[0]
                notify(len(unready), _location(target.kind, key), str(failure or readiness.message))
                warnings += more
    except ApiError as error:
        if not error.is_forbidden:
            raise
        problems.append(error.problems[0]._replace(severity="error", where=Location(field="wait")))
        return
    if unready and failure is not None:
        problems += failure.problems  # Objects that can no longer be read are not known to be ready.
    problems += [_unready_problem(target, key, readiness) for target, key, readiness in unready]
    problems += warnings.unique()


def _snapshot(client: Client, unlisted: dict[Target, ClusterError], target: Target) -> Snapshot:
    """The objects of a kind. If the server cannot list them now, none, so the watch lists them later."""
    try:
        return client.snapshot(target)
    except ClusterError as error:
        # A starting server answers 403 until its RBAC rules are loaded. The watch tolerates that for some time.
        if isinstance(error, ApiError) and not (error.is_forbidden or error.is_server_error):
            raise
        unlisted[target] = error
    return Snapshot({}, "")


def _by_kind(kinds: RestMapper, results: Sequence[ApplyResult]) -> WaitedFor:
    by_kind: dict[Target, dict[str, Manifest]] = {}
    manifests = [result.manifest for result in results]
    # A mutating webhook can remove our label, and operators that of a ClusterOperator.
    unlabelled = {CLUSTER_OPERATORS.group_kind} | {
        result.manifest.resource_id.group_kind
        for result in results
        if not (is_applyset_member(result.metadata) or result.manifest.is_create_only)
    }
    for manifest in manifests:
        resource = manifest.resource_id
        # The rollout has already waited for CustomResourceDefinitions.
        is_definition = resource.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind
        if manifest.deletes or is_definition or not can_be_unready(resource):
            continue
        served = kinds.find(resource.group, resource.kind, manifest.version)
        if served is not None:
            target = Target(served, labels="" if resource.group_kind in unlabelled else APPLYSET_MEMBERS)
            by_kind.setdefault(target, {})[target_for(served, resource).key] = manifest
    return by_kind


def _judge(waited_for: WaitedFor, objects: Objects, release: Release, mode: Mode, warnings: Problems) -> _Unready:
    unready: list[tuple[Target, str, Readiness]] = []
    for target, manifests in waited_for.items():
        for key, manifest in manifests.items():
            obj = objects[target].get(key)
            if obj is None and manifest.is_create_only:
                continue  # It existed before the first rollout, so it lacks our label.
            readiness = readiness_of(release, manifest, obj, mode)
            if readiness.state != "ready":
                unready.append((target, key, readiness))
            elif readiness.degraded:
                message = f"is available but degraded: {readiness.degraded}"
                warnings.warning("degraded-operator", _location(target.kind, key), message)
    return unready


def _is_hopeless(unready: _Unready) -> bool:
    """Whether no unready object can become ready on its own."""
    return bool(unready) and all(readiness.state == "failed" for _target, _key, readiness in unready)


def _unready_problem(target: Target, key: str, readiness: Readiness) -> Problem:
    is_failed = readiness.state == "failed"
    hint = "Repair it: it does not become ready on its own" if is_failed else "Check it, or increase wait_timeout"
    message = f"is not ready: {readiness.message}"
    return Problem("error", "unready-object", _location(target.kind, key), message, hint)


def _location(kind: ApiResource, key: str) -> str:
    namespace, _slash, name = key.rpartition("/")
    return kind.shown(name, namespace)
