# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Kinds of workloads."""

from __future__ import annotations

from collections.abc import Mapping

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
