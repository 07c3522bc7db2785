# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option ``clusters`` of cluster_capabilities_info, with ClusterVersion objects and files instead of clusters."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import cluster_capabilities_info

KNOWN = ("Console", "Ingress", "Insights")
TOKEN = "sha256~a-token-that-is-secret"


def version(*enabled: str) -> dict[str, Any]:
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "spec": {
            "capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]},
        },
        "status": {
            "desired": {"version": "4.20.3"},
            "capabilities": {"enabledCapabilities": sorted(enabled), "knownCapabilities": list(KNOWN)},
        },
    }


def entry(name: str, *enabled: str, **options: Any) -> dict[str, Any]:
    return {"name": name, "cluster_version": version(*enabled), **options}


def test_the_result_has_rows_groups_and_capabilities(call):
    clusters = [entry("rome", "Console", "Ingress", group="edge"), entry("oslo", "Ingress", group="core")]
    outcome = call(cluster_capabilities_info, clusters=clusters)

    rome = outcome["clusters"][0]
    assert (rome["name"], rome["openshift_version"], rome["implicitly_enabled"]) == ("rome", "4.20.3", ["Console"])
    assert [group["name"] for group in outcome["groups"]] == ["edge", "core"]
    assert [item["name"] for item in outcome["capabilities"]] == list(KNOWN)
    assert not outcome["changed"]


def test_a_cluster_that_cannot_be_read_is_a_row_and_a_warning(call, tmp_path):
    path = tmp_path / "version.json"
    path.write_text(json.dumps(version("Ingress")))
    outcome = call(
        cluster_capabilities_info,
        clusters=[
            {"name": "berlin", "cluster_version": str(path)},
            {"name": "paris", "cluster_version": str(tmp_path / "missing.yaml")},
            {"name": "rome", "cluster_version": {"apiVersion": "v1", "kind": "ConfigMap"}},
        ],
    )

    berlin, paris, rome = outcome["clusters"]
    assert berlin["reachable"]
    assert berlin["enabled"] == ["Ingress"]
    assert [paris["reachable"], rome["reachable"]] == [False, False]
    assert "missing.yaml" in paris["errors"][0]
    assert {(item["severity"], item["code"], item["where"].split(":")[0]) for item in outcome["problems"]} == {
        ("warning", "unreadable-file", "paris"),
        ("warning", "wrong-kind", "rome"),
    }


@pytest.mark.parametrize(
    ("clusters", "faults"),
    [
        ([], [("empty-list", "clusters")]),
        ([{"name": "a"}], [("missing-field", "clusters[0]")]),
        ([{"name": "", "kubeconfig": "x"}], [("missing-field", "clusters[0].name")]),
        ([entry("a", context="c")], [("conflicting-options", "clusters[0].cluster_version")]),
        ([entry("a"), entry("a")], [("duplicate-name", "clusters")]),
    ],
)
def test_invalid_entries_are_errors(clusters, faults, call):
    assert call(cluster_capabilities_info, clusters=clusters).faults == faults


@pytest.mark.parametrize(
    ("cluster", "part"),
    [
        ({"kubeconfig": "x"}, "name"),
        ({"name": "a", "kubeconfg": "x", "context": "c"}, "kubeconfg"),
        (entry("a", validate_certs="perhaps"), "validate_certs"),
    ],
)
def test_ansible_checks_the_options_of_a_cluster(cluster, part, call):
    outcome = call(cluster_capabilities_info, clusters=[{**cluster, "api_key": TOKEN}])

    assert part in outcome.message
    assert TOKEN not in str(outcome.result)


def test_inclusion_criteria_are_those_of_one_cluster(call):
    outcome = call(cluster_capabilities_info, clusters=[entry("a")], inclusion_criteria=True)

    assert outcome.faults == [("conflicting-options", "inclusion_criteria")]


def test_credentials_are_masked_and_names_are_not(call):
    clusters = [
        {"name": "berlin", "host": "https://127.0.0.1:1", "api_key": TOKEN, "group": TOKEN},
        {"name": "oslo", "host": "https://127.0.0.1:1", "group": "me:word", "proxy_headers": {"basic_auth": "me:word"}},
        {"name": "v1", "kubeconfig": {"apiVersion": "v1", "users": [{"name": "u", "user": {"token": TOKEN}}]}},
    ]
    outcome = call(cluster_capabilities_info, clusters=clusters)

    assert TOKEN not in str(outcome.result)
    assert "me:word" not in str(outcome.result)
    assert [row["name"] for row in outcome["clusters"]] == ["berlin", "oslo", "v1"]
    assert [row["reachable"] for row in outcome["clusters"]] == [False] * 3
