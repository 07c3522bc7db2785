# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What `gpgv` gets, what its status lines mean, and a program in its place that does not end. No test needs `gpgv`."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image import gpgv
from ansible_collections.capability.openshift.plugins.module_utils._release_image.gpgv import (
    KeyRing,
    find_gpgv,
    read_key_ring,
    read_signed_message,
    read_status,
)
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, armored, content

NO_PROGRAM = "/nonexistent/gpgv"
FIRST, SECOND = "A" * 24 + "1" * 16, "B" * 24 + "2" * 16
RING = b"\x99\x01ring" * 20


@pytest.mark.parametrize(
    "data",
    [
        RING,
        armored(RING).encode(),
        armored(RING, "Comment: a: b\nVersion: 1\n\n").encode(),
        armored(RING, " \t\n", "=abcd\n").encode(),
        f"text before\n{armored(RING)}text after".replace("\n", "\r\n").encode(),
        (armored(RING) + armored(b"second block")).encode(),
        armored(RING, "\n").replace("=\n-----END", "=\n\n-----END").encode(),
    ],
)
def test_armor_and_binary_are_the_same_ring(data):
    problems = Problems()
    assert read_key_ring("verifier-public-key-x", data, problems) == KeyRing("verifier-public-key-x", RING)
    assert problems == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no armor",
        armored(b"").encode(),
        armored(RING).replace("PUBLIC KEY BLOCK", "MESSAGE").encode(),
        armored(RING).replace("PUBLIC KEY", "PRIVATE KEY").encode(),
        armored(RING).partition("-----END")[0].encode(),
        armored(RING, "").encode(),
        armored(RING).replace(base64.encodebytes(RING).decode(), "!!!\n").encode(),
    ],
)
def test_what_is_no_key_ring_is_reported(data):
    problems = Problems()
    assert read_key_ring("verifier-public-key-x", data, problems) is None
    assert [(item.code, str(item.where)) for item in problems] == [("invalid-key-ring", "verifier-public-key-x")]


def test_the_reason_is_named():
    problems = Problems()
    read_key_ring("verifier-public-key-x", b"", problems)
    assert str(problems[0]) == (
        "verifier-public-key-x: is neither a binary key ring nor armored OpenPGP public keys. "
        "Export the public keys with `gpg --export --armor`"
    )


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"", "signature-not-binary"),
        (b"{}", "signature-not-binary"),
        (b"-----BEGIN PGP MESSAGE-----\n\n=\n", "signature-not-binary"),
        (b"\x99" * 65537, "signature-too-large"),
    ],
)
def test_what_is_no_signature_of_a_release_never_reaches_gpgv(message, code):
    problems = Problems()
    assert read_signed_message("signature-1", message, KeyRing("ring", RING), NO_PROGRAM, problems) is None
    assert [(item.code, str(item.where)) for item in problems] == [(code, "signature-1")]


def test_a_missing_gpgv_names_its_packages(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    problems = Problems()
    assert find_gpgv(problems) is None
    assert str(problems[0]) == (
        "gpgv: is not installed, expected on the PATH to check signatures. "
        "Install the package gpgv (Debian, Ubuntu) or gnupg2 (RHEL, Fedora)"
    )


@pytest.mark.parametrize(
    ("script", "code"), [("exec sleep 60", "signature-timeout"), ("exec yes", "signature-too-large")]
)
def test_a_program_that_never_ends_is_killed(script, code, tmp_path, monkeypatch):
    program = Path(tmp_path, "gpgv")
    program.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(gpgv, "_LONGEST_SECONDS", 0.2 if code == "signature-timeout" else 60.0)
    problems, key = Problems(), Key()
    message = key.sign(content(f"sha256:{'a' * 64}"))
    assert read_signed_message("signature-1", message, KeyRing("ring", key.ring), str(program), problems) is None
    assert [item.code for item in problems] == [code]


def valid(key: str = FIRST, primary: str = FIRST, algorithm: int = 1, hash_number: int = 8, kind: str = "00") -> str:
    return f"[GNUPG:] VALIDSIG {key} 2026-01-01 1767225600 0 4 0 {algorithm} {hash_number} {kind} {primary}"


NEW = "[GNUPG:] NEWSIG"
GOOD = f"[GNUPG:] GOODSIG {FIRST[-16:]} Red%20Hat, Inc. <a@example.com>"


@pytest.mark.parametrize("good", [GOOD, GOOD.replace("GOODSIG", "EXPKEYSIG")])
def test_the_signer_is_a_key_with_its_primary_key_and_user(good):
    problems = Problems()
    lines = ["gpgv: noise", NEW, good, valid(FIRST, SECOND), "[GNUPG:] KEY_CONSIDERED x 0"]
    found = read_status("signature-1", "\n".join(lines), "ring", problems)
    assert (found, problems) == ((FIRST, SECOND, "Red Hat, Inc. <a@example.com>"), [])


@pytest.mark.parametrize(
    ("lines", "code", "part"),
    [
        ([f"[GNUPG:] ERRSIG {SECOND[-16:]} 1 8 00 1767225600 9 -"], "signature-unknown-key", "ring-of-tests"),
        ([f"[GNUPG:] ERRSIG {FIRST[-16:]} 1 3 00 1767225600 5 -"], "signature-not-checked", "1 and 3"),
        ([f"[GNUPG:] BADSIG {FIRST[-16:]} a"], "signature-wrong", FIRST[-16:]),
        ([f"[GNUPG:] REVKEYSIG {FIRST[-16:]} a", valid()], "signature-revoked-key", FIRST[-16:]),
        ([f"[GNUPG:] EXPSIG {FIRST[-16:]} a", valid()], "signature-expired", FIRST[-16:]),
        ([], "signature-unreadable", ""),
        ([GOOD], "signature-unreadable", ""),
        ([valid()], "signature-unreadable", ""),
        ([GOOD, GOOD, valid()], "signature-unreadable", ""),
        ([GOOD, GOOD, valid(), valid()], "signature-unreadable", ""),
        ([GOOD, valid().rpartition(" ")[0]], "signature-unreadable", ""),
        ([GOOD, valid().replace("[GNUPG:] ", "")], "signature-unreadable", ""),
        ([GOOD, valid(), "[GNUPG:] NODATA 4"], "signature-unreadable", ""),
        (["[GNUPG:] ERROR proc_pkt.plaintext 89_BAD_DATA", GOOD, valid()], "signature-unreadable", ""),
        ([NEW, NEW, GOOD, valid()], "signature-several", "2"),
        ([GOOD, valid(algorithm=22)], "signature-not-accepted", "22 and 8"),
        ([GOOD, valid(hash_number=3)], "signature-not-accepted", "1 and 3"),
        ([GOOD, valid(kind="10")], "signature-not-accepted", "class 10"),
    ],
)
def test_a_signature_that_gpgv_does_not_call_good_is_refused(lines, code, part):
    problems = Problems()
    assert read_status("signature-1", "\n".join(lines), "ring-of-tests", problems) is None
    (problem,) = problems
    assert (problem.severity, problem.code, str(problem.where)) == ("error", code, "signature-1")
    assert part in problem.message
