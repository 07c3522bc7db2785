# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Which fields of an object the CVO reverts, as data.

The CVO has a builder for some kinds. It looks at some fields of them, and leaves all others as they are. Of other
kinds, its generic builder replaces each field at the top that the manifest has, and the metadata only together with
them. Source: openshift/cluster-version-operator:lib/resourcemerge, lib/resourceapply, pkg/cvo/internal/generic.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .._version import Minor


class Rule(NamedTuple):
    """How the CVO compares a field. Without any attribute, it has to be the same as in the manifest.

    ``fields``: only these fields are compared. ``key``: the items of a list are identified by this field, in any order.
    ``merged``: more items of a list or a map may exist. ``unique``: but none of those in the manifest twice.
    ``optional``: not compared if the manifest lacks the field. ``value``: the field is not a pointer, so an absent one
    is the same as an empty one. ``since``: the first minor whose CVO looks at the field.
    """

    fields: Mapping[str, Rule] | None = None
    item: Rule | None = None
    key: str = ""
    merged: bool = False
    unique: bool = False
    optional: bool = False
    value: bool = False
    since: Minor = Minor(4, 11)


_SAME = Rule()
_OPTIONAL = Rule(optional=True)
_MERGED = Rule(merged=True)


def _same(*names: str) -> dict[str, Rule]:
    return dict.fromkeys(names, _SAME)


def _optional(*names: str) -> dict[str, Rule]:
    return dict.fromkeys(names, _OPTIONAL)


METADATA = Rule(
    {
        **_optional("name"),
        "labels": _MERGED,
        "annotations": _MERGED,
        "ownerReferences": Rule(key="uid", merged=True),
    },
    value=True,
)
"""meta.go EnsureObjectMeta"""

_SELINUX = Rule(_optional("user", "role", "type", "level"))
_SECURITY_CONTEXT = Rule(
    {
        "capabilities": Rule({"add": _MERGED, "drop": _MERGED}),
        "seLinuxOptions": _SELINUX,
        **_same("privileged", "runAsUser", "runAsNonRoot", "readOnlyRootFilesystem", "allowPrivilegeEscalation"),
        **_same("seccompProfile"),
    }
)
_CONTAINER = Rule(
    {
        **_optional("image", "workingDir"),
        **_same("command", "args", "env", "envFrom", "livenessProbe", "readinessProbe"),
        "resources": Rule(_same("limits", "requests"), value=True),
        "ports": Rule(key="name"),
        "volumeMounts": Rule(key="mountPath"),
        "securityContext": _SECURITY_CONTEXT,
    }
)
_POD = Rule(
    {
        "initContainers": Rule(key="name", item=_CONTAINER),
        "containers": Rule(key="name", item=_CONTAINER),
        "volumes": Rule(key="name"),
        **_optional("restartPolicy", "serviceAccountName", "priorityClassName"),
        "automountServiceAccountToken": Rule(since=Minor(4, 21)),
        "hostUsers": Rule(since=Minor(4, 20)),
        **_same("hostNetwork", "priority", "shareProcessNamespace", "dnsPolicy", "terminationGracePeriodSeconds"),
        "nodeSelector": _MERGED,
        "tolerations": Rule(merged=True, unique=True),
        "affinity": Rule(_same("nodeAffinity", "podAffinity", "podAntiAffinity"), optional=True),
        "securityContext": Rule(
            {
                "seLinuxOptions": _SELINUX,
                **_same("runAsUser", "runAsGroup", "runAsNonRoot", "seccompProfile", "fsGroup"),
                "supplementalGroups": _MERGED,
                "sysctls": Rule(key="name", merged=True),
            }
        ),
    },
    value=True,
)
_TEMPLATE = Rule({"metadata": METADATA, "spec": _POD}, value=True)
"""core.go ensurePodTemplateSpec"""

_JOB = {
    **_same("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "manualSelector", "suspend"),
    **_same("ttlSecondsAfterFinished", "completionMode", "podFailurePolicy"),
    "template": _TEMPLATE,
}
"""batch.go ensureJobSpec"""

_PAUSED = Rule(since=Minor(4, 15))
_HISTORY = Rule(optional=True, since=Minor(4, 15))
_SCC = (
    *("priority", "allowPrivilegedContainer", "defaultAddCapabilities", "requiredDropCapabilities"),
    *("allowedCapabilities", "allowHostDirVolumePlugin", "volumes", "allowedFlexVolumes", "allowHostNetwork"),
    *("allowHostPorts", "allowHostPID", "allowHostIPC", "defaultAllowPrivilegeEscalation", "allowPrivilegeEscalation"),
    *("seLinuxContext", "runAsUser", "fsGroup", "supplementalGroups", "readOnlyRootFilesystem", "users", "groups"),
    *("seccompProfiles", "allowedUnsafeSysctls", "forbiddenSysctls"),
)


def _spec(fields: Mapping[str, Rule]) -> Rule:
    return Rule({"metadata": METADATA, "spec": Rule(fields, value=True)})


def _top(*names: str) -> Rule:
    return Rule({"metadata": METADATA, **_same(*names)})


KINDS: Mapping[tuple[str, str], Rule] = {
    ("", "ConfigMap"): Rule(
        {"metadata": METADATA, "data": _MERGED, "binaryData": Rule(merged=True, since=Minor(4, 20))}
    ),
    ("", "Namespace"): _top(),
    ("", "Service"): _spec(
        {
            "ports": Rule(
                key="name",
                item=Rule({**_same("protocol", "appProtocol", "port", "targetPort"), **_optional("nodePort")}),
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
            "jobTemplate": Rule({"metadata": METADATA, "spec": Rule(_JOB, value=True)}, value=True),
        }
    )._replace(since=Minor(4, 14)),
    ("batch", "Job"): _spec(_JOB),
    ("config.openshift.io", "ClusterOperator"): _top(),
    ("image.openshift.io", "ImageStream"): _spec(
        {
            **_same("lookupPolicy"),
            "tags": Rule(key="name", merged=True, item=Rule(_same("from", "importPolicy"))),
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
    ("security.openshift.io", "SecurityContextConstraints"): _top(*_SCC),
}
"""The kinds that have their own builder, by group and kind (lib/resourcebuilder/resourcebuilder.go)."""
