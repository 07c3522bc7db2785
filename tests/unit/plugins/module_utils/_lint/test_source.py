# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that cannot be checked: one clear line for each, and all others are checked nevertheless."""

from __future__ import annotations

import os

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._lint.lint import LintOptions, lint
from ansible_collections.capability.openshift.plugins.module_utils._lint.source import read_source
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    Problems,
    ReleaseError,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    documents,
    manifest,
    write_files,
    write_release,
)

GOOD = manifest("good", "Consle")
"""A manifest with one finding: it shows that the file was checked."""

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.fixture
def directory(tmp_path):
    path = tmp_path / "manifests"
    path.mkdir()
    return path


@pytest.fixture
def check(directory):
    """Lint a directory with ``files`` and a good one, and return the findings about ``files``."""

    def check(files=None):
        write_files(directory, {**(files or {}), "good.yaml": GOOD})
        findings = lint(read_source(str(directory), "4.20"), None, LintOptions(), Problems())
        assert [item.code for item in findings if item.where.source == "good.yaml"] == ["unknown-capability"]
        return [item for item in findings if item.where.source != "good.yaml"]

    return check


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("a: [\n", 2),
        (documents(GOOD, "a: b: c\n"), GOOD.count("\n") + 2),
        (BOMB, 1),
        ("[" * 20000, 1),
        ("kind: ConfigMap\napiVersion: v1\n", 1),
        (b"kind: \xff\n", 1),
        (documents(GOOD, GOOD), GOOD.count("\n") + 2),
    ],
    ids=["syntax", "second document", "bomb", "nesting", "no name", "encoding", "repeated"],
)
def test_a_file_that_cannot_be_read(check, content, line):
    findings = [item for item in check({"bad.yaml": content}) if item.code == "invalid-manifest"]
    (finding,) = findings
    assert (finding.severity, finding.where.source) == ("error", "bad.yaml")
    assert finding.where.line in (line, line - 1)
    assert "\n" not in finding.message
    assert len(finding.message) < 300


def test_a_file_of_100_megabytes(check, directory):
    with (directory / "huge.yaml").open("wb") as file:
        file.truncate(100 << 20)
    (finding,) = check()
    assert (finding.code, finding.where.source, finding.where.line) == ("invalid-manifest", "huge.yaml", 0)
    assert finding.message == "has 100 MB, expected at most 16; it was not read"


@pytest.mark.parametrize(("name", "shown"), [(b"\xe4.yaml", "\\udce4.yaml"), ("a\xa0b.yaml".encode(), "a\\xa0b.yaml")])
def test_a_file_whose_name_is_not_printable_is_not_passed_over(check, directory, name, shown):
    (directory / os.fsdecode(name)).write_text(GOOD)
    (finding,) = check()
    assert (finding.code, finding.severity, finding.where.source) == ("invalid-manifest", "error", shown)


def test_windows_line_endings_are_fine(check):
    text = documents(GOOD, manifest("two", "Consle")).replace("\n", "\r\n")
    findings = check({"windows.yaml": text})
    assert [(item.code, item.where.line) for item in findings] == [
        ("unknown-capability", 7),
        ("unknown-capability", GOOD.count("\n") + 8),
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("chart.yaml", "metadata:\n  name: {{ .Values.name }}\n  {{- if .Values.x }}\n"),
        ("kustomization.yaml", "resources: [a.yaml]\n"),
        ("Chart.yaml", "name: chart\nversion: 1.0.0\n"),
        ("values.yaml", "a: 1\n"),
    ],
)
def test_files_of_helm_and_kustomize_are_passed_over(check, name, content):
    (finding,) = check({name: content})
    assert (finding.code, finding.severity, finding.where.source) == ("template", "info", name)


def test_a_broken_file_with_the_text_of_an_alert_is_no_template(check):
    (finding,) = check({"rule.yaml": 'summary: "{{ $labels.instance }} is down"\n<<<<<<< HEAD\na: 1\n'})
    assert (finding.code, finding.severity, finding.where.line) == ("invalid-manifest", "error", 3)


def test_the_cvo_reads_files_of_helm_and_kustomize_in_a_release(tmp_path):
    files = {"chart.yaml": "metadata:\n  name: {{ .Values.name }}\n  {{- if .x }}\n", "values.yaml": "a: 1\n"}
    release = write_release(tmp_path, files)
    found = {(item.where.source, item.code, item.severity) for item in read_source(str(release), None).findings}
    assert {("release-manifests/chart.yaml", "invalid-manifest", "error")} < found
    assert ("release-manifests/values.yaml", "invalid-manifest", "error") in found
    assert "template" not in {code for _file, code, _severity in found}


def test_a_link_that_leaves_the_directory_is_not_followed(check, directory, tmp_path):
    (tmp_path / "secret.yaml").write_text(GOOD)
    (directory / "link.yaml").symlink_to("../secret.yaml")
    (directory / "inside.yaml").symlink_to("good.yaml")
    (directory / "dangling.yaml").symlink_to("nothing")
    findings = {item.where.source: item.code for item in check()}
    assert findings == {
        "link.yaml": "link-outside",
        "inside.yaml": "unknown-capability",
        "dangling.yaml": "invalid-manifest",
    }


def test_a_pipe_is_not_read(check, directory):
    os.mkfifo(directory / "pipe.yaml")
    (finding,) = check()
    assert (finding.code, finding.where.source) == ("invalid-manifest", "pipe.yaml")


def test_files_in_both_directories_of_a_release(tmp_path):
    release = write_release(tmp_path, {"a.yaml": "a: [", "b.yaml": GOOD}, cvo={"c.yaml": "a: {{ .Unknown }}\n"})
    findings = lint(read_source(str(release), None), None, LintOptions(), Problems())
    found = (item for item in findings if item.code != "unused-capability")
    assert sorted((item.where.source, item.code, item.severity) for item in found) == [
        ("manifests/c.yaml", "invalid-manifest", "warning"),
        ("release-manifests/a.yaml", "invalid-manifest", "error"),
        ("release-manifests/b.yaml", "unknown-capability", "error"),
    ]


@pytest.mark.parametrize("name", ["missing", "empty", "file.yaml"])
def test_a_path_without_manifests_is_an_error(tmp_path, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.yaml").write_text(GOOD)
    with pytest.raises(ReleaseError) as caught:
        read_source(str(tmp_path / name), "4.20")
    assert len(caught.value.problems) == 1


def test_bodies_of_unexpected_types_have_no_references(check):
    text = "".join(
        f"---\n{manifest('odd', kind=kind, api=api, namespace='ns', more=more)}"
        for kind, api in (("Deployment", "apps/v1"), ("RoleBinding", "rbac.authorization.k8s.io/v1"))
        for more in ("spec: 7\nroleRef: []\nsubjects: {}\n",)
    )
    account = manifest("odd", "Console", kind="ServiceAccount", namespace="ns")
    assert check({"odd.yaml": text, "account.yaml": account}) == []


# The layout of openshift/console-operator:manifests and of other operators, which oc adm release new reads as YAML.
IMAGE_REFERENCES = """\
---
kind: ImageStream
apiVersion: image.openshift.io/v1
spec:
  tags:
  - name: console-operator
    from:
      kind: DockerImage
      name: registry.svc.ci.openshift.org/openshift:console-operator
"""


@pytest.mark.parametrize("references", [IMAGE_REFERENCES, IMAGE_REFERENCES.replace("---\n", "# images\n")])
def test_the_directory_of_an_operator_has_image_references_in_yaml(check, directory, references):
    (directory / "image-references").write_text(references)
    (directory / "OWNERS").write_text("approvers: [one]\n")
    assert check({"01-ns.yaml": manifest("console", "Console", kind="Namespace")}) == []
    source = read_source(str(directory), "4.20")
    assert source.release.images == {"console-operator": "registry.svc.ci.openshift.org/openshift:console-operator"}


def test_image_references_that_are_neither_json_nor_yaml_are_an_error(directory):
    (directory / "image-references").write_text("kind: [ImageStream\n")
    (directory / "good.yaml").write_text(GOOD)
    with pytest.raises(ReleaseError) as caught:
        read_source(str(directory), "4.20")
    assert [(item.code, str(item.where)) for item in caught.value.problems] == [
        ("invalid-yaml", "image-references, line 2")
    ]
