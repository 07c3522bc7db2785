# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Converts decisions and changes of files to the result and the diff of the module ``release_manifests``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

from .._capability.inclusion import Inclusion
from .._contents.images import ImageLists
from .._module.result import diff_entry
from .._release.credentials_requests import RequestedCredentials
from .._release.manifest import manifest_dict
from .destination import INVENTORY, DestinationPlan

_SECRET = re.compile(rb"kind.{0,40}Secret", re.DOTALL)


def destination_diff(plan: DestinationPlan) -> list[dict[str, str]]:
    """Return the entries of Ansible's ``diff`` for ``plan``, empty if nothing changes."""
    added = {name for name, (before, _after) in plan.written.items() if before is None}
    diff: list[dict[str, str]] = []
    if added or plan.removed:
        kept = set(plan.files) - added
        diff.append(diff_entry(f"{plan.dest} (files)", _lines(kept | set(plan.removed)), _lines(plan.files)))
    for name, (before, after) in plan.written.items():
        if before is None:
            continue
        # The old content was not parsed, so mask too much rather than too little.
        if name in plan.secrets or _SECRET.search(before):
            diff.append(diff_entry(f"{plan.dest}/{name}", _hidden(before), _hidden(after)))
        else:
            diff.append(
                diff_entry(f"{plan.dest}/{name}", before.decode(errors="replace"), after.decode(errors="replace"))
            )
    if plan.inventory_changes and not diff:
        diff.append(diff_entry(f"{plan.dest}/{INVENTORY}", "", _lines(plan.owned)))
    return diff


def _lines(names: Iterable[str]) -> str:
    return "".join(f"{name}\n" for name in sorted(names))


def _hidden(data: bytes) -> str:
    return f"(contains a Secret, not shown; sha256 {hashlib.sha256(data).hexdigest()})\n"


def decision_dict(inclusion: Inclusion) -> dict[str, Any]:
    """Convert a decision to an entry of ``decisions``."""
    manifest = inclusion.manifest
    return {
        **manifest_dict(manifest),
        "included": inclusion.included,
        "deletes": manifest.deletes,
        "reasons": [{"rule": reason.rule, "message": reason.message} for reason in inclusion.reasons],
    }


def credentials_request_dict(request: RequestedCredentials) -> dict[str, Any]:
    """Convert a CredentialsRequest to an entry of ``credentials_requests``."""
    resource = request.manifest.resource_id
    return {
        "file": request.manifest.file,
        "namespace": resource.namespace,
        "name": resource.name,
        "capabilities": list(request.manifest.capabilities),
        "platform": request.platform,
        "secret_namespace": request.secret_namespace,
        "secret_name": request.secret_name,
        "service_accounts": list(request.service_accounts),
        "permissions": sorted(request.permissions),
    }


def image_lists_dict(lists: ImageLists) -> dict[str, Any]:
    """Convert lists of images to the result ``images``."""
    return {field: [image._asdict() for image in images] for field, images in lists._asdict().items()}
