# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs ``gpgv``, which decides which key signed an OpenPGP message, and what the message contains.

No Python library can replace it. Red Hat's signatures are OpenPGP packets of version 3, which pysequoia and PGPy
reject, and PGPy accepts keys that are revoked. ``gpgv`` gets nothing but two files in an empty home directory.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from threading import Timer
from typing import NamedTuple
from urllib.parse import unquote

from .._problems import Problems

LARGEST_MESSAGE = 64 * 1024
"""Bytes of a message, and of its content after decompression. Signatures of releases have less than 2 KiB."""

_LONGEST_SECONDS = 30.0
_PACKAGES = "Install the package gpgv (Debian, Ubuntu) or gnupg2 (RHEL, Fedora)"
_ARMORED_KEYS = re.compile(
    rb"^-----BEGIN PGP PUBLIC KEY BLOCK-----\s*?\n(?:[^\n]*: [^\n]*\n)*[ \t\r]*\n(.+?)\n(?:=[^\n]{4}\s*\n)?-----END ",
    re.MULTILINE | re.DOTALL,
)
"""The headers, an empty line, the keys in base64, and their checksum."""

_STATUS = "[GNUPG:] "
_NO_PUBLIC_KEY = "9"
_DOCUMENT_CLASSES = ("00", "01")
_RIPEMD160 = "3"
_CVO_ALGORITHMS = ("1", "3", "17", "19")
"""RSA, RSA for signatures only, DSA and ECDSA (golang.org/x/crypto:openpgp/packet/signature.go parse)."""


class KeyRing(NamedTuple):
    """``name`` is the entry of the ConfigMap or the file. ``data`` is binary, as ``gpgv`` needs it."""

    name: str
    data: bytes


class MessageSigner(NamedTuple):
    """Who signed a message: the fingerprints of the key and of its primary key, and its user."""

    key: str
    primary_key: str
    user: str


class SignedMessage(NamedTuple):
    """The content of a message, and who signed it."""

    content: bytes
    signer: MessageSigner


class _Finished(NamedTuple):
    content: bytes
    status: str
    is_killed: bool


def read_key_ring(name: str, data: bytes, problems: Problems) -> KeyRing | None:
    """Read a key ring, armored or not; ``None`` after a reported problem. The keys in it are not looked at.

    Of several armored blocks, the first one counts (golang.org/x/crypto:openpgp/keys.go ReadArmoredKeyRing).
    """
    ring = data if data[:1] >= b"\x80" else _dearmored(data)
    if ring:
        return KeyRing(name, ring)
    message = "is neither a binary key ring nor armored OpenPGP public keys"
    problems.error("invalid-key-ring", name, message, "Export the public keys with `gpg --export --armor`")
    return None


def _dearmored(data: bytes) -> bytes:
    block = _ARMORED_KEYS.search(data)
    try:
        return base64.b64decode(b"".join(block[1].split()), validate=True) if block else b""
    except binascii.Error:
        return b""


def find_gpgv(problems: Problems) -> str | None:
    """Return the path of ``gpgv``; ``None`` after a reported problem."""
    program = shutil.which("gpgv")
    if program is None:
        problems.error("gpgv-missing", "gpgv", "is not installed, expected on the PATH to check signatures", _PACKAGES)
    return program


def read_signed_message(
    where: str, message: bytes, key_ring: KeyRing, program: str, problems: Problems
) -> SignedMessage | None:
    """Return the content of ``message`` if a key of ``key_ring`` signed it; ``None`` after a reported problem.

    The message is binary, with exactly one signature. The expiry of the key has no effect, as in the CVO
    (openshift/library-go:pkg/verify/verify.go verifySignatureWithKeyring).
    """
    if message[:1] < b"\x80":
        fault = "is not a binary OpenPGP message, and the CVO does not accept armored ones"
        problems.error("signature-not-binary", where, fault, "Copy the binary signature from the signature store")
        return None
    finished = _run(program, message, key_ring) if len(message) <= LARGEST_MESSAGE else None
    if finished is None or len(finished.content) > LARGEST_MESSAGE:
        problems.error("signature-too-large", where, f"has more than {LARGEST_MESSAGE} bytes, expected about 1,000")
        return None
    if finished.is_killed:
        problems.error("signature-timeout", where, f"gpgv has not ended after {_LONGEST_SECONDS:.0f} seconds")
        return None
    signer = read_status(where, finished.status, key_ring.name, problems)
    return SignedMessage(finished.content, signer) if signer else None


def _run(program: str, message: bytes, key_ring: KeyRing) -> _Finished:
    """Run ``gpgv`` until it ends, takes too long, or writes too much: a small message can have a large content."""
    with tempfile.TemporaryDirectory(prefix="capability-gpgv-") as directory:
        ring, signed, status = (Path(directory, name) for name in ("ring", "message", "status"))
        ring.write_bytes(key_ring.data)
        signed.write_bytes(message)
        with status.open("wb") as lines:
            options = ["--homedir", directory, "--status-fd", str(lines.fileno()), "--keyring", str(ring)]
            # No module is at hand whose run_command could be called, and that would read all of the content.
            process = subprocess.Popen(  # pylint: disable=ansible-bad-function
                [program, *options, "--output", "-", str(signed)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=[lines.fileno()],
                env={"LC_ALL": "C", "PATH": os.environ.get("PATH", os.defpath)},
            )
        limit = Timer(_LONGEST_SECONDS, process.kill)
        limit.start()
        with process:
            content = process.stdout.read(LARGEST_MESSAGE + 1) if process.stdout else b""
            if len(content) > LARGEST_MESSAGE:
                process.kill()
        limit.cancel()
        is_killed = process.returncode == -signal.SIGKILL
        return _Finished(content, status.read_text("utf-8", "replace"), is_killed)


def read_status(where: str, status: str, key_ring: str, problems: Problems) -> MessageSigner | None:
    """Return who signed a message by the status lines of ``gpgv``; ``None`` after a reported problem.

    Source: gnupg:doc/DETAILS, Format of the --status-fd output
    """
    lines: dict[str, list[list[str]]] = {}
    for line in status.splitlines():
        if line.startswith(_STATUS):
            keyword, *fields = line.removeprefix(_STATUS).split(" ")
            lines.setdefault(keyword, []).append(fields)
    fault = _fault(lines, key_ring)
    if fault:
        problems.error(fault[0], where, fault[1])
        return None
    (valid,) = lines["VALIDSIG"]
    _key_id, *user = (lines.get("GOODSIG") or lines["EXPKEYSIG"])[0]
    return MessageSigner(valid[0], valid[9], unquote(" ".join(user)))


def _fault(lines: dict[str, list[list[str]]], key_ring: str) -> tuple[str, str] | None:
    """Code and message if there is not exactly one valid signature, of a kind that the CVO accepts."""
    unreadable = "signature-unreadable", "is not a signed OpenPGP message"
    if "ERROR" in lines or "NODATA" in lines:
        return unreadable
    if len(lines.get("NEWSIG", ())) > 1:
        return "signature-several", f"has {len(lines['NEWSIG'])} signatures, expected one"
    for fields in lines.get("ERRSIG", ()):
        if fields[5:6] == [_NO_PUBLIC_KEY]:
            return "signature-unknown-key", f"is signed by the key {fields[0]}, which is not in the key ring {key_ring}"
        return "signature-not-checked", f"uses the algorithms {fields[1]} and {fields[2]}, which gpgv does not check"
    for fields in lines.get("BADSIG", ()):
        return "signature-wrong", f"was changed after the key {fields[0]} signed it, or its signature was changed"
    for fields in lines.get("REVKEYSIG", ()):
        return "signature-revoked-key", f"is signed by the key {fields[0]}, which is revoked"
    for fields in lines.get("EXPSIG", ()):
        return "signature-expired", f"is a signature of the key {fields[0]} that has expired"
    valid, good = lines.get("VALIDSIG", []), [*lines.get("GOODSIG", ()), *lines.get("EXPKEYSIG", ())]
    if not len(valid) == len(good) == 1 or len(valid[0]) < 10:
        return unreadable
    algorithm, hash_number, kind = valid[0][6:9]
    if algorithm not in _CVO_ALGORITHMS or hash_number == _RIPEMD160 or kind not in _DOCUMENT_CLASSES:
        message = f"has the algorithms {algorithm} and {hash_number} and the class {kind}"
        return "signature-not-accepted", f"{message}, and the CVO does not accept that"
    return None
