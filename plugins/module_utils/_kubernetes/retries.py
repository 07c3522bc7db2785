# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""When a request to an API server is retried, after which delay, and how many are sent at the same time."""

from __future__ import annotations

import math
import random
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Condition
from typing import TYPE_CHECKING, Any, Self, TypeVar

from .._problems import ClusterError, LockLostError
from .api_errors import (
    RETRIED_CODES,
    ApiError,
    NoAnswerError,
    is_permanent_failure,
    is_rejected_as_too_many,
    is_storage_initializing,
)

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
    """Return the timeouts of each attempt of a request. They become shorter before ``deadline``."""
    timeout: urllib3.Timeout = _timeout_class()(deadline, read_seconds)
    return timeout


@cache
def _timeout_class() -> Any:
    import urllib3

    class Timeout(urllib3.Timeout):
        def __init__(self, deadline: float, read_seconds: float) -> None:
            super().__init__(connect=CONNECT_SECONDS, read=read_seconds)
            self._deadline, self._seconds = deadline, (CONNECT_SECONDS, read_seconds)

        def clone(self) -> urllib3.Timeout:
            """The timeouts of the next attempt: urllib3 clones them for each."""
            left = max(_SHORTEST_TIMEOUT, self._deadline - time.monotonic())
            connect, read = (min(seconds, left) for seconds in self._seconds)
            return urllib3.Timeout(connect=connect, read=read)

    return Timeout


@cache
def retries() -> Any:
    """Return the policy for idempotent requests, a ``urllib3.Retry``; ``until`` limits its time.

    Retries 429 and 5xx answers, broken connections and read
    timeouts. A failed connection attempt is retried only if it was refused, as by a restarting server.
    """
    import urllib3

    class Retries(urllib3.Retry):
        RETRY_AFTER_STATUS_CODES = RETRIED_CODES
        deadline = math.inf

        def until(self, deadline: float) -> Self:
            """Copy the policy: it does not retry a request without an answer after ``deadline``."""
            policy = self.new()
            policy.deadline = deadline
            return policy

        def new(self, **changes: Any) -> Self:
            policy = super().new(**changes)
            policy.deadline = self.deadline
            return policy

        def increment(
            self,
            method: str | None = None,
            url: str | None = None,
            response: urllib3.BaseHTTPResponse | None = None,
            error: Exception | None = None,
            _pool: Any = None,
            _stacktrace: Any = None,
        ) -> Self:
            if isinstance(error, urllib3.exceptions.ProxyError) and isinstance(error.original_error, Exception):
                error = error.original_error
            if isinstance(_root(error), ssl.SSLEOFError):
                # A connection that breaks during the TLS handshake counts as broken.
                error = urllib3.exceptions.ProtocolError("the connection broke during the TLS handshake", error)
            unreachable = (urllib3.exceptions.ConnectTimeoutError, urllib3.exceptions.NewConnectionError)
            if (isinstance(error, unreachable) and not _refused(error)) or _is_timeout(error):
                raise urllib3.exceptions.MaxRetryError(_pool, url or "", error)
            if error is not None and time.monotonic() >= self.deadline:
                raise urllib3.exceptions.MaxRetryError(_pool, url or "", error)
            if response is not None and _is_for_the_caller(response):
                # urllib3 then returns the answer.
                raise urllib3.exceptions.MaxRetryError(_pool, url or "", None)
            policy = super().increment(method, url, response, error, _pool, _stacktrace)
            if response is not None and is_storage_initializing(response.status, _text(response)):
                policy.status = self.status  # The delays are short, so only the total limits these attempts.
            return policy

        def get_backoff_time(self) -> float:
            attempts = len(self.history)
            return min(LONGEST_WAIT, 0.2 * 2 ** (attempts - 1) * random.uniform(0.75, 1.25)) if attempts else 0.0

        def get_retry_after(self, response: Any) -> float | None:
            try:
                seconds = super().get_retry_after(response)
            except urllib3.exceptions.InvalidHeader:
                return None
            if seconds is None:
                return None
            if is_storage_initializing(response.status, _text(response)):
                return min(float(seconds), _INITIALIZING_SECONDS * float(2 ** max(0, len(self.history) - 1)))
            return min(float(seconds), LONGEST_WAIT)

    return Retries(
        total=8,
        connect=4,
        read=3,
        status=5,
        other=0,
        redirect=0,
        allowed_methods=None,
        status_forcelist=RETRIED_CODES,
        raise_on_redirect=False,
        raise_on_status=False,
    )


def _is_for_the_caller(response: urllib3.BaseHTTPResponse) -> bool:
    """Whether a retry is useless, or the client first has to send fewer requests."""
    text = _text(response)
    return is_permanent_failure(response.status, text) or is_rejected_as_too_many(response.status, text)


def _text(response: urllib3.BaseHTTPResponse) -> str:
    return (response.data or b"").decode(errors="replace")


def _root(error: BaseException | None) -> BaseException | None:
    """The error that urllib3 has wrapped."""
    return next((arg for arg in error.args if isinstance(arg, BaseException)), error) if error else None


def _is_timeout(error: BaseException | None) -> bool:
    """Whether a server accepted the connection without a TLS handshake, which urllib3 reports as a read timeout."""
    return type(error).__name__ == "ReadTimeoutError" and f"(read timeout={CONNECT_SECONDS})" in str(error)


def _refused(error: BaseException) -> bool:
    return isinstance(error.__cause__ or error.__context__, ConnectionRefusedError)


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
