# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils import _resources as served_kind
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_OPERATORS,
    CLUSTER_VERSIONS,
    DEPLOYMENTS,
    ApiResource,
    ResourceId,
    conditions_of,
    finalizers_of,
)

PODS = ApiResource("", "v1", "pods", "Pod", True)
NODES = ApiResource("", "v1", "nodes", "Node")
KINDS = [value for value in vars(served_kind).values() if isinstance(value, ApiResource)]


@pytest.mark.parametrize(
    ("kind", "names", "path"),
    [
        (NODES, (), "/api/v1/nodes"),
        (NODES, ("one",), "/api/v1/nodes/one"),
        (PODS, (), "/api/v1/pods"),
        (PODS, ("", "openshift-one"), "/api/v1/namespaces/openshift-one/pods"),
        (PODS, ("one", "openshift-one"), "/api/v1/namespaces/openshift-one/pods/one"),
        (PODS, ("one", "openshift-one", "log"), "/api/v1/namespaces/openshift-one/pods/one/log"),
        (CLUSTER_VERSIONS, (), "/apis/config.openshift.io/v1/clusterversions"),
        (CLUSTER_VERSIONS, ("version",), "/apis/config.openshift.io/v1/clusterversions/version"),
        (CLUSTER_VERSIONS, ("version", "", "status"), "/apis/config.openshift.io/v1/clusterversions/version/status"),
        (CLUSTER_OPERATORS, ("console", "ignored"), "/apis/config.openshift.io/v1/clusteroperators/console"),
        (DEPLOYMENTS, (), "/apis/apps/v1/deployments"),
        (DEPLOYMENTS, ("one", "openshift-one"), "/apis/apps/v1/namespaces/openshift-one/deployments/one"),
        # What has to be quoted is quoted by the client.
        (NODES, ("a b:c",), "/api/v1/nodes/a b:c"),
    ],
)
def test_the_path_is_where_an_api_server_has_it(kind, names, path):
    assert kind.path(*names) == path


@pytest.mark.parametrize(
    ("kind", "names", "shown"),
    [
        (NODES, (), "nodes"),
        (NODES, ("one",), "nodes one"),
        (CLUSTER_VERSIONS, ("version",), "clusterversions.config.openshift.io version"),
        (CLUSTER_VERSIONS, ("version", "", "status"), "clusterversions.config.openshift.io/status version"),
        (DEPLOYMENTS, ("one", "openshift-one"), "deployments.apps openshift-one/one"),
        (DEPLOYMENTS, ("", "openshift-one"), "deployments.apps openshift-one"),
        (PODS, ("one", "openshift-one", "log"), "pods/log openshift-one/one"),
    ],
)
def test_readers_see_it_as_the_api_names_it(kind, names, shown):
    assert kind.shown(*names) == shown


@pytest.mark.parametrize(
    ("kind", "api_version", "resource"),
    [
        (NODES, "v1", "nodes"),
        (DEPLOYMENTS, "apps/v1", "deployments.apps"),
        (CLUSTER_VERSIONS, "config.openshift.io/v1", "clusterversions.config.openshift.io"),
    ],
)
def test_group_and_version_of_its_objects(kind, api_version, resource):
    assert (kind.api_version, kind.resource) == (api_version, resource)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_the_plural_is_that_of_the_kind(kind):
    """RBAC rules and paths have it in small letters."""
    singular = kind.plural.removesuffix("s")

    assert kind.kind.lower() in (singular, f"{singular[:-2]}y" if singular.endswith("ie") else singular)


@pytest.mark.parametrize(
    ("obj", "finalizers"),
    [
        ({"kind": "Namespace", "metadata": {"finalizers": ["a"]}, "spec": {"finalizers": ["kubernetes"]}}, 2),
        ({"kind": "Other", "metadata": {"finalizers": ["a"]}, "spec": {"finalizers": ["its own field"]}}, 1),
        ({"kind": "Namespace", "metadata": {"finalizers": "a"}}, 0),
    ],
)
def test_only_a_namespace_has_finalizers_in_its_spec(obj, finalizers):
    assert finalizers_of(obj) == ("a", "kubernetes")[:finalizers]


@pytest.mark.parametrize("kind", [["Ready"], {"a": "b"}, 1, None])
def test_a_condition_can_have_a_type_that_is_no_text(kind):
    """A definition decides what the status of its objects contains."""
    ready = {"type": "Ready", "status": "True"}
    assert conditions_of({"status": {"conditions": [{"type": kind}, ready]}})["Ready"] == ready


@pytest.mark.parametrize(
    ("resource", "shown", "cluster_scoped"),
    [
        (ResourceId("apps", "Deployment", "ns", "one"), "Deployment.apps ns/one", "Deployment.apps one"),
        (ResourceId("", "Namespace", "", "one"), "Namespace one", "Namespace one"),
    ],
)
def test_a_resource_is_shown_with_its_group_and_namespace(resource, shown, cluster_scoped):
    assert str(resource) == shown
    assert str(resource.as_object(cluster_scoped=True)) == cluster_scoped
    assert resource.as_object(cluster_scoped=False) == resource
