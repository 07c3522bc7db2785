# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules about manifests that a cluster can have together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.hosted_clusters import HOSTED_PROFILE
from ansible_collections.capability.openshift.plugins.module_utils._lint.cluster_variant import ClusterVariant
from ansible_collections.capability.openshift.plugins.module_utils._lint.source import read_source
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    DELETE,
    FEATURE_GATE,
    FEATURE_SET,
    documents,
    manifest,
    write_files,
)
from ansible_collections.capability.openshift.tests.unit.plugins.module_utils._lint.conftest import brief, run_lint

TECH_PREVIEW = {FEATURE_SET: "TechPreviewNoUpgrade"}
RBAC = "rbac.authorization.k8s.io/v1"


def deployment(capability: str = "", **more: Any) -> str:
    spec = {"template": {"spec": {"serviceAccountName": "robot"}}}
    text = f"spec: {json.dumps(spec)}\n"
    return manifest("app", capability, kind="Deployment", api="apps/v1", namespace="ns", more=text, **more)


def cluster_operator(capability: str = "") -> str:
    return manifest("web", capability, kind="ClusterOperator", api="config.openshift.io/v1")


def test_a_clean_directory_has_no_findings(check):
    assert (
        check(documents(manifest("ns", "Console", kind="Namespace"), manifest("one", "Console", namespace="ns"))) == []
    )


@pytest.mark.parametrize(
    ("target", "source", "rule"),
    [
        (manifest("ns", "Console", kind="Namespace"), manifest("one", namespace="ns"), "dangling-namespace"),
        (
            manifest(
                "widgets.example.org",
                "Console",
                kind="CustomResourceDefinition",
                api="apiextensions.k8s.io/v1",
                more="spec: {names: {kind: Widget}}\n",
            ),
            manifest("one", kind="Widget", api="example.org/v1"),
            "dangling-definition",
        ),
        (manifest("robot", "Console", kind="ServiceAccount", namespace="ns"), deployment(), "dangling-workload"),
        (
            manifest("role", "Console", kind="ClusterRole", api=RBAC),
            manifest("one", kind="ClusterRoleBinding", api=RBAC, more="roleRef: {kind: ClusterRole, name: role}\n"),
            "dangling-role",
        ),
        (
            manifest("robot", "Console", kind="ServiceAccount", namespace="ns"),
            manifest(
                "one",
                kind="ClusterRoleBinding",
                api=RBAC,
                more="subjects: [{kind: ServiceAccount, name: robot, namespace: ns}]\n",
            ),
            "dangling-rights",
        ),
    ],
)
def test_a_reference_needs_the_capabilities_of_its_target(check, target, source, rule):
    # The second document begins on the line after the separator.
    line = target.count("\n") + 2
    assert check(documents(target, source)) == [(rule, "error", "a.yaml", line)]
    annotated = source.replace("  annotations:\n", f"  annotations:\n    {CAPABILITY}: Console\n", 1)
    assert check(documents(target, annotated)) == []


def test_a_cluster_operator_needs_the_capabilities_of_its_operator(check):
    files = {"0000_50_web_01.yaml": deployment("Console"), "0000_50_web_02.yaml": cluster_operator()}
    assert check(files) == [("dangling-operator", "error", "0000_50_web_02.yaml", 1)]
    files["0000_50_web_02.yaml"] = cluster_operator("Console")
    assert check(files) == []


def test_a_reference_counts_only_where_a_cluster_can_have_both(check):
    namespace = manifest("ns", "Console", kind="Namespace", profile="ibm-cloud-managed")
    assert check(documents(namespace, manifest("one", namespace="ns"))) == []
    namespace = manifest("ns", "Console", kind="Namespace", annotations=TECH_PREVIEW)
    assert check(documents(namespace, manifest("one", namespace="ns", annotations={FEATURE_SET: "Default"}))) == []
    both = check(documents(namespace, manifest("one", namespace="ns")))
    assert [rule for rule, *_more in both] == ["dangling-namespace"]


def test_a_capability_that_another_one_requires_is_implied(check):
    text = documents(
        manifest("ns", "OperatorLifecycleManager", kind="Namespace"), manifest("one", "marketplace", namespace="ns")
    )
    assert check(text) == []
    assert check(documents(manifest("ns", "Ingress", kind="Namespace"), manifest("one", namespace="ns"))) == []


@pytest.mark.parametrize(
    ("gates", "version", "both"),
    [
        (("Some", "-Some"), "5.0", False),
        (("-Some,Other", "Other, Some"), "4.22", False),
        (("Some", "-Some"), "4.21", True),  # whose CVO reads no gates
        (("Some", "Some"), "5.0", True),
        (("Some", "-Other"), "5.0", True),
    ],
)
def test_two_manifests_whose_gates_exclude_each_other_have_one_answer(tmp_path, gates, version, both):
    first, second = ({"release.openshift.io/feature-gate": gate} for gate in gates)
    files = {"a.yaml": manifest("one", "Console", annotations=first), "b.yaml": manifest("one", annotations=second)}
    found = run_lint(read_source(str(write_files(tmp_path / "manifests", files)), version))
    assert ("two-answers" in {item.code for item in found}) is both


def test_a_reference_to_what_a_feature_gate_excludes_does_not_count(check):
    namespace = manifest("ns", "Console", kind="Namespace", annotations={FEATURE_GATE: "Some"})
    texts = [manifest("one", namespace="ns", annotations={FEATURE_GATE: gate}) for gate in ("-Some", "Some")]
    found = [check(documents(namespace, text), version="5.0") for text in texts]
    assert [[rule for rule, *_more in item] for item in found] == [[], ["dangling-namespace"]]


def test_two_answers_for_one_resource(check):
    files = {"a.yaml": manifest("one", "Console"), "b.yaml": manifest("one", "Storage")}
    assert check(files) == [("two-answers", "error", "b.yaml", 1)]
    files["b.yaml"] = manifest("one", "Console", annotations={DELETE: "true"})
    assert check(files) == [("two-answers", "error", "b.yaml", 1)]
    # Variants for other clusters, or with the same needs, are usual.
    files["b.yaml"] = manifest("one", "Storage", profile="ibm-cloud-managed")
    assert check(files) == []
    assert check({"a.yaml": manifest("one", "Console"), "b.yaml": manifest("one", "Console")}) == []


def test_a_deletion_needs_the_capabilities_of_its_definition(check):
    definition = manifest(
        "widgets.example.org",
        "Console",
        kind="CustomResourceDefinition",
        api="apiextensions.k8s.io/v1",
        more="spec: {names: {kind: Widget}}\n",
    )
    files = {"a.yaml": definition}
    for name in ("", "Console"):
        files["b.yaml"] = manifest("one", name, kind="Widget", api="example.org/v1", annotations={DELETE: "true"})
        assert check(files) == ([] if name else [("dangling-definition", "error", "b.yaml", 1)])


@pytest.mark.parametrize(
    ("first", "second", "needs"),
    [
        ({"capability": "Console"}, {"capability": "Storage"}, ("needs Console", "needs Storage")),
        ({}, {"capability": "Storage"}, ("needs no capability", "needs Storage")),
        (
            {"capability": "Console+Ingress"},
            {"annotations": {DELETE: "true"}},
            ("needs Console and Ingress", "deletes it and needs no capability"),
        ),
    ],
)
def test_the_message_about_two_manifests_says_what_each_of_them_needs(findings, first, second, needs):
    (finding,) = findings({"a.yaml": manifest("one", **first), "b.yaml": manifest("one", **second)})
    assert finding.code == "two-answers"
    assert finding.message == (
        f"has another manifest in a.yaml, which {needs[0]}; this one {needs[1]}: "
        "the order of the files decides what the cluster has"
    )


@pytest.mark.parametrize(
    ("capability", "found"),
    [
        ("ClusterAPI", False),  # it requires CompatibilityRequirements wherever its gates are enabled
        ("Console", True),
        ("CompatibilityRequirements", False),
    ],
)
def test_a_rule_with_feature_gates_counts_where_they_are_enabled(tmp_path, capability, found):
    # As in openshift/cluster-capi-operator:manifests.
    role = manifest("role", "CompatibilityRequirements", kind="ClusterRole", api=RBAC)
    reference = "roleRef: {kind: ClusterRole, name: role}\n"
    binding = manifest("one", capability, kind="ClusterRoleBinding", api=RBAC, more=reference)
    directory = write_files(tmp_path / "manifests", {"a.yaml": documents(role, binding)})
    findings = brief(run_lint(read_source(str(directory), "5.0")))
    assert [rule for rule, *_more in findings] == ["dangling-role"] * found


@pytest.mark.parametrize(("feature_set", "found"), [("Default", False), ("TechPreviewNoUpgrade", True)])
def test_a_capability_does_not_exist_where_its_feature_gates_are_disabled(tmp_path, feature_set, found):
    target = manifest("ns", "Console", kind="Namespace", annotations={FEATURE_SET: feature_set})
    source = manifest("one", "ClusterAPI", namespace="ns")
    directory = write_files(tmp_path / "manifests", {"a.yaml": documents(target, source)})
    findings = brief(run_lint(read_source(str(directory), "5.0")))
    assert [rule for rule, *_more in findings] == ["dangling-namespace"] * found


def test_hypershift_deletes_manifests_of_the_cvo_but_none_of_an_operator_in_a_folder_of_that_name(tmp_path):
    write_files(tmp_path / "manifests", {"0000_50_app_deployment.yaml": manifest("app", profile=HOSTED_PROFILE)})
    release = read_source(str(tmp_path), "4.20", folders=("manifests",)).release
    (found,) = ClusterVariant(release, release, HOSTED_PROFILE, "").manifests
    assert found.file == "manifests/0000_50_app_deployment.yaml"
