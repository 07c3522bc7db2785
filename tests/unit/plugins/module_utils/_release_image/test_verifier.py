# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which digests can be verified, and how stores write them."""

from __future__ import annotations

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
    verify_digest,
)


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


def test_a_digest_without_signature_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "find_gpgv", lambda _problems: "gpgv")
    for stores, shown in (((), "no store"), ((EmptyStore(), EmptyStore()), "store; store")):
        problems = Problems()
        assert verify_digest("image", "sha256:ab", Verifier((KeyRing("one", b""),), stores), problems) == ()
        assert [(item.code, str(item.where)) for item in problems] == [("no-signature", "image")]
        assert problems[0].message.endswith(f" in: {shown}")
