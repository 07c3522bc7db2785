# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client of registries on a model of them. tests/registry/test_client.py has a real one."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.blob import checked_blob
from ansible_collections.capability.openshift.plugins.module_utils._registry.client import RegistryClient
from ansible_collections.capability.openshift.plugins.module_utils._registry.image_manifest import Descriptor
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import PullSpec
from ansible_collections.capability.openshift.tests.unit.builders.images import image, layer
from ansible_collections.capability.openshift.tests.unit.builders.registries import Registries

ONE = image([layer({"file": b"one"})])
BLOB = Descriptor(ONE.blobs[1].digest, len(ONE.blobs[1].data))
NAME, MIRRORS = "reg.example/ocp/release", ["m1.example/ocp", "m2.example/ocp"]
SPEC = PullSpec("reg.example", "ocp/release", None, ONE.digest)


@pytest.fixture
def registries() -> Registries:
    return Registries()


def client(registries: Registries) -> RegistryClient:
    return RegistryClient(registries.access({NAME: MIRRORS}), SPEC)


def blob(found: RegistryClient) -> bytes:
    with checked_blob(found, BLOB) as file:
        return file.read()


def faults(call: Any, *arguments: Any) -> list[tuple[str, str]]:
    with pytest.raises(RegistryError) as raised:
        call(*arguments)
    return [(item.code, str(item.where).partition("@")[0]) for item in raised.value.problems]


def test_the_first_mirror_that_has_the_image_is_asked_from_then_on(registries: Registries) -> None:
    registries.push(MIRRORS[1], ONE)
    found = client(registries)
    assert found.manifest(ONE.digest) == (ONE.manifest.data, ONE.digest)
    assert found.source.name == MIRRORS[1]
    assert blob(found) == ONE.blobs[1].data
    hosts = [request.partition(" ")[2].partition("/")[0] for request in registries.requests]
    assert hosts == ["m1.example", "m2.example", "m2.example"]


def test_what_each_source_answers_is_reported(registries: Registries) -> None:
    registries.down.add("m1.example")
    registries.answers[f"m2.example/v2/ocp/manifests/{ONE.digest}"] = 403, b""
    found = faults(client(registries).manifest, ONE.digest)
    assert found == [
        ("registry-unreachable", MIRRORS[0]),
        ("registry-unauthorized", MIRRORS[1]),
        ("image-not-found", NAME),
    ]


@pytest.mark.parametrize(
    ("status", "data", "code"),
    [
        (401, b"", "registry-unauthorized"),
        (500, b"", "registry-error"),
        (302, b"", "registry-error"),
        (200, b"{}", "wrong-digest"),
        (200, b"x" * (4 << 20) + b"x", "invalid-manifest"),
    ],
)
def test_an_answer_without_the_manifest(registries: Registries, status: int, data: bytes, code: str) -> None:
    registries.answers[f"reg.example/v2/ocp/release/manifests/{ONE.digest}"] = status, data
    assert faults(RegistryClient(registries.access(), SPEC).manifest, ONE.digest) == [(code, NAME)]


@pytest.mark.parametrize("data", [b"", ONE.blobs[1].data + b"x", ONE.blobs[1].data[:-1] + b"x"])
def test_a_blob_with_other_bytes_is_refused(registries: Registries, data: bytes) -> None:
    registries.push(NAME, ONE)
    registries.store(NAME, "blobs", BLOB.digest, data)
    assert faults(blob, RegistryClient(registries.access(), SPEC)) == [("wrong-digest", NAME)]


@pytest.mark.parametrize(
    ("status", "data", "code"),
    [
        (200, ONE.blobs[1].data, ""),
        (200, b"half", "wrong-digest"),
        (307, b"", ""),
        (404, b"", "image-not-found"),
        (204, b"", "registry-error"),
    ],
)
def test_whether_a_blob_is_there_is_known_without_reading_it(
    registries: Registries, status: int, data: bytes, code: str
) -> None:
    registries.answers[f"reg.example/v2/ocp/release/blobs/{BLOB.digest}"] = status, data
    found = RegistryClient(registries.access(), SPEC)
    if code:
        assert faults(found.require_blob, BLOB) == [(code, NAME)]
    else:
        found.require_blob(BLOB)
    # Only a blob of another size is read: its digest decides.
    methods = ["HEAD", "GET"] if data == b"half" else ["HEAD"]
    assert registries.requests == [f"{method} reg.example/v2/ocp/release/blobs/{BLOB.digest}" for method in methods]


def test_a_wrong_size_in_a_manifest_has_no_effect(registries: Registries) -> None:
    """A node compares only the digest."""
    registries.push(NAME, ONE)
    RegistryClient(registries.access(), SPEC).require_blob(BLOB._replace(size=BLOB.size + 1))
