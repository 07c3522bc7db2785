# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that cannot be read, or not as a site: one line each, and the others are checked all the same."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._findings import files as findings_files
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files
from ansible_collections.capability.openshift.tests.unit.builders.sites import (
    cluster_instance,
    cluster_version,
    documents,
    overrides,
    quoted,
    rules_of,
    site_config,
    write_checkout,
)
from ansible_collections.capability.openshift.tests.unit.other_user import OTHER_USER, as_other_user

GOOD = cluster_instance(quoted(overrides("NodeTuning", "Ingress")), name="good")
WRONG = cluster_instance(quoted(overrides("nodetuning", "Ingress")))
BOMB = "".join(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9) if level else 'x'}]\n" for level in range(12))
HEAD = "apiVersion: siteconfig.open-cluster-management.io/v1alpha1\nkind: ClusterInstance\nmetadata: {name: x}\n"


def test_the_result_is_utf_8_if_the_name_of_a_file_is_not(check):
    outcome = check({os.fsdecode(b"\xff.yaml"): WRONG})
    assert [item["path"] for item in (*outcome["sites"], *outcome["findings"])] == ["\\udcff.yaml"] * 2
    assert "\\udcff.yaml:10: error" in outcome["text"]


@pytest.mark.parametrize(
    ("content", "severity", "rule", "line"),
    [
        (cluster_instance("'{'"), "error", "invalid-json", 10),
        (cluster_instance("'[1]'"), "error", "not-a-map", 10),
        (cluster_instance(quoted('{"a": NaN}')), "error", "invalid-json", 10),
        (cluster_instance(quoted('{"a": [-Infinity]}')), "error", "invalid-json", 10),
        (cluster_instance(quoted('"{}"')), "error", "not-a-map", 10),
        (cluster_instance("'" + "[" * 100_000 + "'"), "error", "invalid-json", 10),
        (cluster_instance("[1]"), "error", "not-a-string", 10),
        (cluster_instance("5"), "error", "not-a-string", 10),
        (cluster_instance(quoted('{"a": 1, "a": 2}')), "error", "duplicate-key", 10),
        (cluster_instance("'{{ .Values.overrides }}'"), "info", "template", 10),
        (cluster_instance("'$(OVERRIDES)'"), "info", "template", 10),
        (cluster_instance("'${overrides:={}}'"), "info", "template", 10),
        (cluster_instance("ENC[AES256_GCM,data:YQ==,type:str]"), "info", "template", 10),
        (cluster_instance("*nowhere"), "error", "invalid-yaml", 10),
        (HEAD + BOMB + "spec: {installConfigOverrides: *a11}\n", "error", "invalid-yaml", 16),
        (HEAD + f"spec: {'[' * 5000}", "error", "invalid-yaml", 4),
        (HEAD + "spec:\n\tx: 1\n", "error", "invalid-yaml", 5),
        (HEAD + "spec: {\n", "error", "invalid-yaml", 4),
        (HEAD + "spec: 'a\x07b'\n", "error", "invalid-yaml", 4),
        (HEAD + "spec:\n  {{ toYaml . }}\n", "info", "template", 5),
        ("# of {{ ansible_managed }}\n" + HEAD + "<<<<<<< HEAD\nspec: {}\n", "error", "invalid-yaml", 6),
        ("{{ if .Values.x }}\n" + GOOD + "{{ end }}\n", "info", "template", 1),
        ("kind: Kustomization\npatches: [{patch: 'kind: ClusterInstance'}]\n", "info", "kustomization", 1),
        ("kind: PolicyGenerator\npolicies: [{name: a, manifests: [{path: b.yaml}]}]\n", "info", "policy-generator", 1),
        ("a: 1\n---\nkind: PolicyGenTemplate\nspec: {sourceFiles: []}\n", "info", "policy-generator", 2),
        (WRONG.encode("utf-16"), "error", "invalid-encoding", 0),
        (HEAD.encode() + b"spec: {x: '\xff'}\n", "error", "invalid-encoding", 4),
        (HEAD + "...\nkind: HostedCluster\n", "error", "invalid-yaml", 5),
        (f"a: 1\n---\n{HEAD}---\n{HEAD}".replace("\n", "\r").encode(), "error", "invalid-yaml", 2),
    ],
)
def test_a_bad_file_is_one_line_and_the_others_are_checked(check, content, severity, rule, line):
    outcome = check({"bad.yaml": content, "good.yaml": GOOD, "wrong.yaml": WRONG})
    found = [item for item in outcome["findings"] if item["path"] == "bad.yaml"]
    assert [(item["severity"], item["rule"], item["line"]) for item in found] == [(severity, rule, line)]
    assert "\n" not in found[0]["message"] + found[0]["hint"]
    assert rules_of(outcome["findings"], "error")[-1] == ("unknown-capability", "wrong.yaml")
    assert {"good", "berlin"} <= {site["name"] for site in outcome["sites"]}


_DEFAULTS = """\
kind: ConfigMap
data:
  clusterinstance-defaults: |
    installConfigOverrides: '{"capabilities": {"baselineCapabilitySet": "None"}}'
"""
_RAW_POLICY = """\
kind: ConfigurationPolicy
spec:
  object-templates-raw: |
    - objectDefinition: {kind: ClusterVersion, spec: {capabilities: {additionalEnabledCapabilities: [Console]}}}
"""
_HIVE = """\
apiVersion: hive.openshift.io/v1
kind: {}
metadata: {{name: a}}
spec:
  {}: {{name: a-install-config}}
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (_DEFAULTS, 3),
        (_RAW_POLICY, 3),
        ("kind: Secret\nstringData:\n  install-config.yaml: 'capabilities: {baselineCapabilitySet: v4.18}'\n", 3),
        ('clusters:\n- overrides: \'{"capabilities": {"baselineCapabilitySet": "None"}}\'\n', 2),
        ("a:\n- capabilities:\n    baselineCapabilitySet: None\n    additionalEnabledCapabilities: []\n", 3),
        # An OpenshiftAssistedControlPlane of Cluster API
        ("kind: A\nspec:\n  config:\n    capabilities:\n      baselineCapability: none\n", 5),
        ('- op: add\n  value: \'{"baselineCapabilitySet":"None"}\'\n', 2),
        (_HIVE.format("ClusterPool", "installConfigSecretTemplateRef"), 5),
        (_HIVE.format("ClusterDeployment", "provisioning: {installConfigSecretRef").replace("config}", "config}}"), 5),
        ("kind: Kustomization\ngenerators: [a.yaml]  # of a PolicyGenTemplate\n", 0),
        ("kind: CustomResourceDefinition\nspec:\n  baselineCapabilitySet: {type: string}\n", 0),
        ("a: sets baselineCapabilitySet  # baselineCapabilitySet: None\n", 0),
        ("kind: Service\n".encode("utf-16"), 0),
        # A message in a baseline
        ('{"message": "capabilities.baselineCapabilitySet: Unsupported value", "path": "ClusterInstance"}\n', 0),
    ],
)
def test_a_selection_that_is_not_read_is_named(check, text, line):
    outcome = check({"a.yaml": text, "good.yaml": GOOD})
    expected = [("info", "unread-selection", line)] * bool(line)
    assert [(item["severity"], item["rule"], item["line"]) for item in outcome["findings"]] == expected


def test_an_object_in_values_is_a_site(check):
    text = "objects:\n  - " + WRONG.replace("\n", "\n    ")
    assert rules_of(check({"values.yaml": text})["findings"]) == [("unknown-capability", "values.yaml")]


def test_the_hint_of_a_tab_names_it(check):
    outcome = check({"a.yaml": HEAD + "spec:\n\tx: 1\n"})
    assert outcome["findings"][0]["hint"] == "Replace the tab at the beginning of the line by spaces"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("{'capabilities': {}}", "Write double quotes in the JSON, and single quotes around it"),
        ('{"capabilities": {}', "Add the missing }"),
        ('{"capabilities": {},}', "Remove the comma before the closing bracket"),
        ("capabilities: {}", "Write JSON, which begins with {, and not YAML"),
        ('{"capabilities" {}}', "Correct the syntax"),
        ('{"capabilities": {}, "a": NaN}', "Write a number"),
    ],
)
def test_the_hint_depends_on_what_is_wrong_with_json(check, text, hint):
    assert check({"a.yaml": cluster_instance(quoted(text))})["findings"][0]["hint"] == hint


def test_a_document_that_is_not_yaml_does_not_hide_the_others(check):
    text = documents(GOOD, HEAD + "spec: {\n", WRONG, "{{ ClusterInstance }}\n")
    outcome = check({"a.yaml": text.replace("\n", "\r\n")})
    assert [site["name"] for site in outcome["sites"]] == ["good", "berlin"]
    assert [(item["rule"], item["line"]) for item in outcome["findings"]] == [
        ("invalid-yaml", 17),
        ("unknown-capability", 28),
        ("template", 30),
    ]


def test_files_without_a_site_need_not_be_yaml(check):
    outcome = check({"values.yaml": "{{ x }}\n\t", "data.json": "{", "notes.txt": WRONG, "good.yaml": GOOD})
    assert (outcome["findings"], outcome["files"]) == ([], 3)


def test_a_file_of_100_mb_is_not_read(check, tmp_path):
    (tmp_path / "checkout").mkdir()
    with open(tmp_path / "checkout" / "huge.yaml", "wb") as huge:
        huge.truncate(100 * 2**20)
    outcome = check({"good.yaml": GOOD})
    (finding,) = outcome["findings"]
    assert (finding["rule"], finding["path"]) == ("too-large", "huge.yaml")
    assert finding["message"] == "is larger than 10 MiB, so it is not read"


def test_links_that_leave_the_checkout_are_named_and_not_followed(check, tmp_path):
    write_checkout(tmp_path, {"outside/site.yaml": WRONG})
    write_checkout(tmp_path / "checkout", {"inside/site.yaml": WRONG, "good.yaml": GOOD})
    for name, target in (
        ("directory", "../outside"),
        ("file.yaml", "../outside/site.yaml"),
        ("missing.yaml", "nowhere.yaml"),
        ("loop", "."),
        ("again", "inside"),
        ("itself.yaml", "itself.yaml"),
    ):
        (tmp_path / "checkout" / name).symlink_to(target)
    outcome = check(state="fixed")
    assert rules_of(outcome["findings"], "warning") == [
        ("outside-link", "directory"),
        ("outside-link", "file.yaml"),
        ("dangling-link", "itself.yaml"),
        ("dangling-link", "missing.yaml"),
    ]
    assert len(outcome["sites"]) == 2
    assert (tmp_path / "outside" / "site.yaml").read_text() == WRONG
    assert "NodeTuning" in (tmp_path / "checkout" / "inside" / "site.yaml").read_text()
    assert (tmp_path / "checkout" / "again").is_symlink()


def test_a_linked_file_is_written_where_it_is(check, tmp_path):
    write_checkout(tmp_path / "checkout", {"sites/site.yaml": WRONG, "links/.keep": ""})
    link = tmp_path / "checkout" / "links" / "site.yaml"
    link.symlink_to("../sites/site.yaml")
    assert check(state="fixed")["fixed_files"] == ["sites/site.yaml"]
    assert link.is_symlink()
    assert "NodeTuning" in (tmp_path / "checkout" / "sites" / "site.yaml").read_text()


def test_the_findings_of_an_earlier_run_are_no_site(check, tmp_path):
    report = tmp_path / "checkout" / "report.json"
    desired = {"baselineCapabilitySet": "None"}
    first, second = (
        check({"version.yaml": cluster_version("Console")}, outputs=[f"json:{report}"], capabilities=desired)
        for _run in range(2)
    )
    assert "baselineCapabilitySet" in report.read_text()
    assert (second["findings"], second["files"], second["changed"]) == (first["findings"], 1, False)


@pytest.fixture
def public(check):
    """A checkout that another user can read. Everything is imported as root before."""
    check({"good.yaml": GOOD})
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_files_that_cannot_be_read_are_named(check, public):
    write_checkout(public, {"good.yaml": GOOD, "secret.yaml": GOOD, "closed/site.yaml": GOOD})
    (public / "secret.yaml").chmod(0)
    (public / "closed").chmod(0)
    with as_other_user():
        outcome = check(checkout=public)
    assert rules_of(outcome["findings"]) == [("unreadable-file", "closed"), ("unreadable-file", "secret.yaml")]
    assert [site["name"] for site in outcome["sites"]] == ["good"]


def test_a_file_that_cannot_be_written_does_not_prevent_others(check, public):
    write_checkout(public, {"a/site.yaml": WRONG, "b/site.yaml": WRONG})
    for path in (public / "b", public / "b" / "site.yaml"):
        os.chown(path, OTHER_USER, OTHER_USER)
    with as_other_user():
        predicted = check(checkout=public, state="fixed", check_mode=True)
        outcome = check(checkout=public, state="fixed")
    assert predicted.result == outcome.result
    assert (outcome["changed"], outcome["fixed_files"]) == (True, ["b/site.yaml"])
    assert outcome.faults == [("unwritable-directory", "a/site.yaml")]
    assert (public / "a" / "site.yaml").read_text() == WRONG
    assert (public / "b" / "site.yaml").read_text() == WRONG.replace("nodetuning", "NodeTuning")
    assert [path.name for path in (public / "b").iterdir()] == ["site.yaml"]


def test_an_output_that_cannot_be_written_does_not_undo_corrections(check, monkeypatch, tmp_path):
    def fail(*_arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(findings_files, "write_file", fail)
    outcome = check({"a.yaml": WRONG}, state="fixed", outputs=[f"json:{tmp_path}/report.json"])
    assert (outcome["failed"], outcome["changed"], outcome["fixed_files"]) == (True, True, ["a.yaml"])


def test_without_git_a_warning_says_that_ignored_files_are_corrected(check, monkeypatch, tmp_path):
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    outcome = check({"a.yaml": WRONG, ".gitignore": "a.yaml\n"}, state="fixed")
    assert [item["code"] for item in outcome["problems"]] == ["no-git"]
    assert outcome["fixed_files"] == ["a.yaml"]


def test_a_release_without_its_version_is_for_no_site(check, tmp_path):
    write_files(tmp_path / "flat", {"a.yaml": manifest("one")})
    assert check({"a.yaml": GOOD}, releases=[f"{tmp_path}/flat"]).faults == [("missing-version", "releases[0]")]


def test_the_repository_itself_is_not_read(check):
    assert len(check({".git/site.yaml": WRONG, ".github/site.yaml": GOOD})["sites"]) == 1


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"checkout": "/nowhere/at/all"}, "missing-directory"),
        ({"paths": ["nothing/*.yaml"]}, "missing-path"),
        ({"paths": [".."]}, "outside-path"),
        ({"paths": ["/"]}, "outside-path"),
    ],
)
def test_wrong_paths_are_errors(check, options, fault):
    outcome = check({"good.yaml": GOOD}, **options)
    assert {code for code, _where in outcome.faults} == {fault}


def test_paths_select_files_each_once(check):
    files = {"a/one.yaml": "one", "a/b/two.yaml": "two", "b/three.yaml": "three"}
    sites = {path: cluster_instance(name=name) for path, name in files.items()}
    outcome = check(sites, paths=["b", "a/*.yaml", "a/one.yaml"])
    assert [site["name"] for site in outcome["sites"]] == ["one", "three"]


def test_a_file_can_have_a_thousand_sites(check):
    clusters = [(f"site{number}", f"img4.{16 + number % 5}", overrides("Ingress")) for number in range(1000)]
    outcome = check({"a.yaml": site_config(*clusters)})
    assert len(outcome["sites"]) == 1000
