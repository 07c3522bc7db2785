# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a plan reads from a cluster, a model of an API server, and which options keep it from reading."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._cluster.admin_acks import AdminAcks, AdminGate
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
    CONFIG_MAPS,
    FEATURE_GATES,
    INFRASTRUCTURES,
    NAMESPACES,
    ResourceId,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.live import (
    complete_options,
    find_admin_acks,
    look_up_resources,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import PlanOptions
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer, fault

OVERRIDES = [{"kind": "Deployment", "group": "apps", "namespace": "a", "name": "b", "unmanaged": True}]
GATES = {"featureGates": [{"version": "4.20.3", "enabled": [{"name": "B"}, {"name": "A"}]}]}


def cluster(feature_set: str = "TechPreviewNoUpgrade", platform: str = "AWS") -> ApiServer:
    server = ApiServer(CLUSTER_VERSIONS, FEATURE_GATES, INFRASTRUCTURES)
    server.put(CLUSTER_VERSIONS, "version", spec={"overrides": OVERRIDES})
    server.put(FEATURE_GATES, "cluster", spec={"featureSet": feature_set}, status=GATES)
    server.put(INFRASTRUCTURES, "cluster", status={"platformStatus": {"type": platform}, "infrastructureName": "c-1"})
    return server


def completed(
    server: ApiServer, *, is_strict: bool = False, **given: Any
) -> tuple[PlanOptions, list[str], list[tuple[str, str]]]:
    """The options after reading, the names of what was read, and the problems."""
    of_cluster = {name: given.pop(name) for name in ClusterOptions._fields if name in given}
    problems = Problems()
    options = PlanOptions(ClusterOptions(**of_cluster), **given)
    found, _name = complete_options(options, server.client(), problems, is_strict=is_strict)
    codes: list[tuple[str, str]] = [(item.severity, item.code) for item in problems if item.code != "cluster-read"]
    (report,) = (item.message for item in problems if item.code == "cluster-read")
    return found, sorted(set(re.findall("|".join(READ), report.partition(";")[0]))), codes


READ = ["feature_gates", "feature_set", "infrastructure_name", "overrides", "platform"]
REPORTED = (("4.20.3", frozenset("AB")),)


def test_what_is_not_set_is_read():
    options, read, problems = completed(cluster())

    assert (options.cluster.platform, options.cluster.feature_set) == ("aws", "TechPreviewNoUpgrade")
    assert (options.reported_gates, options.location) == (REPORTED, "clusterversions.config.openshift.io version")
    assert options.cluster_version == cluster().objects[CLUSTER_VERSIONS.path("version")]
    assert (read, problems) == (READ, [])


@pytest.mark.parametrize(
    ("given", "read", "problems"),
    [
        ({"feature_set": "TechPreviewNoUpgrade"}, {*READ} - {"feature_set"}, []),
        ({"feature_set": ""}, {*READ} - {"feature_set", "feature_gates"}, [("warning", "different-feature-set")]),
        ({"feature_gates": ["C"]}, {*READ} - {"feature_gates"}, []),
        ({"platform": "gcp"}, {*READ} - {"platform"}, []),
        ({"platform": "gcp", "cluster_profile": "p"}, {*READ} - {"platform"}, []),
        ({"overrides": []}, {*READ} - {"overrides"}, []),
        ({"cluster_version": {}}, {*READ} - {"overrides"}, []),
        ({"capabilities": {}}, READ, []),
        ({"capabilities": {}, "overrides": []}, {*READ} - {"overrides"}, []),
    ],
)
def test_what_is_set_is_not_read(given, read, problems):
    options, found, reported = completed(cluster(), **given)

    assert (found, reported) == (sorted(read), problems)
    own = {**options._asdict(), **options.cluster._asdict()}
    assert {name: own[name] for name in given} == given
    assert options.reported_gates == (REPORTED if "feature_gates" in read else ())
    assert (own["overrides"] == OVERRIDES) == ("capabilities" in given and "overrides" in read)


@pytest.mark.parametrize(
    ("given", "expected"), [({}, ("error", "feature_set")), ({"feature_set": ""}, ("warning", "feature_gates"))]
)
def test_with_a_feature_set_the_feature_gate_need_not_be_read(given, expected):
    server, problems = cluster(), Problems()
    server.faults[("GET", FEATURE_GATES.path("cluster"))] = [fault(403)]
    complete_options(PlanOptions(ClusterOptions(**given)), server.client(), problems, is_strict=True)

    found = [(item.severity, str(item.where)) for item in problems if item.code == "forbidden-request"]
    assert found == [expected]


def test_an_unknown_platform_of_the_cluster_is_not_used():
    options, _read, problems = completed(cluster(platform="Mars"))

    assert (options.cluster.platform, problems) == (None, [("info", "unknown-platform")])


@pytest.mark.parametrize("resources", [[], [ResourceId("", "ConfigMap", "x", name) for name in "ab"]])
def test_resources_are_looked_up(resources):
    server = ApiServer()
    server.put(NAMESPACES, "x")
    server.put(CONFIG_MAPS, "a", "x")
    problems = Problems()

    found = look_up_resources(server.client(), resources, problems, decisive=True)

    assert found == frozenset(resources[:1])
    assert [(item.severity, item.code) for item in problems] == [("info", "live-resources-read")]
    assert bool(server.requests) == bool(resources)


def test_admin_gates_and_acknowledgements_are_read():
    server = ApiServer()
    assert find_admin_acks(server.client(), Problems()) == AdminAcks((), frozenset())
    for namespace, name, data in (
        ("openshift-config-managed", "admin-gates", {"ack-4.20-a": "Read it "}),
        ("openshift-config", "admin-acks", {"ack-4.20-a": "true", "ack-4.20-b": "yes"}),
    ):
        server.put(NAMESPACES, namespace)
        server.put(CONFIG_MAPS, name, namespace, data=data)

    found = find_admin_acks(server.client(), Problems())

    source = "ConfigMap openshift-config-managed/admin-gates of the cluster"
    assert found == AdminAcks((AdminGate("ack-4.20-a", "Read it", source),), frozenset({"ack-4.20-a"}))
