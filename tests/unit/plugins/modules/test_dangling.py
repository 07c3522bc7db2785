# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""References that a selection leaves dangling, in the problems of each module: the Namespace needs marketplace, the
object in it only OperatorLifecycleManager.
"""

from __future__ import annotations

import pytest

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


def test_an_unmanaged_target_comes_from_elsewhere(call, release):
    outcome = call(release_manifests, release=release, capabilities=OLM_ONLY, overrides=[OVERRIDE])
    assert dangling(outcome) == []


def test_install_config_refuses_a_cluster_that_would_never_finish(call, release, tmp_path):
    path = tmp_path / "install-config.yaml"
    options = {"path": path, "content": {"apiVersion": "v1", "platform": {"none": {}}}, "release": release}
    outcome = call(install_config, capabilities=OLM_ONLY, **options)
    assert outcome.failed
    assert ("dangling-namespace", FILE) in outcome.faults
    assert not path.exists()
    assert dangling(call(install_config, capabilities=BOTH, release=release)) == []


def test_without_a_release_install_config_knows_no_references(call):
    assert dangling(call(install_config, capabilities=OLM_ONLY, openshift_version="4.20")) == []


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
