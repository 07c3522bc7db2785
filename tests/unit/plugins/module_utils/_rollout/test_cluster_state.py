# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import (
    CLUSTER_VERSION,
    parse_live_cluster_version,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.hosted_clusters import (
    HOSTED_PROFILE,
    KEPT_FILES,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import ReleaseOptions
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release import documents
from ansible_collections.capability.openshift.plugins.module_utils._release.documents import read_manifest_file
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest_file import ManifestFile
from ansible_collections.capability.openshift.plugins.module_utils._release_image.opened_release import OpenedRelease
from ansible_collections.capability.openshift.plugins.module_utils._resources import INFRASTRUCTURES
from ansible_collections.capability.openshift.plugins.module_utils._rollout.cluster_state import (
    ClusterState,
    FeatureGateReading,
    load_release_for,
    read_cluster_state,
    rollout_context,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.inventory_store import StoredInventory
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer
from ansible_collections.capability.openshift.tests.unit.builders.releases import feature_gate, manifest, write_release

OF_CLUSTER, GIVEN = "registry.example/cluster@sha256:1", "registry.example/given@sha256:2"


def state_of(version: str, image: str = OF_CLUSTER) -> ClusterState:
    status = {"desired": {"version": version, "image": image}}
    obj = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "status": status}
    kinds: Any = None
    return ClusterState(kinds, StoredInventory(None), obj, parse_live_cluster_version(obj, Problems()), ())


def release_options(image: str | None, profile: str = "") -> ReleaseOptions:
    source: Any = None
    return ReleaseOptions("", None, image, profile, source)


@pytest.mark.parametrize(
    ("state", "given", "rendered", "is_reported"),
    [
        (state_of("4.20.3"), None, OF_CLUSTER, False),
        (state_of("4.20.2"), None, "<unset>", True),
        (state_of("4.20.3", ""), None, "<unset>", True),
        (state_of("4.20.3"), GIVEN, GIVEN, False),
        (state_of("4.20.2"), GIVEN, GIVEN, False),
    ],
)
def test_a_release_is_loaded_once_with_the_image_of_a_cluster_of_its_version(
    state, given, rendered, is_reported, tmp_path, monkeypatch
):
    image = manifest("cvo", more="data: {image: '{{.ReleaseImage}}'}\n")
    write_release(tmp_path, {"0000_10_any.yaml": manifest("any")}, cvo={"0000_00_cvo_01.yaml": image})
    read: list[str] = []

    def counted(name: str, *more: Any) -> ManifestFile:
        read.append(name)
        return read_manifest_file(name, *more)

    monkeypatch.setattr(documents, "read_manifest_file", counted)

    problems = Problems()
    loaded = load_release_for(state, release_options(given), OpenedRelease(str(tmp_path)), problems)

    (cvo,) = [item for item in loaded.manifests if item.resource_id.name == "cvo"]
    assert loaded.read_body(cvo)["data"]["image"] == rendered
    assert bool(problems) == is_reported
    assert read == ["manifests/0000_00_cvo_01.yaml", "release-manifests/0000_10_any.yaml"]


def test_what_a_cluster_returned_must_be_a_cluster_version():
    with pytest.raises(ClusterError) as raised:
        parse_live_cluster_version({"apiVersion": "v1", "kind": "ConfigMap"}, Problems())

    assert [(item.code, str(item.where)) for item in raised.value.problems] == [("wrong-kind", str(CLUSTER_VERSION))]


@pytest.mark.parametrize(("options", "codes"), [({}, ["unknown-hosted-oauth"]), ({"hosted_control_plane": False}, [])])
def test_what_is_not_known_of_hypershift_is_reported_once(options, codes, tmp_path):
    profile = "ibm-cloud-managed"
    file = "0000_50_console-operator_01-oauth.yaml"
    release = write_release(tmp_path, {file: manifest("oauth", profile=profile)}, cvo={"a.yaml": manifest("a")})
    state = state_of("4.20.3")._replace(cluster_version=None, cluster=None)
    loaded = load_release_for(state, release_options(GIVEN, profile), OpenedRelease(str(release)), Problems())
    given = ClusterOptions(cluster_profile=profile, **options)

    context = rollout_context(state, loaded, given, GIVEN, FeatureGateReading())

    assert [item.code for item in context.problems] == codes


@pytest.mark.parametrize(("gate", "codes"), [("Known", []), ("Odd", ["unknown-feature-gate"])])
def test_a_given_gate_that_the_release_does_not_list_is_a_warning(gate, codes, tmp_path):
    release = write_release(tmp_path, {"0000_10_a.yaml": feature_gate(["Known"])})
    state = state_of("4.22.0")._replace(cluster=None)
    loaded = load_release_for(state, release_options(GIVEN), OpenedRelease(str(release)), Problems())
    context = rollout_context(state, loaded, ClusterOptions(feature_gates=[gate]), GIVEN, FeatureGateReading())

    assert [item.code for item in context.problems] == codes


@pytest.mark.parametrize(("platform", "loaded"), [("PowerVS", ["kept"]), ("AWS", []), ("", [])])
def test_the_platform_of_a_hosted_cluster_decides_which_files_hypershift_keeps(platform, loaded, tmp_path):
    server = ApiServer(INFRASTRUCTURES)
    status = {"controlPlaneTopology": "External", "platformStatus": {"type": platform}}
    server.put(INFRASTRUCTURES, "cluster", status=status)
    state = read_cluster_state(server.client())._replace(kinds=state_of("4.20.3").kinds)
    manifests = {sorted(KEPT_FILES)[0]: manifest("kept", profile=HOSTED_PROFILE)}
    release = write_release(tmp_path, {**manifests, "0000_10_b.yaml": manifest("b", profile=HOSTED_PROFILE)})
    opened = load_release_for(state, release_options(GIVEN), OpenedRelease(str(release)), Problems())

    context = rollout_context(state, opened, ClusterOptions(), GIVEN, FeatureGateReading())

    assert [item.resource_id.name for item in context.manifests if item.resource_id.name != "b"] == loaded
    assert ("unknown-hosted-platform" in {item.code for item in context.problems}) == (platform == "")
