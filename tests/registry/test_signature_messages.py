# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""OpenPGP messages that `gpgv` reads: those of current and old programs, faulty ones, and ones that are attacks."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.signatures import RED_HAT_KEYS
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.gpgv import (
    KeyRing,
    SignedMessage,
    find_gpgv,
    read_key_ring,
    read_signed_message,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.verification_config import read_config
from ansible_collections.capability.openshift.tests.parity.support import load, release_folders
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import (
    SUBKEY,
    SUBKEY_BINDING,
    TEXT,
    Key,
    compressed,
    content,
    literal,
    packet,
)

DIGEST = f"sha256:{'a' * 64}"
CONTENT = content(DIGEST)


@pytest.fixture(scope="module")
def key() -> Key:
    return Key()


@pytest.fixture(scope="module")
def other() -> Key:
    return Key("Other <other@example.com>")


def ring_of(data: bytes) -> KeyRing:
    ring = read_key_ring("ring", data, Problems())
    assert ring
    return ring


def read(message: bytes, ring: bytes, problems: Problems | None = None) -> SignedMessage | None:
    found = Problems() if problems is None else problems
    program = find_gpgv(found)
    assert program, "gpgv is missing; install it (Debian: apt-get install gpgv)"
    return read_signed_message("signature-1", message, ring_of(ring), program, found)


def refusal(message: bytes, ring: bytes) -> str:
    problems = Problems()
    assert read(message, ring, problems) is None
    (problem,) = problems
    assert str(problem.where) == "signature-1"
    return problem.code


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"version": 3},
        {"algorithm": "sha1"},
        {"algorithm": "sha512"},
        {"expires": 86400},
        {"kind": TEXT},
        {"kind": TEXT, "version": 3},
    ],
    ids=str,
)
def test_a_valid_message_has_its_content_and_signer(key, options):
    found = read(key.sign(CONTENT, **options), key.ring)
    assert found
    assert found.content == CONTENT
    assert found.signer == (key.fingerprint, key.fingerprint, "Tests <tests@example.com>")


@pytest.mark.parametrize("algorithm", ["zlib", "bzip2"])
def test_a_message_may_be_compressed(key, algorithm):
    found = read(compressed(key.sign(CONTENT), algorithm), key.ring)
    assert found
    assert found.content == CONTENT


def test_any_key_of_a_ring_may_sign(key, other):
    found = read(other.sign(CONTENT), key.ring + other.ring)
    assert found
    assert found.signer.primary_key == other.fingerprint


def test_the_signer_is_the_primary_key_of_a_subkey(key, other):
    found = read(other.sign(CONTENT), key.with_subkey(other))
    assert found
    assert found.signer[:2] == (other.fingerprint, key.fingerprint)


def test_the_expiry_of_the_key_is_not_asked():
    expired = Key(expires=86400)
    assert read(expired.sign(CONTENT), expired.ring)


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("signature-expired", {"created": 1_600_000_000, "expires": 100}),
        ("signature-not-checked", {"algorithm": "md5"}),
        ("signature-not-checked", {"kind": 0x02}),
    ],
)
def test_a_signature_of_another_kind_is_refused(key, code, options):
    assert refusal(key.sign(CONTENT, **options), key.ring) == code


def test_a_signature_of_an_unknown_key_is_refused(key, other):
    assert refusal(other.sign(CONTENT), key.ring) == "signature-unknown-key"


def test_a_signature_of_a_revoked_key_is_refused():
    revoked = Key(revoked=True)
    assert refusal(revoked.sign(CONTENT), revoked.ring) == "signature-revoked-key"


def test_changed_messages_are_refused(key):
    message = key.sign(CONTENT)
    assert refusal(message[:-1] + bytes([message[-1] ^ 1]), key.ring) == "signature-wrong"


def test_data_beside_the_signed_data_are_refused(key):
    message = key.sign(CONTENT)
    for changed in (
        literal(b"x") + message,
        message + literal(b"x"),
        message + message,
        message + compressed(literal(b"x")),
    ):
        assert refusal(changed, key.ring) == "signature-unreadable"
    assert refusal(message + key.signature(CONTENT), key.ring) == "signature-unreadable"


@pytest.mark.parametrize("message", [literal(CONTENT), compressed(literal(CONTENT)), b"\x99" * 500, b"\x80"])
def test_what_is_not_signed_is_refused(key, message):
    assert refusal(message, key.ring) == "signature-unreadable"


def test_parts_of_a_message_are_refused(key):
    message = key.sign(CONTENT)
    for part in (key.signature(CONTENT), message[:-20], message[:40]):
        assert refusal(part, key.ring) == "signature-unreadable"


def test_bombs_are_refused(key):
    assert refusal(compressed(key.sign(b"0" * 30_000_000)), key.ring) == "signature-too-large"
    assert refusal(key.sign(b"0" * 70_000), key.ring) == "signature-too-large"
    nested = key.sign(CONTENT)
    for _number in range(40):
        nested = compressed(nested)
    assert refusal(nested, key.ring) == "signature-unreadable"


def test_a_key_ring_that_claims_to_have_checked_a_forged_subkey_does_not_make_it_known(key, other):
    """gpg adds packets to a key ring that say which signatures it has checked. A release can bring such packets."""
    checked = packet(12, b"\x00\x03gpg\x00")
    ring = key.ring + packet(SUBKEY, other.body) + other.signature(b"forged", SUBKEY_BINDING) + checked
    found = read(other.sign(CONTENT), ring)
    assert found is None or found.signer.key == other.fingerprint


@pytest.mark.parametrize("folder", release_folders())
@pytest.mark.parametrize("fingerprint", sorted(RED_HAT_KEYS))
def test_the_keys_of_red_hat_are_in_the_key_ring_of_each_release(folder, fingerprint, key):
    """gpgv finds the key that a signature names, and sees that this key did not sign it."""
    release = load(folder)
    bodies = [
        (item.file, release.read_body(item)) for item in release.manifests if item.resource_id.kind == "ConfigMap"
    ]
    config = read_config("release", bodies, Problems())
    assert config
    (ring,) = config.key_rings
    key_id = bytes.fromhex(fingerprint)[-8:]
    forged = key.sign(CONTENT, version=3).replace(key.id, key_id)
    assert refusal(forged, ring.data) == "signature-wrong"
