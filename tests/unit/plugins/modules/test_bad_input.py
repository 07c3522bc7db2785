# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Invalid releases: one error with all problems, in modules run as Ansible runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.modules import release_info, release_manifests
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    IMAGES,
    PROFILE,
    documents,
    image_references,
    manifest,
    metadata,
    write_files,
    write_release,
)

GOOD = {"0000_50_one_01.yaml": manifest("one")}
FILE = "release-manifests/0000_50_one_01.yaml"
METADATA = "release-manifests/release-metadata"
REFERENCES = "release-manifests/image-references"
MODULES = pytest.mark.parametrize(
    "module", [release_info, release_manifests], ids=lambda module: module.__name__.rpartition(".")[2]
)


@MODULES
def test_a_missing_directory(module, call, tmp_path):
    path = tmp_path / "nowhere"

    assert call(module, release=path).faults == [("missing-directory", str(path))]


@MODULES
def test_a_file_instead_of_a_directory(module, call, tmp_path):
    path = tmp_path / "file"
    path.touch()

    assert call(module, release=path).faults == [("not-a-directory", str(path))]


@MODULES
@pytest.mark.parametrize("names", [[], ["README.md"], ["release-metadata"]])
def test_a_directory_without_manifests(module, names, call, tmp_path):
    text = json.dumps(metadata("4.20.3"))
    outcome = call(module, release=write_files(tmp_path, dict.fromkeys(names, text)))

    assert outcome.faults == [("empty-release", str(tmp_path))]


@MODULES
def test_an_empty_release(module, call, tmp_path):
    outcome = call(module, release=write_release(tmp_path, {}))

    assert outcome.faults == [("empty-release", str(tmp_path))]


@MODULES
def test_a_release_without_release_manifests(module, call, tmp_path):
    write_files(tmp_path / "manifests", GOOD)

    assert ("missing-directory", str(tmp_path)) in call(module, release=tmp_path).faults


@MODULES
@pytest.mark.parametrize(
    ("about", "references", "code", "where"),
    [
        ({"kind": "other", "version": "4.20.3"}, None, "wrong-kind", f"{METADATA}, kind"),
        ({"version": "4.20.3"}, None, "wrong-kind", f"{METADATA}, kind"),
        ({"kind": "cincinnati-metadata-v0"}, None, "invalid-version", f"{METADATA}, version"),
        (metadata(""), None, "invalid-version", f"{METADATA}, version"),
        (metadata("4.20"), None, "invalid-version", f"{METADATA}, version"),
        ({**metadata(""), "version": 4.2}, None, "invalid-version", f"{METADATA}, version"),
        ("{", None, "invalid-json", METADATA),
        ("", None, "invalid-json", METADATA),
        ("[]", None, "invalid-json", METADATA),
        (
            metadata("4.20.3"),
            image_references("4.20.4"),
            "conflicting-version",
            f"{REFERENCES}, metadata.name",
        ),
        (metadata("4.20.3"), {**image_references("4.20.3"), "kind": "List"}, "wrong-kind", f"{REFERENCES}, kind"),
        (metadata("4.20.3"), {"kind": "ImageStream"}, "conflicting-version", f"{REFERENCES}, metadata.name"),
        (metadata("4.20.3"), "nonsense", "invalid-json", REFERENCES),
    ],
)
def test_invalid_metadata(module, about, references, code, where, call, tmp_path):
    references = references or image_references("4.20.3")
    outcome = call(module, release=write_release(tmp_path, GOOD, about=about, references=references))

    assert outcome.faults == [(code, where)]
    assert f"{where}: " in outcome.message


@MODULES
@pytest.mark.parametrize("where", [METADATA, REFERENCES])
def test_missing_metadata(module, where, call, tmp_path):
    path = write_release(tmp_path, GOOD)
    (path / where).unlink()

    assert call(module, release=path).faults == [("missing-file", where)]


BOMB = "kind: ConfigMap\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 20)
)


@MODULES
@pytest.mark.parametrize(
    ("content", "code", "where"),
    [
        ("kind: [\n", "invalid-yaml", "document 1 (line 2)"),
        (documents(manifest(), "a: b: c\n"), "invalid-yaml", "document 2 (line 8)"),
        (documents(manifest(), "a: @b\n"), "invalid-yaml", "document 2 (line 8)"),
        ("apiVersion: v1\nmetadata: {name: one}\n", "missing-field", "document 1 (line 1), kind"),
        ("apiVersion: v1\nkind: A\n", "missing-field", "document 1 (line 1), metadata.name"),
        ("apiVersion: v1\nkind: # which?\nmetadata: {name: a}\n", "missing-field", "document 1 (line 1), kind"),
        ("apiVersion: v1\nkind: List\nitems: []\n", "unsupported-list", "document 1 (line 1), kind"),
        (
            documents(manifest("one"), manifest("two"), manifest("one")),
            "duplicate-resource",
            "document 3 (line 15)",
        ),
        ("- a\n- b\n", "not-a-map", "document 1 (line 1)"),
        ("text\n", "not-a-map", "document 1 (line 1)"),
        (BOMB + manifest(), "invalid-yaml", "document 1"),
        ("spec: " + "[" * 20000, "invalid-yaml", "document 1"),
        (documents(manifest(), "").replace("---", "--- foo"), "invalid-separator", "document 2"),
    ],
)
def test_a_file_that_the_cvo_cannot_load(module, content, code, where, call, tmp_path):
    outcome = call(module, release=write_release(tmp_path, {"0000_50_one_01.yaml": content}))

    (problem,) = outcome.errors
    assert problem["code"] == code
    assert problem["where"].startswith(f"{FILE}, {where}")


@MODULES
def test_a_file_that_is_not_utf_8(module, call, tmp_path):
    files = {"0000_50_one_01.yaml": manifest().encode() + b"# \xff\n"}

    assert call(module, release=write_release(tmp_path, files)).faults == [("invalid-encoding", f"{FILE}, line 7")]


@MODULES
def test_a_dangling_link_is_an_error_and_a_directory_is_ignored(module, call, tmp_path):
    path = write_release(tmp_path, GOOD)
    (path / "release-manifests" / "sub.yaml").mkdir()
    (path / "release-manifests" / "link.yaml").symlink_to(tmp_path / "nowhere")

    assert call(module, release=path).faults == [("not-a-file", "release-manifests/link.yaml")]


@MODULES
def test_all_problems_of_a_release_are_reported_at_once(module, call, tmp_path):
    files: dict[str, str | bytes] = {
        "a.yaml": "kind: [\n",
        "b.yaml": documents(manifest("one"), "apiVersion: v1\nkind: List\nitems: []\n", manifest("one")),
        "c.yaml": b"\xff",
        "d.json": '{"apiVersion": "v1", "kind": "A"}',
        "e.yaml": manifest(annotations={"a": True}),
    }
    path = write_release(tmp_path, files, about=metadata("4.20"), references=image_references("4.20.3"))
    outcome = call(module, release=path)

    wheres = [problem["where"].partition(" (")[0].partition(",")[0] for problem in outcome.errors]
    expected = [METADATA, *(f"release-manifests/{name}" for name in ("a.yaml", "b.yaml", "b.yaml", "c.yaml", "d.json"))]
    assert wheres == expected
    assert outcome.message.startswith("6 problems were found:\n- ")
    for problem in outcome.errors:
        assert f"- {problem['where']}: {problem['message']}" in outcome.message
    assert [problem["where"] for problem in outcome["problems"] if problem["severity"] == "warning"] == [
        "release-manifests/e.yaml, document 1 (line 1), metadata.annotations[a]"
    ]


@MODULES
@pytest.mark.parametrize("value", [True, 1, ["x"]])
def test_an_annotation_that_is_not_a_string_is_a_warning_and_decided_as_by_the_cvo(module, value, call, tmp_path):
    files = {"0000_50_one_01.yaml": documents(manifest("one"), manifest("two", annotations={"x": value}))}
    outcome = call(module, release=write_release(tmp_path, files))

    problem = outcome.problem("metadata.annotations[x]")
    assert problem["where"] == f"{FILE}, document 2 (line 8), metadata.annotations[x]"
    assert problem["severity"] == "warning"
    if module is release_manifests:
        decided = call(module, release=tmp_path, decisions=True)
        assert [item["reasons"][:1] for item in decided["decisions"]] == [
            [],
            [{"rule": "annotations", "message": "no annotations"}],
        ]


def test_an_annotation_without_a_value_is_null_and_so_empty(call, tmp_path):
    text = manifest().rstrip() + "\n    empty: # say something\n    other: x\n"
    outcome = call(release_manifests, release=write_release(tmp_path, {"a.yaml": text}))

    assert outcome["included"] == 1
    assert outcome["problems"] == []


@MODULES
def test_repeated_keys_and_the_bare_equals_sign_work(module, call, tmp_path):
    text = manifest("one", more="data:\n  a: 1\n  a: 2\n  b: =\ndata:\n  c: =\n")
    outcome = call(module, release=write_release(tmp_path, {"a.yaml": text, "b.yaml": "kind: A\n" + manifest("two")}))

    assert not outcome.failed
    count = outcome["release"]["manifests"] if module is release_info else outcome["included"]
    assert count == 2


def test_the_last_of_repeated_annotations_counts(call, tmp_path):
    text = manifest("one").rstrip() + f'\n    include.release.openshift.io/{PROFILE}: "false"\n'
    outcome = call(release_manifests, release=write_release(tmp_path, {"a.yaml": text}), decisions=True)

    assert outcome["decisions"][0]["reasons"][0]["message"].startswith("unrecognized value")


@pytest.mark.parametrize(
    "template",
    ["{{ if .X }}", "{{ .Images.nope }}", "{{ .ReleaseImage"],
)
def test_a_template_that_cannot_be_rendered_is_skipped_with_a_warning(template, call, tmp_path):
    path = write_release(tmp_path, GOOD, cvo={"a.yaml": manifest("cvo", more=f"x: '{template}'\n")})
    outcome = call(release_manifests, release=path, decisions=True)

    assert [item["file"] for item in outcome["decisions"]] == [FILE]
    problem = outcome.problem("unsupported-template")
    assert (problem["severity"], problem["where"]) == ("warning", "manifests/a.yaml, line 7")


@pytest.mark.parametrize(("dest", "severity"), [(None, "info"), ("manifests", "warning")])
def test_a_missing_release_image_is_a_warning_if_files_would_name_it(dest, severity, call, tmp_path):
    path = write_release(tmp_path / "release", GOOD, cvo={"a.yaml": manifest("cvo", more="x: '{{.ReleaseImage}}'\n")})

    problem = call(release_manifests, release=path, dest=dest and tmp_path / dest).problem("missing-release-image")
    assert (problem["severity"], problem["where"]) == (severity, "manifests/a.yaml")
    assert call(release_manifests, release=path, release_image="registry.example/x")["problems"] == []


def test_missing_manifests_of_the_cvo_are_a_warning(call, tmp_path):
    path = write_release(tmp_path, GOOD)
    (path / "manifests").rmdir()

    problem = call(release_manifests, release=path).problem(str(path))
    assert (problem["severity"], problem["code"]) == ("warning", "missing-directory")
    # What oc adm release extract writes.
    flat = path / "release-manifests"
    assert call(release_manifests, release=flat).problem(str(flat))["code"] == "missing-directory"
    (flat / "crd.yaml").write_text(manifest("clusterversions.config.openshift.io"), "utf-8")
    assert "missing-directory" not in {item["code"] for item in call(release_manifests, release=flat)["problems"]}


def test_images_of_the_release_are_read(call, tmp_path: Path):
    more = f"spec: {{template: {{spec: {{containers: [{{image: {IMAGES['cli']}}}]}}}}}}\n"
    text = manifest("one", "Console", kind="Deployment", api="apps/v1", more=more)
    outcome = call(release_info, release=write_release(tmp_path, {"a.yaml": text}))

    assert outcome["release"]["capabilities"]["Console"]["images"] == [IMAGES["cli"]]
