# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What should be on a cluster that has a release, and what should not, with the reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .._capability.inclusion import InclusionContext, Reason, decide, is_overridden
from .._release.manifest import Manifest
from .._resources import ResourceId

DELETED = Reason("deleted", "the release deletes it")
ORPHANED = Reason("left_over", "an earlier rollout made it, and no manifest of the release speaks of it")


class UnexpectedResource(NamedTuple):
    """A resource that should not be there. ``manifest`` is ``None`` for a leftover, of which the release says nothing.

    ``capabilities`` are those that it needs, or needed.
    """

    manifest: Manifest | None
    capabilities: tuple[str, ...]
    reasons: tuple[Reason, ...]


class DesiredState(NamedTuple):
    """What should be there, in the order of the release, and what should not."""

    wanted: tuple[Manifest, ...]
    unwanted: Mapping[ResourceId, UnexpectedResource]


def desired_state(
    included: Iterable[Manifest],
    manifests: Iterable[Manifest],
    facts: InclusionContext,
    leftovers: Mapping[ResourceId, tuple[str, ...]],
) -> DesiredState:
    """Return what a cluster should have of ``manifests``, of which those ``included`` are in, each resource once.

    ``leftovers``: what no manifest speaks of, with its capabilities. What is overridden may be there or not.
    Of several manifests of one resource the one counts that the fewest reasons keep out.
    """
    wanted = []
    unwanted: dict[ResourceId, UnexpectedResource] = {}
    spoken_for = set()
    for manifest in included:
        spoken_for.add(manifest.resource_id)
        if manifest.deletes:
            unwanted[manifest.resource_id] = UnexpectedResource(manifest, manifest.capabilities, (DELETED,))
        else:
            wanted.append(manifest)
    for manifest in manifests:
        resource = manifest.resource_id
        if resource in spoken_for or is_overridden(resource, facts.overrides):
            continue
        reasons = decide(manifest, facts).reasons
        before = unwanted.get(resource)
        if before is None or len(reasons) < len(before.reasons):
            unwanted[resource] = UnexpectedResource(manifest, manifest.capabilities, reasons)
    for resource, capabilities in leftovers.items():
        if not is_overridden(resource, facts.overrides):
            unwanted[resource] = UnexpectedResource(None, capabilities, (ORPHANED,))
    return DesiredState(tuple(wanted), unwanted)
