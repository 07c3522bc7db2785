# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signatures and releases are accepted as by the CVO's own code: library-go and golang.org/x/crypto/openpgp.

``tests/parity/facts/signatures.json`` has them with its answers; ``tests/parity/make_signatures.py`` makes them again.
``gpgv`` decides about OpenPGP. Where it differs from the CVO, docs/reference/releases.md says so.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._http.client import HttpAnswer
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.gpgv import read_key_ring
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_stores import (
    SIGNATURE_LABEL,
    ConfigMapStore,
    FoundSignature,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.verification_config import (
    ANNOTATION,
    read_config,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.verifier import (
    Verifier,
    verify_digest,
)
from ansible_collections.capability.openshift.tests.parity import make_facts

GOLDEN = make_facts.read("signatures.json")
DIGEST = GOLDEN["digest"]
RINGS, MESSAGES = ([base64.b64decode(item) for item in GOLDEN[name]] for name in ("rings", "messages"))
SERVER = "http://store.test"
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "releases.md"

ONLY_GPGV = {
    "a signature in front of the data": ["signature-first"],
    "a first packet that announces another key, another type, or a further signature": [
        *("one-pass-other-key", "text-as-binary", "one-pass-not-last")
    ],
    "a signature by an RSA key with the number of *RSA Sign-Only*": ["sign-only-number"],
    "a signature of version 3 by a key of an elliptic curve": ["version-3-P-256"],
    "wrong first bytes of the hash": ["spoiled-start"],
    "a lifetime of 0 seconds, or a second one that has expired": ["expires-0", "expires-twice-early"],
    "subpackets with a wrong length, at a wrong place, or critical and unknown to the CVO": [
        *("bad-flags", "bad-primary", "bad-reason", "bad-key-lifetime", "critical-fingerprint"),
        *("embedded-bad", "embedded-old", "time-also-unhashed"),
    ],
    "a compressed packet with the method *uncompressed*": ["uncompressed"],
    "an ECDSA key of another curve than P-256, P-384 and P-521": ["key-brainpool"],
    "a key next to one that the CVO does not load, such as one of Ed25519": ["ring-subkey-ed25519"],
    "a key with a user, subkey or revocation whose signature is missing or not valid": [
        *("ring-self-casual", "ring-self-spoiled-start", "ring-self-bad-primary", "ring-second-user-spoiled"),
        *("ring-subkey-alone", "ring-subkey-not-crossed", "ring-subkey-spoiled"),
        *("ring-revocation-spoiled", "ring-revoked-by-other"),
    ],
    "a key whose own signature contains a reason for a revocation": ["ring-self-reason"],
    "other packets in the key ring": ["ring-literal-inside"],
    "armor with long lines, a wrong checksum, or another block in front of the keys": [
        *("ring-armor-wide", "ring-armor-wrong-checksum", "ring-armor-other-block-first")
    ],
}
"""What gpgv accepts and the CVO rejects, by the text of the page."""

ONLY_CVO = {
    "the hash MD5, also in the key ring": ["md5", "ring-self-md5"],
    "a signature that is older than its key": ["time-before-key", "ring-self-before-key"],
    "a key from the future": ["key-future"],
    "a signature without the ID of its key, or with the ID of another key": [
        *("issuer-none", "issuer-fingerprint", "issuer-other", "issuer-twice")
    ],
    "two lifetimes, or one that ends after 2106": ["expires-twice", "expires-overflow"],
    "the type of another signature than one of a document": ["kind-16"],
    "a text signature of lines without carriage returns": ["text"],
    "other packets or bytes beside a signature": [
        *("more-data", "more-junk", "signature-inside", "signature-more", "two-last", "two-one-pass"),
        *("unknown-packet", "user-before", "ring-junk-before", "ring-subkey-before-user"),
    ],
    "a packet without a length, or a key in parts": ["signature-rest", "ring-partial"],
    "compression of parts of a message, or with a wrong checksum": ["zlib-inside", "zlib-wrong-sum"],
    "armor of a private key": ["ring-armor-private"],
    "JSON with repeated fields, fields in another case, or data after the object": [
        *("json-comment", "json-second-object", "json-trailing-junk"),
        *("json-kelvin", "json-other-case", "json-other-case-inside", "json-twice"),
    ],
    "content that is not UTF-8, or has more than 64 KiB": ["json-not-utf8", "json-large", "json-creator-large"],
}
"""What the CVO accepts and this collection rejects, by the text of the page."""


class Given:
    """A store with one signature."""

    name = "given"

    def __init__(self, signature: bytes) -> None:
        self._signature = signature

    def signatures(self, digest: str, problems: Problems) -> Iterator[FoundSignature]:
        yield FoundSignature(self._signature, "given")


def expected(label: str) -> bool:
    """Return the answer of the CVO, or the other one if the page names the difference."""
    is_different = any(label in labels for labels in (*ONLY_GPGV.values(), *ONLY_CVO.values()))
    return bool(GOLDEN["examples"][label][2]) != is_different


@pytest.mark.parametrize("label", GOLDEN["examples"])
def test_a_signature_is_accepted_as_by_the_cvo_except_where_the_page_names_a_difference(label):
    message, number, _accepted = GOLDEN["examples"][label]
    problems = Problems()
    ring = read_key_ring("ring", RINGS[number], problems)
    store: Any = Given(MESSAGES[message])
    signers = verify_digest("release", DIGEST, Verifier((ring,), (store,)), problems) if ring else ()
    assert bool(signers) == expected(label), [str(problem) for problem in problems]


@pytest.mark.parametrize(("rows", "accepted"), [(ONLY_GPGV, False), (ONLY_CVO, True)], ids=["gpgv", "cvo"])
def test_the_page_names_each_difference(rows, accepted):
    text = re.sub(r"\s+", " ", PAGE.read_text("utf-8"))
    for row, labels in rows.items():
        assert row in text
        assert [label for label in labels if GOLDEN["examples"][label][2] != accepted] == []


def is_accepted(release: dict[str, Any], directory: Path, problems: Problems) -> bool:
    """Verify a release with the stores of a ConfigMap, and with the ConfigMaps of a cluster before them."""
    for number, found in enumerate(release["stores"]):
        for path, message in found.items():
            file = directory / str(number) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(MESSAGES[message])
    data = {
        key: RINGS[value].decode()
        if isinstance(value, int)
        else value.replace("FILES", f"file://{directory}").replace("SERVER", SERVER)
        for key, value in release["data"].items()
    }
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"annotations": {ANNOTATION: ""}}, "data": data}
    config = read_config("release", [("config.yaml", body)], problems)
    if config is None:
        return False

    def get(url: str) -> HttpAnswer:
        path = url.removeprefix(SERVER).partition("?")[0].partition("#")[0]
        file = directory / path.lstrip("/")
        return HttpAnswer(200, file.read_bytes()) if file.is_file() else HttpAnswer(404, b"")

    verifier = config.verifier(get, (), ())
    metadata = {"labels": {SIGNATURE_LABEL: ""}}
    stored = (
        {key: base64.b64encode(MESSAGES[message]).decode() for key, message in found.items()}
        for found in release["config_maps"]
    )
    maps = tuple({"metadata": metadata, "binaryData": entries} for entries in stored)
    stores = (ConfigMapStore("cluster", maps), *verifier.stores)
    return bool(verify_digest("release", release["digest"], verifier._replace(stores=stores), problems))


def test_releases_are_accepted_as_by_the_cvo(tmp_path: Path) -> None:
    wrong = []
    for number, release in enumerate(GOLDEN["releases"]):
        problems = Problems()
        if is_accepted(release, tmp_path / str(number), problems) != release["accepted"]:
            wrong.append((release, [str(problem) for problem in problems]))
    assert wrong == []
