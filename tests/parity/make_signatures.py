#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make random key rings, signatures and stores, and write which of them library-go and x/crypto accept.

Usage: python -m ansible_collections.capability.openshift.tests.parity.make_signatures

It runs the program in ``go/signatures``. Each ring and message has a list of what is unusual in it.
"""

from __future__ import annotations

import base64
import bz2
import hashlib
import json
import random
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import dsa, ec, utils

from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS, write
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import content, subpacket

PROGRAM = FACTS.parent / "go" / "signatures"
DIGEST, OTHER_DIGEST = f"sha256:{'b' * 64}", f"sha256:{'c' * 64}"
RINGS, PAIRS, RELEASES = 480, 1000, 160
CREATED, LATER, FUTURE = 1_262_304_000, 1_600_000_000, 4_000_000_000
SIGNATURE, ONE_PASS, PUBLIC_KEY, COMPRESSED, LITERAL, USER, SUBKEY, ATTRIBUTE = 2, 4, 6, 8, 11, 13, 14, 17
RSA, RSA_SIGN, DSA, ECDSA = 1, 3, 17, 19
HASHES = {"md5": 1, "sha1": 2, "ripemd160": 3, "sha256": 8, "sha384": 9, "sha512": 10, "sha224": 11}
SIZES = {"md5": 16, "sha1": 20, "ripemd160": 20, "sha256": 32, "sha384": 48, "sha512": 64, "sha224": 28}
CURVES = {"2a8648ce3d030107": ec.SECP256R1(), "2b81040022": ec.SECP384R1(), "2b81040023": ec.SECP521R1()}
PREFIXES = {
    "md5": "3020300c06082a864886f70d020505000410",
    "sha1": "3021300906052b0e03021a05000414",
    "sha224": "302d300d06096086480165030402040500041c",
    "sha256": "3031300d060960864801650304020105000420",
    "sha384": "3041300d060960864801650304020205000430",
    "sha512": "3051300d060960864801650304020305000440",
}
"""The start of what RSA signs (RFC 8017, section 9.2)."""


RSA_KEYS: list[int] = []


class Key(NamedTuple):
    """A key pair: the body of its packet, and what signs a hash."""

    algorithm: int
    body: bytes
    sign: Callable[[str, bytes], bytes]

    @property
    def framed(self) -> bytes:
        return b"\x99" + struct.pack(">H", len(self.body)) + self.body

    @property
    def fingerprint(self) -> bytes:
        return hashlib.sha1(self.framed, usedforsecurity=False).digest()

    @property
    def hash(self) -> str:
        """A hash that is as long as its curve, which gpgv expects."""
        return {"2b81040022": "sha384", "2b81040023": "sha512"}.get(self.body[7:12].hex(), "sha256")

    @property
    def unusual(self) -> tuple[str, ...]:
        """What is unusual in the key itself."""
        created = int.from_bytes(self.body[1:5], "big")
        return () if created == CREATED else (f"created-{created}",)

    @property
    def id(self) -> bytes:
        return self.fingerprint[-8:]


OTHERS: list[Key] = []
SUBKEYS: list[Key] = []


class Item(NamedTuple):
    """A ring or a message, and what is unusual in it."""

    data: bytes
    unusual: tuple[str, ...]


def four(number: int) -> bytes:
    """Write a number in four bytes."""
    return number.to_bytes(4, "big")


def mpi(value: int) -> bytes:
    return struct.pack(">H", value.bit_length()) + value.to_bytes((value.bit_length() + 7) // 8, "big")


def public(algorithm: int, material: bytes, created: int = CREATED) -> bytes:
    return b"\x04" + struct.pack(">IB", created, algorithm) + material


def prime(chance: random.Random, bits: int) -> int:
    while True:
        candidate = chance.getrandbits(bits) | 3 << bits - 2 | 1
        if pow(2, candidate - 1, candidate) == 1:
            return candidate


def rsa_key(*, algorithm: int = RSA, exponent: int = 65537, created: int = CREATED, size: int = 1024) -> Key:
    chance = random.Random(exponent * created + size + algorithm + len(RSA_KEYS))
    while True:
        p, q = prime(chance, size // 2), prime(chance, size // 2)
        order = (p - 1) * (q - 1)
        try:
            private = pow(exponent, -1, order)
            break
        except ValueError:
            continue
    modulus = p * q
    RSA_KEYS.append(modulus)

    def sign(name: str, digest: bytes) -> bytes:
        info = bytes.fromhex(PREFIXES.get(name, PREFIXES["sha1"])) + digest
        padded = b"\x00\x01" + b"\xff" * (size // 8 - len(info) - 3) + b"\x00" + info
        return mpi(pow(int.from_bytes(padded, "big"), private, modulus))

    return Key(algorithm, public(algorithm, mpi(modulus) + mpi(exponent), created), sign)


def dsa_key() -> Key:
    private = dsa.generate_private_key(1024)
    numbers = private.private_numbers().public_numbers
    given = numbers.parameter_numbers
    material = b"".join(map(mpi, (given.p, given.q, given.g, numbers.y)))

    def sign(name: str, digest: bytes) -> bytes:
        length: hashes.HashAlgorithm = hashes.MD5() if name == "md5" else hashes.SHA1()
        value = private.sign(digest[:20], utils.Prehashed(length))
        return b"".join(map(mpi, utils.decode_dss_signature(value)))

    return Key(DSA, public(DSA, material), sign)


def ecdsa_key(oid: str = "2a8648ce3d030107", created: int = CREATED) -> Key:
    curve = CURVES[oid]
    private = ec.generate_private_key(curve)
    numbers = private.public_key().public_numbers()
    size = (curve.key_size + 7) // 8
    point = int.from_bytes(b"\x04" + numbers.x.to_bytes(size, "big") + numbers.y.to_bytes(size, "big"), "big")
    material = bytes([len(oid) // 2]) + bytes.fromhex(oid) + mpi(point)
    names: dict[str, hashes.HashAlgorithm] = {
        "md5": hashes.MD5(),
        "sha1": hashes.SHA1(),
        "sha224": hashes.SHA224(),
        "sha256": hashes.SHA256(),
        "sha384": hashes.SHA384(),
        "sha512": hashes.SHA512(),
    }

    def sign(name: str, digest: bytes) -> bytes:
        known = names.get(name, hashes.SHA1())
        value = private.sign(digest, ec.ECDSA(utils.Prehashed(known)))
        return b"".join(map(mpi, utils.decode_dss_signature(value)))

    return Key(ECDSA, public(ECDSA, material, created), sign)


def unknown_key(algorithm: int, material: bytes) -> Key:
    """A key of an algorithm that x/crypto does not know, which signs nothing valid."""
    return Key(algorithm, public(algorithm, material), lambda _name, _digest: mpi(1 << 500) + mpi(1 << 500))


ED25519 = bytes.fromhex("092b06010401da470f01") + mpi(1 << 262 | 7)
CURVE25519 = bytes.fromhex("0a2b060104019755010501") + mpi(1 << 262 | 7) + bytes.fromhex("03010807")
ELGAMAL = mpi((1 << 1023) + 1) + mpi(5) + mpi(1 << 1000)


def packet(tag: int, body: bytes, style: str = "new") -> bytes:
    if style == "old" and tag < 16:
        return bytes([0x80 | tag << 2 | 1]) + struct.pack(">H", len(body)) + body
    if style == "long":
        return bytes([0xC0 | tag, 255]) + four(len(body)) + body
    if style == "rest" and tag < 16:
        return bytes([0x80 | tag << 2 | 3]) + body
    if style == "partial" and len(body) > 64:
        return bytes([0xC0 | tag, 224 | 6]) + body[:64] + length(len(body) - 64) + body[64:]
    return bytes([0xC0 | tag]) + length(len(body)) + body


def length(size: int) -> bytes:
    if size < 192:
        return bytes([size])
    return bytes([(size - 192 >> 8) + 192, size - 192 & 255]) if size < 8384 else b"\xff" + four(size)


def digest_of(name: str, data: bytes) -> bytes:
    try:
        return hashlib.new(name, data, usedforsecurity=False).digest()
    except ValueError:  # a build of OpenSSL without ripemd160
        return hashlib.sha1(data, usedforsecurity=False).digest()


def time_of(seconds: int) -> bytes:
    return subpacket(2, four(seconds))


def signature(
    key: Key,
    data: bytes,
    kind: int,
    *,
    version: int = 4,
    algorithm: str = "",
    hashed: bytes | None = None,
    unhashed: bytes | None = None,
    more: bytes = b"",
    created: int = LATER,
    number: int | None = None,
    hash_number: int | None = None,
    spoil: str = "",
) -> bytes:
    """Return the body of a signature packet."""
    algorithm = algorithm or key.hash
    head_numbers = bytes([key.algorithm if number is None else number, hash_number or HASHES[algorithm]])
    if version < 4:
        trailer = bytes([kind]) + four(created)
        start = bytes([version, 5]) + trailer + key.id + head_numbers
    else:
        known = (time_of(created) if hashed is None else hashed) + more
        issuer = subpacket(16, key.id) if unhashed is None else unhashed
        head = bytes([version, kind]) + head_numbers + struct.pack(">H", len(known)) + known
        trailer = head + b"\x04\xff" + four(len(head))
        start = head + struct.pack(">H", len(issuer)) + issuer
    digest = digest_of(algorithm, data + trailer)
    value = key.sign(algorithm, digest_of(algorithm, b"spoiled") if spoil == "value" else digest)
    body = start + (b"\x00\x00" if spoil == "tag" else digest[:2]) + value
    return body[:-3] if spoil == "cut" else body


def signed(key: Key, data: bytes, kind: int, **options: Any) -> bytes:
    """Return a signature packet."""
    return packet(SIGNATURE, signature(key, data, kind, **options))


# Key rings


def self_signature(key: Key, user: bytes, **options: Any) -> bytes:
    data = key.framed + b"\xb4" + four(len(user)) + user
    kind = options.pop("kind", 0x13)
    options.setdefault("more", subpacket(27, b"\x03"))
    return signed(key, data, kind, **options)


@cache
def plain_key(key: Key, user: bytes = b"A user <a@example.com>") -> bytes:
    return packet(PUBLIC_KEY, key.body) + packet(USER, user) + self_signature(key, user)


def subkey_of(key: Key, other: Key, flags: int, *, crossed: bool = True, **options: Any) -> bytes:
    bound = key.framed + other.framed
    kind = options.pop("kind", 0x18)
    more = subpacket(27, bytes([flags])) if flags else b""
    if flags & 2 and crossed:
        embedded = signature(other, bound, 0x19)
        more += subpacket(32, embedded)
    return packet(SUBKEY, other.body) + signed(key, bound, kind, more=more, **options)


@cache
def unusual_keys(key: Key) -> dict[str, bytes]:
    """Return the packets of a key in which one thing is unusual, by what it is."""
    other = OTHERS[0]
    sub = SUBKEYS[len(key.body) % 2]
    user = b"A user <a@example.com>"
    second = b"Second <b@example.com>"
    head, name = packet(PUBLIC_KEY, key.body), packet(USER, user)
    certified = key.framed + b"\xb4" + four(len(user)) + user
    own = self_signature(key, user)
    stranger = signed(other, certified, 0x10)
    old = signed(key if key.algorithm != ECDSA else other, certified, 0x10, version=3)
    revoked = signed(key, key.framed, 0x20)
    reason = subpacket(29, b"\x01gone")
    plain = head + name + own
    return {
        "self-generic": head + name + self_signature(key, user, kind=0x10),
        "self-persona": head + name + self_signature(key, user, kind=0x11),
        "self-casual": head + name + self_signature(key, user, kind=0x12),
        "self-without-issuer": head + name + self_signature(key, user, unhashed=b""),
        "self-issuer-fingerprint": head
        + name
        + self_signature(key, user, unhashed=subpacket(33, b"\x04" + key.fingerprint)),
        "self-issuer-hashed": head + name + self_signature(key, user, unhashed=b"", more=subpacket(16, key.id)),
        "self-other-issuer": head + name + self_signature(key, user, unhashed=subpacket(16, other.id)),
        "self-spoiled-value": head + name + self_signature(key, user, spoil="value"),
        "self-spoiled-tag": head + name + self_signature(key, user, spoil="tag"),
        "self-cut": head + name + self_signature(key, user, spoil="cut"),
        "self-other-user": head + packet(USER, second) + own,
        "self-md5": head + name + self_signature(key, user, algorithm="md5"),
        "self-sha1": head + name + self_signature(key, user, algorithm="sha1"),
        "self-ripemd160": head + name + self_signature(key, user, algorithm="ripemd160"),
        "self-sha512": head + name + self_signature(key, user, algorithm="sha512") if key.algorithm != DSA else plain,
        "self-old": head + name + old,
        "self-after-old": head + name + old + own,
        "self-before-old": head + name + own + old,
        "self-after-stranger": head + name + stranger + own,
        "self-before-stranger": head + name + own + stranger,
        "self-twice": head + name + own + self_signature(key, user, created=LATER + 5),
        "self-expired-signature": head
        + name
        + self_signature(key, user, more=subpacket(3, four(5)) + subpacket(27, b"\x03")),
        "self-from-the-future": head + name + self_signature(key, user, created=FUTURE),
        "self-before-key": head + name + self_signature(key, user, created=CREATED - 1000),
        "self-without-time": head + name + self_signature(key, user, hashed=b""),
        "self-critical-unknown": head + name + self_signature(key, user, more=subpacket(0x80 | 100, b"a")),
        "self-critical-known": head + name + self_signature(key, user, more=subpacket(0x80 | 27, b"\x03")),
        "self-bad-issuer": head + name + self_signature(key, user, unhashed=subpacket(16, key.id[:7])),
        "self-bad-flags": head + name + self_signature(key, user, more=subpacket(27, b"")),
        "self-bad-lifetime": head + name + self_signature(key, user, more=subpacket(9, b"\x00\x00")),
        "self-bad-primary": head + name + self_signature(key, user, more=subpacket(25, b"")),
        "self-empty-subpacket": head + name + self_signature(key, user, more=b"\x00"),
        "self-long-subpacket": head + name + self_signature(key, user, more=b"\xbf\x1b\x03"),
        "self-reason": head + name + self_signature(key, user, more=reason),
        "self-version-5": head + name + self_signature(key, user, version=5),
        "self-unknown-hash": head + name + self_signature(key, user, hash_number=13),
        "certification-revoked": plain + signed(key, certified, 0x30),
        "flags-none": head + name + self_signature(key, user, more=b""),
        "flags-certify": head + name + self_signature(key, user, more=subpacket(27, b"\x01")),
        "flags-sign": head + name + self_signature(key, user, more=subpacket(27, b"\x02")),
        "flags-encrypt": head + name + self_signature(key, user, more=subpacket(27, b"\x0c")),
        "flags-unhashed": head
        + name
        + self_signature(key, user, more=b"", unhashed=subpacket(16, key.id) + subpacket(27, b"\x01")),
        "expired": head + name + self_signature(key, user, more=subpacket(27, b"\x03") + subpacket(9, four(1000))),
        "lifetime-0": head + name + self_signature(key, user, more=subpacket(27, b"\x03") + subpacket(9, bytes(4))),
        "no-user": head,
        "no-self-signature": head + name,
        "signature-without-user": head + own,
        "two-users": plain + packet(USER, second) + self_signature(key, second),
        "second-user-uncertified": plain + packet(USER, second),
        "second-user-spoiled": plain + packet(USER, second) + self_signature(key, second, spoil="value"),
        "first-user-uncertified": head + packet(USER, second) + name + own,
        "empty-user": head + packet(USER, b"") + self_signature(key, b""),
        "user-not-utf8": head + packet(USER, b"\xff\xfe") + self_signature(key, b"\xff\xfe"),
        "attribute": plain + packet(ATTRIBUTE, b"\x05\x01abcd") + signed(key, key.framed, 0x13),
        "attribute-bad": plain + packet(ATTRIBUTE, b"\x50\x01") + signed(key, key.framed, 0x13),
        "trust": head + packet(12, b"\x00\x00") + name + packet(12, b"\x00") + own,
        "marker": head + packet(10, b"PGP") + name + own,
        "private-packet": head + name + own + packet(60, b"abc"),
        "literal-inside": head + name + own + packet(LITERAL, b"b\x00\x00\x00\x00\x00text"),
        "revoked": head + revoked + name + own,
        "revoked-late": plain + revoked,
        "revoked-reason": head + signed(key, key.framed, 0x20, more=reason) + name + own,
        "revoked-by-other": head + signed(other, key.framed, 0x20) + name + own,
        "revocation-spoiled": head + signed(key, key.framed, 0x20, spoil="value") + name + own,
        "direct": head + signed(key, key.framed, 0x1F) + name + own,
        "direct-critical": head + signed(key, key.framed, 0x1F, more=subpacket(0x80 | 100, b"a")) + name + own,
        "subkey-encrypts": plain + subkey_of(key, sub, 0x0C),
        "subkey-signs": plain + subkey_of(key, sub, 0x02),
        "subkey-not-crossed": plain + subkey_of(key, sub, 0x02, crossed=False),
        "subkey-spoiled": plain + subkey_of(key, sub, 0x0C, spoil="value"),
        "subkey-spoiled-tag": plain + subkey_of(key, sub, 0x0C, spoil="tag"),
        "subkey-alone": plain + packet(SUBKEY, sub.body),
        "subkey-revoked": plain + subkey_of(key, sub, 0x0C) + signed(key, key.framed + sub.framed, 0x28, more=reason),
        "subkey-wrong-kind": plain + subkey_of(key, sub, 0x0C, kind=0x13),
        "subkey-twice-bound": plain + subkey_of(key, sub, 0x0C) + signed(key, key.framed + sub.framed, 0x18),
        "subkey-of-other": plain + subkey_of(other, sub, 0x0C),
        "subkey-old": plain + packet(SUBKEY, sub.body) + signed(key, key.framed + sub.framed, 0x18, version=3),
        "subkey-critical": plain
        + subkey_of(key, sub, 0x0C, unhashed=subpacket(16, key.id) + subpacket(0x80 | 101, b"")),
        "subkey-ed25519": plain + subkey_of(key, unknown_key(22, ED25519), 0x02),
        "subkey-curve25519": plain + subkey_of(key, unknown_key(18, CURVE25519), 0x0C),
        "subkey-elgamal": plain + subkey_of(key, unknown_key(16, ELGAMAL), 0x0C),
        "subkey-version-3": plain
        + packet(SUBKEY, b"\x03" + struct.pack(">IHB", CREATED, 0, 1) + mpi(1 << 1023 | 1) + mpi(17)),
        "subkey-before-user": head + subkey_of(key, sub, 0x0C) + name + own,
        "cut-key": packet(PUBLIC_KEY, key.body[:-5]) + name + own,
        "cut-head": packet(PUBLIC_KEY, key.body[:4]) + name + own,
        "long-key": packet(PUBLIC_KEY, key.body + b"more") + name + own,
        "version-3": packet(PUBLIC_KEY, b"\x03" + struct.pack(">IHB", CREATED, 0, 1) + mpi(1 << 1023 | 1) + mpi(17))
        + name
        + own,
        "version-5": packet(PUBLIC_KEY, b"\x05" + key.body[1:]) + name + own,
        "ed25519": packet(PUBLIC_KEY, public(22, ED25519)) + name + own,
        "encrypts-only": packet(PUBLIC_KEY, key.body[:5] + b"\x02" + key.body[6:]) + name + own
        if key.algorithm == RSA
        else plain,
        "elgamal": packet(PUBLIC_KEY, public(16, ELGAMAL)) + name + own,
        "secret": packet(5, key.body + b"\x00" + mpi(5) * 4 + b"\x00\x14") + name + own,
        "old-packets": packet(PUBLIC_KEY, key.body, "old") + packet(USER, user, "old") + own,
        "long-lengths": packet(PUBLIC_KEY, key.body, "long") + packet(USER, user, "long") + own,
        "partial-key": packet(PUBLIC_KEY, key.body, "partial") + name + own,
        "rest-user": head + packet(USER, user, "rest"),
        "cut-ring": plain[: len(plain) * 2 // 3],
        "junk-after": plain + b"\x00",
        "junk-before": b"\x00" + plain,
        "signature-before": own + plain,
    }


def armored(data: bytes) -> str:
    lines = base64.b64encode(data).decode()
    body = "\n".join(lines[at : at + 64] for at in range(0, len(lines), 64))
    return f"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{body}\n{checksum(data)}\n-----END PGP PUBLIC KEY BLOCK-----\n"


def checksum(data: bytes) -> str:
    crc = 0xB704CE
    for byte in data:
        crc ^= byte << 16
        for _bit in range(8):
            crc = crc << 1 ^ (0x1864CFB if crc & 0x800000 else 0)
    return "=" + base64.b64encode((crc & 0xFFFFFF).to_bytes(3, "big")).decode()


def unusual_armor(chance: random.Random, data: bytes, other: bytes) -> Item:
    text = armored(data)
    begin, end = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n", "-----END PGP PUBLIC KEY BLOCK-----\n"
    encoded = base64.b64encode(data).decode()
    total = checksum(data)
    lines = text.splitlines()

    def wide(width: int) -> str:
        return (
            begin
            + "\n"
            + "\n".join(encoded[at : at + width] for at in range(0, len(encoded), width))
            + f"\n{total}\n{end}"
        )

    forms = {
        "plain-header": text.replace(begin, f"{begin}Version: GnuPG v2\nComment: a\n"),
        "header-without-space": text.replace(begin, f"{begin}Version:a\n"),
        "header-without-colon": text.replace(begin, f"{begin}Version\n"),
        "header-long": text.replace(begin, f"{begin}Comment: {'a' * 200}\n"),
        "header-long-without-colon": text.replace(begin, f"{begin}{'a' * 120}: b\n"),
        "header-not-ascii": text.replace(begin, f"{begin}Comment: é\n"),
        "header-empty": text.replace(begin, f"{begin}: \n"),
        "no-empty-line": text.replace("\n\n", "\n"),
        "blank-line": text.replace("\n\n", "\n \t\n"),
        "two-empty-lines": text.replace("\n\n", "\n\n\n"),
        "crlf": text.replace("\n", "\r\n"),
        "cr": text.replace("\n", "\r"),
        "indented": "".join(f"  {line}\n" for line in lines),
        "indented-begin": f"  {text}",
        "indented-end": text.replace("-----END", " -----END"),
        "trailing-spaces": "".join(f"{line} \n" for line in lines),
        "trailing-space-of-begin": text.replace("BLOCK-----\n\n", "BLOCK-----  \n\n"),
        "no-checksum": text.replace(f"{total}\n", ""),
        "wrong-checksum": text.replace(total, "=AAAA"),
        "short-checksum": text.replace(total, total[:4]),
        "long-checksum": text.replace(total, f"{total}A"),
        "checksum-not-base64": text.replace(total, "=!!!!"),
        "checksum-twice": text.replace(f"{total}\n", f"{total}\n{total}\n"),
        "checksum-then-empty-line": text.replace(f"{total}\n", f"{total}\n\n"),
        "empty-line-inside": text.replace(lines[3], f"{lines[3]}\n"),
        "wide-76": wide(76),
        "wide-96": wide(96),
        "wide-97": wide(97),
        "wide-100": wide(100),
        "wide-120": wide(120),
        "narrow-4": wide(4),
        "narrow-5": wide(5),
        "narrow-1": wide(1),
        "no-end": text.replace(end, ""),
        "no-end-newline": text.rstrip("\n"),
        "other-end": text.replace("-----END PGP PUBLIC KEY BLOCK-----", "-----END OTHER"),
        "text-before": f"Some text\n\n{text}",
        "long-text-before": "a" * 150 + f"\n{text}",
        "begin-in-long-line": "a" * 100 + text,
        "text-after": f"{text}Some text\n",
        "second-block": text + armored(other),
        "other-block-first": text.replace("PUBLIC KEY", "MESSAGE") + text,
        "message": text.replace("PUBLIC KEY", "MESSAGE"),
        "private": text.replace("PUBLIC KEY", "PRIVATE KEY"),
        "lower-case": text.replace("BEGIN PGP", "begin pgp"),
        "begin-without-dashes": text.replace("BLOCK-----\n\n", "BLOCK\n\n"),
        "begin-empty": f"-----BEGIN -----\n\n{text}",
        "begin-x": f"-----BEGIN x-----\nno header\n{text}",
        "byte-order-mark": f"\ufeff{text}",
        "dash-escaped": text.replace("-----", "- -----"),
        "padding-inside": text.replace(lines[2], lines[2][:-2] + "=="),
        "no-padding": text.replace("=\n", "\n"),
        "url-base64": text.replace("+", "-").replace("/", "_"),
        "star": text.replace(lines[2], f"{lines[2]}*"),
        "nul": text.replace(lines[2], f"{lines[2]}\x00"),
        "empty-body": f"{begin}\n{end}",
        "empty": "",
        "twice-in-one": text + text,
        "cut": text[: chance.randrange(20, len(text))],
    }
    label = chance.choice(sorted(forms))
    return Item(forms[label].encode(), (f"armor-{label}",))


def random_ring(chance: random.Random, keys: Sequence[Key]) -> tuple[Item, list[Key]]:
    """Return a ring, and the keys in it."""
    used = chance.sample(list(keys), chance.choice([1, 1, 1, 2, 2, 3]))
    parts = [Item(plain_key(key), key.unusual) for key in used]
    for at in range(len(parts)):
        if chance.random() < 0.6:
            form = chosen(chance, unusual_keys(used[at]))
            parts[at] = Item(form.data, (*used[at].unusual, *form.unusual))
    data, unusual = b"".join(part.data for part in parts), tuple(label for part in parts for label in part.unusual)
    roll = chance.random()
    if roll < 0.55:
        return Item(armored(data).encode(), unusual), used
    if roll < 0.65:
        return Item(data, unusual), used
    if roll < 0.75 and data:
        at = chance.randrange(len(data))
        return Item(
            data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :], (*unusual, "flipped")
        ), used
    other = unusual_armor(chance, data, plain_key(OTHERS[0]))
    return Item(other.data, (*unusual, *other.unusual)), used


# Messages


def literal(data: bytes, form: bytes = b"b", name: bytes = b"") -> bytes:
    return packet(LITERAL, form + bytes([len(name)]) + name + four(CREATED) + data)


def one_pass(key: Key, kind: int = 0, algorithm: int = 0, **changes: Any) -> bytes:
    number, identifier, last, version = (
        changes.get("number", key.algorithm),
        changes.get("id", key.id),
        changes.get("last", 1),
        changes.get("version", 3),
    )
    return packet(ONE_PASS, bytes([version, kind, algorithm or HASHES[key.hash], number]) + identifier + bytes([last]))


@cache
def plain_message(key: Key, text: bytes, kind: int = 0, **options: Any) -> bytes:
    covered = text if kind != 1 else text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    body = signed(key, covered, kind, **options)
    return one_pass(key, kind, HASHES[options.get("algorithm", key.hash)]) + literal(text) + body


@cache
def unusual_messages(key: Key) -> dict[str, bytes]:
    """Return messages in which one thing is unusual, by what it is."""
    other = OTHERS[0]
    text = content(DIGEST)
    sealed = signed(key, text, 0)
    plain = plain_message(key, text)
    start, body = one_pass(key), literal(text)
    hashed = time_of(LATER)
    lines = json.dumps(json.loads(text), indent=1).encode()

    def with_signature(**options: Any) -> bytes:
        return start + body + signed(key, text, 0, **options)

    forms: dict[str, bytes] = {
        "version-3": plain_message(key, text, version=3),
        "version-2": plain_message(key, text, version=2),
        "version-5": with_signature(version=5),
        "text": plain_message(key, lines, 1),
        "text-crlf": plain_message(key, lines.replace(b"\n", b"\r\n"), 1),
        "text-trailing-space": plain_message(key, lines.replace(b"\n", b" \n"), 1),
        "text-version-3": plain_message(key, lines, 1, version=3),
        "text-as-binary": one_pass(key, 1) + literal(lines) + signed(key, lines, 0),
        "binary-as-text": one_pass(key, 0) + literal(lines) + signed(key, lines.replace(b"\n", b"\r\n"), 1),
        "text-type-of-binary-data": one_pass(key, 1) + body + signed(key, text, 0),
        "literal-t": start + literal(text, b"t") + sealed,
        "literal-u": start + literal(text, b"u") + sealed,
        "literal-l": start + literal(text, b"l") + sealed,
        "literal-other-form": start + literal(text, b"x") + sealed,
        "literal-name": start + literal(text, name=b"signature") + sealed,
        "literal-console": start + literal(text, name=b"_CONSOLE") + sealed,
        "literal-partial": start + packet(LITERAL, b"b\x00" + bytes(4) + text, "partial") + sealed,
        "literal-rest": start + packet(LITERAL, b"b\x00" + bytes(4) + text, "rest"),
        "literal-short": start + packet(LITERAL, b"b\x20") + sealed,
        "signature-partial": start + body + packet(SIGNATURE, signature(key, text, 0), "partial"),
        "old-headers": packet(ONE_PASS, bytes([3, 0, HASHES[key.hash], key.algorithm]) + key.id + b"\x01", "old")
        + body
        + packet(SIGNATURE, signature(key, text, 0), "old"),
        "signature-rest": start + body + packet(SIGNATURE, signature(key, text, 0), "rest"),
        "zip": packet(COMPRESSED, b"\x01" + zlib.compress(plain)[2:-4]),
        "zlib": packet(COMPRESSED, b"\x02" + zlib.compress(plain)),
        "bzip2": packet(COMPRESSED, b"\x03" + bz2.compress(plain)),
        "uncompressed": packet(COMPRESSED, b"\x00" + plain),
        "zlib-rest": packet(COMPRESSED, b"\x02" + zlib.compress(plain), "rest"),
        "zlib-partial": packet(COMPRESSED, b"\x02" + zlib.compress(plain), "partial"),
        "zlib-cut": packet(COMPRESSED, b"\x02" + zlib.compress(plain)[:-6]),
        "zlib-wrong-sum": packet(COMPRESSED, b"\x02" + zlib.compress(plain)[:-4] + b"abcd"),
        "zlib-more": packet(COMPRESSED, b"\x02" + zlib.compress(plain) + b"more"),
        "zip-cut": packet(COMPRESSED, b"\x01" + zlib.compress(plain)[2:-9]),
        "zlib-twice": packet(COMPRESSED, b"\x02" + zlib.compress(packet(COMPRESSED, b"\x02" + zlib.compress(plain)))),
        "zlib-inside": start + packet(COMPRESSED, b"\x02" + zlib.compress(body + sealed)),
        "zlib-then-signature": start + packet(COMPRESSED, b"\x02" + zlib.compress(body)) + sealed,
        "zlib-then-more": packet(COMPRESSED, b"\x02" + zlib.compress(plain)) + sealed,
        "signature-first": sealed + body,
        "no-one-pass": body + sealed,
        "no-signature": start + body,
        "no-literal": start + sealed,
        "literal-alone": body,
        "more-data": plain + body,
        "more-junk": plain + b"\x00\x01",
        "marker": packet(10, b"PGP") + plain,
        "marker-inside": start + packet(10, b"PGP") + body + sealed,
        "marker-before-signature": start + body + packet(10, b"PGP") + sealed,
        "user-before": packet(USER, b"a") + plain,
        "unknown-packet": packet(60, b"abc") + plain,
        "private-inside": start + packet(61, b"abc") + body + sealed,
        "signature-inside": start + signed(other, b"", 0) + body + sealed,
        "two-signatures": one_pass(other, last=0) + start + body + sealed + signed(other, text, 0),
        "two-signatures-same": one_pass(key, last=0) + start + body + sealed + sealed,
        "two-one-pass": start + start + body + sealed,
        "two-last": one_pass(other) + start + body + sealed + signed(other, text, 0),
        "signature-more": plain + signed(other, text, 0),
        "one-pass-not-last": one_pass(key, last=0) + body + sealed,
        "one-pass-last-2": one_pass(key, last=2) + body + sealed,
        "one-pass-version-2": one_pass(key, version=2) + body + sealed,
        "one-pass-other-key": one_pass(key, id=other.id) + body + sealed,
        "one-pass-no-key": one_pass(key, id=bytes(8)) + body + sealed,
        "one-pass-other-hash": one_pass(key, algorithm=2) + body + sealed,
        "one-pass-unknown-hash": one_pass(key, algorithm=77) + body + sealed,
        "one-pass-other-algorithm": one_pass(key, number=RSA if key.algorithm != RSA else DSA) + body + sealed,
        "one-pass-other-kind": one_pass(key, kind=1) + body + sealed,
        "one-pass-kind-2": one_pass(key, kind=2) + body + signed(key, text, 2),
        "one-pass-short": packet(ONE_PASS, b"\x03\x00\x08\x01" + key.id) + body + sealed,
        "one-pass-long": packet(ONE_PASS, bytes([3, 0, HASHES[key.hash], key.algorithm]) + key.id + b"\x01more")
        + body
        + sealed,
        "issuer-other": with_signature(unhashed=subpacket(16, other.id)),
        "issuer-none": with_signature(unhashed=b""),
        "issuer-fingerprint": with_signature(unhashed=subpacket(33, b"\x04" + key.fingerprint)),
        "issuer-hashed": with_signature(unhashed=b"", more=subpacket(16, key.id)),
        "issuer-short": with_signature(unhashed=subpacket(16, key.id[:4])),
        "issuer-twice": with_signature(unhashed=subpacket(16, other.id) + subpacket(16, key.id)),
        "time-none": with_signature(hashed=b""),
        "time-unhashed": with_signature(hashed=b"", unhashed=time_of(LATER) + subpacket(16, key.id)),
        "time-short": with_signature(hashed=subpacket(2, b"\x00\x00")),
        "time-twice": with_signature(hashed=hashed + time_of(LATER + 5)),
        "time-also-unhashed": with_signature(unhashed=time_of(LATER) + subpacket(16, key.id)),
        "time-0": with_signature(created=0),
        "time-future": with_signature(created=FUTURE),
        "time-before-key": with_signature(created=CREATED - 1000),
        "expired": with_signature(more=subpacket(3, four(1000))),
        "expires-late": with_signature(more=subpacket(3, four(0x50000000))),
        "expires-overflow": with_signature(more=subpacket(3, four(0xF0000000))),
        "expires-0": with_signature(more=subpacket(3, bytes(4))),
        "expires-unhashed": with_signature(unhashed=subpacket(16, key.id) + subpacket(3, four(1000))),
        "expires-short": with_signature(more=subpacket(3, b"\x01")),
        "expires-twice": with_signature(more=subpacket(3, four(1000)) + subpacket(3, four(0x50000000))),
        "expires-twice-early": with_signature(more=subpacket(3, four(0x50000000)) + subpacket(3, four(1000))),
        "critical-notation": with_signature(more=subpacket(0x80 | 20, b"\x80\x00\x00\x00\x00\x05\x00\x01a@b.cd")),
        "notation": with_signature(more=subpacket(20, b"\x80\x00\x00\x00\x00\x05\x00\x01a@b.cd")),
        "critical-unknown-unhashed": with_signature(unhashed=subpacket(16, key.id) + subpacket(0x80 | 99, b"")),
        "critical-time": with_signature(hashed=subpacket(0x82, four(LATER))),
        "critical-expiry": with_signature(more=subpacket(0x83, four(0x50000000))),
        "critical-issuer": with_signature(unhashed=subpacket(0x90, key.id)),
        "critical-fingerprint": with_signature(more=subpacket(0x80 | 33, b"\x04" + key.fingerprint)),
        "subpacket-empty": with_signature(more=b"\x00"),
        "subpacket-cut": with_signature(more=b"\x20\x64"),
        "subpacket-cut-unhashed": with_signature(unhashed=subpacket(16, key.id) + b"\x20\x64"),
        "subpacket-long-length": with_signature(more=b"\xff\x00\x00\x00\x03\x64ab"),
        "subpacket-bad-length": with_signature(more=b"\xff\x00\x00"),
        "bad-primary": with_signature(more=subpacket(25, b"ab")),
        "bad-flags": with_signature(more=subpacket(27, b"")),
        "bad-reason": with_signature(more=subpacket(29, b"")),
        "bad-key-lifetime": with_signature(more=subpacket(9, b"a")),
        "embedded-bad": with_signature(more=subpacket(32, b"\x04\x19")),
        "embedded-other-kind": with_signature(more=subpacket(32, signature(key, b"", 0))),
        "embedded-good": with_signature(unhashed=subpacket(16, key.id) + subpacket(32, signature(key, b"", 0x19))),
        "embedded-old": with_signature(more=subpacket(32, signature(key, b"", 0x19, version=3))),
        "spoiled-value": with_signature(spoil="value"),
        "spoiled-tag": with_signature(spoil="tag"),
        "cut-value": with_signature(spoil="cut"),
        "signature-longer": start + body + packet(SIGNATURE, signature(key, text, 0) + b"more"),
        "other-content": start + literal(text + b" ") + sealed,
        "kind-2": one_pass(key, 2) + body + signed(key, text, 2),
        "kind-16": start + body + signed(key, text, 16),
        "sign-only-number": with_signature(number=RSA_SIGN),
        "number-0": with_signature(number=0),
        "number-eddsa": with_signature(number=22),
        "number-elgamal": with_signature(number=16),
        **{
            name if SIZES[name] >= SIZES[key.hash] else f"{name}-short": plain_message(key, text, algorithm=name)
            for name in HASHES
        },
        "wrong-hash-number": with_signature(hash_number=2),
        "armored": armored(plain).replace("PUBLIC KEY BLOCK", "MESSAGE").encode(),
        "cut": plain[:-7],
        "empty": b"",
        "other-key": plain_message(other, text),
        "other-digest": plain_message(key, content(OTHER_DIGEST)),
        "encrypted": packet(1, b"\x03" + key.id + b"\x01" + mpi(1 << 1000)) + packet(18, b"\x01" + bytes(40)),
        "symmetric": packet(3, b"\x04\x09\x00\x02") + plain,
    }
    forms |= {f"json-{label}": plain_message(key, changed) for label, changed in contents(text).items()}
    return forms | {
        name: packet(COMPRESSED, b"\x02" + zlib.compress(data)) for name, data in forms.items() if len(data) > 9999
    }


def chosen(chance: random.Random, forms: dict[str, bytes]) -> Item:
    """Return one of the forms."""
    label = chance.choice(sorted(forms))
    return Item(forms[label], (label,))


def contents(text: bytes) -> dict[str, bytes]:
    """Return contents that are no plain atomic container signature, by what is unusual."""
    document = json.loads(text)
    critical = document["critical"]

    def changed(**fields: Any) -> bytes:
        return json.dumps({**document, "critical": {**critical, **fields}}).encode()

    return {
        "other-type": changed(type="cosign container image signature"),
        "type-null": changed(type=None),
        "type-number": changed(type=1),
        "unknown-critical": changed(extra=1),
        "identity-empty": changed(identity={"docker-reference": ""}),
        "identity-null": changed(identity=None),
        "identity-list": changed(identity=[]),
        "identity-unknown": changed(identity={**critical["identity"], "x": 1}),
        "image-null": changed(image=None),
        "image-unknown": changed(image={**critical["image"], "x": 1}),
        "digest-upper": changed(image={"docker-manifest-digest": DIGEST.upper()}),
        "digest-space": changed(image={"docker-manifest-digest": f"{DIGEST} "}),
        "no-optional": json.dumps({"critical": critical}).encode(),
        "optional-null": json.dumps({**document, "optional": None}).encode(),
        "optional-list": json.dumps({**document, "optional": []}).encode(),
        "creator-number": json.dumps({**document, "optional": {"creator": 1}}).encode(),
        "timestamp-fraction": json.dumps({**document, "optional": {"timestamp": 1.5}}).encode(),
        "timestamp-exponent": text.replace(b'"timestamp": 1', b'"timestamp": 1e3'),
        "timestamp-one-zero": text.replace(b'"timestamp": 1', b'"timestamp": 1.0'),
        "timestamp-large": text.replace(b'"timestamp": 1', b'"timestamp": 9223372036854775807'),
        "timestamp-too-large": text.replace(b'"timestamp": 1', b'"timestamp": 9223372036854775808'),
        "timestamp-negative": text.replace(b'"timestamp": 1', b'"timestamp": -1'),
        "timestamp-text": text.replace(b'"timestamp": 1', b'"timestamp": "1"'),
        "timestamp-true": text.replace(b'"timestamp": 1', b'"timestamp": true'),
        "optional-unknown": json.dumps({**document, "optional": {"other": 1}}).encode(),
        "top-unknown": json.dumps({**document, "other": 1}).encode(),
        "top-list": b"[" + text + b"]",
        "top-null": b"null",
        "empty": b"",
        "twice": text.replace(b'"type":', b'"type": "x", "type":'),
        "other-case": text.replace(b'"critical"', b'"Critical"'),
        "other-case-inside": text.replace(b'"docker-reference"', b'"Docker-Reference"'),
        "kelvin": text.replace(b'"docker-reference"', '"doc\u212aer-reference"'.encode()),
        "trailing-space": text + b" \n",
        "trailing-junk": text + b"x",
        "second-object": text + text,
        "leading-newline": b"\n" + text,
        "byte-order-mark": "\ufeff".encode() + text,
        "not-utf8": text.replace(b"tests", b"\xff"),
        "surrogate": text.replace(b"tests", b"\\ud800"),
        "escaped": text.replace(b'"type"', b'"\\u0074ype"'),
        "nan": text.replace(b'"timestamp": 1', b'"timestamp": NaN'),
        "comment": text + b"// a",
        "nested": b'{"critical":' * 200 + text,
        "large": text + b" " * 70_000,
        "creator-large": json.dumps({**document, "optional": {"creator": "a" * 70_000}}).encode(),
    }


def random_message(chance: random.Random, key: Key) -> Item:
    if chance.random() < 0.08:
        data = plain_message(key, content(DIGEST))
        at = chance.randrange(len(data))
        return Item(data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :], ("flipped",))
    return chosen(chance, unusual_messages(key))


# Releases


def random_release(
    chance: random.Random, keys: Sequence[Key], messages: list[Item], rings: list[Item]
) -> dict[str, Any]:
    """Return the data of the ConfigMap that verifies a release, and what is in its stores."""
    digest = (
        DIGEST
        if chance.random() < 0.95
        else chance.choice(["", "sha256", "sha256:", f"SHA256:{'b' * 64}", f"{DIGEST} ", f"{DIGEST}:a", "sha-512:b="])
    )
    data: dict[str, Any] = {}
    used: list[Key] = []
    for name in chance.sample(["a", "b", "redhat", ""], chance.choice([1, 1, 2, 2, 3])):
        owners = chance.sample(list(keys), chance.choice([1, 1, 2]))
        ring = armored(b"".join(map(plain_key, owners)))
        if chance.random() < 0.08:
            ring = chance.choice(["", "text", ring[:100], ring.replace("PUBLIC KEY", "MESSAGE")])
        data[f"verifier-public-key-{name}"] = add(rings, Item(ring.encode(), ()))
        used.append(chance.choice(owners))
    stores: list[dict[str, int]] = []
    folder = digest.replace(":", "=") if digest.count(":") == 1 else "none"
    for name in chance.sample(["a", "b", "c"], chance.choice([1, 1, 2, 3])):
        base = chance.choice(["FILES", "SERVER"])
        url = f"{base}/{len(stores)}"
        if chance.random() < 0.1:
            url = chance.choice(
                [
                    f" {url}\n",
                    f"{url}/",
                    f"{url}/../{len(stores)}",
                    f"{url}?a=b",
                    f"{url}#a",
                    "ftp://example.com/a",
                    "/path",
                    "://",
                    "FILES/missing",
                ]
            )
        data[f"store-{name}"] = url
        stores.append(signatures(chance, used, keys, messages, f"{folder}/signature-", 1))
    maps: list[dict[str, int]] = []
    for _number in range(chance.choice([0, 0, 0, 1, 2])):
        prefix = digest.replace(":", "-") if digest.count(":") == 1 else "none"
        maps.append(
            signatures(
                chance,
                used,
                keys,
                messages,
                chance.choice([f"{prefix}-", prefix, "sha256-other"]),
                chance.choice([0, 1, 7]),
            )
        )
    if chance.random() < 0.1:
        data.pop(chance.choice(sorted(data)))
    if chance.random() < 0.1:
        data["other"] = "text"
    return {"digest": digest, "data": data, "stores": stores, "config_maps": maps}


def signatures(
    chance: random.Random, used: list[Key], keys: Sequence[Key], messages: list[Item], prefix: str, first: int
) -> dict[str, int]:
    """Return the signatures of a store: their paths, and the numbers of the messages."""
    found: dict[str, int] = {}
    number = first
    for _count in range(chance.choice([0, 1, 1, 2, 2, 3, 5, 11])):
        key = chance.choice(used)
        roll = chance.random()
        if roll < 0.55:
            item = Item(plain_message(key, content(DIGEST)), ())
        elif roll < 0.7:
            item = Item(plain_message(chance.choice(list(keys)), content(chance.choice([DIGEST, OTHER_DIGEST]))), ())
        else:
            item = Item(
                chance.choice([b"", b"<html>", plain_message(key, b"{}"), plain_message(key, content(DIGEST))[:-9]]), ()
            )
        found[f"{prefix}{number}"] = add(messages, item)
        number += 1 if chance.random() < 0.93 else 2
    return found


def add(items: list[Item], item: Item) -> int:
    """Return the number of an item, which may be new."""
    if item not in items:
        items.append(item)
    return items.index(item)


def text_of(data: bytes) -> str:
    """Write a ring or a message: armor as it is, and other data in base64."""
    return data.decode() if data.startswith(b"-----") and data.isascii() else base64.b64encode(data).decode()


def main() -> int:
    """Write the facts."""
    chance = random.Random(25)
    OTHERS.append(rsa_key())
    SUBKEYS.extend([rsa_key(), ecdsa_key()])
    keys = [ecdsa_key(), ecdsa_key(), rsa_key(), rsa_key(algorithm=RSA_SIGN), dsa_key(), ecdsa_key("2b81040022")]
    rare = [
        ecdsa_key("2b81040023"),
        rsa_key(exponent=(1 << 32) + 15),
        rsa_key(exponent=3),
        ecdsa_key(created=FUTURE),
        rsa_key(created=0),
        rsa_key(size=768),
        unknown_key(22, ED25519),
    ]
    rings = [Item(armored(plain_key(key)).encode(), key.unusual) for key in (*keys, *rare)]
    owners = [[key] for key in (*keys, *rare)]
    messages: list[Item] = []
    pairs = [
        [add(messages, Item(plain_message(key, content(DIGEST)), ())), number] for number, (key,) in enumerate(owners)
    ]
    while len(rings) < RINGS:
        ring, inside = random_ring(chance, keys if chance.random() < 0.9 else rare)
        if ring not in rings:
            rings.append(ring)
            owners.append(inside)
    for number in range(len(keys) + len(rare), len(rings)):
        if chance.random() < 0.75:
            signer = chance.choice(
                [
                    *owners[number],
                    *(SUBKEYS if any(label.startswith("subkey") for label in rings[number].unusual) else ()),
                ]
            )
            pairs.append([add(messages, Item(plain_message(signer, content(DIGEST)), ())), number])
    while len(pairs) < PAIRS:
        number = chance.randrange(len(keys))
        pairs.append([add(messages, random_message(chance, keys[number])), number])
    releases = [random_release(chance, keys, messages, rings) for _number in range(RELEASES)]
    facts = answered(rings, messages, pairs, releases)
    write(FACTS / "signatures.json", facts)
    return 0


def answered(
    rings: list[Item], messages: list[Item], pairs: list[list[int]], releases: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the questions with the answers of the CVO's code."""
    texts = [base64.b64encode(item.data).decode() for item in rings]
    bodies = [base64.b64encode(item.data).decode() for item in messages]
    given = {
        "digest": DIGEST,
        "rings": texts,
        "messages": bodies,
        "pairs": pairs,
        "releases": [
            {
                "digest": item["digest"],
                "data": {
                    key: value if isinstance(value, str) else rings[value].data.decode()
                    for key, value in item["data"].items()
                },
                "stores": item["stores"],
                "configMaps": item["config_maps"],
            }
            for item in releases
        ],
    }
    finished = subprocess.run(
        ["go", "run", "."], cwd=PROGRAM, input=json.dumps(given), stdout=subprocess.PIPE, text=True, check=True
    )
    answers = json.loads(finished.stdout)
    return {
        "digest": DIGEST,
        "rings": [
            [text_of(item.data), item.unusual, found] for item, found in zip(rings, answers["Rings"], strict=True)
        ],
        "messages": [[text_of(item.data), item.unusual] for item in messages],
        "pairs": [[*pair, int(found)] for pair, found in zip(pairs, answers["Pairs"], strict=True)],
        "releases": [{**item, "accepted": found} for item, found in zip(releases, answers["Releases"], strict=True)],
    }


if __name__ == "__main__":
    sys.exit(main())
