# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Inclusion by feature set, profile and overrides, as the cluster reports them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    FEATURE_SET,
    HOME,
    INVENTORY,
    NEXT,
    Body,
    Rollouts,
    config_map,
    deployment,
    ids,
    namespace,
    path_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT, selection
from ansible_collections.capability.openshift.tests.control_plane.cvo_status import condition_of
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

FEATURE_GATE_CRD = "0000_10_config-operator_01_featuregates.crd.yaml"
FEATURE_GATES = "/apis/config.openshift.io/v1/featuregates"
TECH_PREVIEW = "TechPreviewNoUpgrade"
INGRESS_ONLY = selection("Ingress")


def of_set(name: str, feature_set: str, **fields: Any) -> Body:
    return config_map(name, annotations={FEATURE_SET: feature_set}, **fields)


BODIES = [of_set("default", "Default"), of_set("preview", TECH_PREVIEW), config_map("both")]


def there(rollouts: Rollouts) -> list[str]:
    return [body["metadata"]["name"] for body in BODIES if rollouts.has(body)]


def with_feature_gates(rollouts: Rollouts) -> Path:
    """A release with the definition of FeatureGate."""
    folder = rollouts.release(BODIES)
    source = EXAMPLE / "release-manifests" / FEATURE_GATE_CRD
    (folder / FEATURE_GATE_CRD).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def set_feature_set(rollouts: Rollouts, name: str) -> None:
    body = {"apiVersion": "config.openshift.io/v1", "kind": "FeatureGate", "metadata": {"name": "cluster"}}
    rollouts.api.apply(f"{FEATURE_GATES}/cluster", {**body, "spec": {"featureSet": name}})


# Feature sets


def test_nothing_with_a_feature_set_is_applied_while_it_is_unknown(rollouts: Rollouts) -> None:
    outcome = rollouts.apply(rollouts.release(BODIES))
    (problem,) = outcome.errors
    assert (problem["code"], problem["where"]) == ("missing-feature-set", "feature_set")
    assert problem["message"].endswith("left out: 2")
    assert there(rollouts) == ["both"]


def test_feature_set_of_the_cluster_counts(rollouts: Rollouts) -> None:
    release = with_feature_gates(rollouts)
    rollouts.done(release, feature_set="Default")
    rollouts.api.delete(f"/api/v1/namespaces/{HOME}/configmaps")
    set_feature_set(rollouts, TECH_PREVIEW)
    outcome = rollouts.done(release)
    assert there(rollouts) == ["preview", "both"]
    assert set(ids(outcome, "created")) == {"ConfigMap preview", "ConfigMap both"}


def test_feature_set_of_the_first_rollout_stays(rollouts: Rollouts) -> None:
    first = rollouts.done(EXAMPLE, capabilities=INGRESS_ONLY, feature_set=TECH_PREVIEW)
    again = rollouts.done(EXAMPLE)
    assert not again["changed"]
    assert ids(again, "unchanged") == ids(first, "created")


@pytest.mark.deep
def test_the_playbook_plans_with_the_feature_set_of_the_cluster(rollouts: Rollouts, tmp_path: Path) -> None:
    for folder in (EXAMPLE, NEXT):
        flat = tmp_path / folder.name
        flat.mkdir()
        for path in folder.glob("*/*.yaml"):
            shutil.copy(path, flat)
    playbook = "capability.openshift.release_apply"
    values: dict[str, Any] = {"release": NEXT.name, "openshift_version": "4.22.0", "previous_release": EXAMPLE.name}
    # The update moves a resource to Insights, which is requested.
    values |= {"capabilities": selection("Ingress", "Insights"), "forbidden_capabilities": "all"}
    cluster = {"kubeconfig": str(rollouts.plane.kubeconfig), "host": rollouts.plane.url, "release_image": "test:4.22.0"}
    arguments = ("-e", json.dumps({**cluster, "overrides": [UNMANAGED]}), "--check")
    # An empty cluster has nothing to plan.
    assert ansible_playbook(tmp_path, playbook, *arguments, "-e", json.dumps(values)).returncode == 0
    rollouts.done(EXAMPLE, capabilities=INGRESS_ONLY)
    planned = ansible_playbook(tmp_path, playbook, *arguments, "-e", json.dumps(values))
    assert (planned.returncode, "the ClusterVersion has no conditions" in planned.stdout) == (0, False)
    wrong: dict[str, dict[str, Any]] = {
        '"msg": "capabilities.additionalEnabledCapabilities[0]: \'Ingres\'': {"capabilities": selection("Ingres")},
        '"msg": "openshift_version: is missing': {"openshift_version": "{{ omit }}"},
        "4.21.0 to 4.20.0 has the verdict blocked": {"openshift_version": "4.20.0"},
    }
    for message, change in wrong.items():
        rejected = ansible_playbook(tmp_path, playbook, *arguments, "-e", json.dumps({**values, **change}))
        assert message in rejected.stdout
    set_feature_set(rollouts, TECH_PREVIEW)
    update = {**values, "capabilities": INGRESS_ONLY}
    plays = [{"import_playbook": playbook, "vars": play} for play in ({"release": str(EXAMPLE)}, update)]
    (tmp_path / "site.yml").write_text(json.dumps(plays))
    refused = ansible_playbook(tmp_path, "site.yml", *arguments, env={"ANSIBLE_SHOW_CUSTOM_STATS": "true"})
    assert refused.returncode == 2
    assert f"feature set {TECH_PREVIEW} blocks updates" in refused.stdout
    assert "Required acceptances" not in refused.stdout
    # The artifact is the one of the last play.
    assert re.search(r'"changed": false,\s+"failed": true', refused.stdout)


@pytest.mark.deep
def test_the_playbook_predicts_the_condition_of_a_selection_without_what_each_cluster_enables(
    rollouts: Rollouts, tmp_path: Path
) -> None:
    rollouts.done(EXAMPLE, capabilities=selection("Console"))
    values: dict[str, Any] = {"kubeconfig": str(rollouts.plane.kubeconfig), "release": str(NEXT)}
    values |= {"previous_release": str(EXAMPLE), "release_image": "test:4.22.0"}
    values["capabilities"] = selection("Console", "Insights")
    done = ansible_playbook(tmp_path, "capability.openshift.release_apply", "-e", json.dumps(values))
    condition = condition_of(rollouts.api.get(OBJECT), "ImplicitlyEnabledCapabilities")
    assert condition["message"].endswith("Ingress")
    assert f"{condition['status']} ({condition['reason']}): {condition['message']}" in done.stdout


# Overrides


def cluster_version_with(rollouts: Rollouts, overrides: list[dict[str, Any]]) -> None:
    rollouts.api.patch(OBJECT, {"spec": {"overrides": overrides}})


UNMANAGED = {"kind": "ConfigMap", "group": "", "namespace": HOME, "name": "mine", "unmanaged": True}


def test_override_of_the_cluster_leaves_a_resource_alone(rollouts: Rollouts) -> None:
    mine = config_map("mine")
    release = rollouts.release([mine, config_map("other")], cluster_version=True)
    rollouts.done(release, capabilities=INGRESS_ONLY)
    cluster_version_with(rollouts, [UNMANAGED])
    rollouts.api.patch(f"/api/v1/namespaces/{HOME}/configmaps/mine", {"data": {"key": "changed"}})
    outcome = rollouts.done(release)
    assert rollouts.get(mine)["data"] == {"key": "changed"}
    assert outcome["leftovers"] == []
    assert "ConfigMap mine" not in ids(outcome, "unchanged")


def test_resource_is_managed_again_once_the_override_is_gone(rollouts: Rollouts) -> None:
    mine = config_map("mine")
    release = rollouts.release([mine], cluster_version=True)
    rollouts.done(release, capabilities=INGRESS_ONLY)
    cluster_version_with(rollouts, [UNMANAGED])
    rollouts.api.delete(f"/api/v1/namespaces/{HOME}/configmaps/mine")
    rollouts.done(release)
    assert not rollouts.has(mine)
    cluster_version_with(rollouts, [])
    rollouts.done(release)
    assert rollouts.has(mine)


def test_overrides_that_are_given_stand_for_those_of_the_cluster(rollouts: Rollouts) -> None:
    mine = config_map("mine")
    release = rollouts.release([mine], cluster_version=True)
    rollouts.done(release, capabilities=INGRESS_ONLY, overrides=[UNMANAGED])
    assert not rollouts.has(mine)


# Profiles


def of_hosted_clusters() -> Body:
    body = config_map("hosted", annotations={"include.release.openshift.io/ibm-cloud-managed": "true"})
    del body["metadata"]["annotations"]["include.release.openshift.io/self-managed-high-availability"]
    return body


def test_profile_of_the_cvo_is_the_default_of_the_first_rollout(rollouts: Rollouts) -> None:
    """The Deployment is not available, so no operator runs."""
    rollouts.api.apply(path_of(namespace("openshift-cluster-version")), namespace("openshift-cluster-version"))
    env = [{"name": "CLUSTER_PROFILE", "value": "ibm-cloud-managed"}]
    cvo = deployment("cluster-version-operator", "openshift-cluster-version", container={"env": env})
    rollouts.api.apply(path_of(cvo), cvo)
    hosted = of_hosted_clusters()
    release = rollouts.release([hosted, config_map("other")])
    outcome = rollouts.done(release)

    assert (rollouts.has(hosted), rollouts.has(config_map("other"))) == (True, False)
    assert "environment variable CLUSTER_PROFILE" in outcome.problem("cluster-read")["message"]


def test_profile_of_the_last_rollout_is_the_default(rollouts: Rollouts) -> None:
    hosted = of_hosted_clusters()
    release = rollouts.release([hosted, config_map("other")])
    rollouts.done(release, cluster_profile="ibm-cloud-managed")
    again = rollouts.done(release)
    assert rollouts.has(hosted)
    assert not rollouts.has(config_map("other"))
    assert again["changed"] is False
    assert rollouts.api.get(INVENTORY)["data"]["cluster-profile"] == "ibm-cloud-managed"


# References
