# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which images a mirror has, on a model of registries. tests/registry/test_mirror_check.py has real ones."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.capability.openshift.plugins.module_utils._http.error import HttpError
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.attachments import signature_tag
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.check import (
    MirrorRequest,
    check_images,
)
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.image_policy import read_image_policies
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.reader import MirrorReader
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.row import ImageRow
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import PullSpec
from ansible_collections.capability.openshift.tests.unit.builders.images import (
    Image,
    digest_of,
    image,
    image_list,
    layer,
)
from ansible_collections.capability.openshift.tests.unit.builders.registries import Registries
from ansible_collections.capability.openshift.tests.unit.builders.sigstore import attachment, image_policy, payload

SOURCE, MIRROR, SECOND = "quay.io/ocp", "mirror.example/ocp", "second.example/ocp"
ONE, ARM = image([layer({"file": b"one"})]), image([layer({"file": b"arm"})], "arm64")
BOTH = image_list({"amd64": ONE, "arm64": ARM})
KEY, OTHER_KEY = (ec.generate_private_key(ec.SECP256R1()) for _number in range(2))
UNREAD = Problem("error", "unread", "", "cannot be read")


@pytest.fixture
def registries() -> Registries:
    return Registries()


def rows(
    registries: Registries,
    *images: Image,
    mirrors: tuple[str, ...] = (MIRROR,),
    architecture: str = "amd64",
    policies: Any = (),
    **more: Any,
) -> tuple[ImageRow, ...]:
    named = {
        f"image-{number}" if number else "release": PullSpec("quay.io", "ocp", None, found.digest)
        for number, found in enumerate(images)
    }
    read = read_image_policies([("policy", item) for item in policies], Problems())
    request = MirrorRequest(named, (read,) if read else (), requires_openpgp=True, **more)
    access = registries.access({SOURCE: mirrors} if mirrors else None)
    return check_images(request, MirrorReader(access, architecture))


def codes(row: ImageRow) -> list[str]:
    return [item.code for item in row.problems]


def signature(registries: Registries, digest: str, key: Any = KEY, identity: str = SOURCE) -> None:
    manifest, blobs = attachment([(key, payload(digest, f"{identity}:4.21.0"))])
    registries.store(MIRROR, "manifests", signature_tag(digest), manifest)
    for blob in blobs:
        registries.store(MIRROR, "blobs", digest_of(blob), blob)


def test_an_image_that_is_there_needs_nothing(registries: Registries) -> None:
    registries.push(MIRROR, ONE)
    registries.push(MIRROR, ARM)
    release, other = rows(registries, ONE, ARM)
    assert release[:6] == ("release", f"{SOURCE}@{ONE.digest}", MIRROR, True, "unknown", "not_required")
    assert other[:6] == ("image-1", f"{SOURCE}@{ARM.digest}", MIRROR, True, "not_required", "not_required")
    assert (release.ready, other.ready, other.problems, other.commands) == (False, True, (), ())
    assert not [request for request in registries.requests if not request.split(" ")[1].startswith("mirror.example")]


def test_an_image_that_is_not_there_has_the_command_that_copies_it(registries: Registries) -> None:
    (row,) = rows(registries, ONE)
    assert row[:6] == ("release", f"{SOURCE}@{ONE.digest}", MIRROR, False, "unknown", "not_required")
    assert [found.sigstore for found in rows(registries, ONE, policies=[image_policy(KEY, [SOURCE])])] == ["unknown"]
    assert codes(row) == ["image-not-found"]
    (command,) = row.commands
    assert ("--force" in command, f"{SOURCE}@{ONE.digest} {MIRROR}:" in command) == (False, True)


def test_the_commands_accept_the_certificates_that_the_check_accepts(registries: Registries) -> None:
    registries.insecure.add("mirror.example")
    registries.push(MIRROR, ONE)
    _release, unsigned, absent = rows(registries, ONE, ONE, ARM, policies=[image_policy(KEY, [SOURCE])])
    for row in (unsigned, absent):
        assert [command.startswith("oc image mirror --insecure=true ") for command in row.commands] == [True]


@pytest.mark.parametrize(("architecture", "ready"), [("amd64", True), ("arm64", False), ("multi", False)])
def test_a_list_needs_the_images_that_nodes_pull(registries: Registries, architecture: str, ready: bool) -> None:
    registries.push(MIRROR, BOTH)
    del registries.answers[f"mirror.example/v2/ocp/manifests/{ARM.digest}"]
    (row,) = rows(registries, BOTH, architecture=architecture)
    assert row.in_mirror == ready


def test_the_next_mirror_is_asked_and_a_registry_that_is_down_only_once(registries: Registries) -> None:
    registries.push(SECOND, ONE)
    registries.down.add("mirror.example")
    first, second = rows(registries, ONE, ARM, mirrors=(MIRROR, SECOND))
    assert (first.mirror, first.in_mirror, first.problems) == (SECOND, True, ())
    assert (second.in_mirror, second.mirror, codes(second)) == (
        None,
        SECOND,
        ["registry-unreachable", "image-not-found"],
    )
    assert f" {SECOND}:" in second.commands[0]
    assert len([request for request in registries.requests if "mirror.example" in request]) == 1
    registries.down.add("second.example")
    (third,) = rows(registries, ARM, mirrors=(MIRROR, SECOND))
    assert (codes(third), third.commands) == (["registry-unreachable"] * 2, ())


def test_a_registry_that_was_not_asked_leaves_open_what_it_has(registries: Registries, monkeypatch: Any) -> None:
    def request(*_given: Any, **_more: Any) -> None:
        raise HttpError("invalid-proxy", "the variable HTTPS_PROXY is not valid", "Correct it")

    monkeypatch.setattr(registries, "request", request)
    (row,) = rows(registries, ONE)
    assert (row.in_mirror, codes(row)) == (None, ["invalid-proxy"])


def test_a_repository_without_a_mirror_is_named(registries: Registries) -> None:
    (row,) = rows(registries, ONE, mirrors=())
    assert (row.in_mirror, row.mirror, codes(row), row.commands) == (False, "", ["no-mirror"], ())
    assert registries.requests == []


@pytest.mark.parametrize(
    ("signed_by", "identity", "state", "code"),
    [
        (KEY, SOURCE, "verified", ""),
        (None, SOURCE, "missing", "no-sigstore-signature"),
        (OTHER_KEY, SOURCE, "invalid", "sigstore-not-verified"),
        (KEY, MIRROR, "invalid", "sigstore-not-verified"),
    ],
)
def test_a_policy_demands_a_signature_in_the_mirror(
    registries: Registries, signed_by: Any, identity: str, state: str, code: str
) -> None:
    registries.push(MIRROR, ONE)
    if signed_by:
        signature(registries, ONE.digest, signed_by, identity)
    _release, row = rows(registries, ONE, ONE, policies=[image_policy(KEY, [SOURCE])])
    assert (row.in_mirror, row.sigstore, row.ready) == (True, state, state == "verified")
    assert (code in codes(row)) == bool(code)
    tag = signature_tag(ONE.digest)
    expected = () if state == "verified" else (f"oc image mirror --force {SOURCE}:{tag} {MIRROR}:{tag}",)
    assert row.commands == expected


def test_the_images_of_a_list_are_signed(registries: Registries) -> None:
    registries.push(MIRROR, BOTH)
    signature(registries, BOTH.digest)
    signature(registries, ONE.digest)
    policies = [image_policy(KEY, [SOURCE])]
    _release, amd64 = rows(registries, BOTH, BOTH, policies=policies)
    _release, every = rows(registries, BOTH, BOTH, policies=policies, architecture="multi")
    assert (amd64.sigstore, every.sigstore) == ("verified", "missing")
    assert [signature_tag(ARM.digest) in command for command in every.commands] == [True]


def test_what_cannot_be_evaluated_is_unknown(registries: Registries) -> None:
    registries.push(MIRROR, ONE)
    signature(registries, ONE.digest)
    _release, row = rows(registries, ONE, ONE, policies=[image_policy(KEY, [SOURCE], policyType="FulcioCA")])
    assert (row.sigstore, codes(row)) == ("unknown", ["image-policy-type"])
    _release, unread = rows(registries, ONE, ONE, policies=[image_policy(KEY, [SOURCE], keyData="LS0t")])
    assert (unread.sigstore, codes(unread), unread.commands) == ("unknown", ["image-policy-key"], ())
    _release, other = rows(registries, ONE, ONE, policies=[image_policy(KEY, ["quay.io/else"])])
    assert (other.sigstore, other.ready) == ("not_required", True)
    _release, unread = rows(registries, ONE, ONE, unread=(UNREAD,))
    assert (unread.sigstore, codes(unread), unread.ready) == ("unknown", ["unread"], False)
    blobs = [path for path in registries.answers if digest_of(payload(ONE.digest, f"{SOURCE}:4.21.0")) in path]
    del registries.answers[blobs[0]]
    _release, damaged = rows(registries, ONE, ONE, policies=[image_policy(KEY, [SOURCE])])
    assert (damaged.sigstore, codes(damaged), len(damaged.commands)) == ("invalid", ["image-not-found"], 1)
    registries.answers[f"mirror.example/v2/ocp/manifests/{signature_tag(ONE.digest)}"] = 500, b""
    _release, broken = rows(registries, ONE, ONE, policies=[image_policy(KEY, [SOURCE])])
    assert (broken.sigstore, codes(broken)) == ("unknown", ["registry-error"])
