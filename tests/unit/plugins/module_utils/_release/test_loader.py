# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every problem of loading a release, with its code, location, message and hint."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, ReleaseError
from ansible_collections.capability.openshift.plugins.module_utils._release import directory
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    cluster_version_crd,
    image_references,
    manifest,
    metadata,
    write_files,
    write_release,
)

FILES: dict[str, str | bytes] = {"0000_50_one_01.yaml": manifest("one")}
METADATA = "release-manifests/release-metadata"
REFERENCES = "release-manifests/image-references"
AGAIN = "Extract the release again"
EXTRACT = (
    "Extract both directories of the release image: mkdir -p DIR/manifests DIR/release-manifests && "
    "oc image extract IMAGE --path /manifests/:DIR/manifests --path /release-manifests/:DIR/release-manifests"
)


def errors(path: Path | str, **options: Any) -> list[tuple[str, ...]]:
    with pytest.raises(ReleaseError) as raised:
        load_release(str(path), Problems(), **options)
    return [tuple(problem.as_dict().values())[1:] for problem in raised.value.problems if problem.severity == "error"]


def test_an_empty_path():
    expected = ("invalid-path", "release", "is empty, expected a directory", "Name an extracted release")

    assert errors("") == [expected]


def test_a_path_that_is_not_a_directory(tmp_path):
    file, missing = tmp_path / "file", tmp_path / "missing"
    file.touch()
    hint = "Name an extracted release"

    archive = f"{hint}, or write oci-archive: or oc-mirror: before an archive"
    assert errors(file) == [("not-a-directory", str(file), "is a file, expected a directory", archive)]
    assert errors(missing) == [("missing-directory", str(missing), "does not exist, expected a directory", hint)]


def test_a_directory_without_manifests(tmp_path):
    message = (
        "contains no manifests, expected release-manifests/ (and manifests/), or files that end in .yaml, .yml, .json"
    )
    hint = "Name an extracted release"

    assert errors(tmp_path) == [("empty-release", str(tmp_path), message, hint)]


@pytest.mark.parametrize("part", ["manifests", "release-manifests"])
def test_a_directory_of_the_release_image_instead_of_the_release(part, tmp_path):
    path = write_release(tmp_path, FILES)
    # A CVO's own manifest is a template, so as a flat directory it would not be YAML.
    (path / "manifests" / "0000_00_cvo.yaml").write_text("image: {{.ReleaseImage}}\n", "utf-8")
    message = (
        "is one of the two directories of a release, expected the directory that contains both release-manifests/ and "
        "manifests/"
    )

    assert errors(path / part) == [("wrong-directory", str(path / part), message, f"Name {path} instead")]


@pytest.mark.parametrize(
    ("names", "found", "hint"),
    [
        ("a", "a release", "Name {0}/a"),
        ("ab", "2 releases", "Name {0}/a or {0}/b"),
        ("abcd", "4 releases", "Name {0}/a or {0}/b or {0}/c, or another one of them"),
    ],
)
def test_a_directory_of_releases_instead_of_a_release(names, found, hint, tmp_path):
    for name in names:
        write_release(tmp_path / name, FILES)
    (tmp_path / "clusterversion.yaml").write_text("a: [\n", "utf-8")
    message = (
        f"contains {found}, expected the directory of one release, which contains release-manifests/ and manifests/"
    )

    assert errors(tmp_path) == [("wrong-directory", str(tmp_path), message, hint.format(tmp_path))]


def test_a_flat_release_may_contain_the_directory_of_another_one(tmp_path):
    write_files(tmp_path, {**FILES, "release-metadata": json.dumps(metadata("4.20.3"))})
    write_release(tmp_path / "other", FILES)

    assert load_release(str(tmp_path), Problems()).version == "4.20.3"


@pytest.mark.parametrize(
    ("files", "partial"),
    [
        ({}, False),
        ({"release-metadata": json.dumps(metadata("4.20.3"))}, True),
        ({"release-metadata": json.dumps(metadata("4.20.3")), "crd.yaml": cluster_version_crd(["Console"])}, False),
    ],
)
def test_a_flat_release_with_metadata_may_lack_the_manifests_of_the_cvo(tmp_path, files, partial):
    write_files(tmp_path, {**FILES, **files})
    problems = Problems()
    release = load_release(str(tmp_path), problems, openshift_version="4.20.3")

    found = [str(problem.where) for problem in problems if problem.code == "missing-directory"]
    assert (release.partial, found) == (partial, [str(tmp_path)] * partial)


def test_missing_release_manifests(tmp_path):
    write_files(tmp_path / "manifests", FILES)
    message = "contains manifests/ but no release-manifests/"

    assert errors(tmp_path)[0] == (
        "missing-directory",
        str(tmp_path),
        message,
        f"{EXTRACT}. If this is the repository of an operator, name {tmp_path}/manifests",
    )


def problems_of(path: Path) -> Problems:
    problems = Problems()
    load_release(str(path), problems)
    return problems


def test_missing_manifests_of_the_cvo(tmp_path):
    path = write_release(tmp_path, FILES)
    (path / "manifests").rmdir()

    (problem,) = problems_of(path)

    assert tuple(problem.as_dict().values()) == (
        "warning",
        "missing-directory",
        str(path),
        "contains release-manifests/ but no manifests/, so the CVO's own manifests are missing",
        EXTRACT,
    )


def test_an_invalid_release_image(tmp_path):
    expected = (
        "invalid-pull-spec",
        "release_image",
        "'two words' is not a pull spec",
        "Set the pull spec of the release image, or remove the option",
    )

    assert errors(write_release(tmp_path, FILES), release_image="two words") == [expected]


@pytest.mark.parametrize(
    ("about", "code", "field", "message"),
    [
        ({"kind": "other", "version": "4.20.3"}, "wrong-kind", "kind", "is 'other', expected cincinnati-metadata-v0"),
        (
            metadata(""),
            "invalid-version",
            "version",
            "is missing, expected a semantic version such as 4.20.3, as a string",
        ),
        (
            metadata("4.20"),
            "invalid-version",
            "version",
            "is '4.20', expected a semantic version such as 4.20.3, as a string",
        ),
        ("[]", "invalid-json", "", "is not a JSON object"),
        ("", "invalid-json", "", "is not valid JSON: Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_invalid_metadata(about, code, field, message, tmp_path):
    path = write_release(tmp_path, FILES, about=about, references=image_references("4.20.3"))
    where = f"{METADATA}, {field}" if field else METADATA

    assert errors(path) == [(code, where, message, AGAIN)]


@pytest.mark.parametrize("option", ["openshift_version", "previous_openshift_version"])
def test_another_version_than_the_given_one(option, tmp_path):
    expected = (
        "conflicting-version",
        f"{METADATA}, version",
        f"is 4.20.3, but {option} is 4.19",
        f"Remove {option}: the release contains its version",
    )

    assert errors(write_release(tmp_path, FILES), openshift_version="4.19", version_option=option) == [expected]


@pytest.mark.parametrize(
    ("references", "code", "field", "message", "hint"),
    [
        (
            image_references("4.20.4"),
            "conflicting-version",
            "metadata.name",
            "is '4.20.4', but the version in release-metadata is 4.20.3",
            "Extract both files from the same release",
        ),
        (
            {**image_references("4.20.3"), "kind": "List"},
            "wrong-kind",
            "kind",
            "is 'List', expected ImageStream",
            AGAIN,
        ),
    ],
)
def test_invalid_image_references(references, code, field, message, hint, tmp_path):
    path = write_release(tmp_path, FILES, about=metadata("4.20.3"), references=references)

    assert errors(path) == [(code, f"{REFERENCES}, {field}", message, hint)]


@pytest.mark.parametrize(
    ("where", "hint"),
    [
        (METADATA, "Extract the release with its metadata"),
        (REFERENCES, "Extract the release with its image references"),
    ],
)
def test_missing_metadata(where, hint, tmp_path):
    path = write_release(tmp_path, FILES)
    (path / where).unlink()

    assert errors(path) == [("missing-file", where, "does not exist", hint)]


def test_files_that_cannot_be_read(tmp_path):
    path = write_release(tmp_path, FILES)
    folder = path / "release-manifests"
    (folder / "link.yaml").symlink_to("nowhere")
    Path(os.fsdecode(bytes(folder) + b"/not-utf8-\xff.yaml")).touch()

    assert errors(path) == [
        ("not-a-file", "release-manifests/link.yaml", "is not a readable file", "Remove it, or repair the link"),
        (
            "invalid-file-name",
            "release-manifests/not-utf8-\\udcff.yaml",
            "has a name that is not printable UTF-8",
            "Rename the file",
        ),
    ]


def test_a_file_without_permission(tmp_path, monkeypatch):
    def fail(*_arguments, **_options):
        raise PermissionError(13, "Permission denied")

    path = write_release(tmp_path, FILES)
    monkeypatch.setattr(directory, "open", fail, raising=False)

    assert errors(path)[-1] == (
        "unreadable-file",
        "release-manifests/0000_50_one_01.yaml",
        "cannot be read: Permission denied",
        "Check the file and its permissions",
    )


def test_a_file_that_changes_while_it_is_read(tmp_path):
    path = write_release(tmp_path, FILES)
    loaded = load_release(str(path), Problems())
    (path / "release-manifests" / "0000_50_one_01.yaml").write_text("shorter")

    with pytest.raises(ReleaseError) as raised:
        loaded.read_file("release-manifests/0000_50_one_01.yaml")

    assert [(problem.code, str(problem.where), problem.message) for problem in raised.value.problems] == [
        ("concurrent-change", "release-manifests/0000_50_one_01.yaml", "changed while the release was being read")
    ]


def test_a_template_that_is_not_supported(tmp_path):
    path = write_release(tmp_path, FILES, cvo={"a.yaml": manifest("cvo", more="x: '{{ if .X }}'\n")})

    (problem,) = problems_of(path)

    assert tuple(problem.as_dict().values()) == (
        "warning",
        "unsupported-template",
        "manifests/a.yaml, line 7",
        "cannot be rendered: {{ if .X }} is not supported, expected .ReleaseImage, .ClusterProfile, .Images or "
        "a string literal; the file is skipped, as by the CVO from 4.22 on",
        "Render the file first",
    )


def test_a_missing_release_image(tmp_path):
    path = write_release(tmp_path, FILES, cvo={"a.yaml": manifest("cvo", more="x: '{{.ReleaseImage}}'\n")})

    (problem,) = problems_of(path)

    assert tuple(problem.as_dict().values()) == (
        "info",
        "missing-release-image",
        "manifests/a.yaml",
        "release_image is not set, so <unset> is rendered instead",
        "Set release_image to the pull spec of the release",
    )
