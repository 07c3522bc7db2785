# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Verifies the OpenPGP signature of a release in the cache, as the CVO does before an update, and remembers the result.

Source: openshift/cluster-version-operator:pkg/cvo/updatepayload.go RetrievePayload
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from .._problems import Problem, Problems, ReleaseError
from .._release.loader import PLACEHOLDER_IMAGE, load_release
from .._release.release import Release
from .._signature.given import given_stores, read_given_key_rings
from .._signature.http_store import http_get
from .._signature.key_ring import KeyRing
from .._signature.stores import Store
from .._signature.verification_config import ANNOTATION, read_config
from .._signature.verifier import SignatureVerification, Verifier, verify_digest
from .._unstructured import Object
from .cache import CachedRelease
from .release_source import SignaturePolicy

_RECORD = "signature.json"


class RememberedSignature(NamedTuple):
    """The result of an earlier verification. ``policy`` identifies the key rings and stores that it is valid for."""

    policy: str
    verified: bool
    signed_by: tuple[str, ...]
    reason: str


def check_signature(
    name: str, cached: CachedRelease, policy: SignaturePolicy, ca_path: str | None, problems: Problems
) -> tuple[str, ...]:
    """Return who signed the release ``name``, empty if its signature is ignored or not valid.

    A signature that is required and not valid raises ``ReleaseError``. Otherwise, ``problems`` gets a warning. A valid
    signature is not verified again with the same key rings and stores. Neither is any other, unless it is required.
    """
    if policy.mode == "ignore":
        return ()
    identity = _identity(policy)
    remembered = _read(cached.directory)
    if remembered is not None and remembered.policy == identity:
        if remembered.verified:
            return remembered.signed_by
        if policy.mode == "warn":
            problems.append(_warning(name, remembered.reason))
            return ()
    found = Problems()
    verification = _verify(name, cached, policy, ca_path, found)
    signed_by = tuple(f"{signer.user} ({signer.fingerprint})" for signer in verification.signed_by)
    errors = [problem for problem in found.unique() if problem.severity == "error"]
    # The last one says what all of them result in.
    reason = str(errors[-1]) if errors else ""
    _write(cached.directory, RememberedSignature(identity, verification.verified, signed_by, reason))
    if verification.verified:
        return signed_by
    if policy.mode == "required":
        raise ReleaseError([problem._replace(hint=problem.hint or _HINT) for problem in errors])
    problems.append(_warning(name, reason))
    problems += [problem._replace(severity="info") for problem in errors[:-1]]
    return ()


_HINT = "Give signature_keys and signature_stores, or set signature to warn for a release that you trust"


def verification_manifests(release: Release) -> Iterator[tuple[str, Object]]:
    """Yield the place and the body of the manifests that can say how a release verifies others."""
    for manifest in release.manifests:
        if ANNOTATION in (manifest.annotations or {}):
            yield manifest.file, release.read_body(manifest)


def _verify(
    name: str, cached: CachedRelease, policy: SignaturePolicy, ca_path: str | None, problems: Problems
) -> SignatureVerification:
    try:
        get = http_get(ca_path)
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        problems.error("unreadable-file", f"ca_path ({ca_path})", message, "Check the path")
        return SignatureVerification(cached.image.digest, False, ())
    key_rings: tuple[KeyRing, ...] = read_given_key_rings("signature_keys", policy.keys, problems)
    stores: tuple[Store, ...] = given_stores("signature_stores", policy.stores, get, problems)
    if not problems.has_errors and not (key_rings and stores):
        release = load_release(cached.directory, release_image=PLACEHOLDER_IMAGE).release
        config = read_config(name, verification_manifests(release), problems)
        if config is not None:
            own = config.verifier(get)
            key_rings, stores = key_rings or own.key_rings, stores or own.stores
    if problems.has_errors:
        return SignatureVerification(cached.image.digest, False, ())
    return verify_digest(name, cached.image.digest, Verifier(key_rings, stores), problems)


def _warning(name: str, reason: str) -> Problem:
    message = f"its signature was not verified: {reason}"
    hint = "Set signature: required to accept only signed releases, or ignore if you trust this one"
    return Problem("warning", "signature-not-verified", name, message, hint)


def _identity(policy: SignaturePolicy) -> str:
    parts: list[object] = [json.dumps(list(policy.stores), default=str, sort_keys=True)]
    for path in policy.keys:
        with suppress(OSError), open(path, "rb") as file:
            parts.append(file.read())
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _read(directory: str) -> RememberedSignature | None:
    try:
        with open(os.path.join(directory, _RECORD), encoding="utf-8") as file:
            found = RememberedSignature(**json.load(file))
        return found._replace(signed_by=tuple(found.signed_by))
    except (OSError, ValueError, TypeError):
        return None


def _write(directory: str, remembered: RememberedSignature) -> None:
    # Without the record, the next task verifies again.
    with suppress(OSError):
        descriptor, temporary = tempfile.mkstemp(prefix=".part-", dir=directory)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(remembered._asdict(), file)
        os.replace(temporary, os.path.join(directory, _RECORD))
