# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules about the update from the previous release."""

from __future__ import annotations

import shutil

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._lint.source import read_source
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    DELETE,
    FEATURE_GATE,
    FEATURE_SET,
    documents,
    feature_gate,
    manifest,
    write_files,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.plugins.module_utils._lint.conftest import brief, run_lint

HOSTED = "include.release.openshift.io/ibm-cloud-managed"
TECH_PREVIEW = {FEATURE_SET: "TechPreviewNoUpgrade"}


def finding(rule, severity="error", path="release-manifests/a.yaml", line=1):
    return [(rule, severity, path, line)]


def test_a_resource_that_gains_a_known_capability(update):
    assert update(manifest("one"), manifest("one", "Console")) == finding("gains-capability", line=7)


def test_a_resource_that_gains_a_new_capability_becomes_optional(update):
    before = documents(manifest("one"), manifest("two"))
    after = documents(manifest("one", "Backup"), manifest("two", "Backup"))
    assert update(before, after, known_capabilities=["Backup"]) == finding("becomes-optional", "info", line=7)


@pytest.mark.parametrize(("number", "more"), [(1, ""), (2, ", and 1 more resource"), (3, ", and 2 more resources")])
def test_resources_that_become_optional_are_counted(tmp_path, number, more):
    sources = []
    for version, capability in (("4.19.1", ""), ("4.20.1", "Backup")):
        texts = [manifest(name, capability) for name in ("one", "two", "three")[:number]]
        release = write_release(tmp_path / version, {"a.yaml": documents(*texts)}, version)
        sources.append(read_source(str(release), None))
    found = run_lint(sources[1], sources[0], known_capabilities=["Backup"])
    messages = [item.message for item in found if item.code == "becomes-optional"]
    assert messages == [f"becomes optional with Backup{more}"]


@pytest.mark.parametrize("clusters", [{"profile": "ibm-cloud-managed"}, {"annotations": TECH_PREVIEW}])
def test_hosted_clusters_and_those_that_cannot_update_gain_nothing(update, clusters):
    before, after = (manifest("one", name, **clusters) for name in ("", "Console"))
    assert update(before, after) == []


def test_a_resource_that_loses_a_capability(update):
    assert update(manifest("one", "Console"), manifest("one")) == finding("loses-capability")
    assert update(manifest("one", "Console"), manifest("one", "console")) == finding("unknown-capability", line=7)
    # Even if no cluster can update, or no cluster has it yet.
    before, after = (manifest("one", name, annotations=TECH_PREVIEW) for name in ("Console", ""))
    assert update(before, after) == finding("loses-capability")
    bare = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: bare\n"
    rules = {rule for rule, *_more in update(bare + f"  annotations: {{{CAPABILITY}: Console}}\n", bare)}
    assert "loses-capability" in rules


@pytest.mark.parametrize(("less", "more"), [("", "Ingress"), ("marketplace", "OperatorLifecycleManager+marketplace")])
def test_what_each_cluster_with_the_rest_has_is_neither_gained_nor_lost(update, less, more):
    less, more = manifest("one", less), manifest("one", more)
    assert (update(less, more), update(more, less)) == ([], [])


def test_manifests_that_a_feature_gate_excludes_from_each_other_are_not_compared(tmp_path):
    texts = {
        "a.yaml": manifest("one", "Console", annotations={FEATURE_GATE: "Some"}),
        "b.yaml": manifest("one", annotations={FEATURE_GATE: "-Some"}),
    }
    changed = {**texts, "b.yaml": manifest("one", "Insights", annotations={FEATURE_GATE: "-Some"})}
    before, same, after = (
        read_source(str(write_files(tmp_path / str(number), files)), f"5.{number}")
        for number, files in enumerate((texts, texts, changed))
    )
    assert brief(run_lint(same, before)) == []
    assert brief(run_lint(after, before)) == finding("gains-capability", path="b.yaml", line=8)


def test_the_gates_of_capabilities_are_known_without_a_feature_gate_manifest(tmp_path):
    gated = {FEATURE_GATE: "ClusterAPIMachineManagement"}
    before, after = (
        read_source(str(write_files(tmp_path / version, {"a.yaml": manifest("one", name, annotations=gated)})), version)
        for version, name in (("4.22", ""), ("4.23", "CloudCredential"))
    )
    assert brief(run_lint(after, before)) == []


def test_the_previous_release_of_one_operator_has_feature_gates(tmp_path):
    gated = {FEATURE_GATE: "Some"}
    gates = documents(*(feature_gate(["Other"], name) for name in ("Default", "OKD")))
    texts = {"0000_30_one_a.yaml": manifest("one", annotations=gated), "0000_10_gates.yaml": gates}
    before = read_source(str(write_release(tmp_path / "4.22", texts, "4.22.1")), None)
    changed = {"0000_30_one_a.yaml": manifest("one", "Console", annotations=gated)}
    after = read_source(str(write_files(tmp_path / "manifests", changed)), "4.23")
    assert brief(run_lint(after, before)) == []


def test_a_deletion_that_gains_a_capability(update):
    deletion = manifest("one", "Console", annotations={DELETE: "true"})
    assert update(manifest("one"), deletion) == finding("deletion-gains-capability", line=8)
    assert update(manifest("one", "Console"), deletion) == []


def test_a_deletion_that_loses_a_capability(update):
    before, after = (manifest("one", name, annotations={DELETE: "true"}) for name in ("Console", ""))
    assert ("deletion-loses-capability", "warning", "release-manifests/a.yaml", 1) in update(before, after)
    # Those that disabled it never got what is deleted for the first time.
    assert update(manifest("one", "Console"), after) == finding("deletion-loses-capability", "warning", line=1)


def test_a_resource_that_no_release_deletes(update):
    assert update(manifest("one"), "") == finding("left-behind", "warning", line=0)
    assert update(manifest("one"), manifest("one", annotations={DELETE: "true"})) == []
    assert update(manifest("one", annotations=TECH_PREVIEW), "") == []


def test_what_cannot_be_read_is_not_removed(update):
    assert [rule for rule, *_more in update(manifest("one"), "a: [")] == ["invalid-manifest"]


def test_a_directory_is_compared_with_its_components_of_a_release(tmp_path):
    names = ("0000_50_console-operator_1.yaml", "0000_50_console-operator_2.yaml", "0000_50_other-operator_1.yaml")
    write_release(tmp_path / "before", {name: manifest(name[8:-5].replace("_", "-")) for name in names}, "4.19.1")
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests" / "a.yaml").write_text(manifest("console-operator-1"))
    found = run_lint(read_source(str(tmp_path / "manifests"), "4.20"), read_source(str(tmp_path / "before"), None))
    gone = [("left-behind", "warning", f"release-manifests/{name}", 0) for name in names[1:]]
    # Another directory can have it. A release has the files of the directory in another one.
    assert brief(found) == [("left-behind", "info", names[1], 0)]
    # As oc adm release extract writes a whole release.
    shutil.copy(tmp_path / "before" / "release-manifests" / "release-metadata", tmp_path / "manifests")
    found = run_lint(read_source(str(tmp_path / "manifests"), None), read_source(str(tmp_path / "before"), None))
    assert brief(found) == gone


def test_a_resource_that_leaves_a_profile(update):
    before = manifest("one", annotations={HOSTED: "true"})
    assert update(before, manifest("one")) == finding("leaves-profile", "warning")


def test_all_profiles_that_a_resource_leaves_are_in_one_finding(tmp_path):
    texts = (
        manifest("one", annotations={HOSTED: "true"}),
        manifest("one", annotations={HOSTED: "true", **TECH_PREVIEW}),
    )
    before, after = (
        read_source(str(write_files(tmp_path / str(number), {"a.yaml": text})), f"4.{number}")
        for number, text in enumerate(texts, 19)
    )
    (found,) = run_lint(after, before)
    assert found.message.startswith(
        "is no longer for clusters of ibm-cloud-managed (Default) and self-managed-high-availability (Default), "
    )


def test_a_resource_that_comes_back(update):
    deletion = manifest("one", annotations={DELETE: "true"})
    assert update(deletion, manifest("one")) == finding("returns", "warning")


def test_a_deletion_stays_for_one_minor(update, tmp_path):
    deletion = manifest("one", annotations={DELETE: "true"})
    old, new = (
        read_source(str(write_files(tmp_path / str(minor), {"a.yaml": deletion})), f"4.{minor}") for minor in (18, 20)
    )
    assert [found.message for found in run_lint(new, old)] == [
        "was already deleted by 4.18, so no cluster has the resource"
    ]
    assert update(deletion, deletion) == finding("still-deletes", "info", line=7)


def test_a_deletion_for_hosted_clusters_names_them(tmp_path):
    deletion = manifest("one", profile="ibm-cloud-managed", annotations={DELETE: "true"})
    old, new = (
        read_source(str(write_files(tmp_path / str(minor), {"a.yaml": deletion})), f"4.{minor}") for minor in (18, 20)
    )
    messages = [found.message for found in run_lint(new, old) if found.code == "still-deletes"]
    assert messages == ["was already deleted by 4.18, so only a hosted cluster that skipped 4.18 can have the resource"]


def test_a_deletion_stays_in_the_patches_of_a_minor(update):
    deletion = manifest("one", annotations={DELETE: "true"})
    assert update(deletion, deletion, ("4.20.1", "4.20.2")) == []
