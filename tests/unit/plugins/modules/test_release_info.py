# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ansible_collections.capability.openshift.plugins.modules import release_info
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    FEATURE_SET,
    IMAGES,
    PROFILE,
    cluster_version_crd,
    manifest,
    tree,
    write_files,
    write_release,
)

CONTAINER = f"{{image: registry.example/app, env: [{{name: CLI, value: {IMAGES['cli']}}}, {{name: X, value: other}}]}}"
WORKLOAD = (
    f"spec: {{template: {{spec: {{initContainers: [{{image: registry.example/init}}], containers: [{CONTAINER}]}}}}}}\n"
)
FILES = {
    "0000_50_console_01.yaml": manifest("openshift-console", "Console", kind="Namespace"),
    "0000_50_console_02.yaml": manifest(
        "console", "Console", kind="Deployment", api="apps/v1", namespace="openshift-console", more=WORKLOAD
    ),
    "0000_50_console_03.yaml": manifest("console", "Console", kind="ClusterOperator", api="config.openshift.io/v1"),
    "0000_50_console_04.yaml": manifest(
        "consoles.example.org", "Console", kind="CustomResourceDefinition", api="apiextensions.k8s.io/v1"
    ),
    "0000_50_console_05.yaml": manifest("unannotated", namespace="openshift-console"),
    "0000_60_two_01.yaml": manifest("two", "Console+Build", annotations={FEATURE_SET: "TechPreviewNoUpgrade,Default"}),
    "0000_70_three_01.yaml": manifest("three", "Consle", profile="hypershift"),
}


@pytest.fixture
def outcome(call, tmp_path):
    return call(release_info, release=write_release(tmp_path, FILES))


def test_it_tells_version_and_number_of_manifests_and_changes_nothing(outcome):
    assert outcome["changed"] is False
    assert outcome["release"]["version"] == "4.20.3"
    assert outcome["release"]["manifests"] == len(FILES)


def test_it_tells_what_each_capability_brings(outcome):
    assert outcome["release"]["capabilities"]["Console"] == {
        "manifests": 5,
        "kinds": ["ClusterOperator", "ConfigMap", "CustomResourceDefinition", "Deployment", "Namespace"],
        "namespaces": ["openshift-console"],
        "cluster_operators": ["console"],
        "crds": ["consoles.example.org"],
        "images": sorted([IMAGES["cli"], "registry.example/app", "registry.example/init"]),
    }
    assert outcome["release"]["capabilities"]["Build"]["manifests"] == 1
    assert outcome["release"]["capabilities"]["Storage"]["manifests"] == 0
    assert outcome["release"]["capabilities"]["Consle"]["manifests"] == 1


def test_it_tells_profiles_and_feature_sets(outcome):
    assert outcome["release"]["cluster_profiles"] == ["hypershift", PROFILE]
    assert outcome["release"]["feature_sets"] == ["Default", "TechPreviewNoUpgrade"]


def test_it_tells_names_and_sets_of_the_minor(outcome):
    release = outcome["release"]

    assert release["capability_sets"]["vCurrent"] == release["known_capabilities"]
    assert release["capability_sets"]["None"] == []
    assert release["capability_sets"]["v4.11"] == ["MachineAPI", "baremetal", "marketplace", "openshift-samples"]
    assert "OperatorLifecycleManagerV1" in release["known_capabilities"]


def test_a_name_that_nobody_knows_is_a_problem_with_the_nearest(outcome):
    problem = outcome.problem("'Consle'")

    assert problem["severity"] == "warning"
    assert problem["where"] == "release-manifests/0000_70_three_01.yaml, document 1"
    assert "Did you mean Console?" in problem["hint"]


def test_a_name_that_no_manifest_carries_is_worth_knowing(outcome):
    assert outcome.problem("capability Storage")["severity"] == "info"
    assert not [item for item in outcome["problems"] if item["where"] == "capability Console"]


def test_a_component_that_is_only_partly_annotated_is_worth_knowing(outcome):
    problem = outcome.problem("ClusterOperator console")

    assert problem["severity"] == "info"
    assert "4 manifests with capabilities and 1 without" in problem["message"]
    assert "ConfigMap openshift-console/unannotated" in problem["message"]


def test_a_name_that_only_the_crd_has_is_a_problem(call, tmp_path):
    files = {"a.yaml": manifest(), "b.yaml": cluster_version_crd(["Console", "Brand"])}
    outcome = call(release_info, release=write_release(tmp_path, files))

    assert outcome.problem("'Brand'")["where"] == "release-manifests/b.yaml"


@pytest.mark.parametrize(
    ("feature_set", "hidden"), [("", True), ("Default", True), ("TechPreviewNoUpgrade", False), ("OKD", True)]
)
def test_capabilities_behind_gates_are_known_only_under_their_feature_sets(feature_set, hidden, call, tmp_path):
    outcome = call(release_info, release=write_release(tmp_path, FILES, "4.23.0"), feature_set=feature_set)

    assert ("ClusterAPI" not in outcome["release"]["known_capabilities"]) is hidden
    assert ("ClusterAPI" not in outcome["release"]["capability_sets"]["vCurrent"]) is hidden


def test_a_flat_directory_of_nobody_knows_which_version_is_described_without_names(call, tmp_path):
    outcome = call(release_info, release=write_files(tmp_path, FILES))

    assert outcome["release"]["version"] is None
    assert outcome["release"]["known_capabilities"] == []
    assert outcome["release"]["capabilities"]["Console"]["manifests"] == 5
    assert outcome.problem("openshift_version")["severity"] == "warning"


@pytest.mark.parametrize("check", [True, False])
def test_it_writes_nothing(check, call, tmp_path):
    path = write_release(tmp_path, FILES)
    before = tree(path)
    call(release_info, release=path, check=check)

    assert tree(path) == before


@pytest.mark.parametrize(
    ("end", "returncode"),
    [
        # rapidyaml rejects both texts, libyaml only the second one.
        ("data:\n  text: 'one\n  two'\n", 0),
        ("data:\n    a: b\n  c: d\n", 1),
    ],
)
def test_nothing_is_printed_to_stderr_for_a_text_that_rapidyaml_rejects(tmp_path, end, returncode):
    release = write_release(tmp_path, {"0000_50_one.yaml": manifest(more=end)})

    done = subprocess.run(
        [sys.executable, "-m", release_info.__name__],
        input=json.dumps({"ANSIBLE_MODULE_ARGS": {"release": str(release)}}),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert done.returncode == returncode, done.stdout
