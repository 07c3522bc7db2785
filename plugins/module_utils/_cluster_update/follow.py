# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Follows an update until the CVO has completed it, with one watch for each kind.

The end is an entry of the history that is ``Completed`` for the image: an earlier update to the same version can have
had another image. Source: openshift/cluster-version-operator:pkg/cvo/status.go mergeOperatorHistory.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from .._cluster.cluster_version import CLUSTER_VERSION
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client, Snapshot
from .._kubernetes.watch import ObservedObjects, snapshots_of, watch_objects
from .._problems import ClusterError, Problems
from .._progress import Progress
from .._resources import CLUSTER_OPERATORS, Object, Target, as_text, conditions_of, mappings_in, nested
from .._update_plan.update_reasons import one_line
from .pools import MACHINE_CONFIG_POOLS, is_degraded, is_updating, pool_text
from .target import TargetRelease, requests, update_phase

OPERATORS = Target(CLUSTER_OPERATORS)
POOLS = Target(MACHINE_CONFIG_POOLS)

_BETWEEN_LINES = 30.0
_SHOWN = {"Failing": ("True", "Unknown"), "ReleaseAccepted": ("False", "Unknown"), "Invalid": ("True",)}
"""Conditions of the ClusterVersion that a line of progress shows, with the statuses in which it does."""

_SHOWN_OF_MIGRATION = {**_SHOWN, "RetrievedUpdates": ("False",)}
"""The image for several architectures comes from the update service."""


def snapshots_to_follow(client: Client, problems: Problems) -> Mapping[Target, Snapshot]:
    """Return the objects that an update changes. Raises ``ClusterError`` if one of them cannot be listed.

    Not every cluster has pools, and not every user may list them.
    """
    found = snapshots_of(client, (CLUSTER_VERSION, OPERATORS))
    try:
        found[POOLS] = client.snapshot(POOLS)
    except ApiError as error:
        if not (error.is_not_found or error.is_forbidden):
            raise
        if error.is_forbidden:
            message = "cannot be listed, so it is not known whether a pool is paused or still updating"
            hint = "Grant list and watch on machineconfigpools"
            problems.warning("unread-pools", str(POOLS), message, hint)
    return found


def follow_update(
    client: Client,
    target: TargetRelease,
    snapshots: Mapping[Target, Snapshot],
    seconds: float,
    stuck_seconds: float,
    progress: Progress,
    problems: Problems,
    clock: Callable[[], float] = time.monotonic,
) -> Object | None:
    """Follow the update to ``target`` for ``seconds``. Return the last ClusterVersion, ``None`` if there is none.

    Errors among ``problems`` name why it is not completed. If nothing moves for ``stuck_seconds``, a warning says so.
    """
    watcher = _Watcher(target, stuck_seconds, progress, problems, clock)
    try:
        for state in watch_objects(client, snapshots, seconds):
            if watcher.is_over(state):
                return watcher.last
    except ClusterError as error:
        message = f"the update to {target.version} cannot be followed: the state of the cluster cannot be read"
        problems.error("unknown-update-state", "wait", message, "Correct the following, and run this again to continue")
        problems += error.problems
        return watcher.last
    message = f"the update to {target.version} is not completed after {seconds:g} s{watcher.reported()}"
    problems.error("unfinished-update", "wait", message, "Run this again to continue, or increase wait_timeout")
    return watcher.last


class _Watcher:
    """What was seen of an update so far: its last ClusterVersion, and since when nothing has moved."""

    def __init__(
        self,
        target: TargetRelease,
        stuck_seconds: float,
        progress: Progress,
        problems: Problems,
        clock: Callable[[], float],
    ) -> None:
        self._target, self._stuck_seconds, self._progress = target, stuck_seconds, progress
        self._problems, self._clock = problems, clock
        self._shown = _SHOWN_OF_MIGRATION if target.replaced else _SHOWN
        self.last: Object | None = None
        self._parts: object = None
        self._moved_at = clock()
        self._shown_at = self._moved_at - _BETWEEN_LINES
        self._is_stuck = False

    def is_over(self, state: ObservedObjects) -> bool:
        """Take in ``state``. Return whether the update is completed, or replaced by another one."""
        obj = state.objects[CLUSTER_VERSION].get(CLUSTER_VERSION.name)
        self.last = obj or self.last
        if obj is not None and update_phase(obj, self._target) == "completed":
            return True
        if obj is not None and (other := replacing_update(obj, self._target)):
            message = f"another client requested {other} before the update to {self._target.version} was completed"
            hint = "Find out who did, and decide which update to request"
            self._problems.error("replaced-update", str(CLUSTER_VERSION), message, hint)
            return True
        self._check_movement(state)
        now = self._clock()
        if now - self._shown_at >= _BETWEEN_LINES:
            self._shown_at = now
            self._progress(self._line(state))
        return False

    def reported(self) -> str:
        """What the CVO reports about the update, as the end of a sentence."""
        return "".join(f"; {text}" for text in _condition_texts(self.last, self._shown))

    def _check_movement(self, state: ObservedObjects) -> None:
        parts, now = _moving_parts(state), self._clock()
        if parts != self._parts:
            self._parts, self._moved_at, self._is_stuck = parts, now, False
        elif now - self._moved_at >= self._stuck_seconds and not self._is_stuck:
            self._is_stuck = True
            message = f"UpdateStuck: nothing moved for {self._stuck_seconds:g} s{self.reported()}"
            hint = "Check what it names; the cluster continues on its own once that is repaired"
            self._problems.warning("update-stuck", str(CLUSTER_VERSION), message, hint)

    def _line(self, state: ObservedObjects) -> str:
        if state.error is not None:
            return f"waiting for the API server: {state.error.problems[0].message}"
        first = ["requested"] if self.last is not None and update_phase(self.last, self._target) == "requested" else []
        first += [f"stuck for {self._clock() - self._moved_at:.0f} s"] if self._is_stuck else []
        operators = state.objects[OPERATORS].values()
        done = sum(1 for operator in operators if _version_of(operator) == self._target.version)
        # Before the update reaches the nodes, all of them have the configuration of the previous release.
        pools = state.objects.get(POOLS, {})
        is_reached = any(is_updating(pool) or is_degraded(pool) for pool in pools.values())
        nodes = [f"nodes: {', '.join(pool_text(name, pools[name]) for name in sorted(pools))}"] if is_reached else []
        texts = _condition_texts(self.last, self._shown)
        return "; ".join([*first, *texts, f"operators: {done} of {len(operators)}", *nodes])


def replacing_update(obj: Object, target: TargetRelease) -> str:
    """The update that the spec requests instead of ``target``; empty if it requests ``target``, or the CVO began it."""
    desired = nested(obj, "spec", "desiredUpdate") or {}
    other = as_text(desired.get("version")) or as_text(desired.get("image"))
    if not other:  # a request that is cleared can still accept risks
        return "no update" if update_phase(obj, target) == "not_started" else ""
    return "" if requests(obj, target) else other


def _condition_texts(obj: Object | None, shown: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield what the CVO reports, in its own words: its progress, and the conditions ``shown``."""
    conditions = conditions_of(obj)
    progressing = conditions.get("Progressing", {})
    if progressing.get("message"):
        yield one_line(as_text(progressing["message"]))
    for kind, statuses in shown.items():
        condition = conditions.get(kind, {})
        if condition.get("status") in statuses:
            text = one_line(as_text(condition.get("message"))) or as_text(condition.get("reason"))
            yield f"{kind}={condition['status']}: {text}"


def _moving_parts(state: ObservedObjects) -> Sequence[object]:
    """What changes while an update makes progress: everything reported, without times and counters of writes."""
    cluster_version = state.objects[CLUSTER_VERSION].get(CLUSTER_VERSION.name)
    history = [
        (item.get("image"), item.get("state")) for item in mappings_in(nested(cluster_version, "status", "history"))
    ]
    pools = [pool_text(name, pool) for name, pool in sorted(state.objects.get(POOLS, {}).items())]
    operators = sorted(state.objects[OPERATORS].items())
    reports = [(name, _version_of(item), _statuses(item)) for name, item in operators]
    return history, _statuses(cluster_version), list(_condition_texts(cluster_version, _SHOWN)), reports, pools


def _statuses(obj: object) -> list[tuple[str, str]]:
    return sorted((str(kind), as_text(item.get("status"))) for kind, item in conditions_of(obj).items())


def _version_of(operator: Object) -> str:
    versions = mappings_in(nested(operator, "status", "versions"))
    return next((as_text(item.get("version")) for item in versions if item.get("name") == "operator"), "")
