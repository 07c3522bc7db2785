# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Key rings: which OpenPGP keys may sign a release."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from .._problems import Problems
from .armor import dearmor

_PUBLIC_KEY, _VERSION = 6, 4
_HINT = "Export the public keys with `gpg --export --armor`"


class KeyRing(NamedTuple):
    """``name`` is the entry of the ConfigMap or the file. ``data`` is binary. ``fingerprints`` are in upper case."""

    name: str
    data: bytes
    fingerprints: tuple[str, ...]


def read_key_ring(name: str, data: bytes, problems: Problems) -> KeyRing | None:
    """Read a key ring, armored or not; ``None`` after a reported problem."""
    try:
        binary = data if data[:1] >= b"\x80" else dearmor(data.decode("ascii", "replace"))
        fingerprints = tuple(_fingerprint(body) for tag, body in packets(binary) if tag == _PUBLIC_KEY)
    except ValueError as error:
        problems.error("invalid-key-ring", name, f"{error}, expected OpenPGP public keys", _HINT)
        return None
    if not fingerprints:
        problems.error("invalid-key-ring", name, "has no public key, expected OpenPGP public keys", _HINT)
        return None
    return KeyRing(name, binary, fingerprints)


def packets(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield tag and body of each OpenPGP packet (RFC 4880, section 4.2). Raises ``ValueError``."""
    rest = data
    while rest:
        first = rest[0]
        if first < 0x80:
            raise ValueError("is not a sequence of OpenPGP packets")
        tag, header, size = _new_header(rest) if first & 0x40 else _old_header(rest)
        if len(rest) < header + size:
            raise ValueError("has an OpenPGP packet that is cut short")
        yield tag, rest[header : header + size]
        rest = rest[header + size :]


def _old_header(data: bytes) -> tuple[int, int, int]:
    width = 1 << (data[0] & 3)
    if width > 4:
        raise ValueError("has an OpenPGP packet without a length")
    return data[0] >> 2 & 15, 1 + width, int.from_bytes(data[1 : 1 + width].ljust(width, b"\xff"), "big")


def _new_header(data: bytes) -> tuple[int, int, int]:
    tag, lengths = data[0] & 63, data[1:6].ljust(5, b"\xfe")
    if lengths[0] < 192:
        return tag, 2, lengths[0]
    if lengths[0] < 224:
        return tag, 3, (lengths[0] - 192 << 8) + lengths[1] + 192
    if lengths[0] == 255:
        return tag, 6, int.from_bytes(lengths[1:5], "big")
    raise ValueError("has an OpenPGP packet of partial lengths or cut short")


def _fingerprint(body: bytes) -> str:
    if body[:1] != bytes([_VERSION]):
        raise ValueError(f"has a key of version {body[0] if body else 0}")
    digest = hashlib.sha1(b"\x99" + len(body).to_bytes(2, "big") + body, usedforsecurity=False)
    return digest.hexdigest().upper()
