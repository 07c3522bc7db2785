# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Computes which resources of a release a cluster should have, and which it should not, with the reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .._capability.inclusion import InclusionContext, Reason, decide, is_overridden
from .._release.manifest import Manifest
from .._resources import ResourceId

DELETED = Reason("deleted", "the release deletes it")
ORPHANED = Reason("orphaned", "an earlier rollout applied it, and the release no longer contains it")
_PROFILE = "cluster_profile"


class UnexpectedResource(NamedTuple):
    """A resource that should not exist. ``manifest`` is ``None`` for a leftover, which the release does not contain.

    ``capabilities`` are those that it needs, or needed.
    """

    resource: ResourceId
    manifest: Manifest | None
    capabilities: tuple[str, ...]
    reasons: tuple[Reason, ...]

    @property
    def needs_label(self) -> bool:
        """Whether it can have another owner, so it is unexpected only with the label of a rollout.

        This applies to leftovers, and to resources that only the cluster profile excludes: operators can create what
        manifests of other profiles contain. On ``self-managed-high-availability``, the service CA operator creates the
        Namespace ``openshift-service-ca``.
        """
        return self.manifest is None or all(reason.rule == _PROFILE for reason in self.reasons)


class DesiredState(NamedTuple):
    """Expected manifests in the order of the release, and unexpected resources."""

    expected: tuple[Manifest, ...]
    unexpected: Mapping[ResourceId, UnexpectedResource]


def desired_state(
    included: Iterable[Manifest],
    manifests: Iterable[Manifest],
    inclusion: InclusionContext,
    leftovers: Mapping[ResourceId, tuple[str, ...]],
) -> DesiredState:
    """Compute the desired state from the ``manifests`` of a release.

    ``included`` are the applied manifests, one per resource. ``leftovers`` are resources that the release no longer
    contains, with their capabilities. Overridden resources are neither expected nor unexpected. If several manifests
    of one resource are excluded, the one with the fewest reasons counts, and of these one that the profile includes.
    """
    expected = []
    unexpected: dict[ResourceId, UnexpectedResource] = {}
    decided = set()
    for manifest in included:
        decided.add(manifest.resource_id)
        if manifest.deletes:
            unexpected[manifest.resource_id] = _unexpected(manifest, (DELETED,))
        else:
            expected.append(manifest)
    for manifest in manifests:
        resource = manifest.resource_id
        if resource in decided or is_overridden(resource, inclusion.overrides):
            continue
        reasons = decide(manifest, inclusion).reasons
        item, before = _unexpected(manifest, reasons), unexpected.get(resource)
        if before is None or _rank(item) < _rank(before):
            unexpected[resource] = item
    for resource, capabilities in leftovers.items():
        if not is_overridden(resource, inclusion.overrides):
            unexpected[resource] = UnexpectedResource(resource, None, capabilities, (ORPHANED,))
    return DesiredState(tuple(expected), unexpected)


def _unexpected(manifest: Manifest, reasons: tuple[Reason, ...]) -> UnexpectedResource:
    return UnexpectedResource(manifest.resource_id, manifest, manifest.capabilities, reasons)


def _rank(item: UnexpectedResource) -> tuple[int, bool]:
    return len(item.reasons), item.needs_label
