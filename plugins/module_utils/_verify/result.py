# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Converts a verification to the result of the module ``release_verify``."""

from __future__ import annotations

from typing import Any

from .._cluster.spec_change import status_dict
from .._problems import has_errors
from .._release.manifest import manifest_dict
from .verify import Verification

_MOST_FIELDS = 20


def verification_dict(verification: Verification) -> dict[str, Any]:
    """Convert a verification to the result of the module."""
    different = [item for item in verification.checked if item.fields]
    unready = [(item.manifest, item.readiness) for item in verification.checked if item.readiness]
    return {
        "differences": _differences(verification, len(different), len(unready)),
        "changed": False,
        "verified": verification.verified,
        "missing": [{**manifest_dict(item.manifest), "reason": item.reason} for item in verification.missing],
        "unexpected": [
            {
                **item.resource._asdict(),
                "file": item.manifest.file if item.manifest else "",
                "capabilities": list(item.capabilities),
                "reasons": [reason._asdict() for reason in item.reasons],
            }
            for item in verification.unexpected
        ],
        "different": [
            {
                **manifest_dict(item.manifest),
                "fields": [field._asdict() for field in item.fields[:_MOST_FIELDS]],
                "more_fields": max(0, len(item.fields) - _MOST_FIELDS),
            }
            for item in different
        ],
        "unready": [
            {**manifest_dict(manifest), "state": readiness.state, "message": readiness.message}
            for manifest, readiness in unready
        ],
        "capability_status": status_dict(verification.status),
    }


def _differences(verification: Verification, different: int, unready: int) -> list[str]:
    """What keeps a cluster from being as its release describes.

    What an earlier rollout left does not: no CVO deletes it.
    """
    unexpected = [item for item in verification.unexpected if not item.needs_label]
    counts = {
        "missing": len(verification.missing),
        "different": different,
        "unready": unready,
        "unexpected": len(unexpected),
    }
    failed = has_errors(verification.problems)
    return [
        *(f"{count} {name}" for name, count in counts.items() if count),
        *(["some resources could not be checked"] if failed else []),
    ]
