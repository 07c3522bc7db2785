# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Kinds that the CVO decodes into Go types, so the fields that a manifest omits are sent with their zero values."""

from __future__ import annotations

TYPED_KINDS: frozenset[tuple[str, str]] = frozenset(
    {
        ("", "ConfigMap"),
        ("", "Namespace"),
        ("", "Service"),
        ("", "ServiceAccount"),
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("apps", "DaemonSet"),
        ("apps", "Deployment"),
        ("batch", "CronJob"),
        ("batch", "Job"),
        ("config.openshift.io", "ClusterOperator"),
        ("image.openshift.io", "ImageStream"),
        ("operators.coreos.com", "OperatorGroup"),
        ("rbac.authorization.k8s.io", "ClusterRole"),
        ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
        ("rbac.authorization.k8s.io", "Role"),
        ("rbac.authorization.k8s.io", "RoleBinding"),
        ("security.openshift.io", "SecurityContextConstraints"),
    }
)
"""API group and kind. All other kinds are sent as they are in the manifest.

Sources: openshift/cluster-version-operator:lib/resourcebuilder/resourcebuilder.go init, and
pkg/cvo/internal/operatorstatus.go for ClusterOperator.
"""

ZERO_VALUES: dict[str, object] = {"boolean": False, "integer": 0, "number": 0, "string": ""}
"""The zero value of a scalar Go type, by its type in OpenAPI (go.dev/ref/spec, The zero value)."""
