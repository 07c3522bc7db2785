# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""OpenPGP messages that are refused before `gpgv` sees them, and what its status lines mean."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._signature.gpgv import (
    find_gpgv,
    read_signed_message,
)
from ansible_collections.capability.openshift.plugins.module_utils._signature.key_ring import KeyRing
from ansible_collections.capability.openshift.plugins.module_utils._signature.status import read_status
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import (
    ONE_PASS,
    SIGNATURE,
    TEXT,
    Key,
    compressed,
    content,
    literal,
    packet,
    subpacket,
)

CONTENT = content(f"sha256:{'a' * 64}")
NO_PROGRAM = "/nonexistent/gpgv"
FIRST, SECOND = "A" * 24 + "1" * 16, "B" * 24 + "2" * 16
RING = KeyRing("ring", b"", (FIRST, SECOND), frozenset([SECOND]))


@pytest.fixture(scope="module")
def key() -> Key:
    return Key()


def refusal(message: bytes) -> str:
    problems = Problems()
    assert read_signed_message("signature-1", message, RING, NO_PROGRAM, problems) is None
    (problem,) = problems
    assert str(problem.where) == "signature-1"
    return problem.code


def test_data_beside_the_signed_data_are_refused(key):
    message = key.sign(CONTENT)
    assert refusal(literal(b"x") + message) == "signature-unreadable"
    assert refusal(message + literal(b"x")) == "signature-unreadable"
    assert refusal(message + message) == "signature-several"
    assert refusal(message + key.signature(CONTENT)) == "signature-several"


def test_a_signature_before_its_data_is_refused(key):
    for version in (3, 4):
        assert refusal(key.sign(CONTENT, version=version, one_pass=False)) == "signature-unreadable"


@pytest.mark.parametrize("message", [literal(CONTENT), compressed(literal(CONTENT)), b"\x99" * 500, b"\x80"])
def test_what_is_not_signed_is_refused(message):
    assert refusal(message) == "signature-unreadable"


def test_parts_of_a_message_are_refused(key):
    message = key.sign(CONTENT)
    for part in (key.signature(CONTENT), message[:-20], message[:40]):
        assert refusal(part) == "signature-unreadable"


@pytest.mark.parametrize("message", [b"", b"{}", b"-----BEGIN PGP MESSAGE-----\n\n=\n"])
def test_text_is_refused(message):
    assert refusal(message) == "signature-not-binary"


def test_bombs_are_refused(key):
    assert refusal(compressed(key.sign(b"0" * 30_000_000))) == "signature-too-large"
    nested = key.sign(CONTENT)
    for _number in range(40):
        nested = compressed(nested)
    assert refusal(nested) == "signature-unreadable"
    assert refusal(key.sign(b"0" * 70_000)) == "signature-too-large"


def test_a_missing_gpgv_names_its_packages(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    problems = Problems()
    assert find_gpgv(problems) is None
    assert str(problems[0]) == (
        "gpgv: is not installed, expected on the PATH to check signatures. "
        "Install the package gpgv (Debian, Ubuntu) or gnupg2 (RHEL, Fedora)"
    )


@pytest.mark.parametrize(
    "options",
    [{"kind": 0x02}, {"more": subpacket(3, bytes(4))}, {"kind": 0x02, "version": 3}],
    ids=str,
)
def test_a_signature_that_the_cvo_refuses_is_refused(key, options):
    assert refusal(key.sign(CONTENT, **options)) == "signature-not-accepted"


@pytest.mark.parametrize("at", [0, 1, 2, 12])
def test_another_signature_than_announced_is_refused(key, at):
    message = key.sign(CONTENT)
    start = message.index(packet(ONE_PASS, bytes(13))[:1]) + 5
    changed = bytes([message[start + at] ^ 1])
    assert refusal(message[: start + at] + changed + message[start + at + 1 :]) == "signature-not-accepted"


@pytest.mark.parametrize("kind", [0, TEXT])
def test_changed_content_is_refused(key, kind):
    message = key.sign(CONTENT, kind)
    assert refusal(message.replace(b"4.21.0", b"4.21.1")) == "signature-wrong"
    assert message[:1] == packet(ONE_PASS, b"")[:1]
    assert packet(SIGNATURE, b"")[:1] in message


def valid(key: str = FIRST, primary: str = FIRST) -> str:
    return f"[GNUPG:] VALIDSIG {key} 2026-01-01 1767225600 0 4 0 1 8 00 {primary}"


GOOD = f"[GNUPG:] GOODSIG {FIRST[-16:]} Red%20Hat, Inc. <a@example.com>"


@pytest.mark.parametrize("good", [GOOD, GOOD.replace("GOODSIG", "EXPKEYSIG")])
def test_the_signer_is_the_primary_key_with_its_user(good):
    problems = Problems()
    lines = ["gpgv: noise", "[GNUPG:] NEWSIG", good, valid(), "[GNUPG:] KEY_CONSIDERED x 0"]
    found = read_status("signature-1", "\n".join(lines), RING, FIRST[-16:], problems)
    assert (found, problems) == ((FIRST, "Red Hat, Inc. <a@example.com>"), [])


@pytest.mark.parametrize(
    ("lines", "code", "part"),
    [
        ([f"[GNUPG:] ERRSIG {SECOND[-16:]} 1 8 00 1767225600 9 -"], "signature-unknown-key", f"{FIRST}, {SECOND}"),
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
        ([GOOD, valid(SECOND)], "signature-not-accepted", SECOND),
        ([GOOD, valid(FIRST, SECOND)], "signature-revoked-key", SECOND),
    ],
)
def test_a_signature_that_gpgv_does_not_call_good_is_refused(lines, code, part):
    problems = Problems()
    assert read_status("signature-1", "\n".join(lines), RING, FIRST[-16:], problems) is None
    (problem,) = problems
    assert (problem.severity, problem.code, str(problem.where)) == ("error", code, "signature-1")
    assert part in problem.message
