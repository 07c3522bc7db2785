# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""``wait``: the status has the names, and their operators are Available at their version; else it says what is not."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import cluster_version_status
from ansible_collections.capability.openshift.tests.cluster.helpers.processes import Process
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    KNOWN,
    OBJECT,
    VERSION,
    Site,
    StatusWriter,
    restart,
    selection,
    start_alone,
    verbs,
)
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_OPERATORS,
    EXAMPLE,
    capabilities_status,
    set_cluster_version_status,
)
from ansible_collections.capability.openshift.tests.control_plane.operators import (
    Behaviour,
    Operator,
    Operators,
    operators_of,
)
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

ANNOTATION = "capability.openshift.io/name"
STATUS_OF_CONSOLE = capabilities_status(["Console"], KNOWN)
CONSOLE = Operator("console", {"operator": VERSION}, ("Console",))


@contextmanager
def working(site: Site, operator: Operator = CONSOLE, **behaviour: Any) -> Iterator[Operators]:
    """An operator that behaves as told."""
    told = {operator.name: Behaviour(**behaviour)} if behaviour else {}
    with Operators(site.plane.kubeconfig, [operator], told, namespaces=()) as operators:
        yield operators


def append_and_wait(site: Site, *names: str, seconds: int = 120, **options: Any) -> Any:
    return site.append(*(names or ("Console",)), wait=True, wait_timeout=seconds, **{"release": EXAMPLE, **options})


def reports(site: Site) -> bool:
    """Tell whether the operator of the Console has reported anything."""
    return any(item.get("status", {}).get("conditions") for item in site.plane.api.list(CLUSTER_OPERATORS))


# What is waited for


@pytest.mark.parametrize("behaviour", [{}, {"seconds": 1.0}], ids=["normal", "slow"])
def test_it_returns_when_all_is_there(site: Site, behaviour: dict[str, Any]) -> None:
    site.make(selection(), [])
    with StatusWriter(site.plane.kubeconfig), working(site, **behaviour):
        outcome = append_and_wait(site)
        there = site.plane.api.get(f"{CLUSTER_OPERATORS}/console")["status"]["conditions"]
    assert not outcome.failed, outcome.result
    assert {item["type"]: item["status"] for item in there}["Available"] == "True"
    assert (outcome["changed"], outcome["enabled_capabilities"], outcome["problems"]) == (True, ["Console"], [])


def test_degraded_is_told_and_holds_nothing_up(site: Site) -> None:
    site.make(selection(), [])
    with StatusWriter(site.plane.kubeconfig), working(site, degraded="no route to the moon"):
        outcome = append_and_wait(site)
    assert not outcome.failed
    assert "no route to the moon" in outcome.problem("degraded")["message"]
    assert "no route to the moon" in json.dumps(outcome["warnings"])


@pytest.mark.parametrize(
    ("behaviour", "operator", "said"),
    [
        ({"silent": True}, CONSOLE, "does not exist yet"),
        ({"unavailable": "no route to the moon"}, CONSOLE, "is not available; Broken: no route to the moon"),
        ({}, CONSOLE._replace(versions={"operator": "4.20.9"}), "operator is at 4.20.9 and not at 4.21.0"),
        ({}, CONSOLE._replace(versions={"other": VERSION}), "operator is at no version and not at 4.21.0"),
        ({"seconds": 600.0}, CONSOLE, "is not available"),
    ],
    ids=["silent", "unavailable", "old", "other-version", "slow"],
)
def test_time_out_says_who_holds_it_up(site: Site, behaviour: Any, operator: Operator, said: str) -> None:
    site.make(selection(), ["Console", "Storage"])
    with working(site, operator, **behaviour):
        if not behaviour.get("silent"):
            wait_for(lambda: reports(site), "the operator to report")
        started = time.monotonic()
        outcome = append_and_wait(site, seconds=1)
    assert 1 <= time.monotonic() - started < 30
    assert outcome.failed
    assert "wait: it is requested, and not there after 1 s" in outcome.message
    assert f"clusteroperators.config.openshift.io console: {said}" in outcome.message
    assert [item["where"] for item in outcome.errors] == ["wait", "clusteroperators.config.openshift.io console"]
    # What was reached is told all the same.
    assert (outcome["changed"], outcome["added_capabilities"]) == (True, ["Console"])
    assert site.spec == selection("Console")


def test_time_out_says_what_the_status_lacks(site: Site) -> None:
    failing = {
        "type": "Failing",
        "status": "True",
        "reason": "UpdatePayloadFailed",
        "message": "the payload has no console",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    site.make(selection("Insights"), ["Insights"], conditions=[failing])
    outcome = append_and_wait(site, "Storage", "Build", seconds=1, release=None)
    assert "status does not have Build, Storage yet" in outcome.message
    assert "Failing: the payload has no console" in outcome.message
    assert "cluster-version operator" in outcome.message


def test_no_change_is_waited_for_as_well(site: Site) -> None:
    """A second run waits for what the first one did not see."""
    site.make(selection("Console"), [])
    outcome = append_and_wait(site, seconds=1, release=None)
    assert (outcome.failed, outcome["changed"]) == (True, False)
    with StatusWriter(site.plane.kubeconfig), working(site):
        again = append_and_wait(site)
    assert (again.failed, again["changed"], again["pending_capabilities"]) == (False, False, [])


def test_append_waits_for_its_own_names(site: Site) -> None:
    """What others asked for and do not get is none of its business; a whole wish waits for all."""
    site.make(selection("Insights"), ["Console"])
    with working(site):
        assert not append_and_wait(site).failed
        outcome = site.ask(selection("Console", "Insights"), release=EXAMPLE, wait=True, wait_timeout=1)
    assert "status does not have Insights yet" in outcome.message
    assert "clusteroperators.config.openshift.io insights: does not exist yet" in outcome.message
    assert "config.openshift.io console" not in outcome.message


def test_only_operators_of_the_names_count(site: Site) -> None:
    site.make(selection(), ["Build", "Console"])
    operators = operators_of(EXAMPLE)
    told = {operator.name: Behaviour(unavailable="out of order") for operator in operators}
    with Operators(site.plane.kubeconfig, operators, told, namespaces=()) as stand_in:
        stand_in.wait()
        assert not append_and_wait(site, "Build").failed
        assert "console: is not available" in append_and_wait(site, "Console", seconds=1).message


@pytest.mark.parametrize("annotation", ["Console", "Storage+Console"])
def test_without_a_release_the_cluster_says_whose_operators_are_whose(site: Site, annotation: str) -> None:
    site.make(selection(), ["Console"])
    metadata = {"name": "console", "annotations": {ANNOTATION: annotation}}
    body = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator", "metadata": metadata, "spec": {}}
    site.plane.api.post(CLUSTER_OPERATORS, body)
    outcome = append_and_wait(site, seconds=1, release=None)
    assert "console: does not say yet whether it is available" in outcome.message
    with working(site, CONSOLE._replace(versions={"operator": "4.20.9"})) as operators:
        operators.wait()
        assert "operator is at 4.20.9 and not at 4.21.0" in append_and_wait(site, seconds=1, release=None).message
    with working(site):
        assert not append_and_wait(site, release=None).failed


def test_another_release_is_refused_before_anything_is_written(site: Site) -> None:
    site.make(selection(), [], version="4.21.7")
    with site.untouched():
        outcome = append_and_wait(site)
    assert "release: is 4.21.0, and the cluster runs 4.21.7" in outcome.message


def test_check_mode_waits_for_nothing(site: Site) -> None:
    site.make(selection(), [])
    with site.untouched():
        outcome = append_and_wait(site, check=True)
    assert (outcome.failed, outcome["changed"]) == (False, True)


def test_the_status_module_is_who_may_be_waited_for(
    site: Site,
) -> None:
    """Both halves of this collection, on a cluster where no cluster-version operator runs."""
    site.make(selection("Ingress"))
    process = start_waiting(site, capabilities=selection("Console", "Ingress"))
    assert site.call(cluster_version_status, kubeconfig=site.plane.kubeconfig, release=EXAMPLE)["changed"]
    out, err = process.communicate(timeout=300)
    result = json.loads(out)
    assert (process.returncode, err) == (0, "")
    assert {"Console", "Ingress"} <= set(result["enabled_capabilities"])


# How it is waited


def test_it_watches_and_does_not_poll(site: Site) -> None:
    """The number of requests is that of a short wait, however long it takes; objects that change do not add to it."""
    site.make(selection("Console"), ["Console"])
    asked = []
    for seconds in (4, 9):
        mark = site.plane.audit.mark()
        with working(site, unavailable="out of order"):
            assert append_and_wait(site, seconds=seconds).failed
        asked.append(sorted(verbs(site.requests(mark))))
    assert asked[0] == asked[1] == ["get", "list", "list", "watch", "watch"]


def test_what_is_there_needs_no_watch(site: Site) -> None:
    site.make(selection("Console"), ["Console"])
    with working(site) as operators:
        operators.wait()
        mark = site.plane.audit.mark()
        assert not append_and_wait(site).failed
    assert verbs(site.requests(mark)) == ["list", "list", "get"]


def test_it_sees_at_once_what_happens(site: Site) -> None:
    site.make(selection("Console"), [])
    process = start_waiting(site)
    written = time.monotonic()
    set_cluster_version_status(site.plane.api, {"desired": {"version": VERSION}, **STATUS_OF_CONSOLE})
    out, _err = process.communicate(timeout=300)
    assert time.monotonic() - written < 20  # of which the end of the process takes most
    assert json.loads(out)["enabled_capabilities"] == ["Console"]


def start_waiting(site: Site, **options: Any) -> Process:
    """Start the module in a process of its own and return when it watches."""
    mark = site.plane.audit.mark()
    given = {"capabilities": selection("Console"), "wait": True, "wait_timeout": 600, **options}
    process = start_alone(kubeconfig=site.plane.kubeconfig, **given)
    wait_for(lambda: verbs(site.requests(mark)).count("watch") >= 2, "both watches")
    return process


def test_a_killed_api_server_is_waited_for(site: Site) -> None:
    """Its connections break, and what happened until it is back is seen afterwards."""
    site.make(selection(), [])
    process = start_waiting(site, release=EXAMPLE)
    site.plane.kill_api_server()
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2)  # its first attempts to connect again find nobody
    finally:
        restart(site.plane)
    with StatusWriter(site.plane.kubeconfig), working(site):
        out, err = process.communicate(timeout=300)
    result = json.loads(out)
    assert (process.returncode, err) == (0, ""), result
    assert (result["changed"], result["enabled_capabilities"]) == (True, ["Console"])


def test_a_server_that_does_not_come_back_is_told(site: Site) -> None:
    site.make(selection(), [])
    process = start_waiting(site, wait_timeout=15)
    site.plane.kill_api_server()
    try:
        out, err = process.communicate(timeout=300)
    finally:
        restart(site.plane)
    result = json.loads(out)
    assert (process.returncode, err) == (1, "")
    assert "not there after 15 s" in result["msg"]
    assert f"{site.plane.url} does not answer" in result["msg"]
    assert result["changed"]
    assert site.names == {"Console"}


def test_a_deleted_cluster_version_is_told(site: Site) -> None:
    site.make(selection("Console"), [])
    process = start_waiting(site, wait_timeout=8)
    site.plane.api.delete(OBJECT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (1, "")
    assert "Console" in json.loads(out)["msg"]


def test_releases_are_found_or_named(site: Site, tmp_path: Path) -> None:
    site.make(selection(), [])
    with site.untouched():
        assert str(tmp_path / "none") in append_and_wait(site, release=tmp_path / "none").message
