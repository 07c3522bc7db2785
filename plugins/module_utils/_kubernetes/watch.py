# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Observes objects of a cluster: a snapshot, then a watch for each kind, across restarts of the API server."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple

from .._problems import ClusterError, Problems
from .._resources import Object, Target
from .api_errors import ApiError
from .client import Client, Snapshot, object_key

Objects = Mapping[Target, Mapping[str, Object]]
"""The observed targets, each with its objects by ``object_key``."""

_PAUSE = 1.0
"""Seconds before a broken watch is restarted."""

_TOLERATED_DENIALS = 5
"""Consecutive denials to tolerate: a starting API server returns them until its RBAC rules are loaded."""

_LONGEST_WATCH = 60.0
"""Seconds after which a watch is restarted, because a connection can be dead without an error."""

_LONGEST_PAUSE = 5.0
"""Seconds after which the current state is yielded even if nothing changes, so that the caller can check others."""


class ObservedObjects(NamedTuple):
    """The objects of the cluster. If there is an ``error``, the last request failed and they can be outdated."""

    objects: Objects
    error: ClusterError | None


class TargetState(NamedTuple):
    """The ``objects`` of ``target``, or the ``error`` of a request, which can be permanent (``is_final``)."""

    target: Target
    objects: Mapping[str, Object]
    error: ClusterError | None = None
    is_final: bool = False


def snapshots_of(client: Client, targets: Sequence[Target]) -> dict[Target, Snapshot]:
    """Return the current objects of ``targets``. Raises ``ClusterError`` with all kinds that cannot be listed."""
    snapshots: dict[Target, Snapshot] = {}
    problems = Problems()
    for target in targets:
        with problems.collect(ApiError):
            snapshots[target] = client.snapshot(target)
    problems.raise_errors(ClusterError)
    return snapshots


def watch_objects(client: Client, snapshots: Mapping[Target, Snapshot], seconds: float) -> Iterator[ObservedObjects]:
    """Yield the state of the cluster, starting with ``snapshots``, immediately and after each change, for ``seconds``.

    Yields a last time at the end. Broken connections are restarted. Raises ``ClusterError`` if the server keeps denying
    access.
    """
    deadline = time.monotonic() + seconds
    objects = {target: snapshot.objects for target, snapshot in snapshots.items()}
    yield ObservedObjects(objects, None)
    changes: SimpleQueue[TargetState] = SimpleQueue()
    over = Event()
    for target, snapshot in snapshots.items():
        arguments = (client, target, snapshot, deadline, changes, over)
        Thread(target=_watch, args=arguments, daemon=True).start()
    errors: dict[Target, ClusterError | None] = {}
    try:
        while (remaining := deadline - time.monotonic()) > 0:
            try:
                change = changes.get(timeout=min(remaining, _LONGEST_PAUSE))
            except Empty:
                if remaining > _LONGEST_PAUSE:
                    yield ObservedObjects(objects, _first(errors))
                continue
            if change.is_final and change.error is not None:
                raise change.error
            errors[change.target] = change.error
            objects[change.target] = change.objects
            if changes.empty():
                yield ObservedObjects(objects, _first(errors))
        yield ObservedObjects(objects, _first(errors))
    finally:
        over.set()


def _watch(
    client: Client,
    target: Target,
    snapshot: Snapshot,
    deadline: float,
    changes: SimpleQueue[TargetState],
    over: Event,
) -> None:
    denials = 0
    version, objects = snapshot.resource_version, snapshot.objects
    while not over.is_set() and (remaining := deadline - time.monotonic()) > 0:
        started = time.monotonic()
        try:
            if not version:
                objects, version = client.snapshot(target)
                changes.put(TargetState(target, objects))
            for event in client.watch(target, version, min(remaining, _LONGEST_WATCH)):
                if over.is_set():
                    return
                denials = 0
                version = _version_after(event)
                if event["type"] in ("ADDED", "MODIFIED", "DELETED"):
                    objects = _after(objects, event)
                    changes.put(TargetState(target, objects))
        except ClusterError as error:
            version = ""
            denials += isinstance(error, ApiError) and error.is_denial
            changes.put(TargetState(target, objects, error, is_final=denials > _TOLERATED_DENIALS))
        if time.monotonic() - started < _PAUSE:
            over.wait(_PAUSE)


def _version_after(event: Mapping[str, Any]) -> str:
    """The version from which to continue after an event; empty if a new snapshot is needed."""
    if event["type"] == "ERROR":
        return ""
    return str((event["object"].get("metadata") or {}).get("resourceVersion") or "")


def _after(objects: Mapping[str, Object], event: Mapping[str, Any]) -> Mapping[str, Object]:
    """Copy ``objects`` with a change of one of them."""
    key = object_key(event["object"])
    if event["type"] == "DELETED":
        return {name: obj for name, obj in objects.items() if name != key}
    return {**objects, key: event["object"]}


def _first(errors: Mapping[Target, ClusterError | None]) -> ClusterError | None:
    return next((error for error in errors.values() if error is not None), None)
