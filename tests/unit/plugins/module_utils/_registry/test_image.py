# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images: which manifest a name stands for, and what is visible of their layers."""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.blob import BlobSink, StoredManifest
from ansible_collections.capability.openshift.plugins.module_utils._registry.image import read_files, resolve_image
from ansible_collections.capability.openshift.tests.unit.builders.images import (
    OCI_LAYER,
    Blob,
    Image,
    digest_of,
    image,
    image_list,
    layer,
    link,
    platform_list,
)

ONE = "quay.io/ocp/release"


class Memory:
    """An image store with these blobs; a name is the digest of its image."""

    def __init__(self, *images: Image) -> None:
        self.blobs: dict[str, bytes] = {}
        self.read: list[str] = []
        for found in images:
            self._add(found)

    def _add(self, found: Image) -> None:
        self.blobs.update({blob.digest: blob.data for blob in (found.manifest, *found.blobs)})
        for other in found.images:
            self._add(other)

    def manifest(self, reference: str) -> StoredManifest:
        data = self.blobs[reference]
        return StoredManifest(data, digest_of(data))

    def copy_blob(self, sink: BlobSink) -> None:
        self.read.append(sink.descriptor.digest)
        sink.write(self.blobs[sink.descriptor.digest])


def files(*layers: Blob, complete=lambda files: False):
    """Read the directory ``a`` of an image with these layers, the lowest first."""
    found = image(layers)
    store = Memory(found)
    resolved = resolve_image(store, found.digest, "amd64", ONE)
    return {
        name: data.decode() for name, data in read_files(store, resolved.manifest, ("a",), complete, ONE).files.items()
    }


def error(call, *args, **options) -> tuple[str, str]:
    with pytest.raises(RegistryError) as raised:
        call(*args, **options)
    (found,) = raised.value.problems
    return found.code, found.message


def test_a_higher_layer_replaces_files():
    assert files(layer({"a/x": b"1", "a/y": b"1"}), layer({"a/x": b"2"})) == {"a/x": "2", "a/y": "1"}


def test_a_whiteout_hides_what_is_below_and_nothing_else():
    lower = layer({"a/x": b"1", "a/y": b"1", "a/d/z": b"1"})

    assert files(lower, layer({"a/.wh.x": b""})) == {"a/y": "1", "a/d/z": "1"}
    assert files(lower, layer({"a/.wh.x": b"", "a/x": b"2"})) == {"a/x": "2", "a/y": "1", "a/d/z": "1"}
    assert files(lower, layer({"a/.wh.d": b""})) == {"a/x": "1", "a/y": "1"}
    assert files(lower, layer({"a/.wh.d": b""}), layer({"a/d/z": b"3"})) == {"a/x": "1", "a/y": "1", "a/d/z": "3"}
    assert files(lower, layer({".wh.a": b""})) == {}
    assert files(lower, layer({".wh.a": b"", "a/n": b"2"})) == {"a/n": "2"}


def test_an_opaque_directory_hides_what_is_below_in_it():
    lower = layer({"a/x": b"1", "a/d/z": b"1"})

    assert files(lower, layer({"a/d/.wh..wh..opq": b"", "a/d/n": b"2"})) == {"a/x": "1", "a/d/n": "2"}
    assert files(lower, layer({".wh..wh..opq": b"", "a/n": b"2"})) == {"a/n": "2"}


def test_a_file_replaces_a_directory_and_the_other_way_round():
    assert files(layer({"a/d/z": b"1"}), layer({"a/d": b"2"})) == {"a/d": "2"}
    assert files(layer({"a/d": b"1"}), layer({"a/d/z": b"2"})) == {"a/d/z": "2"}
    assert files(layer({"a": b"1"}), layer({"a/": None})) == {}


def test_a_link_is_refused_only_where_it_is_seen():
    linked = layer([link("a/x", "y")])

    assert files(linked, layer({"a/x": b"2"})) == {"a/x": "2"}
    assert error(files, linked) == ("link-in-image", "a/x is a symbolic link, expected a file")
    assert error(files, layer({"a/x": b"1"}), layer([link("a", "b")]))[0] == "link-in-image"


def test_layers_are_read_from_the_top_until_the_files_are_complete():
    layers = [layer({"a/x": bytes([65 + number])}) for number in range(3)]
    found = image(layers)
    store = Memory(found)
    manifest = resolve_image(store, found.digest, "amd64", ONE).manifest

    read = read_files(store, manifest, ("a",), lambda files: "a/x" in files, ONE)

    assert (read.files, read.layers_read) == ({"a/x": b"C"}, 1)
    assert store.read == [layers[2].digest]


def test_the_konflux_layout():
    copied = layer({"tmp/": None, "tmp/a/amd64/x": b"1"}, OCI_LAYER)
    run = layer({"a/": None, "a/x": b"1", "tmp/": None, "tmp/.wh.a": b""}, f"{OCI_LAYER}+gzip")
    found = image([copied, run], oci=True)
    store = Memory(found)

    manifest = resolve_image(store, found.digest, "amd64", ONE).manifest

    assert read_files(store, manifest, ("a",), lambda files: False, ONE).files == {"a/x": b"1"}


AMD, ARM = image([layer({"a/x": b"1"})]), image([layer({"a/x": b"2"})], "arm64", oci=True)


@pytest.mark.parametrize("oci", [False, True])
def test_the_image_of_an_architecture(oci):
    both = image_list({"amd64": AMD, "arm64": ARM}, oci=oci)
    store = Memory(both)

    for architecture, expected in (("amd64", AMD), ("arm64", ARM), ("multi", AMD)):
        resolved = resolve_image(store, both.digest, architecture, ONE)
        assert (resolved.digest, resolved.manifest_digest) == (both.digest, expected.digest)
    assert resolve_image(store, ARM.digest, "amd64", ONE).digest == ARM.digest
    only_arm = image_list({"arm64": ARM})
    assert resolve_image(Memory(only_arm), only_arm.digest, "multi", ONE).manifest_digest == ARM.digest
    message = "is not for the architecture 's390x'; it is for amd64, arm64"
    assert error(resolve_image, store, both.digest, "s390x", ONE) == ("missing-architecture", message)


LINUX = {"os": "linux", "architecture": "amd64"}


@pytest.mark.parametrize(
    ("platforms", "oci", "architecture", "expected"),
    [
        ([{"os": "windows", "architecture": "amd64"}, LINUX], False, "amd64", 1),
        ([{**LINUX, "variant": "v3"}, LINUX], True, "amd64", 1),
        (
            [{"os": "linux", "architecture": "arm64"}, {"os": "linux", "architecture": "arm64", "variant": "v8"}],
            True,
            "arm64",
            1,
        ),
        (
            [{"os": "linux", "architecture": "arm64", "variant": "v9"}, {"os": "linux", "architecture": "arm64"}],
            False,
            "arm64",
            1,
        ),
        ([None, LINUX], True, "amd64", 1),
        ([{"os": "windows", "architecture": "amd64"}, None], True, "amd64", 1),
        ([{"os": "windows", "architecture": "amd64"}, None], False, "amd64", None),
        ([{"os": "unknown", "architecture": "unknown"}, {"architecture": "amd64"}], True, "amd64", None),
        ([{"os": "windows", "architecture": "amd64"}, {"os": "linux", "architecture": "arm64"}], True, "multi", 1),
        ([LINUX, LINUX], True, "amd64", 0),
    ],
)
def test_the_platform_of_an_image_in_a_list_counts_as_for_a_node(platforms, oci, architecture, expected):
    images = [AMD, ARM]
    both = platform_list(list(zip(platforms, images, strict=True)), oci=oci)
    if expected is None:
        assert error(resolve_image, Memory(both), both.digest, architecture, ONE)[0] == "missing-architecture"
    else:
        found = resolve_image(Memory(both), both.digest, architecture, ONE)
        assert found.manifest_digest == images[expected].digest


def test_the_architectures_of_a_list_are_words():
    """They are shown in a message, and come from the registry."""
    odd = image_list({"\x1b[31mamd64": ARM, "arm64": ARM})
    assert error(resolve_image, Memory(odd), odd.digest, "amd64", ONE)[1].endswith("it is for arm64")


def manifest_error(document) -> tuple[str, str]:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    store = Memory()
    store.blobs[digest_of(data)] = data
    return error(resolve_image, store, digest_of(data), "amd64", ONE)


LAYER = {"digest": "sha256:" + "0" * 64, "size": 1}


@pytest.mark.parametrize(
    "document",
    [
        b"{",
        [],
        {"schemaVersion": 1, "fsLayers": []},
        {"layers": [{**LAYER, "digest": "sha512:00"}]},
        {"layers": [{**LAYER, "digest": "sha256:../../x"}]},
        {"layers": [{**LAYER, "size": -1}]},
        {"layers": [{**LAYER, "size": 1 << 40}]},
        {"layers": [{**LAYER, "size": "1"}]},
        {"layers": [{**LAYER, "size": True}]},
        {"layers": ["x"]},
        {"layers": [LAYER] * 600},
        b"[" * 100_000,
        {"layers": [LAYER], "manifests": []},
    ],
    ids=range(13),
)
def test_a_manifest_that_is_not_valid(document):
    assert manifest_error(document)[0] == "invalid-manifest"


def test_a_list_of_lists():
    inner = image_list({"amd64": AMD})
    outer = image_list({"amd64": inner})

    assert error(resolve_image, Memory(outer), outer.digest, "amd64", ONE)[0] == "invalid-manifest"
