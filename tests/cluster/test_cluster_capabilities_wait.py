# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option ``wait``: until status and ClusterOperators have the capabilities, else an error that names the rest."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.processes import Process
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    KNOWN,
    OBJECT,
    PROPERTIES,
    VERSION,
    Site,
    restart,
    selection,
    start_alone,
    verbs,
)
from ansible_collections.capability.openshift.tests.control_plane.cvo import StatusWriter
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_OPERATORS,
    EXAMPLE,
    capabilities_status,
    set_cluster_version_status,
)
from ansible_collections.capability.openshift.tests.control_plane.operators import Behaviour, Operator, Operators
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

STATUS_OF_CONSOLE = capabilities_status(["Console"], KNOWN)
CONSOLE = Operator("console", {"operator": VERSION}, ("Console",))


@contextmanager
def working(site: Site, **behaviour: Any) -> Iterator[Operators]:
    """The operator of the Console with this behaviour."""
    behaviours = {CONSOLE.name: Behaviour(**behaviour)} if behaviour else {}
    with Operators(site.plane.kubeconfig, [CONSOLE], behaviours, namespaces=()) as operators:
        yield operators


def enable_and_wait(site: Site, *names: str, seconds: int = 60, **options: Any) -> Any:
    return site.enable(*(names or ("Console",)), wait=True, wait_timeout=seconds, **{"release": EXAMPLE, **options})


def reports(site: Site) -> bool:
    """Whether the operator of the Console has reported conditions."""
    return any(item.get("status", {}).get("conditions") for item in site.plane.api.list(CLUSTER_OPERATORS))


# Conditions of the wait


@pytest.mark.parametrize("behaviour", [{}, {"seconds": 1.0}], ids=["normal", "slow"])
def test_it_ends_when_everything_is_available(site: Site, behaviour: dict[str, Any]) -> None:
    site.make(selection(), [])
    with StatusWriter(site.plane.kubeconfig, VERSION), working(site, **behaviour):
        outcome = enable_and_wait(site)
        conditions = site.plane.api.get(f"{CLUSTER_OPERATORS}/console")["status"]["conditions"]
    assert not outcome.failed, outcome.result
    assert {item["type"]: item["status"] for item in conditions}["Available"] == "True"
    assert (outcome["changed"], outcome["enabled_capabilities"], outcome["problems"]) == (True, ["Console"], [])


def test_a_timeout_names_the_operator(site: Site) -> None:
    site.make(selection(), ["Console", "Storage"], observedGeneration=9)
    with working(site, unavailable="no route to the moon"):
        wait_for(lambda: reports(site), "the operator to report")
        outcome = enable_and_wait(site, seconds=1)
    assert outcome.failed
    assert "console: is not available; Broken: no route to the moon" in outcome.message
    assert outcome.faults == [
        ("unavailable-capability", "wait"),
        ("unready-object", "clusteroperators.config.openshift.io console"),
    ]
    # The result is returned in spite of the error.
    assert (outcome["changed"], outcome["added_capabilities"]) == (True, ["Console"])
    assert site.spec == selection("Console")


def test_a_timeout_names_what_the_status_lacks(site: Site) -> None:
    failing = {
        "type": "Failing",
        "status": "True",
        "reason": "UpdatePayloadFailed",
        "message": "the payload has no console",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    site.make(selection("Insights"), ["Insights"], conditions=[failing])
    outcome = enable_and_wait(site, "Storage", "Build", seconds=1, release=None)
    assert outcome.faults == [
        ("unavailable-capability", "wait"),
        ("missing-capability", "clusterversions.config.openshift.io version"),
    ]
    assert "Build, Storage" in outcome.message
    assert "Failing: the payload has no console" in outcome.message


def test_it_waits_without_a_change_too(site: Site) -> None:
    """A second run continues to wait."""
    site.make(selection("Console"), [])
    outcome = enable_and_wait(site, seconds=1, release=None)
    assert (outcome.failed, outcome["changed"]) == (True, False)
    with StatusWriter(site.plane.kubeconfig, VERSION), working(site):
        again = enable_and_wait(site)
    assert (again.failed, again["changed"], again["pending_capabilities"]) == (False, False, [])


def test_enable_waits_for_its_own_names(site: Site) -> None:
    """Other requested names do not matter with enable; without it, all names count."""
    site.make(selection("Insights"), ["Console"], observedGeneration=9)
    with working(site):
        assert not enable_and_wait(site).failed
        outcome = site.ask(selection("Console", "Insights"), release=EXAMPLE, wait=True, wait_timeout=1)
    assert outcome.faults == [
        ("unavailable-capability", "wait"),
        ("missing-capability", "clusterversions.config.openshift.io version"),
        ("unready-object", "clusteroperators.config.openshift.io insights"),
    ]
    assert "Insights" in outcome.errors[1]["message"]


def test_it_returns_what_it_wrote_if_everything_is_available_already(site: Site) -> None:
    site.make(selection(), ["Console"], observedGeneration=9)
    outcome = site.ask(None, keep_implicit=True, wait=True, release=None)
    kept = (outcome["requested_capabilities"], outcome["implicitly_enabled_capabilities"])
    assert (outcome["added_capabilities"], *kept, outcome["spec"]) == (["Console"], ["Console"], [], site.spec)


def test_without_a_release_and_operators_only_the_status_counts(site: Site) -> None:
    site.make(selection(), ["Console"], observedGeneration=9)
    outcome = enable_and_wait(site, release=None)
    assert not outcome.failed
    assert outcome.problem("wait")["code"] == "missing-operators"


def test_another_release_is_an_error_before_anything_is_written(site: Site) -> None:
    site.make(selection(), [], version="4.21.7")
    with site.untouched():
        outcome = enable_and_wait(site)
    assert outcome.faults == [("other-release", "release")]
    assert "4.21.7" in outcome.message


def test_check_mode_does_not_wait(site: Site) -> None:
    site.make(selection(), [])
    with site.untouched():
        outcome = enable_and_wait(site, check=True)
    assert (outcome.failed, outcome["changed"]) == (False, True)


# Requests of the wait


@pytest.mark.deep
def test_it_watches_and_does_not_poll(site: Site) -> None:
    """The number of requests does not depend on the duration, or on the number of changes."""
    site.make(selection("Console"), ["Console"])
    requests = []
    for seconds in (4, 9):
        mark = site.plane.audit.mark()
        with working(site, unavailable="out of order"):
            assert enable_and_wait(site, seconds=seconds).failed
        requests.append(sorted(verbs(site.requests(mark))))
    assert requests[0] == requests[1] == sorted([*PROPERTIES, "get", "list", "list", "watch", "watch"])


def test_an_available_capability_needs_no_watch(site: Site) -> None:
    site.make(selection("Console"), ["Console"])
    with working(site) as operators:
        operators.wait()
        mark = site.plane.audit.mark()
        assert not enable_and_wait(site).failed
    assert verbs(site.requests(mark)) == ["list", "list", "get", *PROPERTIES]


def test_it_reacts_immediately(site: Site) -> None:
    site.make(selection("Console"), [])
    process = start_waiting(site)
    set_cluster_version_status(site.plane.api, {"desired": {"version": VERSION}, **STATUS_OF_CONSOLE})
    out, _err = process.communicate(timeout=300)
    assert json.loads(out)["enabled_capabilities"] == ["Console"]


def start_waiting(site: Site, **options: Any) -> Process:
    """Start the module in its own process and return when it watches."""
    mark = site.plane.audit.mark()
    given = {"capabilities": selection("Console"), "wait": True, "wait_timeout": 600, **options}
    process = start_alone(kubeconfig=site.plane.kubeconfig, **given)
    wait_for(lambda: verbs(site.requests(mark)).count("watch") >= 2, "both watches")
    return process


def test_it_outlasts_the_next_sync_of_the_operator(site: Site) -> None:
    """The operator first adds the name, then starts to apply, and only then makes the ClusterOperator."""
    site.make(selection(), [], conditions=[progressing("False")], observedGeneration=1)
    process = start_waiting(site)
    for observed, status in ((1, "False"), (2, "True")):
        known = {**STATUS_OF_CONSOLE, "desired": {"version": VERSION}, "conditions": [progressing(status)]}
        set_cluster_version_status(site.plane.api, {**known, "observedGeneration": observed})
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(3)
    with working(site, seconds=1.0) as operators:
        wait_for(lambda: site.plane.api.list(CLUSTER_OPERATORS), "the ClusterOperator")
        set_cluster_version_status(site.plane.api, {**known, "conditions": [progressing("False")]})
        out, _err = process.communicate(timeout=300)
        operators.wait()
    result = json.loads(out)
    assert (process.returncode, result["problems"]) == (0, [])


def progressing(status: str) -> dict[str, str]:
    message = "Working towards 4.21.0: 3 of 9 done" if status == "True" else "Cluster version is 4.21.0"
    time = "2026-01-01T00:00:00Z"
    return {"type": "Progressing", "status": status, "reason": "", "message": message, "lastTransitionTime": time}


def test_it_survives_a_killed_api_server(site: Site) -> None:
    """The connections break, and changes until the restart are seen afterwards."""
    site.make(selection(), [])
    process = start_waiting(site, release=EXAMPLE)
    site.plane.kill_api_server()
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2)  # its first attempts to reconnect fail
    finally:
        restart(site.plane)
    with StatusWriter(site.plane.kubeconfig, VERSION), working(site):
        out, err = process.communicate(timeout=300)
    result = json.loads(out)
    assert (process.returncode, err) == (0, ""), result
    assert (result["changed"], result["enabled_capabilities"]) == (True, ["Console"])


@pytest.mark.deep
def test_a_server_that_does_not_return_is_an_error(site: Site) -> None:
    site.make(selection(), [])
    process = start_waiting(site, wait_timeout=15)
    site.plane.kill_api_server()
    try:
        out, err = process.communicate(timeout=300)
    finally:
        restart(site.plane)
    result = json.loads(out)
    assert (process.returncode, err) == (1, "")
    assert result["problems"][0]["code"] == "unavailable-capability"
    assert "15 s" in result["msg"]
    assert f"{site.plane.url} does not answer" in result["msg"]
    assert result["changed"]
    assert site.names == {"Console"}


@pytest.mark.deep
def test_a_deleted_cluster_version_is_an_error(site: Site) -> None:
    site.make(selection("Console"), [])
    process = start_waiting(site, wait_timeout=15)
    site.plane.api.delete(OBJECT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (1, "")
    assert "Console" in json.loads(out)["msg"]
