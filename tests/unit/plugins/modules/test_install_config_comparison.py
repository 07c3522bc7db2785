# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a selection saves on the example release, compared with a count of its manifests by a YAML parser alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.modules import install_config
from ansible_collections.capability.openshift.tests.unit.builders.install_configs import runner, selection, site

RELEASE = Path(install_config.__file__).parents[2] / "examples" / "releases" / "4.22.0"
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
VSPHERE: dict[str, Any] = {"platform": {"vsphere": {}}}
LESS = {"excluded_capabilities": ["Console", "Insights", "openshift-samples"]}


@pytest.fixture
def run(call):
    return runner(call)


def gates() -> set[str]:
    (path,) = RELEASE.rglob("*featureGate-SelfManagedHA-Default.yaml")
    (status,) = yaml.safe_load(path.read_text())["status"]["featureGates"]
    return {gate["name"] for gate in status["enabled"]}


def applied(disabled: set[str]) -> Iterator[dict[str, Any]]:
    """The manifests that a self-managed cluster applies if all capabilities except ``disabled`` are enabled."""
    enabled_gates = gates()
    for path in sorted((*RELEASE.rglob("*.yaml"), *RELEASE.rglob("*.json"))):
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


def test_a_comparison_equals_a_count_of_the_manifests(run):
    outcome = run(content=VSPHERE, release=RELEASE, openshift_version=None, capabilities=LESS, compare_with={})
    compared = outcome["comparison"]
    less, default = count({"Console", "Insights", "openshift-samples"}), count(set())

    # Counted by hand in the manifests of examples/releases/4.22.0.
    assert (default["manifests"], less["manifests"]) == (48, 36)
    assert {field: compared["selection"][field] for field in less} == less
    assert {field: compared["against"][field] for field in default} == default
    assert {field: compared["saved"][field] for field in less} == {
        field: default[field] - less[field] for field in less
    }
    assert set(compared["saved"]) == {*less, "images"}
    assert compared["saved"]["images"] == 3
    assert not any(compared["only_in_selection"].values())
    only_in_other = {field: names for field, names in compared["only_in_other"].items() if names}
    assert len(only_in_other.pop("images")) == 3
    assert only_in_other == {
        "crds": ["consolelinks.console.openshift.io"],
        "namespaces": ["openshift-cluster-samples-operator", "openshift-console-operator", "openshift-insights"],
        "cluster_operators": ["console", "insights", "openshift-samples"],
        "deployments": [
            "openshift-cluster-samples-operator/cluster-samples-operator",
            "openshift-console-operator/console-operator",
            "openshift-insights/insights-operator",
        ],
    }
    assert outcome["changed"] is False


def test_a_larger_selection_has_negative_savings(run):
    everything = selection(baseline="vCurrent")
    outcome = run(
        content=VSPHERE, release=RELEASE, openshift_version=None, capabilities=everything, compare_with=dict(LESS)
    )
    compared = outcome["comparison"]

    assert compared["saved"]["manifests"] == -12
    assert compared["only_in_selection"]["cluster_operators"] == ["console", "insights", "openshift-samples"]
    assert not any(compared["only_in_other"].values())


def test_a_selection_compared_with_itself_saves_nothing(run):
    outcome = run(content=VSPHERE, release=RELEASE, openshift_version="4.22", capabilities=LESS, compare_with=LESS)

    assert set(outcome["comparison"]["saved"].values()) == {0}


def test_a_comparison_is_returned_with_a_written_file(run, tmp_path):
    options = {"content": site("vsphere"), "release": RELEASE, "openshift_version": None, "capabilities": LESS}
    outcome = run(path=tmp_path / "a.yaml", compare_with={}, **options)

    assert outcome["changed"] is (tmp_path / "a.yaml").exists() is True
    assert outcome["comparison"]["saved"]["manifests"] == 12


def test_an_invalid_comparison_is_an_error_and_nothing_is_written(run, tmp_path):
    options = {"content": site("vsphere"), "release": RELEASE, "openshift_version": None}
    outcome = run(path=tmp_path / "a.yaml", compare_with={"exclude": ["Console"]}, **options)

    assert outcome.failed
    assert outcome.problem("compare_with.inclusion_default")["severity"] == "error"
    assert not (tmp_path / "a.yaml").exists()


def test_problems_of_the_other_selection_have_its_location(run):
    other = selection("console")
    outcome = run(content=VSPHERE, release=RELEASE, openshift_version=None, compare_with=other)

    assert outcome.failed
    problem = outcome.problem("unknown-capability")
    assert problem["where"] == "compare_with.additional_enabled_capabilities[0]"


def test_the_other_selection_may_violate_rules_of_installers(run):
    outcome = run(content=VSPHERE, release=RELEASE, openshift_version=None, compare_with=selection())

    assert outcome["comparison"]["saved"]["manifests"] < 0
    assert outcome["violations"] == []
