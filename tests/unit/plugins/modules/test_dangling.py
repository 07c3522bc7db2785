# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""References that a selection leaves dangling, in the problems of each module: the Namespace needs marketplace, the
object in it only OperatorLifecycleManager.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.hosted_clusters import HOSTED_PROFILE
from ansible_collections.capability.openshift.plugins.modules import install_config, release_manifests, update_plan
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_release

NAMESPACE = "openshift-marketplace"
FILES = {
    "0000_50_marketplace_01.yaml": manifest(NAMESPACE, "marketplace", kind="Namespace"),
    "0000_50_olm_01.yaml": manifest("policy", "OperatorLifecycleManager", namespace=NAMESPACE),
}
OLM_ONLY = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["OperatorLifecycleManager"]}
BOTH = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["OperatorLifecycleManager", "marketplace"]}
FILE = "release-manifests/0000_50_olm_01.yaml, document 1"
OVERRIDE = {"group": "", "kind": "Namespace", "namespace": "", "name": NAMESPACE, "unmanaged": True}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return write_release(tmp_path_factory.mktemp("new"), FILES, "4.20.3")


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    """The release before, in which the Namespace needs nothing."""
    files = {**FILES, "0000_50_marketplace_01.yaml": manifest(NAMESPACE, kind="Namespace")}
    return write_release(tmp_path_factory.mktemp("old"), files, "4.19.9")


@pytest.fixture(scope="module")
def later(tmp_path_factory):
    return write_release(tmp_path_factory.mktemp("later"), FILES, "4.20.4")


def dangling(outcome):
    problems = [item for item in outcome["problems"] if item["code"].startswith("dangling-")]
    return [(item["severity"], item["code"], item["where"]) for item in problems]


def test_release_manifests_warns_and_decides(call, release):
    outcome = call(release_manifests, release=release, capabilities=OLM_ONLY)
    assert dangling(outcome) == [("warning", "dangling-namespace", FILE)]
    assert outcome["included"] == 1
    assert dangling(call(release_manifests, release=release, capabilities=BOTH)) == []
    assert dangling(call(release_manifests, release=release)) == []


def test_install_config_refuses_a_cluster_that_would_never_finish(call, release, tmp_path):
    path = tmp_path / "install-config.yaml"
    options = {"path": path, "content": {"apiVersion": "v1", "platform": {"none": {}}}, "release": release}
    outcome = call(install_config, capabilities=OLM_ONLY, **options)
    assert outcome.failed
    assert ("dangling-namespace", FILE) in outcome.faults
    assert not path.exists()
    assert "suggested_capabilities" not in outcome.result
    complete = call(install_config, capabilities=BOTH, release=release)
    assert (dangling(complete), "suggested_capabilities" in complete.result) == ([], True)


@pytest.mark.parametrize(
    ("excluded", "codes"), [("marketplace", ["hcp-selectable"]), ("Insights", ["dangling-namespace"])]
)
def test_nothing_dangles_from_a_selection_that_no_hosted_cluster_can_have(excluded, codes, call, tmp_path):
    files = {
        "1.yaml": manifest(NAMESPACE, excluded, kind="Namespace", profile=HOSTED_PROFILE),
        "2.yaml": manifest("policy", namespace=NAMESPACE, profile=HOSTED_PROFILE),
    }
    release = write_release(tmp_path, files, "4.20.3")
    capabilities = {"excluded_capabilities": [excluded]}
    outcome = call(install_config, capabilities=capabilities, release=release, install_method="hosted")
    assert [item["code"] for item in outcome["problems"] if item["severity"] == "error"] == codes


def extra_manifest(folder, *, in_config_map):
    """Write the Namespace as an extra manifest, like the telco reference."""
    text = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {NAMESPACE}}}\n"
    if in_config_map:
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "extra"}, "data": {"ns.yaml": text}}
        text = json.dumps(config_map)
    path = folder / "extra-manifests" / "09-openshift-marketplace-ns.yaml"
    path.parent.mkdir()
    path.write_text(text)
    return path


@pytest.mark.parametrize("in_config_map", [False, True])
def test_what_extra_manifests_create_comes_from_elsewhere(in_config_map, call, release, later, tmp_path):
    path = extra_manifest(tmp_path, in_config_map=in_config_map)
    content: dict[str, Any] = {"platform": {"none": {}}}
    for given in (path, path.parent):
        outcome = call(
            install_config, content=content, solution="ran_du", release=release, extra_manifests=[str(given)]
        )
        assert (outcome.failed, dangling(outcome)) == (False, [])
    clusters = [{"name": "a", "extra_manifests": [str(path)]}, {"name": "b"}]
    options = {"content": content, "solution": "ran_du", "release": release}
    rows = call(install_config, clusters=clusters, **options)["clusters"]
    assert [len(row["errors"]) for row in rows] == [0, 1]

    again = {"releases": [str(release), str(later)], "capabilities": OLM_ONLY}
    assert dangling(call(update_plan, extra_manifests=[str(path)], **again)) == []
    plans = call(update_plan, clusters=clusters, **again)["plans"]
    assert [len(dangling(plan)) for plan in plans] == [0, 1]


@pytest.mark.parametrize("module", [install_config, update_plan])
def test_extra_manifests_that_cannot_be_read_are_an_error(module, call, release, later, tmp_path):
    options = {"release": release} if module is install_config else {"releases": [str(release), str(later)]}
    assert ("missing-path", "extra_manifests[0]") in call(
        module, extra_manifests=[str(tmp_path / "a")], **options
    ).faults
    broken = tmp_path / "broken.yaml"
    broken.write_text("kind: [")
    assert call(module, extra_manifests=[str(broken)], **options).failed


def test_update_plan_warns_about_the_hop(call, before, release, later):
    hop = [str(before), str(release)]
    # The update itself enables marketplace for those that had the Namespace, so nothing dangles.
    assert dangling(call(update_plan, releases=hop, capabilities=OLM_ONLY)) == []
    again = [str(release), str(later)]
    outcome = call(update_plan, releases=again, capabilities=OLM_ONLY)
    assert dangling(outcome) == [("warning", "dangling-namespace", "4.20.3 to 4.20.4")]
    cluster_version = {
        "kind": "ClusterVersion",
        "apiVersion": "config.openshift.io/v1",
        "metadata": {"name": "version"},
        "spec": {"capabilities": OLM_ONLY, "overrides": [OVERRIDE]},
    }
    assert dangling(call(update_plan, releases=again, cluster_version=cluster_version)) == []


ROLE = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
SUBJECT = {"kind": "ServiceAccount", "namespace": "ns", "name": "robot"}
OF_AUTHORS = {
    "0000_50_snapshot_01.yaml": manifest("robot", "CSISnapshot", kind="ServiceAccount", namespace="ns"),
    "0000_50_snapshot_02.yaml": manifest(
        "rights",
        kind="ClusterRoleBinding",
        api="rbac.authorization.k8s.io/v1",
        more=f"roleRef: {json.dumps(ROLE)}\nsubjects: {json.dumps([SUBJECT])}\n",
    ),
    "0000_50_wrong_01.yaml": manifest("wrong", annotations={"number": 7}).replace("'7'", "7"),
}


def test_mistakes_of_release_authors_are_remarks_or_not_reported(call, tmp_path):
    path = [str(write_release(tmp_path / version, OF_AUTHORS, version)) for version in ("4.18.1", "4.19.1", "4.20.1")]
    none = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]}
    for outcome in (
        call(update_plan, releases=path, capabilities=none),
        call(install_config, content={"platform": {"none": {}}}, release=path[2], capabilities=none),
    ):
        assert dangling(outcome) == []
        unreadable = [item["severity"] for item in outcome["problems"] if item["code"] == "not-a-string"]
        assert unreadable == ["info"] * len(unreadable)
        assert len(unreadable) == (3 if "hops" in outcome.result else 1)
