# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who uses the APIs of a capability, from files."""

from __future__ import annotations

import json
import shutil

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.modules import capability_usage_info
from ansible_collections.capability.openshift.tests.unit.builders.releases import DELETE, manifest, write_release
from ansible_collections.capability.openshift.tests.unit.builders.request_counts import (
    Counted,
    cluster_version,
    hour,
    request_count,
)
from ansible_collections.capability.openshift.tests.unit.builders.sites import write_checkout
from ansible_collections.capability.openshift.tests.unit.run_module import caller

ACCOUNT = "system:serviceaccount:"


def definition(name, capability="", **annotations):
    return manifest(
        name, capability, kind="CustomResourceDefinition", api="apiextensions.k8s.io/v1", annotations=annotations
    )


FILES = {
    "0000_10_console_01.yaml": definition("consolelinks.console.openshift.io", "Console"),
    "0000_10_console_02.yaml": manifest("openshift-console", "Console", kind="Namespace"),
    "0000_10_console_03.yaml": definition("shared.example.org", "Console+Insights"),
    "0000_10_console_04.yaml": definition("gone.example.org", "Console", **{DELETE: "true"}),
    "0000_10_insights_01.yaml": manifest("openshift-insights", "Insights", kind="Namespace"),
    "0000_10_machine_01.yaml": definition("machines.machine.openshift.io", "MachineAPI"),
    "0000_10_machine_02.yaml": manifest(
        "operator", "MachineAPI", kind="ServiceAccount", namespace="openshift-machine-api"
    ),
    "0000_10_core_01.yaml": definition("ingresses.config.openshift.io"),
    "0000_10_olm_01.yaml": manifest("openshift-operators", "OperatorLifecycleManager", kind="Namespace"),
}
LINKS, SHARED, MACHINES = (
    "consolelinks.v1.console.openshift.io",
    "shared.v1beta1.example.org",
    "machines.v1beta1.machine.openshift.io",
)


@pytest.fixture
def usage(capsys, tmp_path):
    """Run the module on objects in a file."""
    call = caller(capsys)
    release = write_release(tmp_path / "release", FILES, "4.17.9")

    def usage(*objects, text=None, **options):
        path = tmp_path / "counts.json"
        path.write_text(json.dumps({"kind": "List", "items": objects}) if text is None else text)
        return call(capability_usage_info, **{"release": release, "request_counts": path, **options})

    return usage


def counted(username, number=1, **verbs):
    return Counted(username, verbs or {"get": number})


def rows_of(outcome):
    return [(row["capability"], row["client"], row["username"], row["requests"]) for row in outcome["rows"]]


@pytest.mark.parametrize(
    ("username", "name", "client"),
    [
        ("alice", LINKS, "yours"),
        ("system:admin", LINKS, "yours"),
        ("kube:admin", LINKS, "yours"),
        ("system:anonymous", LINKS, "yours"),
        (f"{ACCOUNT}shop:deployer", LINKS, "yours"),
        (f"{ACCOUNT}default:default", LINKS, "yours"),
        (f"{ACCOUNT}openshift-operators:my-operator", LINKS, "yours"),
        (f"{ACCOUNT}openshift-operators:my-operator", "packagemanifests.v1.packages.operators.coreos.com", "yours"),
        ("system:node:worker-0", LINKS, "openshift"),
        ("system:kube-scheduler", LINKS, "openshift"),
        (f"{ACCOUNT}openshift-monitoring:prometheus-k8s", LINKS, "openshift"),
        (f"{ACCOUNT}kube-system:deployment-controller", LINKS, "openshift"),
        (f"{ACCOUNT}openshift-console:console", LINKS, "own"),
        (f"{ACCOUNT}openshift-console:console", MACHINES, "openshift"),
        (f"{ACCOUNT}openshift-machine-api:operator", MACHINES, "own"),
        (f"{ACCOUNT}openshift-machine-api:other", MACHINES, "openshift"),
        (f"{ACCOUNT}kube-system:generic-garbage-collector", LINKS, "lists_everything"),
        (f"{ACCOUNT}kube-system:namespace-controller", LINKS, "lists_everything"),
        (f"{ACCOUNT}openshift-cluster-version:default", LINKS, "lists_everything"),
        (f"{ACCOUNT}openshift-insights:gather", LINKS, "lists_everything"),
        (f"{ACCOUNT}openshift-must-gather-x7k2p:default", LINKS, "lists_everything"),
    ],
)
def test_each_client_has_a_kind(usage, username, name, client):
    (row,) = usage(request_count(name, hour([counted(username)])))["rows"]
    assert (row["client"], row["api"]) == (client, name)


def test_the_insights_operator_is_insights_own(usage):
    outcome = usage(request_count(SHARED, hour([counted(f"{ACCOUNT}openshift-insights:gather")])))
    assert [(row["capability"], row["client"]) for row in outcome["rows"]] == [
        ("Console", "lists_everything"),
        ("Insights", "own"),
    ]


def test_rows_are_in_the_order_of_what_matters(usage):
    clients = [
        counted("system:node:a", 90),
        counted(f"{ACCOUNT}kube-system:namespace-controller", 80),
        counted(f"{ACCOUNT}openshift-console:console", 70),
        counted("alice", 1),
        counted("bob", 2),
    ]
    outcome = usage(request_count(LINKS, hour(clients)), capability_names=["Console"])
    assert [row["username"].rpartition(":")[2] for row in outcome["rows"]] == [
        "bob",
        "alice",
        "a",
        "console",
        "namespace-controller",
    ]
    (summary,) = outcome["capabilities"]
    assert summary["requests"] == {"yours": 3, "openshift": 90, "own": 70, "lists_everything": 80}


def test_hours_and_nodes_are_added_and_the_current_hour_counts_once(usage):
    two = hour([counted("alice", get=2, list=1)])
    two["byNode"] += hour([counted("alice", get=5)], node="master-1")["byNode"]
    two["requestCount"] += 5
    (row,) = usage(request_count(LINKS, hour([counted("alice", get=10)]), two))["rows"]
    assert (row["requests"], row["verbs"]) == (18, {"get": 17, "list": 1})


def test_only_the_current_hour_counts_if_there_is_no_other(usage):
    obj = request_count(LINKS, hour([counted("alice", 3)]))
    del obj["status"]["last24h"]
    assert rows_of(usage(obj)) == [("Console", "yours", "alice", 3)]


def test_requests_of_clients_without_a_name_are_reported(usage):
    outcome = usage(request_count(LINKS, hour([counted("alice", 3)], unnamed=4), hour([], unnamed=1)))
    console = next(item for item in outcome["capabilities"] if item["capability"] == "Console")
    assert console["unnamed"] == 5
    problem = outcome.problem("unnamed-clients")
    assert problem["message"] == "requests of clients that the API server does not name: 5"


def test_requests_of_hours_that_a_file_lacks_are_of_clients_without_a_name(usage):
    cut = request_count(LINKS, hour([counted("alice", 3)], unnamed=4))
    cut["status"]["last24h"] = []
    del cut["status"]["currentHour"]
    outcome = usage(cut)
    assert next(item for item in outcome["capabilities"] if item["capability"] == "Console")["unnamed"] == 7


def test_apis_without_an_owner_and_those_that_a_release_deletes_do_not_count(usage):
    names = ("pods.v1", "ingresses.v1.config.openshift.io", "gone.v1.example.org", "deployments.v1.apps")
    outcome = usage(*(request_count(name, hour([counted("alice")])) for name in names))
    assert outcome["rows"] == []
    assert [item["capability"] for item in outcome["capabilities"]] == [
        "Build",
        "CSISnapshot",
        "Console",
        "DeploymentConfig",
        "Insights",
        "MachineAPI",
        "OperatorLifecycleManager",
        "OperatorLifecycleManagerV1",
    ]


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("builds.v1.build.openshift.io", "Build"),
        ("buildconfigs.v1.build.openshift.io", "Build"),
        ("deploymentconfigs.v1.apps.openshift.io", "DeploymentConfig"),
        ("packagemanifests.v1.packages.operators.coreos.com", "OperatorLifecycleManager"),
    ],
)
def test_aggregated_apis_belong_to_capabilities(usage, name, capability):
    (row,) = usage(request_count(name, hour([counted("alice")])))["rows"]
    assert row["capability"] == capability


def test_requests_to_apis_that_do_not_exist_count(usage):
    outcome = usage(cluster_version("Console"), request_count("builds.v1.build.openshift.io", hour([counted("alice")])))
    enabled = {item["capability"]: item["enabled"] for item in outcome["capabilities"]}
    assert (enabled["Console"], enabled["Build"]) == (True, False)
    # The cluster has its APIs, but does not know it as a capability yet.
    assert enabled["OperatorLifecycleManager"] is None
    assert rows_of(outcome) == [("Build", "yours", "alice", 1)]
    assert [item["code"] for item in outcome["problems"]] == ["uncovered-capabilities"]


def test_without_a_cluster_version_it_is_not_known_what_exists(usage):
    outcome = usage(request_count(LINKS))
    assert {item["enabled"] for item in outcome["capabilities"]} == {None}
    assert outcome.problem("unknown-capabilities")["severity"] == "info"


def test_a_must_gather_is_read(usage, tmp_path):
    scoped = "quay-io-must-gather/cluster-scoped-resources"
    write_checkout(
        tmp_path / "must-gather.local.1",
        {
            f"{scoped}/apiserver.openshift.io/apirequestcounts/{LINKS}.yaml": yaml.safe_dump(
                request_count(LINKS, hour([counted("alice")]))
            ),
            f"{scoped}/config.openshift.io/clusterversions/version.yaml": yaml.safe_dump(cluster_version("Console")),
            f"{scoped}/core/nodes/broken.yaml": "{",
        },
    )
    outcome = usage(request_counts=tmp_path / "must-gather.local.1")
    assert rows_of(outcome) == [("Console", "yours", "alice", 1)]
    assert [item["capability"] for item in outcome["capabilities"] if item["enabled"]] == ["Console"]
    listed = json.dumps({"kind": "List", "items": [request_count(LINKS, hour([counted("alice")]))]})
    write_checkout(tmp_path / "must-gather.local.2", {"quay-io-must-gather/requests/apirequestscounts.json": listed})
    assert rows_of(usage(request_counts=tmp_path / "must-gather.local.2")) == [("Console", "yours", "alice", 1)]
    (tmp_path / "must-gather.local.1").rename(tmp_path / "both")
    shutil.copytree(tmp_path / "both", tmp_path / "both" / "must-gather.local.2")
    outcome = usage(request_counts=tmp_path / "both")
    assert [problem["code"] for problem in outcome["problems"] if problem["severity"] == "error"] == [
        "duplicate-resource"
    ]


def test_a_list_of_one_kind_needs_no_kind_in_its_items(usage):
    obj = request_count(LINKS, hour([counted("alice")]))
    del obj["kind"]
    assert len(usage(text=json.dumps({"kind": "APIRequestCountList", "items": [obj]}))["rows"]) == 1
    assert len(usage(text=yaml.safe_dump(request_count(LINKS, hour([counted("alice")]))))["rows"]) == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty-file"),
        ("{}\n---\n{}", "several-documents"),
        ("[]", "not-a-map"),
        ("{", "invalid-yaml"),
        ("a: &a [*a, *b]", "invalid-yaml"),
        ("kind: Pod", "no-request-counts"),
        ('{"kind": "List", "items": []}', "no-request-counts"),
        ('{"kind": "List", "items": [1, null]}', "no-request-counts"),
        (json.dumps({"items": [request_count("nodots")]}), "invalid-name"),
        (json.dumps({"items": [request_count(LINKS, {"requestCount": "many"})]}), "invalid-count"),
        (json.dumps({"items": [request_count(LINKS, {"requestCount": -1})]}), "invalid-count"),
    ],
)
def test_a_wrong_file_is_an_error(usage, text, code):
    assert {found for found, _where in usage(text=text).faults} == {code}


def test_a_status_without_counts_has_no_rows(usage):
    odd = [{}, {"last24h": None}, {"last24h": [None, {"byNode": "x"}, {"byNode": [{"byUser": [None, {}]}]}]}]
    for status in odd:
        assert usage({**request_count(LINKS), "status": status})["rows"] == []


def test_missing_files_and_directories_are_errors(usage, tmp_path):
    assert usage(request_counts=tmp_path / "nothing.json").faults[0][0] == "unreadable-file"
    (tmp_path / "empty").mkdir()
    assert usage(request_counts=tmp_path / "empty").faults[0][0] == "no-request-counts"


def test_a_name_without_apis_is_an_error(usage):
    outcome = usage(request_count(LINKS), capability_names=["console", "Storage", "Build"])
    assert outcome.faults == [("no-apis", "capability_names[0]"), ("no-apis", "capability_names[1]")]
    assert outcome.errors[0]["hint"].startswith("Write Console")


def test_a_large_file_is_read(usage):
    clients = [counted(f"user{number}") for number in range(10)]
    objects = [request_count(f"r{number}.v1.example.org", *([hour(clients)] * 24)) for number in range(200)]
    outcome = usage(*objects, request_count(LINKS, hour([counted("alice")])))
    assert len(outcome["rows"]) == 1


@pytest.mark.parametrize(
    "name",
    [
        "volumesnapshots.v1.snapshot.storage.k8s.io",
        "volumesnapshotclasses.v1.snapshot.storage.k8s.io",
        "volumesnapshotcontents.v1.snapshot.storage.k8s.io",
        "volumegroupsnapshots.v1beta1.groupsnapshot.storage.k8s.io",
    ],
)
def test_apis_that_an_operator_creates_belong_to_its_capability(usage, name):
    counts = request_count(name, hour([counted(f"{ACCOUNT}velero:velero", 7)]))
    for options in ({}, {"capability_names": ["CSISnapshot"]}):
        outcome = usage(counts, cluster_version("CSISnapshot"), **options)
        assert rows_of(outcome) == [("CSISnapshot", "yours", f"{ACCOUNT}velero:velero", 7)]


def test_capabilities_whose_use_no_request_shows_are_named(usage):
    outcome = usage(request_count(LINKS), cluster_version("Console"))
    problem = outcome.problem("uncovered-capabilities")
    assert problem["severity"] == "info"
    for name in ("ImageRegistry", "Storage", "openshift-samples"):
        assert name in problem["message"]
    assert "CSISnapshot" not in problem["message"]
    assert "Console" not in problem["message"]
    asked = usage(request_count(LINKS), cluster_version("Console"), capability_names=["Storage"])
    assert asked.faults == [("no-apis", "capability_names[0]")]
    assert "no API of Storage is known" in asked.message


@pytest.mark.parametrize(("version", "codes"), [("4.17.9", []), ("4.18.1", ["no-request-counts"])])
@pytest.mark.parametrize("names", [None, ["Console"]])
def test_an_api_server_that_counts_only_deprecated_apis_does_not_show_who_uses_others(usage, version, codes, names):
    """For a day after an update to 4.18, counts of the hours before it are still there."""
    cluster = cluster_version("Console")
    cluster["status"]["desired"] = {"version": version}
    outcome = usage(cluster, request_count(LINKS, hour([counted("alice")])), capability_names=names)
    assert [code for code, _where in (outcome.faults if outcome.failed else [])] == codes
