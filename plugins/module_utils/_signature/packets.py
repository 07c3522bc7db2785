# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""OpenPGP packets, and the message that consists of them (RFC 4880, sections 4.2 and 11.3)."""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple

SIGNATURE, ONE_PASS, PUBLIC_KEY, COMPRESSED, LITERAL, USER, PUBLIC_SUBKEY, USER_ATTRIBUTE = 2, 4, 6, 8, 11, 13, 14, 17
_KNOWN_TAGS = frozenset({1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 14, 17, 18})
"""The CVO skips packets of other types (golang.org/x/crypto:openpgp/packet/packet.go Read)."""

_MOST_LAYERS = 32
"""Compressed messages in each other (golang.org/x/crypto:openpgp/packet/reader.go maxReaders)."""


class MessageTooLargeError(ValueError):
    """The content is larger than allowed."""


class Packet(NamedTuple):
    """A packet: its type and its body."""

    tag: int
    body: bytes

    @property
    def raw(self) -> bytes:
        """The packet with a header of one form, so that no other reader can find another body in it."""
        size = len(self.body).to_bytes(4, "big")
        header = bytes([0x80 | self.tag << 2 | 2]) if self.tag < 16 else bytes([0xC0 | self.tag, 255])
        return header + size + self.body


def packets(data: bytes) -> Iterator[Packet]:
    """Yield each packet of a type that the CVO knows. Raises ``ValueError`` with a reason."""
    stream = BytesIO(data)
    while header := stream.read(1):
        first = header[0]
        if first < 0x80:
            raise ValueError("is not a sequence of OpenPGP packets")
        tag = first & 63 if first & 0x40 else first >> 2 & 15
        body = _new_body(stream) if first & 0x40 else _old_body(stream, first & 3)
        if tag in _KNOWN_TAGS:
            yield Packet(tag, body)


def unpacked(message: bytes, limit: int) -> list[Packet]:
    """Return the packets of a message that may be compressed.

    Raises ``MessageTooLargeError`` if decompression yields more than ``limit`` bytes, and ``ValueError`` with a reason.
    """
    for _layer in range(_MOST_LAYERS):
        found = list(packets(message))
        if [packet.tag for packet in found] != [COMPRESSED]:
            return found
        message = _decompressed(found[0].body, limit)
    raise ValueError("is compressed too often")


def _decompressed(body: bytes, limit: int) -> bytes:
    """Decompress the body of a packet (RFC 4880, section 9.3: ZIP, ZLIB or BZip2)."""
    algorithm, compressed = body[:1], body[1:]
    try:
        if algorithm == b"\x01":
            data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(compressed, limit + 1)
        elif algorithm == b"\x02":
            data = zlib.decompressobj().decompress(compressed, limit + 1)
        elif algorithm == b"\x03":
            data = bz2.BZ2Decompressor().decompress(compressed, limit + 1)
        else:
            raise ValueError("is compressed with an unknown algorithm")
    except (zlib.error, OSError):
        raise ValueError("cannot be decompressed") from None
    if len(data) > limit:
        raise MessageTooLargeError
    return data


def _old_body(stream: BytesIO, length_type: int) -> bytes:
    if length_type == 3:
        return stream.read()
    return _read(stream, int.from_bytes(_read(stream, 1 << length_type), "big"))


def _new_body(stream: BytesIO) -> bytes:
    body = b""
    while 224 <= (first := _read(stream, 1)[0]) < 255:
        body += _read(stream, 1 << (first & 31))
    if first < 192:
        return body + _read(stream, first)
    if first < 224:
        return body + _read(stream, (first - 192 << 8) + _read(stream, 1)[0] + 192)
    return body + _read(stream, int.from_bytes(_read(stream, 4), "big"))


def _read(stream: BytesIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise ValueError("has an OpenPGP packet that is cut short")
    return data
