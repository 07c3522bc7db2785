# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""ASCII armor of OpenPGP (RFC 4880, section 6). ``gpgv`` needs key rings without it."""

from __future__ import annotations

import base64
import binascii

_BEGIN, _END, _DASHES = "-----BEGIN ", "-----END ", "-----"
_CRC_START, _CRC_POLYNOMIAL = 0xB704CE, 0x1864CFB
_LONGEST_LINE = 96
PUBLIC_KEYS = "PGP PUBLIC KEY BLOCK"


def dearmor(text: str) -> bytes:
    """Return the content of the first armored block, which must have public keys. Raises ``ValueError`` with a reason.

    As strict as the CVO about spaces and empty lines, and later blocks are ignored as well
    (golang.org/x/crypto:openpgp/armor/armor.go Decode, openpgp/keys.go ReadArmoredKeyRing).
    """
    lines = text.replace("\r\n", "\n").split("\n")
    start = next((index for index, line in enumerate(lines) if line.strip().startswith(_BEGIN)), None)
    if start is None:
        raise ValueError("has no armored block")
    kind = lines[start].strip().removeprefix(_BEGIN).removesuffix(_DASHES)
    if kind != PUBLIC_KEYS:
        raise ValueError(f"has a block {kind!r}")
    end = next((index for index in range(start + 1, len(lines)) if lines[index].startswith(_END)), None)
    if end is None:
        raise ValueError("has an armored block without an end")
    return _content(_body(lines[start + 1 : end]))


def _body(lines: list[str]) -> list[str]:
    """Skip the headers, which end with an empty line."""
    empty = next((index for index, line in enumerate(lines) if not line.strip()), None)
    if empty is None or not all(": " in line for line in lines[:empty]):
        raise ValueError("has an armored block without an empty line after its headers")
    if any(len(line) > _LONGEST_LINE for line in lines[empty + 1 :]):
        raise ValueError(f"has an armored block with a line of more than {_LONGEST_LINE} characters")
    return [line for line in lines[empty + 1 :] if line]


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
