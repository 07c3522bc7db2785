# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""When update_plan reads from a cluster, and its errors if that is not possible. No cluster is needed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import (
    Planner,
    deciding_resources,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import PlanOptions, read_request
from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import NOTHING

NOWHERE = "https://127.0.0.1:9"
"""Nothing listens on the discard port."""

TOKEN = "sha256~0123456789abcdef"
KUBECONFIG: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{"name": "machine", "cluster": {"server": NOWHERE}}],
    "users": [
        {"name": "c", "user": {"token": TOKEN, "exec": {"command": "get", "env": [{"name": "e", "value": "secret-5"}]}}}
    ],
    "contexts": [{"name": "api", "context": {"cluster": "machine", "user": "c"}}],
    "current-context": "api",
}
PRESENT = [{"group": "apps", "kind": "Deployment", "namespace": "operators", "name": "machine-api"}]
OF_CLUSTER: dict[str, Any] = {
    "live_resources": PRESENT,
    "platform": "aws",
    "cluster_profile": "self-managed-high-availability",
    "feature_set": "",
    "feature_gates": [],
}
ALL_GIVEN = {"capabilities": NOTHING, "overrides": [], **OF_CLUSTER}


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch, tmp_path):
    """Neither the environment variables nor the home directory of the user lead to a cluster."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("KUBECONFIG", "K8S_AUTH_KUBECONFIG", "K8S_AUTH_CONTEXT", "K8S_AUTH_HOST", "K8S_AUTH_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def plan(outcome) -> dict[str, Any]:
    return {key: value for key, value in outcome.result.items() if key != "invocation"}


def test_environment_variables_do_not_select_a_cluster_on_their_own(run, monkeypatch):
    offline = run(capabilities=NOTHING)
    monkeypatch.setenv("K8S_AUTH_HOST", NOWHERE)
    monkeypatch.setenv("K8S_AUTH_KUBECONFIG", "/nonexistent")

    assert plan(run(capabilities=NOTHING)) == plan(offline)


@pytest.mark.parametrize(
    ("option", "value"), [("kubeconfig", ""), ("kubeconfig", " : "), ("kubeconfig", {}), ("context", " ")]
)
def test_an_empty_option_does_not_select_the_current_context(option, value, run):
    assert run(capabilities=NOTHING, **{option: value}).faults == [("empty-option", option)]


@pytest.mark.parametrize("option", ALL_GIVEN)
def test_what_is_not_given_is_read_from_the_cluster(option, run):
    outcome = run(host=NOWHERE, api_key=TOKEN, **{name: value for name, value in ALL_GIVEN.items() if name != option})

    assert f"{NOWHERE} does not answer" in outcome.message


@pytest.mark.parametrize("kubeconfig", [KUBECONFIG, "config", "c"])
def test_a_kubeconfig_masks_nothing_in_the_result_but_secrets(kubeconfig, run):
    outcome = run(kubeconfig=kubeconfig, **ALL_GIVEN)

    assert plan(outcome) == plan(run(**ALL_GIVEN))
    assert TOKEN not in str(outcome.result)
    assert "secret-5" not in str(outcome.result)


@pytest.mark.parametrize("option", ["kubeconfig", "context", "host", "api_key", "client_cert"])
def test_a_fleet_cannot_be_combined_with_a_cluster(option, run):
    outcome = run(clusters=[{"name": "one"}, {"name": "one"}], **{option: "x"})

    assert outcome.faults == [("duplicate-name", "clusters[1] (one).name"), ("conflicting-options", "clusters")]
    assert "cluster_version" in outcome.message


def test_without_the_library_only_reading_from_a_cluster_fails(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "urllib3", None)

    assert not run(**ALL_GIVEN).failed
    outcome = run(host=NOWHERE, api_key=TOKEN)
    assert "urllib3 is missing" in outcome.message


@pytest.mark.parametrize("names", [[], ["Console"], ["baremetal"], ["Console", "baremetal"]])
@pytest.mark.parametrize("minors", [("r4_13", "r4_14"), ("r4_14", "r4_15"), ("r4_13", "r4_14", "r4_15")])
def test_only_the_deciding_resources_can_change_a_plan(names, minors, releases):
    loaded = [load_release(getattr(releases, minor), Problems()) for minor in minors]
    options = ClusterOptions(capabilities={"baselineCapabilitySet": "None", "additionalEnabledCapabilities": names})
    request = read_request(PlanOptions(options), tuple(range(len(loaded))), frozenset(), Problems())
    planner = Planner(loaded)
    request, path = planner.resolve(request, Problems())

    def plan_with(present):
        cluster = request.cluster._replace(present=frozenset(present), rule="presence")
        return planner.plan(request._replace(cluster=cluster), path).plan

    every = {manifest.resource_id for release in loaded for manifest in release.manifests}
    deciding = deciding_resources(request, path)
    assert deciding < every
    assert plan_with(every) == plan_with(deciding) != plan_with([])
    assert [resource for resource in every - deciding if plan_with([resource]) != plan_with([])] == []


def test_a_plan_without_a_cluster_does_not_load_a_client():
    of_client = "name.split('.')[0] in ('kubernetes', 'urllib3', 'concurrent') or '_kubernetes.client' in name"
    code = f"import sys, {update_plan.__name__}; print([name for name in sys.modules if {of_client}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
