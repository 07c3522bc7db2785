# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kinds: which Kubernetes serves, which are in no Namespace, which the CVO decodes into Go types, which have Pods."""

from __future__ import annotations

from collections.abc import Mapping

from .version import Minor

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


_CLUSTER_SCOPED_OF_OPENSHIFT = frozenset(
    {
        ("authorization.openshift.io", "ClusterRole"),
        ("authorization.openshift.io", "ClusterRoleBinding"),
        ("config.openshift.io", "ClusterOperator"),
        ("image.openshift.io", "Image"),
        ("oauth.openshift.io", "OAuthClient"),
        ("oauth.openshift.io", "OAuthClientAuthorization"),
        ("project.openshift.io", "Project"),
        ("security.openshift.io", "SecurityContextConstraints"),
        ("template.openshift.io", "BrokerTemplateInstance"),
        ("user.openshift.io", "Group"),
        ("user.openshift.io", "Identity"),
        ("user.openshift.io", "User"),
        ("user.openshift.io", "UserIdentityMapping"),
    }
)
"""Kinds that OpenShift's own API servers keep, and those of definitions that operators use and do not have.

Manifests of both custom resources have had a namespace. Source: openshift/api:*/v1/types*.go,
``+genclient:nonNamespaced``.
"""


def is_cluster_scoped(group: str, kind: str) -> bool:
    """Whether a kind is known not to be in a Namespace without its CustomResourceDefinition."""
    return (kind in CLUSTER_SCOPED and is_of_kubernetes(group)) or (group, kind) in _CLUSTER_SCOPED_OF_OPENSHIFT


def is_of_kubernetes(group: str) -> bool:
    """Whether the kinds of ``group`` are part of Kubernetes (kubernetes/enhancements:keps/sig-api-machinery/2337)."""
    return "." not in group or group.endswith(".k8s.io")


_KUBERNETES: Mapping[str, str] = {
    "": """
        Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume
        PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount
        """,
    "admissionregistration.k8s.io": """
        MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
        ValidatingWebhookConfiguration
        """,
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "authentication.k8s.io": "SelfSubjectReview TokenReview",
    "authorization.k8s.io": """
        LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview
        """,
    "autoscaling": "HorizontalPodAutoscaler",
    "batch": "CronJob Job",
    "certificates.k8s.io": "CertificateSigningRequest",
    "coordination.k8s.io": "Lease",
    "discovery.k8s.io": "EndpointSlice",
    "events.k8s.io": "Event",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "networking.k8s.io": "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "policy": "PodDisruptionBudget PodSecurityPolicy",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "resource.k8s.io": "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass",
}
_FIRST_MINORS: Mapping[str, Minor] = {
    "SelfSubjectReview": Minor(4, 15),
    "ValidatingAdmissionPolicy": Minor(4, 17),
    "ValidatingAdmissionPolicyBinding": Minor(4, 17),
    "IPAddress": Minor(4, 20),
    "ServiceCIDR": Minor(4, 20),
    "DeviceClass": Minor(4, 21),
    "ResourceClaim": Minor(4, 21),
    "ResourceClaimTemplate": Minor(4, 21),
    "ResourceSlice": Minor(4, 21),
    "VolumeAttributesClass": Minor(4, 21),
}
_LAST_MINORS: Mapping[str, Minor] = {"PodSecurityPolicy": Minor(4, 11)}
KUBERNETES_GROUPS = frozenset(_KUBERNETES)
_KUBERNETES_KINDS = frozenset((group, kind) for group, kinds in _KUBERNETES.items() for kind in kinds.split())


def kubernetes_serves(group: str, kind: str, minor: Minor | None) -> bool:
    """Whether the kube-apiserver of ``minor`` serves a kind without feature gates, in any version.

    4.11 is Kubernetes 1.24, and 4.21 is 1.34. Source: kubernetes/api:*/types.go, ``+k8s:prerelease-lifecycle-gen``,
    and discovery of kube-apiserver 1.34, with which ``tests/cluster`` compares the kinds.
    """
    if (group, kind) not in _KUBERNETES_KINDS:
        return False
    return minor is None or _FIRST_MINORS.get(kind, minor) <= minor <= _LAST_MINORS.get(kind, minor)


_EVERY, _ONLY_4_11 = (Minor(4, 11), None), (Minor(4, 11), Minor(4, 11))
_FLOW_CONTROL: Mapping[str, tuple[Minor, Minor | None]] = {
    "v1": (Minor(4, 16), None),
    "v1beta1": (Minor(4, 11), Minor(4, 12)),
    "v1beta2": (Minor(4, 11), Minor(4, 15)),
    "v1beta3": (Minor(4, 13), Minor(4, 18)),
}
_OTHER_VERSIONS: Mapping[str, Mapping[str, tuple[Minor, Minor | None]]] = {
    "CSIStorageCapacity": {"v1": _EVERY, "v1beta1": (Minor(4, 11), Minor(4, 13))},
    "CronJob": {"v1": _EVERY, "v1beta1": _ONLY_4_11},
    "EndpointSlice": {"v1": _EVERY, "v1beta1": _ONLY_4_11},
    "Event": {"v1": _EVERY, "v1beta1": _ONLY_4_11},
    "FlowSchema": _FLOW_CONTROL,
    "HorizontalPodAutoscaler": {
        "v1": _EVERY,
        "v2": _EVERY,
        "v2beta1": _ONLY_4_11,
        "v2beta2": (Minor(4, 11), Minor(4, 12)),
    },
    "PodDisruptionBudget": {"v1": _EVERY, "v1beta1": _ONLY_4_11},
    "PodSecurityPolicy": {"v1beta1": _ONLY_4_11},
    "PriorityLevelConfiguration": _FLOW_CONTROL,
    "RuntimeClass": {"v1": _EVERY, "v1beta1": _ONLY_4_11},
}
"""The versions of kinds of Kubernetes that have others than v1 from 4.11 on, with the first and the last minor."""


def kubernetes_versions(group: str, kind: str, minor: Minor | None) -> frozenset[str] | None:
    """The versions in which the kube-apiserver of ``minor`` serves a kind of Kubernetes.

    ``None`` if they are not known: feature gates can enable other versions of the kinds that came after 4.11.
    Source: kubernetes/website:content/en/docs/reference/using-api/deprecation-guide.md.
    """
    if minor is None or kind in _FIRST_MINORS or not kubernetes_serves(group, kind, minor):
        return None
    versions = _OTHER_VERSIONS.get(kind, {"v1": _EVERY})
    return frozenset(
        name for name, (first, last) in versions.items() if first <= minor and (last is None or minor <= last)
    )


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
"""Kinds that the CVO decodes into Go types, so the fields that a manifest omits are sent with their zero values.

API group and kind. All other kinds are sent as they are in the manifest.

Sources: openshift/cluster-version-operator:lib/resourcebuilder/resourcebuilder.go init, and
pkg/cvo/internal/operatorstatus.go for ClusterOperator.
"""

ZERO_VALUES: dict[str, object] = {"boolean": False, "integer": 0, "number": 0, "string": ""}
"""The zero value of a scalar Go type, by its type in OpenAPI (go.dev/ref/spec, The zero value)."""

POD_SPECS: Mapping[str, tuple[str, ...]] = {
    "Deployment": ("spec", "template", "spec"),
    "DaemonSet": ("spec", "template", "spec"),
    "StatefulSet": ("spec", "template", "spec"),
    "ReplicaSet": ("spec", "template", "spec"),
    "Job": ("spec", "template", "spec"),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
    "Pod": ("spec",),
}
"""Field path of the Pod spec in each kind of workload (kubernetes/api:apps/v1, batch/v1, core/v1)."""

WAITED_FOR = frozenset({"Deployment", "Job"})
"""Kinds of workloads whose Pods the CVO looks at. It does not report Pods of other kinds that do not start.

Source: openshift/cluster-version-operator:lib/resourcebuilder/apps.go checkDeploymentHealth, batch.go checkJobHealth.
"""
