# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Discovery of the kinds that a real API server serves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import auth_spec
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import FIELD_MANAGER, Client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import connect
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.rest_mapper import RestMapper
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    DEPLOYMENTS,
    ApiResource,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.live_plans import group_without_server
from ansible_collections.capability.openshift.tests.control_plane.api import ApiError as ApiServerError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import CRDS
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for


class OldClient(Client):
    """A client that never requests aggregated discovery: the server answers as before Kubernetes 1.26."""

    def document(self, path: str, accept: str = "") -> dict[str, Any]:
        return super().document(path)


@contextmanager
def client_with(kubeconfig: Path, *, old: bool = False) -> Iterator[Client]:
    params = {**dict.fromkeys(auth_spec()), "kubeconfig": str(kubeconfig)}
    module = SimpleNamespace(params=params, no_log_values=set())
    with closing(connect(module)) as client:
        yield OldClient(client.host, client._pool, client._headers, client._token) if old else client


@pytest.fixture(params=["aggregated", "old"])
def client(request: pytest.FixtureRequest, cluster: ControlPlane) -> Iterator[Client]:
    """A client of the cluster, for each of the two forms of discovery."""
    with client_with(cluster.kubeconfig, old=request.param == "old") as client:
        yield client


@pytest.fixture
def stale_group(cluster: ControlPlane) -> Iterator[str]:
    """A group whose aggregated API server does not run."""
    with group_without_server(cluster, "oauth.openshift.io"):
        yield "oauth.openshift.io"


def lists(cluster: ControlPlane, path: str) -> bool:
    try:
        cluster.api.list(path)
    except ApiServerError:
        return False
    return True


def test_the_preferred_version_comes_first(client: Client) -> None:
    kinds = RestMapper(client)

    preferred = kinds.find("autoscaling", "HorizontalPodAutoscaler")
    assert preferred is not None
    assert preferred.version == "v2"
    older = kinds.find("autoscaling", "HorizontalPodAutoscaler", "v1")
    assert older is not None
    assert older.api_version == "autoscaling/v1"


@pytest.mark.parametrize(
    ("group", "kind", "version"),
    [
        ("", "ClusterVersion", ""),
        ("config.openshift.io", "Nonsense", ""),
        ("nonsense.openshift.io", "ClusterVersion", ""),
        ("config.openshift.io", "ClusterVersion", "v9"),
    ],
)
def test_unserved_kinds_are_not_found(group: str, kind: str, version: str, client: Client) -> None:
    kinds = RestMapper(client)

    assert kinds.find(group, kind, version) is None
    assert not kinds.unknown(group)


def test_aggregated_discovery_needs_two_requests(cluster: ControlPlane) -> None:
    with client_with(cluster.kubeconfig) as client:
        kinds = RestMapper(client)
        mark = cluster.audit.mark()
        for group, kind in (("apps", "Deployment"), ("", "Namespace"), ("config.openshift.io", "Build"), ("x", "X")):
            kinds.find(group, kind)

    requests = cluster.audit.requests(mark, user_agent=FIELD_MANAGER)
    assert [request.uri for request in requests] == ["/api", "/apis"]


def test_an_old_server_needs_one_request_per_group(cluster: ControlPlane) -> None:
    with client_with(cluster.kubeconfig, old=True) as client:
        kinds = RestMapper(client)
        mark = cluster.audit.mark()
        for kind in ("Deployment", "DaemonSet", "Nonsense"):
            kinds.find("apps", kind)
        kinds.find("", "Namespace")

    requests = cluster.audit.requests(mark, user_agent=FIELD_MANAGER)
    assert [request.uri for request in requests] == ["/api", "/apis", "/apis/apps/v1", "/api/v1"]


def test_a_new_kind_is_found_after_a_reload(cluster: ControlPlane, client: Client) -> None:
    kinds = RestMapper(client)
    assert kinds.find("example.com", "Thing") is None
    schema = {"openAPIV3Schema": {"type": "object"}}
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
    cluster.api.apply(f"{CRDS}/things.example.com", body)
    assert kinds.find("example.com", "Thing") is None

    def found() -> bool:
        kinds.reload()
        return kinds.find("example.com", "Thing") is not None

    wait_for(found, "the kind to be found")
    # The next test cleans up, which needs this.
    wait_for(lambda: lists(cluster, "/apis/example.com/v1/things"), "the kind to be listed")
    assert kinds.find("example.com", "Thing") == ApiResource("example.com", "v1", "things", "Thing", True)


def test_a_group_without_its_server_is_unknown_and_affects_no_other(client: Client, stale_group: str) -> None:
    kinds = RestMapper(client)

    assert kinds.find(stale_group, "OAuthClient") is None
    assert kinds.unknown(stale_group)
    assert kinds.find(DEPLOYMENTS.group, DEPLOYMENTS.kind) == DEPLOYMENTS
    assert not kinds.unknown(DEPLOYMENTS.group)
