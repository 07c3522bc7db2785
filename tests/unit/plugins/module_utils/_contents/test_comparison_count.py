# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a selection saves on the example release, compared with a count of its manifests by a YAML parser alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import included_manifests
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._contents.comparison import ComparedSide, compare
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release

FOLDER = Path(__file__).resolve().parents[5] / "examples" / "releases" / "4.22.0"
LOADED = load_release(str(FOLDER), Problems())
KINDS = {
    "CustomResourceDefinition": "crds",
    "Namespace": "namespaces",
    "ClusterOperator": "cluster_operators",
    "Deployment": "deployments",
    "DaemonSet": "daemonsets",
    "StatefulSet": "statefulsets",
    "Job": "jobs",
    "CronJob": "cronjobs",
}


def gates() -> set[str]:
    (path,) = FOLDER.rglob("*featureGate-SelfManagedHA-Default.yaml")
    (status,) = yaml.safe_load(path.read_text())["status"]["featureGates"]
    return {gate["name"] for gate in status["enabled"]}


def applied(disabled: set[str]) -> Iterator[dict[str, Any]]:
    """The manifests that a self-managed cluster applies if all capabilities except ``disabled`` are enabled."""
    enabled_gates = gates()
    for path in sorted((*FOLDER.rglob("*.yaml"), *FOLDER.rglob("*.json"))):
        for item in yaml.safe_load_all(path.read_text()):
            notes = (item or {}).get("metadata", {}).get("annotations") or {}
            needed = set(notes.get("capability.openshift.io/name", "").split("+")) - {""}
            sets = notes.get("release.openshift.io/feature-set")
            gate = notes.get("release.openshift.io/feature-gate", "")
            if (
                notes.get("include.release.openshift.io/self-managed-high-availability") == "true"
                and not needed & disabled
                and (sets is None or "Default" in sets.split(","))
                and (not gate or (gate.removeprefix("-") in enabled_gates) is not gate.startswith("-"))
                and notes.get("release.openshift.io/delete") != "true"
            ):
                yield item


def number(quantity: str) -> int:
    digits, unit = re.fullmatch(r"(\d+)(m|Mi|Gi|)", str(quantity)).groups()  # type: ignore[union-attr]
    return int(digits) * {"m": 1, "Mi": 2**20, "Gi": 2**30, "": 1000}[unit]


def count(disabled: set[str]) -> dict[str, int]:
    counts = dict.fromkeys(("manifests", *KINDS.values(), "cpu_millicores", "memory_bytes"), 0)
    for item in applied(disabled):
        counts["manifests"] += 1
        if item["kind"] in KINDS:
            counts[KINDS[item["kind"]]] += 1
        if item["kind"] == "Deployment":
            for container in item["spec"]["template"]["spec"]["containers"]:
                requests = container.get("resources", {}).get("requests", {})
                replicas = item["spec"].get("replicas", 1)
                counts["cpu_millicores"] += replicas * number(requests.get("cpu", "0m"))
                counts["memory_bytes"] += replicas * number(requests.get("memory", "0Mi"))
    return counts


def side(*disabled: str) -> ComparedSide:
    selection = {"excluded_capabilities": list(disabled)} if disabled else None
    context, status = resolve_cluster(ClusterOptions(capabilities=selection), LOADED, Problems())
    included = included_manifests(LOADED.manifests, context)
    return ComparedSide(LOADED, status, included, "<unset>")


def test_both_sides_equal_a_count_of_the_manifests() -> None:
    disabled = ("Console", "Insights", "openshift-samples")
    changes = compare(side(), side(*disabled), Problems())
    less, default = count(set(disabled)), count(set())

    # Counted by hand in the manifests of examples/releases/4.22.0.
    assert (default["manifests"], less["manifests"]) == (48, 36)
    entries = {key: changes[key] for key in ("manifests", "cpu_millicores", "memory_bytes")} | changes["resources"]
    assert {key: entries[key]["before"] for key in default} == default
    assert {key: entries[key]["after"] for key in less} == less
    resources = changes["resources"]
    assert not any(entry["added"] for entry in resources.values())
    assert len(resources["images"]["removed"]) == 3
    removed = {kind: resources[kind]["removed"] for kind in KINDS.values() if resources[kind]["removed"]}
    assert removed == {
        "crds": ["consolelinks.console.openshift.io"],
        "namespaces": ["openshift-cluster-samples-operator", "openshift-console-operator", "openshift-insights"],
        "cluster_operators": ["console", "insights", "openshift-samples"],
        "deployments": [
            "openshift-cluster-samples-operator/cluster-samples-operator",
            "openshift-console-operator/console-operator",
            "openshift-insights/insights-operator",
        ],
    }
    assert changes["enabled_capabilities"] == {"added": [], "removed": sorted(disabled)}
