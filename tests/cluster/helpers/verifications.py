# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verifications of rollouts, and what people do to clusters in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.plugins.modules import release_verify
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import Rollouts, ids
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT, selection
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.users import Rule
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

NONE = selection()
"""``None`` alone, with which the example release has Ingress on all the same."""

FINDINGS = ("missing", "unexpected", "different", "unready")
SCHEDULE = "/api/v1/namespaces/openshift-config/configmaps/insights-upload-schedule"
INGRESS = "/apis/apps/v1/namespaces/openshift-ingress-operator/deployments/ingress-operator"
IMAGE = "registry.example/other/image:1"
IDLE = [
    "Deployment cluster-version-operator",
    "Job config-migration-4.21",
    "Deployment ingress-operator",
    "ClusterOperator ingress",
]
"""What is never ready without controllers."""


def ran(rollouts: Rollouts, release: Path = EXAMPLE, **options: Any) -> Outcome:
    """Verify, however that ends."""
    defaults: dict[str, Any] = {"kubeconfig": rollouts.plane.kubeconfig, "release": release}
    if not (release / "release-manifests").exists():
        defaults |= {"openshift_version": "4.21.0", "capabilities": selection(baseline="vCurrent")}
    outcome = rollouts.site.call(release_verify, **{**defaults, **options})
    assert outcome.result.get("changed", False) is False
    return outcome


def verified(rollouts: Rollouts, release: Path = EXAMPLE, **options: Any) -> Outcome:
    """Verify, and see that it did not fail."""
    outcome = ran(rollouts, release, **options)
    assert not outcome.failed, outcome.message
    return outcome


def found(outcome: Outcome, *, idle: bool = True) -> dict[str, list[str]]:
    """Return what was found, in short, without what is never ready where no controllers run."""
    reported = {key: ids(outcome, key) for key in FINDINGS}
    if idle:
        reported["unready"] = [name for name in reported["unready"] if name not in IDLE]
    return {key: names for key, names in reported.items() if names}


def set_image(rollouts: Rollouts, path: str) -> None:
    """Have another client change the image of a Deployment."""
    body = rollouts.api.get(path)
    body["spec"]["template"]["spec"]["containers"][0]["image"] = IMAGE
    rollouts.api.put(path, body)


def override(rollouts: Rollouts, path: str) -> None:
    """Override a resource by the path of a Deployment or a ConfigMap."""
    parts = path.split("/")
    kind, group = ("Deployment", "apps") if "deployments" in parts else ("ConfigMap", "")
    entry = {"kind": kind, "group": group, "namespace": parts[-3], "name": parts[-1], "unmanaged": True}
    rollouts.api.patch(OBJECT, {"spec": {"overrides": [entry]}})


def readers(rollouts: Rollouts) -> list[Rule]:
    """Return rules that allow to read everything but what is in the group of Deployments."""
    groups = {item["name"] for item in rollouts.api.get("/apis")["groups"]} - {"apps"}
    return [{"apiGroups": ["", *sorted(groups)], "resources": ["*"], "verbs": ["get", "list"]}]
