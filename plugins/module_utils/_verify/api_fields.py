# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""How API servers treat the fields that a comparison depends on, as data with sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._data.aggregated_apis import AGGREGATED_GROUPS
from .._data.kinds import KUBERNETES_GROUPS

TYPED_GROUPS = AGGREGATED_GROUPS | KUBERNETES_GROUPS
"""Groups whose kinds are Go structs of an API server.

Objects of other groups are custom resources, which the server stores unchanged.
Source: kubernetes/api:*/register.go.
"""

KEYED = frozenset({"annotations", "binaryData", "data", "labels", "matchLabels", "nodeSelector", "parameters"})
"""Maps of strings with keys of the user. A key with an empty value is significant, and values are only text."""

QUANTITY_MAPS = frozenset({"allocatable", "capacity", "hard", "limits", "overhead", "podFixed", "requests"})
QUANTITIES = frozenset({"divisor", "sizeLimit", "storage"})
"""Maps of quantities, and fields with a quantity: ``resource.Quantity`` in kubernetes/api."""

DROPPED_MAPS = KEYED | QUANTITY_MAPS | {"metadata", "resources", "securityContext", "selector"}
"""Maps that a Go struct omits if they are empty. Others, such as ``emptyDir``, are pointers and are kept."""

SCHEMA = "openAPIV3Schema"
ENCODED = {"ConfigMap": "binaryData", "Secret": "data"}
"""Maps of strings in base64."""

POINTERS = frozenset(
    {
        *("allowPrivilegeEscalation", "automountServiceAccountToken", "blockOwnerDeletion", "controller"),
        *("defaultAllowPrivilegeEscalation", "defaultMode", "fsGroup", "hostUsers", "mode", "optional", "priority"),
        *("privileged", "readOnlyRootFilesystem", "runAsGroup", "runAsNonRoot", "runAsUser", "shareProcessNamespace"),
        "terminationGracePeriodSeconds",
    }
)
"""Numbers and booleans that are pointers in Go: 0 and false are not the same as absent (kubernetes/api:core/v1)."""

SCHEMA_VALUES = frozenset({"default", "enum", "example"})
SCHEMA_POINTERS = frozenset(
    {
        *("additionalProperties", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength"),
        *("minProperties", "minimum", "multipleOf", "x-kubernetes-preserve-unknown-fields"),
    }
)
"""The same in a schema. Fields of ``SCHEMA_VALUES`` have any value."""

_FIELD_REF = {"fieldRef": {"apiVersion": "v1"}}
_RESOURCE_REF = {"resourceFieldRef": {"divisor": "0"}}
_DOWNWARD = [{**_FIELD_REF, **_RESOURCE_REF}]
_PROBE = {
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
    "httpGet": {"scheme": "HTTP"},
}
_CONTAINER = {
    "env": [{"valueFrom": {**_FIELD_REF, **_RESOURCE_REF}}],
    "ports": [{"protocol": "TCP"}],
    "livenessProbe": _PROBE,
    "readinessProbe": _PROBE,
}
_POD = {
    "initContainers": [_CONTAINER],
    "containers": [_CONTAINER],
    "dnsPolicy": "ClusterFirst",
    "terminationGracePeriodSeconds": 30,
    "volumes": [
        {
            "secret": {"defaultMode": 420},
            "configMap": {"defaultMode": 420},
            "downwardAPI": {"defaultMode": 420, "items": _DOWNWARD},
            "projected": {
                "defaultMode": 420,
                "sources": [{"serviceAccountToken": {"expirationSeconds": 3600}, "downwardAPI": {"items": _DOWNWARD}}],
            },
        }
    ],
}
_WHOLE_CONTAINER = {
    **_CONTAINER,
    "startupProbe": _PROBE,
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_WHOLE_POD = {
    **_POD,
    "initContainers": [_WHOLE_CONTAINER],
    "containers": [_WHOLE_CONTAINER],
    "schedulerName": "default-scheduler",
}
"""Also the fields that no builder of the CVO looks at: before 4.14, it has none for a CronJob."""

_TEMPLATE = {"spec": _POD}
_JOB = {"backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False, "template": _TEMPLATE}
_RULES = [{"scope": "*"}]
_WEBHOOK = {
    "clientConfig": {"service": {"port": 443}},
    "failurePolicy": "Fail",
    "matchPolicy": "Equivalent",
    "namespaceSelector": {},
    "objectSelector": {},
    "rules": _RULES,
    "timeoutSeconds": 10,
}
_MATCH = {
    "matchPolicy": "Equivalent",
    "namespaceSelector": {},
    "objectSelector": {},
    "resourceRules": _RULES,
    "excludeResourceRules": _RULES,
}
_POLICY_PORTS = [{"ports": [{"protocol": "TCP"}]}]
_RBAC = "rbac.authorization.k8s.io"
_BINDING = {"roleRef": {"apiGroup": _RBAC}}

DEFAULTS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("", "ConfigMap"): {},
    ("", "Namespace"): {},
    ("", "Secret"): {"type": "Opaque"},
    ("", "Service"): {"spec": {"ports": [{"protocol": "TCP"}], "type": "ClusterIP"}},
    ("", "ServiceAccount"): {},
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): {
        "webhooks": [{**_WEBHOOK, "reinvocationPolicy": "Never"}]
    },
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): {
        "spec": {"failurePolicy": "Fail", "matchConstraints": _MATCH}
    },
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"): {"spec": {"matchResources": _MATCH}},
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): {"webhooks": [_WEBHOOK]},
    ("apiextensions.k8s.io", "CustomResourceDefinition"): {
        "spec": {"conversion": {"webhook": {"clientConfig": {"service": {"port": 443}}}}}
    },
    ("apps", "DaemonSet"): {"spec": {"template": _TEMPLATE}},
    ("apps", "Deployment"): {"spec": {"replicas": 1, "template": _TEMPLATE}},
    ("batch", "CronJob"): {
        "spec": {
            "concurrencyPolicy": "Allow",
            "failedJobsHistoryLimit": 1,
            "successfulJobsHistoryLimit": 3,
            "suspend": False,
            "jobTemplate": {"spec": {**_JOB, "template": {"spec": _WHOLE_POD}}},
        }
    },
    ("batch", "Job"): {"spec": _JOB},
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): {"spec": {"matchingPrecedence": 1000}},
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"): {
        "spec": {
            "limited": {
                "lendablePercent": 0,
                "nominalConcurrencyShares": 30,
                "limitResponse": {"queuing": {"handSize": 8, "queueLengthLimit": 50, "queues": 64}},
            }
        }
    },
    ("image.openshift.io", "ImageStream"): {},
    ("networking.k8s.io", "NetworkPolicy"): {
        "spec": {"podSelector": {}, "ingress": _POLICY_PORTS, "egress": _POLICY_PORTS}
    },
    ("operators.coreos.com", "OperatorGroup"): {"spec": {"upgradeStrategy": "Default"}},
    ("policy", "PodDisruptionBudget"): {},
    (_RBAC, "ClusterRole"): {},
    (_RBAC, "ClusterRoleBinding"): _BINDING,
    (_RBAC, "Role"): {},
    (_RBAC, "RoleBinding"): _BINDING,
    ("scheduling.k8s.io", "PriorityClass"): {},
    ("security.openshift.io", "SecurityContextConstraints"): {
        "allowPrivilegeEscalation": True,
        "readOnlyRootFilesystem": False,
    },
}
"""What the API server adds to fields that the CVO looks at, by group and kind.

A value is for an absent field. A map or the item of a list is for what is there.
Source: kubernetes/kubernetes:pkg/apis/*/v1/defaults.go.
"""
