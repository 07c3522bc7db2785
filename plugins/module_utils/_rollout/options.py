# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options of a rollout, as given, and its clocks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._kubernetes.auth_options import auth_spec
from .._kubernetes.crds import ESTABLISH_SECONDS, TOUCH_SECONDS
from .._module.argspec import Spec, chdir_spec, check_wait_timeout, release_spec, rollout_spec
from .._module.interface import Module
from .._problems import Problems
from .._release.task_graph import MODES, Mode

RewrittenFields = Callable[[Mapping[str, Any], Mapping[str, Any], Callable[[str], bool]], Sequence[str]]
"""Returns the paths of the fields that have another value in a live object (the second one) than in the applied one.

The third argument is a function that reports whether the kind has a field. The API server drops all others.
"""

_MOST_PARALLEL = 64
_OF_WHOLE_ROLLOUTS = ("mode", "previous_release", "prune", "allow_downgrade")


class Timings(NamedTuple):
    """The clocks of a rollout, in seconds. Tests pass shorter ones.

    ``lock_check`` is the shortest time between two reads of the run lock. ``establish`` is how long to wait for
    CustomResourceDefinitions, and ``touch`` how long one may make no progress before it is written again. A retry of
    manifests waits ``first_pause``, then longer, up to ``longest_pause``. ``cluster_version`` is the pause before
    another read of the ClusterVersion. ``deletion`` is how long a rollout that does not wait looks for deleted objects.
    """

    lock_check: float = 3.0
    establish: float = ESTABLISH_SECONDS
    touch: float = TOUCH_SECONDS
    first_pause: float = 0.5
    longest_pause: float = 5.0
    cluster_version: float = 1.0
    deletion: float = 2.0


REAL_TIMINGS = Timings()


class RolloutOptions(NamedTuple):
    """Options of a rollout. ``mode`` is ``None`` for the mode that the CVO would choose.

    ``release_image`` is the pull spec for the status, empty if not set. ``deadline`` (of ``time.monotonic``) ends all
    waits. ``diff_mode``: the result contains the objects before and after. ``rewritten_fields`` is the comparison of
    ``release_verify``, which is in a package above this one.
    """

    cluster: ClusterOptions
    mode: Mode | None
    parallelism: int
    wait: bool
    deadline: float
    force_conflicts: bool
    prune: bool
    allow_cvo_managed: bool
    allow_downgrade: bool
    allow_unserved: Sequence[str]
    release_image: str
    dry_run: bool
    diff_mode: bool
    timings: Timings
    rewritten_fields: RewrittenFields


def release_apply_spec() -> Spec:
    """The options of the module ``release_apply``."""
    return {
        **auth_spec(),
        **release_spec(),
        **rollout_spec(),
        **chdir_spec(),
        "capabilities": {"type": "dict"},
        "previous_release": {"type": "path"},
        "mode": {"type": "str", "choices": list(MODES)},
        "only": {"type": "str", "choices": ["crds"]},
        "parallelism": {"type": "int", "default": 8},
        "wait": {"type": "bool", "default": False},
        "wait_timeout": {"type": "int", "default": 1800},
        "force_conflicts": {"type": "bool", "default": False},
        "prune": {"type": "bool", "default": False},
        "allow_cvo_managed": {"type": "bool", "default": False},
        "allow_downgrade": {"type": "bool", "default": False},
        "allow_unserved": {"type": "list", "elements": "str", "default": []},
        "signature": {"type": "str", "choices": ["required", "warn", "ignore"]},
    }


def rollout_options(
    module: Module, release_image: str, timings: Timings, rewritten_fields: RewrittenFields
) -> RolloutOptions:
    """Read the options of a rollout from the ones of ``module``, which ``release_apply_spec`` checked."""
    params = module.params
    same = {name: params[name] for name in RolloutOptions._fields if name in params and name != "release_image"}
    return RolloutOptions(
        cluster=ClusterOptions.from_params(params),
        deadline=time.monotonic() + (params["wait_timeout"] if params["wait"] else 0),
        release_image=release_image,
        dry_run=module.check_mode,
        diff_mode=module._diff,
        timings=timings,
        rewritten_fields=rewritten_fields,
        **same,
    )


def check_rollout_options(params: Mapping[str, Any], problems: Problems) -> None:
    """Check ``wait_timeout`` and ``parallelism``, and that ``only`` is not combined with options of whole rollouts."""
    check_wait_timeout(params["wait_timeout"], problems)
    parallelism = params["parallelism"]
    if not 1 <= parallelism <= _MOST_PARALLEL:
        message = f"is {parallelism}, expected 1 to {_MOST_PARALLEL}"
        problems.error("invalid-number", "parallelism", message, "Set 16 or less: more requests rarely help")
    for name in _OF_WHOLE_ROLLOUTS if params["only"] else ():
        if params[name]:
            message = f"cannot be combined with only: {params['only']}, which records no rollout"
            problems.error("conflicting-options", name, message, "Remove one of the two options")
