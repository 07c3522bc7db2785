# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Drift: whether another writer has changed an object since a rollout applied it, or while it did."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from .._kubernetes.client import FIELD_MANAGER
from .._problems import Problem, shown_names
from .._release.manifest import Manifest
from .._resources import applied_fields

REWRITTEN_FIELD = "rewritten-field"
"""Code of the warning. The next run applies the object again, and restores it if nothing rewrites it any more."""

_COMPARED = ("uid", "generation", "labels", "annotations", "ownerReferences", "finalizers", "deletionTimestamp")
_IGNORED = ("resourceVersion", "generation", "managedFields")


def is_untouched(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether an object has not changed between two versions of its metadata. Changes of its status do not count."""
    if before.get("resourceVersion") == after.get("resourceVersion"):
        return True
    # Without a generation, a change of the spec looks like a change of the status.
    if not after.get("generation") or any(before.get(field) != after.get(field) for field in _COMPARED):
        return False
    return owned_digest(before) == owned_digest(after) != ""


def without_server_fields(obj: Mapping[str, Any]) -> dict[str, Any]:
    """Copy ``obj`` without its status and the fields that change on every write. Owners of fields stay."""
    metadata = {field: value for field, value in obj["metadata"].items() if field not in _IGNORED}
    owners = [
        (entry.get("manager"), entry.get("operation"), entry.get("subresource"), entry.get("fieldsV1"))
        for entry in obj["metadata"].get("managedFields") or ()
        if entry.get("subresource") != "status"
    ]
    rest = {field: value for field, value in obj.items() if field not in ("metadata", "status")}
    return {**rest, "metadata": metadata, "owners": sorted(owners, key=str)}


def merged_preview(obj: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """Copy ``obj`` with the spec fields and annotations of ``body``, which is going to be applied."""
    metadata = dict(obj["metadata"])
    metadata["annotations"] = {**(metadata.get("annotations") or {}), **body["metadata"]["annotations"]}
    return {**obj, "metadata": metadata, "spec": {**obj["spec"], **body["spec"]}}


def owned_digest(metadata: Mapping[str, Any]) -> str:
    """A digest of the fields that rollouts applied and still own, empty if they own none."""
    fields = applied_fields(metadata, FIELD_MANAGER)
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:12] if fields else ""


def rewritten_problem(manifest: Manifest, fields: Sequence[str]) -> Problem:
    """Build the warning that ``fields`` of an applied object have other values in the answer of the API server.

    The rollout remains their owner, so the metadata of the object does not show it. Source: kubernetes/apiserver:
    pkg/endpoints/handlers/patch.go (mutating admission comes after server-side apply).
    """
    message = (
        f"{shown_names(fields)} of the object differ from the manifest as soon as it is applied, "
        "because a mutating webhook or policy rewrites them, so release_verify reports them"
    )
    hint = "Exclude the object from the webhook or policy, or add an override for it"
    return Problem("warning", REWRITTEN_FIELD, manifest.location, message, hint)
