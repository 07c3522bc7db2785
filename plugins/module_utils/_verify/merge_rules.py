# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which fields of an object the CVO reverts, as data.

The CVO has a builder for some kinds. It looks at some fields of them, and leaves all others as they are. Of other
kinds, its generic builder replaces each field at the top that the manifest has, and the metadata only together with
them. Source: openshift/cluster-version-operator:lib/resourcemerge, lib/resourceapply, pkg/cvo/internal/generic.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .._data.version import Minor


class MergeRule(NamedTuple):
    """How the CVO compares a field. Without any attribute, it has to be the same as in the manifest.

    ``fields``: only these fields are compared. ``key``: the items of a list are identified by this field, in any order.
    ``merged``: more items of a list or a map may exist. ``unique``: but none of those in the manifest twice.
    ``optional``: not compared if the manifest lacks the field. ``value``: the field is not a pointer, so an absent one
    is the same as an empty one. ``since``: the first minor whose CVO looks at the field, or before which ``former`` is
    its rule.
    """

    fields: Mapping[str, MergeRule] | None = None
    item: MergeRule | None = None
    key: str = ""
    merged: bool = False
    unique: bool = False
    optional: bool = False
    value: bool = False
    since: Minor = Minor(4, 11)
    former: MergeRule | None = None


_SAME = MergeRule()
_OPTIONAL = MergeRule(optional=True)
_MERGED = MergeRule(merged=True)


def _same(*names: str) -> dict[str, MergeRule]:
    return dict.fromkeys(names, _SAME)


def _optional(*names: str) -> dict[str, MergeRule]:
    return dict.fromkeys(names, _OPTIONAL)


METADATA = MergeRule(
    {
        **_optional("name"),
        "labels": _MERGED,
        "annotations": _MERGED,
        "ownerReferences": MergeRule(key="uid", merged=True),
    },
    value=True,
)
"""meta.go EnsureObjectMeta"""

_SELINUX = MergeRule(_optional("user", "role", "type", "level"))
_SECURITY_CONTEXT = MergeRule(
    {
        "capabilities": MergeRule({"add": _MERGED, "drop": _MERGED}),
        "seLinuxOptions": _SELINUX,
        **_same("privileged", "runAsUser", "runAsNonRoot", "readOnlyRootFilesystem", "allowPrivilegeEscalation"),
        **_same("seccompProfile"),
    }
)
_CONTAINER = MergeRule(
    {
        **_optional("image", "workingDir"),
        **_same("command", "args", "env", "envFrom", "livenessProbe", "readinessProbe"),
        "resources": MergeRule(_same("limits", "requests"), value=True),
        "ports": MergeRule(key="name"),
        "volumeMounts": MergeRule(key="mountPath"),
        "securityContext": _SECURITY_CONTEXT,
    }
)
_POD = MergeRule(
    {
        "initContainers": MergeRule(key="name", item=_CONTAINER),
        "containers": MergeRule(key="name", item=_CONTAINER),
        "volumes": MergeRule(key="name"),
        **_optional("restartPolicy", "serviceAccountName", "priorityClassName"),
        "automountServiceAccountToken": MergeRule(since=Minor(4, 21)),
        "hostUsers": MergeRule(since=Minor(4, 20)),
        **_same("hostNetwork", "priority", "shareProcessNamespace", "dnsPolicy", "terminationGracePeriodSeconds"),
        "nodeSelector": _MERGED,
        "tolerations": MergeRule(merged=True, unique=True),
        "affinity": MergeRule(_same("nodeAffinity", "podAffinity", "podAntiAffinity"), optional=True),
        "securityContext": MergeRule(
            {
                "seLinuxOptions": _SELINUX,
                **_same("runAsUser", "runAsGroup", "runAsNonRoot", "seccompProfile", "fsGroup"),
                "supplementalGroups": _MERGED,
                "sysctls": MergeRule(key="name", merged=True),
            }
        ),
    },
    value=True,
)
_TEMPLATE = MergeRule({"metadata": METADATA, "spec": _POD}, value=True)
"""core.go ensurePodTemplateSpec"""

_JOB = {
    **_same("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "manualSelector"),
    **dict.fromkeys(
        ("suspend", "ttlSecondsAfterFinished", "completionMode", "podFailurePolicy"), MergeRule(since=Minor(4, 14))
    ),
    "template": _TEMPLATE,
}
"""batch.go ensureJobSpec, before 4.14 EnsureJob"""

_PAUSED = MergeRule(since=Minor(4, 15))
_HISTORY = MergeRule(optional=True, since=Minor(4, 15))
_SCC_FIELDS = (
    *("priority", "allowPrivilegedContainer", "defaultAddCapabilities", "requiredDropCapabilities"),
    *("allowedCapabilities", "allowHostDirVolumePlugin", "allowedFlexVolumes", "allowHostNetwork"),
    *("allowHostPorts", "allowHostPID", "allowHostIPC", "defaultAllowPrivilegeEscalation", "allowPrivilegeEscalation"),
    *("seLinuxContext", "runAsUser", "fsGroup", "supplementalGroups", "readOnlyRootFilesystem", "users", "groups"),
    *("seccompProfiles", "allowedUnsafeSysctls", "forbiddenSysctls"),
)
_SCC = {
    "metadata": METADATA,
    **dict.fromkeys(_SCC_FIELDS, MergeRule(since=Minor(4, 14))),
    "volumes": MergeRule(since=Minor(4, 14), former=MergeRule(merged=True, since=Minor(4, 12))),
}
"""security.go EnsureSecurityContextConstraints. Before 4.14, it only adds volumes, and 4.11 does not call it."""


def _spec(fields: Mapping[str, MergeRule]) -> MergeRule:
    return MergeRule({"metadata": METADATA, "spec": MergeRule(fields, value=True)})


def _top(*names: str) -> MergeRule:
    return MergeRule({"metadata": METADATA, **_same(*names)})


KINDS: Mapping[tuple[str, str], MergeRule] = {
    ("", "ConfigMap"): MergeRule(
        {"metadata": METADATA, "data": _MERGED, "binaryData": MergeRule(merged=True, since=Minor(4, 20))}
    ),
    ("", "Namespace"): _top(),
    ("", "Service"): _spec(
        {
            "ports": MergeRule(
                key="name",
                item=MergeRule({**_same("protocol", "appProtocol", "port", "targetPort"), **_optional("nodePort")}),
            ),
            **_same("type", "selector"),
        }
    ),
    ("", "ServiceAccount"): _top("automountServiceAccountToken"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): _top("webhooks")._replace(since=Minor(4, 13)),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _top("spec"),
    ("apps", "DaemonSet"): _spec({**_same("selector"), "template": _TEMPLATE}),
    ("apps", "Deployment"): _spec(
        {
            **_same("replicas", "selector", "strategy"),
            **dict.fromkeys(("paused", "minReadySeconds"), _PAUSED),
            **dict.fromkeys(("revisionHistoryLimit", "progressDeadlineSeconds"), _HISTORY),
            "template": _TEMPLATE,
        }
    ),
    ("batch", "CronJob"): _spec(
        {
            **_same("startingDeadlineSeconds", "suspend", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"),
            **_same("schedule", "timeZone", "concurrencyPolicy"),
            "jobTemplate": MergeRule({"metadata": METADATA, "spec": MergeRule(_JOB, value=True)}, value=True),
        }
    )._replace(since=Minor(4, 14)),
    ("batch", "Job"): _spec(_JOB),
    # Before, clusterOperatorBuilder only created it: openshift/cluster-version-operator#1012, #1017.
    ("config.openshift.io", "ClusterOperator"): MergeRule({"metadata": METADATA._replace(since=Minor(4, 15))}),
    ("image.openshift.io", "ImageStream"): _spec(
        {
            **_same("lookupPolicy"),
            "tags": MergeRule(key="name", merged=True, item=MergeRule(_same("from", "importPolicy"))),
        }
    ),
    ("operators.coreos.com", "OperatorGroup"): _spec(
        {
            **_same("selector", "targetNamespaces", "staticProvidedAPIs", "upgradeStrategy"),
            **_optional("serviceAccountName"),
        }
    )._replace(since=Minor(4, 13)),
    ("rbac.authorization.k8s.io", "ClusterRole"): _top("aggregationRule", "rules"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): _top("subjects", "roleRef"),
    ("rbac.authorization.k8s.io", "Role"): _top("rules"),
    ("rbac.authorization.k8s.io", "RoleBinding"): _top("subjects", "roleRef"),
    ("security.openshift.io", "SecurityContextConstraints"): MergeRule(_SCC),
}
"""The kinds that have their own builder, by group and kind (lib/resourcebuilder/resourcebuilder.go)."""
