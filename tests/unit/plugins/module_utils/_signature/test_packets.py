# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Packets of OpenPGP messages, with old and new headers, compressed or not."""

from __future__ import annotations

import bz2
import zlib

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._signature.packets import (
    COMPRESSED,
    MessageTooLargeError,
    Packet,
    packets,
    unpacked,
)
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import literal, packet

RAW = zlib.compressobj(wbits=-zlib.MAX_WBITS)
MESSAGE = literal(b"text")
FOUND = list(packets(MESSAGE))
ALGORITHMS = {
    1: RAW.compress(MESSAGE) + RAW.flush(),
    2: zlib.compress(MESSAGE),
    3: bz2.compress(MESSAGE),
}


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", []),
        (packet(2, b"ab") + packet(11, b"c"), [Packet(2, b"ab"), Packet(11, b"c")]),
        (b"\xc2\x02ab", [Packet(2, b"ab")]),
        (b"\xc2\xc0\x00" + b"a" * 192, [Packet(2, b"a" * 192)]),
        (b"\xc2\xff\x00\x00\x00\x01a", [Packet(2, b"a")]),
        (b"\x88\x01a", [Packet(2, b"a")]),
        (b"\x89\x00\x01a", [Packet(2, b"a")]),
        (packet(15, b"unknown") + packet(2, b"a"), [Packet(2, b"a")]),
    ],
)
def test_packets_have_headers_of_each_length(data: bytes, found: list[Packet]) -> None:
    assert list(packets(data)) == found


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_message_may_be_compressed(algorithm: int) -> None:
    message = packet(COMPRESSED, bytes([algorithm]) + ALGORITHMS[algorithm])

    assert unpacked(MESSAGE, 100) == unpacked(message, 100) == FOUND
    with pytest.raises(MessageTooLargeError):
        unpacked(message, len(MESSAGE) - 1)
    assert unpacked(message, len(MESSAGE)) == FOUND


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b"text", "is not a sequence of OpenPGP packets"),
        (packet(COMPRESSED, b"\x04" + MESSAGE), "is compressed with an unknown algorithm"),
        (packet(COMPRESSED, b"\x02" + MESSAGE), "cannot be decompressed"),
        (packet(COMPRESSED, b"\x03" + MESSAGE), "cannot be decompressed"),
        (packet(2, b"abc")[:-1], "has an OpenPGP packet that is cut short"),
    ],
)
def test_what_is_no_message_is_an_error(message: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        unpacked(message, 100)
