# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sigstore signatures that lie in the repository of their image, as the tag ``sha256-HEX.sig``.

Source: containers/image:docker/docker_image_src.go getSignaturesFromSigstoreAttachments
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from .._problems import Problems
from .._registry.pull_spec import is_digest
from .._release_image.signature_stores import key_prefix
from .._release_image.strict_json import parse_strict_json
from .._resources import mappings_in, nested

SIGNATURE_TYPE = "application/vnd.dev.cosign.simplesigning.v1+json"
SIGNATURE_ANNOTATION = "dev.cosignproject.cosign/signature"
LARGEST_PAYLOAD = 64 * 1024
_LARGEST_ATTACHMENT = 4 * 1024 * 1024
"""containers/image:internal/iolimits/iolimits.go MaxSignatureBodySize."""
_MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
_MOST_LAYERS = 64


class SigstoreSignature(NamedTuple):
    """A signature that is not verified yet: the signed ``payload`` and the annotations of its layer."""

    payload: bytes
    annotations: Mapping[str, str]


class Repository(Protocol):
    """A repository of a registry, or of a mirror. The client of the registry implements it."""

    def manifest_of_tag(self, tag: str) -> bytes | None:
        """The manifest with a tag; ``None`` if there is none. Reports other failures by an exception."""

    def blob(self, digest: str, size: int) -> bytes:
        """The blob with a digest, which is checked, and a size in bytes. Reports failures by an exception."""


def signature_tag(digest: str) -> str:
    """The tag of the signatures of an image."""
    return f"{key_prefix(digest, '-')}.sig"


def find_signatures(
    where: str, digest: str, repository: Repository, problems: Problems
) -> tuple[SigstoreSignature, ...] | None:
    """Return the sigstore signatures of an image; ``None`` after a reported problem. Exceptions pass through.

    Every layer of the tag must be readable, also those that are no signatures, as CRI-O demands.
    """
    place = f"{where}:{signature_tag(digest)}"
    manifest = repository.manifest_of_tag(signature_tag(digest))
    if manifest is None:
        message = f"has no tag {signature_tag(digest)} with the sigstore signature of the image"
        problems.error("no-sigstore-signature", where, message, "Mirror the tag as well")
        return None
    try:
        document = parse_strict_json(manifest)
    except ValueError as error:
        problems.error("sigstore-manifest", place, f"{error}, expected an image manifest", "Mirror the tag again")
        return None
    if (kind := document.get("mediaType", _MANIFEST_TYPE)) != _MANIFEST_TYPE:
        problems.error("sigstore-manifest", place, f"has the media type {kind}, expected {_MANIFEST_TYPE}")
        return None
    layers = list(mappings_in(document.get("layers")))
    if not any(map(_is_signature, layers)) or len(layers) > _MOST_LAYERS:
        message = f"has {len(layers)} layers, expected 1 to {_MOST_LAYERS} with a signature"
        problems.error("sigstore-manifest", place, message)
        return None
    signatures = []
    for layer in layers:
        signature = _read(place, layer, repository, problems)
        if signature is None:
            return None
        if _is_signature(layer):
            signatures.append(signature)
    return tuple(signatures)


def _is_signature(layer: Mapping[str, object]) -> bool:
    return layer.get("mediaType") == SIGNATURE_TYPE


def _read(
    place: str, layer: Mapping[str, object], repository: Repository, problems: Problems
) -> SigstoreSignature | None:
    digest, size, annotations = layer.get("digest"), layer.get("size"), nested(layer, "annotations")
    largest = LARGEST_PAYLOAD if _is_signature(layer) else _LARGEST_ATTACHMENT
    # A digest is a part of the URL of the blob.
    if not is_digest(digest) or not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= largest:
        message = "has a layer without a valid digest and size"
        problems.error("sigstore-manifest", place, message, "Mirror the tag again")
        return None
    payload = repository.blob(str(digest), size)
    texts = annotations.items() if isinstance(annotations, dict) else ()
    return SigstoreSignature(payload, {name: text for name, text in texts if isinstance(text, str)})
