# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ansible_collections.capability.openshift.plugins.modules import release_info
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    FEATURE_GATE,
    FEATURE_SET,
    IMAGES,
    PROFILE,
    manifest,
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


def test_it_shows_version_and_number_of_manifests_and_changes_nothing(outcome):
    assert outcome["changed"] is False
    assert outcome["release"]["version"] == "4.20.3"
    assert outcome["release"]["manifests"] == len(FILES)


def test_it_shows_what_each_capability_brings(outcome):
    assert outcome["release"]["capabilities"]["Console"] == {
        "manifests": 5,
        "namespaces": ["openshift-console"],
        "cluster_operators": ["console"],
        "crds": ["consoles.example.org"],
        "images": sorted([IMAGES["cli"], "registry.example/app", "registry.example/init"]),
    }
    assert outcome["release"]["capabilities"]["Build"]["manifests"] == 1
    assert outcome["release"]["capabilities"]["Storage"]["manifests"] == 0
    assert outcome["release"]["capabilities"]["Consle"]["manifests"] == 0


CLUSTERS = {
    "0000_10_both_01.yaml": manifest("both", "Console+Build"),
    "0000_20_console_01.yaml": manifest("openshift-console", "Console", kind="Namespace"),
    "0000_20_console_02.yaml": manifest("gone", "Console", kind="Namespace", annotations={DELETE: "true"}),
    "0000_20_console_03.yaml": manifest("hosted", "Console", kind="Namespace", profile="hypershift"),
    "0000_20_console_04.yaml": manifest("tech", "Console", annotations={FEATURE_SET: "TechPreviewNoUpgrade"}),
    "0000_20_console_05.yaml": manifest("gated", "Console", annotations={FEATURE_GATE: "New"}),
    "0000_20_console_06.yaml": manifest("odd", "Console", annotations={"exclude.release.openshift.io/here": "true"}),
    "0000_30_rest_01.yaml": manifest("rest"),
}
NONE = {"capabilities": {"baselineCapabilitySet": "None"}, "always_enabled_capabilities": []}


@pytest.mark.parametrize(
    ("options", "manifests", "included"),
    [
        ({}, 5, 6),
        ({"feature_gates": []}, 4, 5),
        ({"feature_set": "TechPreviewNoUpgrade"}, 6, 7),
        ({"cluster_profile": "hypershift"}, 1, 1),
        ({"exclude_identifier": "here"}, 4, 5),
        ({"overrides": [{"kind": "ConfigMap", "name": "gated", "unmanaged": True}]}, 4, 5),
        (NONE, 4, 1),
        ({"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Build"]}}, 5, 1),
        ({"enabled_capabilities": ["Console"], "known_capabilities": ["Build", "Console"]}, 4, 5),
        ({"enabled_capabilities": [], "known_capabilities": ["Build"]}, 0, 1),
    ],
)
def test_the_counts_are_those_of_the_cluster(call, tmp_path, options, manifests, included):
    release = call(release_info, release=write_release(tmp_path, CLUSTERS, "4.22.0"), **options)["release"]
    console = release["capabilities"]["Console"]

    assert console["manifests"] == manifests
    assert (release["included"], release["manifests"]) == (included, 8)


def test_it_shows_profiles_and_feature_sets(outcome):
    assert outcome["release"]["cluster_profiles"] == ["hypershift", PROFILE]
    assert outcome["release"]["feature_sets"] == ["Default", "TechPreviewNoUpgrade"]


def test_a_flat_directory_of_an_unknown_version_is_described_without_names(call, tmp_path):
    outcome = call(release_info, release=write_files(tmp_path, FILES))

    assert outcome["release"]["version"] is None
    assert outcome["release"]["known_capabilities"] == []
    assert outcome["release"]["capabilities"]["Console"]["manifests"] == 5
    assert outcome.problem("openshift_version")["severity"] == "warning"
    assert call(release_info, release=str(tmp_path), solution="headless").failed  # it would not count


@pytest.mark.parametrize(
    ("end", "returncode"), [("data:\n  text: 'one\n  two'\n", 0), ("data:\n    a: b\n  c: d\n", 1)]
)
def test_nothing_is_printed_to_stderr(tmp_path, end, returncode):
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


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ({}, []),
        ({"cluster_profile": "ibm-cloud-managed"}, ["baremetal"]),
        ({"cluster_profile": "ibm-cloud-managed", "hosted_control_plane": False}, []),
    ],
)
def test_the_current_set_of_a_hosted_cluster_is_what_hypershift_enables(options, missing, call, tmp_path):
    files = {**FILES, "hosted.yaml": manifest("hosted", profile="ibm-cloud-managed")}
    release = call(release_info, release=write_release(tmp_path, files), **options)["release"]

    assert sorted(set(release["known_capabilities"]) - set(release["capability_sets"]["vCurrent"])) == missing
