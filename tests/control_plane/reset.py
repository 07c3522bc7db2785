# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bring a control plane back to its first state, between two tests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import CRDS
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

_NAMESPACES = "/api/v1/namespaces"
_BUILT_IN = {"default", "kube-node-lease", "kube-public", "kube-system"}
_CLUSTER_WIDE = (
    "admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    "admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
    "admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    "rbac.authorization.k8s.io/v1/clusterrolebindings",
    "rbac.authorization.k8s.io/v1/clusterroles",
)
_ROLE_OF_KUBERNETES = "kubernetes.io/bootstrapping"


class Kind(NamedTuple):
    """Where the objects of a kind are."""

    version: str
    plural: str
    namespaced: bool

    def path(self, item: dict[str, Any]) -> str:
        """Return where one object is."""
        metadata = item["metadata"]
        namespace = f"/namespaces/{metadata['namespace']}" if self.namespaced else ""
        return f"{self.version}{namespace}/{self.plural}/{metadata['name']}"


def reset(plane: ControlPlane, crds: Collection[str] = ()) -> None:
    """Delete what tests left: all kinds but ``crds``, their objects, namespaces, roles, and rules of admission.

    What is in the namespaces of Kubernetes itself stays.
    """
    wait_for(lambda: _is_clean(plane.api, crds), "what tests left to be gone")


def _is_clean(api: Api, crds: Collection[str]) -> bool:
    """Delete all that, and tell whether it could be done: a kind that came or went a moment ago cannot be listed."""
    try:
        _clean(api, crds)
    except ApiError as error:
        if error.status not in (404, 409, 429, 500, 503):
            raise
        return False
    return True


def _clean(api: Api, crds: Collection[str]) -> None:
    for group in _CLUSTER_WIDE:
        version, _slash, plural = f"/apis/{group}".rpartition("/")
        for item in api.list(f"/apis/{group}"):
            if _ROLE_OF_KUBERNETES not in item["metadata"].get("labels", {}):
                _delete(api, Kind(version, plural, False), item)
    for crd in api.list(CRDS):
        _delete_objects(api, crd)
        if crd["metadata"]["name"] not in crds:
            _gone(api, Kind("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions", False), crd)
    _delete_namespaces(api)


def _delete_objects(api: Api, crd: dict[str, Any]) -> None:
    spec = crd["spec"]
    (version,) = [item["name"] for item in spec["versions"] if item["storage"]]
    kind = Kind(f"/apis/{spec['group']}/{version}", spec["names"]["plural"], spec["scope"] == "Namespaced")
    for item in api.list(f"{kind.version}/{kind.plural}"):
        _delete(api, kind, item)


def _delete_namespaces(api: Api) -> None:
    left = [item for item in api.list(_NAMESPACES) if item["metadata"]["name"] not in _BUILT_IN]
    if not left:
        return
    # From here on nothing new gets into them, whatever controllers try.
    for item in left:
        _delete(api, Kind("/api/v1", "namespaces", False), item)
    for kind in _namespaced(api):
        for item in api.list(f"{kind.version}/{kind.plural}"):
            if item["metadata"]["namespace"] not in _BUILT_IN:
                _delete(api, kind, item)
    for item in left:
        # The controller says so too, ten seconds later, and without controllers nobody does.
        name = item["metadata"]["name"]
        path = f"{_NAMESPACES}/{name}"
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}}
        _unless_gone(lambda path=path, body=body: api.put(f"{path}/finalize", body))  # type: ignore[misc]
        wait_for(lambda path=path: not api.exists(path), f"{path} to be gone")  # type: ignore[misc]


def _namespaced(api: Api) -> Iterator[Kind]:
    """Return the kinds whose objects are in namespaces and can be deleted."""
    groups = api.get("/apis")["groups"]
    versions = ["/api/v1", *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups)]
    for version in versions:
        for resource in api.get(version)["resources"]:
            if resource["namespaced"] and {"list", "delete"} <= set(resource["verbs"]):
                yield Kind(version, resource["name"], True)


def _delete(api: Api, kind: Kind, item: dict[str, Any]) -> None:
    path = kind.path(item)
    if item["metadata"].get("finalizers"):
        _unless_gone(lambda: api.patch(path, {"metadata": {"finalizers": None}}))
    _unless_gone(lambda: api.delete(path, gracePeriodSeconds="0", propagationPolicy="Background"))


def _unless_gone(ask: Callable[[], object]) -> None:
    """Ask for what a controller may have done a moment ago."""
    try:
        ask()
    except ApiError as error:
        if error.status != 404:
            raise


def _gone(api: Api, kind: Kind, item: dict[str, Any]) -> None:
    api.delete(kind.path(item))
    wait_for(lambda: not api.exists(kind.path(item)), f"{kind.path(item)} to be gone")
