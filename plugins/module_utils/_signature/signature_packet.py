# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""OpenPGP signatures that the cluster-version operator can read. ``gpgv`` reads more.

Source: golang.org/x/crypto:openpgp/packet/signature.go, signature_v3.go
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from .packet_fields import Fields, MalformedPacketError, PacketError, UnsupportedPacketError
from .public_key import DSA, ECDSA, RSA, RSA_SIGN

_SIGNING = (RSA, RSA_SIGN, DSA, ECDSA)
RIPEMD160 = 3
_HASHES = {1: "md5", 2: "sha1", RIPEMD160: "ripemd160", 8: "sha256", 9: "sha384", 10: "sha512", 11: "sha224"}
_CREATED, _LIFETIME, _ISSUER, _KEY_FLAGS, _REASON, _EMBEDDED = 2, 3, 16, 27, 29, 32
_SIZES = {_CREATED: 4, _LIFETIME: 4, 9: 4, _ISSUER: 8, 25: 1}
"""Bytes of subpackets with a fixed size."""

_SUBPACKETS = (*_SIZES, 11, 21, 22, _KEY_FLAGS, _REASON, 30, _EMBEDDED)
_SIGN_FLAG = 2
_CROSS_CERTIFICATION = 0x19


class Signature(NamedTuple):
    """A signature. ``trailer`` is what its hash covers after the data, and ``hash_start`` the first two bytes of it.

    ``key_id`` is empty if it names no issuer, and ``lifetime`` in seconds.
    """

    version: int
    kind: int
    algorithm: int
    hash_number: int
    trailer: bytes
    hash_start: bytes
    key_id: bytes = b""
    lifetime: int | None = None
    is_for_signing: bool = False
    has_reason: bool = False
    embedded: Signature | None = None

    def is_hash_of(self, data: bytes) -> bool:
        """Whether the hash of ``data`` begins as the signature says. ``gpgv`` does not look at that.

        The CVO does not compute RIPEMD-160.
        """
        if self.hash_number == RIPEMD160:
            return False
        digest = hashlib.new(_HASHES[self.hash_number], data + self.trailer, usedforsecurity=False)
        return digest.digest()[:2] == self.hash_start


def read_signature(body: bytes) -> Signature:
    """Read the body of a packet. Raises ``PacketError`` with a reason."""
    fields = Fields(body)
    version = fields.number(1)
    if version in (2, 3):
        found = _read_old(version, fields)
    elif version == 4:
        found = _read_new(fields)
    else:
        raise UnsupportedPacketError(f"has the version {version}")
    for _number in range(1 if found.algorithm in (RSA, RSA_SIGN) else 2):
        fields.multiprecision()
    fields.end()
    return found


def _read_old(version: int, fields: Fields) -> Signature:
    if fields.number(1) != 5:
        raise UnsupportedPacketError("has no valid length")
    trailer = fields.read(5)
    key_id = fields.read(8)
    algorithm, hash_number = _algorithms(fields)
    if algorithm == ECDSA:
        raise UnsupportedPacketError(f"uses the public key algorithm {algorithm}")
    return Signature(version, trailer[0], algorithm, hash_number, trailer, fields.read(2), key_id)


def _read_new(fields: Fields) -> Signature:
    kind = fields.number(1)
    algorithm, hash_number = _algorithms(fields)
    area = fields.read(fields.number(2))
    hashed = _checked(area, is_hashed=True)
    if _CREATED not in hashed:
        raise MalformedPacketError("has no time of its creation")
    unhashed = _checked(fields.read(fields.number(2)), is_hashed=False)
    if _EMBEDDED in hashed and _EMBEDDED in unhashed:
        raise MalformedPacketError("has several embedded signatures")
    head = bytes([4, kind, algorithm, hash_number]) + len(area).to_bytes(2, "big") + area
    flags = hashed.get(_KEY_FLAGS, b"\x00")
    embedded = hashed.get(_EMBEDDED) or unhashed.get(_EMBEDDED)
    return Signature(
        4,
        kind,
        algorithm,
        hash_number,
        head + b"\x04\xff" + len(head).to_bytes(4, "big"),
        fields.read(2),
        unhashed.get(_ISSUER) or hashed.get(_ISSUER) or b"",
        int.from_bytes(hashed[_LIFETIME], "big") if _LIFETIME in hashed else None,
        bool(flags[0] & _SIGN_FLAG),
        _REASON in hashed,
        _read_embedded(embedded) if embedded is not None else None,
    )


def _algorithms(fields: Fields) -> tuple[int, int]:
    algorithm, hash_number = fields.number(1), fields.number(1)
    if algorithm not in _SIGNING:
        raise UnsupportedPacketError(f"uses the public key algorithm {algorithm}")
    if hash_number not in _HASHES:
        raise UnsupportedPacketError(f"uses the hash {hash_number}")
    return algorithm, hash_number


def _read_embedded(body: bytes) -> Signature:
    if body[:1] != b"\x04":
        raise UnsupportedPacketError("has an embedded signature of another version than 4")
    found = read_signature(body)
    if found.kind != _CROSS_CERTIFICATION:
        raise MalformedPacketError(f"has an embedded signature of the type {found.kind}")
    return found


def _checked(area: bytes, *, is_hashed: bool) -> dict[int, bytes]:
    """Return the data of each type of subpacket; the last one of a type counts."""
    found: dict[int, bytes] = {}
    for kind, data in subpackets(area):
        number = kind & 0x7F
        if number not in _SUBPACKETS:
            if kind & 0x80:
                raise UnsupportedPacketError(f"has a critical subpacket of the type {number}")
            continue
        if number == _CREATED and not is_hashed:
            raise MalformedPacketError("has a time of its creation that is not signed")
        if number in found and number in (_CREATED, _LIFETIME, _EMBEDDED):
            # gpgv takes the first lifetime, and the CVO the last one.
            raise MalformedPacketError(f"has several subpackets of the type {number}")
        counts = is_hashed or number in (_ISSUER, _EMBEDDED)
        if counts and (len(data) != _SIZES.get(number, len(data)) or (number in (_KEY_FLAGS, _REASON) and not data)):
            raise MalformedPacketError(f"has a subpacket of the type {number} with {len(data)} bytes")
        if counts:
            found[number] = data
    return found


def subpackets(area: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the type, with its critical bit, and the data of each subpacket (RFC 4880, section 5.2.3.1).

    Raises ``MalformedPacketError``.
    """
    fields = Fields(area)
    while fields.position < len(area):
        try:
            size = fields.number(1)
            if size == 255:
                size = fields.number(4)
            elif size >= 192:
                size = (size - 192 << 8) + fields.number(1) + 192
            data = fields.read(size)
        except PacketError:
            raise MalformedPacketError("has a subpacket that is cut short") from None
        if not data:
            raise MalformedPacketError("has an empty subpacket")
        yield data[0], data[1:]
