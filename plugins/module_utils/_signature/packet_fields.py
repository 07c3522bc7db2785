# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads the fields of an OpenPGP packet, and why the CVO cannot load it."""

from __future__ import annotations


class PacketError(ValueError):
    """The packet is too short or too long. The CVO then rejects the whole key ring."""


class MalformedPacketError(PacketError):
    """The packet is not valid. The CVO leaves the key out."""


class UnsupportedPacketError(PacketError):
    """The CVO does not know the algorithm, version or subpacket. It leaves the key out, and goes on."""


class Fields:
    """The body of a packet, read from its start."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self.position = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes. Raises ``PacketError``."""
        start, self.position = self.position, self.position + size
        if self.position > len(self._body):
            raise PacketError("is cut short")
        return self._body[start : self.position]

    def number(self, size: int) -> int:
        """Return the next bytes as a number."""
        return int.from_bytes(self.read(size), "big")

    def multiprecision(self) -> bytes:
        """Return the next multiprecision integer (RFC 4880, section 3.2)."""
        return self.read((self.number(2) + 7) // 8)

    def end(self) -> None:
        """Raise ``PacketError`` unless everything was read."""
        if self.position != len(self._body):
            raise PacketError("is longer than its content")
