# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""When a request to an API server is retried, after which delay, and how many are sent at the same time."""

from __future__ import annotations

import random
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import TYPE_CHECKING, TypeVar

from .._problems import ClusterError, LockLostError
from .api_errors import ApiError, NoAnswerError

if TYPE_CHECKING:
    import urllib3

LONGEST_WAIT = 20.0
"""The longest time in seconds between two attempts, even if ``Retry-After`` is longer."""

CONNECT_SECONDS = 10.0
"""Timeout of a connection attempt."""

OUTAGE_SECONDS = 90.0
"""Seconds without an answer after which requests and rollouts fail; a restart of the API server takes less."""

_INITIALIZING_SECONDS = 0.05
"""The first delay after which a kind is requested again whose storage the server initializes. Then it doubles."""

_SHORTEST_TIMEOUT = 5.0
"""Timeout in seconds after the deadline, for callers with a longer limit: a server that recovers can be slow."""


_MOST_RETRIES, _MOST_INITIALIZING = 5, 8
_ANSWERS_BEFORE_INCREASE = 100


class OutageTimer:
    """Records since when a server has not answered any request. Threads may share it."""

    def __init__(self) -> None:
        self._since: float | None = None

    def begin(self, started: float) -> float:
        """Record that a request of the time ``started`` got no answer. Returns when the outage began."""
        since = self._since
        self._since = since = started if since is None else min(since, started)
        return since

    def end(self) -> None:
        """Record an answer."""
        self._since = None

    def deadline(self, started: float) -> float:
        """When a request of the time ``started`` has to fail."""
        since = self._since
        return (started if since is None else since) + OUTAGE_SECONDS


class RequestLimit:
    """The number of concurrent requests, at first unlimited. Threads share it.

    As TCP's congestion window, it is halved after the API server rejected requests as too many, and then increased by
    one after many answers.
    Source of the rejections: kubernetes/apiserver:pkg/server/filters/priority-and-fairness.go, maxinflight.go.
    """

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


def timeout_until(deadline: float, read_seconds: float) -> urllib3.Timeout:
    """Return the timeouts of the next attempt of a request. They become shorter before ``deadline``."""
    import urllib3

    left = max(_SHORTEST_TIMEOUT, deadline - time.monotonic())
    return urllib3.Timeout(connect=min(CONNECT_SECONDS, left), read=min(read_seconds, left))


def delay_after_error(error: BaseException, failures: int, deadline: float) -> float | None:
    """Return the seconds until a request without an answer is sent again, ``None`` if it is not.

    It is after a broken connection and a read timeout. A failed connection attempt only if it was refused, as by a
    restarting server. ``failures`` counts the earlier ones.
    """
    import urllib3.exceptions as raised

    if isinstance(error, raised.ProxyError) and isinstance(error.original_error, Exception):
        error = error.original_error
    if isinstance(error, (raised.ConnectTimeoutError, raised.NewConnectionError)):
        is_temporary = isinstance(error.__cause__ or error.__context__, ConnectionRefusedError)
    elif isinstance(error, raised.SSLError):
        # The connection can break during the TLS handshake.
        is_temporary = any(isinstance(cause, ssl.SSLEOFError) for cause in error.args)
    else:
        # A server that accepts the connection without a TLS handshake is a read timeout, too.
        is_handshake = f"(read timeout={CONNECT_SECONDS})" in str(error)
        is_temporary = isinstance(error, (raised.ProtocolError, raised.ReadTimeoutError)) and not is_handshake
    is_over = failures >= _MOST_RETRIES or time.monotonic() >= deadline
    return _backoff(failures) if is_temporary and not is_over else None


def delay_after_answer(error: ApiError, retry_after: str, failures: int) -> float | None:
    """Return the seconds until a request is sent again because of its answer, ``None`` if it is not.

    If too many requests run, the client first has to send fewer. ``retry_after`` is the header.
    """
    if not error.is_retryable or error.is_rejected_as_too_many:
        return None
    retry_after = retry_after.strip()
    seconds = min(float(retry_after), LONGEST_WAIT) if retry_after.isdecimal() else 0.0
    if error.is_storage_initializing:
        # The delays are short, so more attempts are made.
        return min(seconds, _INITIALIZING_SECONDS * 2.0**failures) if failures < _MOST_INITIALIZING else None
    return (seconds or _backoff(failures)) if failures < _MOST_RETRIES else None


def _backoff(failures: int) -> float:
    return min(LONGEST_WAIT, 0.2 * 2.0**failures * random.uniform(0.75, 1.25))


_PAUSE = 1.0

Result = TypeVar("Result")


def retry_while_unreachable(request: Callable[[], Result], is_over: Callable[[], bool] = lambda: False) -> Result:
    """Call ``request`` and return its result; call it again while the API server does not answer, unless ``is_over``.

    Raises ``ClusterError``: an unsuccessful answer, or no answer for 90 seconds.
    """
    failing_since: float | None = None
    while True:
        try:
            return request()
        except (ApiError, LockLostError):
            raise
        except ClusterError as error:
            now = time.monotonic()
            failing_since = now if failing_since is None else failing_since
            since = error.since if isinstance(error, NoAnswerError) else failing_since
            if now - since >= OUTAGE_SECONDS or is_over():
                raise
        time.sleep(_PAUSE)
