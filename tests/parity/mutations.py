# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random changes of objects, as a user of a cluster can make them, as JSON: a list of ``[operation, path, value]``.

``set`` and ``insert`` have a value, ``remove`` has none, ``copy`` has the index of the copied item of a list, and
``swap`` that of the other item.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Path = tuple[str | int, ...]
Operation = list[Any]

OWNER = {
    "apiVersion": "config.openshift.io/v1",
    "kind": "ClusterVersion",
    "name": "version",
    "uid": "00000000-0000-0000-0000-000000000001",
    "controller": True,
}
"""The ClusterVersion as the owner of an object."""

_FIXED = {("apiVersion",), ("kind",), ("status",), ("metadata", "name"), ("metadata", "namespace")}
_OTHER_OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "other"}
_PROBE: Mapping[str, Any] = {"httpGet": {"path": "/", "port": 1}}
_TERM = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"a": "b"}}}
_NODES = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}

_POD: tuple[tuple[str, Any], ...] = (
    ("hostNetwork", True),
    ("hostPID", True),
    ("hostIPC", True),
    ("hostUsers", False),
    ("automountServiceAccountToken", False),
    ("shareProcessNamespace", True),
    ("priorityClassName", "system-node-critical"),
    ("schedulerName", "other"),
    ("dnsPolicy", "Default"),
    ("restartPolicy", "Never"),
    ("terminationGracePeriodSeconds", 5),
    ("serviceAccountName", "other"),
    ("runtimeClassName", "other"),
    ("enableServiceLinks", False),
    ("hostname", "other"),
    ("imagePullSecrets", [{"name": "other"}]),
    ("hostAliases", [{"ip": "192.0.2.1", "hostnames": ["a"]}]),
    ("dnsConfig", {"nameservers": ["192.0.2.1"]}),
    ("affinity", {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": _NODES}}),
    ("affinity.podAntiAffinity", {"requiredDuringSchedulingIgnoredDuringExecution": [_TERM]}),
    ("securityContext", {"runAsUser": 0}),
    ("securityContext.fsGroup", 1),
    ("securityContext.runAsGroup", 1),
    ("securityContext.runAsNonRoot", False),
    ("securityContext.supplementalGroups", [1]),
    ("securityContext.sysctls", [{"name": "net.core.somaxconn", "value": "1"}]),
    ("securityContext.seLinuxOptions", {"type": "spc_t"}),
    ("securityContext.seccompProfile", {"type": "Unconfined"}),
    ("securityContext.fsGroupChangePolicy", "Always"),
    ("nodeSelector.other", "value"),
    ("tolerations.", {"operator": "Exists"}),
    ("tolerations.", {"key": "a", "operator": "Exists", "effect": "NoSchedule"}),
    ("volumes.", {"name": "other", "hostPath": {"path": "/"}}),
    ("volumes.", {"name": "other", "emptyDir": {}}),
    ("containers.", {"name": "other", "image": "quay.io/a/other"}),
    ("initContainers.", {"name": "other", "image": "quay.io/a/other"}),
    ("topologySpreadConstraints.", {"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule"}),
)
_CONTAINER: tuple[tuple[str, Any], ...] = (
    ("image", "quay.io/a/other"),
    ("args.", "--other"),
    ("command.", "other"),
    ("workingDir", "/other"),
    ("env.", {"name": "OTHER", "value": "1"}),
    ("env.", {"name": "OTHER"}),
    ("env.", {"name": "OTHER", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}),
    ("envFrom.", {"configMapRef": {"name": "other"}}),
    ("ports.", {"containerPort": 9, "name": "other"}),
    ("ports.", {"containerPort": 9}),
    ("livenessProbe", _PROBE),
    ("readinessProbe", _PROBE),
    ("startupProbe", _PROBE),
    ("livenessProbe.failureThreshold", 7),
    ("readinessProbe.timeoutSeconds", 7),
    ("lifecycle", {"preStop": {"exec": {"command": ["a"]}}}),
    ("securityContext", {"runAsUser": 0}),
    ("securityContext.privileged", True),
    ("securityContext.allowPrivilegeEscalation", True),
    ("securityContext.runAsNonRoot", False),
    ("securityContext.runAsGroup", 1),
    ("securityContext.runAsUser", 0),
    ("securityContext.readOnlyRootFilesystem", False),
    ("securityContext.procMount", "Unmasked"),
    ("securityContext.seLinuxOptions", {"type": "spc_t"}),
    ("securityContext.seccompProfile", {"type": "Unconfined"}),
    ("securityContext.capabilities", {"add": ["SYS_ADMIN"]}),
    ("securityContext.capabilities.add.", "NET_ADMIN"),
    ("securityContext.capabilities.drop.", "KILL"),
    ("imagePullPolicy", "Always"),
    ("terminationMessagePolicy", "FallbackToLogsOnError"),
    ("stdin", True),
    ("resources.limits.cpu", "3"),
    ("resources.limits.memory", "3Gi"),
    ("resources.requests.cpu", "1m"),
    ("resources.requests.memory", "1024Ki"),
)
_OF_KIND: Mapping[str, tuple[tuple[str, Any], ...]] = {
    "Deployment": (
        ("spec.replicas", 5),
        ("spec.minReadySeconds", 7),
        ("spec.paused", True),
        ("spec.progressDeadlineSeconds", 700),
        ("spec.revisionHistoryLimit", 3),
        ("spec.strategy", {"type": "Recreate"}),
        ("spec.strategy", {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3}}),
        ("spec.template.metadata.labels.other", "value"),
        ("spec.template.metadata.annotations.other", "value"),
    ),
    "DaemonSet": (
        ("spec.minReadySeconds", 7),
        ("spec.revisionHistoryLimit", 3),
        ("spec.updateStrategy", {"type": "OnDelete"}),
        ("spec.template.metadata.annotations.other", "value"),
    ),
    "Job": (("spec.parallelism", 3), ("spec.backoffLimit", 3), ("spec.ttlSecondsAfterFinished", 3)),
    "CronJob": (
        ("spec.schedule", "1 1 * * *"),
        ("spec.suspend", True),
        ("spec.concurrencyPolicy", "Replace"),
        ("spec.timeZone", "Etc/UTC"),
        ("spec.failedJobsHistoryLimit", 9),
        ("spec.startingDeadlineSeconds", 9),
        ("spec.jobTemplate.spec.ttlSecondsAfterFinished", 9),
        ("spec.jobTemplate.metadata.labels.other", "value"),
    ),
    "Service": (
        ("spec.type", "NodePort"),
        ("spec.externalIPs", ["192.0.2.1"]),
        ("spec.sessionAffinity", "ClientIP"),
        ("spec.publishNotReadyAddresses", True),
        ("spec.internalTrafficPolicy", "Local"),
        ("spec.selector.other", "value"),
        ("spec.ports.", {"name": "other", "port": 9}),
        ("spec.ports.", {"name": "other", "port": 9, "protocol": "UDP"}),
        ("spec.ports.0.targetPort", 99),
        ("spec.ports.0.port", 99),
        ("spec.ports.0.appProtocol", "h2c"),
    ),
    "ServiceAccount": (
        ("automountServiceAccountToken", False),
        ("automountServiceAccountToken", True),
        ("secrets.", {"name": "other"}),
        ("imagePullSecrets.", {"name": "other"}),
    ),
    "CustomResourceDefinition": (
        ("spec.names.shortNames.", "other"),
        ("spec.names.categories.", "other"),
        ("spec.names.listKind", "OtherList"),
        ("spec.versions.0.additionalPrinterColumns.", {"name": "Other", "type": "string", "jsonPath": ".a"}),
        ("spec.versions.0.schema.openAPIV3Schema.properties.other", {"type": "string"}),
        ("spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.other", {"type": "string"}),
        ("spec.versions.0.schema.openAPIV3Schema.description", "other"),
        ("spec.versions.0.deprecated", True),
    ),
    "ClusterRole": (
        ("rules.", {"apiGroups": [""], "resources": ["secrets"], "verbs": ["*"]}),
        ("rules.0.verbs.", "escalate"),
        ("aggregationRule", {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}),
    ),
    "Role": (
        ("rules.", {"apiGroups": [""], "resources": ["secrets"], "verbs": ["*"]}),
        ("rules.0.resources.", "secrets"),
    ),
    "ClusterRoleBinding": (("subjects.", {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "other"}),),
    "RoleBinding": (("subjects.", {"kind": "ServiceAccount", "name": "other", "namespace": "other"}),),
    "ConfigMap": (("data.other", "value"), ("data.other", ""), ("binaryData.other", "AA=="), ("immutable", True)),
    "Secret": (("data.other", "AA=="), ("immutable", True)),
    "SecurityContextConstraints": (
        ("allowPrivilegedContainer", True),
        ("allowHostNetwork", True),
        ("priority", 99),
        ("users.", "other"),
        ("groups.", "other"),
        ("allowedCapabilities.", "SYS_ADMIN"),
        ("allowedUnsafeSysctls.", "kernel.msg*"),
        ("userNamespaceLevel", "RequirePodLevel"),
        ("allowPrivilegeEscalation", False),
    ),
    "ValidatingWebhookConfiguration": (
        ("webhooks.0.failurePolicy", "Ignore"),
        ("webhooks.0.timeoutSeconds", 3),
        ("webhooks.0.namespaceSelector.matchLabels.other", "value"),
        ("webhooks.0.objectSelector", {"matchLabels": {"a": "b"}}),
        ("webhooks.0.clientConfig.caBundle", "Cg=="),
        ("webhooks.0.rules.", {"apiGroups": [""], "apiVersions": ["*"], "operations": ["*"], "resources": ["pods"]}),
        ("webhooks.0.matchConditions.", {"name": "other", "expression": "true"}),
    ),
    "ValidatingAdmissionPolicy": (
        ("spec.failurePolicy", "Ignore"),
        ("spec.validations.", {"expression": "true"}),
        ("spec.variables.", {"name": "other", "expression": "true"}),
    ),
    "ValidatingAdmissionPolicyBinding": (("spec.matchResources", {"namespaceSelector": {"matchLabels": {"a": "b"}}}),),
    "PrometheusRule": (
        ("spec.groups.", {"name": "other", "rules": [{"record": "a", "expr": "b"}]}),
        ("spec.groups.0.interval", "77s"),
        ("spec.groups.0.rules.0.labels.other", "value"),
    ),
    "ServiceMonitor": (
        ("spec.endpoints.0.interval", "77s"),
        ("spec.endpoints.", {"port": "other"}),
        ("spec.jobLabel", "other"),
        ("spec.selector.matchLabels.other", "value"),
        ("spec.namespaceSelector.any", True),
    ),
    "NetworkPolicy": (
        ("spec.ingress.", {}),
        ("spec.egress.", {}),
        ("spec.ingress.", {"ports": [{"port": 1}]}),
        ("spec.podSelector.matchLabels.other", "value"),
        ("spec.policyTypes", ["Egress"]),
    ),
    "PodDisruptionBudget": (
        ("spec.unhealthyPodEvictionPolicy", "AlwaysAllow"),
        ("spec.selector.matchLabels.other", "value"),
    ),
    "PriorityClass": (("description", "other"),),
    "FlowSchema": (("spec.matchingPrecedence", 77), ("spec.distinguisherMethod", {"type": "ByNamespace"})),
    "PriorityLevelConfiguration": (("spec.limited.lendablePercent", 77),),
    "ImageStream": (
        ("spec.lookupPolicy", {"local": True}),
        ("spec.tags.", {"name": "other", "from": {"kind": "DockerImage", "name": "quay.io/a/other"}}),
        ("spec.tags.0.importPolicy.scheduled", True),
        ("spec.tags.0.annotations.other", "value"),
        ("spec.dockerImageRepository", "quay.io/a/other"),
    ),
    "OperatorGroup": (
        ("spec.targetNamespaces.", "other"),
        ("spec.serviceAccountName", "other"),
        ("spec.staticProvidedAPIs", True),
        ("spec.upgradeStrategy", "TechPreviewUnsafeFailForward"),
    ),
    "CredentialsRequest": (
        ("spec.serviceAccountNames.", "other"),
        ("spec.cloudTokenPath", "/other"),
        ("spec.secretRef.name", "other"),
    ),
    "Namespace": (("metadata.labels.pod-security", "privileged"),),
}
_OF_ALL: tuple[tuple[str, Any], ...] = (
    ("metadata.labels.other", "value"),
    ("metadata.annotations.other", "value"),
    ("metadata.ownerReferences.", _OTHER_OWNER),
    ("metadata.ownerReferences.0.controller", False),
    ("metadata.ownerReferences", [_OTHER_OWNER]),
    ("metadata.finalizers.", "example.com/other"),
)


def owned(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a manifest with its owner."""
    return {**manifest, "metadata": {**manifest["metadata"], "ownerReferences": [OWNER]}}


def change(chance: random.Random, obj: Mapping[str, Any]) -> list[Operation]:
    """Return one random change of an object."""
    if chance.random() < 0.5:
        return _addition(chance, obj)
    paths = [path for path in _paths(obj, ()) if path not in ((), ("metadata",))]
    paths = [path for path in paths if not any(path[: len(end)] == end for end in _FIXED)]
    if chance.random() < 0.15:
        paths = [path for path in paths if path[0] == "metadata"] or paths
    path = chance.choice(paths)
    value = _at(obj, path)
    if isinstance(value, list) and len(value) > 1 and chance.random() < 0.3:
        first, second = chance.sample(range(len(value)), 2)
        return [[chance.choice(["copy", "swap"]), [*path, first], second]]
    if isinstance(value, (dict, list)) or chance.random() < 0.3:
        return [["remove", list(path), None]]
    return [["set", list(path), _other(chance, value)]]


def _other(chance: random.Random, value: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + chance.choice([1, 7])
    return chance.choice([f"{value}x", "other", "true", "1"])


def _addition(chance: random.Random, obj: Mapping[str, Any]) -> list[Operation]:
    """Return what sets a known field, or appends an item to a known list (its path ends with a dot)."""
    roots: list[tuple[Path, Sequence[tuple[str, Any]]]] = [((), _OF_ALL), ((), _OF_KIND.get(str(obj["kind"]), ()))]
    for path in _paths(obj, ()):
        value = _at(obj, path)
        if isinstance(value, dict) and isinstance(value.get("containers"), list):
            roots += [(path, _POD), (path, _POD)]
            for field in ("containers", "initContainers"):
                roots += [((*path, field, index), _CONTAINER) for index in range(len(value.get(field) or ()))] * 2
    root, additions = chance.choice([item for item in roots if item[1]])
    field, value = chance.choice(additions)
    operations: list[Operation] = []
    at, found = list(root), _at(obj, root)
    *inner, last = field.split(".")
    for position, name in enumerate(inner):
        key: str | int = int(name) if name.isdigit() else name
        at.append(key)
        is_there = key < len(found) if isinstance(key, int) else key in found
        if is_there and isinstance(found[key], (dict, list)):
            found = found[key]
            continue
        empty: Any = [] if [*inner, last][position + 1] in ("", "0") else {}
        operations.append(["set" if is_there or isinstance(key, str) else "insert", list(at), empty])
        found = empty
    if last:
        return [*operations, ["set", [*at, last], value]]
    index = chance.choice([0, len(found)])
    return [*operations, ["insert", [*at, index], value]]


def _paths(value: Any, path: Path) -> Iterator[Path]:
    """Yield the paths of all values."""
    yield path
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _paths(item, (*path, key))


def _at(value: Any, path: Sequence[str | int]) -> Any:
    for key in path:
        value = value[key]
    return value


def changed(obj: Mapping[str, Any], operations: Sequence[Operation]) -> dict[str, Any]:
    """Copy ``obj`` with changes."""
    result = copy.deepcopy(dict(obj))
    for name, path, value in operations:
        parent, last = _at(result, path[:-1]), path[-1]
        if name == "set":
            parent[last] = copy.deepcopy(value)
        elif name == "remove":
            del parent[last]
        elif name == "insert":
            parent.insert(last, copy.deepcopy(value))
        elif name == "copy":
            parent.insert(value, copy.deepcopy(parent[last]))
        else:
            parent[last], parent[value] = parent[value], parent[last]
    return result


def operations_between(before: Any, after: Any, path: Path = ()) -> Iterator[Operation]:
    """Yield what makes ``after`` of ``before``. A list of another length is set as a whole."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before:
            if key not in after:
                yield ["remove", [*path, key], None]
        for key, value in after.items():
            if key not in before:
                yield ["set", [*path, key], value]
            else:
                yield from operations_between(before[key], value, (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from operations_between(old, new, (*path, index))
    elif type(before) is not type(after) or before != after:
        yield ["set", list(path), after]
