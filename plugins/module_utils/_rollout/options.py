# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Options of a rollout, as given, and its clocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._kubernetes.crds import ESTABLISH_SECONDS, TOUCH_SECONDS
from .._release.task_graph import Mode


class Timings(NamedTuple):
    """The clocks of a rollout, in seconds. Tests pass shorter ones.

    ``lock_check`` is the shortest time between two reads of the run lock. ``establish`` is how long to wait for
    CustomResourceDefinitions, and ``touch`` how long one may make no progress before it is written again. A retry of
    manifests waits ``first_pause``, then longer, up to ``longest_pause``. ``cluster_version`` is the pause before
    another read of the ClusterVersion.
    """

    lock_check: float = 3.0
    establish: float = ESTABLISH_SECONDS
    touch: float = TOUCH_SECONDS
    first_pause: float = 0.5
    longest_pause: float = 5.0
    cluster_version: float = 1.0


REAL_TIMINGS = Timings()


class ApplyOptions(NamedTuple):
    """How manifests are applied. ``with_objects``: results contain the objects before and after."""

    mode: Mode
    force_conflicts: bool
    dry_run: bool
    with_objects: bool
    timings: Timings = REAL_TIMINGS


class ReleaseOptions(NamedTuple):
    """Which release to load, and the properties of the cluster that its templates contain.

    ``index_directory`` is where its index is kept.
    """

    path: str
    openshift_version: str | None
    cluster_profile: str | None
    release_image: str | None
    index_directory: str = ""


def release_options_from_params(params: Mapping[str, Any]) -> ReleaseOptions:
    """Read the release and the profile from the ``params`` of ``_module.argspec.with_release_directory``."""
    return ReleaseOptions(
        params["release"],
        params["openshift_version"],
        params["cluster_profile"],
        params["release_image"],
        params["index_directory"],
    )


class RolloutOptions(NamedTuple):
    """Options of a rollout. ``mode`` is ``None`` for the mode that the CVO would choose.

    ``release_image`` is the pull spec for the status, empty if not set. ``wait_timeout`` is in seconds. ``diff_mode``:
    the result contains the objects before and after.
    """

    cluster: ClusterOptions
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
    diff_mode: bool
