# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signatures that GnuPG accepts, and the CVO does not. tests/registry compares many more with the code of the CVO."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._signature.packet_fields import PacketError
from ansible_collections.capability.openshift.plugins.module_utils._signature.signature_packet import (
    RIPEMD160,
    read_signature,
)
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, subpacket


@pytest.fixture(scope="module")
def key() -> Key:
    return Key()


def fault(body: bytes) -> str:
    try:
        read_signature(body)
    except PacketError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "sha512"])
def test_signatures_of_documents_are_read(key, version, kind, algorithm):
    found = read_signature(key.signature(b"data", kind, version=version, algorithm=algorithm, headless=True))
    assert (found.version, found.kind, found.key_id.hex().upper()) == (version, kind, key.fingerprint[-16:])
    assert (found.is_hash_of(b"data"), found.is_hash_of(b"other")) == (True, False)


def test_the_hash_that_the_cvo_does_not_compute_is_never_right(key):
    found = read_signature(key.signature(b"data", headless=True))
    assert not found._replace(hash_number=RIPEMD160).is_hash_of(b"data")


def test_subpackets_of_any_length_are_accepted_unless_they_are_unknown_and_critical(key):
    for size in (1, 190, 191, 300):
        assert fault(key.signature(b"", more=subpacket(100, bytes(size)), headless=True)) == ""
        assert "100" in fault(key.signature(b"", more=subpacket(0x80 | 100, bytes(size)), headless=True))
    assert fault(key.signature(b"", more=subpacket(0x80 | 27, b"\x02"), headless=True)) == ""
    assert read_signature(key.signature(b"", expires=1, headless=True)).lifetime == 1


@pytest.mark.parametrize(
    "more",
    [
        b"\x00",
        b"\x20\x64",
        subpacket(2, bytes(4)),
        subpacket(3, b"\x01"),
        subpacket(3, bytes(4)) * 2,
        subpacket(16, bytes(7)),
        subpacket(25, b""),
        subpacket(27, b""),
        subpacket(29, b""),
        subpacket(32, b"\x03\x05"),
        subpacket(32, Key().signature(b"", headless=True)),
    ],
)
def test_subpackets_that_are_not_valid_are_refused(key, more):
    assert fault(key.signature(b"", more=more, headless=True)) != ""


def test_other_signatures_are_refused(key):
    for version, algorithm_at, hash_at in ((3, 15, 16), (4, 2, 3)):
        good = key.signature(b"", version=version, headless=True)
        for position, value in ((algorithm_at, 22), (hash_at, 12)):
            assert fault(good[:position] + bytes([value]) + good[position + 1 :]) != ""
        assert fault(b"\x05" + good[1:]) == "has the version 5"
        for size in range(len(good)):
            assert fault(good[:size]) != ""
        assert fault(good + b"\x00") == "is longer than its content"
    ecdsa_of_version_3 = key.signature(b"", version=3, headless=True).replace(b"\x01\x08", b"\x13\x08", 1)
    assert fault(ecdsa_of_version_3) == "uses the public key algorithm 19"
