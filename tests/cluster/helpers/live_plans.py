# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Helpers for plans of a real cluster: its resources, the requests of the module, and the contents of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import FIELD_MANAGER
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.tests.control_plane.api import Api
from ansible_collections.capability.openshift.tests.control_plane.audit import Request
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import CLUSTER_VERSIONS, CRDS
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"


def namespace(api: Api, name: str) -> None:
    api.apply(f"/api/v1/namespaces/{name}", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def config_map(api: Api, where: str, name: str) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": where}}
    api.apply(f"/api/v1/namespaces/{where}/configmaps/{name}", body)


def present(api: Api, path: str, group: str, kind: str) -> list[dict[str, str]]:
    """Return what a list request shows, as resource ids."""
    return [
        ResourceId(group, kind, item["metadata"].get("namespace", ""), item["metadata"]["name"])._asdict()
        for item in api.list(path)
    ]


def by_hand(api: Api) -> dict[str, Any]:
    """Return the options with the values that the module would read from the cluster."""
    return {
        "cluster_version": api.get(f"{CLUSTER_VERSIONS}/version"),
        "live_resources": [
            *present(api, "/api/v1/namespaces", "", "Namespace"),
            *present(api, "/api/v1/configmaps", "", "ConfigMap"),
            *present(api, "/apis/apps/v1/deployments", "apps", "Deployment"),
            *present(api, CRDS, "apiextensions.k8s.io", "CustomResourceDefinition"),
            *present(api, "/apis/config.openshift.io/v1/builds", "config.openshift.io", "Build"),
        ],
    }


def plan(outcome: Outcome) -> dict[str, Any]:
    """Return a result without its invocation, its problems, and what was not checked: they name what was read."""
    result = {key: value for key, value in outcome.result.items() if key not in ("invocation", "problems")}
    hops = [{key: value for key, value in hop.items() if key != "not_checked"} for hop in outcome["hops"]]
    return {**result, "hops": hops}


def enabled_by(outcome: Outcome) -> dict[str, list[str]]:
    return {
        item["name"]: [f"{cause['kind']} {cause['name']}" for cause in item["resources"]]
        for hop in outcome["hops"]
        for item in hop["implicitly_enabled"]
    }


def requests_since(cluster: ControlPlane, mark: int) -> list[Request]:
    return cluster.audit.requests(mark, user_agent=FIELD_MANAGER)


def groups(cluster: ControlPlane) -> set[str]:
    """Return the API groups that are served."""
    return {group["name"] for group in cluster.api.get("/apis")["groups"]}


@contextmanager
def group_without_server(cluster: ControlPlane, group: str) -> Iterator[None]:
    """Assign an API group to a separate API server that does not exist."""
    path = f"{SERVICES}/v1.{group}"
    wait_for(lambda: not cluster.api.exists(path), "the group to be free")
    spec = {
        "group": group,
        "version": "v1",
        "groupPriorityMinimum": 1000,
        "versionPriority": 10,
        "insecureSkipTLSVerify": True,
        "service": {"name": "missing", "namespace": "default"},
    }
    body = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": f"v1.{group}"}}
    cluster.api.apply(path, {**body, "spec": spec})
    wait_for(lambda: group in groups(cluster), "the group to be known")
    try:
        yield
    finally:
        cluster.api.delete(path)
        wait_for(lambda: group not in groups(cluster), "the group to be gone")
