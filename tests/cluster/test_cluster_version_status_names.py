# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Specs and statuses with names of another version, as CustomResourceDefinitions of several versions let them in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.statuses import (
    CRD,
    KNOWN,
    PATH,
    Report,
    condition_of,
    reporter,
    select,
    status_of,
)
from ansible_collections.capability.openshift.tests.control_plane.api import ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_ID,
    CLUSTER_VERSIONS,
    capabilities_status,
    make_cluster_version,
    set_cluster_version_status,
)
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for


@pytest.fixture
def report(cluster: ControlPlane, capsys: pytest.CaptureFixture[str]) -> Report:
    return reporter(cluster, capsys)


def probe(plane: ControlPlane, spec: dict[str, Any]) -> None:
    """Ask the API server what it thinks of a spec that no object has yet, so that nothing is taken as it was."""
    body = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "probe"}}
    plane.api.post(CLUSTER_VERSIONS, {**body, "spec": {"clusterID": CLUSTER_ID, **spec}}, dryRun="All")


def accepts(plane: ControlPlane, name: str) -> bool:
    """Tell whether the API server takes the name of a capability, as it does a moment after its CRD says so."""
    try:
        probe(plane, select("None", name))
    except ApiError as error:
        if error.status != 422:
            raise
        return False
    return True


@contextmanager
def crd_with(plane: ControlPlane, old: str, new: str) -> Iterator[None]:
    """Have another CRD, in whose JSON ``old`` is ``new``; that of the example is served again at the end."""
    crd = plane.api.get(CRD)
    name = re.findall(r'"(\w+)"', old + new)[-1]

    def put(text: str) -> None:
        before = accepts(plane, name)
        content = json.loads(text)
        content["metadata"]["resourceVersion"] = plane.api.get(CRD)["metadata"]["resourceVersion"]
        plane.api.put(CRD, content)
        wait_for(lambda: accepts(plane, name) != before, "another CRD to be served")

    put(json.dumps(crd).replace(old, new).replace('"vCurrent"', '"vCurrent", "v4.99"'))
    try:
        yield
    finally:
        put(json.dumps(crd))


def later_crd(plane: ControlPlane) -> AbstractContextManager[None]:
    """Have the CRD of a later version, with the capability Later and the set v4.99."""
    return crd_with(plane, '"Build", ', '"Build", "Later", ')


def test_an_invalid_spec_is_told_in_the_words_of_the_server(cluster: ControlPlane, report: Report) -> None:
    make_cluster_version(cluster.api, select("None", "Console"))
    report()
    wrong = select("v4.99", "Later", "Console")
    with later_crd(cluster):
        cluster.api.patch(PATH, {"spec": wrong})
    with pytest.raises(ApiError) as refused:
        probe(cluster, wrong)

    outcome = report()

    status = status_of(cluster)
    assert status["capabilities"]["enabledCapabilities"] == ["Console", "Ingress"]
    condition = condition_of(cluster, "Invalid")
    assert condition is not None
    begin, *errors, end = condition["message"].split("\n")
    assert (begin, end) == ("The cluster version is invalid:", "")
    assert len(errors) == 2
    for error in errors:
        assert error.removeprefix("* ") in str(refused.value)
    assert (condition["status"], condition["reason"]) == ("True", "InvalidClusterVersion")
    wheres = [item["where"] for item in outcome["problems"] if item["severity"] == "warning"]
    fields = ("baselineCapabilitySet", "additionalEnabledCapabilities[0]")
    assert wheres == [f"spec.capabilities.{field}" for field in fields]
    assert outcome["changed"]
    assert outcome["implicitly_enabled_capabilities"] == ["Ingress"]
    assert not report()["changed"]

    cluster.api.patch(PATH, {"spec": select("None", "Console")})
    assert report()["problems"] == []
    assert condition_of(cluster, "Invalid") is None


def test_an_invalid_first_spec_leaves_the_capabilities_out(cluster: ControlPlane, report: Report) -> None:
    with later_crd(cluster):
        make_cluster_version(cluster.api, select("None", "Later"))
        outcome = report()

    assert "capabilities" not in status_of(cluster)
    assert outcome["condition"] is None
    assert outcome["enabled_capabilities"] == []
    assert outcome["implicitly_enabled_capabilities"] == []


def test_names_left_from_a_later_version_stay(cluster: ControlPlane, report: Report) -> None:
    with later_crd(cluster):
        make_cluster_version(cluster.api, select("None", "Console"))
        left = capabilities_status(["Build", "Console", "Ingress", "Later"], [*KNOWN, "Later"])
        set_cluster_version_status(cluster.api, {"desired": {"version": "4.21.0"}, **left})

    outcome = report()

    assert outcome["enabled_capabilities"] == ["Build", "Console", "Ingress", "Later"]
    assert outcome["known_capabilities"] == KNOWN
    message = "The following capabilities could not be disabled: Build, Ingress, Later"
    assert outcome["condition"]["message"] == message
    assert "Later is on and not a capability of 4.21" in outcome.problem("enabledCapabilities")["message"]
    assert not report()["changed"]

    # The server takes a list with such a name as long as the list is not changed.
    cluster.api.patch(PATH, {"spec": select("None", "Console", "Storage")})
    (error,) = report().errors
    assert error["where"] == "clusterversions.config.openshift.io version, status.capabilities"
    assert error["message"].startswith("cannot have Later: ")
    assert "A later version than 4.21.0 left Later" in error["hint"]


def test_a_crd_that_is_older_than_the_release_is_named(cluster: ControlPlane, report: Report) -> None:
    make_cluster_version(cluster.api, select("None"))

    with crd_with(cluster, '"Ingress", ', ""):
        (error,) = report().errors

    assert error["message"].startswith("cannot have Ingress: ")
    assert "Apply the CustomResourceDefinition of 4.21.0" in error["hint"]
