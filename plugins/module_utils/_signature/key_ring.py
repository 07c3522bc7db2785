# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Key rings: which OpenPGP keys may sign a release.

Source: golang.org/x/crypto:openpgp/keys.go ReadKeyRing, ReadEntity. The cryptographic part of signatures in a ring is
not verified here, only that they are of these data, of the key, and of the expected types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._problems import Problems
from .armor import dearmor
from .packet_fields import MalformedPacketError, PacketError, UnsupportedPacketError
from .packets import PUBLIC_KEY, PUBLIC_SUBKEY, SIGNATURE, USER, USER_ATTRIBUTE, Packet, packets
from .public_key import PublicKey, read_public_key
from .signature_packet import Signature, read_signature, subpackets

_HINT = "Export the public keys with `gpg --export --armor`"
_NAMES = {PUBLIC_SUBKEY: "a subkey", SIGNATURE: "a signature", USER_ATTRIBUTE: "an attribute"}
_CERTIFICATIONS, _BINDINGS, _REVOCATION = (0x10, 0x13), (0x18, 0x28), 0x20


class KeyRing(NamedTuple):
    """``name`` is the entry of the ConfigMap or the file. ``data`` is binary. ``fingerprints`` are in upper case.

    It has only the keys that the CVO loads. It accepts no signature by those in ``revoked``.
    """

    name: str
    data: bytes
    fingerprints: tuple[str, ...]
    revoked: frozenset[str] = frozenset()


class _Key(NamedTuple):
    packets: Sequence[Packet]
    fingerprint: str
    is_revoked: bool


def read_key_ring(name: str, data: bytes, problems: Problems) -> KeyRing | None:
    """Read a key ring, armored or not; ``None`` after a reported problem. A key that is left out is a warning."""
    try:
        reader = _KeyRingReader(
            list(packets(data if data[:1] >= b"\x80" else dearmor(data.decode("ascii", "replace"))))
        )
        loaded, left_out = reader.keys()
    except ValueError as error:
        problems.error("invalid-key-ring", name, f"{error}, expected OpenPGP public keys", _HINT)
        return None
    if not loaded:
        message = "; ".join(["has no public key that the CVO loads", *left_out])
        problems.error("invalid-key-ring", name, message, _HINT)
        return None
    for message in left_out:
        problems.warning("unloadable-key", name, message, "Leave out keys that it does not load")
    ring = b"".join(packet.raw for key in loaded for packet in key.packets)
    revoked = frozenset(key.fingerprint for key in loaded if key.is_revoked)
    return KeyRing(name, ring, tuple(key.fingerprint for key in loaded), revoked)


class _KeyRingReader:
    """Reads one key after the other. ``at`` is the position of the next packet."""

    def __init__(self, found: list[Packet]) -> None:
        self._packets = found
        self._at = 0

    def keys(self) -> tuple[list[_Key], list[str]]:
        """Return the keys, and why others are left out. Raises ``ValueError`` if the ring cannot be read."""
        loaded: list[_Key] = []
        left_out: list[str] = []
        while self._at < len(self._packets):
            start = self._at
            try:
                loaded.append(self._key())
            except (MalformedPacketError, UnsupportedPacketError) as fault:
                self._skip_to_key()
                if self._packets[start].tag == PUBLIC_KEY:
                    name = _shown_fingerprint(self._packets[start])
                    left_out.append(f"the CVO does not load the key {name}, because {fault}")
        return loaded, left_out

    def _skip_to_key(self) -> None:
        while self._at < len(self._packets):
            try:
                if isinstance(self._next(), PublicKey) and self._packets[self._at - 1].tag == PUBLIC_KEY:
                    self._at -= 1
                    return
            except UnsupportedPacketError:
                continue

    def _next(self, key: str = "the next key") -> PublicKey | Signature | None:
        """Return the content of the next packet, ``None`` if it is of no importance. Raises ``PacketError``.

        ``key`` is a name of a key for messages.
        """
        tag, body = self._packets[self._at]
        self._at += 1
        try:
            if tag in (PUBLIC_KEY, PUBLIC_SUBKEY):
                return read_public_key(body)
            if tag == SIGNATURE:
                return read_signature(body)
            if tag == USER_ATTRIBUTE:
                list(subpackets(body))
        except PacketError as error:
            raise type(error)(f"{_NAMES.get(tag, key)} {error}") from None
        if tag not in (USER, USER_ATTRIBUTE):
            raise PacketError(f"has a packet of the type {tag}")
        return None

    def _key(self) -> _Key:
        start, key = self._at, self._next("it")
        if not isinstance(key, PublicKey) or self._packets[start].tag != PUBLIC_KEY:
            self._at = start
            raise MalformedPacketError("it does not begin with a public key")
        if not key.can_sign:
            raise MalformedPacketError("it cannot sign")
        used = [Packet(PUBLIC_KEY, key.body)]
        users = 0
        revocations: list[Signature] = []
        while self._at < len(self._packets):
            begin, found = self._at, self._next()
            tag = self._packets[begin].tag
            if tag == PUBLIC_KEY and found is not None:
                self._at = begin
                break
            if tag == USER:
                users += self._user(key, self._packets[begin].body)
            elif tag == PUBLIC_SUBKEY and isinstance(found, PublicKey):
                self._subkey(key, found)
            elif isinstance(found, Signature) and found.version == 4 and found.kind == _REVOCATION:
                revocations.append(found)
            used.extend(self._packets[begin : self._at])
        if not users:
            raise MalformedPacketError("it has no user whom it certifies")
        for revocation in revocations:
            _check(revocation, key, key.framed, "a revocation")
        return _Key(used, key.fingerprint, bool(revocations))

    def _signatures(self) -> list[Signature]:
        """Return the signatures of version 4 that follow."""
        found: list[Signature] = []
        while self._at < len(self._packets):
            item = self._next()
            if not isinstance(item, Signature) or item.version != 4:
                self._at -= 1
                break
            found.append(item)
        return found

    def _user(self, key: PublicKey, user: bytes) -> int:
        """Return how often the key certifies a user."""
        data = key.framed + b"\xb4" + len(user).to_bytes(4, "big") + user
        signatures = self._signatures()
        certifications = [item for item in signatures if item.kind in _CERTIFICATIONS and item.key_id == key.key_id]
        for item in certifications:
            _check(item, key, data, "a certification")
            if item.has_reason:
                # The CVO loads it, and accepts no signature by it (KeysByIdUsage).
                raise MalformedPacketError("a certification has a reason for a revocation")
        return len(certifications)

    def _subkey(self, key: PublicKey, subkey: PublicKey) -> None:
        try:
            found = self._signatures()
        except PacketError as error:
            raise MalformedPacketError(str(error)) from None
        if not found:
            raise MalformedPacketError("a subkey has no signature")
        data = key.framed + subkey.framed
        for item in found:
            if item.kind not in _BINDINGS:
                raise MalformedPacketError(f"a subkey has a signature of the type {item.kind}")
            _check(item, key, data, "a signature of a subkey")
            if item.is_for_signing:
                if item.embedded is None:
                    raise MalformedPacketError("a subkey for signing has no cross-certification")
                _check(item.embedded, subkey, data, "a cross-certification")


def _check(signature: Signature, key: PublicKey, data: bytes, name: str) -> None:
    is_own = signature.algorithm == key.algorithm and signature.key_id in (b"", key.key_id)
    if not is_own or not signature.is_hash_of(data):
        raise MalformedPacketError(f"{name} is not valid")


def _shown_fingerprint(packet: Packet) -> str:
    return PublicKey(0, packet.body).fingerprint
