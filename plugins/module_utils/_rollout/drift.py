# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""An object of a cluster at two times: what of it says that somebody changed it, and what does not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .._kubernetes.client import FIELD_MANAGER
from .._unstructured import mappings_in, nested

_COMPARED = ("uid", "generation", "labels", "annotations", "ownerReferences", "finalizers", "deletionTimestamp")
_IGNORED = ("resourceVersion", "generation", "managedFields")


def is_untouched(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Tell by the metadata whether an object is as it was, its status aside, which others write meanwhile."""
    if before.get("resourceVersion") == after.get("resourceVersion"):
        return True
    # Only what has a generation tells its spec from its status.
    if not after.get("generation") or any(before.get(field) != after.get(field) for field in _COMPARED):
        return False
    return owned_digest(before, FIELD_MANAGER) == owned_digest(after, FIELD_MANAGER) != ""


def without_server_fields(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without what changes though nobody changed it; who owns which field stays."""
    metadata = {field: value for field, value in found["metadata"].items() if field not in _IGNORED}
    owners = [
        (entry.get("manager"), entry.get("operation"), entry.get("subresource"), entry.get("fieldsV1"))
        for entry in found["metadata"].get("managedFields") or ()
        if entry.get("subresource") != "status"
    ]
    rest = {field: value for field, value in found.items() if field not in ("metadata", "status")}
    return {**rest, "metadata": metadata, "owners": sorted(owners, key=str)}


def merged_preview(found: Mapping[str, Any], sending: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the fields of its spec, and the annotations, that are going to be sent."""
    metadata = dict(found["metadata"])
    metadata["annotations"] = {**(metadata.get("annotations") or {}), **sending["metadata"]["annotations"]}
    return {**found, "metadata": metadata, "spec": {**found["spec"], **sending["spec"]}}


def owned_digest(metadata: Mapping[str, Any], manager: str) -> str:
    """Return a digest of the fields that ``manager`` applied and still has; empty where it has none."""
    ours = _applied_by(metadata, manager)
    if ours is None:
        return ""
    text = json.dumps(ours.get("fieldsV1"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def only_written_by(metadata: Mapping[str, Any], manager: str) -> bool:
    """Tell whether nobody but ``manager`` wrote to an object, its status aside, since that applied to it last.

    In doubt, within the same second, it is not.
    """
    ours = _applied_by(metadata, manager)
    if ours is None:
        return False
    others = [item for item in _writers(metadata) if item is not ours and item.get("subresource") != "status"]
    return all(str(item.get("time")) < str(ours.get("time")) for item in others)


def _applied_by(metadata: Mapping[str, Any], manager: str) -> Mapping[str, Any] | None:
    wanted = manager, "Apply", ""
    return next(
        (
            item
            for item in _writers(metadata)
            if (item.get("manager"), item.get("operation"), item.get("subresource") or "") == wanted
        ),
        None,
    )


def _writers(metadata: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return mappings_in(nested(metadata, "managedFields"))
