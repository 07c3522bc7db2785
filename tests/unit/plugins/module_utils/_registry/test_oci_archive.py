# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images in archives of an OCI layout."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.blob import checked_blob
from ansible_collections.capability.openshift.plugins.module_utils._registry.image import resolve_image
from ansible_collections.capability.openshift.plugins.module_utils._registry.image_manifest import Descriptor
from ansible_collections.capability.openshift.plugins.module_utils._registry.oci_archive import OciArchive
from ansible_collections.capability.openshift.tests.unit.builders.images import (
    image,
    image_list,
    layer,
    write_archive,
    write_oci_archive,
)

ONE, TWO = image([layer({"file": b"one"})]), image([layer({"file": b"two"})], oci=True)
BLOB = Descriptor(ONE.blobs[1].digest, len(ONE.blobs[1].data))
NONE = "sha256:" + "0" * 64


def blob(store: OciArchive) -> bytes:
    """Read the layer of ``ONE``."""
    with checked_blob(store, BLOB) as file:
        return file.read()


def problem(call: Callable[..., Any], *arguments: Any) -> Problem:
    """Return the only problem with which a call fails."""
    with pytest.raises(RegistryError) as raised:
        call(*arguments)
    (found,) = raised.value.problems
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_oci_archive(tmp_path / "layout.tar", {"one": ONE, "two": TWO})


def layout(path: Path) -> OciArchive:
    return OciArchive(str(path))


def test_images_of_a_layout_by_their_names(path):
    store = layout(path)

    assert store.manifest("one") == (ONE.manifest.data, ONE.digest)
    assert store.manifest("two").digest == TWO.digest
    assert store.manifest(ONE.digest).digest == ONE.digest
    assert blob(store) == ONE.blobs[1].data


def test_the_only_image_of_a_layout_needs_no_name(tmp_path):
    for name in ("", "one"):
        assert layout(write_oci_archive(tmp_path / "x.tar", {name: ONE})).manifest("").digest == ONE.digest


@pytest.mark.parametrize(("mode", "start"), [("w:gz", ""), ("w", ".")])
def test_an_archive_of_another_form(path, tmp_path, mode, start):
    folder = tmp_path / "files"
    with tarfile.open(path) as tar:
        tar.extractall(folder)
    with tarfile.open(tmp_path / "x.tar", mode) as tar:
        tar.add(folder, arcname=start)
    store = layout(tmp_path / "x.tar")

    assert store.manifest("one").data == ONE.manifest.data
    assert blob(store) == ONE.blobs[1].data


def test_a_name_that_is_not_in_the_layout(path):
    store = layout(path)

    missing = problem(store.manifest, "three")
    assert (missing.code, str(missing.where)) == ("image-not-found", str(path))
    assert missing.message == "has no image with the name 'three'; it has one, two"
    assert missing.hint == "Add :NAME of one of the images"
    assert problem(store.manifest, "").message == "has 2 images, and no name is given; it has one, two"
    assert problem(store.manifest, NONE).code == "image-not-found"


def test_a_layout_that_is_not_whole(tmp_path):
    entries = [ONE.manifest.descriptor(annotations={"org.opencontainers.image.ref.name": "one"})]
    index = json.dumps({"manifests": entries}).encode()
    manifest = f"blobs/sha256/{ONE.digest[7:]}"

    def fault(call: Callable[[OciArchive], object], **files: bytes) -> str:
        given = {
            name.replace("index", "index.json").replace("manifest", manifest): data for name, data in files.items()
        }
        return problem(call, layout(write_archive(tmp_path / "x.tar", given))).code

    def read(store: OciArchive) -> object:
        return store.manifest("one")

    assert fault(blob, index=index, manifest=ONE.manifest.data) == "blob-not-found"
    assert fault(read, index=index, manifest=ONE.manifest.data + b" ") == "wrong-digest"
    for text in (b"[]", b"{", b'{"manifests": {}}'):
        assert fault(read, index=text) == "invalid-manifest"
    assert fault(read, index=b"x" * (5 << 20)) == "file-too-large"
    assert fault(read, other=b"") == "not-an-image"


def test_an_archive_that_cannot_be_read(tmp_path):
    text = tmp_path / "text.tar"
    text.write_text("not an archive")
    for path in (text, tmp_path / "missing.tar"):
        found = problem(layout, path)
        assert (found.code, str(found.where)) == ("unreadable-image", str(path))


@pytest.mark.parametrize("lacking", [100, 600, 5_000])
def test_an_archive_that_is_cut_off(path, tmp_path, lacking):
    """As on a disk that was full. Without an error, its last files would count as missing."""
    cut = tmp_path / "cut.tar"
    with tarfile.open(path) as tar:
        tar.getmembers()
        end = tar.offset
    cut.write_bytes(path.read_bytes()[: end - lacking])
    assert problem(layout, cut).code == "unreadable-image"


def test_a_release_for_all_architectures_is_read_from_the_image_that_is_there(tmp_path):
    """As a copy for some platforms leaves it: of the list, the archive has only the second image."""
    both = image_list({"amd64": ONE, "arm64": TWO})._replace(images=(TWO,))
    found = layout(write_oci_archive(tmp_path / "x.tar", {"": both}))
    assert resolve_image(found, "", "multi", "x").manifest_digest == TWO.digest
    assert problem(resolve_image, found, "", "amd64", "x").code == "image-not-found"
