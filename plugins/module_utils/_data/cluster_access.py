# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Far-reaching permissions in the whole cluster, and the roles of every cluster that grant them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

_RBAC = "rbac.authorization.k8s.io"


class AccessRequest(NamedTuple):
    """A request in all namespaces, as in a SubjectAccessReview. ``resource``: with ``/SUBRESOURCE`` if it has one."""

    verb: str
    group: str
    resource: str


PERMISSIONS: Mapping[str, tuple[AccessRequest, ...]] = {
    "do_everything": (AccessRequest("*", "*", "*"),),
    "read_secrets": tuple(AccessRequest(verb, "", "secrets") for verb in ("get", "list", "watch")),
    # A client that uses WebSockets sends a GET.
    "exec_into_pods": tuple(AccessRequest(verb, "", "pods/exec") for verb in ("create", "get")),
    "grant_permissions": tuple(
        AccessRequest(verb, _RBAC, roles) for verb in ("bind", "escalate") for roles in ("clusterroles", "roles")
    ),
    "impersonate": tuple(AccessRequest("impersonate", "", who) for who in ("users", "groups", "serviceaccounts")),
    "create_pods": (
        AccessRequest("create", "", "pods"),
        AccessRequest("create", "", "replicationcontrollers"),
        *(AccessRequest("create", "apps", kind) for kind in ("daemonsets", "deployments", "replicasets")),
        AccessRequest("create", "apps", "statefulsets"),
        *(AccessRequest("create", "batch", kind) for kind in ("cronjobs", "jobs")),
    ),
    "reach_nodes": tuple(AccessRequest(verb, "", "nodes/proxy") for verb in ("create", "get")),
}
"""Each permission, with the requests of which any one is enough.

Source: kubernetes/website:content/en/docs/concepts/security/rbac-good-practices.md "Privilege escalation risks".
"""


class ClusterRole(NamedTuple):
    """A ClusterRole, for manifests that need ``capabilities``. ``permissions``: those that its rules grant.

    ``labels``: those by which another role takes over its rules. ``selectors``: of the roles whose rules it takes over.
    """

    permissions: frozenset[str] = frozenset()
    labels: Mapping[str, Any] = {}
    selectors: tuple[Mapping[str, Any], ...] = ()
    has_rules: bool = True
    capabilities: tuple[str, ...] = ()


def _aggregated(*names: str) -> tuple[Mapping[str, Any], ...]:
    return tuple({"matchLabels": {f"{_RBAC}/aggregate-to-{name}": "true"}} for name in names)


def _part_of(name: str, *permissions: str) -> ClusterRole:
    return ClusterRole(frozenset(permissions), {f"{_RBAC}/aggregate-to-{name}": "true"})


BUILT_IN_ROLES: Mapping[str, ClusterRole] = {
    "cluster-admin": ClusterRole(frozenset(PERMISSIONS)),
    "admin": ClusterRole(selectors=_aggregated("admin")),
    "edit": _part_of("admin")._replace(selectors=_aggregated("edit")),
    "view": _part_of("edit")._replace(selectors=_aggregated("view")),
    "system:aggregate-to-admin": _part_of("admin"),
    "system:aggregate-to-edit": _part_of("edit", "read_secrets", "exec_into_pods", "impersonate", "create_pods"),
    "system:aggregate-to-view": _part_of("view"),
    "system:auth-delegator": ClusterRole(),
    "system:kube-controller-manager": ClusterRole(frozenset({"read_secrets"})),
    "system:kubelet-api-admin": ClusterRole(frozenset({"reach_nodes"})),
    "system:node": ClusterRole(frozenset({"read_secrets", "create_pods"})),
    "cluster-reader": ClusterRole(selectors=_aggregated("cluster-reader", "view")),
}
"""Roles that are on every cluster: those of people, and those that releases bind.

Sources: kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go (v1.34);
openshift/openshift-apiserver:pkg/bootstrappolicy/policy.go for cluster-reader.
"""
