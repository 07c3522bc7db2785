# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Waiting until what a rollout sent is ready: by watch, kind by kind."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from .._cluster.operators import readiness_of
from .._cluster.readiness import Readiness, can_be_unready
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client, Snapshot
from .._kubernetes.rest_mapper import RestMapper
from .._kubernetes.watch import Objects, watch_objects
from .._problems import ClusterError, Problem, Problems
from .._release.manifest import Manifest
from .._release.release import Release
from .._release.task_graph import Mode
from .._resources import CLUSTER_OPERATORS, CUSTOM_RESOURCE_DEFINITIONS, ApiResource, Target, target_for
from .desired_object import is_create_only
from .inventory_store import OF_ROLLOUT

Wanted = Mapping[Target, Mapping[str, Manifest]]
"""What to wait for: by kind, and by the key of the object."""


def wait_until_ready(
    client: Client,
    kinds: RestMapper,
    release: Release,
    manifests: Iterable[Manifest],
    mode: Mode,
    deadline: float,
    tell: Callable[[int, str, str], None],
) -> tuple[Problem, ...]:
    """Wait until the objects of ``manifests`` are ready, as ``mode`` asks; return what is not at ``deadline``.

    ``deadline`` is of ``time.monotonic``. What an operator complains about though it is ready is a warning. ``tell``
    hears how many are waited for, with the first of them and why, as often as that may have changed.
    """
    wanted = _by_kind(kinds, manifests)
    trouble: ClusterError | None = None
    unlisted: dict[Target, ClusterError] = {}
    try:
        snapshots = dict(zip(wanted, client.each(partial(_snapshot, client, unlisted), tuple(wanted)), strict=True))
        objects: Objects = {target: snapshot.objects for target, snapshot in snapshots.items()}
        waiting, told = _judge(wanted, objects, release, mode)
        late = {target: snapshots[target] for target in wanted if any(item[0] == target for item in waiting)}
        trouble = next(iter(unlisted.values()), None)
        if late and not _is_hopeless(waiting):
            wanted = {target: wanted[target] for target in late}
            for state in watch_objects(client, late, max(0.0, deadline - time.monotonic())):
                waiting, more = _judge(wanted, state.objects, release, mode)
                # Until a kind could be listed it is that, and no news is no good news.
                blind = (error for target, error in unlisted.items() if target in late and not state.objects[target])
                trouble = state.error or next(blind, None)
                if not waiting or _is_hopeless(waiting):
                    break
                target, key, found = waiting[0]
                tell(len(waiting), _location(target.kind, key), str(trouble or found.message))
                told = tuple(dict.fromkeys((*told, *more)))
    except ApiError as error:
        if not error.is_forbidden:
            raise
        return (error.problems[0]._replace(severity="error", where="wait"),)
    # What could not be seen any more is why it is not known to be ready.
    unseen = trouble.problems if waiting and trouble is not None else ()
    return (*unseen, *(_unready(target, key, found) for target, key, found in waiting), *told)


def _snapshot(client: Client, unlisted: dict[Target, ClusterError], target: Target) -> Snapshot:
    """Return what there is; where a server cannot tell now, nothing, so that it is asked again while there is time."""
    try:
        return client.snapshot(target)
    except ClusterError as error:
        # 403: a server that has just started does not know its rules yet, which who follows has patience with.
        if isinstance(error, ApiError) and not (error.is_forbidden or error.is_server_error):
            raise
        unlisted[target] = error
    return Snapshot({}, "")


def _by_kind(kinds: RestMapper, manifests: Iterable[Manifest]) -> Wanted:
    found: dict[Target, dict[str, Manifest]] = {}
    for manifest in manifests:
        resource = manifest.resource_id
        # CustomResourceDefinitions were waited for already: nothing could be sent without them.
        is_definition = resource.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind
        if manifest.deletes or is_definition or not can_be_unready(resource):
            continue
        served = kinds.find(resource.group, resource.kind, manifest.version)
        if served is not None:
            target = Target(served, labels="" if resource.group_kind == CLUSTER_OPERATORS.group_kind else OF_ROLLOUT)
            found.setdefault(target, {})[target_for(served, resource).key] = manifest
    return found


_Waiting = Sequence[tuple[Target, str, Readiness]]


def _judge(wanted: Wanted, objects: Objects, release: Release, mode: Mode) -> tuple[_Waiting, tuple[Problem, ...]]:
    waiting: list[tuple[Target, str, Readiness]] = []
    told = Problems()
    for target, manifests in wanted.items():
        for key, manifest in manifests.items():
            obj = objects[target].get(key)
            if obj is None and is_create_only(manifest):
                continue  # it was there before, so that it has no label of ours, and is nobody's to wait for
            found = readiness_of(release, manifest, obj, mode)
            if found.state != "ready":
                waiting.append((target, key, found))
            elif found.degraded:
                told.append(
                    Problem("warning", "todo", _location(target.kind, key), f"is ready, and degraded: {found.degraded}")
                )
    return waiting, tuple(told)


def _is_hopeless(waiting: _Waiting) -> bool:
    """Tell whether nothing of what is left can become ready by itself."""
    return bool(waiting) and all(found.state == "failed" for _target, _key, found in waiting)


def _unready(target: Target, key: str, found: Readiness) -> Problem:
    failed = found.state == "failed"
    hint = "Mend it: it does not become ready by itself" if failed else "Look at it, or raise wait_timeout"
    return Problem("error", "todo", _location(target.kind, key), f"is not ready: {found.message}", hint)


def _location(kind: ApiResource, key: str) -> str:
    namespace, _slash, name = key.rpartition("/")
    return kind.shown(name, namespace)
