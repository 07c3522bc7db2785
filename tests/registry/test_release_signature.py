# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option `signature`: releases that are read from a registry, with and without a valid signature."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data import release_keys
from ansible_collections.capability.openshift.plugins.module_utils._release_image import signature_verification
from ansible_collections.capability.openshift.plugins.modules import release_apply, release_fetch, release_info
from ansible_collections.capability.openshift.tests.registry.test_mirror_check import KEY, verification
from ansible_collections.capability.openshift.tests.unit.builders.images import Image, release_image
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, content
from ansible_collections.capability.openshift.tests.unit.builders.releases import write_release
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome, caller

Read = Callable[..., Outcome]


@pytest.fixture(scope="module")
def signed_image(tmp_path_factory, registry) -> Image:
    release = write_release(tmp_path_factory.mktemp("release"), {"keys.json": verification()}, "4.21.0")
    found = release_image(release)
    registry.push("signed/release", found)
    return found


@pytest.fixture
def signatures(tmp_path, signed_image) -> Path:
    """Return a signature store on disk with the signature of the image."""
    folder = tmp_path / "signatures" / signed_image.digest.replace(":", "=")
    folder.mkdir(parents=True)
    (folder / "signature-1").write_bytes(KEY.sign(content(signed_image.digest), version=3))
    return folder.parent


@pytest.fixture
def ring(tmp_path) -> str:
    path = tmp_path / "ring"
    path.write_bytes(KEY.ring)
    return str(path)


@pytest.fixture
def read(capsys, registry, registry_site, signed_image, tmp_path) -> Read:
    call = caller(capsys)

    def run(module: Any = release_info, **options: Any) -> Outcome:
        given = {"release": f"{registry.host}/signed/release@{signed_image.digest}", "ca_path": registry_site.ca}
        return call(module, **given, release_cache=tmp_path / "cache", **options)

    return run


def codes(outcome: Outcome) -> list[str]:
    return [item["code"] for item in outcome["problems"] if "signature" in item["code"] or "key" in item["code"]]


def test_a_release_with_a_signature(read, signatures, ring):
    outcome = read(signature="required", signature_keys=[ring], signature_stores=[str(signatures)])
    (signer,) = outcome["release"]["signed_by"]
    assert (signer["fingerprint"], signer["key_ring"]) == (KEY.fingerprint, ring)
    assert signer["source"].startswith(str(signatures))
    assert codes(outcome) == []


def test_a_release_without_a_signature_is_a_warning_unless_it_is_required(read, tmp_path, ring):
    empty = tmp_path / "empty"
    empty.mkdir()
    given = {"signature_keys": [ring], "signature_stores": [str(empty)]}
    outcome = read(**given)
    assert (codes(outcome), outcome["release"]["signed_by"]) == (["no-signature"], [])
    assert [code for code, _ in read(signature="required", **given).faults] == ["no-signature"]
    assert codes(read(signature="ignore", **given)) == []


def test_a_release_that_is_rolled_out_needs_a_signature(read, tmp_path, ring):
    """Before any request to the cluster."""
    given = {"signature_keys": [ring], "signature_stores": [str(tmp_path)], "kubeconfig": str(tmp_path / "missing")}
    assert [code for code, _ in read(release_apply, **given).faults] == ["no-signature"]


def test_key_rings_of_the_release_itself_count_only_if_their_keys_are_known(read, signatures, monkeypatch):
    given = {"signature": "required", "signature_stores": [str(signatures)]}
    outcome = read(**given)
    assert [code for code, _ in outcome.faults] == ["unknown-release-keys"]
    assert KEY.fingerprint in outcome.message
    monkeypatch.setattr(signature_verification, "RED_HAT_KEYS", release_keys.RED_HAT_KEYS | {KEY.fingerprint})
    assert read(**given)["release"]["signed_by"][0]["key_ring"] == "verifier-public-key-test"


def test_a_signature_by_another_key_is_refused(read, signatures, tmp_path):
    other = tmp_path / "other"
    other.write_bytes(Key("Other").ring)
    outcome = read(signature="required", signature_keys=[str(other)], signature_stores=[str(signatures)])
    assert [code for code, _ in outcome.faults] == ["signature-unknown-key", "not-verified"]


def test_the_result_is_kept_and_a_second_use_asks_no_store(read, signatures, ring):
    given = {"signature_keys": [ring], "signature_stores": [str(signatures)]}
    first = read(**given)["release"]["signed_by"]
    for path in signatures.rglob("signature-1"):
        path.unlink()
    assert first
    assert read(**given)["release"]["signed_by"] == first
    assert read(signature="required", **given)["release"]["signed_by"] == first
    # Other options are another question.
    assert codes(read(signature_keys=[ring], signature_stores=[str(signatures.parent)])) == ["no-signature"]


def test_a_missing_signature_is_remembered_for_warnings_only(read, signatures, ring):
    given = {"signature_keys": [ring], "signature_stores": [str(signatures)]}
    (path,) = signatures.rglob("signature-1")
    moved = path.rename(path.with_name("moved"))
    assert codes(read(**given)) == ["no-signature"]
    moved.rename(path)
    assert codes(read(**given)) == ["no-signature"]
    assert read(signature="required", **given)["release"]["signed_by"]
    assert codes(read(**given)) == []


def test_a_damaged_record_is_written_again(read, signatures, ring, tmp_path):
    given = {"signature_keys": [ring], "signature_stores": [str(signatures)]}
    read(**given)
    (record,) = (tmp_path / "cache").rglob("release-signature.json")
    assert str(signatures) not in json.dumps(json.loads(record.read_text("utf-8"))["options"])
    record.write_text("{", "utf-8")
    assert read(**given)["release"]["signed_by"]
    assert json.loads(record.read_text("utf-8"))["signed_by"]


def test_release_fetch_returns_who_signed(read, signatures, ring, tmp_path):
    outcome = read(release_fetch, dest=tmp_path / "dest", signature_keys=[ring], signature_stores=[str(signatures)])
    assert outcome["image"]["signed_by"][0]["fingerprint"] == KEY.fingerprint
