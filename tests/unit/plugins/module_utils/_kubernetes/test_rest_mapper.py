# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Discovery and lists, against a model of an API server."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import client as _client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.lookup import api_identity, find_existing
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.rest_mapper import RestMapper
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACES,
    ApiResource,
    ResourceId,
    Target,
)
from ansible_collections.capability.openshift.tests.unit.builders import api_server
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer

BETA = DEPLOYMENTS._replace(version="v1beta1")


@pytest.mark.parametrize("aggregated", ["", "v2beta1", "v2"])
@pytest.mark.parametrize(
    ("wanted", "served"),
    [
        (("", "ConfigMap"), CONFIG_MAPS),
        (("", "Namespace", "v1"), NAMESPACES),
        (("", "Namespace", "v2"), None),
        (("apps", "Deployment"), DEPLOYMENTS),
        (("apps", "Deployment", "v1beta1"), BETA),
        (("config.openshift.io", "ClusterVersion"), CLUSTER_VERSIONS),
        (("apps", "ConfigMap"), None),
        (("other.io", "Thing"), None),
    ],
)
def test_a_kind_is_found_in_the_discovery_of_each_kubernetes(aggregated, wanted, served):
    server = ApiServer(DEPLOYMENTS, BETA, CLUSTER_VERSIONS, aggregated=aggregated)
    kinds = RestMapper(server.client())

    assert kinds.find(*wanted) == served
    asked = len(server.requests)
    assert kinds.find(*wanted) == served
    assert (len(server.requests), asked <= (2 if aggregated else 4)) == (asked, True)


@pytest.mark.parametrize(("freshness", "unknown"), [("Stale", True), ("Current", False)])
def test_a_stale_group_can_have_more_kinds(monkeypatch, freshness, unknown):
    version = {"version": "v1", "freshness": freshness, "resources": []}
    groups = {
        "kind": "APIGroupDiscoveryList",
        "items": [{"metadata": {"name": "route.openshift.io"}, "versions": [version]}],
    }
    monkeypatch.setattr(api_server, "_aggregated", lambda _groups: groups)
    assert RestMapper(ApiServer().client()).unknown("route.openshift.io") is unknown


def test_a_new_kind_is_found_after_discovery_runs_again():
    server = ApiServer()
    kinds = RestMapper(server.client())
    assert kinds.find("apps", "Deployment") is None
    server.kinds.append(DEPLOYMENTS)
    assert kinds.find("apps", "Deployment") is None
    kinds.reload()

    assert kinds.find("apps", "Deployment") == DEPLOYMENTS
    assert [kinds.serves(name) for name in ("deployments.apps", "jobs.apps")] == [True, False]


def test_the_definition_of_a_kind_is_learnt():
    kinds = RestMapper(ApiServer().client())
    versions = [{"name": "v1", "served": True}, {"name": "v2", "served": False}]
    spec = {"group": "test.io", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"}}
    kinds.learn({"spec": {**spec, "versions": versions}}, new=True)

    thing = ApiResource("test.io", "v1", "things", "Thing", namespaced=True)
    assert [kinds.find("test.io", "Thing", version) for version in ("", "v1", "v2")] == [thing, thing, None]
    assert (kinds.is_new(thing), kinds.is_fresh(thing), kinds.is_new(CONFIG_MAPS)) == (True, True, False)
    assert not kinds.is_changing(thing)
    kinds.learn({"spec": {**spec, "versions": versions}}, new=False, changed=True)
    assert kinds.is_changing(thing)


@pytest.mark.parametrize(
    ("resource", "identity"),
    [
        (ResourceId("", "Namespace", "x", "a"), ResourceId("", "Namespace", "", "a")),
        (ResourceId("", "ConfigMap", "x", "a"), ResourceId("", "ConfigMap", "x", "a")),
        (ResourceId("test.io", "Thing", "x", "a"), ResourceId("test.io", "Thing", "x", "a")),
    ],
)
def test_the_api_ignores_the_namespace_of_a_cluster_scoped_kind(resource, identity):
    assert api_identity(RestMapper(ApiServer().client()), resource) == identity


def test_existing_resources_are_found_by_one_list_of_each_kind():
    server = ApiServer(DEPLOYMENTS)
    for namespace in ("x", "y"):
        server.put(NAMESPACES, namespace)
        server.put(CONFIG_MAPS, "a", namespace, metadata={"labels": {"mine": namespace}})
    client = server.client()
    wanted = [
        *(ResourceId("", "ConfigMap", namespace, name) for namespace in "xyz" for name in "ab"),
        ResourceId("", "Namespace", "ignored", "x"),
        ResourceId("test.io", "Thing", "", "a"),
    ]

    found = find_existing(client, RestMapper(client), wanted)

    assert set(found.existing) == {wanted[0], wanted[2], wanted[6]}
    assert (found.unclear, found.errors, found.unserved) == (frozenset(), (), 1)
    assert server.requests.count("GET /api/v1/configmaps") == 1
    labelled = find_existing(client, RestMapper(client), wanted[:6], "mine=y")
    assert set(labelled.existing) == {wanted[2]}


def test_a_long_list_is_read_page_by_page(monkeypatch):
    monkeypatch.setattr(_client, "_PAGE", 2)
    server = ApiServer()
    for name in "abcde":
        server.put(NAMESPACES, name)
    client = server.client()

    assert [item["metadata"]["name"] for item in client.list(Target(NAMESPACES))] == list("abcde")
    assert len(server.requests) == 3
    snapshot = client.snapshot(Target(NAMESPACES, "c"))
    assert (list(snapshot.objects), snapshot.resource_version) == (["c"], "105")
