# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images in the storage of a real registry, which is what the archives of oc-mirror contain."""

from __future__ import annotations

import tarfile

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._registry.stored_images import (
    ArchiveFiles,
    RegistryStorage,
)
from ansible_collections.capability.openshift.tests.registry.harness.registry import Registry, Site
from ansible_collections.capability.openshift.tests.unit.builders.stored_images import (
    BLOB,
    ONE,
    TWO,
    archive,
    blob,
    problem,
)


@pytest.fixture(scope="module")
def storage(tmp_path_factory):
    """Return the storage of a registry with two releases, as oc-mirror v2 names their repository."""
    site = Site(tmp_path_factory.mktemp("storage"))
    registry = Registry(site)
    registry.push("openshift/release-images", ONE, "4.20.3-x86_64")
    registry.push("openshift/release", TWO, "4.20.3-x86_64-cli")
    yield site.folder / "storage"
    site.close()


@pytest.mark.parametrize("lacking", [100, 600, 5_000])
def test_an_archive_that_is_cut_off(storage, tmp_path, lacking):
    """As on a disk that was full. Without an error, its last files would count as not mirrored."""
    whole, cut = tmp_path / "mirror_000001.tar", tmp_path / "cut.tar"
    archive(storage, whole)
    with tarfile.open(whole) as tar:
        tar.getmembers()
        end = tar.offset
    cut.write_bytes(whole.read_bytes()[: end - lacking])
    assert problem(ArchiveFiles, [str(cut)]).code == "unreadable-image"


def test_an_archive_has_the_tags_of_the_whole_cache_and_the_manifests_of_one_run(tmp_path):
    """As oc-mirror v2 builds it: repositories/ as a whole, and only the blobs that are new (BuildArchive)."""
    (tmp_path / "site").mkdir()
    site = Site(tmp_path / "site")
    registry = Registry(site)
    registry.push("openshift/release-images", TWO, "4.20.2-x86_64")
    registry.push("openshift/release-images", ONE, "4.20.3-x86_64")
    archive(site.folder / "storage", tmp_path / "all.tar")
    site.close()
    with tarfile.open(tmp_path / "all.tar") as whole, tarfile.open(tmp_path / "mirror_000001.tar", "w") as part:
        for member in whole:
            if member.isfile() and f"blobs/sha256/{TWO.digest[7:9]}/{TWO.digest[7:]}" not in member.name:
                part.addfile(member, whole.extractfile(member))
    store = RegistryStorage(ArchiveFiles([str(tmp_path / "mirror_000001.tar")]))
    assert store.manifest("").digest == ONE.digest
    missing = problem(store.manifest, TWO.digest)
    assert missing.message == f"does not contain the image {TWO.digest}; it has 4.20.3-x86_64 ({ONE.digest})"


def test_archives_of_one_mirror_are_read_together(storage, tmp_path):
    whole = tmp_path / "whole.tar"
    archive(storage, whole)
    with tarfile.open(whole) as tar:
        for number, wanted in (("1", False), ("2", True)):
            with tarfile.open(tmp_path / f"mirror_00000{number}.tar", "w") as part:
                for member in tar:
                    if member.isfile() and (BLOB.digest[7:] in member.name) == wanted:
                        part.addfile(member, tar.extractfile(member))
    first, second = (str(tmp_path / f"mirror_00000{number}.tar") for number in "12")

    assert blob(RegistryStorage(ArchiveFiles([first, second]))) == ONE.blobs[1].data
    assert problem(blob, RegistryStorage(ArchiveFiles([first]))).code == "blob-not-found"
