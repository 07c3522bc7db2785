# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signatures in ConfigMaps, files and directories."""

from __future__ import annotations

import base64
import json

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.file_store import FileStore
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_stores import (
    SIGNATURE_LABEL,
    ConfigMapStore,
)

HEX = "e" * 64
DIGEST = f"sha256:{HEX}"


def config_map(entries: dict[str, str]) -> dict[str, object]:
    metadata = {"name": "signatures", "labels": {SIGNATURE_LABEL: ""}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "binaryData": entries}


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def found(store) -> tuple[list[bytes], list[str]]:
    problems = Problems()
    return [item.data for item in store.signatures(DIGEST, problems)], [problem.code for problem in problems]


def test_entries_that_begin_with_the_digest_are_signatures():
    entries = {
        f"sha256-{HEX}-2": encoded("two"),
        f"sha256-{HEX}-1": encoded("one"),
        f"sha256-{'f' * 64}-1": encoded("other"),
        f"sha256-{HEX}-3": "!",
    }
    store = ConfigMapStore("cluster", (config_map(entries), {}, {"binaryData": []}))
    assert found(store) == ([b"one", b"two"], ["signature-not-base64"])
    (first, *_others) = store.signatures(DIGEST, Problems())
    assert first.source == f"cluster: signatures.binaryData.sha256-{HEX}-1"


def test_a_file_is_a_signature_or_a_manifest(tmp_path):
    signature, manifest, listed = tmp_path / "sig", tmp_path / "one.yaml", tmp_path / "list.json"
    signature.write_bytes(b"\x99one")
    other, own = (json.dumps(config_map({f"sha256-{digest}-1": encoded("two")})) for digest in ("f" * 64, HEX))
    manifest.write_text(f"---\n{other}\n---\n{own}\n", "utf-8")
    listed.write_text(json.dumps({"kind": "List", "items": [config_map({f"sha256-{HEX}": encoded("three")})]}), "utf-8")
    assert found(FileStore(str(signature))) == ([b"\x99one"], [])
    assert found(FileStore(str(manifest))) == ([b"two"], [])
    assert found(FileStore(str(listed))) == ([b"three"], [])


def test_a_directory_is_a_store_or_one_of_oc_mirror(tmp_path):
    folder = tmp_path / f"sha256={HEX}"
    folder.mkdir()
    for number in (1, 2, 4):
        (folder / f"signature-{number}").write_bytes(b"%d" % number)
    (tmp_path / f"4.21.0-x86_64-sha256-{HEX}").write_bytes(b"mirror")
    (tmp_path / f"4.21.0-x86_64-sha256-{'f' * 64}").write_bytes(b"other")
    (tmp_path / f"signature-sha256-{HEX}.json").write_text(
        json.dumps(config_map({f"sha256-{HEX}-1": encoded("config map")})), "utf-8"
    )
    assert found(FileStore(str(tmp_path))) == ([b"1", b"2", b"mirror", b"config map"], [])


def test_what_cannot_be_read_is_reported(tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_text("{", "utf-8")
    assert found(FileStore(str(broken))) == ([], ["unreadable-signature"])
    assert found(FileStore(str(tmp_path / "missing"))) == ([], ["unreadable-signature"])
    problems = Problems()
    assert list(FileStore(str(tmp_path / "missing")).signatures(DIGEST, problems)) == []
    assert str(problems[0]) == (
        f"{tmp_path}/missing: No such file or directory, expected a signature, or a ConfigMap with signatures. "
        "Check the path"
    )
