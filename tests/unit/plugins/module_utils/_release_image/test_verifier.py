# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which digests can be verified, and how stores write them."""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image import verifier
from ansible_collections.capability.openshift.plugins.module_utils._release_image.gpgv import (
    KeyRing,
    MessageSigner,
    SignedMessage,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.opened_release import Signer
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_stores import (
    Found,
    FoundSignature,
    key_prefix,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.verifier import (
    Verifier,
    is_signature_of,
    verify_digest,
)
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import content


def test_a_digest_in_paths_and_names() -> None:
    assert (key_prefix("sha256:ab", "="), key_prefix("sha256:ab", "-")) == ("sha256=ab", "sha256-ab")


class OneStore:
    """A store with one signature."""

    name = "store"

    def signatures(self, _digest: str, _problems: Problems) -> Found:
        yield FoundSignature(b"message", "found")


class EmptyStore(OneStore):
    """A store without signatures."""

    def signatures(self, _digest: str, _problems: Problems) -> Found:
        yield from ()


@pytest.mark.parametrize(
    ("trusted", "code"),
    [(None, ""), (frozenset({"KEY"}), ""), (frozenset({"PRIMARY"}), "unknown-release-keys")],
)
def test_the_key_itself_is_trusted_and_its_primary_key_is_returned(
    monkeypatch: pytest.MonkeyPatch, trusted: frozenset[str] | None, code: str
) -> None:
    message = SignedMessage(b"content", MessageSigner("KEY", "PRIMARY", "user"))
    monkeypatch.setattr(verifier, "find_gpgv", lambda _problems: "gpgv")
    monkeypatch.setattr(verifier, "read_signed_message", lambda *_arguments: message)
    monkeypatch.setattr(verifier, "is_signature_of", lambda *_arguments: True)
    problems = Problems()
    rings = (KeyRing("one", b""), KeyRing("two", b""))
    found = verify_digest("image", "sha256:ab", Verifier(rings, (OneStore(),), trusted), problems)
    assert found == (() if code else tuple(Signer(ring.name, "PRIMARY", "user", "found") for ring in rings))
    assert {item.code for item in problems} == ({code, "not-verified"} if code else set())
    # Only a fault of the signature itself is a reason against the release.
    assert "Do not use this release" not in {item.hint for item in problems}
    monkeypatch.setattr(verifier, "is_signature_of", lambda *_arguments: False)
    verify_digest("image", "sha256:ab", Verifier(rings, (OneStore(),), trusted), faults := Problems())
    assert [item.hint for item in faults] == ["Do not use this release"]


def test_a_digest_without_signature_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "find_gpgv", lambda _problems: "gpgv")
    for stores, shown in (((), "no store"), ((EmptyStore(), EmptyStore()), "store; store")):
        problems = Problems()
        assert verify_digest("image", "sha256:ab", Verifier((KeyRing("one", b""),), stores), problems) == ()
        assert [(item.code, str(item.where)) for item in problems] == [("no-signature", "image")]
        # A store that does not answer may have one.
        assert problems[0].message == f"no signature of sha256:ab was found in: {shown}"


DIGEST = f"sha256:{'a' * 64}"
GOOD = content(DIGEST)
EXPECTED = "expected an atomic container signature"


def codes(data: bytes) -> list[str]:
    problems = Problems()
    assert is_signature_of("signature-1", data, DIGEST, problems) == (not problems)
    return [problem.code for problem in problems]


def without(*path: str) -> bytes:
    document = json.loads(GOOD)
    parent = document
    for name in path[:-1]:
        parent = parent[name]
    del parent[path[-1]]
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "data",
    [
        GOOD,
        content(DIGEST, optional=None),
        content(DIGEST, optional={}),
        content(DIGEST, optional={"timestamp": None}),
        without("optional"),
        b" \n" + GOOD + b"\n",
    ],
)
def test_a_signature_of_the_digest(data):
    assert codes(data) == []


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "signature-json"),
        (b"hello", "signature-json"),
        (b"[]", "signature-json"),
        (b"\xff\xfe", "signature-json"),
        (b"\xef\xbb\xbf" + GOOD, "signature-json"),
        (GOOD + b"{}", "signature-json"),
        (b"[" * 100_000, "signature-json"),
        (GOOD.replace(b'"optional"', b'"Optional"'), "signature-json"),
        (GOOD.replace(b'"optional"', b'"critical": {}, "optional"'), "signature-json"),
        (content(DIGEST, more=1), "signature-json"),
        (content(DIGEST, critical=[]), "signature-json"),
        (content(DIGEST, optional={"timestamp": 1.5}), "signature-json"),
        (content(DIGEST, optional={"timestamp": True}), "signature-json"),
        (content(DIGEST, optional={"timestamp": 10**30}), "signature-json"),
        (content(DIGEST, optional={"timestamp": float("nan")}), "signature-json"),
        (content(DIGEST, optional={"creator": 1}), "signature-json"),
        (content(DIGEST, optional={"user": "x"}), "signature-json"),
        (b"{}", "signature-type"),
        (without("critical"), "signature-type"),
        (GOOD.replace(b"atomic", b"cosign"), "signature-type"),
        (without("critical", "identity"), "signature-identity"),
        (without("critical", "identity", "docker-reference"), "signature-identity"),
        (without("critical", "image"), "signature-other-digest"),
        (content(f"sha256:{'b' * 64}"), "signature-other-digest"),
    ],
)
def test_anything_else_is_refused(data, code):
    assert codes(data) == [code]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (content(DIGEST, more=1), f"s: the signed content has the unknown field 'more', {EXPECTED}"),
        (b"{} x", f"s: the signed content is not JSON (Extra data at character 4), {EXPECTED}"),
        (content(f"sha256:{'b' * 64}"), f"s: is a signature of the image sha256:{'b' * 64}, expected one of {DIGEST}"),
    ],
)
def test_the_reason_is_named(data, sentence):
    problems = Problems()
    is_signature_of("s", data, DIGEST, problems)
    assert str(problems[0]) == sentence
