# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signatures that GnuPG accepts, and the CVO does not. tests/registry makes others with gpg."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._signature.loadable import message_fault
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, subpacket


@pytest.fixture(scope="module")
def key() -> Key:
    return Key()


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "sha512"])
def test_signatures_of_documents_are_accepted(key, version, kind, algorithm):
    assert message_fault(key.signature(b"", kind, version=version, algorithm=algorithm, headless=True)) == ""


def test_subpackets_of_any_length_are_accepted_unless_they_are_unknown_and_critical(key):
    for size in (1, 190, 191, 300):
        assert message_fault(key.signature(b"", more=subpacket(100, bytes(size)), headless=True)) == ""
        assert "100" in message_fault(key.signature(b"", more=subpacket(0x80 | 100, bytes(size)), headless=True))
    assert message_fault(key.signature(b"", more=subpacket(0x80 | 27, b"\x02"), headless=True)) == ""
    assert message_fault(key.signature(b"", expires=1, headless=True)) == ""


def test_other_signatures_are_refused(key):
    for version, algorithm_at, hash_at in ((3, 15, 16), (4, 2, 3)):
        good = key.signature(b"", version=version, headless=True)
        assert (
            message_fault(key.signature(b"", 2, version=version, headless=True))
            == "is of the type 2, not of a document"
        )
        for position, value in ((algorithm_at, 22), (hash_at, 3), (hash_at, 12)):
            assert message_fault(good[:position] + bytes([value]) + good[position + 1 :]) != ""
        assert message_fault(b"\x05" + good[1:]) == "has the version 5"
        assert message_fault(good[:3]) == "is cut short"
    ecdsa_of_version_3 = key.signature(b"", version=3, headless=True).replace(b"\x01\x08", b"\x13\x08", 1)
    assert message_fault(ecdsa_of_version_3) == "uses the public key algorithm 19"
    assert "lifetime" in message_fault(key.signature(b"", more=subpacket(3, bytes(4)), headless=True))
    assert message_fault(b"") == "is cut short"
