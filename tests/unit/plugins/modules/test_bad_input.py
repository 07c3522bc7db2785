# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What bad input gets: one error that names all of it, through the modules as Ansible runs them."""

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
    (problem,) = call(module, release=path).errors

    assert problem["where"] == str(path)
    assert "does not exist, expected a directory" in problem["message"]


@MODULES
def test_a_file_in_the_place_of_a_directory(module, call, tmp_path):
    path = tmp_path / "file"
    path.touch()

    assert "is a file, expected a directory" in call(module, release=path).message


@MODULES
@pytest.mark.parametrize("names", [[], ["README.md"], ["release-metadata"]])
def test_a_directory_without_manifests(module, names, call, tmp_path):
    text = json.dumps(metadata("4.20.3"))
    outcome = call(module, release=write_files(tmp_path, dict.fromkeys(names, text)))

    assert str(tmp_path) in outcome.message
    assert "holds no manifests, expected release-manifests/" in outcome.message


@MODULES
def test_an_empty_release(module, call, tmp_path):
    assert "holds no manifests" in call(module, release=write_release(tmp_path, {})).message


@MODULES
def test_a_release_without_the_manifests_of_others(module, call, tmp_path):
    write_files(tmp_path / "manifests", GOOD)

    assert "no release-manifests/" in call(module, release=tmp_path).message


@MODULES
@pytest.mark.parametrize(
    ("about", "references", "where", "part"),
    [
        ({"kind": "other", "version": "4.20.3"}, None, f"{METADATA}, kind", "'other', expected cincinnati-metadata-v0"),
        ({"version": "4.20.3"}, None, f"{METADATA}, kind", "expected cincinnati-metadata-v0"),
        ({"kind": "cincinnati-metadata-v0"}, None, f"{METADATA}, version", "is missing, expected a semantic version"),
        (metadata(""), None, f"{METADATA}, version", "is missing, expected a semantic version"),
        (metadata("4.20"), None, f"{METADATA}, version", "is '4.20', expected a semantic version"),
        ({**metadata(""), "version": 4.2}, None, f"{METADATA}, version", "is 4.2, expected a semantic version"),
        ("{", None, METADATA, "is not valid JSON"),
        ("", None, METADATA, "is not valid JSON"),
        ("[]", None, METADATA, "is not a JSON object"),
        (metadata("4.20.3"), image_references("4.20.4"), f"{REFERENCES}, metadata.name", "is '4.20.4', and release-"),
        (metadata("4.20.3"), {**image_references("4.20.3"), "kind": "List"}, f"{REFERENCES}, kind", "expected ImageSt"),
        (metadata("4.20.3"), {"kind": "ImageStream"}, f"{REFERENCES}, metadata.name", "release-metadata says 4.20.3"),
        (metadata("4.20.3"), "nonsense", REFERENCES, "is not valid JSON"),
    ],
)
def test_metadata_that_cannot_be(module, about, references, where, part, call, tmp_path):
    references = references or image_references("4.20.3")
    outcome = call(module, release=write_release(tmp_path, GOOD, about=about, references=references))

    (problem,) = outcome.errors
    assert problem["where"] == where
    assert part in problem["message"]
    assert f"{where}: " in outcome.message


@MODULES
@pytest.mark.parametrize("where", [METADATA, REFERENCES])
def test_metadata_that_is_not_there(module, where, call, tmp_path):
    path = write_release(tmp_path, GOOD)
    (path / where).unlink()
    outcome = call(module, release=path)

    (problem,) = outcome.errors
    assert problem["where"] == where
    assert problem["message"] == "does not exist"


BOMB = "kind: ConfigMap\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 20)
)


@MODULES
@pytest.mark.parametrize(
    ("content", "where", "part"),
    [
        ("kind: [\n", f"{FILE}, document 1 (line 2)", "is not valid YAML"),
        (documents(manifest(), "a: b: c\n"), f"{FILE}, document 2 (line 8)", "is not valid YAML"),
        (documents(manifest(), "a: @b\n"), f"{FILE}, document 2 (line 8)", "is not valid YAML"),
        ("apiVersion: v1\nmetadata: {name: one}\n", f"{FILE}, document 1 (line 1), kind", "is missing, expected"),
        ("apiVersion: v1\nkind: A\n", f"{FILE}, document 1 (line 1), metadata.name", "is missing, expected"),
        ("apiVersion: v1\nkind: # which?\nmetadata: {name: a}\n", f"{FILE}, document 1 (line 1), kind", "is missing"),
        (
            "apiVersion: v1\nkind: List\nitems: []\n",
            f"{FILE}, document 1 (line 1), kind",
            "kind List is a list, and the CVO does not expand lists",
        ),
        (
            documents(manifest("one"), manifest("two"), manifest("one")),
            f"{FILE}, document 3 (line 15)",
            "ConfigMap one begins in line 1 already",
        ),
        ("- a\n- b\n", f"{FILE}, document 1 (line 1)", "the document is a list, expected a map"),
        ("text\n", f"{FILE}, document 1 (line 1)", "the document is a string, expected a map"),
        (manifest().encode() + b"# \xff\n", f"{FILE} (line 7)", "is not valid UTF-8"),
        (BOMB + manifest(), f"{FILE}, document 1", "excessive aliasing"),
        ("spec: " + "[" * 20000, f"{FILE}, document 1", "max depth"),
        (documents(manifest(), "").replace("---", "--- foo"), f"{FILE}, document 2", "document separator: foo"),
    ],
)
def test_a_file_that_the_cvo_cannot_load(module, content, where, part, call, tmp_path):
    outcome = call(module, release=write_release(tmp_path, {"0000_50_one_01.yaml": content}))

    (problem,) = outcome.errors
    assert problem["where"].startswith(where)
    assert part in problem["message"]


@MODULES
def test_the_order_of_a_directory_in_the_place_of_a_file_and_of_a_dangling_link(module, call, tmp_path):
    path = write_release(tmp_path, GOOD)
    (path / "release-manifests" / "sub.yaml").mkdir()
    (path / "release-manifests" / "link.yaml").symlink_to(tmp_path / "nowhere")
    (problem,) = call(module, release=path).errors

    assert problem["where"] == "release-manifests/link.yaml"


@MODULES
def test_all_problems_of_a_release_come_at_once_and_are_named_in_the_message(module, call, tmp_path):
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
def test_an_annotation_value_that_is_no_string_is_decided_as_the_cvo_decides_and_told(module, value, call, tmp_path):
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


def test_an_annotation_without_a_value_but_with_a_comment_is_null_and_so_empty(call, tmp_path):
    text = manifest().rstrip() + "\n    empty: # say something\n    other: x\n"
    outcome = call(release_manifests, release=write_release(tmp_path, {"a.yaml": text}))

    assert outcome["included"] == 1
    assert outcome["problems"] == []


@MODULES
def test_repeated_keys_and_the_bare_equals_sign_work(module, call, tmp_path):
    text = manifest("one", more="data:\n  a: 1\n  a: 2\n  b: =\ndata:\n  c: =\n")
    outcome = call(module, release=write_release(tmp_path, {"a.yaml": text, "b.yaml": "kind: A\n" + manifest("two")}))

    assert not outcome.failed
    found = outcome["release"]["manifests"] if module is release_info else outcome["included"]
    assert found == 2


def test_repeated_annotations_count_as_the_last_says(call, tmp_path):
    text = manifest("one").rstrip() + f'\n    include.release.openshift.io/{PROFILE}: "false"\n'
    outcome = call(release_manifests, release=write_release(tmp_path, {"a.yaml": text}), decisions=True)

    assert outcome["decisions"][0]["reasons"][0]["message"].startswith("unrecognized value")


@pytest.mark.parametrize(
    ("template", "line", "part"),
    [
        ("{{ if .X }}", 7, "{{ if .X }} is none of"),
        ("{{ .Images.nope }}", 7, "image nope is not in image-references"),
        ("{{ .ReleaseImage", 7, "opened and not closed"),
    ],
)
def test_a_template_that_cannot_be_rendered_is_left_out_with_a_problem(template, line, part, call, tmp_path):
    path = write_release(tmp_path, GOOD, cvo={"a.yaml": manifest("cvo", more=f"x: '{template}'\n")})
    outcome = call(release_manifests, release=path, decisions=True)

    assert [item["file"] for item in outcome["decisions"]] == [FILE]
    problem = outcome.problem("cannot be rendered")
    assert problem["where"] == f"manifests/a.yaml (line {line})"
    assert part in problem["message"]
    assert problem["severity"] == "warning"


def test_a_release_image_that_is_not_given_is_a_problem(call, tmp_path):
    path = write_release(tmp_path, GOOD, cvo={"a.yaml": manifest("cvo", more="x: '{{.ReleaseImage}}'\n")})

    assert call(release_manifests, release=path).problem("release_image")["where"] == "manifests/a.yaml"
    assert call(release_manifests, release=path, release_image="registry.example/x")["problems"] == []


def test_a_release_without_the_cvo_s_own_manifests_is_a_problem(call, tmp_path):
    path = write_release(tmp_path, GOOD)
    (path / "manifests").rmdir()

    assert "no manifests/ beside" in call(release_manifests, release=path).problem(str(path))["message"]


def test_images_of_the_release_are_read(call, tmp_path: Path):
    more = f"spec: {{template: {{spec: {{containers: [{{image: {IMAGES['cli']}}}]}}}}}}\n"
    text = manifest("one", "Console", kind="Deployment", api="apps/v1", more=more)
    outcome = call(release_info, release=write_release(tmp_path, {"a.yaml": text}))

    assert outcome["release"]["capabilities"]["Console"]["images"] == [IMAGES["cli"]]
