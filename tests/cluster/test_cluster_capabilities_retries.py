# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Failing servers and networks: requests are retried for a limited time, and no write is repeated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    OBJECT,
    Site,
    selection,
    short_waits,
    start_alone,
)
from ansible_collections.capability.openshift.tests.control_plane.faults import FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for


@pytest.fixture
def proxy(site: Site) -> Iterator[FaultProxy]:
    with FaultProxy(site.plane) as proxy:
        yield proxy


# Failing servers


@pytest.mark.parametrize("method", ["GET", "PATCH"])
@pytest.mark.parametrize("status", [429, 503])
def test_server_errors_are_retried(
    site: Site, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch, method: str, status: int
) -> None:
    short_waits(monkeypatch, read_seconds=30)
    site.make(selection("Console"), ["Console"])
    proxy.fail("answer", 3, status=status, method=method, path="clusterversions")
    outcome = site.enable("Build", kubeconfig=proxy.kubeconfig)
    assert not outcome.failed, outcome.result
    assert (outcome["changed"], outcome["added_capabilities"]) == (True, ["Build"])
    assert site.names == {"Build", "Console"}
    assert (len(proxy.requests), proxy.passed, proxy.pending) == (6, 3, 0)


@pytest.mark.parametrize("method", ["GET", "PATCH"])
@pytest.mark.parametrize("fault", ["reset", "lose", pytest.param("hold", marks=pytest.mark.deep)])
def test_a_broken_connection_is_retried(
    site: Site, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch, method: str, fault: str
) -> None:
    """Whether or not the server has processed the request: it is applied once, and reported as a change."""
    short_waits(monkeypatch, read_seconds=5 if fault == "hold" else 30)
    site.make(selection("Console"), ["Console"])
    proxy.fail(fault, 2, method=method, path="clusterversions")
    outcome = site.enable("Build", kubeconfig=proxy.kubeconfig, diff=True)
    assert not outcome.failed, outcome.result
    assert site.names == {"Build", "Console"}
    assert (outcome["spec"], proxy.pending) == (selection("Build", "Console"), 0)
    assert (outcome["changed"], outcome["added_capabilities"]) == (True, ["Build"])
    assert outcome["diff"]["before"] != outcome["diff"]["after"]


def test_a_lost_answer_is_a_change_even_with_a_concurrent_write(
    site: Site, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another client adds a name between the first attempt, which is applied, and the second, which conflicts."""
    short_waits(monkeypatch, read_seconds=30)
    site.make(selection("Console"), ["Console"])
    proxy.fail("lose", method="PATCH")
    proxy.fail("delay", seconds=2, method="PATCH")

    def add_storage() -> None:
        wait_for(lambda: [request.method for request in proxy.requests].count("PATCH") == 2, "the second attempt")
        site.plane.api.patch(OBJECT, {"spec": {"capabilities": selection("Build", "Console", "Storage")}})

    with ThreadPoolExecutor(1) as pool:
        added = pool.submit(add_storage)
        outcome = site.enable("Build", kubeconfig=proxy.kubeconfig)
        added.result()
    assert site.names == {"Build", "Console", "Storage"}
    assert (outcome["changed"], outcome["added_capabilities"]) == (True, ["Build"])


@pytest.mark.parametrize(
    ("fault", "part"),
    [
        ("answer", "503 ServiceUnavailable: the fault proxy answers 503"),
        ("reset", "does not answer"),
        pytest.param("hold", "does not answer", marks=pytest.mark.deep),
    ],
)
def test_retries_end(site: Site, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch, fault: str, part: str) -> None:
    short_waits(monkeypatch, read_seconds=4 if fault == "hold" else 30)
    site.make(selection("Console"), ["Console"])
    proxy.fail(fault, 99, method="PATCH", status=503 if fault == "answer" else 0)
    outcome = site.enable("Build", kubeconfig=proxy.kubeconfig)
    assert part in outcome.message
    assert [request.method for request in proxy.requests].count("PATCH") == 6
    assert site.names == {"Console"}


def test_waiting_continues_across_failures(site: Site, proxy: FaultProxy) -> None:
    """Watches that break or are rejected are restarted, after a new list."""
    site.make(selection("Console"), [])
    proxy.fail("reset", 4, path="watch=true")
    proxy.fail("answer", 3, status=503, path="watch=true")
    process = start_alone(kubeconfig=proxy.kubeconfig, capabilities=selection("Console"), wait=True, wait_timeout=300)
    wait_for(lambda: proxy.pending == 0, "all faults to have happened")
    site.make(selection("Console"), ["Console"])
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    assert json.loads(out)["pending_capabilities"] == []
