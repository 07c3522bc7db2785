# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Key rings: which OpenPGP keys may sign a release."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from .._problems import Problems
from .armor import dearmor
from .packets import PUBLIC_KEY, packets

_VERSION = 4
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
        fingerprints = tuple(_fingerprint(body) for tag, body in packets(binary) if tag == PUBLIC_KEY)
    except ValueError as error:
        problems.error("invalid-key-ring", name, f"{error}, expected OpenPGP public keys", _HINT)
        return None
    if not fingerprints:
        problems.error("invalid-key-ring", name, "has no public key, expected OpenPGP public keys", _HINT)
        return None
    return KeyRing(name, binary, fingerprints)


def _fingerprint(body: bytes) -> str:
    if body[:1] != bytes([_VERSION]):
        raise ValueError(f"has a key of version {body[0] if body else 0}")
    digest = hashlib.sha1(b"\x99" + len(body).to_bytes(2, "big") + body, usedforsecurity=False)
    return digest.hexdigest().upper()
