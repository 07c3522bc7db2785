# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Objects of a cluster as they change: a snapshot, and then a watch for each kind, through restarts of the server."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple

from .._problems import ApiError, ClusterError, Problems, raise_errors
from .._resources import Target
from .client import Client, Snapshot, object_key

Objects = Mapping[Target, Mapping[str, Mapping[str, Any]]]
"""What was followed, to its objects by ``object_key``."""

_PAUSE = 1.0
"""Seconds before a broken watch is begun again."""

_DENIALS = (401, 403, 404, 405)
_TOLERATED_DENIALS = 5
"""How often in a row these answers are taken for those of a server that only starts and does not know its rules yet."""

_LONGEST_WATCH = 60.0
"""Seconds after which a watch is begun again, because a connection can be dead without a sign."""


_LONGEST_SILENCE = 5.0
"""Seconds after which whoever follows hears something also where nothing happens, and can look at something else."""


class ObservedObjects(NamedTuple):
    """What the cluster has. ``trouble`` is why that may be old: what the last broken connection said."""

    objects: Objects
    trouble: ClusterError | None


class WatchEvent(NamedTuple):
    """What happened to ``target``: it is all that ``snapshot`` has, or ``event`` came, or there was ``trouble``.

    ``is_final``: the trouble will not pass.
    """

    target: Target
    snapshot: Snapshot | None = None
    event: Mapping[str, Any] | None = None
    trouble: ClusterError | None = None
    is_final: bool = False


def snapshots_of(client: Client, targets: Sequence[Target]) -> dict[Target, Snapshot]:
    """Return what there is of ``targets`` now. Raises ``ClusterError`` with all that cannot be listed."""
    found: dict[Target, Snapshot] = {}
    problems = Problems()
    for target in targets:
        try:
            found[target] = client.snapshot(target)
        except ApiError as error:
            problems += error.problems
    raise_errors(problems, ClusterError)
    return found


def watch_objects(client: Client, snapshots: Mapping[Target, Snapshot], seconds: float) -> Iterator[ObservedObjects]:
    """Yield what the cluster has after ``snapshots``, at once and whenever it changes, for ``seconds``.

    Yields a last time when the time is over. A connection that breaks is made again. Raises ``ClusterError`` where
    the server goes on saying no.
    """
    deadline = time.monotonic() + seconds
    objects = {target: dict(snapshot.objects) for target, snapshot in snapshots.items()}
    yield ObservedObjects(objects, None)
    changes: SimpleQueue[WatchEvent] = SimpleQueue()
    over = Event()
    for target, snapshot in snapshots.items():
        arguments = (client, target, snapshot, deadline, changes, over)
        Thread(target=_watch, args=arguments, daemon=True).start()
    trouble: dict[Target, ClusterError | None] = {}
    try:
        while (left := deadline - time.monotonic()) > 0:
            try:
                change = changes.get(timeout=min(left, _LONGEST_SILENCE))
            except Empty:
                if left > _LONGEST_SILENCE:
                    yield ObservedObjects(objects, _first(trouble))
                continue
            if change.is_final and change.trouble is not None:
                raise change.trouble
            trouble[change.target] = change.trouble
            _note(objects[change.target], change)
            if changes.empty():
                yield ObservedObjects(objects, _first(trouble))
        yield ObservedObjects(objects, _first(trouble))
    finally:
        over.set()


def _watch(
    client: Client,
    target: Target,
    snapshot: Snapshot,
    deadline: float,
    changes: SimpleQueue[WatchEvent],
    over: Event,
) -> None:
    refusals = 0
    version = snapshot.resource_version
    while not over.is_set() and (left := deadline - time.monotonic()) > 0:
        begun = time.monotonic()
        try:
            if not version:
                snapshot = client.snapshot(target)
                version = snapshot.resource_version
                changes.put(WatchEvent(target, snapshot=snapshot))
            for event in client.watch(target, version, min(left, _LONGEST_WATCH)):
                if over.is_set():
                    return
                refusals = 0
                version = _version_after(event)
                if event["type"] in ("ADDED", "MODIFIED", "DELETED"):
                    changes.put(WatchEvent(target, event=event))
        except ClusterError as error:
            version = ""
            refusals += isinstance(error, ApiError) and error.code in _DENIALS
            changes.put(WatchEvent(target, trouble=error, is_final=refusals > _TOLERATED_DENIALS))
        if time.monotonic() - begun < _PAUSE:
            over.wait(_PAUSE)


def _version_after(event: Mapping[str, Any]) -> str:
    """Return where to go on after an event; empty where the server says that a new snapshot is needed."""
    if event["type"] == "ERROR":
        return ""
    return str((event["object"].get("metadata") or {}).get("resourceVersion") or "")


def _note(known: dict[str, Mapping[str, Any]], change: WatchEvent) -> None:
    if change.snapshot is not None:
        known.clear()
        known.update(change.snapshot.objects)
    elif change.event is not None:
        found = change.event["object"]
        if change.event["type"] == "DELETED":
            known.pop(object_key(found), None)
        else:
            known[object_key(found)] = found


def _first(trouble: Mapping[Target, ClusterError | None]) -> ClusterError | None:
    return next((error for error in trouble.values() if error is not None), None)
