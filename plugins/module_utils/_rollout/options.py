# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Options of a rollout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._release.task_graph import Mode


class ApplyOptions(NamedTuple):
    """How a rollout sends. ``show``: objects before and after are wanted."""

    mode: Mode
    force: bool
    dry_run: bool
    show: bool


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
