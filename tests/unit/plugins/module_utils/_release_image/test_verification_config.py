# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which key rings and stores a release brings."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._http.client import HttpAnswer
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.file_store import FileStore
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_stores import (
    ConfigMapStore,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.verification_config import (
    ANNOTATION,
    VerificationConfig,
    read_config,
    read_key_rings,
    signature_stores,
)
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, armored

STORE = {"store-official": " https://storage.example.com/release \n"}


@pytest.fixture(scope="module")
def key_ring() -> str:
    return armored(Key().ring)


def config_map(data: object, **more: object) -> dict[str, Any]:
    metadata = {"name": "release-verification", "annotations": {ANNOTATION: ""}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data} | more


def read(*manifests: dict[str, Any]) -> tuple[VerificationConfig | None, list[tuple[str, str]]]:
    problems = Problems()
    config = read_config("release", [(f"m{index}", item) for index, item in enumerate(manifests)], problems)
    return config, [(problem.code, str(problem.where)) for problem in problems]


def test_the_first_config_map_with_the_annotation_counts(key_ring):
    good = {"verifier-public-key-redhat": key_ring} | STORE
    config, problems = read(
        config_map(good, kind="Secret"),
        config_map(good, apiVersion="example.com/v1"),
        config_map(good, metadata={"name": "other"}),
        config_map({"store-x": 1}),
        config_map(None),
        config_map(good),
        config_map({}),
    )
    assert problems == []
    assert config
    assert config.source == "m5"
    assert config.stores == ("https://storage.example.com/release",)
    assert [ring.name for ring in config.key_rings] == ["verifier-public-key-redhat"]


def test_a_release_without_one_accepts_no_other():
    assert read(config_map({}, metadata={})) == (None, [("no-verification-config", "release")])


def test_everything_that_is_missing_or_wrong_is_reported(key_ring):
    assert read(config_map({})) == (None, [("no-key-ring", "m0"), ("no-signature-store", "m0")])
    assert read(config_map(STORE)) == (None, [("no-key-ring", "m0")])
    wrong = {"verifier-public-key-x": "no", "store-a": "ftp://x", "store-b": "http://[", "store-c": "", "more": "x"}
    assert read(config_map(wrong)) == (
        None,
        [
            ("unknown-verification-entry", "m0"),
            ("invalid-key-ring", "verifier-public-key-x"),
            ("invalid-signature-store", "m0: store-a"),
            ("invalid-signature-store", "m0: store-b"),
            ("invalid-signature-store", "m0: store-c"),
        ],
    )


def test_the_stores_of_a_release_are_asked_unless_others_are_given(key_ring, tmp_path):
    data = {"verifier-public-key-x": key_ring, "store-a": f"file://{tmp_path}/a%20b", "store-b": "http://x.example.com"}
    config, _found = read(config_map(data))
    assert config
    given = (FileStore("given"),)
    assert config.verifier(lambda url: HttpAnswer(404, b""), (), given) == (config.key_rings, given, None)
    stores = config.verifier(lambda url: HttpAnswer(404, b""), (), ()).stores
    assert [store.name for store in stores] == [f"{tmp_path}/a b", "http://x.example.com"]


def no_answer(_url: str) -> HttpAnswer:
    raise AssertionError


def test_only_trusted_keys_of_a_release_verify_that_release_itself(key_ring):
    config, _problems = read(config_map({"verifier-public-key-redhat": key_ring} | STORE))
    assert config
    assert config.verifier(no_answer, (), (), ["known"]).trusted == ["known"]
    assert config.verifier(no_answer, config.key_rings, (), ["known"]).trusted is None
    assert config.verifier(no_answer, (), ()).trusted is None


def test_key_rings_of_files_are_read_and_faults_are_reported(key_ring, tmp_path):
    good, bad, missing = (tmp_path / name for name in ("good", "bad", "missing"))
    good.write_text(key_ring, "utf-8")
    bad.write_text("text", "utf-8")
    problems = Problems()
    rings = read_key_rings("signature_keys", map(str, (bad, good, missing)), problems)
    assert [ring.name for ring in rings] == [str(good)]
    assert [(item.code, str(item.where)) for item in problems] == [
        ("invalid-key-ring", str(bad)),
        ("unreadable-key-ring", "signature_keys"),
    ]


def test_stores_of_options_are_asked_from_near_to_far():
    problems = Problems()
    values = ["https://a.example/x", "/folder", config_map({}), "file:///other%20one", "http://b.example", "", 7]
    found = signature_stores("signature_stores", values, no_answer, problems)
    folder, maps, other, *remote = found
    assert isinstance(maps, ConfigMapStore)
    assert (folder, other) == (FileStore("/folder"), FileStore("/other one"))
    names = [maps.name, *(store.name for store in remote)]
    assert names == ["signature_stores[2]", "https://a.example/x", "http://b.example"]
    places = [(item.code, str(item.where), item.message.partition(",")[0]) for item in problems]
    expected = [(5, "is empty"), (6, "is a number")]
    assert places == [("invalid-signature-store", f"signature_stores[{index}]", found) for index, found in expected]
    assert signature_stores("signature_stores", ["/folder"], no_answer, problems) == (FileStore("/folder"),)


def test_paths_of_stores_are_those_of_a_shell(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    found = signature_stores("signature_stores", ["~/mirror", "$HOME/signatures"], no_answer, Problems())
    assert found == (FileStore("/home/me/mirror"), FileStore("/home/me/signatures"))


def test_options_replace_what_a_release_brings(key_ring):
    config, _problems = read(config_map({"verifier-public-key-redhat": key_ring} | STORE))
    assert config
    own = config.verifier(no_answer, (), ())
    assert (own.key_rings, [store.name for store in own.stores]) == (config.key_rings, list(config.stores))
    given = config.verifier(no_answer, config.key_rings * 2, (FileStore("/folder"),))
    assert (len(given.key_rings), given.stores) == (2, (FileStore("/folder"),))
