# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The policy as data: what is retried, how often and after which delay. Nothing is sent, and no test sleeps."""

from __future__ import annotations

import math
import socket
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Lock
from typing import Any

import pytest
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import (
    RETRIED_CODES,
    ApiError,
    NoAnswerError,
    api_error,
)
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.retries import (
    LONGEST_WAIT,
    OUTAGE_SECONDS,
    OutageTimer,
    RequestLimit,
    delay_after_answer,
    delay_after_error,
    retry_while_unreachable,
    timeout_until,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem

POOL = HTTPConnectionPool("127.0.0.1", 1)
ALL_CODES = range(200, 600)
FOREVER = math.inf


def answer(code: int = 503, body: bytes = b"", retry_after: str = "") -> tuple[ApiError, str]:
    return api_error(code, body, "get", "it"), retry_after


def unreachable(cause: BaseException) -> NewConnectionError:
    """Return the error of urllib3 for a failed connection attempt."""
    error = NewConnectionError(POOL, f"Failed to establish a new connection: {cause}")  # type: ignore[arg-type]
    error.__cause__ = cause
    return error


def delays(error: BaseException | None = None, response: Any = None) -> list[float]:
    """Return the delays between the attempts of a request that always fails like this."""
    found: list[float] = []
    while True:
        if error is not None:
            delay = delay_after_error(error, len(found), FOREVER)
        else:
            delay = delay_after_answer(response[0], response[1], len(found))
        if delay is None:
            return found
        found.append(delay)
        assert len(found) < 50


REFUSED = unreachable(ConnectionRefusedError(111, "Connection refused"))


def test_server_errors_are_retried():
    retried = {code for code in ALL_CODES if delays(response=answer(code))}

    assert retried == {429, 500, 502, 503, 504} == RETRIED_CODES
    assert {len(delays(response=answer(code))) for code in retried} == {5}


@pytest.mark.parametrize(
    ("error", "is_retried"),
    [
        (REFUSED, True),
        (ReadTimeoutError(POOL, "/", "Read timed out."), True),
        (ReadTimeoutError(POOL, "/", "Read timed out. (read timeout=10.0)"), False),
        (ProtocolError("Connection aborted.", ConnectionResetError(104, "Connection reset by peer")), True),
        (unreachable(OSError(113, "No route to host")), False),
        (unreachable(socket.gaierror(-2, "Name or service not known")), False),
        (unreachable(TimeoutError("timed out")), False),
        (ConnectTimeoutError(POOL, "Connection timed out."), False),
        (SSLError("certificate verify failed"), False),
        (ProxyError("Cannot connect to proxy.", OSError("Tunnel connection failed: 407")), False),
        (ProxyError("Cannot connect to proxy.", ConnectTimeoutError(POOL, "Connection timed out.")), False),
        (ProxyError("Cannot connect to proxy.", REFUSED), True),
        (SSLError(ssl.SSLEOFError(8, "EOF occurred in violation of protocol")), True),
        (ValueError("header"), False),
    ],
    ids=lambda value: type(getattr(value, "__cause__", None) or value).__name__ if isinstance(value, Exception) else "",
)
def test_refused_and_broken_connections_are_retried_and_failed_attempts_are_not(error, is_retried):
    assert len(delays(error)) == (5 if is_retried else 0)


def test_the_cause_may_be_the_context():
    """In older versions of urllib3."""
    error = unreachable(OSError())
    error.__cause__, error.__context__ = None, ConnectionRefusedError(111, "Connection refused")

    assert len(delays(error)) == 5


# How long


@pytest.mark.parametrize(
    ("header", "waited"),
    [("1", 1), (" 7 ", 7), ("20", 20), ("21", LONGEST_WAIT), ("86400", LONGEST_WAIT), ("9" * 30, LONGEST_WAIT)],
)
@pytest.mark.parametrize("code", [429, 503])
def test_retry_after_is_honoured_up_to_a_limit(header, waited, code):
    assert delays(response=answer(code, retry_after=header)) == [waited] * 5


@pytest.mark.parametrize("header", ["0", "soon", "1.5", "-1", ""])
def test_without_a_valid_header_every_wait_is_longer_than_the_one_before(monkeypatch, header):
    """An invalid header of a proxy must not hide the answer."""
    monkeypatch.setattr("random.uniform", lambda least, most: (least + most) / 2)
    expected = [0.2, 0.4, 0.8, 1.6, 3.2]

    assert delays(response=answer(retry_after=header)) == pytest.approx(expected)
    assert delays(REFUSED) == pytest.approx(expected)


@pytest.mark.parametrize("edge", [0, 1])
def test_concurrent_clients_wait_for_different_times(monkeypatch, edge):
    monkeypatch.setattr("random.uniform", lambda *edges: edges[edge])

    assert delays(REFUSED)[0] == pytest.approx(0.2 * (0.75, 1.25)[edge])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, as the only item."""
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_timeouts_of_all_attempts_end_at_the_deadline(clock):
    timeouts = []
    for now in (1000.0, 1060.0, 1084.0, 1100.0):
        clock[0] = now
        timeouts.append(timeout_until(1090.0, 60.0))

    assert [item.connect_timeout for item in timeouts] == [10, 10, 6, 5]
    assert [item.read_timeout for item in timeouts] == [60, 30, 6, 5]


def test_a_request_without_an_answer_is_not_retried_after_its_deadline(clock):
    assert delay_after_error(REFUSED, 0, 1000.5) is not None
    clock[0] = 1090.0
    assert delay_after_error(REFUSED, 0, 1090.0) is None


def test_an_outage_begins_with_the_first_request_without_an_answer():
    timer = OutageTimer()
    assert timer.deadline(5.0) == 5.0 + OUTAGE_SECONDS
    assert [timer.begin(5.0), timer.begin(9.0), timer.begin(4.0)] == [5.0, 5.0, 4.0]
    assert timer.deadline(50.0) == 4.0 + OUTAGE_SECONDS
    timer.end()
    assert timer.begin(60.0) == 60.0


def test_a_rollout_fails_90_seconds_after_the_last_answer(clock, monkeypatch):
    """The first request already waits for 70 of them."""
    timer, started = OutageTimer(), clock[0]
    monkeypatch.setattr("time.sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))

    def request() -> None:
        at = clock[0]
        clock[0] = min(at + 70, timer.deadline(at))
        raise NoAnswerError(Problem("error", "unreachable-server", "", "no answer"), timer.begin(at))

    with pytest.raises(NoAnswerError):
        retry_while_unreachable(request)
    assert clock[0] - started == OUTAGE_SECONDS


@pytest.mark.parametrize(
    ("body", "retries"),
    [
        (b"failed to create typed patch object (a/b; /v1, Kind=C): .x: field not declared in schema", 0),
        (b"failed to create typed patch object (a/b; /v1, Kind=C): .x: expected string, got &value{5}", 0),
        (b"failed to convert new object to proper version: unable to convert unstructured object to /v1", 0),
        (b"failed to convert new object to proper version: conversion webhook for a failed: dial tcp", 5),
        (b"etcdserver: leader changed", 5),
        (b"\xff", 5),
    ],
)
def test_permanent_failures_are_not_retried(body, retries):
    assert len(delays(response=answer(500, body))) == retries


@pytest.mark.parametrize(
    ("retry_after", "expected"),
    [("1", [0.05, 0.1, 0.2, 0.4, 0.8, 1, 1, 1]), ("30", [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4])],
)
def test_storage_that_initializes_is_asked_again_soon_and_more_often(retry_after: str, expected: list[float]) -> None:
    body = b'{"kind":"Status","message":"storage is (re)initializing","code":429}'
    assert delays(response=answer(429, body, retry_after=retry_after)) == pytest.approx(expected)


THREADS = 8


def most_at_once(limit: RequestLimit) -> int:
    """How many of many threads have a slot at the same time."""
    lock, running, most = Lock(), 0, 0

    def work(_number: int) -> None:
        nonlocal running, most
        with limit.slot():
            with lock:
                running += 1
                most = max(most, running)
            time.sleep(0.02)
            with lock:
                running -= 1

    with ThreadPoolExecutor(THREADS) as executor:
        list(executor.map(work, range(3 * THREADS)))
    return most


def rejected(limit: RequestLimit, requests: int) -> None:
    """Reject requests that were sent together."""
    with ExitStack() as stack:
        slots = [stack.enter_context(limit.slot()) for _request in range(requests)]
        for slot in slots:
            limit.lower(slot)


def test_limit_is_halved_once_for_requests_that_were_sent_together() -> None:
    limit = RequestLimit()
    assert most_at_once(limit) == THREADS
    rejected(limit, THREADS)
    assert most_at_once(limit) == THREADS // 2
    rejected(limit, 1)
    assert most_at_once(limit) == THREADS // 4


def test_limit_never_ends_and_rises_after_many_answers() -> None:
    limit = RequestLimit()
    for _time in range(3):
        rejected(limit, 1)
    assert most_at_once(limit) == 1
    for _answer in range(100):
        limit.answered()
    assert most_at_once(limit) == 2
