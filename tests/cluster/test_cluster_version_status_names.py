# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Specs and statuses with names of another version, which CustomResourceDefinitions of several versions accept."""

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
    """Dry-run a new object with a spec, because unchanged fields of existing objects are not validated."""
    body = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "probe"}}
    plane.api.post(CLUSTER_VERSIONS, {**body, "spec": {"clusterID": CLUSTER_ID, **spec}}, dryRun="All")


def accepts(plane: ControlPlane, name: str) -> bool:
    """Whether the API server accepts the name of a capability; it does so shortly after a change of its CRD."""
    try:
        probe(plane, select("None", name))
    except ApiError as error:
        if error.status != 422:
            raise
        return False
    return True


@contextmanager
def crd_with(plane: ControlPlane, old: str, new: str) -> Iterator[None]:
    """Serve another CRD, with ``new`` instead of ``old`` in its JSON, and the example's CRD again at the end."""
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
    """Serve the CRD of a later version, with the capability Later and the set v4.99."""
    return crd_with(plane, '"Build", ', '"Build", "Later", ')


def test_an_invalid_spec_is_reported_as_by_the_server(cluster: ControlPlane, report: Report) -> None:
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
    start, *errors, end = condition["message"].split("\n")
    assert (start, end) == ("The cluster version is invalid:", "")
    assert len(errors) == 2
    for error in errors:
        assert error.removeprefix("* ") in str(refused.value)
    assert (condition["status"], condition["reason"]) == ("True", "InvalidClusterVersion")
    wheres = [item["where"] for item in outcome["problems"] if item["severity"] == "warning"]
    fields = ("baselineCapabilitySet", "additionalEnabledCapabilities[0]")
    assert wheres == [f"spec.capabilities.{field}" for field in fields]
    assert outcome["changed"]
    assert outcome["condition"]["message"].endswith(": Ingress")
    assert not report()["changed"]

    cluster.api.patch(PATH, {"spec": select("None", "Console")})
    assert report()["problems"] == []
    assert condition_of(cluster, "Invalid") is None


def test_an_invalid_first_spec_writes_no_capabilities(cluster: ControlPlane, report: Report) -> None:
    with later_crd(cluster):
        make_cluster_version(cluster.api, select("None", "Later"))
        outcome = report()

    assert "capabilities" not in status_of(cluster)
    assert outcome["condition"] is None


def test_names_of_a_later_version_stay(cluster: ControlPlane, report: Report) -> None:
    with later_crd(cluster):
        make_cluster_version(cluster.api, select("None", "Console"))
        later = capabilities_status(["Build", "Console", "Ingress", "Later"], [*KNOWN, "Later"])
        set_cluster_version_status(cluster.api, {"desired": {"version": "4.21.0"}, **later})

    outcome = report()

    assert outcome["status"]["capabilities"]["enabledCapabilities"] == ["Build", "Console", "Ingress", "Later"]
    assert outcome["status"]["capabilities"]["knownCapabilities"] == KNOWN
    message = "The following capabilities could not be disabled: Build, Ingress, Later"
    assert outcome["condition"]["message"] == message
    problem = outcome.problem("enabledCapabilities")
    assert (problem["severity"], problem["code"]) == ("info", "unknown-capability")
    assert problem["message"].startswith("Later ")
    assert not report()["changed"]

    # The server accepts a list with such a name unless the list changes.
    cluster.api.patch(PATH, {"spec": select("None", "Console", "Storage")})
    (error,) = report().errors
    assert error["where"] == "clusterversions.config.openshift.io version, status.capabilities"
    assert error["code"] == "outdated-crd"
    assert error["message"].startswith("cannot contain Later: ")
    assert "later than 4.21.0" in error["hint"]


def test_a_crd_that_is_older_than_the_release_is_reported(cluster: ControlPlane, report: Report) -> None:
    make_cluster_version(cluster.api, select("None"))

    with crd_with(cluster, '"Ingress", ', ""):
        (error,) = report().errors

    assert error["code"] == "outdated-crd"
    assert error["message"].startswith("cannot contain Ingress: ")
    assert "CustomResourceDefinition of 4.21.0" in error["hint"]
