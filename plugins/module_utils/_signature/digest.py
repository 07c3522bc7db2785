# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Digests of images, and where stores keep the signatures for a digest."""

from __future__ import annotations

import re

from .._problems import Problems, shown

_DIGEST = re.compile(r"[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+")


def check_digest(where: str, digest: str, problems: Problems) -> bool:
    """Return whether ``digest`` can be verified (openshift/library-go:pkg/verify/verify.go validReleaseDigest)."""
    if not digest:
        problems.error(
            "no-digest",
            where,
            "has no digest, expected NAME@sha256:...",
            "Use a pull spec with the digest of the image",
        )
        return False
    if not _DIGEST.fullmatch(digest):
        problems.error("invalid-digest", where, f"has the digest {shown(digest)}, expected ALGORITHM:HEX", "Correct it")
        return False
    return True


def key_prefix(digest: str, separator: str) -> str:
    """Write ``sha256:HEX`` as stores do: ``sha256=HEX`` in URLs and folders, ``sha256-HEX`` in ConfigMaps and tags."""
    algorithm, _colon, value = digest.partition(":")
    return f"{algorithm}{separator}{value}"
