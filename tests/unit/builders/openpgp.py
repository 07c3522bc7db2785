# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""OpenPGP keys and messages (RFC 4880), also as `gpg` does not write them: version 3, and with faults."""

from __future__ import annotations

import bz2
import hashlib
import json
import struct
import time
import zlib
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa, utils

SIGNATURE, ONE_PASS, PUBLIC_KEY, COMPRESSED, LITERAL, USER_ID, SUBKEY = 2, 4, 6, 8, 11, 13, 14
BINARY, TEXT = 0x00, 0x01
_CERTIFICATION, _SUBKEY_BINDING, _REVOCATION, _CROSS_CERTIFICATION = 0x13, 0x18, 0x20, 0x19
_CREATED, _SIGNATURE_EXPIRES, _KEY_EXPIRES, _ISSUER, _KEY_FLAGS, _EMBEDDED = 2, 3, 9, 16, 27, 32
_RSA, _LONG_AGO = 1, 1_262_304_000
_HASHES: dict[str, tuple[int, Any]] = {
    "md5": (1, hashes.MD5()),
    "sha1": (2, hashes.SHA1()),
    "sha256": (8, hashes.SHA256()),
    "sha512": (10, hashes.SHA512()),
}


class Key:
    """An RSA key that signs. ``ring`` is its public key with a user and a self-signature."""

    def __init__(self, user: str = "Tests <tests@example.com>", *, expires: int = 0, revoked: bool = False) -> None:
        self._private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        numbers = self._private.public_key().public_numbers()
        self.body = b"\x04" + struct.pack(">IB", _LONG_AGO, _RSA) + _mpi(numbers.n) + _mpi(numbers.e)
        self.fingerprint = hashlib.sha1(self._framed(), usedforsecurity=False).hexdigest().upper()
        self._id = bytes.fromhex(self.fingerprint[-16:])
        revocation = self.signature(self._framed(), _REVOCATION) if revoked else b""
        name = user.encode()
        certified = self._framed() + b"\xb4" + struct.pack(">I", len(name)) + name
        flags = subpacket(_KEY_FLAGS, b"\x03") + (
            subpacket(_KEY_EXPIRES, struct.pack(">I", expires)) if expires else b""
        )
        certification = self.signature(certified, _CERTIFICATION, more=flags)
        self.ring = packet(PUBLIC_KEY, self.body) + revocation + packet(USER_ID, name) + certification

    def _framed(self) -> bytes:
        return b"\x99" + struct.pack(">H", len(self.body)) + self.body

    def with_subkey(self, other: Key) -> bytes:
        """Return the key ring with ``other`` as a subkey that signs."""
        bound = self._framed() + other._framed()
        crossed = other.signature(bound, _CROSS_CERTIFICATION, headless=True)
        flags = subpacket(_KEY_FLAGS, b"\x02") + subpacket(_EMBEDDED, crossed)
        return self.ring + packet(SUBKEY, other.body) + self.signature(bound, _SUBKEY_BINDING, more=flags)

    def signature(
        self,
        data: bytes,
        kind: int = BINARY,
        *,
        version: int = 4,
        algorithm: str = "sha256",
        created: int = 0,
        expires: int = 0,
        more: bytes = b"",
        headless: bool = False,
    ) -> bytes:
        """Return a signature packet of ``data``, or only its body if it is ``headless``."""
        time_of = struct.pack(">I", created or int(time.time()))
        number, hash_of = _HASHES[algorithm]
        if version == 3:
            start, trailer = (
                b"\x03\x05" + bytes([kind]) + time_of + self._id + bytes([_RSA, number]),
                bytes([kind]) + time_of,
            )
        else:
            lifetime = subpacket(_SIGNATURE_EXPIRES, struct.pack(">I", expires)) if expires else b""
            hashed = subpacket(_CREATED, time_of) + lifetime + more
            issuer = subpacket(_ISSUER, self._id)
            head = bytes([4, kind, _RSA, number]) + struct.pack(">H", len(hashed)) + hashed
            trailer = head + b"\x04\xff" + struct.pack(">I", len(head))
            start = head + struct.pack(">H", len(issuer)) + issuer
        digest = hashlib.new(algorithm, data + trailer, usedforsecurity=False).digest()
        value = self._private.sign(digest, padding.PKCS1v15(), utils.Prehashed(hash_of))
        body = start + digest[:2] + _mpi(int.from_bytes(value, "big"))
        return body if headless else packet(SIGNATURE, body)

    def sign(self, data: bytes, kind: int = BINARY, *, one_pass: bool = True, **options: Any) -> bytes:
        """Return a signed message with ``data``."""
        signature = self.signature(data, kind, **options)
        if not one_pass:
            return signature + literal(data)
        number = _HASHES[options.get("algorithm", "sha256")][0]
        announced = packet(ONE_PASS, bytes([3, kind, number, _RSA]) + self._id + b"\x01")
        return announced + literal(data) + signature


def packet(tag: int, body: bytes) -> bytes:
    """Return a packet with an old header."""
    return bytes([0x80 | tag << 2 | 2]) + struct.pack(">I", len(body)) + body


def literal(data: bytes) -> bytes:
    """Return a packet with data that are not signed."""
    return packet(LITERAL, b"b\x00" + struct.pack(">I", _LONG_AGO) + data)


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


def _mpi(value: int) -> bytes:
    return struct.pack(">H", value.bit_length()) + value.to_bytes((value.bit_length() + 7) // 8, "big")


def subpacket(kind: int, data: bytes) -> bytes:
    """Return a subpacket of a signature."""
    size = len(data) + 1
    length = bytes([size]) if size < 192 else bytes([(size - 192 >> 8) + 192, size - 192 & 255])
    return length + bytes([kind]) + data
