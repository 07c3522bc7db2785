# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names of ciphers: those of IANA follow from those of OpenSSL by rule."""

from __future__ import annotations

import re

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.tls_profiles import IANA_NAMES, TLS_PROFILES

NAME = re.compile(r"(?:(ECDHE)-(ECDSA|RSA)-)?(AES(?=\d)|CHACHA20|DES-CBC3)(128|256)?(-GCM)?-(SHA\d*|POLY1305)")


def of_iana(name: str) -> str:
    match = NAME.fullmatch(name)
    assert match
    exchange, signer, cipher, bits, counter, digest = match.groups()
    keys = f"{exchange}_{signer}" if exchange else "RSA"
    if cipher == "CHACHA20":
        return f"TLS_{keys}_WITH_CHACHA20_POLY1305_SHA256"
    block = f"AES_{bits}" if cipher == "AES" else "3DES_EDE"
    return f"TLS_{keys}_WITH_{block}_{'GCM' if counter else 'CBC'}_{digest}"


@pytest.mark.parametrize("name", IANA_NAMES)
def test_each_cipher_has_its_name_of_iana(name: str) -> None:
    assert IANA_NAMES[name] == (name if name.startswith("TLS_") else of_iana(name))


def test_each_profile_has_ciphers_with_a_name_and_accepts_all_of_a_newer_one() -> None:
    old, intermediate, modern = (set(TLS_PROFILES[name].ciphers) for name in ("Old", "Intermediate", "Modern"))
    assert modern < intermediate < old <= IANA_NAMES.keys()
    versions = [TLS_PROFILES[name][0] for name in ("Old", "Intermediate", "Modern")]
    assert versions == ["VersionTLS10", "VersionTLS12", "VersionTLS13"]
