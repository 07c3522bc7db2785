# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every rule of the lint, in releases and directories of a few manifests, through the module."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._lint.rules import RULES
from ansible_collections.capability.openshift.plugins.modules import release_lint
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    DELETE,
    FEATURE_SET,
    INCLUDE,
    cluster_version_crd,
    documents,
    feature_gate,
    manifest,
    write_files,
    write_release,
)

HOSTED = "include.release.openshift.io/ibm-cloud-managed"
TECH_PREVIEW = {FEATURE_SET: "TechPreviewNoUpgrade"}
RBAC = "rbac.authorization.k8s.io/v1"


def deployment(capability: str = "", **more: Any) -> str:
    spec = {"template": {"spec": {"serviceAccountName": "robot"}}}
    text = f"spec: {json.dumps(spec)}\n"
    return manifest("app", capability, kind="Deployment", api="apps/v1", namespace="ns", more=text, **more)


def cluster_operator(capability: str = "") -> str:
    return manifest("web", capability, kind="ClusterOperator", api="config.openshift.io/v1")


@pytest.fixture
def check(call, tmp_path):
    """Lint a directory with ``files``, and return rule, severity, file and line of each finding."""

    def check(files: dict[str, str | bytes] | str, **options: Any):
        files = {"a.yaml": files} if isinstance(files, str) else files
        directory = write_files(tmp_path / "manifests", files)
        options = {"openshift_version": "4.20", "fail_on": "never", **options}
        return found(call(release_lint, release=directory, **options))

    return check


@pytest.fixture
def update(call, tmp_path):
    """Lint the update from the release ``before`` to ``after``, and return the findings of the update."""

    def update(before: str, after: str, versions: tuple[str, str] = ("4.19.1", "4.20.1"), **options: Any):
        keep = {"z.yaml": manifest("kept")}
        old = write_release(tmp_path / "old", {"a.yaml": before, **keep}, versions[0])
        new = write_release(tmp_path / "new", {"a.yaml": after, **keep} if after else keep, versions[1])
        outcome = call(release_lint, release=new, previous_release=old, fail_on="never", **options)
        return [item for item in found(outcome) if item[0] != "unused-capability"]

    return update


def found(outcome):
    assert not outcome.failed, outcome.result
    return [(item["rule"], item["severity"], item["path"], item["line"]) for item in outcome["findings"]]


def of_update(rule, severity="error", path="release-manifests/a.yaml", line=1):
    return [(rule, severity, path, line)]


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


def test_annotations_that_are_not_strings(call, check, tmp_path):
    text = manifest("one", "Console").replace('"true"', "true")
    assert "true" in text
    assert check(text) == [("invalid-manifest", "warning", "a.yaml", 1), ("no-profile", "error", "a.yaml", 6)]
    outcome = call(release_lint, release=tmp_path / "manifests", openshift_version="4.20", fail_on="never")
    unreadable, without_profile = outcome["findings"]
    assert unreadable["message"].startswith(f"metadata.annotations[{INCLUDE}] is a boolean (True), expected a string")
    assert without_profile["message"] == (
        f"has the annotation {INCLUDE}, whose value is not a string: the CVO then reads no annotation, so no cluster "
        "gets the manifest"
    )
    assert without_profile["hint"] == "Quote the values of all annotations"


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("Console, Storage", "Separate names with + only"),
        ("Console Storage", "Separate names with + only"),
        ("Console +Storage", "Separate names with + only"),
        ("Console;Storage", "Separate names with + only"),
        ("Console++Storage", "Remove the extra +, or write the missing name"),
        ("Backup", "Correct the name, or set assume_known if the API does not know it yet"),
        ("Consle", "Did you mean Console?"),
        ("storage", "Write Storage: names are case sensitive"),
    ],
)
def test_the_hint_about_a_name_depends_on_the_name(call, check, tmp_path, value, hint):
    assert {rule for rule, *_more in check(manifest("one", annotations={CAPABILITY: value}))} == {"unknown-capability"}
    outcome = call(release_lint, release=tmp_path / "manifests", openshift_version="4.20", fail_on="never")
    assert outcome["findings"][0]["hint"] == hint


@pytest.mark.parametrize("value", ["Consle", "Console+", " Console", "console", "Console + Ingress", ""])
def test_an_unknown_or_blank_name(check, value):
    text = manifest("one", annotations={CAPABILITY: value})
    findings = check(text)
    assert {rule for rule, *_more in findings} == {"unknown-capability"}
    assert {line for *_more, line in findings} == {7}


def test_a_new_capability_can_be_assumed(check):
    text = manifest("one", "Backup")
    assert [rule for rule, *_more in check(text)] == ["unknown-capability"]
    assert check(text, assume_known=["Backup"]) == []


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
        ("include.release.openshift.io/self-managed-highavailability", INCLUDE),
        ("includes.release.openshift.io/ibm-cloud-managed", HOSTED),
    ],
)
def test_a_misspelled_annotation(call, check, tmp_path, key, meant):
    text = manifest("one", annotations={key: "true"})
    assert check(text) == [("misspelled-annotation", "error", "a.yaml", 7)]
    outcome = call(release_lint, release=tmp_path / "manifests", openshift_version="4.20", fail_on="never")
    assert outcome["findings"][0]["hint"] == f"Write {meant}"


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


@pytest.mark.parametrize(("value", "findings"), [("true", 0), ("True", 1), ("", 1), ("false", 1)])
def test_the_value_of_a_deletion(check, value, findings):
    assert [rule for rule, *_more in check(manifest("one", annotations={DELETE: value}))] == (
        ["invalid-deletion"] * findings
    )


def test_two_answers_for_one_resource(check):
    files = {"a.yaml": manifest("one", "Console"), "b.yaml": manifest("one", "Storage")}
    assert check(files) == [("two-answers", "error", "b.yaml", 1)]
    files["b.yaml"] = manifest("one", "Console", annotations={DELETE: "true"})
    assert check(files) == [("two-answers", "error", "b.yaml", 1)]
    # Variants for other clusters, or with the same needs, are usual.
    files["b.yaml"] = manifest("one", "Storage", profile="ibm-cloud-managed")
    assert check(files) == []
    assert check({"a.yaml": manifest("one", "Console"), "b.yaml": manifest("one", "Console")}) == []


def test_a_capability_without_manifests(call, tmp_path):
    definition = yaml.safe_dump(yaml.safe_load(cluster_version_crd(["Console", "Storage"])))
    release = write_release(tmp_path, {"a.yaml": manifest("one", "Console"), "b.yaml": definition}, "4.20.1")
    outcome = call(release_lint, release=release, fail_on="never")
    unused = [item for item in outcome["findings"] if item["rule"] == "unused-capability"]
    assert [(item["severity"], item["resource"]) for item in unused] == [("warning", "Storage")]
    lines = (release / "release-manifests" / "b.yaml").read_text().splitlines()
    assert (unused[0]["path"], lines[unused[0]["line"] - 1].strip()) == ("release-manifests/b.yaml", "- Storage")


def test_an_odd_one_out_is_found_on_request(check):
    files = {f"0000_50_web_{number:02}.yaml": manifest(f"n{number}", "Console") for number in range(9)}
    files["0000_50_web_99.yaml"] = manifest("odd")
    assert check(files) == []
    assert check(files, extra_rules=["odd-one-out"]) == [("odd-one-out", "info", "0000_50_web_99.yaml", 1)]


def test_a_resource_that_gains_a_known_capability(update):
    assert update(manifest("one"), manifest("one", "Console")) == of_update("gains-capability", line=7)


def test_a_resource_that_gains_a_new_capability_becomes_optional(update):
    before = documents(manifest("one"), manifest("two"))
    after = documents(manifest("one", "Backup"), manifest("two", "Backup"))
    assert update(before, after, assume_known=["Backup"]) == of_update("becomes-optional", "info", line=7)


def test_clusters_that_cannot_update_gain_nothing(update):
    before, after = (manifest("one", name, annotations=TECH_PREVIEW) for name in ("", "Console"))
    assert update(before, after) == []


def test_a_resource_that_loses_a_capability(update):
    assert update(manifest("one", "Console"), manifest("one")) == of_update("loses-capability")
    # Also where no cluster can update, or no cluster has it yet.
    before, after = (manifest("one", name, annotations=TECH_PREVIEW) for name in ("Console", ""))
    assert update(before, after) == of_update("loses-capability")
    bare = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: bare\n"
    rules = {rule for rule, *_more in update(bare + f"  annotations: {{{CAPABILITY}: Console}}\n", bare)}
    assert "loses-capability" in rules


def test_a_deletion_that_gains_a_capability(update):
    deletion = manifest("one", "Console", annotations={DELETE: "true"})
    assert update(manifest("one"), deletion) == of_update("deletion-gains-capability", line=8)
    assert update(manifest("one", "Console"), deletion) == []


def test_a_deletion_that_loses_a_capability(update):
    before, after = (manifest("one", name, annotations={DELETE: "true"}) for name in ("Console", ""))
    assert ("deletion-loses-capability", "warning", "release-manifests/a.yaml", 1) in update(before, after)
    # A resource that is deleted for the first time needs no annotation.
    assert update(manifest("one", "Console"), after) == []


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


def test_a_capability_that_vanishes(call, tmp_path):
    releases = [
        write_release(tmp_path / version, {"a.yaml": manifest("one"), "b.yaml": cluster_version_crd(names)}, version)
        for version, names in (("4.19.1", ["Console", "Storage"]), ("4.20.1", ["Console", "Disks"]))
    ]
    outcome = call(release_lint, release=releases[1], previous_release=releases[0], fail_on="never")
    (finding,) = [item for item in outcome["findings"] if item["rule"] == "vanished-capability"]
    assert (finding["severity"], finding["resource"]) == ("error", "Storage")
    assert finding["path"] == "release-manifests/b.yaml"
    assert finding["message"] == (
        "is a capability of the previous release, but not of this one: the API server rejects every write to a "
        "ClusterVersion that contains it"
    )
    options = {"previous_release": releases[0], "fail_on": "never", "assume_known": ["Storage"]}
    outcome = call(release_lint, release=releases[1], **options)
    assert "vanished-capability" not in {item["rule"] for item in outcome["findings"]}


def test_the_previous_release_is_not_the_later_one(call, tmp_path):
    releases = [
        write_release(tmp_path / version, {"a.yaml": manifest("one")}, version) for version in ("4.19.1", "4.20.1")
    ]
    outcome = call(release_lint, release=releases[0], previous_release=releases[1])
    assert outcome.faults == [("later-release", "previous_release")]
    assert "is 4.20.1, expected a release that is not later than 4.19.1" in outcome.message


def test_a_resource_that_is_left_behind(update):
    assert update(manifest("one"), "") == of_update("left-behind", "warning", "", 0)
    assert update(manifest("one"), manifest("one", annotations={DELETE: "true"})) == []
    assert update(manifest("one", annotations=TECH_PREVIEW), "") == []


def test_a_resource_that_leaves_a_profile(update):
    before = manifest("one", annotations={HOSTED: "true"})
    assert update(before, manifest("one")) == of_update("leaves-profile", "warning")


def test_a_resource_that_comes_back(update):
    deletion = manifest("one", annotations={DELETE: "true"})
    assert update(deletion, manifest("one")) == of_update("returns", "warning")


def test_a_deletion_stays_for_one_minor(update):
    deletion = manifest("one", annotations={DELETE: "true"})
    assert update(deletion, deletion) == of_update("still-deletes", "info", line=7)
    assert update(deletion, deletion, ("4.20.1", "4.20.2")) == []


def test_rules_can_be_skipped(check):
    text = manifest("one", "Consle", annotations={DELETE: "yes"})
    assert len(check(text)) == 2
    assert [rule for rule, *_more in check(text, skip_rules=["unknown-capability"])] == ["invalid-deletion"]


def test_an_unknown_rule_is_an_error(call, tmp_path):
    directory = write_files(tmp_path / "manifests", {"a.yaml": manifest("one")})
    outcome = call(release_lint, release=directory, openshift_version="4.20", skip_rules=["no-profil"])
    assert outcome.faults == [("unknown-rule", "skip_rules")]
    assert "no-profile" in outcome.message


def test_without_a_version_the_names_are_not_known(call, tmp_path):
    directory = write_files(tmp_path / "manifests", {"a.yaml": manifest("one")})
    assert call(release_lint, release=directory).faults == [("missing-version", "openshift_version")]
    outcome = call(release_lint, release=directory, openshift_version="4.20", previous_release=directory)
    assert outcome.faults == [("missing-version", "previous_openshift_version")]


def test_a_finding_fails_the_module_and_has_everything(call, tmp_path):
    directory = write_files(tmp_path / "manifests", {"a.yaml": manifest("one", "Consle")})
    outcome = call(release_lint, release=directory, openshift_version="4.20")
    assert outcome.failed
    (finding,) = outcome["findings"]
    assert finding["resource"] == "ConfigMap one"
    assert finding["hint"] == "Did you mean Console?"
    assert (outcome["version"], outcome["manifests"]) == ("4.20", 1)


def test_the_page_describes_every_rule():
    page = (Path(__file__).parents[4] / "docs" / "lint_a_release.md").read_text(encoding="utf-8")
    for rule in RULES:
        assert f"| `{rule.id}` | {rule.severity} |" in page, rule.id
