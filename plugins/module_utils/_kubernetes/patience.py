# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Patience with an API server that does not answer at all, because it may be restarting."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from .._problems import ApiError, ClaimError, ClusterError

SECONDS = 90.0
"""How long there may be no answer until a rollout gives up; a restart takes less."""

_PAUSE = 1.0
_Answer = TypeVar("_Answer")


def persist(ask: Callable[[], _Answer], is_over: Callable[[], bool] = lambda: False) -> _Answer:
    """Return what ``ask`` returns, asked again as long as the API server does not answer and nothing ``is_over``.

    Raises ``ClusterError``: what the server answers, or that it does not.
    """
    silent_since: float | None = None  # what was asked may have been answered for minutes before
    while True:
        try:
            return ask()
        except (ApiError, ClaimError):
            raise
        except ClusterError:
            silent_since = time.monotonic() if silent_since is None else silent_since
            if time.monotonic() - silent_since >= SECONDS or is_over():
                raise
        time.sleep(_PAUSE)
