# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The kinds of Kubernetes itself: which of them are not in a Namespace."""

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


def is_of_kubernetes(group: str) -> bool:
    """Whether the kinds of ``group`` are those of Kubernetes (kubernetes/enhancements:keps/sig-api-machinery/2337)."""
    return "." not in group or group.endswith(".k8s.io")
