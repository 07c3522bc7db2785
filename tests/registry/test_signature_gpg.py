# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signatures that `gpg` makes: what administrators who sign releases themselves have."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.gpgv import KeyRing, read_key_ring
from ansible_collections.capability.openshift.plugins.module_utils._release_image.opened_release import Signer
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_stores import FoundSignature
from ansible_collections.capability.openshift.plugins.module_utils._release_image.verifier import (
    Verifier,
    verify_digest,
)
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import content

DIGEST = f"sha256:{'b' * 64}"
FAILED = "not-verified"


class Gpg:
    """A home directory of gpg, with keys."""

    def __init__(self, home: Path) -> None:
        home.mkdir(mode=0o700)
        self.home = home

    def __call__(self, *arguments: str, data: bytes = b"") -> bytes:
        command = ["gpg", "--homedir", str(self.home), "--batch", "--quiet", "--passphrase", "", *arguments]
        return subprocess.run(command, input=data, capture_output=True, check=True).stdout

    def new_key(self, user: str, algorithm: str = "rsa2048") -> None:
        self("--quick-gen-key", user, algorithm, "sign", "never")

    def fingerprint(self, user: str) -> str:
        listed = self("--with-colons", "--list-keys", user).decode().splitlines()
        return next(line.split(":")[9] for line in listed if line.startswith("fpr:"))

    def ring(self, user: str, *options: str) -> KeyRing:
        ring = read_key_ring(user, self(*options, "--export", user), Problems())
        assert ring
        return ring

    def close(self) -> None:
        subprocess.run(["gpgconf", "--homedir", str(self.home), "--kill", "gpg-agent"], check=False)


@pytest.fixture(scope="module")
def gpg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gpg]:
    # The agent's socket needs a short path.
    found = Gpg(Path(tmp_path_factory.mktemp("gpg")) / "h")
    for user in ("first", "second"):
        found.new_key(user)
    yield found
    found.close()


class Given:
    """A store with signatures that a test made."""

    name = "given"

    def __init__(self, *signatures: bytes) -> None:
        self._signatures = signatures

    def signatures(self, digest, problems):
        for number, data in enumerate(self._signatures, 1):
            yield FoundSignature(data, f"given-{number}")


def verify(rings: tuple[KeyRing, ...], *signatures: bytes) -> tuple[tuple[Signer, ...], list[str]]:
    problems = Problems()
    result = verify_digest("release", DIGEST, Verifier(rings, (Given(*signatures),)), problems)
    return result, [problem.code for problem in problems]


def test_a_signature_verifies_a_digest(gpg):
    result, codes = verify((gpg.ring("first", "--armor"),), gpg("-u", "first", "--sign", data=content(DIGEST)))
    assert codes == []
    assert [(signer.user, signer.key_ring, signer.source) for signer in result] == [("first", "first", "given-1")]


@pytest.mark.parametrize(("curve", "codes"), [("nistp256", []), ("ed25519", ["signature-not-accepted", FAILED])])
def test_of_the_curves_the_cvo_knows_those_of_nist(gpg, curve, codes):
    gpg.new_key(curve, curve)
    assert verify((gpg.ring(curve),), gpg("-u", curve, "--sign", data=content(DIGEST)))[1] == codes


def test_a_key_signs_next_to_one_that_the_cvo_does_not_load(gpg):
    """The CVO loads neither of them, see docs/reference/releases.md."""
    gpg.new_key("next", "ed25519")
    ring = read_key_ring("ring", gpg("--export", "first") + gpg("--export", "next"), Problems())
    assert ring
    assert verify((ring,), gpg("-u", "first", "--sign", data=content(DIGEST)))[1] == []


def test_a_text_signature_is_accepted(gpg):
    for options in (["--textmode"], ["--textmode", "--compress-algo", "none"]):
        assert verify((gpg.ring("first"),), gpg("-u", "first", *options, "--sign", data=content(DIGEST)))[1] == []


@pytest.mark.parametrize(
    ("options", "accepted"),
    [
        (["--digest-algo", "RIPEMD160"], False),
        (["--digest-algo", "SHA1"], True),
        (["--digest-algo", "SHA224"], True),
        (["--sig-policy-url", "https://example.com"], True),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_signature_with_what_the_cvo_does_not_know_is_refused(gpg, options, accepted):
    codes = verify((gpg.ring("first"),), gpg("-u", "first", *options, "--sign", data=content(DIGEST)))[1]
    assert codes == ([] if accepted else ["signature-not-accepted", FAILED])


def test_every_key_ring_has_to_sign(gpg):
    rings = (gpg.ring("first"), gpg.ring("second"))
    first, second = (gpg("-u", user, "--sign", data=content(DIGEST)) for user in ("first", "second"))
    result, codes = verify(rings, first)
    assert not result
    assert codes == ["signature-unknown-key", "not-verified"]
    result, codes = verify(rings, first, second)
    assert (bool(result), codes) == (True, [])
    assert [signer.user for signer in result] == ["first", "second"]


def test_a_later_signature_counts_if_the_first_ones_do_not(gpg):
    good = gpg("-u", "first", "--sign", data=content(DIGEST))
    result, codes = verify((gpg.ring("first"),), b"", b"<html>", gpg("--sign", "-u", "second", data=b"{}"), good)
    assert (bool(result), codes) == (True, [])
    assert result[0].source == "given-4"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--armor", "--sign"], "signature-not-binary"),
        (["--clearsign"], "signature-not-binary"),
        (["--detach-sign"], "signature-unreadable"),
        (["-u", "second", "--sign"], "signature-several"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_other_forms_are_refused(gpg, options, code):
    message = gpg("-u", "first", *options, data=content(DIGEST))
    assert verify((gpg.ring("first"),), message)[1] == [code, "not-verified"]


def test_a_signature_of_another_digest_is_refused(gpg):
    message = gpg("-u", "first", "--sign", data=content(f"sha256:{'c' * 64}"))
    result, codes = verify((gpg.ring("first"),), message)
    assert not result
    assert codes == ["signature-other-digest", "not-verified"]


def test_a_release_without_a_signature_has_its_own_reason(gpg):
    assert verify((gpg.ring("first"),))[1] == ["no-signature"]


def test_without_key_rings_nothing_is_verified(gpg):
    result, codes = verify((), gpg("-u", "first", "--sign", data=content(DIGEST)))
    assert not result
    assert codes == ["not-verified"]
