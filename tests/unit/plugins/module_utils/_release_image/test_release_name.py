# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names of releases: which kind each is, and what is reported."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import PullSpec
from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_name import (
    ReleaseName,
    absolute_release_name,
    parse_release_name,
)

DIGEST = "sha256:" + "0123456789abcdef" * 4


def parse(text: str) -> tuple[ReleaseName | None, list[tuple[str, str]]]:
    problems = Problems()
    name = parse_release_name(text, "release", problems)
    return name, [(problem.code, str(problem.where)) for problem in problems]


@pytest.mark.parametrize(
    "text", ["releases/4.20.0", "/srv/a:b@c", "./quay.io/a:b", "../quay.io/a:b", "./4.20.0", "ocp", "C:/x", "4.20", ""]
)
def test_a_directory(text):
    name, problems = parse(text)

    assert name is not None
    assert (name.kind, name.path, name.digest, problems) == ("directory", text, "", [])


def test_an_existing_directory_stays_one(tmp_path, monkeypatch):
    for text in ("quay.io/a:b", "oci-archive:x"):
        (tmp_path / text).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    for text in ("quay.io/a:b", "oci-archive:x"):
        assert parse(text)[0] == ReleaseName("directory", text, text)
        assert absolute_release_name(text) == str(tmp_path / text)


def test_pull_specs():
    by_digest, by_tag = f"quay.io/ocp/release@{DIGEST}", "localhost/a:4.20.3"

    assert parse(by_digest)[0] == ReleaseName(
        "registry", by_digest, spec=PullSpec("quay.io", "ocp/release", None, DIGEST)
    )
    assert parse(by_tag)[0] == ReleaseName("registry", by_tag, spec=PullSpec("localhost", "a", "4.20.3"))
    names = [parse(text)[0] for text in (by_digest, by_tag)]
    assert [name.digest for name in names if name] == [DIGEST, ""]


@pytest.mark.parametrize(
    ("text", "kind", "path", "reference", "digest"),
    [
        ("oci-archive:/a.tar", "oci-archive", "/a.tar", "", ""),
        ("oci-archive:/a.tar:c:d", "oci-archive", "/a.tar", "c:d", ""),
        ("oc-mirror:/a:b.tar", "oc-mirror", "/a:b.tar", "", ""),
        (f"oc-mirror:/a@{DIGEST}", "oc-mirror", "/a", DIGEST, DIGEST),
    ],
)
def test_archives(text, kind, path, reference, digest):
    name, problems = parse(text)

    assert (name, problems) == (ReleaseName(kind, text, path, reference), [])
    assert name is not None
    assert name.digest == digest


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"docker://quay.io/a@{DIGEST}", "invalid-pull-spec"),
        (f"quay.io/A@{DIGEST}", "invalid-pull-spec"),
        ("quay.io/a@sha256:1", "invalid-digest"),
        ("oci-archive:", "invalid-path"),
        ("oc-mirror:", "invalid-path"),
        ("oc-mirror:/a@sha256:1", "invalid-digest"),
    ],
)
def test_what_is_not_valid(text, code):
    assert parse(text) == (None, [(code, "release")])


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("quay.io/openshift-release-dev/ocp-release", "missing-digest", ""),
        ("mirror.example:5000/ocp", "missing-digest", ""),
        ("localhost/ocp", "missing-digest", ""),
        ("ocp-release:4.20", "invalid-pull-spec", ""),
        ("registry/ocp/release:4.20", "invalid-pull-spec", ""),
        (f"ocp-release@{DIGEST}", "invalid-pull-spec", ""),
        ("4.20.3", "invalid-pull-spec", "quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64"),
        ("4.21.0-rc.1", "invalid-pull-spec", "quay.io/openshift-release-dev/ocp-release:4.21.0-rc.1-x86_64"),
    ],
)
def test_names_without_registry_or_tag(text, code, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    problems = Problems()
    assert absolute_release_name(text) == text
    assert parse_release_name(text, "release", problems) is None
    (problem,) = problems
    assert problem.code == code
    assert hint in problem.hint
    (tmp_path / text).mkdir(parents=True)
    assert absolute_release_name(text) == str(tmp_path / text)


def test_relative_names(tmp_path, monkeypatch):
    folder = str(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOLDER", "/a")
    assert absolute_release_name(" a/b ") == f"{folder}/a/b"
    assert absolute_release_name("/a/b") == "/a/b"
    assert absolute_release_name("oci-archive:a:b") == f"oci-archive:{folder}/a:b"
    assert absolute_release_name("oc-mirror:$FOLDER/b.tar") == "oc-mirror:/a/b.tar"
    assert absolute_release_name(f"quay.io/a@{DIGEST}") == f"quay.io/a@{DIGEST}"
