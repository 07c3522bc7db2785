# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Key rings, armored and binary."""

from __future__ import annotations

import base64

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._signature.armor import dearmor
from ansible_collections.capability.openshift.plugins.module_utils._signature.key_ring import KeyRing, read_key_ring
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, literal, packet

START, END = "-----BEGIN PGP PUBLIC KEY BLOCK-----", "-----END PGP PUBLIC KEY BLOCK-----"


@pytest.fixture(scope="module")
def key() -> Key:
    return Key()


def armored(data: bytes, headers: str = "\n", checksum: str = "", start: str = START, end: str = END) -> str:
    return f"{start}\n{headers}{base64.encodebytes(data).decode()}{checksum}{end}\n"


def long_lines(data: bytes, length: int) -> bytes:
    text = base64.b64encode(data).decode()
    lines = [text[start : start + length] for start in range(0, len(text), length)]
    return "\n".join([START, "", *lines, END]).encode()


def read(data: bytes) -> tuple[KeyRing | None, list[str]]:
    problems = Problems()
    return read_key_ring("verifier-public-key-x", data, problems), [problem.code for problem in problems]


def test_armor_and_binary_are_the_same_ring(key):
    expected = KeyRing("verifier-public-key-x", key.ring, (key.fingerprint,))
    for data in (
        key.ring,
        armored(key.ring).encode(),
        armored(key.ring, "Comment: a: b\nVersion: 1\n\n").encode(),
        armored(key.ring, " \n").encode(),
        ("text before\n" + armored(key.ring).replace("\n", "\r\n") + "text after").encode(),
        (armored(key.ring) + armored(b"second block")).encode(),
    ):
        assert read(data) == (expected, [])


def test_the_checksum_is_checked_if_there_is_one():
    # The CRC of "123456789", from the catalogue of CRC algorithms (CRC-24/OPENPGP: 0x21cf02).
    assert dearmor(armored(b"123456789", checksum="=Ic8C\n")) == b"123456789"
    with pytest.raises(ValueError, match="wrong checksum"):
        dearmor(armored(b"123456789", checksum="=Ic8D\n"))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no armor",
        armored(b"").encode(),
        armored(b"x", start="-----BEGIN PGP MESSAGE-----").encode(),
        armored(b"x", start="-----BEGIN PGP PRIVATE KEY BLOCK-----").encode(),
        armored(b"x", end="").encode(),
        armored(Key().ring, "").encode(),
        armored(Key().ring).replace("\nm", "\n m").encode(),
        long_lines(Key().ring, 100),
        armored(b"not packets").encode(),
        f"{START}\n\n!!!\n{END}".encode(),
        literal(b"no key"),
        packet(6, b"\x03old"),
        packet(6, b"\x04" * 40)[:-1],
        b"\x9b",
        b"\xc6\xe0",
        b"\xc6",
    ],
)
def test_what_is_no_key_ring_is_reported(data):
    assert read(data) == (None, ["invalid-key-ring"])


def test_the_reason_is_named():
    problems = Problems()
    read_key_ring("verifier-public-key-x", b"", problems)
    assert str(problems[0]) == (
        "verifier-public-key-x: has no armored block, expected OpenPGP public keys. "
        "Export the public keys with `gpg --export --armor`"
    )


@pytest.mark.parametrize("size", [5, 191, 192, 8383, 8384, 70_000])
def test_headers_of_the_new_format(key, size):
    user = b"u" * size
    if size < 192:
        header = bytes([size])
    elif size < 8384:
        header = bytes([(size - 192 >> 8) + 192, size - 192 & 255])
    else:
        header = b"\xff" + size.to_bytes(4, "big")
    ring, problems = read(key.ring + bytes([0xC0 | 13]) + header + user + key.ring)
    assert problems == []
    assert ring
    assert ring.fingerprints == (key.fingerprint, key.fingerprint)


ED25519 = packet(6, b"\x04" + bytes(4) + b"\x16\x01")
BRAINPOOL = packet(14, b"\x04" + bytes(4) + b"\x13\x03\x01\x02\x03\x00\x03\x04")


def test_the_cvo_does_not_load_some_keys_nor_the_key_before_them(key):
    second = Key("Second <second@example.com>")
    for data, loaded in (
        (ED25519 + key.ring, [key]),
        (key.ring + second.ring + ED25519, [key]),
        (key.ring + ED25519 + second.ring, [second]),
        (key.ring + BRAINPOOL + second.ring, [second]),
        (key.ring + key.signature(b"", algorithm="sha1", more=b"\x02\x9a\x01") + second.ring, [second]),
        (key.ring + ED25519, []),
        (ED25519, []),
        (packet(6, b"\x05" + bytes(40)), []),
        (packet(6, b"\x04" + bytes(4) + b"\x02\x00\x01\x01\x00\x01\x01"), []),
    ):
        ring, problems = read(data)
        fingerprints = tuple(item.fingerprint for item in loaded)
        assert (ring.fingerprints if ring else ()) == fingerprints
        assert set(problems) == ({"unloadable-key"} if loaded else {"invalid-key-ring"})
