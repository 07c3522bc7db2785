# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""How many requests a client sends at the same time: fewer after the API server rejected some as too many.

The limit falls and rises as TCP's congestion window does: it is halved, and then increased by one after many answers.
Source of the rejections: kubernetes/apiserver:pkg/server/filters/priority-and-fairness.go, maxinflight.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

_ANSWERS_BEFORE_INCREASE = 100


class RequestLimit:
    """The number of concurrent requests, at first unlimited. Threads share it."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._running = 0
        self._limit: int | None = None
        self._reductions = 0
        self._answers = 0

    @contextmanager
    def slot(self) -> Iterator[int]:
        """Wait until one more request may be sent. The value is for ``lower``."""
        with self._changed:
            self._changed.wait_for(lambda: self._limit is None or self._running < self._limit)
            self._running += 1
            reductions = self._reductions
        try:
            yield reductions
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify()

    def lower(self, reductions: int) -> None:
        """Halve the limit, because a request was rejected. ``reductions`` is the value of its slot.

        Of requests that were sent with the same limit, only the first rejection counts.
        """
        with self._changed:
            if reductions == self._reductions:
                self._limit = max(1, (self._limit or self._running + 1) // 2)
                self._reductions += 1
            self._answers = 0

    def answered(self) -> None:
        """Increase the limit after many answers."""
        with self._changed:
            self._answers += 1
            if self._limit is not None and self._answers >= _ANSWERS_BEFORE_INCREASE:
                self._answers = 0
                self._limit += 1
                self._changed.notify()
