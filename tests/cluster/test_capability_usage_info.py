# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""``capability_usage_info`` on a cluster whose counts come from the requests that it answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.modules import capability_usage_info
from ansible_collections.capability.openshift.tests.cluster.helpers.request_counts import COUNTS, count, serve_counts
from ansible_collections.capability.openshift.tests.cluster.helpers.support import Site, selection
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user, token_user
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_release

DEFINITIONS = "apiextensions.k8s.io/v1"
LINKS = "/apis/console.openshift.io/v1/consolelinks"
BUILDS = "/apis/build.openshift.io/v1/namespaces/shop/builds"
READ = {"apiGroups": ["console.openshift.io"], "resources": ["consolelinks"], "verbs": ["get", "list"]}
SEES_COUNTS = {"apiGroups": ["apiserver.openshift.io"], "resources": ["apirequestcounts"], "verbs": ["get", "list"]}


def test_requests_of_a_cluster_are_assigned_to_capabilities_and_clients(site: Site) -> None:
    plane = site.plane
    serve_counts(plane)
    site.make(selection("Console"), ["Console"], version="4.17.9")  # a later one does not count these requests
    alice = certificate_user(plane, "alice", [READ])
    robot = token_user(plane, "robot", [READ])  # in kube-system, so it belongs to OpenShift
    plane.api.list(LINKS)  # until its storage is initialized, a list is retried, and counts twice
    mark = plane.audit.mark()
    for user, times in ((alice, 2), (robot, 3)):
        api = Api(user.kubeconfig, user_agent="test/1.0")
        for _number in range(times):
            api.list(LINKS)
        with pytest.raises(ApiError):
            api.list(BUILDS)
        api.close()
    count(plane, plane.audit.requests(mark))

    mark = plane.audit.mark()
    outcome = site.call(
        capability_usage_info, kubeconfig=plane.kubeconfig, release=EXAMPLE, capability_names=["Build", "Console"]
    )
    assert {request.verb for request in site.requests(mark)} <= {"get", "list"}

    rows = [(row["capability"], row["client"], row["username"], row["requests"]) for row in outcome["rows"]]
    assert rows == [
        ("Build", "yours", "alice", 1),
        ("Build", "openshift", robot.name, 1),
        ("Console", "yours", "alice", 2),
        ("Console", "openshift", robot.name, 3),
    ]
    assert outcome["rows"][3]["verbs"] == {"list": 3}
    assert {row["user_agent"] for row in outcome["rows"]} == {"test/1.0"}
    assert [(item["capability"], item["enabled"]) for item in outcome["capabilities"]] == [
        ("Build", False),
        ("Console", True),
    ]
    assert outcome["problems"] == []


def test_clients_that_the_server_does_not_name_are_counted(site: Site, tmp_path: Path) -> None:
    plane = site.plane
    links = manifest("consolelinks.console.openshift.io", "Console", kind="CustomResourceDefinition", api=DEFINITIONS)
    release = write_release(tmp_path / "release", {"links.yaml": links}, "4.17.9")
    serve_counts(plane)
    reader = certificate_user(plane, "reader", [READ, SEES_COUNTS])
    alice = certificate_user(plane, "alice", [READ])
    plane.api.list(LINKS)  # until its storage is initialized, a list is retried, and counts twice
    mark = plane.audit.mark()
    for user, times in ((alice, 1), (reader, 2)):
        api = Api(user.kubeconfig, user_agent="test/1.0")
        for _number in range(times):
            api.list(LINKS)
        api.close()
    count(plane, plane.audit.requests(mark), named=1)

    # This user may not read the ClusterVersion, so it is not known which APIs exist.
    outcome = site.call(
        capability_usage_info, kubeconfig=reader.kubeconfig, release=str(release), capability_names=["Console"]
    )
    assert [(row["username"], row["requests"]) for row in outcome["rows"]] == [("reader", 2)]
    (console,) = outcome["capabilities"]
    assert (console["unnamed"], console["enabled"]) == (1, None)
    assert {problem["code"] for problem in outcome["problems"]} == {"unnamed-clients", "unknown-capabilities"}
    assert outcome.problem("unknown-capabilities")["hint"] == "Grant get on clusterversions"


def test_a_cluster_without_counts_is_an_error(site: Site) -> None:
    assert not site.plane.api.exists(COUNTS)
    outcome = site.call(capability_usage_info, kubeconfig=site.plane.kubeconfig, release=EXAMPLE)
    assert [code for code, _where in outcome.faults] == ["no-request-counts"]
