# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The policy as data: what is retried, how often and after which delay. Nothing is sent, and no test sleeps."""

from __future__ import annotations

import socket
import ssl
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
import urllib3
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    MaxRetryError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import (
    RETRIED_CODES,
    NoAnswerError,
)
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.retries import (
    LONGEST_WAIT,
    OUTAGE_SECONDS,
    OutageTimer,
    retries,
    retry_while_unreachable,
    timeout_until,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem

POOL = HTTPConnectionPool("127.0.0.1", 1)
METHODS = ["GET", "PATCH", "DELETE", "POST", "PUT"]
ALL_CODES = range(200, 600)


def answer(code: int = 503, **headers: str) -> Any:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return urllib3.HTTPResponse(status=code, headers=names, preload_content=False)


def unreachable(cause: BaseException) -> NewConnectionError:
    """Return the error of urllib3 for a failed connection attempt."""
    error = NewConnectionError(POOL, f"Failed to establish a new connection: {cause}")  # type: ignore[arg-type]
    error.__cause__ = cause
    return error


def attempts(error: Exception | None = None, response: Any = None) -> int:
    """Return the number of attempts of a request that always fails like this."""
    policy, sent = retries(), 1
    while True:
        try:
            policy = policy.increment("PATCH", "/", response, error, POOL)
        except MaxRetryError:
            return sent
        if response is not None and policy.is_exhausted():
            return sent
        sent += 1
        assert sent < 50


REFUSED = unreachable(ConnectionRefusedError(111, "Connection refused"))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("retry_after", [False, True])
def test_server_errors_are_retried_for_every_method(method, retry_after):
    retried = {code for code in ALL_CODES if retries().is_retry(method, code, has_retry_after=retry_after)}

    assert retried == {429, 500, 502, 503, 504} == RETRIED_CODES


@pytest.mark.parametrize(
    ("error", "sent"),
    [
        (REFUSED, 5),
        (ReadTimeoutError(POOL, "/", "Read timed out."), 4),
        (ProtocolError("Connection aborted.", ConnectionResetError(104, "Connection reset by peer")), 4),
        (unreachable(OSError(113, "No route to host")), 1),
        (unreachable(socket.gaierror(-2, "Name or service not known")), 1),
        (unreachable(TimeoutError("timed out")), 1),
        (ConnectTimeoutError(POOL, "Connection timed out."), 1),
        (SSLError("certificate verify failed"), 1),
        (ProxyError("Cannot connect to proxy.", OSError("Tunnel connection failed: 407")), 1),
        (ProxyError("Cannot connect to proxy.", ConnectTimeoutError(POOL, "Connection timed out.")), 1),
        (ProxyError("Cannot connect to proxy.", REFUSED), 5),
        (SSLError(ssl.SSLEOFError(8, "EOF occurred in violation of protocol")), 4),
    ],
    ids=lambda value: type(getattr(value, "__cause__", None) or value).__name__ if isinstance(value, Exception) else "",
)
def test_refused_and_broken_connections_are_retried_and_failed_attempts_are_not(error, sent):
    assert attempts(error) == sent


def test_the_cause_may_be_the_context():
    """In older versions of urllib3."""
    error = unreachable(OSError())
    error.__cause__, error.__context__ = None, ConnectionRefusedError(111, "Connection refused")

    assert attempts(error) == 5


def test_an_immediate_error_names_the_cause():
    error = unreachable(OSError(113, "No route to host"))

    with pytest.raises(MaxRetryError) as raised:
        retries().increment("GET", "/", None, error, POOL)
    assert raised.value.reason is error


@pytest.mark.parametrize("code", sorted(RETRIED_CODES))
def test_retries_end_with_the_last_answer(code):
    """It is returned, so the caller can report the message of the server."""
    assert attempts(response=answer(code)) == 6
    assert retries().raise_on_status is False


def test_redirects_are_not_followed():
    """A token must not go elsewhere."""
    policy = retries()

    assert (policy.redirect, policy.raise_on_redirect) == (0, False)


# How long


@pytest.mark.parametrize(
    ("header", "waited"),
    [
        ("0", 0),
        ("1", 1),
        (" 7 ", 7),
        ("20", 20),
        ("21", LONGEST_WAIT),
        ("86400", LONGEST_WAIT),
        ("9" * 30, LONGEST_WAIT),
    ],
)
@pytest.mark.parametrize("code", [429, 503])
def test_retry_after_is_honoured_up_to_a_limit(header, waited, code):
    assert retries().get_retry_after(answer(code, Retry_After=header)) == waited


@pytest.mark.parametrize(("seconds", "waited"), [(-60, 0), (86400, LONGEST_WAIT)])
def test_retry_after_can_be_a_time(seconds, waited):
    header = format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)

    assert retries().get_retry_after(answer(Retry_After=header)) == waited


def test_without_the_header_the_policy_decides():
    assert retries().get_retry_after(answer()) is None


@pytest.mark.parametrize("header", ["soon", "1.5", "-1", ""])
def test_an_invalid_header_is_ignored(header):
    """An invalid header of a proxy must not hide the answer."""
    assert retries().get_retry_after(answer(Retry_After=header)) is None


def test_every_wait_is_longer_than_the_one_before_up_to_a_limit(monkeypatch):
    monkeypatch.setattr("random.uniform", lambda least, most: (least + most) / 2)
    policy, waits = retries(), []
    for _attempt in range(4):
        policy = policy.increment("GET", "/", None, REFUSED, POOL)
        waits.append(policy.get_backoff_time())

    assert retries().get_backoff_time() == 0
    assert waits == pytest.approx([0.2, 0.4, 0.8, 1.6])
    assert policy.new(history=policy.history * 10).get_backoff_time() == LONGEST_WAIT


@pytest.mark.parametrize("edge", [0, 1])
def test_concurrent_clients_wait_for_different_times(monkeypatch, edge):
    monkeypatch.setattr("random.uniform", lambda *edges: edges[edge])

    policy = retries().increment("GET", "/", None, REFUSED, POOL)

    assert policy.get_backoff_time() == pytest.approx(0.2 * (0.75, 1.25)[edge])


def test_retry_after_takes_precedence_over_the_policy(monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    monkeypatch.setattr("random.uniform", lambda least, most: 1.0)
    policy = retries().increment("GET", "/", answer(), None, POOL)

    for response in (answer(Retry_After="3"), answer(Retry_After="999"), answer(Retry_After="0"), answer(), None):
        policy.sleep(response)

    assert slept == pytest.approx([3, LONGEST_WAIT, 0.2, 0.2, 0.2])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, as the only item."""
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_timeouts_of_all_attempts_end_at_the_deadline(clock):
    timeout, clones = timeout_until(1090.0, 60.0), []
    for now in (1000.0, 1060.0, 1084.0, 1100.0):
        clock[0] = now
        clones.append(timeout.clone())

    assert [item.connect_timeout for item in clones] == [10, 10, 6, 5]
    assert [item.read_timeout for item in clones] == [60, 30, 6, 5]


def test_a_request_without_an_answer_is_not_retried_after_its_deadline(clock):
    policy = retries().until(1090.0)
    later = policy.increment("GET", "/", None, REFUSED, POOL)
    clock[0] = 1090.0

    with pytest.raises(MaxRetryError):
        later.increment("GET", "/", None, REFUSED, POOL)
    assert later.increment("GET", "/", answer(), None, POOL)
    assert retries().increment("GET", "/", None, REFUSED, POOL)


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


def test_each_request_starts_without_history():
    first = retries()
    first.increment("GET", "/", None, REFUSED, POOL)

    assert retries() is first
    assert first.history == ()
    assert type(first.increment("GET", "/", None, REFUSED, POOL)) is type(first)


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        (b"failed to create typed patch object (a/b; /v1, Kind=C): .x: field not declared in schema", 1),
        (b"failed to create typed patch object (a/b; /v1, Kind=C): .x: expected string, got &value{5}", 1),
        (b"failed to convert new object to proper version: unable to convert unstructured object to /v1", 1),
        (b"failed to convert new object to proper version: conversion webhook for a failed: dial tcp", 6),
        (b"etcdserver: leader changed", 6),
        (b"\xff", 6),
    ],
)
def test_permanent_failures_are_not_retried(body, sent):
    response = urllib3.HTTPResponse(body=body, status=500, preload_content=True)

    assert attempts(response=response) == sent


def initializing(retry_after: int) -> Any:
    """Return the answer of a server that begins to watch a kind."""
    body = b'{"kind":"Status","message":"storage is (re)initializing","code":429}'
    return urllib3.HTTPResponse(body, status=429, headers={"Retry-After": str(retry_after)})


@pytest.mark.parametrize(
    ("retry_after", "delays"),
    [(1, [0.05, 0.1, 0.2, 0.4, 0.8, 1, 1, 1]), (30, [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4])],
)
def test_storage_that_initializes_is_asked_again_soon_and_more_often(retry_after: int, delays: list[float]) -> None:
    policy, response, found = retries(), initializing(retry_after), []
    for _delay in delays:
        policy = policy.increment("GET", "/", response, None, POOL)
        found.append(policy.get_retry_after(response))
    assert found == pytest.approx(delays)
    with pytest.raises(MaxRetryError):
        policy.increment("GET", "/", response, None, POOL)
