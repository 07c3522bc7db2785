# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an OpenPGP signature of an image says: the atomic container signature.

Source: openshift/library-go:pkg/verify/verify.go verifyAtomicContainerSignature. Its JSON parser also takes repeated
fields, other cases of their names, and data after the value. No signature needs that, so it is rejected here.
"""

from __future__ import annotations

from .._problems import Problems, shown
from .strict_json import check_fields, parse_strict_json

_TYPE = "atomic container signature"
CRITICAL_FIELDS = {
    "type": str,
    "image": {"docker-manifest-digest": str},
    "identity": {"docker-reference": str},
}
"""The fields of ``critical`` with their types. Sigstore signatures have the same."""

_FIELDS = {"critical": CRITICAL_FIELDS, "optional": {"creator": str, "timestamp": int}}


def is_signature_of(where: str, content: bytes, digest: str, problems: Problems) -> bool:
    """Return whether the signed ``content`` is a signature of the image ``digest``."""
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
