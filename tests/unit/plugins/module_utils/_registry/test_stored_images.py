# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images in OCI layouts and in the storage of a registry, which are directories or archives."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._registry.oci_layout import OciLayout
from ansible_collections.capability.openshift.plugins.module_utils._registry.registry_storage import RegistryStorage
from ansible_collections.capability.openshift.plugins.module_utils._registry.stored_files import (
    ArchiveFiles,
    DirectoryFiles,
)
from ansible_collections.capability.openshift.tests.unit.builders.images import write_oci_layout
from ansible_collections.capability.openshift.tests.unit.builders.stored_images import (
    BLOB,
    NONE,
    ONE,
    TWO,
    archive,
    blob,
    problem,
)


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


def store(folder, *images, tags=()):
    """Write images as a registry stores them, with ``tags`` (distribution:registry/storage/paths.go)."""
    root = folder / "docker/registry/v2"
    for found in images:
        for item in (found.manifest, *found.blobs):
            path = root / f"blobs/sha256/{item.digest[7:9]}/{item.digest[7:]}/data"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(item.data)
    for repository, tag, digest in tags:
        path = root / f"repositories/{repository}/_manifests/tags/{tag}/current/link"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(digest)
    return RegistryStorage(DirectoryFiles(str(folder)))


def test_the_only_release_of_a_storage(tmp_path):
    tags = [("openshift/release-images", "one", f"{ONE.digest}\n"), ("openshift/release", "two", TWO.digest)]
    found = store(tmp_path, ONE, TWO, tags=tags)

    assert found.manifest("").digest == ONE.digest
    assert found.manifest(TWO.digest).data == TWO.manifest.data
    assert blob(found) == ONE.blobs[1].data
    missing = problem(found.manifest, NONE)
    assert missing.message.endswith(f" one ({ONE.digest})")


def test_tags_without_their_manifest_are_no_release(tmp_path):
    tags = [("release-images", tag, digest) for tag, digest in (("a", ONE.digest), ("b", NONE), ("c", "text"))]
    assert store(tmp_path, ONE, tags=tags).manifest("").digest == ONE.digest
    several = store(tmp_path, TWO, tags=[("release-images", "d", TWO.digest)])
    missing = problem(several.manifest, "")
    assert (missing.code, missing.hint) == ("image-not-found", "Add @ and the digest of one of the releases")
    assert " a (" in missing.message
    (tmp_path / f"docker/registry/v2/blobs/sha256/{BLOB.digest[7:9]}/{BLOB.digest[7:]}/data").unlink()
    assert problem(blob, several).code == "blob-not-found"
