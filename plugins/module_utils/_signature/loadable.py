# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Which OpenPGP keys and signatures the cluster-version operator can load. ``gpgv`` accepts more.

Source: golang.org/x/crypto:openpgp/packet/public_key.go, signature.go, signature_v3.go
"""

from __future__ import annotations

from collections.abc import Iterator

from .packets import PUBLIC_KEY, PUBLIC_SUBKEY, SIGNATURE, Packet

_RSA, _RSA_SIGN, _DSA, _ECDH, _ECDSA = 1, 3, 17, 18, 19
_SIGNING = (_RSA, _RSA_SIGN, _DSA, _ECDSA)
_WITHOUT_CURVE = (_RSA, 2, _RSA_SIGN, 16, _DSA)
_CURVES = (b"\x2a\x86\x48\xce\x3d\x03\x01\x07", b"\x2b\x81\x04\x00\x22", b"\x2b\x81\x04\x00\x23")
"""Object identifiers of P-256, P-384 and P-521."""

_BINARY, _TEXT = 0, 1
_RIPEMD160 = 3
_HASHES = (1, 2, _RIPEMD160, 8, 9, 10, 11)
_LIFETIME = 3
_SUBPACKETS = (2, _LIFETIME, 9, 11, 16, 21, 22, 25, 27, 29, 30, 32)


def packet_fault(packet: Packet) -> str:
    """Return why a packet of a key ring cannot be loaded; empty if it can."""
    try:
        if packet.tag in (PUBLIC_KEY, PUBLIC_SUBKEY):
            return _key_fault(packet.body)
        return _signature_fault(packet.body) if packet.tag == SIGNATURE else ""
    except IndexError:
        return "is cut short"


def can_sign(key: bytes) -> bool:
    """Whether a key, whose packet can be loaded, can be the primary key of a ring."""
    return key[5] in _SIGNING


def message_fault(signature: bytes) -> str:
    """Return why the CVO refuses a message with ``signature``; empty if it does not."""
    try:
        fault = _signature_fault(signature)
        if fault:
            return fault
        kind, hash_number = (signature[1], signature[3]) if signature[0] == 4 else (signature[2], signature[16])
        if kind not in (_BINARY, _TEXT):
            return f"is of the type {kind}, not of a document"
        if hash_number == _RIPEMD160:
            return "uses the hash RIPEMD-160"
        if signature[0] == 4 and any(kind & 0x7F == _LIFETIME and not any(data) for kind, data in _hashed(signature)):
            # GnuPG takes 0 as no limit (openshift/library-go:pkg/verify/verify.go verifySignatureWithKeyring).
            return "has a lifetime of 0 seconds, with which it has expired at once"
    except IndexError:
        return "is cut short"
    return ""


def _key_fault(body: bytes) -> str:
    if body[0] != 4:
        return f"has the version {body[0]}"
    algorithm = body[5]
    if algorithm in (_ECDH, _ECDSA):
        return "" if body[7 : 7 + body[6]] in _CURVES else "uses another curve than P-256, P-384 and P-521"
    return "" if algorithm in _WITHOUT_CURVE else f"uses the public key algorithm {algorithm}"


def _signature_fault(body: bytes) -> str:
    version = body[0]
    if version not in (2, 3, 4):
        return f"has the version {version}"
    algorithm, hash_number = (body[2], body[3]) if version == 4 else (body[15], body[16])
    if algorithm not in _SIGNING or (version != 4 and algorithm == _ECDSA):
        return f"uses the public key algorithm {algorithm}"
    if hash_number not in _HASHES:
        return f"uses the hash {hash_number}"
    subpackets = (*_hashed(body), *_unhashed(body)) if version == 4 else ()
    unknown = next((kind for kind, _data in subpackets if kind & 0x80 and kind & 0x7F not in _SUBPACKETS), None)
    return "" if unknown is None else f"has a critical subpacket of the type {unknown & 0x7F}"


def _hashed(body: bytes) -> Iterator[tuple[int, bytes]]:
    return _subpackets(body[6 : 6 + _length(body, 4)])


def _unhashed(body: bytes) -> Iterator[tuple[int, bytes]]:
    start = 6 + _length(body, 4)
    return _subpackets(body[start + 2 : start + 2 + _length(body, start)])


def _length(body: bytes, start: int) -> int:
    return body[start] << 8 | body[start + 1]


def _subpackets(area: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the type, with its critical bit, and the data of each subpacket (RFC 4880, section 5.2.3.1)."""
    while area:
        first = area[0]
        if first < 192:
            start, size = 1, first
        elif first < 255:
            start, size = 2, (first - 192 << 8) + area[1] + 192
        else:
            start, size = 5, int.from_bytes(area[1:5], "big")
        yield area[start], area[start + 1 : start + size]
        area = area[start + size :]
