# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verifies sigstore signatures of images by the public key of an image policy.

CRI-O demands them of release images from 4.21 on. Source: containers/image:signature/policy_eval_sigstore.go,
containers/image:signature/internal/sigstore_payload.go
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from .._problems import Problems, missing_library, shown
from .._release_image.strict_json import check_fields, parse_strict_json
from .._release_image.verifier import CRITICAL_FIELDS
from .attachments import SIGNATURE_ANNOTATION, SigstoreSignature
from .identity import ImageName, accepts_identity
from .image_policy import ImagePolicy

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    SigstoreKey = rsa.RSAPublicKey | ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey

_TYPE = "cosign container image signature"
_FIELDS = {"critical": CRITICAL_FIELDS, "optional": (dict, type(None))}
_INT64 = 1 << 63
_PEM = re.compile(rb"-----BEGIN ([A-Z ]+)-----[^-]*-----END \1-----")


def verify_sigstore(
    where: str,
    image: ImageName,
    signatures: tuple[SigstoreSignature, ...],
    policies: tuple[ImagePolicy, ...],
    problems: Problems,
) -> bool:
    """Return whether ``signatures`` of ``image`` satisfy all ``policies``, and report why not.

    ``image`` has the name that the cluster uses, not that of a mirror. Its digest is what is verified.
    """
    # A list, so the reasons of every policy are reported.
    satisfied = [_satisfies(where, image, signatures, policy, problems) for policy in policies]
    return all(satisfied)


def _satisfies(
    where: str, image: ImageName, signatures: tuple[SigstoreSignature, ...], policy: ImagePolicy, problems: Problems
) -> bool:
    if policy.unsupported:
        problems.append(policy.unsupported)
        return False
    key = _load_key(policy, problems)
    if key is None:
        return False
    causes = Problems()
    if any(_is_accepted(where, image, signature, key, policy, causes) for signature in signatures):
        return True
    problems.extend(causes.unique())
    message = f"has no sigstore signature that satisfies {policy.name}"
    hint = "Mirror the image and its signature again from the original registry"
    problems.error("sigstore-not-verified", where, message, hint)
    return False


def _load_key(policy: ImagePolicy, problems: Problems) -> SigstoreKey | None:
    try:
        # Imported here, because few tasks verify sigstore signatures.
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    except ImportError:
        problems.append(missing_library("cryptography", policy.name))
        return None
    try:
        # As Go does, look for the first block that is whole.
        block = _PEM.search(policy.key)
        key = load_pem_public_key(block[0] if block else policy.key)
    except (ValueError, UnsupportedAlgorithm):
        problems.error("image-policy-key", policy.name, "has a keyData that is no public key in PEM", "Correct the key")
        return None
    if isinstance(key, (rsa.RSAPublicKey, ec.EllipticCurvePublicKey, ed25519.Ed25519PublicKey)):
        return key
    message = "has a key of a kind that sigstore does not use"
    problems.error("image-policy-key", policy.name, message, "Use a key of RSA, ECDSA or Ed25519")
    return None


def _is_accepted(
    where: str,
    image: ImageName,
    signature: SigstoreSignature,
    key: SigstoreKey,
    policy: ImagePolicy,
    problems: Problems,
) -> bool:
    if not _is_by_key(where, signature, key, policy, problems):
        return False
    try:
        document = parse_strict_json(signature.payload)
        check_fields(document, _FIELDS, required=True)
        _check_optional(document["optional"] or {})
    except ValueError as error:
        problems.error("sigstore-payload", where, f"the payload of the signature {error}", "Mirror the signature again")
        return False
    critical: dict[str, Any] = document["critical"]
    if critical["type"] != _TYPE:
        message = f"has a signature of the type {shown(critical['type'])}, expected {_TYPE!r}"
        problems.error("sigstore-payload", where, message)
        return False
    if (signed := critical["image"]["docker-manifest-digest"]) != image.digest:
        problems.error("sigstore-other-digest", where, f"has a signature of the image {signed}, not of {image.digest}")
        return False
    return accepts_identity(where, image, critical["identity"]["docker-reference"], policy.identity, problems)


def _is_by_key(
    where: str, signature: SigstoreSignature, key: SigstoreKey, policy: ImagePolicy, problems: Problems
) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        # Go ignores line breaks in base64.
        text = re.sub(r"[\r\n]", "", signature.annotations.get(SIGNATURE_ANNOTATION, ""))
        value = base64.b64decode(text, validate=True)
    except ValueError:
        value = b""
    if not value:
        problems.error("sigstore-annotation", where, f"has a layer without {SIGNATURE_ANNOTATION} in base64")
        return False
    try:
        _verify(key, value, signature.payload)
    except InvalidSignature:
        problems.error("sigstore-wrong-key", where, f"has a signature that is not by the key of {policy.name}")
        return False
    return True


def _verify(key: SigstoreKey, signature: bytes, payload: bytes) -> None:
    """Raise ``InvalidSignature``."""
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
    from cryptography.hazmat.primitives.hashes import SHA256

    if isinstance(key, rsa.RSAPublicKey):
        key.verify(signature, payload, padding.PKCS1v15(), SHA256())
    elif isinstance(key, ec.EllipticCurvePublicKey):
        key.verify(signature, payload, ec.ECDSA(SHA256()))
    else:
        key.verify(signature, payload)


def _check_optional(optional: dict[str, Any]) -> None:
    """Check the fields of ``optional`` that have a meaning; others are free. Raises ``ValueError`` with a reason."""
    creator, timestamp = optional.get("creator"), optional.get("timestamp")
    if creator is not None and not isinstance(creator, str):
        raise ValueError("has a wrong type in the field 'optional.creator'")
    if timestamp is None:
        return
    # As a float, because the largest integers are too large after the conversion.
    number = float(timestamp) if isinstance(timestamp, (int, float)) and not isinstance(timestamp, bool) else 0.5
    if not -_INT64 <= number < _INT64 or not number.is_integer():
        raise ValueError("has the field 'optional.timestamp' that is no integer")
