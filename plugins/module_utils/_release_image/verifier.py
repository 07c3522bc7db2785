# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verifies a release by its OpenPGP signatures, with the key rings of another release.

Source: openshift/library-go:pkg/verify/verify.go
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from .._problems import Problems, shown
from .gpgv import KeyRing, find_gpgv, read_signed_message
from .opened_release import Signer
from .signature_stores import Found, FoundSignature, Store
from .strict_json import check_fields, parse_strict_json
from .unchecked import UNCHECKED

_TYPE = "atomic container signature"
CRITICAL_FIELDS = {
    "type": str,
    "image": {"docker-manifest-digest": str},
    "identity": {"docker-reference": str},
}
"""The fields of ``critical`` with their types. Sigstore signatures have the same."""
_FIELDS = {"critical": CRITICAL_FIELDS, "optional": {"creator": str, "timestamp": int}}


class Verifier(NamedTuple):
    """A key of each of ``key_rings`` must sign. ``stores`` are asked one after the other.

    Only keys whose fingerprints are in ``trusted`` count, ``None`` for all: anyone can sign a release with a key that
    it contains itself.
    """

    key_rings: tuple[KeyRing, ...]
    stores: tuple[Store, ...]
    trusted: Collection[str] | None = None


def verify_digest(where: str, digest: str, verifier: Verifier, problems: Problems) -> tuple[Signer, ...]:
    """Return who signed ``digest`` if every key ring did. Otherwise empty, and all reasons are reported as errors.

    ``where`` names the image in messages. What goes wrong with one signature is no problem if another one is valid.
    """
    program = find_gpgv(problems)
    if program is None:
        return ()
    causes = Problems()
    remaining = {ring.name: ring for ring in verifier.key_rings}
    signed_by: list[Signer] = []
    found_any = False
    for found in _search(digest, verifier.stores, causes):
        found_any = True
        for ring in tuple(remaining.values()):
            signer = _verify_one(found, ring, verifier, digest, program, causes)
            if signer:
                signed_by.append(signer)
                del remaining[ring.name]
        if not remaining:
            break
    if remaining or not signed_by:
        problems.extend(causes.unique())
        _report(where, digest, verifier, remaining, causes, problems, found_any=found_any)
        return ()
    return tuple(signed_by)


def _search(digest: str, stores: tuple[Store, ...], problems: Problems) -> Found:
    for store in stores:
        yield from store.signatures(digest, problems)


def _verify_one(
    found: FoundSignature, ring: KeyRing, verifier: Verifier, digest: str, program: str, problems: Problems
) -> Signer | None:
    message = read_signed_message(found.source, found.data, ring, program, problems)
    if message is None or not is_signature_of(found.source, message.content, digest, problems):
        return None
    key, primary_key, user = message.signer
    # The key itself, not its primary key: a ring can claim that any key is a subkey of another.
    if verifier.trusted is not None and key not in verifier.trusted:
        text = f"is signed by the key {key} of the release itself, which is not a known key of Red Hat"
        hint = "Set signature_keys to the key rings that you trust"
        problems.error("unknown-release-keys", found.source, text, hint)
        return None
    return Signer(ring.name, primary_key, user, found.source)


def _report(
    where: str,
    digest: str,
    verifier: Verifier,
    remaining: dict[str, KeyRing],
    causes: Problems,
    problems: Problems,
    *,
    found_any: bool,
) -> None:
    if not found_any:
        stores = "; ".join(store.name for store in verifier.stores) or "no store"
        hint = "Set signature_stores to a place that has one"
        problems.error("no-signature", where, f"no signature of {digest} was found in: {stores}", hint)
        return
    names = ", ".join(remaining) or "no key ring is given"
    # A signature that could not be checked, such as of OKD with its own keys, says nothing against the release.
    hint = "Do not use this release" if UNCHECKED.isdisjoint(cause.code for cause in causes) else ""
    problems.error("not-verified", where, f"has no valid signature of {digest} by: {names}", hint)


def is_signature_of(where: str, content: bytes, digest: str, problems: Problems) -> bool:
    """Return whether the signed ``content`` is a signature of the image ``digest``.

    Source: openshift/library-go:pkg/verify/verify.go verifyAtomicContainerSignature. Its JSON parser also takes
    repeated fields, other cases of their names, and data after the value. No signature needs that.
    """
    try:
        document = parse_strict_json(content)
        check_fields(document, _FIELDS, required=False)
    except ValueError as error:
        problems.error("signature-json", where, f"the signed content {error}, expected an atomic container signature")
        return False
    critical = document.get("critical") or {}
    if critical.get("type") != _TYPE:
        problems.error("signature-type", where, f"has the type {shown(critical.get('type'))}, expected {_TYPE!r}")
    elif not (critical.get("identity") or {}).get("docker-reference"):
        problems.error("signature-identity", where, "has no docker-reference, expected the name of the image")
    elif (signed := (critical.get("image") or {}).get("docker-manifest-digest")) != digest:
        problems.error(
            "signature-other-digest", where, f"is a signature of the image {signed}, expected one of {digest}"
        )
    else:
        return True
    return False
