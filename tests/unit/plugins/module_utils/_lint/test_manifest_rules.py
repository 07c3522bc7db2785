# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules about single manifests: profiles, names and annotations."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Location
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    DELETE,
    FEATURE_GATE,
    FEATURE_SET,
    INCLUDE,
    documents,
    feature_gate,
    manifest,
)

BOOTSTRAP = "release.openshift.io/bootstrap-required"
HOSTED = "include.release.openshift.io/ibm-cloud-managed"


def test_a_manifest_without_profile(check):
    bare = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: bare\n"
    annotated = bare + f"  annotations: {{{CAPABILITY}: Console}}\n"
    assert check(annotated) == [("no-profile", "error", "a.yaml", 1)]
    # It may be a source of kustomize or a template: nothing shows that it is meant for the CVO.
    assert check(bare) == [("no-profile", "warning", "a.yaml", 1)]
    inside = bare + "  namespace: ns\n"
    assert check(documents(manifest("ns", kind="Namespace"), inside))[0][:2] == ("no-profile", "error")


def test_the_marker_of_the_config_operator_and_files_of_hypershift_are_answers(check):
    bare = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bare}\n"
    assert check({"a.yaml": feature_gate(["One"]), "b-hypershift.yaml": bare}) == []


def test_annotations_that_are_not_strings(findings):
    text = manifest("one").replace('"true"', "true")
    assert "true" in text
    unreadable, without_profile = findings(text)
    assert (unreadable.code, unreadable.severity) == ("invalid-manifest", "warning")
    assert unreadable.where == Location("a.yaml", line=1)
    assert unreadable.message.startswith(f"metadata.annotations[{INCLUDE}] ")
    assert (without_profile.code, without_profile.severity) == ("no-profile", "error")
    assert without_profile.where[:3] == Location("a.yaml", line=6)[:3]
    assert without_profile.message == (
        f"has the annotation {INCLUDE}, whose value is not a string: the CVO then reads no annotation, so no cluster "
        "gets the manifest"
    )
    assert without_profile.hint == "Quote the values of all annotations"


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("Console, Storage", "Separate names with + only"),
        ("Console Storage", "Separate names with + only"),
        ("Console +Storage", "Separate names with + only"),
        ("Console;Storage", "Separate names with + only"),
        ("Console++Storage", "Remove the extra +, or write the missing name"),
        ("Backup", "Correct the name, or set known_capabilities if the API does not know it yet"),
        ("Consle", "Did you mean Console?"),
        ("storage", "Write Storage"),
    ],
)
def test_the_hint_about_a_name_depends_on_the_name(findings, value, hint):
    found = findings(manifest("one", annotations={CAPABILITY: value}))
    assert {item.code for item in found} == {"unknown-capability"}
    assert found[0].hint.partition(":")[0] == hint


@pytest.mark.parametrize("value", ["Consle", "Console+", " Console", "console", "Console + Ingress", ""])
def test_an_unknown_or_blank_name(check, value):
    text = manifest("one", annotations={CAPABILITY: value})
    findings = check(text)
    assert {rule for rule, *_more in findings} == {"unknown-capability"}
    assert {line for *_more, line in findings} == {7}


def test_a_new_capability_can_be_assumed(check):
    text = manifest("one", "Backup")
    assert [rule for rule, *_more in check(text)] == ["unknown-capability"]
    assert check(text, known_capabilities=["Backup"]) == []


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("capability.openshift.io/names", CAPABILITY),
        ("capabilities.openshift.io/name", CAPABILITY),
        ("capability.openshift.io", CAPABILITY),
        ("capability.openshift.io.name", CAPABILITY),
        ("Capability.openshift.io/Name", CAPABILITY),
        ("release.openshift.io/featureset", FEATURE_SET),
        ("release.openshift.io/deleted", DELETE),
        ("release.openshift.io/bootstrap-require", "release.openshift.io/bootstrap-required"),
        ("include.release.openshift.io/self-managed-highavailability", INCLUDE),
        ("includes.release.openshift.io/ibm-cloud-managed", HOSTED),
    ],
)
def test_a_misspelled_annotation(check, findings, key, meant):
    text = manifest("one", annotations={key: "true"})
    assert check(text) == [("misspelled-annotation", "error", "a.yaml", 7)]
    assert findings(text)[0].hint == f"Write {meant}"


@pytest.mark.parametrize(
    "key",
    [
        "release.openshift.io/create-only",
        "exclude.release.openshift.io/internal-openshift-hosted",
        "include.release.openshift.io/new-profile",
        "service.beta.openshift.io/inject-cabundle",
        "config.openshift.io/inject-proxy",
        "openshift.io/node-selector",
        "openshift.io/description",
        "kubernetes.io/description",
    ],
)
def test_other_annotations_are_no_misspelled_ones(check, key):
    assert check(manifest("one", annotations={key: "true"})) == []


@pytest.mark.parametrize(
    ("value", "is_unknown"),
    [
        ("Default,TechPreviewNoUpgrade", False),
        ("TechPreviewNoUpgrade,CustomNoUpgrad", True),
        ("TechPreviewNoUpgrade, CustomNoUpgrade", True),
        ("default", True),
    ],
)
def test_no_cluster_gets_a_manifest_for_an_unknown_feature_set(check, value, is_unknown):
    """One unknown name is enough."""
    expected = [("misspelled-annotation", "error", "a.yaml", 7)] if is_unknown else []
    assert check(manifest("one", annotations={FEATURE_SET: value})) == expected


@pytest.mark.parametrize(("version", "is_excluded"), [("4.21", False), ("4.22", True), ("5.0", True)])
def test_no_cluster_gets_a_manifest_with_a_feature_set_and_feature_gates(check, version, is_excluded):
    both = manifest("one", annotations={FEATURE_SET: "Default", FEATURE_GATE: "Some"})
    expected = [("misspelled-annotation", "error", "a.yaml", 8)] if is_excluded else []
    assert check(both, version=version) == expected
    assert check(manifest("one", annotations={FEATURE_GATE: "Some"}), version=version) == []


def test_true_in_capitals_is_no_value_of_a_profile(check):
    assert check(manifest("one").replace('"true"', '"True"')) == [("misspelled-annotation", "error", "a.yaml", 6)]


def test_a_label_is_no_annotation(check):
    text = manifest("one").replace("  annotations:", f"  labels: {{{CAPABILITY}: Console}}\n  annotations:")
    assert check(text) == [("misplaced-annotation", "error", "a.yaml", 5)]


def test_the_annotation_of_a_pod_template_is_not_that_of_the_manifest(check):
    template = f"spec: {{template: {{metadata: {{annotations: {{{CAPABILITY}: Console}}}}}}}}\n"
    text = manifest("one", kind="Deployment", api="apps/v1", namespace="x", more=template)
    assert [rule for rule, *_more in check(text)] == ["misplaced-annotation"]


@pytest.mark.parametrize(
    ("kind", "api", "spec", "line"),
    [
        ("Deployment", "apps/v1", "spec:\n  template: {}\n", 10),
        ("CronJob", "batch/v1", "spec: {{jobTemplate: {{spec:\n  {{template: {}}}}}}}\n", 10),
    ],
)
def test_the_annotation_of_a_pod_template_of_an_annotated_manifest_is_a_note(check, kind, api, spec, line):
    template = f"{{metadata: {{annotations: {{{CAPABILITY}: Console}}}}}}"
    text = manifest("one", "Console", kind=kind, api=api, namespace="x", more=spec.format(template))
    assert check(text) == [("annotated-pods", "info", "a.yaml", line)]
    # Elsewhere in the body, the name of the annotation means nothing.
    text = manifest("one", "Console", kind=kind, api=api, namespace="x", more=f"spec: {{note: {CAPABILITY}}}\n")
    assert check(text) == []


@pytest.mark.parametrize(("value", "number"), [("true", 0), ("True", 1), ("", 1), ("false", 1)])
def test_the_value_of_a_deletion(check, value, number):
    assert [rule for rule, *_more in check(manifest("one", annotations={DELETE: value}))] == (
        ["invalid-deletion"] * number
    )


def test_a_wrong_name_is_one_finding(check):
    namespace = manifest("ns", "Insights", kind="Namespace")
    assert check(documents(namespace, manifest("one", "insights", namespace="ns"))) == [
        ("unknown-capability", "error", "a.yaml", namespace.count("\n") + 9)
    ]
    namespace = manifest("ns", "insights", kind="Namespace")
    assert check(documents(namespace, manifest("one", "Insights", namespace="ns"))) == [
        ("unknown-capability", "error", "a.yaml", 7)
    ]


def definition(name, capability):
    return manifest(name, capability, kind="CustomResourceDefinition", api="apiextensions.k8s.io/v1")


def test_resources_that_the_bootstrap_renders(check, findings):
    assert check(definition("consoles.operator.openshift.io", "Console")) == []
    assert check(definition("consoles.config.openshift.io", "")) == []
    assert check(definition("consoles.config.openshift.io", "Console")) == [("rendered-anyway", "warning", "a.yaml", 7)]
    # Only standalone clusters have a bootstrap.
    hosted = definition("consoles.config.openshift.io", "Console").replace(INCLUDE, HOSTED)
    assert check(hosted) == []
    both = manifest("one", "NodeTuning", annotations={BOOTSTRAP: "true"})
    (found,) = findings(both)
    assert found.code == "rendered-anyway"
    assert found.message.endswith(f"{BOOTSTRAP}: the renderer of openshift/api rejects both")


def test_a_capability_that_is_always_enabled_keeps_nothing_out(check):
    assert check(definition("ingresscontrollers.operator.openshift.io", "Ingress")) == []
    name = "openshift-ingress-operator"
    assert check(manifest(name, "Console", kind="Namespace")) == [("rendered-anyway", "warning", "a.yaml", 7)]
