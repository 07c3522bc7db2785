# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The number of concurrent requests: it falls with a rejection, and rises after many answers."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Lock

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.retries import RequestLimit

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
