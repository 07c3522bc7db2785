# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._verify.difference import (
    MASK,
    Difference,
    differences,
    mask,
)

SERVICE = "v1/Service"
DEPLOYMENT = "apps/v1/Deployment"
CONFIG_MAP = "v1/ConfigMap"
SECRET = "v1/Secret"
ROLE = "rbac.authorization.k8s.io/v1/ClusterRole"
POLICY = "networking.k8s.io/v1/NetworkPolicy"
CRD = "apiextensions.k8s.io/v1/CustomResourceDefinition"
CUSTOM = "operator.openshift.io/v1/Console"
SCC = "security.openshift.io/v1/SecurityContextConstraints"


def body(kind: str, **fields: Any) -> dict[str, Any]:
    api_version, _slash, name = kind.rpartition("/")
    metadata = {"name": "one", **fields.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": name, "metadata": metadata, **fields}


def reported(kind: str, wanted: Mapping[str, Any], found: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    return [tuple(item) for item in differences(body(kind, **wanted), body(kind, **found))]


def pod(**fields: Any) -> dict[str, Any]:
    return {"spec": {"template": {"spec": fields}}}


def container(**fields: Any) -> dict[str, Any]:
    return pod(containers=[{"name": "a", **fields}])


CONTAINER = '.spec.template.spec.containers[name="a"]'


@pytest.mark.parametrize(
    ("kind", "wanted", "found"),
    [
        pytest.param(CONFIG_MAP, {"data": {"a": "1"}}, {"data": {"a": "1", "b": "2"}}, id="a key of another client"),
        pytest.param(CONFIG_MAP, {"data": {}}, {}, id="an empty map of strings is left out"),
        pytest.param(CONFIG_MAP, {"data": {}}, {"data": {"a": "1"}}, id="an empty map asks for nothing"),
        pytest.param(CONFIG_MAP, {"data": None, "immutable": False}, {}, id="null and false are left out"),
        pytest.param(
            CONFIG_MAP, {"binaryData": {"a": "AA\nA=\n"}}, {"binaryData": {"a": "AAA="}}, id="base64 in lines"
        ),
        pytest.param(DEPLOYMENT, {"spec": {"replicas": None}}, {"spec": {"replicas": 1}}, id="null gets the default"),
        pytest.param(DEPLOYMENT, {"spec": {"minReadySeconds": 0}}, {"spec": {"replicas": 1}}, id="0 is left out"),
        pytest.param(DEPLOYMENT, {"spec": {"a": 1}}, {"spec": {"a": 1.0}}, id="one number"),
        pytest.param(
            DEPLOYMENT,
            {"status": {"replicas": 1}, "spec": {}},
            {"status": {"replicas": 2}, "spec": {"replicas": 1}},
            id="status",
        ),
        pytest.param(
            DEPLOYMENT,
            {"metadata": {"creationTimestamp": None, "generation": 1, "uid": "a", "resourceVersion": "1"}},
            {"metadata": {"creationTimestamp": "2024-01-01T00:00:00Z", "generation": 2, "managedFields": []}},
            id="what is the API server's own",
        ),
        pytest.param(
            DEPLOYMENT,
            {"spec": {"template": {"metadata": {"creationTimestamp": None, "labels": {}}}}},
            {"spec": {"template": {}}},
            id="empty metadata of a template is left out",
        ),
        pytest.param(
            DEPLOYMENT,
            {"spec": {"selector": {"matchLabels": {}}}},
            {"spec": {"selector": {}}},
            id="an empty map in a selector is left out",
        ),
        pytest.param(
            ROLE,
            {"metadata": {"namespace": "lost"}},
            {},
            id="the namespace of what is in none is dropped",
        ),
        pytest.param(
            ROLE,
            {"metadata": {"labels": None, "annotations": {"a": "1"}}},
            {"metadata": {"labels": {"b": "2"}, "annotations": {"a": "1", "b": "2"}}},
            id="labels and annotations of another client",
        ),
        pytest.param(ROLE, {"metadata": {"finalizers": ["a"]}}, {"metadata": {"finalizers": ["b"]}}, id="finalizers"),
        pytest.param(
            ROLE,
            {"metadata": {"ownerReferences": [{"uid": "1", "name": "a"}]}},
            {"metadata": {"ownerReferences": [{"uid": "2"}, {"uid": "1", "name": "a"}]}},
            id="owners are distinguished by uid",
        ),
        pytest.param(
            ROLE,
            {"aggregationRule": {"clusterRoleSelectors": [{}]}, "rules": []},
            {"aggregationRule": {"clusterRoleSelectors": [{}]}, "rules": [{"verbs": ["get"]}]},
            id="a controller writes aggregated rules",
        ),
        pytest.param(ROLE, {"rules": []}, {"rules": None}, id="null found is absence"),
        pytest.param(
            "v1/ServiceAccount",
            {"secrets": [], "imagePullSecrets": [{"name": "a"}]},
            {"secrets": [{"name": "b"}], "imagePullSecrets": [{"name": "b"}, {"name": "a"}]},
            id="secrets of a service account",
        ),
        pytest.param(
            SERVICE,
            {"spec": {"clusterIP": "None", "ports": [{"port": 443}], "selector": {}}},
            {
                "spec": {
                    "clusterIPs": ["192.0.2.1"],
                    "ports": [{"port": 443, "protocol": "TCP", "targetPort": 443, "nodePort": 30000}],
                    "type": "ClusterIP",
                }
            },
            id="ports of a service",
        ),
        pytest.param(
            DEPLOYMENT,
            container(env=[{"name": "B"}, {"name": "A", "value": ""}], args=[], ports=[{"containerPort": 1}]),
            pod(
                containers=[
                    {
                        "name": "a",
                        "imagePullPolicy": "Always",
                        "env": [{"name": "B", "value": ""}, {"name": "A"}],
                        "ports": [{"containerPort": 1, "protocol": "TCP"}],
                    },
                ],
                dnsPolicy="ClusterFirst",
                nodeSelector={"a": "b"},
                tolerations=[{"operator": "Exists"}],
                affinity={"nodeAffinity": {}},
                securityContext={},
            ),
            id="what the operator leaves in a pod",
        ),
        pytest.param(
            DEPLOYMENT,
            container(resources={"requests": {"cpu": "1000m", "memory": "1024Mi"}, "limits": {"cpu": 1}}),
            container(resources={"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1"}}),
            id="quantities",
        ),
        pytest.param(
            DEPLOYMENT,
            pod(volumes=[{"name": "a", "emptyDir": {"sizeLimit": "1024Ki"}}]),
            pod(volumes=[{"name": "a", "emptyDir": {"sizeLimit": "1Mi"}}]),
            id="the size of a volume",
        ),
        pytest.param(
            POLICY,
            {"spec": {"ingress": [{"ports": [{"port": 1}]}]}},
            {"spec": {"ingress": [{"ports": [{"port": 1, "protocol": "TCP"}]}], "policyTypes": ["Ingress"]}},
            id="defaults in items",
        ),
        pytest.param(
            "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration",
            {"webhooks": [{"name": "a", "clientConfig": {"service": {"name": "s"}}}]},
            {
                "webhooks": [
                    {
                        "name": "a",
                        "clientConfig": {"service": {"name": "s", "port": 443}},
                        "failurePolicy": "Fail",
                        "namespaceSelector": {},
                    }
                ]
            },
            id="defaults of a webhook",
        ),
        pytest.param(
            CRD,
            {"spec": {"names": {"kind": "A"}, "preserveUnknownFields": False}},
            {
                "spec": {
                    "names": {"kind": "A", "listKind": "AList", "singular": "a"},
                    "conversion": {"strategy": "None"},
                }
            },
            id="defaults of a CRD",
        ),
        pytest.param(CUSTOM, {"spec": {"a": None}}, {"spec": {}}, id="null is dropped"),
        pytest.param(
            CUSTOM,
            {"metadata": {"annotations": {"a": "b"}}, "spec": {}},
            {"metadata": {"annotations": {"c": "d"}}, "spec": {}},
            id="metadata of kinds without a builder",
        ),
    ],
)
def test_what_the_cluster_has_besides_or_spells_differently_is_no_difference(kind, wanted, found):
    assert reported(kind, wanted, found) == []


@pytest.mark.parametrize(
    ("kind", "wanted", "found", "expected"),
    [
        pytest.param(
            CONFIG_MAP,
            {"data": {"a.b/c": "1", "d": ""}},
            {},
            [('.data["a.b/c"]', "1", None), (".data.d", "", None)],
            id="keys are named, and an empty text is one",
        ),
        pytest.param(
            CONFIG_MAP, {"data": {"cpu": "60s"}}, {"data": {"cpu": "1m"}}, [(".data.cpu", "60s", "1m")], id="mere text"
        ),
        pytest.param(
            "v1/Namespace",
            {"metadata": {"annotations": {"openshift.io/node-selector": ""}, "labels": {"limits": "1"}}},
            {"metadata": {"labels": {"limits": "1000m"}}},
            [
                ('.metadata.annotations["openshift.io/node-selector"]', "", None),
                (".metadata.labels.limits", "1", "1000m"),
            ],
            id="labels and annotations",
        ),
        pytest.param(
            ROLE,
            {"rules": [{"verbs": ["get"]}]},
            {"rules": [{"verbs": ["get", "delete"]}]},
            [(".rules[0].verbs", ["get"], ["get", "delete"])],
            id="a verb",
        ),
        pytest.param(
            ROLE,
            {"rules": [{"verbs": ["get"]}]},
            {"rules": [{"verbs": ["get"]}, {"verbs": ["*"]}]},
            [(".rules", [{"verbs": ["get"]}], [{"verbs": ["get"]}, {"verbs": ["*"]}])],
            id="a rule",
        ),
        pytest.param(
            ROLE, {"rules": []}, {"rules": [{"verbs": ["*"]}]}, [(".rules", [], [{"verbs": ["*"]}])], id="no rules"
        ),
        pytest.param(
            DEPLOYMENT,
            {"spec": {"replicas": "1", "paused": True}},
            {"spec": {"replicas": 1, "paused": 1}},
            [(".spec.paused", True, 1), (".spec.replicas", "1", 1)],
            id="other types",
        ),
        pytest.param(
            CUSTOM,
            {"spec": {"a": {"b": 1}, "c": [1]}},
            {"spec": {"a": "b", "c": {}}},
            [(".spec.a", {"b": 1}, "b"), (".spec.c", [1], {})],
            id="no map, no list",
        ),
        pytest.param(
            DEPLOYMENT,
            container(
                image="new",
                env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                ports=[{"containerPort": 1, "name": "x"}],
                volumeMounts=[{"mountPath": "/a", "name": "x"}],
                resources={"limits": {"cpu": "2", "memory": "many"}},
            ),
            container(
                image="old",
                env=[{"name": "A", "value": "3"}],
                ports=[{"containerPort": 1, "protocol": "TCP", "name": "y"}],
                volumeMounts=[{"mountPath": "/a", "name": "x"}, {"mountPath": "/b", "name": "y"}],
                resources={"limits": {"cpu": "1", "memory": "more"}},
            ),
            [
                (f'{CONTAINER}.env[name="A"].value', "1", "3"),
                (f'{CONTAINER}.env[name="B"]', {"name": "B", "value": "2"}, None),
                (f"{CONTAINER}.image", "new", "old"),
                (f'{CONTAINER}.ports[name="x"]', {"containerPort": 1, "name": "x", "protocol": "TCP"}, None),
                (f'{CONTAINER}.ports[name="y"]', None, {"containerPort": 1, "protocol": "TCP", "name": "y"}),
                (f"{CONTAINER}.resources.limits.cpu", "2", "1"),
                (f"{CONTAINER}.resources.limits.memory", "many", "more"),
                (f'{CONTAINER}.volumeMounts[mountPath="/b"]', None, {"mountPath": "/b", "name": "y"}),
            ],
            id="a container",
        ),
        pytest.param(
            DEPLOYMENT,
            container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]),
            container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "3"}]),
            [(f"{CONTAINER}.env[1].value", "2", "3")],
            id="items that nothing distinguishes are in order",
        ),
        pytest.param(
            DEPLOYMENT,
            container(env=[{"name": ["A"], "value": "1"}]),
            container(env=[{"name": "A", "value": "1"}]),
            [(f"{CONTAINER}.env[0].name", ["A"], "A")],
            id="a name that is not a string",
        ),
        pytest.param(
            DEPLOYMENT,
            pod(tolerations=[{"key": "a"}, {"key": "b"}]),
            pod(tolerations=[{"key": "c"}, {"key": "b"}]),
            [(".spec.template.spec.tolerations", [{"key": "a"}], [{"key": "c"}, {"key": "b"}])],
            id="a toleration",
        ),
        pytest.param(
            DEPLOYMENT,
            pod(tolerations=[{"key": "a"}]),
            pod(tolerations=[{"key": "a"}, {"key": "a"}]),
            [(".spec.template.spec.tolerations", [{"key": "a"}], [{"key": "a"}, {"key": "a"}])],
            id="a toleration twice",
        ),
        pytest.param(
            DEPLOYMENT,
            container(args=["a", "60s"]),
            container(args=["a", "1m"]),
            [(f"{CONTAINER}.args", ["a", "60s"], ["a", "1m"])],
            id="a list of strings is reported as one",
        ),
        pytest.param(
            DEPLOYMENT,
            pod(volumes=[{"name": "a", "emptyDir": {}}]),
            pod(volumes=[{"name": "a", "hostPath": {"path": "/"}}]),
            [
                ('.spec.template.spec.volumes[name="a"].emptyDir', {}, None),
                ('.spec.template.spec.volumes[name="a"].hostPath', None, {"path": "/"}),
            ],
            id="an empty map can be a choice",
        ),
        pytest.param(
            DEPLOYMENT,
            pod(securityContext={"runAsNonRoot": False}),
            pod(),
            [(".spec.template.spec.securityContext", {"runAsNonRoot": False}, None)],
            id="a map is reported as one",
        ),
        pytest.param(
            SERVICE,
            {"spec": {"selector": {"app": "a"}}},
            {"spec": {"selector": {"app": "a", "more": "b"}}},
            [(".spec.selector.more", None, "b")],
            id="a selector that selects less",
        ),
        pytest.param(
            POLICY,
            {"spec": {"podSelector": {}}},
            {"spec": {"podSelector": {"matchLabels": {"a": "b"}, "matchExpressions": []}}},
            [(".spec.podSelector.matchLabels", None, {"a": "b"})],
            id="a policy for less",
        ),
        pytest.param(
            POLICY,
            {"spec": {"ingress": [{"from": [{"namespaceSelector": {}}]}]}},
            {"spec": {"ingress": [{"from": [{"podSelector": {"matchLabels": {"a": "b"}}}]}]}},
            [
                (".spec.ingress[0].from[0].namespaceSelector", {}, None),
                (".spec.ingress[0].from[0].podSelector", None, {"matchLabels": {"a": "b"}}),
            ],
            id="a policy for others",
        ),
        pytest.param(
            CUSTOM,
            {"spec": {"selector": {"matchLabels": {"a": "b"}}}},
            {"spec": {"selector": {"matchLabels": {"a": "b", "c": "d"}, "more": 1}}},
            [(".spec.selector.matchLabels.c", None, "d"), (".spec.selector.more", None, 1)],
            id="labels to match",
        ),
        pytest.param(
            CUSTOM,
            {"spec": {"containers": [{"name": "a"}]}},
            {"spec": {"containers": [{"name": "b"}, {"name": "a"}]}},
            [('.spec.containers[name="b"]', None, {"name": "b"})],
            id="lists of other kinds are not merged",
        ),
        pytest.param(
            SCC,
            {"allowedCapabilities": None, "priority": None},
            {"allowedCapabilities": ["*"], "priority": 10},
            [(".allowedCapabilities", None, ["*"]), (".priority", None, 10)],
            id="null is absent",
        ),
        pytest.param(
            CUSTOM,
            {"spec": {"no": False, "list": []}},
            {"spec": {"text": ""}},
            [(".spec.list", [], None), (".spec.no", False, None), (".spec.text", None, "")],
            id="empty values of a custom resource",
        ),
        pytest.param(
            POLICY,
            {"metadata": {"annotations": {"a": "b"}}, "spec": {"podSelector": {}}},
            {"metadata": {"annotations": {"c": "d"}}, "spec": {"podSelector": {}, "policyTypes": ["Ingress"]}},
            [(".metadata.annotations.a", "b", None), (".metadata.annotations.c", None, "d")],
            id="metadata of kinds without a builder, if the object has a default",
        ),
        pytest.param(
            DEPLOYMENT,
            container(env=[{"name": "A"}, {"name": "B"}]),
            container(env=[{"name": "B"}, {"name": "A"}]),
            [(f"{CONTAINER}.env", [{"name": "A"}, {"name": "B"}], [{"name": "B"}, {"name": "A"}])],
            id="the order of variables",
        ),
        pytest.param(
            CUSTOM, {"spec": {"a": {"b": 1}}}, {"spec": {}}, [(".spec.a", {"b": 1}, None)], id="nothing there"
        ),
        pytest.param(
            CUSTOM,
            {"spec": {"interval": "60s", "limits": {"cpu": "1000m"}}},
            {"spec": {"interval": "1m", "limits": {"cpu": "1"}}},
            [(".spec.interval", "60s", "1m"), (".spec.limits.cpu", "1000m", "1")],
            id="durations and quantities of a custom resource",
        ),
        pytest.param(
            CUSTOM,
            {"spec": {"args": [["a"], {"b": 1}]}},
            {"spec": {"args": [["c"], {"b": 2}]}},
            [(".spec.args[0]", ["a"], ["c"]), (".spec.args[1].b", 1, 2)],
            id="lists in lists",
        ),
        pytest.param(
            CUSTOM,
            {"spec": {"a": [["b"]], "c": [{"d": 1}]}},
            {"spec": {"a": ["b"], "c": ["d"]}},
            [(".spec.a", [["b"]], ["b"]), (".spec.c", [{"d": 1}], ["d"])],
            id="items of another type",
        ),
    ],
)
def test_what_the_cluster_lacks_or_has_otherwise_is_reported(kind, wanted, found, expected):
    assert reported(kind, wanted, found) == expected


def schema(**fields: Any) -> dict[str, Any]:
    return {"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": fields}}]}}


SCHEMA = '.spec.versions[name="v1"].schema.openAPIV3Schema'


def test_in_a_schema_properties_may_be_called_like_fields():
    wanted = schema(properties={"data": {"format": "", "type": "string"}, "limits": {"default": "1000m"}})
    found = schema(properties={"data": {"type": "string"}, "limits": {"default": "1"}})
    assert reported(CRD, wanted, found) == [(f"{SCHEMA}.properties.limits.default", "1000m", "1")]


def test_a_schema_of_another_release_may_have_more():
    found = schema(properties={"new": {"type": "string"}}, nullable=False)
    assert reported(CRD, schema(properties={}), found) == [(f"{SCHEMA}.properties.new", None, {"type": "string"})]


@pytest.mark.parametrize("field", ["items", "not", "properties", "definitions", "additionalProperties"])
def test_a_schema_inside_a_schema_is_compared(field):
    wanted = schema(**{field: {"type": "string"}})
    assert reported(CRD, wanted, schema()) == [(f"{SCHEMA}.{field}", {"type": "string"}, None)]


def test_a_schema_has_a_property_whatever_that_is_called():
    wanted = schema(properties={"optional": {"type": "string"}})
    assert reported(CRD, wanted, schema(properties={})) == [
        (f"{SCHEMA}.properties.optional", {"type": "string"}, None),
    ]


def test_a_rule_in_a_schema_has_its_own_fields():
    wanted = schema(**{"x-kubernetes-validations": [{"rule": "a", "message": "b"}]})
    found = schema(**{"x-kubernetes-validations": [{"rule": "a"}]})
    assert reported(CRD, wanted, found) == [(f"{SCHEMA}.x-kubernetes-validations[0].message", "b", None)]


def test_texts_of_a_secret_are_compared_as_the_server_keeps_them():
    wanted = {"stringData": {"a": "pass", "b": "old", "c": None}, "data": {"a": "b3RoZXI=", "d": "eA=="}}
    found = {"data": {"a": "cGFzcw==", "b": "bmV3", "c": "", "d": "eA=="}}
    assert reported(SECRET, wanted, found) == [(".data.b", "b2xk", "bmV3")]
    assert reported(SECRET, {"stringData": {"a": "pass"}}, {}) == [(".data.a", "cGFzcw==", None)]


def test_another_kind_is_another_object():
    wanted, found = body("apps/v1/Deployment", spec={"a": 1}), body("extensions/v1beta1/DaemonSet")
    assert differences(wanted, found) == (
        Difference(".apiVersion", "apps/v1", "extensions/v1beta1"),
        Difference(".kind", "Deployment", "DaemonSet"),
    )


def test_another_version_has_other_fields():
    wanted = body("batch/v1/CronJob", spec={"schedule": "a"}, metadata={"labels": {"a": "1"}})
    assert differences(wanted, body("batch/v1beta1/CronJob")) == (Difference(".metadata.labels.a", "1", None),)
    assert differences(body(POLICY, spec={"a": 1}), body("networking.k8s.io/v1beta1/NetworkPolicy")) == ()


OTHER = {"name": "other"}


@pytest.mark.parametrize(
    ("kind", "wanted", "found", "field"),
    [
        (DEPLOYMENT, pod(containers=[]), pod(containers=[OTHER]), '.spec.template.spec.containers[name="other"]'),
        (DEPLOYMENT, pod(), pod(initContainers=[OTHER]), ".spec.template.spec.initContainers"),
        (DEPLOYMENT, pod(), pod(volumes=[OTHER]), ".spec.template.spec.volumes"),
        (DEPLOYMENT, pod(), pod(hostNetwork=True), ".spec.template.spec.hostNetwork"),
        (DEPLOYMENT, pod(), pod(securityContext={"fsGroup": 1}), ".spec.template.spec.securityContext"),
        (
            DEPLOYMENT,
            pod(),
            pod(automountServiceAccountToken=False),
            ".spec.template.spec.automountServiceAccountToken",
        ),
        (DEPLOYMENT, container(), container(args=["--other"]), f"{CONTAINER}.args"),
        (DEPLOYMENT, container(), container(env=[OTHER]), f"{CONTAINER}.env"),
        (DEPLOYMENT, container(), container(ports=[{"containerPort": 1}]), f"{CONTAINER}.ports"),
        (DEPLOYMENT, container(), container(livenessProbe={"exec": {}}), f"{CONTAINER}.livenessProbe"),
        (DEPLOYMENT, container(), container(securityContext={"privileged": True}), f"{CONTAINER}.securityContext"),
        (
            DEPLOYMENT,
            container(securityContext={"runAsUser": 1}),
            container(securityContext={"runAsUser": 1, "privileged": True, "procMount": "Unmasked"}),
            f"{CONTAINER}.securityContext.privileged",
        ),
        (SERVICE, {"spec": {"ports": []}}, {"spec": {"ports": [OTHER]}}, '.spec.ports[name="other"]'),
        ("v1/ServiceAccount", {}, {"automountServiceAccountToken": False}, ".automountServiceAccountToken"),
        (
            CRD,
            {"spec": {"names": {"kind": "A"}}},
            {"spec": {"names": {"kind": "A", "shortNames": ["a"]}}},
            ".spec.names.shortNames",
        ),
        (CUSTOM, {"spec": {"a": 1}}, {"spec": {"a": 1, "b": 2}}, ".spec.b"),
    ],
)
def test_what_another_client_adds_is_reported_if_the_operator_removes_it(kind, wanted, found, field):
    ((shown, _expected, _actual),) = reported(kind, wanted, found)
    assert shown.startswith(field)


@pytest.mark.parametrize(
    ("kind", "wanted", "found", "since"),
    [
        (DEPLOYMENT, {"spec": {}}, {"spec": {"paused": True}}, Minor(4, 15)),
        ("batch/v1/Job", {"spec": {}}, {"spec": {"suspend": True}}, Minor(4, 14)),
        (DEPLOYMENT, pod(), pod(hostUsers=False), Minor(4, 20)),
        (DEPLOYMENT, pod(), pod(automountServiceAccountToken=False), Minor(4, 21)),
        (CONFIG_MAP, {"binaryData": {"a": "AA=="}}, {}, Minor(4, 20)),
        ("config.openshift.io/v1/ClusterOperator", {"metadata": {"labels": {"a": "b"}}}, {}, Minor(4, 15)),
        (SCC, {"users": []}, {"users": ["system:serviceaccount:shop:web"]}, Minor(4, 14)),
        (SCC, {"allowedCapabilities": ["NET_RAW"]}, {"allowedCapabilities": []}, Minor(4, 14)),
        (SCC, {"volumes": ["secret"]}, {"volumes": ["hostPath", "secret"]}, Minor(4, 14)),
        (SCC, {"volumes": ["csi", "secret"]}, {"volumes": ["secret"]}, Minor(4, 12)),
    ],
)
def test_older_operators_leave_more(kind, wanted, found, since):
    older = differences(body(kind, **wanted), body(kind, **found), Minor(since.major, since.minor - 1))
    newer = differences(body(kind, **wanted), body(kind, **found), since)
    assert (len(older), len(newer)) == (0, 1)


def cron_job(account: Mapping[str, str], **fields: str) -> dict[str, Any]:
    containers = [{"name": "a", **fields}]
    template = {"spec": {"restartPolicy": "Never", "containers": containers, **account}}
    return body("batch/v1/CronJob", spec={"schedule": "a", "jobTemplate": {"spec": {"template": template}}})


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("quay.io/a/b@sha256:1", "IfNotPresent"),
        ("quay.io/a/b:latest@sha256:1", "Always"),
        ("quay.io:443/a/b", "Always"),
        ("quay.io/a/b:latest", "Always"),
        ("quay.io/a/b:1", "IfNotPresent"),
    ],
)
def test_a_cron_job_with_defaults_is_not_different_before_the_operator_had_a_builder_for_it(image, policy):
    defaults = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
    account = {"serviceAccountName": "one", "serviceAccount": "one", "schedulerName": "default-scheduler"}
    wanted = cron_job({"serviceAccountName": "one"}, image=image)
    assert differences(wanted, cron_job(account, image=image, imagePullPolicy=policy, **defaults), Minor(4, 13)) == ()
    (found,) = differences(wanted, cron_job(account, image=image, imagePullPolicy="Never", **defaults), Minor(4, 13))
    assert (found.expected, found.actual) == (policy, "Never")


def test_no_secret_is_shown():
    found = differences(
        body(SECRET, stringData={"a": "secret", "b": "secret"}, type="kubernetes.io/tls"),
        body(SECRET, data={"a": "eA=="}, type="Opaque"),
    )
    assert mask(found, "Secret") == (
        Difference(".data.a", MASK, MASK),
        Difference(".data.b", MASK, None),
        Difference(".type", MASK, MASK),
    )
    assert mask(found, "ConfigMap") == found


def test_no_credentials_of_a_proxy_are_shown():
    url, hidden = "http://user:s3cr3t@proxy.example:3128", "http://(hidden)@proxy.example:3128"
    variables = [{"name": "HTTP_PROXY", "value": url}, {"name": "A", "value": 1}]
    assert mask([Difference(".env", variables, None), Difference(".value", "https://a:1/b@c", url)], "Deployment") == (
        Difference(".env", [{"name": "HTTP_PROXY", "value": hidden}, {"name": "A", "value": 1}], None),
        Difference(".value", "https://a:1/b@c", hidden),
    )


SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["1", "1000m", "1Gi", "1024Mi", "60s", "1m0s"]),
)
NAMES = st.sampled_from(
    [
        *(
            "a",
            "b",
            "metadata",
            "spec",
            "template",
            "containers",
            "env",
            "ports",
            "volumes",
            "data",
            "labels",
            "limits",
        ),
        *("name", "port", "protocol", "openAPIV3Schema", "properties", "items", "status", "storage", "rules"),
    ]
)
VALUES = st.recursive(
    st.none() | SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)
KINDS = st.sampled_from([SERVICE, DEPLOYMENT, CONFIG_MAP, SECRET, ROLE, CRD, CUSTOM])
BODIES = st.builds(
    lambda kind, fields: body(kind, **fields), KINDS, st.fixed_dictionaries({"spec": VALUES, "x": VALUES})
)
CUSTOM_BODIES = st.builds(
    lambda spec, more: body(CUSTOM, spec={**spec, "a": 1}, x=more), st.dictionaries(NAMES, VALUES, max_size=4), VALUES
)


def maps(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all maps below ``value`` that are in no list."""
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from maps(item)


def leaves(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, *path, key)
    elif value is not None:
        yield path


def shuffled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


@given(BODIES)
def test_nothing_differs_from_itself(wanted):
    assert differences(wanted, deepcopy(wanted)) == ()


@given(CUSTOM_BODIES, st.data())
def test_more_fields_of_a_custom_resource_are_reported(wanted, data):
    found = deepcopy(wanted)
    data.draw(st.sampled_from(list(maps(found["spec"]))))["more"] = 1
    assert [item.actual for item in differences(wanted, found)] == [1]


@given(CUSTOM_BODIES, st.data())
def test_another_scalar_is_a_difference(wanted, data):
    found = deepcopy(wanted)
    *path, last = data.draw(st.sampled_from([path for path in leaves(found) if path[0] in ("spec", "x")]))
    inside = found
    for key in path:
        inside = inside[key]
    inside[last] = "something else"
    (only,) = differences(wanted, found)
    assert only.field.startswith(f".{(*path, last)[0]}")


@given(BODIES, BODIES)
def test_the_order_of_keys_says_nothing(wanted, found):
    assert differences(wanted, found) == differences(shuffled(wanted), shuffled(found))


@given(BODIES, BODIES)
def test_any_two_bodies_can_be_compared(wanted, found):
    assert all(item.field.startswith(".") for item in differences(wanted, found))
