# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Runs ``gpgv``: which key signed an OpenPGP message, and what the message contains.

No Python library will do. Red Hat's signatures are OpenPGP packets of version 3, which pysequoia and PGPy reject, and
PGPy accepts keys that are revoked. ``gpgv`` gets nothing but two files in an empty home directory.
"""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from .._problems import Problems
from .key_ring import KeyRing
from .status import SignedBy, read_status

LARGEST_MESSAGE = 64 * 1024
"""Bytes of a message, and of its content after decompression. Signatures of releases have less than 2 KiB."""

_LONGEST_SECONDS = 30.0
_LARGEST_STATUS = 64 * 1024
PACKAGES = "Install the package gpgv (Debian, Ubuntu) or gnupg2 (RHEL, Fedora)"


class SignedMessage(NamedTuple):
    """The content of a message, and the key of its one valid signature."""

    content: bytes
    signed_by: SignedBy


class _Output(NamedTuple):
    """What gpgv wrote before it ended, or before it was killed because of ``excess``: a code and its reason."""

    content: bytes
    status: bytes
    excess: tuple[str, str] | None


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
    if len(message) > LARGEST_MESSAGE:
        code, reason = _too_large("message")
        problems.error(code, where, reason)
        return None
    if message[:1] < b"\x80":
        problems.error(
            "signature-not-binary",
            where,
            "is not a binary OpenPGP message, and the CVO does not accept armored ones",
            "Copy the binary signature from the signature store",
        )
        return None
    with tempfile.TemporaryDirectory(prefix="capability-gpgv-") as home:
        output = _run(program, Path(home), message, key_ring)
    if output.excess:
        problems.error(output.excess[0], where, output.excess[1])
        return None
    signed_by = read_status(where, output.status.decode("utf-8", "replace"), key_ring, problems)
    return SignedMessage(output.content, signed_by) if signed_by else None


def _too_large(what: str) -> tuple[str, str]:
    return "signature-too-large", f"the {what} has more than {LARGEST_MESSAGE} bytes, expected about 1,000"


def _run(program: str, home: Path, message: bytes, key_ring: KeyRing) -> _Output:
    (home / "message").write_bytes(message)
    (home / "ring").write_bytes(key_ring.data)
    read_end, write_end = os.pipe()
    arguments = [program, "--homedir", str(home), "--status-fd", str(write_end), "--keyring", str(home / "ring")]
    try:
        # No module is at hand whose run_command could be called, and that one has no limit for the output.
        process = subprocess.Popen(  # pylint: disable=ansible-bad-function
            [*arguments, "--output", "-", str(home / "message")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(write_end,),
            env={"LC_ALL": "C", "PATH": os.environ.get("PATH", os.defpath)},
        )
    except BaseException:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    with process, os.fdopen(read_end, "rb", buffering=0) as status:
        if process.stdout is None:
            raise AssertionError("stdout is a pipe")
        try:
            return _read(process.stdout.fileno(), status.fileno())
        finally:
            # Without effect if it has ended.
            process.kill()


def _read(content_fd: int, status_fd: int) -> _Output:
    """Read both pipes to their ends, with limits."""
    limits = {content_fd: LARGEST_MESSAGE, status_fd: _LARGEST_STATUS}
    parts: dict[int, bytearray] = {content_fd: bytearray(), status_fd: bytearray()}
    deadline = time.monotonic() + _LONGEST_SECONDS
    excess: tuple[str, str] | None = None
    with selectors.DefaultSelector() as selector:
        for descriptor in parts:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map() and not excess:
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                excess = "signature-timeout", f"gpgv has not ended after {_LONGEST_SECONDS:.0f} seconds"
            for key, _events in ready:
                data = os.read(key.fd, 65536)
                parts[key.fd] += data
                if not data:
                    selector.unregister(key.fd)
                elif len(parts[key.fd]) > limits[key.fd]:
                    excess = _too_large("content")
    return _Output(bytes(parts[content_fd]), bytes(parts[status_fd]), excess)
