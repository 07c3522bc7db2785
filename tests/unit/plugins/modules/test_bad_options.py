# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What bad options get: one error that names all of them, through the modules as Ansible runs them."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.modules import release_info, release_manifests
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    PROFILE,
    cluster_version_crd,
    feature_gate,
    manifest,
    write_files,
    write_release,
)

GOOD = {"0000_50_one_01.yaml": manifest("one")}
MODULES = pytest.mark.parametrize(
    "module", [release_info, release_manifests], ids=lambda module: module.__name__.rpartition(".")[2]
)


@pytest.mark.parametrize(
    ("options", "wheres", "part"),
    [
        (
            {"capabilities": {"baselineCapabilitySet": "vcurrent"}},
            ["capabilities.baselineCapabilitySet"],
            "Write vCurrent",
        ),
        (
            {"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["console"]}},
            ["capabilities.additionalEnabledCapabilities[0]"],
            "Write Console",
        ),
        (
            {"capabilities": {"excluded_capabilities": ["Consoel"]}},
            ["capabilities.excluded_capabilities[0]"],
            "Did you mean Console?",
        ),
        (
            {"capabilities": {"additional_enabled_capabilities": ["Console"]}},
            ["capabilities.baseline_capability_set"],
            "is missing",
        ),
        (
            {"capabilities": {"baselineCapabilitySet": "None", "baseline_capability_set": "None"}},
            ["capabilities.baseline_capability_set"],
            "Keep one of them",
        ),
        ({"feature_set": "TechPreview"}, ["feature_set"], "Did you mean TechPreviewNoUpgrade?"),
        ({"feature_gates": ["A=x"]}, ["feature_gates[0]"], "NAME=true"),
        ({"hosted_control_plane": True}, ["hosted_control_plane"], "Set cluster_profile to ibm-cloud-managed"),
        ({"overrides": [{"kind": "A"}]}, ["overrides[0].name", "overrides[0].unmanaged"], "Name the resource"),
        (
            {"enabled_capabilities": []},
            ["known_capabilities"],
            "expected both enabled_capabilities and known_capabilities",
        ),
        ({"always_enabled_capabilities": ["ingress"]}, ["always_enabled_capabilities"], "Write Ingress"),
        (
            {"feature_set": "x", "capabilities": {"excluded_capabilities": ["x", "y"]}, "feature_gates": ["="]},
            [
                "feature_set",
                "feature_gates[0]",
                "capabilities.excluded_capabilities[0]",
                "capabilities.excluded_capabilities[1]",
            ],
            "4 problems were found",
        ),
    ],
)
def test_options_that_cannot_be(options, wheres, part, call, tmp_path):
    outcome = call(release_manifests, release=write_release(tmp_path, GOOD), **options)

    assert [problem["where"] for problem in outcome.errors] == wheres
    assert part in outcome.message


@pytest.mark.parametrize(
    "options",
    [
        {"capabilities": "None"},
        {"capabilities": ["Console"]},
        {"overrides": "x"},
        {"feature_gates": {"a": True}},
        {"colour": "red"},
        {"release": None},
    ],
)
def test_options_of_another_type_are_refused_by_name(options, call, tmp_path):
    outcome = call(release_manifests, **{"release": write_release(tmp_path, GOOD), **options})

    assert next(iter(options)) in outcome.message


def test_an_unknown_feature_set_is_an_error_for_the_info_module_too(call, tmp_path):
    outcome = call(release_info, release=write_release(tmp_path, GOOD), feature_set="techpreviewnoupgrade")

    assert "Write TechPreviewNoUpgrade" in outcome.message


@pytest.mark.parametrize("module", [release_manifests, release_info])
def test_a_profile_that_no_manifest_carries_is_an_error_with_those_found(module, call, tmp_path):
    files = {**GOOD, "b.yaml": manifest("two", profile="hypershift")}
    outcome = call(module, release=write_release(tmp_path, files), cluster_profile="selfmanaged")

    assert outcome.faults == [("unknown-profile", "cluster_profile")]
    assert f"its profiles are hypershift, {PROFILE}" in outcome.problem("cluster_profile")["message"]


@pytest.mark.parametrize("version", ["4.20", "4.20.9"])
def test_a_flat_directory_needs_its_version(version, call, tmp_path):
    path = write_files(tmp_path, GOOD)

    assert "openshift_version" in call(release_manifests, release=path).message
    outcome = call(release_manifests, release=path, openshift_version=version)
    assert (outcome["version"], outcome["included"]) == (version, 1)


@pytest.mark.parametrize("version", ["4.2", "4.9.1", "6.0"])
def test_an_unknown_minor_is_an_error_without_a_crd(version, call, tmp_path):
    outcome = call(release_manifests, release=write_files(tmp_path, GOOD), openshift_version=version)

    assert outcome.errors[0]["where"] == "openshift_version"


@MODULES
def test_an_invalid_version(module, call, tmp_path):
    outcome = call(module, release=write_files(tmp_path, GOOD), openshift_version="four")

    assert outcome.faults == [("invalid-version", "openshift_version")]


@MODULES
@pytest.mark.parametrize(("given", "agrees"), [("4.20", True), ("4.20.9", True), ("4.19", False)])
def test_a_version_that_disagrees_with_the_release(module, given, agrees, call, tmp_path):
    outcome = call(module, release=write_release(tmp_path, GOOD), openshift_version=given)

    assert outcome.failed is not agrees
    if not agrees:
        assert [problem["code"] for problem in outcome.errors] == ["conflicting-version"]


@MODULES
def test_names_of_an_unknown_minor_come_from_its_crd_with_a_problem(module, call, tmp_path):
    names = ["Brand", "Console", "Ingress"]
    files = {"a.yaml": manifest("one", "Brand"), "b.yaml": cluster_version_crd(names), "c.yaml": feature_gate([])}
    outcome = call(module, release=write_release(tmp_path, files, "9.9.0"))

    problem = outcome.problem("ClusterVersion CRD")
    assert problem["where"] == "release-manifests/b.yaml"
    assert "9.9" in problem["message"]
    known = outcome["release"] if module is release_info else outcome
    assert known["known_capabilities"] == names
    if module is release_manifests:
        assert (outcome["enabled_capabilities"], outcome["included"]) == (names, 2)


@pytest.mark.parametrize("kind", ["file", "release", "inside"])
def test_a_dest_that_cannot_be(kind, call, tmp_path):
    path = write_release(tmp_path / "release", GOOD)
    dest = {"file": tmp_path / "file", "release": path, "inside": path / "x" / "y"}[kind]
    (tmp_path / "file").write_text("mine")
    (problem,) = call(release_manifests, release=path, dest=dest).errors

    assert problem["where"] == str(dest)
    assert (tmp_path / "file").read_text() == "mine"
    assert not (path / "x").exists()
