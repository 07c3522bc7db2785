# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""ClusterImagePolicies: which images need a sigstore signature, and by which key.

Source: openshift/api:config/v1/types_cluster_image_policy.go; containers/image:docs/containers-policy.json.5.md
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .._problems import Problem, Problems, shown
from .._resources import Object, as_list, nested
from .identity import (
    EXACT_REPOSITORY,
    MATCH_DIGEST_OR_EXACT,
    MATCH_REPOSITORY,
    REMAP_IDENTITY,
    ImageName,
    SignedIdentity,
)

GROUP, KIND = "config.openshift.io", "ClusterImagePolicy"
_MATCH_POLICIES = (MATCH_DIGEST_OR_EXACT, MATCH_REPOSITORY, EXACT_REPOSITORY, REMAP_IDENTITY)
_PUBLIC_KEY = "PublicKey"


class ImagePolicy(NamedTuple):
    """``key`` is the public key in PEM. ``unsupported``: why the policy cannot be evaluated here."""

    name: str
    scopes: tuple[str, ...]
    key: bytes
    unsupported: Problem | None
    identity: SignedIdentity


def read_image_policies(manifests: Iterable[tuple[str, Object]], problems: Problems) -> tuple[ImagePolicy, ...]:
    """Read the ClusterImagePolicies among ``manifests``, which are pairs of a place and an object."""
    policies = (
        _read_policy(where, manifest, problems)
        for where, manifest in manifests
        if nested(manifest, "kind") == KIND and str(nested(manifest, "apiVersion")).startswith(f"{GROUP}/")
    )
    return tuple(policy for policy in policies if policy)


def policies_of(image: ImageName, policies: Iterable[ImagePolicy]) -> tuple[ImagePolicy, ...]:
    """Return the policies for ``image``: all that have its longest scope. Each of them must be satisfied."""
    scopes = {scope: index for index, scope in enumerate(_scopes(image))}
    ranked = [
        (min((scopes[scope] for scope in policy.scopes if scope in scopes), default=None), policy)
        for policy in policies
    ]
    best = min((rank for rank, _item in ranked if rank is not None), default=None)
    return tuple(policy for rank, policy in ranked if rank is not None and rank == best)


def _scopes(image: ImageName) -> Iterator[str]:
    """The scopes that contain an image, the longest first."""
    yield str(image)
    name = image.repository
    while name:
        yield name
        name = name.rpartition("/")[0]
    host = image.repository.partition("/")[0].partition(":")[0]
    while "." in host:
        host = host.partition(".")[2]
        yield f"*.{host}"


def _read_policy(where: str, manifest: Object, problems: Problems) -> ImagePolicy | None:
    name = f"{where}: {KIND} {nested(manifest, 'metadata', 'name')}"
    spec = nested(manifest, "spec")
    root = nested(spec, "policy", "rootOfTrust")
    unsupported = _unsupported(name, root)
    key = b"" if unsupported else _key(name, nested(root, "publicKey", "keyData"), problems)
    identity = _identity(name, nested(spec, "policy", "signedIdentity"), problems)
    scopes = nested(spec, "scopes")
    if key is None or identity is None:
        return None
    return ImagePolicy(name, tuple(map(str, as_list(scopes))), key, unsupported, identity)


def _unsupported(where: str, root: object) -> Problem | None:
    hint = "Verify these images with `podman pull`"
    kind = nested(root, "policyType")
    if kind != _PUBLIC_KEY:
        message = f"has the policyType {shown(kind)}, and only {_PUBLIC_KEY} can be verified here"
        return Problem("error", "image-policy-type", where, message, hint)
    if nested(root, "publicKey", "rekorKeyData") is not None:
        message = "needs an entry of a transparency log (rekorKeyData), which cannot be verified here"
        return Problem("error", "image-policy-rekor", where, message, hint)
    return None


def _key(where: str, data: object, problems: Problems) -> bytes | None:
    try:
        return base64.b64decode(str(data), validate=True)
    except binascii.Error:
        problems.error("image-policy-key", where, "has a keyData that is not base64", "Encode the PEM file in base64")
        return None


def _identity(where: str, value: object, problems: Problems) -> SignedIdentity | None:
    policy = nested(value, "matchPolicy") or MATCH_DIGEST_OR_EXACT
    if policy not in _MATCH_POLICIES:
        names = ", ".join(_MATCH_POLICIES)
        problems.error("image-policy-match", where, f"has the matchPolicy {shown(policy)}", f"Use one of: {names}")
        return None
    return SignedIdentity(
        policy,
        nested(value, "exactRepository", "repository") or "",
        nested(value, "remapIdentity", "prefix") or "",
        nested(value, "remapIdentity", "signedPrefix") or "",
    )
