# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""ASCII armor of OpenPGP (RFC 4880, section 6). ``gpgv`` needs key rings without it."""

from __future__ import annotations

import base64
import binascii

_BEGIN, _END, _DASHES = "-----BEGIN ", "-----END ", "-----"
_CRC_START, _CRC_POLYNOMIAL = 0xB704CE, 0x1864CFB
_LONGEST_LINE, _LONGEST_HEADER = 96, 100
PUBLIC_KEYS = "PGP PUBLIC KEY BLOCK"


def dearmor(text: str) -> bytes:
    """Return the content of the first armored block, which must have public keys. Raises ``ValueError`` with a reason.

    As strict as the CVO about spaces and empty lines, and later blocks are ignored as well
    (golang.org/x/crypto:openpgp/armor/armor.go Decode, openpgp/keys.go ReadArmoredKeyRing).
    """
    lines = text.replace("\r\n", "\n").split("\n")
    begin, first = _begin(lines)
    kind = lines[begin].strip()[len(_BEGIN) : -len(_DASHES)]
    if kind != PUBLIC_KEYS:
        raise ValueError(f"has a block {kind!r}")
    end = next((index for index in range(first, len(lines)) if lines[index].startswith(_END)), None)
    if end is None:
        raise ValueError("has an armored block without an end")
    return _content(_checked_lines(lines[first:end]))


def _begin(lines: list[str]) -> tuple[int, int]:
    """The positions of the first line of the first block, and of its first line after the headers."""
    for index, line in enumerate(lines):
        text = line.strip()
        first = _first_line(lines, index) if text.startswith(_BEGIN) and len(text) > len(_BEGIN + _DASHES) else None
        if first is not None:
            return index, first
    is_there = any(line.strip().startswith(_BEGIN) for line in lines)
    found = "an armored block without an empty line after its headers" if is_there else "no armored block"
    raise ValueError(f"has {found}")


def _first_line(lines: list[str], start: int) -> int | None:
    """The position after the headers, which end with an empty line; ``None`` if there are no valid ones."""
    for index in range(start + 1, len(lines)):
        line = lines[index][:_LONGEST_HEADER].strip()
        if not line:
            return index + 1
        if ": " not in line:
            return None
    return None


def _checked_lines(lines: list[str]) -> list[str]:
    if any(len(line) > _LONGEST_LINE for line in lines):
        raise ValueError(f"has an armored block with a line of more than {_LONGEST_LINE} characters")
    if any(_is_checksum(line) for line in lines[:-1]):
        raise ValueError("has an armored block with lines after its checksum")
    return [line for line in lines if line]


def _is_checksum(line: str) -> bool:
    return len(line) == 5 and line.startswith("=")


def _content(lines: list[str]) -> bytes:
    checksum = lines.pop()[1:] if lines and lines[-1].startswith("=") else ""
    try:
        data = base64.b64decode("".join(lines), validate=True)
        expected = base64.b64decode(checksum, validate=True)
    except binascii.Error:
        raise ValueError("has an armored block that is not base64") from None
    if not data:
        raise ValueError("has an empty armored block")
    if expected and _crc24(data).to_bytes(3, "big") != expected:
        raise ValueError("has an armored block with a wrong checksum")
    return data


def _crc24(data: bytes) -> int:
    crc = _CRC_START
    for byte in data:
        crc ^= byte << 16
        for _number in range(8):
            crc = crc << 1 ^ (_CRC_POLYNOMIAL if crc & 0x800000 else 0)
    return crc & 0xFFFFFF
