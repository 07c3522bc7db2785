# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""When a request to an API server is sent again, and how long to wait before."""

from __future__ import annotations

import random
import ssl
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeVar

from .._problems import ApiError, ClusterError, LockLostError

if TYPE_CHECKING:
    import urllib3

RETRIED_CODES = frozenset({429, 500, 502, 503, 504})
NOT_IN_SCHEMA = "field not declared in schema"
"""What a server says of a field that it does not know, as if that were its own failure and would pass."""

_NOT_OF_TYPE = "failed to create typed patch object", "unable to convert unstructured object"
"""What it says, in the same way, of what is applied and does not fit the types of the schema
(kubernetes/apimachinery:pkg/util/managedfields/internal/structuredmerge.go Apply, pkg/runtime/converter.go)."""

LONGEST_WAIT = 20.0
"""Seconds between two attempts at most, whatever ``Retry-After`` says."""


@cache
def retries(connect_seconds: float) -> urllib3.Retry:
    """Return the policy for requests that can be sent twice; ``connect_seconds`` is the time-out for connections.

    Repeated are answers that say "later", broken connections and answers that do not come; a connection that cannot
    be made only where it was refused, because that is what a restarting server does, and fails at once.
    """
    import urllib3

    class Retries(urllib3.Retry):
        RETRY_AFTER_STATUS_CODES = RETRIED_CODES

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
                # A connection that breaks while TLS begins is a broken one.
                error = urllib3.exceptions.ProtocolError("the connection broke while TLS began", error)
            unreachable = (urllib3.exceptions.ConnectTimeoutError, urllib3.exceptions.NewConnectionError)
            if (isinstance(error, unreachable) and not _refused(error)) or _silent(error, connect_seconds):
                raise urllib3.exceptions.MaxRetryError(_pool, url or "", error)
            said = (response.data or b"").decode(errors="replace") if response is not None else ""
            if response is not None and response.status == 500 and is_permanent(said):
                # Urllib3 then returns the answer as it is.
                raise urllib3.exceptions.MaxRetryError(_pool, url or "", None)
            return super().increment(method, url, response, error, _pool, _stacktrace)

        def get_backoff_time(self) -> float:
            attempts = len(self.history)
            return min(LONGEST_WAIT, 0.2 * 2 ** (attempts - 1) * random.uniform(0.75, 1.25)) if attempts else 0.0

        def get_retry_after(self, response: Any) -> float | None:
            try:
                seconds = super().get_retry_after(response)
            except urllib3.exceptions.InvalidHeader:
                return None
            return None if seconds is None else min(float(seconds), LONGEST_WAIT)

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


def is_permanent(said: str) -> bool:
    """Tell whether an answer of 500 is what the next attempt gets as well: the manifest is to blame."""
    return any(words in said for words in (NOT_IN_SCHEMA, *_NOT_OF_TYPE))


def _root(error: BaseException | None) -> BaseException | None:
    """Return the error that urllib3 has put into one of its own."""
    return next((arg for arg in error.args if isinstance(arg, BaseException)), error) if error else None


def _silent(error: BaseException | None, connect_seconds: float) -> bool:
    """Tell whether a server took the connection and never began TLS; for urllib3 that is an answer that is late."""
    return type(error).__name__ == "ReadTimeoutError" and f"(read timeout={connect_seconds})" in str(error)


def _refused(error: BaseException) -> bool:
    return isinstance(error.__cause__ or error.__context__, ConnectionRefusedError)


SECONDS = 90.0
"""How long there may be no answer until a rollout gives up; a restart takes less."""


_PAUSE = 1.0


Result = TypeVar("Result")


def retry_while_unreachable(ask: Callable[[], Result], is_over: Callable[[], bool] = lambda: False) -> Result:
    """Return what ``ask`` returns, asked again as long as the API server does not answer and nothing ``is_over``.

    Raises ``ClusterError``: what the server answers, or that it does not.
    """
    silent_since: float | None = None  # what was asked may have been answered for minutes before
    while True:
        try:
            return ask()
        except (ApiError, LockLostError):
            raise
        except ClusterError:
            silent_since = time.monotonic() if silent_since is None else silent_since
            if time.monotonic() - silent_since >= SECONDS or is_over():
                raise
        time.sleep(_PAUSE)
