# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The API groups that OpenShift serves with aggregated API servers. A plain Kubernetes cluster does not have them."""

from __future__ import annotations

AGGREGATED_GROUPS = frozenset(
    {
        "apps.openshift.io",
        "authorization.openshift.io",
        "build.openshift.io",
        "image.openshift.io",
        "oauth.openshift.io",
        "project.openshift.io",
        "quota.openshift.io",
        "route.openshift.io",
        "template.openshift.io",
        "user.openshift.io",
    }
)
"""Groups with kinds of OpenShift's own API servers.

Sources: openshift/openshift-apiserver:pkg/cmd/openshift-apiserver/openshiftapiserver;
openshift/oauth-apiserver:pkg/apiserver, for users and OAuth.
"""

_DEFINED = frozenset(
    {("authorization.openshift.io", "RoleBindingRestriction"), ("quota.openshift.io", "ClusterResourceQuota")}
)
"""Kinds of these groups that have a CustomResourceDefinition (openshift/api:authorization/v1, quota/v1)."""


def is_aggregated(group: str, kind: str) -> bool:
    """Whether an aggregated API server of OpenShift serves the kind."""
    return group in AGGREGATED_GROUPS and (group, kind) not in _DEFINED
