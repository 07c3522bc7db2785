# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images in OCI layouts, which are directories or archives."""

from __future__ import annotations

import tarfile

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.blob import checked_blob
from ansible_collections.capability.openshift.plugins.module_utils._registry.image_manifest import Descriptor
from ansible_collections.capability.openshift.plugins.module_utils._registry.oci_layout import OciLayout
from ansible_collections.capability.openshift.plugins.module_utils._registry.stored_files import (
    ArchiveFiles,
    DirectoryFiles,
)
from ansible_collections.capability.openshift.tests.unit.builders.images import image, layer, write_oci_layout

ONE, TWO = image([layer({"file": b"one"})]), image([layer({"file": b"two"})], oci=True)
BLOB = Descriptor(ONE.blobs[1].digest, len(ONE.blobs[1].data))
NONE = "sha256:" + "0" * 64


def archive(folder, path, *, compressed: bool = False, start: str = ""):
    with tarfile.open(path, "w:gz" if compressed else "w") as tar:
        tar.add(folder, arcname=start)
    return str(path)


def blob(store) -> bytes:
    with checked_blob(store, BLOB) as file:
        return file.read()


def problem(call, *args):
    with pytest.raises(RegistryError) as raised:
        call(*args)
    (found,) = raised.value.problems
    return found


@pytest.fixture
def layout(tmp_path):
    return write_oci_layout(tmp_path / "layout", {"one": ONE, "two": TWO})


def test_images_of_a_layout_by_their_names(layout):
    store = OciLayout(DirectoryFiles(str(layout)))

    assert store.manifest("one") == (ONE.manifest.data, ONE.digest)
    assert store.manifest("two").digest == TWO.digest
    assert store.manifest(ONE.digest).digest == ONE.digest
    assert blob(store) == ONE.blobs[1].data


def test_the_only_image_of_a_layout_needs_no_name(tmp_path):
    for name in ("", "one"):
        layout = write_oci_layout(tmp_path / f"layout{name}", {name: ONE})
        assert OciLayout(DirectoryFiles(str(layout))).manifest("").digest == ONE.digest


@pytest.mark.parametrize(("compressed", "start"), [(False, ""), (True, ""), (False, ".")])
def test_a_layout_in_an_archive(layout, tmp_path, compressed, start):
    store = OciLayout(ArchiveFiles([archive(layout, tmp_path / "x.tar", compressed=compressed, start=start)]))

    assert store.manifest("one").data == ONE.manifest.data
    assert blob(store) == ONE.blobs[1].data


def test_a_name_that_is_not_in_the_layout(layout):
    store = OciLayout(DirectoryFiles(str(layout)))

    missing = problem(store.manifest, "three")
    assert (missing.code, str(missing.where)) == ("image-not-found", str(layout))
    assert missing.message == "has no image with the name 'three'; it has one, two"
    assert missing.hint == "Add :NAME of one of the images"
    assert problem(store.manifest, "").message == "has 2 images, and no name is given; it has one, two"
    assert problem(store.manifest, NONE).code == "image-not-found"


def test_a_layout_that_is_not_whole(layout, tmp_path):
    store = OciLayout(DirectoryFiles(str(layout)))
    (layout / "blobs" / "sha256" / BLOB.digest[7:]).unlink()
    assert problem(blob, store).code == "blob-not-found"
    (layout / "blobs" / "sha256" / ONE.digest[7:]).write_bytes(ONE.manifest.data + b" ")
    assert problem(store.manifest, "one").code == "wrong-digest"
    for text in ("[]", "{", '{"manifests": {}}'):
        (layout / "index.json").write_text(text)
        assert problem(store.manifest, "one").code == "invalid-manifest"
    (layout / "index.json").write_bytes(b"x" * (5 << 20))
    assert problem(store.manifest, "one").code == "file-too-large"
    assert problem(OciLayout(DirectoryFiles(str(tmp_path))).manifest, "").code == "not-an-image"


def test_an_archive_that_cannot_be_read(layout, tmp_path):
    text = tmp_path / "text.tar"
    text.write_text("not an archive")
    for path in (text, tmp_path / "missing.tar"):
        found = problem(ArchiveFiles, [str(path)])
        assert (found.code, str(found.where)) == ("unreadable-image", str(path))
