# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Key rings, signatures and releases are accepted as by the CVO's own code: library-go and golang.org/x/crypto/openpgp.

``tests/parity/facts/signatures.json`` has random ones with its answers; ``tests/parity/make_signatures.py`` makes them
again. Nothing is accepted that the CVO refuses. What is refused although the CVO accepts it is in ``PURPOSES``.

gpgv costs a process for each message, so `make test` runs a quarter, and `make test-deep` all.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._signature.http_store import HttpAnswer
from ansible_collections.capability.openshift.plugins.module_utils._signature.key_ring import KeyRing, read_key_ring
from ansible_collections.capability.openshift.plugins.module_utils._signature.stores import (
    ConfigMapStore,
    FoundSignature,
)
from ansible_collections.capability.openshift.plugins.module_utils._signature.verification_config import (
    ANNOTATION,
    read_config,
)
from ansible_collections.capability.openshift.plugins.module_utils._signature.verifier import Verifier, verify_digest
from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS

GOLDEN = json.loads((FACTS / "signatures.json").read_bytes())
DIGEST = GOLDEN["digest"]
SERVER = "http://store.test"
each = pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.deep)])
"""Of how many pairs and releases one is verified."""

PURPOSES = {
    **dict.fromkeys(("armor-empty", "armor-empty-body", "armor-private"), "a ring without public keys is a mistake"),
    **dict.fromkeys(("junk-after", "junk-before", "long-key"), "a ring with other bytes is damaged"),
    **dict.fromkeys(("flipped", "private-packet", "secret"), "a ring or signature with other bytes is damaged"),
    "self-reason": "the CVO loads the key, and accepts no signature by it",
    "created-0": "of this time are keys of 768 bits, by which the CVO accepts no signature",
    **dict.fromkeys(("created-4000000000", "time-before-key", "time-0"), "gpgv compares the times of keys"),
    **dict.fromkeys(("self-before-key", "self-md5", "self-sha1"), "gpgv does not trust such certifications"),
    **dict.fromkeys(("revoked-late", "subkey-before-user"), "gpgv reads keys as they should be"),
    **dict.fromkeys(("issuer-none", "issuer-fingerprint", "issuer-twice"), "gpgv finds a key by the issuer"),
    **dict.fromkeys(("expires-overflow", "expires-twice", "time-twice"), "the lifetime is not clear"),
    **dict.fromkeys(("md5", "md5-short", "sha1-short", "sha224-short", "sha256-short", "sha384-short"), "weak hashes"),
    **dict.fromkeys(("text", "text-trailing-space", "text-version-3"), "gpg writes other ends of lines"),
    **dict.fromkeys(
        ("text-type-of-binary-data", "wrong-hash-number", "kind-16"), "the first packet is of another signature"
    ),
    **dict.fromkeys(
        ("more-data", "more-junk", "signature-inside", "signature-longer", "signature-more"), "more than one"
    ),
    **dict.fromkeys(("two-last", "two-one-pass", "user-before", "symmetric"), "more than a signature"),
    **dict.fromkeys(
        ("zlib-inside", "zlib-then-more", "zlib-then-signature", "zlib-wrong-sum"), "gpg never compresses so"
    ),
    **dict.fromkeys(("json-comment", "json-second-object", "json-trailing-junk"), "data after the content"),
    **dict.fromkeys(
        ("json-kelvin", "json-other-case", "json-other-case-inside", "json-twice"), "JSON that is not clear"
    ),
    **dict.fromkeys(("json-large", "json-creator-large", "json-not-utf8"), "content that no signer writes"),
}
"""What is refused on purpose although the CVO accepts it, and why."""

UNVERIFIED = ("second-user-spoiled", "subkey-spoiled")
"""What is accepted although the CVO does not load the key: the value of a signature in the ring was changed.

The CVO verifies each signature in a ring. Here, the hashes of all are compared, and gpgv verifies some.
"""

LOADED = (*UNVERIFIED, "self-spoiled-value", "revocation-spoiled", "flipped")
"""Keys that are loaded, too, and then gpgv accepts no signature by them."""


def data_of(text: str) -> bytes:
    return text.encode() if text.startswith("-----") else base64.b64decode(text)


RINGS = [data_of(text) for text, _unusual, _found in GOLDEN["rings"]]
MESSAGES = [data_of(text) for text, _unusual in GOLDEN["messages"]]


@cache
def ring_of(number: int) -> KeyRing | None:
    return read_key_ring("ring", RINGS[number], Problems())


class Given:
    """A store with one signature."""

    name = "given"

    def __init__(self, signature: bytes) -> None:
        self._signature = signature

    def signatures(self, digest: str, problems: Problems) -> Iterator[FoundSignature]:
        yield FoundSignature(self._signature, "given")


def is_among(unusual: list[str], labels: Collection[str]) -> bool:
    return any(label in labels for label in unusual)


def test_key_rings_have_the_keys_that_the_cvo_loads() -> None:
    more, fewer = [], []
    for number, (_text, unusual, expected) in enumerate(GOLDEN["rings"]):
        ring = ring_of(number)
        found = None if ring is None else list(ring.fingerprints)
        if set(found or ()) - set(expected or ()) and not is_among(unusual, LOADED):
            more.append((number, unusual, expected, found))
        elif found != (expected or None) and not is_among(unusual, {*PURPOSES, *LOADED}):
            fewer.append((number, unusual, expected, found))
    assert (more, fewer) == ([], [])


@each
def test_messages_are_accepted_as_by_the_cvo(step: int) -> None:
    wrong = []
    for message, number, expected in GOLDEN["pairs"][::step]:
        ring, problems = ring_of(number), Problems()
        store: Any = Given(MESSAGES[message])
        signers = verify_digest("release", DIGEST, Verifier((ring,), (store,)), problems) if ring else ()
        unusual = [*GOLDEN["messages"][message][1], *GOLDEN["rings"][number][1]]
        if bool(signers) != bool(expected) and not is_among(unusual, PURPOSES if expected else UNVERIFIED):
            wrong.append((message, number, unusual, expected, [str(problem) for problem in problems]))
    assert wrong == []


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
    maps = tuple(
        {"binaryData": {key: base64.b64encode(MESSAGES[message]).decode() for key, message in found.items()}}
        for found in release["config_maps"]
    )
    stores = (ConfigMapStore("cluster", maps), *verifier.stores)
    return bool(verify_digest("release", release["digest"], verifier._replace(stores=stores), problems))


@each
def test_releases_are_accepted_as_by_the_cvo(tmp_path: Path, step: int) -> None:
    wrong = []
    for number, release in enumerate(GOLDEN["releases"][::step]):
        problems = Problems()
        if is_accepted(release, tmp_path / str(number), problems) != release["accepted"]:
            wrong.append((release, [str(problem) for problem in problems]))
    assert wrong == []
