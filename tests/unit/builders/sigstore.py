# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sigstore signatures, the images that hold them, and policies that demand them."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
SIGNATURE_LAYER = "application/vnd.dev.cosign.simplesigning.v1+json"


def payload(digest: str, identity: str) -> bytes:
    """Return what a sigstore signature of an image signs."""
    critical = {
        "type": "cosign container image signature",
        "image": {"docker-manifest-digest": digest},
        "identity": {"docker-reference": identity},
    }
    return json.dumps({"critical": critical, "optional": {"creator": "tests", "timestamp": 1}}).encode()


def sign(key: Any, data: bytes) -> str:
    """Sign with a private key, in base64."""
    if isinstance(key, rsa.RSAPrivateKey):
        signature = key.sign(data, padding.PKCS1v15(), hashes.SHA256())
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        signature = key.sign(data, ec.ECDSA(hashes.SHA256()))
    else:
        signature = key.sign(data)
    return base64.b64encode(signature).decode()


def attachment(signatures: Sequence[tuple[Any, bytes]]) -> tuple[bytes, list[bytes]]:
    """Return the manifest and the blobs of an image with signatures: pairs of a private key and a payload."""
    config = b"{}"
    layers = [
        _descriptor(data, SIGNATURE_LAYER) | {"annotations": {"dev.cosignproject.cosign/signature": sign(key, data)}}
        for key, data in signatures
    ]
    manifest = {
        "schemaVersion": 2,
        "mediaType": OCI_MANIFEST,
        "config": _descriptor(config, "application/vnd.oci.image.config.v1+json"),
        "layers": layers,
    }
    return json.dumps(manifest).encode(), [config, *(data for _key, data in signatures)]


def image_policy(
    key: Any,
    scopes: list[str],
    *,
    name: str = "openshift",
    identity: dict[str, Any] | None = None,
    policyType: str = "PublicKey",
    **public_key: str,
) -> dict[str, Any]:
    """Return a ClusterImagePolicy for a private key; ``public_key`` are other fields of ``publicKey``."""
    pem = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    data = {"keyData": base64.b64encode(pem).decode()} | public_key
    policy: dict[str, Any] = {"rootOfTrust": {"policyType": policyType, "publicKey": data}}
    if identity is not None:
        policy["signedIdentity"] = identity
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterImagePolicy",
        "metadata": {"name": name},
        "spec": {"scopes": scopes, "policy": policy},
    }


def _descriptor(data: bytes, media_type: str) -> dict[str, Any]:
    return {"mediaType": media_type, "size": len(data), "digest": f"sha256:{hashlib.sha256(data).hexdigest()}"}
