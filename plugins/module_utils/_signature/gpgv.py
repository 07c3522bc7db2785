# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Runs ``gpgv``: which key signed an OpenPGP message, and what the message contains.

No Python library will do. Red Hat's signatures are OpenPGP packets of version 3, which pysequoia and PGPy reject, and
PGPy accepts keys that are revoked. ``gpgv`` gets nothing but two files in an empty home directory.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from .._problems import Problems
from .key_ring import KeyRing
from .packet_fields import Fields, PacketError
from .packets import LITERAL, ONE_PASS, SIGNATURE, MessageTooLargeError, Packet, unpacked
from .signature_packet import RIPEMD160, Signature, read_signature
from .status import CHANGED, read_status

LARGEST_MESSAGE = 64 * 1024
"""Bytes of a message, and of its content after decompression. Signatures of releases have less than 2 KiB."""

_LONGEST_SECONDS = 30.0
_BINARY, _TEXT = 0, 1
_LONE_LINE_FEED = re.compile(rb"(?<!\r)\n")
PACKAGES = "Install the package gpgv (Debian, Ubuntu) or gnupg2 (RHEL, Fedora)"


class SignedMessage(NamedTuple):
    """The content of a message, and the key of its signature: fingerprint of the primary key, and its user."""

    content: bytes
    fingerprint: str
    user: str


def find_gpgv(problems: Problems) -> str | None:
    """Return the path of ``gpgv``; ``None`` after a reported problem."""
    program = shutil.which("gpgv")
    if program is None:
        problems.error("gpgv-missing", "gpgv", "is not installed, expected on the PATH to check signatures", PACKAGES)
    return program


def read_signed_message(
    where: str, message: bytes, key_ring: KeyRing, program: str, problems: Problems
) -> SignedMessage | None:
    """Return the content of ``message`` if a key of ``key_ring`` signed it; ``None`` after a reported problem.

    The message is binary, with exactly one signature. The expiry of the key has no effect, as in the CVO
    (openshift/library-go:pkg/verify/verify.go verifySignatureWithKeyring).
    """
    if message[:1] < b"\x80":
        problems.error(
            "signature-not-binary",
            where,
            "is not a binary OpenPGP message, and the CVO does not accept armored ones",
            "Copy the binary signature from the signature store",
        )
        return None
    plain = _plain_message(where, message, problems)
    if plain is None:
        return None
    try:
        content, status = _run(program, b"".join(packet.raw for packet in plain), key_ring)
    except subprocess.TimeoutExpired:
        problems.error("signature-timeout", where, f"gpgv has not ended after {_LONGEST_SECONDS:.0f} seconds")
        return None
    signed_by = read_status(where, status, key_ring, plain[0].body[4:12].hex().upper(), problems)
    return SignedMessage(content, *signed_by) if signed_by else None


def _plain_message(where: str, message: bytes, problems: Problems) -> list[Packet] | None:
    """The packets of a message without compression, which limits what ``gpgv`` can write.

    ``None`` after a reported problem.
    """
    try:
        if len(message) > LARGEST_MESSAGE:
            raise MessageTooLargeError
        found = unpacked(message, LARGEST_MESSAGE)
    except MessageTooLargeError:
        problems.error("signature-too-large", where, f"has more than {LARGEST_MESSAGE} bytes, expected about 1,000")
        return None
    except ValueError as error:
        problems.error("signature-unreadable", where, f"{error}, expected a signed OpenPGP message")
        return None
    tags = [packet.tag for packet in found]
    if tags.count(SIGNATURE) > 1:
        problems.error("signature-several", where, f"has {tags.count(SIGNATURE)} signatures, expected one")
        return None
    # A signature before its data is valid OpenPGP, and the CVO does not find it
    # (golang.org/x/crypto:openpgp/read.go readSignedMessage).
    if tags != [ONE_PASS, LITERAL, SIGNATURE]:
        problems.error("signature-unreadable", where, "is no signed OpenPGP message that the CVO accepts")
        return None
    one_pass, literal, body = (packet.body for packet in found)
    try:
        signature = read_signature(body)
        is_hash = signature.is_hash_of(_signed_data(literal, signature.kind))
        fault = _fault(one_pass, signature)
    except PacketError as error:
        fault = str(error)
    if fault:
        problems.error("signature-not-accepted", where, f"{fault}, and the CVO does not accept that")
        return None
    if not is_hash:
        problems.error("signature-wrong", where, CHANGED.format(one_pass[4:12].hex().upper()))
        return None
    return found


def _fault(one_pass: bytes, signature: Signature) -> str:
    """Why the CVO refuses a message that ``gpgv`` may accept; empty if it does not.

    Source: golang.org/x/crypto:openpgp/read.go readSignedMessage, packet/one_pass_signature.go
    """
    if signature.kind not in (_BINARY, _TEXT):
        return f"is of the type {signature.kind}, not of a document"
    if signature.hash_number == RIPEMD160:
        return "uses the hash RIPEMD-160"
    if signature.lifetime == 0:
        # GnuPG takes 0 as no limit (openshift/library-go:pkg/verify/verify.go verifySignatureWithKeyring).
        return "has a lifetime of 0 seconds, with which it has expired at once"
    if len(one_pass) != 13 or one_pass[:3] != bytes([3, signature.kind, signature.hash_number]) or not one_pass[12]:
        return "announces another signature than it has"
    return ""


def _signed_data(literal: bytes, kind: int) -> bytes:
    """What a signature covers of a literal packet (RFC 4880, section 5.9). Raises ``PacketError``."""
    fields = Fields(literal)
    fields.read(1)
    fields.read(fields.number(1) + 4)
    data = literal[fields.position :]
    return _LONE_LINE_FEED.sub(b"\r\n", data) if kind == _TEXT else data


def _run(program: str, message: bytes, key_ring: KeyRing) -> tuple[bytes, str]:
    """Return the content of the message, and the status lines. Raises ``TimeoutExpired``."""
    with tempfile.TemporaryDirectory(prefix="capability-gpgv-") as directory:
        ring, signed, content = (Path(directory) / name for name in ("ring", "message", "content"))
        ring.write_bytes(key_ring.data)
        signed.write_bytes(message)
        options = ["--homedir", directory, "--status-fd", "1", "--keyring", str(ring), "--output", str(content)]
        # No module is at hand whose run_command could be called.
        finished = subprocess.run(  # pylint: disable=ansible-bad-function
            [program, *options, str(signed)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"LC_ALL": "C", "PATH": os.environ.get("PATH", os.defpath)},
            timeout=_LONGEST_SECONDS,
            check=False,
        )
        data = content.read_bytes() if content.exists() else b""
        return data, finished.stdout.decode("utf-8", "replace")
