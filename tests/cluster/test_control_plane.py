# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The control plane does what the other tests rely on most; harness/ tests the rest of it."""

from __future__ import annotations

import pytest
import urllib3

from ansible_collections.capability.openshift.tests.cluster.helpers.access import (
    CONFIG_MAPS,
    READ_CLUSTER_VERSIONS,
    status_of,
)
from ansible_collections.capability.openshift.tests.control_plane.audit import Request
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_VERSIONS,
    EXAMPLE,
    make_cluster_version,
)
from ansible_collections.capability.openshift.tests.control_plane.reset import reset
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user, token_user


def test_audit_counts_each_request_once(cluster: ControlPlane) -> None:
    user = token_user(cluster, "counted", [READ_CLUSTER_VERSIONS])
    mark = cluster.audit.mark()
    for _time in range(3):
        status_of(user.kubeconfig, f"{CLUSTER_VERSIONS}/version")
    cluster.api.list("/api/v1/nodes")
    asked = cluster.audit.requests(mark, user=user.name)
    expected = Request("get", f"{CLUSTER_VERSIONS}/version", "control-plane-tests", user.name, 404, asked[0].at)
    assert [request._replace(at=expected.at) for request in asked] == [expected] * 3
    assert len(cluster.audit.requests(mark, user_agent="control-plane-tests")) == 4
    watch = f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1&resourceVersion=0"
    assert cluster.api.text(watch) is not None
    assert [request.verb for request in cluster.audit.requests(mark) if request.uri == watch] == ["watch"]


def test_a_reset_takes_away_what_a_test_left(cluster: ControlPlane) -> None:
    make_cluster_version(cluster.api)
    cluster.kubectl("create", "namespace", "left")
    cluster.kubectl("create", "configmap", "left", "--namespace", "left")
    certificate_user(cluster, "left", [READ_CLUSTER_VERSIONS])
    reset(cluster, EXAMPLE)
    assert cluster.api.list(CLUSTER_VERSIONS) == []
    assert not cluster.api.exists("/api/v1/namespaces/left")
    assert not cluster.api.exists("/apis/rbac.authorization.k8s.io/v1/clusterroles/test-left")
    cluster.kubectl("create", "namespace", "left")
    assert not cluster.api.exists("/api/v1/namespaces/left/configmaps/left")


def test_api_server_comes_back_with_its_data(cluster: ControlPlane) -> None:
    make_cluster_version(cluster.api, {"channel": "stable-4.21"})
    cluster.kill_api_server()
    with pytest.raises(urllib3.exceptions.HTTPError):
        cluster.api.get("/version")
    url = cluster.url
    cluster.start_api_server()
    assert cluster.url == url
    assert cluster.api.get(f"{CLUSTER_VERSIONS}/version")["spec"]["channel"] == "stable-4.21"
