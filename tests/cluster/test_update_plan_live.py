# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""update_plan that asks a cluster: what it asks for, and that the plan is the one that lists by hand lead to."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._update_plan.plan import RULES
from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.cluster.helpers.live_plans import (
    by_hand,
    config_map,
    enabled_by,
    namespace,
    plan,
    requests_since,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_VERSIONS,
    EXAMPLE,
    capabilities_status,
    make_cluster_version,
    read_release,
)
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user, token_of, token_user
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook
from ansible_collections.capability.openshift.tests.unit.run_module import Call

PATH = [str(EXAMPLE), str(EXAMPLE.parent / "4.22.0")]
NOTHING = {"baselineCapabilitySet": "None"}
KNOWN = sorted(["Build", "Console", "ImageRegistry", "Ingress", "Insights", "MachineAPI", "OperatorLifecycleManager"])
ALWAYS_ON = ["Ingress"]
ADMIN_CONFIG_MAPS = [
    "/api/v1/namespaces/openshift-config-managed/configmaps/admin-gates",
    "/api/v1/namespaces/openshift-config/configmaps/admin-acks",
]
PROPERTIES = [
    "/apis/config.openshift.io/v1/featuregates/cluster",
    "/apis/apps/v1/namespaces/openshift-cluster-version/deployments/cluster-version-operator",
    "/apis/config.openshift.io/v1/infrastructures/cluster",
    "/apis/coordination.k8s.io/v1/namespaces/openshift-cluster-version/leases/version",
]
READ_CLUSTER_VERSION = {"apiGroups": ["config.openshift.io"], "resources": ["clusterversions"], "verbs": ["get"]}


@pytest.fixture
def site(cluster: ControlPlane) -> ControlPlane:
    """Return a cluster of 4.21.0 with only Ingress enabled, and a few resources."""
    status = capabilities_status(ALWAYS_ON, KNOWN)
    make_cluster_version(cluster.api, {"capabilities": NOTHING}, {**status, "desired": {"version": "4.21.0"}})
    for name in ("openshift-console-operator", "openshift-insights", "unrelated"):
        namespace(cluster.api, name)
    for name in ("insights-upload-schedule", "unrelated"):
        config_map(cluster.api, "openshift-insights", name)
    for name in ("openshift-config", "openshift-config-managed"):
        namespace(cluster.api, name)
    for path in ADMIN_CONFIG_MAPS:
        cluster.api.apply(
            path, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": path.rpartition("/")[2]}}
        )
    config_map(cluster.api, "openshift-config", "insights-upload-schedule")
    return cluster


def test_with_the_rule_presence_resources_on_the_cluster_enable_capabilities(site: ControlPlane, call: Call) -> None:
    outcome = call(update_plan, releases=PATH, kubeconfig=site.kubeconfig, rule="presence")

    found = enabled_by(outcome)
    assert "ConfigMap insights-upload-schedule" in found["Insights"]
    assert "Namespace openshift-console-operator" in found["Console"]
    assert "OperatorLifecycleManager" not in found
    assert outcome["capabilities"] == {"baseline_capability_set": "None", "additional_enabled_capabilities": []}


@pytest.mark.parametrize("rule", RULES)
def test_the_plan_is_that_of_lists_by_hand(rule: str, site: ControlPlane, call: Call) -> None:
    live = call(update_plan, releases=PATH, kubeconfig=site.kubeconfig, rule=rule)
    given = call(update_plan, releases=PATH, rule=rule, **by_hand(site.api))

    assert plan(live) == plan(given)
    assert enabled_by(live)


def test_only_the_resources_can_be_read_from_the_cluster(site: ControlPlane, call: Call) -> None:
    selection = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console"]}
    start = {"capabilities": selection, "overrides": []}
    mark = site.audit.mark()
    live = call(update_plan, releases=PATH, kubeconfig=site.kubeconfig, **start)
    requests = requests_since(site, mark)
    given = call(update_plan, releases=PATH, live_resources=by_hand(site.api)["live_resources"], **start)

    assert plan(live) == plan(given)
    assert not [request for request in requests if "clusterversions" in request.uri]


def test_only_the_cluster_version_can_be_read_from_the_cluster(site: ControlPlane, call: Call) -> None:
    mark = site.audit.mark()
    live = call(update_plan, releases=PATH, kubeconfig=site.kubeconfig, live_resources=[])
    requests = requests_since(site, mark)

    assert plan(live) == plan(call(update_plan, releases=PATH, **{**by_hand(site.api), "live_resources": []}))
    assert [request.uri for request in requests] == [f"{CLUSTER_VERSIONS}/version", *PROPERTIES, *ADMIN_CONFIG_MAPS]


def test_one_request_for_each_kind_and_nothing_is_written(site: ControlPlane, call: Call) -> None:
    mark = site.audit.mark()
    outcome = call(update_plan, releases=PATH, kubeconfig=site.kubeconfig)
    requests = requests_since(site, mark)

    paths = Counter(request.uri.partition("?")[0] for request in requests)
    assert set(paths.values()) == {1}
    assert {request.verb for request in requests} == {"get", "list"}
    absent = {*PROPERTIES}  # on this cluster
    assert {request.code for request in requests if request.uri not in absent} == {200}
    assert [request.uri for request in requests if request.verb == "get"] == [
        f"{CLUSTER_VERSIONS}/version",
        *PROPERTIES,
        *ADMIN_CONFIG_MAPS,
        "/api",
        "/apis",
    ]
    # The kinds of the example, and ClusterOperators, of which none exists.
    others = {"version", "api", "apis", "admin-gates", "admin-acks"}
    assert {path.rpartition("/")[2] for path in {*paths} - absent} - others == {
        "builds",
        "clusteroperators",
        "configmaps",
        "consolelinks",
        "credentialsrequests",
        "customresourcedefinitions",
        "deployments",
        "namespaces",
    }
    problem = outcome.problem("live-resources-read")
    assert (problem["severity"], problem["where"]) == ("info", "live_resources")
    assert "resources of 8 kinds" in problem["message"]


def test_resources_of_enabled_capabilities_are_not_looked_up(site: ControlPlane, call: Call) -> None:
    every = sorted({name for release in PATH for item in manifests(release) for name in item.capabilities})
    status = {**capabilities_status(every, every), "desired": {"version": "4.21.0"}}
    make_cluster_version(site.api, {"capabilities": NOTHING}, status)
    mark = site.audit.mark()
    outcome = call(update_plan, releases=PATH, kubeconfig=site.kubeconfig)

    assert enabled_by(outcome) == {}
    assert [request.uri for request in requests_since(site, mark)] == [
        f"{CLUSTER_VERSIONS}/version",
        *PROPERTIES,
        *ADMIN_CONFIG_MAPS,
    ]
    assert outcome.problem("live-resources-read")["severity"] == "info"


def manifests(release: str) -> Any:
    return read_release(Path(release)).manifests


def test_gates_of_the_cluster_are_compared_with_its_acknowledgements(site: ControlPlane, call: Call) -> None:
    gate, done = "ack-4.21-kube-1.35", "ack-4.21-done"
    gates, acks = ADMIN_CONFIG_MAPS
    common = {"apiVersion": "v1", "kind": "ConfigMap"}
    data = {gate: "APIs are removed", done: "checked", "ack-4.20-older": "old"}
    site.api.apply(gates, {**common, "metadata": {"name": "admin-gates"}, "data": data})
    site.api.apply(acks, {**common, "metadata": {"name": "admin-acks"}, "data": {done: "true"}})
    before = call(update_plan, releases=PATH, kubeconfig=site.kubeconfig)
    site.api.apply(acks, {**common, "metadata": {"name": "admin-acks"}, "data": {done: "true", gate: "true"}})
    after = call(update_plan, releases=PATH, kubeconfig=site.kubeconfig)

    (reason,) = before["hops"][0]["reasons"]
    assert (reason["code"], reason["message"]) == ("admin-ack-required", f"{gate}: APIs are removed")
    assert [outcome["verdict"] for outcome in (before, after)] == ["acknowledge", "go"]


def test_gates_that_the_user_must_not_read_are_not_considered(site: ControlPlane, call: Call) -> None:
    user = certificate_user(site, "no-config-maps", [READ_CLUSTER_VERSION])
    outcome = call(update_plan, releases=PATH, kubeconfig=user.kubeconfig, live_resources=[], fail_on="never")

    assert outcome["verdict"] == "go"
    assert [item["where"] for item in outcome["problems"] if item["code"] == "unread-config-map"] == [
        "configmaps openshift-config-managed/admin-gates",
        "configmaps openshift-config/admin-acks",
    ]


def test_all_kinds_that_the_user_cannot_list_are_named_together(site: ControlPlane, call: Call) -> None:
    rules = [
        READ_CLUSTER_VERSION,
        {"apiGroups": ["", "apps"], "resources": ["namespaces", "deployments"], "verbs": ["list"]},
    ]
    user = certificate_user(site, "restricted", rules)
    given = {"releases": PATH, "kubeconfig": user.kubeconfig, "fail_on": "never"}
    outcome = call(update_plan, **given, rule="presence")
    hint = call(update_plan, **given)

    forbidden = {line.partition("cannot list ")[2].partition(":")[0] for line in outcome.message.splitlines()[1:]}
    warned = {item["message"].partition("cannot list ")[2].partition(":")[0] for item in hint["problems"]}
    assert (
        forbidden
        == warned - {""}
        == {
            "builds.config.openshift.io",
            "clusteroperators.config.openshift.io",
            "configmaps",
            "consolelinks.console.openshift.io",
            "credentialsrequests.cloudcredential.openshift.io",
            "customresourcedefinitions.apiextensions.k8s.io",
        }
    )
    assert 'User "restricted" cannot list resource "configmaps" in API group "" at the cluster scope' in outcome.message
    assert "a role that allows list on configmaps" in outcome.message
    assert "of 2 kinds on the cluster" in "".join(item["message"] for item in hint["problems"])


def test_permission_to_list_those_kinds_is_enough(site: ControlPlane, call: Call) -> None:
    rules = [
        READ_CLUSTER_VERSION,
        *(
            {"apiGroups": [group], "resources": ["*"], "verbs": ["list"]}
            for group in (
                "",
                "apps",
                "apiextensions.k8s.io",
                "cloudcredential.openshift.io",
                "config.openshift.io",
                "console.openshift.io",
            )
        ),
    ]
    token_user(site, "reader", rules)
    given = {"ca_cert": "ca.crt", "chdir": site.folder, "fail_on": "never"}
    outcome = call(update_plan, releases=PATH, host=site.url, api_key=token_of(site, "reader"), **given)

    assert enabled_by(outcome)
    assert plan(outcome) == plan(call(update_plan, releases=PATH, **by_hand(site.api)))


def test_the_playbook_reads_from_the_cluster(site: ControlPlane) -> None:
    printed = play(site, kubeconfig=site.kubeconfig.name)

    assert re.search(r"looked up \d+ resources of 8 kinds on the cluster, and found \d+", printed)
    assert "the default is used for cluster_profile, feature_gates, feature_set, platform" in printed
    assert "Insights: 1 resource" in printed


def play(site: ControlPlane, **variables: str) -> str:
    """Run the playbook in the folder of the kubeconfig, and return what it prints."""
    extra = json.dumps({"releases": ",".join(PATH), **variables})
    playbook = "capability.openshift.update_plan"
    done = ansible_playbook(site.folder, "-i", "localhost,", "-c", "local", playbook, "-e", extra)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
