# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which public keys are read. tests/registry compares whole rings with the code of the CVO."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._signature.packet_fields import PacketError
from ansible_collections.capability.openshift.plugins.module_utils._signature.public_key import read_public_key

P256 = b"\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"
ED25519 = b"\x09\x2b\x06\x01\x04\x01\xda\x47\x0f\x01"


def integer(size: int, first: int = 0x80) -> bytes:
    """A number of ``size`` bytes."""
    value = bytes([first]) + bytes(size - 1)
    return (8 * size - 8 + first.bit_length()).to_bytes(2, "big") + value


def body(algorithm: int, content: bytes, version: int = 4) -> bytes:
    return bytes([version]) + bytes(4) + bytes([algorithm]) + content


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (body(1, integer(128) + integer(3)), ""),
        (body(1, integer(127) + integer(3)), "has less than 1024 bits"),
        (body(1, integer(128) + integer(4)), "has a public exponent of more than 24 bits"),
        (body(17, b"".join([integer(8)] * 4)), ""),
        (body(19, P256 + integer(65, 4)), ""),
        (body(19, P256 + integer(64, 4)), "has no point of its curve"),
        (body(19, P256 + integer(65, 3)), "has no point of its curve"),
        (body(19, ED25519 + integer(33)), "uses another curve than P-256, P-384 and P-521"),
        (body(18, P256 + integer(65, 4) + b"\x03\x01\x08\x07"), ""),
        (body(1, integer(128) + integer(3), version=5), "has the version 5"),
    ],
)
def test_a_key_that_the_cvo_does_not_load_is_an_error(data: bytes, reason: str) -> None:
    with pytest.raises(PacketError) if reason else nullcontext() as error:
        key = read_public_key(data)
        assert key is not None
        assert (key.algorithm, key.key_id, len(key.fingerprint)) == (data[5], bytes.fromhex(key.fingerprint[-16:]), 40)
    assert (str(error.value) if error else "") == reason


@pytest.mark.parametrize(("algorithm", "signs"), [(1, True), (2, False), (3, True), (16, False), (17, True)])
def test_some_keys_cannot_sign(algorithm: int, signs: bool) -> None:
    key = read_public_key(body(algorithm, integer(128) + b"".join([integer(3)] * {16: 2, 17: 3}.get(algorithm, 1))))
    assert key is not None
    assert key.can_sign is signs


def test_keys_of_old_versions_are_ignored() -> None:
    assert read_public_key(body(1, b"", version=3)) is None
