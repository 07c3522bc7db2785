# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sigstore signatures and the policies that demand them."""

from __future__ import annotations

import base64
import builtins
import hashlib
import json

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, padding, rsa

from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.attachments import (
    SigstoreSignature,
    find_signatures,
    signature_tag,
)
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.identity import parse_image_name
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.image_policy import (
    ImagePolicy,
    policies_of,
    read_image_policies,
)
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.sigstore import verify_sigstore
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.unit.builders.sigstore import (
    attachment,
    image_policy,
    payload,
    sign,
)

DIGEST = f"sha256:{'a' * 64}"
RELEASE = "quay.io/openshift-release-dev/ocp-release"
IDENTITY = f"{RELEASE}:4.21.0-x86_64"
IMAGE = parse_image_name(f"{RELEASE}@{DIGEST}")
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
P256 = ec.generate_private_key(ec.SECP256R1())
KEYS = [RSA, P256, ec.generate_private_key(ec.SECP384R1()), ed25519.Ed25519PrivateKey.generate()]


def policies(*manifests: dict) -> tuple[ImagePolicy, ...]:
    problems = Problems()
    found = read_image_policies([("policy.yaml", manifest) for manifest in manifests], problems)
    assert problems == []
    return found


def verify(signatures: list[SigstoreSignature], *manifests: dict) -> tuple[bool, list[str]]:
    assert IMAGE
    problems = Problems()
    result = verify_sigstore("mirror", IMAGE, tuple(signatures), policies(*manifests), problems)
    assert all(problem.hint for problem in problems if problem.code == "sigstore-not-verified")
    return result, [problem.code for problem in problems]


def signed(key, data: bytes) -> SigstoreSignature:
    return SigstoreSignature(data, {"dev.cosignproject.cosign/signature": sign(key, data)})


@pytest.mark.parametrize("key", KEYS, ids=lambda key: type(key).__name__)
def test_a_signature_by_the_key_of_the_policy(key):
    assert verify([signed(key, payload(DIGEST, IDENTITY))], image_policy(key, [RELEASE])) == (True, [])


def test_one_good_signature_of_several_is_enough():
    bad, good = (signed(key, payload(DIGEST, IDENTITY)) for key in (P256, RSA))
    assert verify([bad, good], image_policy(RSA, [RELEASE])) == (True, [])


def test_every_policy_has_to_be_satisfied():
    one, two = image_policy(RSA, [RELEASE], name="one"), image_policy(P256, [RELEASE], name="two")
    signature = signed(RSA, payload(DIGEST, IDENTITY))
    assert verify([signature], one, two) == (False, ["sigstore-wrong-key", "sigstore-not-verified"])
    assert verify([signature, signed(P256, payload(DIGEST, IDENTITY))], one, two) == (True, [])


def test_texts_are_read_as_go_reads_them():
    """With line breaks in base64, and a block in PEM behind one that is damaged."""
    signature = signed(RSA, payload(DIGEST, IDENTITY))
    (name, text), *_others = signature.annotations.items()
    broken = signature._replace(annotations={name: f"{text[:40]}\r\n{text[40:]}"})
    policy = image_policy(RSA, [RELEASE])
    public_key = policy["spec"]["policy"]["rootOfTrust"]["publicKey"]
    pem = base64.b64decode(public_key["keyData"])
    public_key["keyData"] = base64.b64encode(pem[:50] + b"\n" + pem).decode()
    assert verify([broken], policy) == (True, [])


def changed(**fields: object) -> bytes:
    return json.dumps(json.loads(payload(DIGEST, IDENTITY)) | fields).encode()


GOOD = payload(DIGEST, IDENTITY)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (payload(f"sha256:{'b' * 64}", IDENTITY), "sigstore-other-digest"),
        (payload(DIGEST, RELEASE), "sigstore-identity"),
        (payload(DIGEST, "mirror.example.com/ocp-release:4.21.0"), "sigstore-identity"),
        (GOOD.replace(b"cosign", b"atomic"), "sigstore-payload"),
        (GOOD.replace(b'"critical"', b'"Critical"'), "sigstore-payload"),
        (GOOD + b"x", "sigstore-payload"),
        (b"[]", "sigstore-payload"),
        (changed(more=1), "sigstore-payload"),
        (changed(optional=[]), "sigstore-payload"),
        (changed(critical={"type": "cosign container image signature"}), "sigstore-payload"),
    ],
)
def test_the_payload_has_to_be_of_this_image(data, code):
    assert verify([signed(RSA, data)], image_policy(RSA, [RELEASE])) == (False, [code, "sigstore-not-verified"])


WRONG_OPTIONAL: list[dict[str, object]] = [
    {"creator": 1},
    {"creator": ["tests"]},
    {"timestamp": "1"},
    {"timestamp": True},
    {"timestamp": 1.5},
    {"timestamp": 1e300},
    {"timestamp": {}},
]


@pytest.mark.parametrize("optional", WRONG_OPTIONAL, ids=str)
def test_two_optional_fields_have_a_type(optional):
    data = changed(optional=optional)
    code = "sigstore-payload"
    assert verify([signed(RSA, data)], image_policy(RSA, [RELEASE])) == (False, [code, "sigstore-not-verified"])


@pytest.mark.parametrize(
    "data",
    [
        changed(optional=None),
        changed(optional={"user": 1}),
        changed(optional={"creator": None, "timestamp": None}),
        changed(optional={"timestamp": 1.0}),
    ],
)
def test_optional_fields_are_free(data):
    assert verify([signed(RSA, data)], image_policy(RSA, [RELEASE])) == (True, [])


def test_changed_and_incomplete_signatures_are_refused():
    good = signed(RSA, GOOD)
    policy = image_policy(RSA, [RELEASE])
    assert verify([good._replace(payload=GOOD + b" ")], policy)[1][0] == "sigstore-wrong-key"
    for text in ({}, {"dev.cosignproject.cosign/signature": "!"}, {"dev.cosignproject.cosign/signature": "é"}):
        assert verify([good._replace(annotations=text)], policy)[1][0] == "sigstore-annotation"
    assert verify([signed(P256, GOOD)], policy)[1][0] == "sigstore-wrong-key"
    assert verify([], policy) == (False, ["sigstore-not-verified"])


def test_policies_that_cannot_be_verified_are_named():
    strange = dsa.generate_private_key(key_size=1024)
    good = [signed(RSA, GOOD)]
    assert verify(good, image_policy(strange, [RELEASE]))[1] == ["image-policy-key"]
    assert verify(good, image_policy(RSA, [RELEASE], rekorKeyData="LS0t"))[1] == ["image-policy-rekor"]
    assert verify(good, image_policy(RSA, [RELEASE], policyType="FulcioCAWithRekor"))[1] == ["image-policy-type"]
    assert verify(good, image_policy(RSA, [RELEASE], keyData="LS0t"))[1] == ["image-policy-key"]


@pytest.mark.parametrize(
    ("manifest", "code"),
    [
        (image_policy(RSA, [], keyData="!"), "image-policy-key"),
        (image_policy(RSA, [], identity={"matchPolicy": "Any"}), "image-policy-match"),
    ],
)
def test_wrong_policies_are_reported(manifest, code):
    problems = Problems()
    assert read_image_policies([("policy.yaml", manifest)], problems) == ()
    (problem,) = problems
    assert (problem.code, str(problem.where)) == (code, "policy.yaml: ClusterImagePolicy openshift")


def test_other_manifests_are_no_policies():
    assert policies({"kind": "ImagePolicy"}, image_policy(RSA, []) | {"apiVersion": "v1"}) == ()


def test_the_longest_scope_counts():
    found = policies(
        image_policy(RSA, ["quay.io"], name="host"),
        image_policy(RSA, ["quay.io/openshift-release-dev", RELEASE], name="repository"),
        image_policy(P256, [RELEASE], name="same repository"),
        image_policy(RSA, ["*.io", "other.example.com"], name="wildcard"),
        image_policy(RSA, [f"{RELEASE}@sha256:{'b' * 64}"], name="other image"),
    )

    def names(text: str) -> list[str]:
        image = parse_image_name(text)
        assert image
        return [policy.name.rpartition("ClusterImagePolicy ")[2] for policy in policies_of(image, found)]

    assert names(f"{RELEASE}@{DIGEST}") == ["repository", "same repository"]
    assert names(f"{RELEASE}@sha256:{'b' * 64}") == ["other image"]
    assert names(f"quay.io/openshift-release-dev/x@{DIGEST}") == ["repository"]
    assert names(f"quay.io/x@{DIGEST}") == ["host"]
    assert names(f"sub.other.io:5000/x@{DIGEST}") == ["wildcard"]
    assert names(f"example.com/x@{DIGEST}") == []


def test_a_missing_library_is_named(monkeypatch):
    def refuse(name, *arguments):
        if name.startswith("cryptography"):
            raise ImportError(name)
        return original(name, *arguments)

    original = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", refuse)
    problems = Problems()
    assert IMAGE
    verify_sigstore("mirror", IMAGE, (signed_before,), policies(policy_before), problems)
    assert [problem.code for problem in problems] == ["missing-library"]


signed_before, policy_before = signed(RSA, GOOD), image_policy(RSA, [RELEASE])


class InMemory:
    """A repository with the tags and blobs that a test gives it."""

    def __init__(self, manifest: bytes | None, *blobs: bytes) -> None:
        self._manifest = manifest
        self._blobs = {f"sha256:{hashlib.sha256(data).hexdigest()}": data for data in blobs}

    def manifest_of_tag(self, tag: str) -> bytes | None:
        assert tag == f"sha256-{'a' * 64}.sig" == signature_tag(DIGEST)
        return self._manifest

    def blob(self, digest: str, size: int) -> bytes:
        return self._blobs[digest]


def found_in(manifest: bytes | None, *blobs: bytes) -> tuple[list[bytes] | None, list[str]]:
    problems = Problems()
    found = find_signatures("mirror", DIGEST, InMemory(manifest, *blobs), problems)
    return None if found is None else [item.payload for item in found], [problem.code for problem in problems]


def test_signatures_lie_in_the_layers_of_a_tag():
    manifest, blobs = attachment([(RSA, GOOD), (P256, GOOD + b" ")])
    assert found_in(manifest, *blobs) == ([GOOD, GOOD + b" "], [])
    assert found_in(None) == (None, ["no-sigstore-signature"])


def test_layers_that_are_no_signatures_must_be_readable():
    manifest, blobs = attachment([(RSA, GOOD), (RSA, b"attestation")])
    document = json.loads(manifest)
    document["layers"][1]["mediaType"] = "application/vnd.in-toto+json"
    manifest = json.dumps(document).encode()
    assert found_in(manifest, *blobs) == ([GOOD], [])
    with pytest.raises(KeyError):
        found_in(manifest, *blobs[:-1])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"digest": "sha256:', b'"digest": "../sha256:'),
        (b'"digest": "sha256:', b'"other": "sha256:'),
        (b'"size": ', b'"size": 10000000'),
        (b'"size": ', b'"size": -'),
        (b'"size": ', b'"other": '),
    ],
)
def test_layers_without_a_digest_and_a_size_are_reported(old, new):
    manifest, blobs = attachment([(RSA, GOOD)])
    assert found_in(manifest.replace(old, new), *blobs) == (None, ["sigstore-manifest"])


@pytest.mark.parametrize(
    "manifest",
    [
        b"<html>",
        b"{}",
        json.dumps({"mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []}).encode(),
        attachment([(RSA, GOOD)])[0].replace(b"simplesigning", b"attestation"),
        attachment([(RSA, GOOD)] * 65)[0],
    ],
)
def test_a_tag_with_something_else_is_reported(manifest):
    assert found_in(manifest) == (None, ["sigstore-manifest"])


def test_builders_sign_as_cosign_does():
    signature = base64.b64decode(sign(RSA, GOOD))
    RSA.public_key().verify(signature, GOOD, padding.PKCS1v15(), hashes.SHA256())
    assert serialization.load_pem_public_key(
        base64.b64decode(image_policy(RSA, [])["spec"]["policy"]["rootOfTrust"]["publicKey"]["keyData"])
    )
