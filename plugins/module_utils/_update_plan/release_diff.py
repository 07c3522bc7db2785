# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What an update changes on a cluster, resource by resource: added, no longer applied, deleted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .._release.manifest import Manifest
from .._resources import ResourceId

_Resources = dict[ResourceId, Manifest]


class Changes(NamedTuple):
    """Manifests in the order of their release, one for each resource.

    ``added``: only the new release applies them. ``removed``: only the old release applies them, so they stay on the
    cluster and are no longer managed. ``deleted``: the new release deletes them and the old one did not.
    """

    added: tuple[Manifest, ...]
    removed: tuple[Manifest, ...]
    deleted: tuple[Manifest, ...]


def resource_changes(before: Iterable[Manifest], after: Iterable[Manifest]) -> Changes:
    """Return what changes between the included manifests of two releases."""
    old, deleted_before = _by_resource(before)
    new, deleted = _by_resource(after)
    return Changes(
        tuple(item for resource, item in new.items() if resource not in old and resource not in deleted),
        tuple(item for resource, item in old.items() if resource not in new and resource not in deleted),
        tuple(item for resource, item in deleted.items() if resource not in deleted_before),
    )


def _by_resource(manifests: Iterable[Manifest]) -> tuple[_Resources, _Resources]:
    """Return the first of the manifests that apply each resource, and of those that delete it."""
    applied: _Resources = {}
    deleted: _Resources = {}
    for manifest in manifests:
        (deleted if manifest.deletes else applied).setdefault(manifest.resource_id, manifest)
    return applied, deleted
