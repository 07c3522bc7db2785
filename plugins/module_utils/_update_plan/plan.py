# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The plan of a path of updates: for each hop what turns on and why, and what the cluster says at the end.

A hop has two halves. The outgoing CVO compares the two releases, and what it turns on implicitly stays on. Then the
incoming CVO starts, resolves the same selection by its own sets, and what was on before stays on implicitly.
Source: openshift/cluster-version-operator:pkg/cvo/sync_worker.go loadUpdatedPayload; lib/capability/capability.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from .._capability.implicit_enablement import ImplicitEnablement, MovedResource
from .._capability.inclusion import CapabilityStatus, Override, is_overridden
from .._capability.selection import Selection
from .._cluster.cluster_version import Condition, ReportedCapabilities, capability_condition
from .._data import capabilities as capability_data
from .._release.manifest import Manifest
from .._release.task_graph import component_of
from .._resources import ResourceId
from .blockers import Blocker, override_blockers
from .credentials import CredentialsRequest, ReleaseCredentials
from .release_diff import Changes, ReleaseDiff
from .resolved_release import ResolvedRelease
from .start import StartingCluster


class EnabledCapability(NamedTuple):
    """A capability that a hop turns on implicitly: because of the resources ``causes``, or by force.

    ``source`` says where a forced case comes from.
    """

    name: str
    cause: Literal["manifest", "forced"]
    causes: tuple[MovedResource, ...] = ()
    source: str = ""


class HopPlan(NamedTuple):
    """What one hop does to a cluster. Sets of names unless said otherwise.

    ``requested``: what the selection asks of the new release. ``no_longer_optional``: were off, and the new release
    does not know them as capabilities, so that it creates what they bring. ``not_in_fresh_install``: on here, and off
    in a fresh install of the new release with the same selection. ``moved``: names of the selection to resources of
    theirs that need other capabilities now.
    """

    from_version: str
    to_version: str
    downgrade: bool
    before: CapabilityStatus
    after: CapabilityStatus
    implicitly_enabled: tuple[EnabledCapability, ...]
    requested: frozenset[str]
    no_longer_optional: frozenset[str]
    not_in_fresh_install: frozenset[str]
    moved: Mapping[str, tuple[MovedResource, ...]]
    changes: Changes
    credentials_requests: tuple[CredentialsRequest, ...]
    blockers: tuple[Blocker, ...]

    @property
    def newly_requested(self) -> frozenset[str]:
        """Names that the selection asks of the new release, and that were not on."""
        return self.requested - self.before.enabled

    @property
    def newly_known(self) -> frozenset[str]:
        """Names that become known and stay off."""
        return self.after.known - self.before.known - self.after.enabled

    @property
    def created_components(self) -> Mapping[str, int]:
        """Components that come where names are no longer optional, with the numbers of their resources."""
        return _components(self.changes.added) if self.no_longer_optional else {}

    @property
    def turned_on(self) -> frozenset[str]:
        """Every name whose components come with the hop, in whatever way."""
        implicit = {item.name for item in self.implicitly_enabled}
        return (self.after.enabled - self.before.enabled) | implicit | self.no_longer_optional

    def new_credentials_requests(self) -> frozenset[ResourceId]:
        """Return which CredentialsRequests were not needed before."""
        added = {manifest.resource_id for manifest in self.changes.added}
        return frozenset(added.intersection(item.manifest.resource_id for item in self.credentials_requests))


class Plan(NamedTuple):
    """The plan of a path; ``condition`` is ``None`` where the last release has no capabilities."""

    selection: Selection
    hops: tuple[HopPlan, ...]
    status: CapabilityStatus
    condition: Condition | None


class Hop(NamedTuple):
    """Two releases of a path, compared once for all clusters.

    ``credentials`` are those of the new release for the platform, ``blockers`` those that are the same for all.
    """

    start: ResolvedRelease
    end: ResolvedRelease
    implicit_enablement: ImplicitEnablement
    comparison: ReleaseDiff
    credentials: ReleaseCredentials
    downgrade: bool
    blockers: tuple[Blocker, ...]


def plan_path(hops: Sequence[Hop], cluster: StartingCluster) -> Plan:
    """Return the plan of ``cluster``."""
    start, selection = hops[0].start, cluster.selection
    current = start.status(selection) if cluster.status is None else _as_reported(cluster.status, start, selection)
    present = cluster.present
    plans: list[HopPlan] = []
    for hop in hops:
        plan = _plan_hop(hop, selection, current, present, cluster.overrides)
        current = plan.after
        if present is not None:
            present = _present_after(hop, current, present)
        plans.append(plan)
    condition = None if hops[-1].end.minor_facts is None else capability_condition(current)
    return Plan(selection, tuple(plans), current, condition)


def _as_reported(status: ReportedCapabilities, start: ResolvedRelease, selection: Selection) -> CapabilityStatus:
    """Return the status that a cluster told, with what of it is on implicitly."""
    implicit = status.enabled - start.requested(selection)
    return CapabilityStatus(start.known if status.known is None else status.known, status.enabled, implicit)


def _plan_hop(
    hop: Hop,
    selection: Selection,
    before: CapabilityStatus,
    present: frozenset[ResourceId] | None,
    overrides: tuple[Override, ...],
) -> HopPlan:
    start, end = hop.start, hop.end
    requested = end.requested(selection)
    # What the spec asks for and the status does not show yet is on before the outgoing CVO compares anything.
    running = (before.enabled | start.requested(selection) | start.always) - start.hidden
    turned_on = _enabled_capabilities(hop, running, present)
    stay_on = running.union(item.name for item in turned_on)
    after = end.status(selection, stay_on)
    turned_on += [
        EnabledCapability(name, "forced", (), capability_data.ALWAYS_ENABLED.source)
        for name in (after.enabled & end.always) - requested - stay_on
    ]
    usable = end.usable(after)
    changes = _managed(hop.comparison.changes(start.usable(before), usable), overrides)
    no_longer_optional = start.known - running - end.known - end.hidden
    return HopPlan(
        from_version=start.release.shown_version,
        to_version=end.release.shown_version,
        downgrade=hop.downgrade,
        before=before,
        after=after,
        implicitly_enabled=tuple(sorted(turned_on, key=lambda item: item.name)),
        requested=requested,
        no_longer_optional=no_longer_optional,
        not_in_fresh_install=frozenset() if end.minor_facts is None else after.enabled - requested - end.always,
        moved=hop.implicit_enablement.moved(start.requested(selection) & before.enabled, before.enabled),
        changes=changes,
        credentials_requests=hop.credentials.needed(usable),
        blockers=(*hop.blockers, *(() if hop.downgrade else override_blockers(start, end, overrides))),
    )


def _enabled_capabilities(
    hop: Hop, running: frozenset[str], present: frozenset[ResourceId] | None
) -> list[EnabledCapability]:
    """Return what the outgoing CVO turns on."""
    if present is None:
        causes = hop.implicit_enablement.implicitly_enabled(running)
    else:
        causes = hop.implicit_enablement.enabled_by_presence(running, present | _deleted_ids(hop.start, running))
    forced = capability_data.forced_capabilities(hop.start.minor, hop.end.minor)
    return [
        *(EnabledCapability(name, "manifest", found) for name, found in causes.items()),
        *(
            EnabledCapability(item.capability, "forced", (), item.source)
            for item in forced
            if item.capability not in running and item.capability not in causes
        ),
    ]


def _managed(changes: Changes, overrides: tuple[Override, ...]) -> Changes:
    """Return ``changes`` without the resources that the cluster does not leave to the CVO."""
    if not overrides:
        return changes
    return Changes(
        *(tuple(item for item in side if not is_overridden(item.resource_id, overrides)) for side in changes)
    )


def _deleted_ids(waypoint: ResolvedRelease, enabled: frozenset[str]) -> frozenset[ResourceId]:
    """Resources that the outgoing release deleted: they are gone, and the CVO goes by the manifest that did it."""
    return frozenset(
        manifest.resource_id
        for manifest in waypoint.loaded
        if manifest.deletes and enabled.issuperset(manifest.capabilities)
    )


def _present_after(hop: Hop, status: CapabilityStatus, present: frozenset[ResourceId]) -> frozenset[ResourceId]:
    usable = hop.end.usable(status)
    included = [item for item in hop.end.loaded if usable is None or usable.issuperset(item.capabilities)]
    gone = {item.resource_id for item in included if item.deletes}
    return (present | {item.resource_id for item in included if not item.deletes}) - gone


def _components(added: tuple[Manifest, ...]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for manifest in added:
        component = component_of(manifest.file) or "others"
        counts[component] = counts.get(component, 0) + 1
    return dict(sorted(counts.items()))
