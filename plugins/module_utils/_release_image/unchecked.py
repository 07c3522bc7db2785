# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Problems that prevented the check of a signature, so that a valid one can exist that was not found."""

from __future__ import annotations

UNCHECKED = frozenset(
    {
        "gpgv-missing",
        "image-policy-key",
        "image-policy-rekor",
        "image-policy-type",
        "invalid-certificate",
        "invalid-signature-store",
        "missing-library",
        "signature-not-checked",
        "signature-timeout",
        "store-status",
        "store-unreachable",
        "unknown-release-keys",
        "unreadable-file",
        "unreadable-key-ring",
        "unreadable-signature",
    }
)
"""Codes of problems. With one of them, the state of a signature is ``unknown``."""
