# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Options of a rollout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._kubernetes.crds import ESTABLISH_SECONDS, TOUCH_SECONDS
from .._release.task_graph import Mode


class Timings(NamedTuple):
    """The clocks of a rollout, in seconds. Tests pass shorter ones.

    ``lock_check`` is the shortest time between two reads of the run lock. ``establish`` is how long to wait for
    CustomResourceDefinitions, and ``touch`` how long one may make no progress until it is written again. A retry of
    manifests waits ``first_pause``, then longer, up to ``longest_pause``. ``cluster_version`` is the pause before
    another look at the ClusterVersion.
    """

    lock_check: float = 3.0
    establish: float = ESTABLISH_SECONDS
    touch: float = TOUCH_SECONDS
    first_pause: float = 0.5
    longest_pause: float = 5.0
    cluster_version: float = 1.0


REAL_TIMINGS = Timings()


class ApplyOptions(NamedTuple):
    """How a rollout sends. ``show``: objects before and after are wanted."""

    mode: Mode
    force: bool
    dry_run: bool
    show: bool
    timings: Timings = REAL_TIMINGS


class RolloutCriteria(NamedTuple):
    """What the user said of a cluster; ``None`` where the cluster is asked."""

    cluster_profile: str | None
    feature_set: str | None
    feature_gates: Sequence[str] | None
    exclude_identifier: str
    overrides: Sequence[Any] | None
    always_enabled_capabilities: Sequence[str] | None


def criteria_from_params(params: Mapping[str, Any]) -> RolloutCriteria:
    """Return what the options of ``_argspec.rollout_spec`` say."""
    return RolloutCriteria(*(params[field] for field in RolloutCriteria._fields))


class RolloutOptions(NamedTuple):
    """What the user wants of a rollout. ``mode``: ``None`` for what the CVO would choose.

    ``release_image``: pull spec for the status, empty where nobody said it. ``wait_timeout`` is in seconds.
    """

    capabilities: object
    said: RolloutCriteria
    mode: Mode | None
    parallelism: int
    wait: bool
    wait_timeout: float
    force_conflicts: bool
    prune: bool
    allow_cvo_managed: bool
    allow_downgrade: bool
    release_image: str
    dry_run: bool
    show: bool
