# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which fields the CVO sets, as openshift/cluster-version-operator:lib/resourcemerge has them."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._verify.difference import differences

TEMPLATE = ("spec", "template", "spec")
JOB = "parallelism completions activeDeadlineSeconds backoffLimit manualSelector suspend ttlSecondsAfterFinished"
ROLE_BINDING = "rbac.authorization.k8s.io/v1/RoleBinding"


def one_field(kind: str, path: tuple[str, ...], **fields: str) -> dict[str, Any]:
    value: Any = fields
    for name in reversed(path):
        value = {name: [{"name": "main", **value}] if name in ("containers", "initContainers") else value}
    version, _slash, name = kind.rpartition("/")
    return {"apiVersion": version, "kind": name, "metadata": {"name": "one"}, **value}


def is_reported(kind: str, path: tuple[str, ...], wanted: dict[str, str], found: dict[str, str]) -> bool:
    return bool(differences(one_field(kind, path, **wanted), one_field(kind, path, **found)))


@pytest.mark.parametrize(
    ("kind", "path", "replaced", "kept"),
    [
        ("v1/Service", ("spec",), "type selector", ""),
        ("v1/ServiceAccount", (), "automountServiceAccountToken", ""),
        ("admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration", (), "webhooks", ""),
        ("apiextensions.k8s.io/v1/CustomResourceDefinition", (), "spec", ""),
        (
            "apps/v1/Deployment",
            ("spec",),
            "replicas selector paused minReadySeconds",
            "revisionHistoryLimit progressDeadlineSeconds",
        ),
        ("apps/v1/DaemonSet", ("spec",), "selector", ""),
        (
            "apps/v1/DaemonSet",
            TEMPLATE,
            "automountServiceAccountToken hostUsers hostNetwork priority shareProcessNamespace dnsPolicy "
            "terminationGracePeriodSeconds",
            "restartPolicy serviceAccountName priorityClassName",
        ),
        (
            "apps/v1/DaemonSet",
            (*TEMPLATE, "containers"),
            "command args env envFrom livenessProbe readinessProbe",
            "image workingDir",
        ),
        (
            "apps/v1/DaemonSet",
            (*TEMPLATE, "initContainers", "securityContext"),
            "privileged runAsUser runAsNonRoot readOnlyRootFilesystem allowPrivilegeEscalation seccompProfile",
            "",
        ),
        (
            "apps/v1/DaemonSet",
            (*TEMPLATE, "securityContext"),
            "runAsUser runAsGroup runAsNonRoot seccompProfile fsGroup",
            "",
        ),
        ("apps/v1/DaemonSet", (*TEMPLATE, "securityContext", "seLinuxOptions"), "", "user role type level"),
        ("apps/v1/DaemonSet", (*TEMPLATE, "affinity"), "nodeAffinity podAffinity podAntiAffinity", ""),
        ("batch/v1/Job", ("spec",), f"{JOB} completionMode podFailurePolicy", ""),
        (
            "batch/v1/CronJob",
            ("spec",),
            "startingDeadlineSeconds suspend successfulJobsHistoryLimit failedJobsHistoryLimit schedule timeZone "
            "concurrencyPolicy",
            "",
        ),
        ("batch/v1/CronJob", ("spec", "jobTemplate", "spec"), JOB, ""),
        (
            "operators.coreos.com/v1/OperatorGroup",
            ("spec",),
            "selector targetNamespaces staticProvidedAPIs upgradeStrategy",
            "serviceAccountName",
        ),
        ("rbac.authorization.k8s.io/v1/ClusterRole", (), "aggregationRule rules", ""),
        ("rbac.authorization.k8s.io/v1/ClusterRoleBinding", (), "subjects roleRef", ""),
        ("rbac.authorization.k8s.io/v1/Role", (), "rules", ""),
        (ROLE_BINDING, (), "subjects roleRef", ""),
        (
            "security.openshift.io/v1/SecurityContextConstraints",
            (),
            "priority allowPrivilegedContainer defaultAddCapabilities requiredDropCapabilities allowedCapabilities "
            "allowHostDirVolumePlugin volumes allowedFlexVolumes allowHostNetwork allowHostPorts allowHostPID "
            "allowHostIPC defaultAllowPrivilegeEscalation allowPrivilegeEscalation seLinuxContext runAsUser fsGroup "
            "supplementalGroups readOnlyRootFilesystem users groups seccompProfiles allowedUnsafeSysctls "
            "forbiddenSysctls",
            "",
        ),
    ],
)
def test_a_field_is_replaced_or_kept_if_the_manifest_lacks_it(kind, path, replaced, kept):
    for name in [*replaced.split(), *kept.split()]:
        assert is_reported(kind, path, {name: "wanted"}, {name: "found"}), name
    for name in replaced.split():
        assert is_reported(kind, path, {"other": "a"}, {"other": "a", name: "found"}), name
    for name in [*kept.split(), "another"]:
        assert not is_reported(kind, path, {"other": "a"}, {"other": "a", name: "found"}), name


GROUPS = (
    " admissionregistration.k8s.io apiextensions.k8s.io apiregistration.k8s.io apps authentication.k8s.io "
    "authorization.k8s.io autoscaling batch certificates.k8s.io coordination.k8s.io discovery.k8s.io events.k8s.io "
    "flowcontrol.apiserver.k8s.io networking.k8s.io node.k8s.io policy rbac.authorization.k8s.io resource.k8s.io "
    "scheduling.k8s.io storage.k8s.io"
)


@pytest.mark.parametrize("group", GROUPS.split(" "))
def test_kinds_of_kubernetes_leave_out_empty_values(group):
    kind = f"{group}/v1/Any".lstrip("/")
    assert differences(one_field(kind, ("spec",), a="", b="1"), one_field(kind, ("spec",), b="1")) == ()
