# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Key rings: which OpenPGP keys may sign a release."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from .._problems import Problems
from .armor import dearmor
from .loadable import can_sign, packet_fault
from .packets import PUBLIC_KEY, Packet, packets

_HINT = "Export the public keys with `gpg --export --armor`"


class KeyRing(NamedTuple):
    """``name`` is the entry of the ConfigMap or the file. ``data`` is binary. ``fingerprints`` are in upper case.

    It has only the keys that the CVO loads.
    """

    name: str
    data: bytes
    fingerprints: tuple[str, ...]


def read_key_ring(name: str, data: bytes, problems: Problems) -> KeyRing | None:
    """Read a key ring, armored or not; ``None`` after a reported problem. A key that is left out is a warning.

    Source: golang.org/x/crypto:openpgp/keys.go ReadKeyRing. It reads a key up to the next one. If that one cannot be
    loaded, both are left out.
    """
    try:
        keys = _keys(data if data[:1] >= b"\x80" else dearmor(data.decode("ascii", "replace")))
    except ValueError as error:
        problems.error("invalid-key-ring", name, f"{error}, expected OpenPGP public keys", _HINT)
        return None
    loaded: list[list[Packet]] = []
    left_out: list[str] = []
    for key, after in zip(keys, [*keys[1:], None], strict=False):
        fault = _fault(key, after)
        if fault:
            left_out.append(f"the CVO does not load the key {_fingerprint(key)}, because it {fault}")
        else:
            loaded.append(key)
    if not loaded:
        message = "; ".join(["has no public key that the CVO loads", *left_out])
        problems.error("invalid-key-ring", name, message, _HINT)
        return None
    for message in left_out:
        problems.warning("unloadable-key", name, message, "Leave out keys that it does not load")
    ring = b"".join(packet.raw for key in loaded for packet in key)
    return KeyRing(name, ring, tuple(map(_fingerprint, loaded)))


def _keys(data: bytes) -> list[list[Packet]]:
    """The packets of each primary key: itself, its users and subkeys, and their signatures."""
    keys: list[list[Packet]] = []
    for packet in packets(data):
        if packet.tag == PUBLIC_KEY:
            keys.append([])
        if keys:
            keys[-1].append(packet)
    return keys


def _fault(key: list[Packet], after: list[Packet] | None) -> str:
    """Why the CVO does not load ``key``, which the key ``after`` follows; empty if it does."""
    fault = next(filter(None, map(packet_fault, key)), "")
    if not fault and not can_sign(key[0].body):
        return "cannot sign"
    if not fault and after and packet_fault(after[0]):
        return f"precedes a key that {packet_fault(after[0])}"
    return fault


def _fingerprint(key: list[Packet]) -> str:
    body = key[0].body
    digest = hashlib.sha1(b"\x99" + len(body).to_bytes(2, "big") + body, usedforsecurity=False)
    return digest.hexdigest().upper()
