# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""OpenPGP messages that `gpgv` reads: those of current and old programs, faulty ones, and ones that are attacks."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._signature import gpgv
from ansible_collections.capability.openshift.plugins.module_utils._signature.gpgv import (
    SignedMessage,
    find_gpgv,
    read_signed_message,
)
from ansible_collections.capability.openshift.plugins.module_utils._signature.key_ring import KeyRing, read_key_ring
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import (
    TEXT,
    Key,
    compressed,
    content,
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
    assert found[1:] == (key.fingerprint, "Tests <tests@example.com>")


@pytest.mark.parametrize("algorithm", ["zlib", "bzip2"])
def test_a_message_may_be_compressed(key, algorithm):
    found = read(compressed(key.sign(CONTENT), algorithm), key.ring)
    assert found
    assert found.content == CONTENT


def test_any_key_of_a_ring_may_sign(key, other):
    found = read(other.sign(CONTENT), key.ring + other.ring)
    assert found
    assert found.fingerprint == other.fingerprint


def test_the_signer_is_the_primary_key_of_a_subkey(key, other):
    found = read(other.sign(CONTENT), key.with_subkey(other))
    assert found
    assert found.fingerprint == key.fingerprint


def test_the_expiry_of_the_key_is_not_asked():
    expired = Key(expires=86400)
    assert read(expired.sign(CONTENT), expired.ring)


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("signature-expired", {"created": 1_600_000_000, "expires": 100}),
        ("signature-not-checked", {"algorithm": "md5"}),
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


def test_a_gpgv_that_never_ends_is_killed(key, tmp_path, monkeypatch):
    program = tmp_path / "gpgv"
    program.write_text("#!/bin/sh\nexec sleep 60\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(gpgv, "_LONGEST_SECONDS", 0.2)
    problems = Problems()
    assert read_signed_message("signature-1", key.sign(CONTENT), ring_of(key.ring), str(program), problems) is None
    assert [problem.code for problem in problems] == ["signature-timeout"]
