# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images in archives: of an OCI layout, and of the storage of a registry."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._registry.image import resolve_image
from ansible_collections.capability.openshift.plugins.module_utils._registry.stored_images import (
    ArchiveFiles,
    OciLayout,
    RegistryStorage,
)
from ansible_collections.capability.openshift.tests.unit.builders.images import (
    Image,
    image_list,
    write_archive,
    write_oci_archive,
)
from ansible_collections.capability.openshift.tests.unit.builders.stored_images import (
    NONE,
    ONE,
    TWO,
    archive,
    blob,
    problem,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_oci_archive(tmp_path / "layout.tar", {"one": ONE, "two": TWO})


def layout(path: Path) -> OciLayout:
    return OciLayout(ArchiveFiles([str(path)]))


def test_images_of_a_layout_by_their_names(path):
    store = layout(path)

    assert store.manifest("one") == (ONE.manifest.data, ONE.digest)
    assert store.manifest("two").digest == TWO.digest
    assert store.manifest(ONE.digest).digest == ONE.digest
    assert blob(store) == ONE.blobs[1].data


def test_the_only_image_of_a_layout_needs_no_name(tmp_path):
    for name in ("", "one"):
        assert layout(write_oci_archive(tmp_path / "x.tar", {name: ONE})).manifest("").digest == ONE.digest


@pytest.mark.parametrize(("compressed", "start"), [(True, ""), (False, ".")])
def test_an_archive_of_another_form(path, tmp_path, compressed, start):
    with tarfile.open(path) as tar:
        for member in tar:
            content, file = tar.extractfile(member), tmp_path / "files" / member.name
            assert content
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.read())
    store = layout(Path(archive(tmp_path / "files", tmp_path / "x.tar", compressed=compressed, start=start)))

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

    def fault(call: Callable[[OciLayout], object], **files: bytes) -> str:
        given = {
            name.replace("index", "index.json").replace("manifest", manifest): data for name, data in files.items()
        }
        return problem(call, layout(write_archive(tmp_path / "x.tar", given))).code

    def read(store: OciLayout) -> object:
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
        found = problem(ArchiveFiles, [str(path)])
        assert (found.code, str(found.where)) == ("unreadable-image", str(path))


ROOT = "docker/registry/v2"


def store(path: Path, *images: Image, tags: Sequence[tuple[str, str, str]] = ()) -> RegistryStorage:
    """Write images as a registry stores them, with ``tags`` (distribution:registry/storage/paths.go)."""
    files = {
        f"{ROOT}/blobs/sha256/{item.digest[7:9]}/{item.digest[7:]}/data": item.data
        for found in images
        for item in (found.manifest, *found.blobs)
    }
    for repository, tag, digest in tags:
        files[f"{ROOT}/repositories/{repository}/_manifests/tags/{tag}/current/link"] = digest.encode()
    return RegistryStorage(ArchiveFiles([str(write_archive(path, files))]))


def test_tags_without_their_manifest_are_no_release(tmp_path):
    tags = [("release-images", tag, digest) for tag, digest in (("a", ONE.digest), ("b", NONE), ("c", "text"))]
    assert store(tmp_path / "x.tar", ONE, tags=tags).manifest("").digest == ONE.digest
    several = store(tmp_path / "x.tar", ONE, TWO, tags=[*tags, ("release-images", "d", TWO.digest)])
    missing = problem(several.manifest, "")
    assert (missing.code, missing.hint) == ("image-not-found", "Add @ and the digest of one of the releases")
    assert " a (" in missing.message
    assert problem(blob, store(tmp_path / "x.tar", TWO)).code == "blob-not-found"


def test_a_release_for_all_architectures_is_read_from_the_image_that_is_there(tmp_path):
    """As oc-mirror leaves it with a list of platforms: of the list, the archive has only the second image."""
    both = image_list({"amd64": ONE, "arm64": TWO})
    found = store(tmp_path / "x.tar", both, TWO, tags=[("release-images", "a", both.digest)])
    assert resolve_image(found, "", "multi", "x").manifest_digest == TWO.digest
    assert problem(resolve_image, found, "", "amd64", "x").code == "image-not-found"
