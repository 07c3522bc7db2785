# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Releases that directories and images in OCI layouts contain. tests/registry has those in registries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.open_release import (
    is_stored,
    open_release,
    source_after,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.opened_release import (
    OpenedRelease,
    Signer,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_source import (
    PreviousRelease,
    ReleaseSource,
)
from ansible_collections.capability.openshift.tests.unit.builders.images import (
    image,
    image_list,
    layer,
    release_image,
    write_oci_archive,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_release


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"0000_10_a.yaml": manifest("a")}
    return write_release(tmp_path_factory.mktemp("release"), files, cvo={"0000_00_cvo.yaml": manifest("cvo")})


@pytest.fixture
def layout(release: Path, tmp_path: Path) -> Path:
    found = release_image(release)
    both = image_list({"amd64": found, "arm64": image([layer({"file": b"arm"})], "arm64")})
    images = {"one": found, "list": both, "other": image([layer({"file": b"text"})])}
    return write_oci_archive(tmp_path / "layout.tar", images)


@pytest.fixture
def source(tmp_path: Path) -> ReleaseSource:
    return ReleaseSource(cache=str(tmp_path / "cache"))


def code(call: Any, *arguments: Any) -> str:
    with pytest.raises(CapabilityError) as raised:
        call(*arguments, Problems())
    return raised.value.problems[0].code


def names(opened: OpenedRelease) -> set[str]:
    return {item.resource_id.name for item in opened.load(Problems()).manifests}


def test_an_image_in_an_archive_is_read_once(layout: Path, release: Path, source: ReleaseSource) -> None:
    shown: list[str] = []
    text = f"oci-archive:{layout}:one"
    assert not is_stored(text, source)
    problems = Problems()
    opened = open_release(text, source._replace(progress=shown.append), problems)
    expected = release_image(release)
    assert opened.image is not None
    found = opened.image
    assert (found.digest, found.manifest_digest, found.architecture) == (expected.digest, expected.digest, "amd64")
    assert (found.source, found.built_for) == (text, "amd64")
    assert (opened.pull_spec, opened.signed_by, problems) == ("", (), [])
    assert names(opened) == {"a", "cvo"}
    assert [item.removeprefix(text) for item in (shown[0], shown[-2], shown[-1])] == [
        ": reading its manifest",
        ": verifying its signature",
        "",
    ]
    write_oci_archive(layout, {"one": expected._replace(blobs=expected.blobs[:-1])})
    assert open_release(text, source, Problems()).directory == opened.directory
    by_digest = f"registry.example/a/b@{expected.digest}"
    assert is_stored(by_digest, source)
    assert open_release(by_digest, source, Problems()) == opened._replace(pull_spec=by_digest)
    assert not is_stored(by_digest, source._replace(cache=f"{source.cache}2"))


def test_the_image_of_an_architecture_is_read_from_a_list(layout: Path, source: ReleaseSource) -> None:
    opened = open_release(f"oci-archive:{layout}:list", source._replace(architecture="x86_64"), Problems())
    assert opened.image is not None
    assert opened.image.digest != opened.image.manifest_digest
    assert names(opened) == {"a", "cvo"}
    assert code(open_release, f"oci-archive:{layout}:list", source._replace(architecture="aarch64")) == "not-a-release"
    assert (
        code(open_release, f"oci-archive:{layout}:list", source._replace(architecture="s390x"))
        == "missing-architecture"
    )


def test_what_is_no_release_is_refused(layout: Path, tmp_path: Path, source: ReleaseSource) -> None:
    assert code(open_release, f"oci-archive:{layout}:other", source) == "not-a-release"
    assert code(open_release, f"oci-archive:{layout}:missing", source) == "image-not-found"
    assert code(open_release, f"oc-mirror:{tmp_path}", source) == "unreadable-image"
    assert code(open_release, "", source) == "invalid-path"
    assert not is_stored("quay.io/a/b:tag", source)


def test_a_directory_is_itself(release: Path, source: ReleaseSource) -> None:
    opened = open_release(str(release), source, Problems())
    assert (opened.directory, opened.image, opened.pull_spec) == (str(release), None, "")
    assert is_stored(str(release), source)
    assert names(opened) == {"a", "cvo"}


@pytest.mark.parametrize(("signed", "stays"), [(None, False), (False, True), (True, False)])
def test_only_a_directory_and_a_verified_image_verify_the_next_release(
    layout: Path, release: Path, source: ReleaseSource, signed: bool | None, stays: bool
) -> None:
    opened = open_release(str(release) if signed is None else f"oci-archive:{layout}:one", source, Problems())
    opened = opened._replace(signed_by=(Signer("ring", "AB", "user", "store"),) if signed else ())
    found = source_after(opened, "4.20.3", source)
    previous = None if stays else PreviousRelease("4.20.3", opened.directory)
    assert found == source._replace(signature=source.signature._replace(previous=previous))
    assert source_after(opened._replace(directory="/nowhere"), "4.20.3", source) == source
