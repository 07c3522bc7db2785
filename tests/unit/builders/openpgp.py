# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""OpenPGP keys and messages (RFC 4880), also as `gpg` does not write them: version 3, and with faults."""

from __future__ import annotations

import base64
import bz2
import hashlib
import json
import struct
import time
import zlib
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

SIGNATURE, ONE_PASS, PUBLIC_KEY, COMPRESSED, LITERAL, USER_ID, SUBKEY = 2, 4, 6, 8, 11, 13, 14
BINARY, TEXT = 0x00, 0x01
CERTIFICATION, SUBKEY_BINDING, REVOCATION, CROSS_CERTIFICATION = 0x13, 0x18, 0x20, 0x19
CREATED, SIGNATURE_EXPIRES, KEY_EXPIRES, ISSUER, KEY_FLAGS, EMBEDDED = 2, 3, 9, 16, 27, 32
RSA, RSA_SIGN, ECDSA = 1, 3, 19
LONG_AGO = 1_262_304_000
HASHES: dict[str, tuple[int, Any]] = {
    "md5": (1, hashes.MD5()),
    "sha1": (2, hashes.SHA1()),
    "sha256": (8, hashes.SHA256()),
    "sha512": (10, hashes.SHA512()),
}
CURVES: dict[str, tuple[bytes, Any]] = {
    "P-256": (bytes.fromhex("082a8648ce3d030107"), ec.SECP256R1()),
    "brainpoolP256r1": (bytes.fromhex("092b2403030208010107"), ec.BrainpoolP256R1()),
}


class Key:
    """A key that signs, of RSA or of a ``curve``. ``ring`` is its public key with a user and a self-signature."""

    def __init__(
        self,
        user: str = "Tests <tests@example.com>",
        *,
        expires: int = 0,
        revoked: bool = False,
        curve: str = "",
        created: int = LONG_AGO,
    ) -> None:
        material = self._new_curve(curve) if curve else self._new_rsa()
        self.algorithm = ECDSA if curve else RSA
        self.body = b"\x04" + struct.pack(">IB", created, self.algorithm) + material
        self.fingerprint = hashlib.sha1(self.framed, usedforsecurity=False).hexdigest().upper()
        self.id = bytes.fromhex(self.fingerprint[-16:])
        self.user = user.encode()
        revocation = self.signature(self.framed, REVOCATION) if revoked else b""
        flags = subpacket(KEY_FLAGS, b"\x03") + (subpacket(KEY_EXPIRES, four(expires)) if expires else b"")
        self.head = packet(PUBLIC_KEY, self.body)
        self.name = packet(USER_ID, self.user)
        self.ring = self.head + revocation + self.name + self.certify(more=flags)

    def _new_rsa(self) -> bytes:
        private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        numbers = private.public_key().public_numbers()

        def sign(digest: bytes, algorithm: Any) -> bytes:
            return mpi(int.from_bytes(private.sign(digest, padding.PKCS1v15(), utils.Prehashed(algorithm)), "big"))

        self._sign = sign
        return mpi(numbers.n) + mpi(numbers.e)

    def _new_curve(self, name: str) -> bytes:
        identifier, curve = CURVES[name]
        private = ec.generate_private_key(curve)
        numbers = private.public_key().public_numbers()
        point = b"\x04" + numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")

        def sign(digest: bytes, algorithm: Any) -> bytes:
            value = private.sign(digest, ec.ECDSA(utils.Prehashed(algorithm)))
            return b"".join(map(mpi, utils.decode_dss_signature(value)))

        self._sign = sign
        return identifier + mpi(int.from_bytes(point, "big"))

    @property
    def framed(self) -> bytes:
        """Return what signatures of the key cover."""
        return b"\x99" + struct.pack(">H", len(self.body)) + self.body

    def certify(self, user: bytes = b"", kind: int = CERTIFICATION, **options: Any) -> bytes:
        """Return a signature of a user, by default the one of the key."""
        name = user or self.user
        options.setdefault("more", subpacket(KEY_FLAGS, b"\x03"))
        return self.signature(self.framed + b"\xb4" + four(len(name)) + name, kind, **options)

    def with_subkey(self, other: Key) -> bytes:
        """Return the key ring with ``other`` as a subkey that signs."""
        return self.ring + self.bind(other)

    def bind(self, other: Key, *, crossed: bool = True, **options: Any) -> bytes:
        """Return ``other`` as a subkey that signs. It signs that itself if it is ``crossed``."""
        bound = self.framed + other.framed
        flags = subpacket(KEY_FLAGS, b"\x02")
        if crossed:
            flags += subpacket(EMBEDDED, other.signature(bound, CROSS_CERTIFICATION, headless=True))
        return packet(SUBKEY, other.body) + self.signature(bound, SUBKEY_BINDING, more=flags, **options)

    def signature(
        self,
        data: bytes,
        kind: int = BINARY,
        *,
        version: int = 4,
        algorithm: str = "sha256",
        number: int = 0,
        created: int = 0,
        expires: int = 0,
        more: bytes = b"",
        unhashed: bytes | None = None,
        spoil: str = "",
        headless: bool = False,
    ) -> bytes:
        """Return a signature packet of ``data``, or only its body if it is ``headless``.

        ``more`` are subpackets. ``number`` is another number of the algorithm of the key. ``spoil`` is ``start``, the
        first bytes of the hash, or ``value``.
        """
        time_of = four(created or int(time.time()))
        hash_number, hash_of = HASHES[algorithm]
        numbers = bytes([number or self.algorithm, hash_number])
        if version == 3:
            start, trailer = b"\x03\x05" + bytes([kind]) + time_of + self.id + numbers, bytes([kind]) + time_of
        else:
            lifetime = subpacket(SIGNATURE_EXPIRES, four(expires)) if expires else b""
            hashed = subpacket(CREATED, time_of) + lifetime + more
            issuer = subpacket(ISSUER, self.id) if unhashed is None else unhashed
            head = bytes([4, kind]) + numbers + struct.pack(">H", len(hashed)) + hashed
            trailer = head + b"\x04\xff" + four(len(head))
            start = head + struct.pack(">H", len(issuer)) + issuer
        digest = hashlib.new(algorithm, data + trailer, usedforsecurity=False).digest()
        value = self._sign(digest[::-1] if spoil == "value" else digest, hash_of)
        body = start + (b"\x00\x00" if spoil == "start" else digest[:2]) + value
        return body if headless else packet(SIGNATURE, body)

    def one_pass(self, kind: int = BINARY, algorithm: str = "sha256", *, last: int = 1, key: bytes = b"") -> bytes:
        """Return the packet that announces a signature. ``key`` is the ID of another one."""
        return packet(
            ONE_PASS, bytes([3, kind, HASHES[algorithm][0], self.algorithm]) + (key or self.id) + bytes([last])
        )

    def sign(self, data: bytes, kind: int = BINARY, *, one_pass: bool = True, **options: Any) -> bytes:
        """Return a signed message with ``data``."""
        signature = self.signature(data, kind, **options)
        if not one_pass:
            return signature + literal(data)
        return self.one_pass(kind, options.get("algorithm", "sha256")) + literal(data) + signature


def packet(tag: int, body: bytes) -> bytes:
    """Return a packet, with an old header if its type allows that."""
    header = bytes([0x80 | tag << 2 | 2]) if tag < 16 else bytes([0xC0 | tag, 255])
    return header + four(len(body)) + body


def literal(data: bytes) -> bytes:
    """Return a packet with data that are not signed."""
    return packet(LITERAL, b"b\x00" + four(LONG_AGO) + data)


def armored(data: bytes, headers: str = "\n", checksum: str = "") -> str:
    """Return a key ring with armor."""
    begin, end = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n", "-----END PGP PUBLIC KEY BLOCK-----\n"
    return f"{begin}{headers}{base64.encodebytes(data).decode()}{checksum}{end}"


def compressed(message: bytes, algorithm: str = "zlib") -> bytes:
    """Return a compressed message."""
    if algorithm == "bzip2":
        return packet(COMPRESSED, b"\x03" + bz2.compress(message))
    return packet(COMPRESSED, b"\x02" + zlib.compress(message, 9))


def content(digest: str, **changes: Any) -> bytes:
    """Return the content of an atomic container signature; ``changes`` are top-level fields."""
    critical = {
        "type": "atomic container signature",
        "image": {"docker-manifest-digest": digest},
        "identity": {"docker-reference": "quay.io/openshift-release-dev/ocp-release:4.21.0-x86_64"},
    }
    return json.dumps({"critical": critical, "optional": {"creator": "tests", "timestamp": 1}} | changes).encode()


def four(number: int) -> bytes:
    """Write a number in four bytes."""
    return struct.pack(">I", number)


def mpi(value: int) -> bytes:
    """Write a multiprecision integer."""
    return struct.pack(">H", value.bit_length()) + value.to_bytes((value.bit_length() + 7) // 8, "big")


def subpacket(kind: int, data: bytes) -> bytes:
    """Return a subpacket of a signature."""
    size = len(data) + 1
    length = bytes([size]) if size < 192 else bytes([(size - 192 >> 8) + 192, size - 192 & 255])
    return length + bytes([kind]) + data
