# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""OpenPGP public keys that the cluster-version operator loads. ``gpgv`` loads more.

Source: golang.org/x/crypto:openpgp/packet/public_key.go
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from .packet_fields import Fields, UnsupportedPacketError

RSA, RSA_SIGN, DSA, ECDSA = 1, 3, 17, 19
_RSA_ENCRYPT, _ELGAMAL, _ECDH = 2, 16, 18
_INTEGERS = {RSA: 2, _RSA_ENCRYPT: 2, RSA_SIGN: 2, _ELGAMAL: 3, DSA: 4}
"""How many integers a key has."""

_CURVES = {b"\x2a\x86\x48\xce\x3d\x03\x01\x07": 65, b"\x2b\x81\x04\x00\x22": 97, b"\x2b\x81\x04\x00\x23": 133}
"""Object identifiers of P-256, P-384 and P-521, and the bytes of a point."""

_LONGEST_EXPONENT = 3
_LEAST_BYTES = 1024 // 8


class PublicKey(NamedTuple):
    """A key of version 4: its algorithm, and the body of its packet."""

    algorithm: int
    body: bytes

    @property
    def framed(self) -> bytes:
        """What signatures of the key cover, and its fingerprint (RFC 4880, sections 5.2.4 and 12.2)."""
        return b"\x99" + len(self.body).to_bytes(2, "big") + self.body

    @property
    def fingerprint(self) -> str:
        """The fingerprint in upper case."""
        return hashlib.sha1(self.framed, usedforsecurity=False).hexdigest().upper()

    @property
    def key_id(self) -> bytes:
        """The end of the fingerprint, by which signatures name the key."""
        return bytes.fromhex(self.fingerprint)[-8:]

    @property
    def can_sign(self) -> bool:
        """Whether it can be the primary key of a ring."""
        return self.algorithm not in (_RSA_ENCRYPT, _ELGAMAL)


def read_public_key(body: bytes) -> PublicKey | None:
    """Read the body of a packet. ``None`` is a key of version 2 or 3, which the CVO ignores. Raises ``PacketError``."""
    fields = Fields(body)
    version = fields.number(1)
    if version < 4:
        return None
    if version != 4:
        raise UnsupportedPacketError(f"has the version {version}")
    fields.read(4)
    algorithm = fields.number(1)
    if algorithm in (_ECDH, ECDSA):
        _check_curve(fields)
    elif algorithm in _INTEGERS:
        integers = [fields.multiprecision() for _number in range(_INTEGERS[algorithm])]
        if algorithm in (RSA, _RSA_ENCRYPT, RSA_SIGN):
            _check_rsa(*integers)
    else:
        raise UnsupportedPacketError(f"uses the public key algorithm {algorithm}")
    if algorithm == _ECDH:
        fields.read(fields.number(1))
    fields.end()
    return PublicKey(algorithm, body)


def _check_curve(fields: Fields) -> None:
    size = _CURVES.get(fields.read(fields.number(1)))
    point = fields.multiprecision()
    if size is None:
        raise UnsupportedPacketError("uses another curve than P-256, P-384 and P-521")
    if len(point) != size or point[:1] != b"\x04":
        raise UnsupportedPacketError("has no point of its curve")


def _check_rsa(modulus: bytes, exponent: bytes) -> None:
    if len(exponent) > _LONGEST_EXPONENT:
        raise UnsupportedPacketError("has a public exponent of more than 24 bits")
    if len(modulus) < _LEAST_BYTES:
        # The CVO loads it, and accepts no signature by it (crypto/rsa:rsa.go checkKeySize).
        raise UnsupportedPacketError("has less than 1024 bits")
