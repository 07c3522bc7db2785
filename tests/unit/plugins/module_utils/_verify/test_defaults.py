# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What API servers add to an object, as kubernetes/kubernetes:pkg/apis/*/v1/defaults.go has it."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._verify.defaults import with_defaults

RBAC = "rbac.authorization.k8s.io"
ADMISSION = "admissionregistration.k8s.io"
ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
JOB = {"backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False}
MATCH = {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}
POD = {"dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30}
WHOLE_POD = {**POD, "schedulerName": "default-scheduler"}


@pytest.mark.parametrize(
    ("group", "kind", "spec", "added"),
    [
        (
            "",
            "Service",
            {"ports": [{"port": 1}], "type": "NodePort"},
            {"ports": [{"port": 1, "protocol": "TCP", "targetPort": 1}]},
        ),
        ("", "Service", {"type": "LoadBalancer"}, {}),
        (
            "",
            "Service",
            {"type": "", "ports": [{"port": 1, "protocol": ""}]},
            {"type": "ClusterIP", "ports": [{"port": 1, "protocol": "TCP", "targetPort": 1}]},
        ),
        ("", "Service", {}, {"type": "ClusterIP"}),
        ("apps", "Deployment", {}, {"replicas": 1, "strategy": ROLLING}),
        ("apps", "Deployment", {"replicas": 0, "strategy": {"type": "Recreate"}}, {}),
        (
            "apps",
            "Deployment",
            {"replicas": 1, "strategy": {"rollingUpdate": {"maxSurge": 1}}},
            {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}}},
        ),
        ("apps", "DaemonSet", {"template": {"spec": {}}}, {"template": {"spec": POD}}),
        ("batch", "Job", {}, {**JOB, "parallelism": 1, "completions": 1}),
        ("batch", "Job", {**JOB, "parallelism": 2}, {}),
        ("batch", "Job", {**JOB, "completions": 2}, {"parallelism": 1}),
        (
            "batch",
            "CronJob",
            {"jobTemplate": {"spec": {"template": {"spec": {"volumes": [{"name": "a"}]}}}}},
            {
                "concurrencyPolicy": "Allow",
                "failedJobsHistoryLimit": 1,
                "successfulJobsHistoryLimit": 3,
                "suspend": False,
                "jobTemplate": {
                    "spec": {**JOB, "template": {"spec": {**WHOLE_POD, "volumes": [{"name": "a", "emptyDir": {}}]}}}
                },
            },
        ),
        ("image.openshift.io", "ImageStream", {}, {"lookupPolicy": {"local": False}, "tags": []}),
        (
            "image.openshift.io",
            "ImageStream",
            {
                "lookupPolicy": {"local": True},
                "tags": [{"name": "a"}, {"importPolicy": {"importMode": "PreserveOriginal"}}],
            },
            {
                "tags": [
                    {"name": "a", "importPolicy": {"importMode": "Legacy"}},
                    {"importPolicy": {"importMode": "PreserveOriginal"}},
                ]
            },
        ),
        ("networking.k8s.io", "NetworkPolicy", {}, {"podSelector": {}, "policyTypes": ["Ingress"]}),
        (
            "networking.k8s.io",
            "NetworkPolicy",
            {"podSelector": {"matchLabels": {"a": "b"}}, "egress": [{"ports": [{"port": 1}]}]},
            {"policyTypes": ["Ingress", "Egress"], "egress": [{"ports": [{"port": 1, "protocol": "TCP"}]}]},
        ),
        ("networking.k8s.io", "NetworkPolicy", {"egress": [{}], "policyTypes": ["Egress"]}, {"podSelector": {}}),
        ("operators.coreos.com", "OperatorGroup", {}, {"upgradeStrategy": "Default"}),
        ("flowcontrol.apiserver.k8s.io", "FlowSchema", {}, {"matchingPrecedence": 1000}),
        (
            "flowcontrol.apiserver.k8s.io",
            "PriorityLevelConfiguration",
            {"limited": {"limitResponse": {"queuing": {}}}},
            {
                "limited": {
                    "lendablePercent": 0,
                    "nominalConcurrencyShares": 30,
                    "limitResponse": {"queuing": {"handSize": 8, "queueLengthLimit": 50, "queues": 64}},
                }
            },
        ),
        (
            ADMISSION,
            "ValidatingAdmissionPolicy",
            {"matchConstraints": {}},
            {"failurePolicy": "Fail", "matchConstraints": MATCH},
        ),
        (
            ADMISSION,
            "ValidatingAdmissionPolicyBinding",
            {"matchResources": {"resourceRules": [{}]}},
            {"matchResources": {**MATCH, "resourceRules": [{"scope": "*"}]}},
        ),
        (
            "apiextensions.k8s.io",
            "CustomResourceDefinition",
            {"names": {"kind": "Dns"}},
            {
                "names": {"kind": "Dns", "singular": "dns", "listKind": "DnsList"},
                "conversion": {"strategy": "None"},
            },
        ),
        ("other.example", "Deployment", {}, {}),
    ],
)
def test_the_spec_gets_defaults(group, kind, spec, added):
    assert with_defaults((group, kind), {"spec": spec}) == {"spec": {**spec, **added}}


PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


@pytest.mark.parametrize(
    ("pod", "added"),
    [
        ({"volumes": [{"name": "a", "secret": {}}]}, {"volumes": [{"name": "a", "secret": {"defaultMode": 420}}]}),
        ({"volumes": [{"configMap": {}}]}, {"volumes": [{"configMap": {"defaultMode": 420}}]}),
        (
            {"volumes": [{"downwardAPI": {"items": [{"fieldRef": {}}, {"resourceFieldRef": {}}]}}]},
            {
                "volumes": [
                    {
                        "downwardAPI": {
                            "defaultMode": 420,
                            "items": [{"fieldRef": {"apiVersion": "v1"}}, {"resourceFieldRef": {"divisor": "0"}}],
                        }
                    }
                ]
            },
        ),
        (
            {"volumes": [{"projected": {"sources": [{"serviceAccountToken": {}}]}}]},
            {
                "volumes": [
                    {
                        "projected": {
                            "defaultMode": 420,
                            "sources": [{"serviceAccountToken": {"expirationSeconds": 3600}}],
                        }
                    }
                ]
            },
        ),
        (
            {"volumes": [{"name": "a", "hostPath": None}]},
            {"volumes": [{"name": "a", "hostPath": None, "emptyDir": {}}]},
        ),
        (
            {"hostNetwork": True, "containers": [{"ports": [{"containerPort": 1}]}]},
            {"containers": [{"ports": [{"containerPort": 1, "hostPort": 1, "protocol": "TCP"}]}]},
        ),
        (
            {"hostNetwork": True, "initContainers": [{"ports": [{"containerPort": 1, "hostPort": 2}]}]},
            {"initContainers": [{"ports": [{"containerPort": 1, "hostPort": 2, "protocol": "TCP"}]}]},
        ),
        (
            {"containers": [{"livenessProbe": {}, "readinessProbe": {"httpGet": {}}}]},
            {"containers": [{"livenessProbe": PROBE, "readinessProbe": {**PROBE, "httpGet": {"scheme": "HTTP"}}}]},
        ),
        (
            {"initContainers": [{"env": [{"valueFrom": {"fieldRef": {}}}]}]},
            {"initContainers": [{"env": [{"valueFrom": {"fieldRef": {"apiVersion": "v1"}}}]}]},
        ),
    ],
)
def test_a_pod_gets_defaults(pod, added):
    body = {"spec": {"template": {"spec": pod}}}
    assert with_defaults(("apps", "DaemonSet"), body) == {"spec": {"template": {"spec": {**POD, **pod, **added}}}}


WEBHOOK = {**MATCH, "failurePolicy": "Fail", "timeoutSeconds": 10, "rules": [{"scope": "*"}]}


@pytest.mark.parametrize(
    ("group", "kind", "body", "added"),
    [
        (RBAC, "RoleBinding", {"roleRef": {}}, {"roleRef": {"apiGroup": RBAC}}),
        (
            RBAC,
            "ClusterRoleBinding",
            {"subjects": [{"kind": "Group"}, {"kind": "User"}, {"kind": "ServiceAccount"}]},
            {
                "subjects": [
                    {"kind": "Group", "apiGroup": RBAC},
                    {"kind": "User", "apiGroup": RBAC},
                    {"kind": "ServiceAccount"},
                ]
            },
        ),
        (ADMISSION, "ValidatingWebhookConfiguration", {"webhooks": [{"rules": [{}]}]}, {"webhooks": [WEBHOOK]}),
        (
            ADMISSION,
            "MutatingWebhookConfiguration",
            {"webhooks": [{"rules": [{}]}]},
            {"webhooks": [{**WEBHOOK, "reinvocationPolicy": "Never"}]},
        ),
        (
            "security.openshift.io",
            "SecurityContextConstraints",
            {},
            {"allowPrivilegeEscalation": True, "readOnlyRootFilesystem": False},
        ),
        ("", "ConfigMap", {"data": None}, {}),
    ],
)
def test_fields_at_the_top_get_defaults(group, kind, body, added):
    assert with_defaults((group, kind), body) == {**body, **added}


def test_a_secret_has_a_type():
    assert with_defaults(("", "Secret"), {"type": ""}) == {"type": "Opaque"}
    assert with_defaults(("", "Secret"), {"type": "kubernetes.io/tls"}) == {"type": "kubernetes.io/tls"}
