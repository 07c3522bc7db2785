# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The kinds that exist without a CustomResourceDefinition: which of them are not in a Namespace."""

from __future__ import annotations

CLUSTER_SCOPED = frozenset(
    """
    APIService CSIDriver CSINode CertificateSigningRequest ClusterRole ClusterRoleBinding ComponentStatus
    CustomResourceDefinition DeviceClass FlowSchema IPAddress IngressClass MutatingWebhookConfiguration Namespace Node
    PersistentVolume PriorityClass PriorityLevelConfiguration ResourceSlice RuntimeClass SelfSubjectAccessReview
    SelfSubjectReview SelfSubjectRulesReview ServiceCIDR StorageClass SubjectAccessReview TokenReview
    ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration VolumeAttachment
    VolumeAttributesClass
    """.split()  # noqa: SIM905
)
"""Source: discovery of kube-apiserver 1.34, with which ``tests/cluster`` compares this list."""


_AGGREGATED_CLUSTER_SCOPED = frozenset(
    {
        ("authorization.openshift.io", "ClusterRole"),
        ("authorization.openshift.io", "ClusterRoleBinding"),
        ("image.openshift.io", "Image"),
        ("oauth.openshift.io", "OAuthClient"),
        ("oauth.openshift.io", "OAuthClientAuthorization"),
        ("project.openshift.io", "Project"),
        ("template.openshift.io", "BrokerTemplateInstance"),
        ("user.openshift.io", "Group"),
        ("user.openshift.io", "Identity"),
        ("user.openshift.io", "User"),
        ("user.openshift.io", "UserIdentityMapping"),
    }
)
"""Kinds that OpenShift's own API servers keep. Source: openshift/api:*/v1/types.go, ``+genclient:nonNamespaced``."""


def is_cluster_scoped(group: str, kind: str) -> bool:
    """Whether a kind without a CustomResourceDefinition is known not to be in a Namespace."""
    return (kind in CLUSTER_SCOPED and is_of_kubernetes(group)) or (group, kind) in _AGGREGATED_CLUSTER_SCOPED


def is_of_kubernetes(group: str) -> bool:
    """Whether the kinds of ``group`` are those of Kubernetes (kubernetes/enhancements:keps/sig-api-machinery/2337)."""
    return "." not in group or group.endswith(".k8s.io")
