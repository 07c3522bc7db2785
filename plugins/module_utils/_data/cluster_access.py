# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Permissions in the whole cluster that amount to more than they seem to, and the roles that grant them by default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

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


class BuiltInRole(NamedTuple):
    """A ClusterRole that is on every cluster. ``permissions``: those that its rules grant.

    ``labels``: those by which another role takes over its rules. ``selects``: labels of the roles whose rules it takes.
    """

    permissions: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()
    selects: tuple[str, ...] = ()


_TO_ADMIN, _TO_EDIT, _TO_VIEW = (f"{_RBAC}/aggregate-to-{name}" for name in ("admin", "edit", "view"))
_TO_CLUSTER_READER = f"{_RBAC}/aggregate-to-cluster-reader"

BUILT_IN_ROLES: Mapping[str, BuiltInRole] = {
    "cluster-admin": BuiltInRole(frozenset(PERMISSIONS)),
    "admin": BuiltInRole(selects=(_TO_ADMIN,)),
    "edit": BuiltInRole(labels=(_TO_ADMIN,), selects=(_TO_EDIT,)),
    "view": BuiltInRole(labels=(_TO_EDIT,), selects=(_TO_VIEW,)),
    "system:aggregate-to-admin": BuiltInRole(labels=(_TO_ADMIN,)),
    "system:aggregate-to-edit": BuiltInRole(
        frozenset({"read_secrets", "exec_into_pods", "impersonate", "create_pods"}), labels=(_TO_EDIT,)
    ),
    "system:aggregate-to-view": BuiltInRole(labels=(_TO_VIEW,)),
    "system:auth-delegator": BuiltInRole(),
    "system:kube-controller-manager": BuiltInRole(frozenset({"read_secrets"})),
    "system:kubelet-api-admin": BuiltInRole(frozenset({"reach_nodes"})),
    "system:node": BuiltInRole(frozenset({"read_secrets", "create_pods"})),
    "cluster-reader": BuiltInRole(selects=(_TO_CLUSTER_READER, _TO_VIEW)),
}
"""The roles of people, and those that releases bind. All have rules. The value of each label is ``"true"``.

Sources: kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go (v1.34);
openshift/openshift-apiserver:pkg/bootstrappolicy/policy.go for cluster-reader.
"""
