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

from . import registry
from .changes import Changes, Comparison
from .cluster_version import Condition, ToldStatus, capability_condition
from .credentials import CredentialsRequest, ReleaseCredentials
from .hop import Cause, Hop
from .manifest import Manifest, ResourceId
from .runlevel import component_of
from .selection import CapabilityStatus, Selection
from .waypoint import Waypoint


class TurnedOn(NamedTuple):
    """A capability that a hop turns on implicitly.

    ``requested``: the selection asks for it in the new release, so it is no surprise there. ``causes`` are the
    resources, ``source`` says where a forced case comes from.
    """

    name: str
    cause: Literal["manifest", "forced"]
    requested: bool
    causes: tuple[Cause, ...] = ()
    source: str = ""


class Blocker(NamedTuple):
    """Why a cluster refuses an update: ``reason`` is the condition's or fact's name, ``mend`` what to do about it."""

    reason: str
    message: str
    mend: str


class HopPlan(NamedTuple):
    """What one hop does. Sets of names unless said otherwise.

    ``newly_requested``: the selection itself turns them on in the new release. ``newly_known``: become known and stay
    off. ``not_in_fresh_install``: on here, and off in a fresh install of the new release with the same selection.
    ``created_components``: name to number of resources, for a release without capabilities.
    """

    from_version: str
    to_version: str
    downgrade: bool
    before: CapabilityStatus
    after: CapabilityStatus
    implicitly_enabled: tuple[TurnedOn, ...]
    newly_requested: frozenset[str]
    newly_known: frozenset[str]
    not_in_fresh_install: frozenset[str]
    moved: Mapping[str, tuple[Cause, ...]]
    changes: Changes
    credentials_requests: tuple[CredentialsRequest, ...]
    created_components: Mapping[str, int]
    blockers: tuple[Blocker, ...]

    @property
    def turned_on(self) -> frozenset[str]:
        """Every name that is on after the hop and was not before, or that the hop turns on in passing."""
        return (self.after.enabled - self.before.enabled) | {item.name for item in self.implicitly_enabled}

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


class Leg(NamedTuple):
    """A hop of the path before a cluster is put on it: the two releases, compared once for all clusters.

    ``credentials`` are those of the new release for the platform.
    """

    start: Waypoint
    end: Waypoint
    hop: Hop
    comparison: Comparison
    credentials: ReleaseCredentials
    downgrade: bool


def plan_path(
    legs: Sequence[Leg],
    selection: Selection,
    status: ToldStatus | None = None,
    present: frozenset[ResourceId] | None = None,
) -> Plan:
    """Return the plan of a cluster that was asked for ``selection``.

    ``status`` is what the cluster says it has, and wins over what the sets say; without one it follows from the
    selection. ``present`` are the resources on the cluster, for the algorithm that compares with these.
    """
    start = legs[0].start
    selection = start.pinned(selection)
    current = start.status(selection) if status is None else _as_told(status, start, selection)
    hops: list[HopPlan] = []
    for leg in legs:
        hop = _plan_hop(leg, selection, current, present)
        current = hop.after
        if present is not None:
            present = _present_after(leg, current, present)
        hops.append(hop)
    end = legs[-1].end
    condition = None if end.minor_facts is None else capability_condition(current)
    return Plan(selection, tuple(hops), current, condition)


def _as_told(status: ToldStatus, start: Waypoint, selection: Selection) -> CapabilityStatus:
    """Return the status that a cluster told, with what of it is on implicitly."""
    implicit = status.enabled - start.requested(selection)
    return CapabilityStatus(start.known if status.known is None else status.known, status.enabled, implicit)


def _plan_hop(
    leg: Leg, selection: Selection, before: CapabilityStatus, present: frozenset[ResourceId] | None
) -> HopPlan:
    start, end = leg.start, leg.end
    requested_before, requested = start.requested(selection), end.requested(selection)
    # What the spec asks for and the status does not show yet is on before the outgoing CVO compares anything.
    running = (before.enabled | requested_before | start.always) - start.hidden
    if present is None:
        causes = leg.hop.implicitly_enabled(running)
    else:
        causes = leg.hop.enabled_by_presence(running, present | _deleted_ids(start, running))
    forced = {item.capability: item.source for item in registry.forced_capabilities(start.minor, end.minor)}
    stay_on = running.union(causes, forced)
    after = end.status(selection, stay_on)
    forced |= dict.fromkeys((after.enabled & end.always) - requested - stay_on, registry.ALWAYS_ENABLED.source)
    turned_on = [TurnedOn(name, "manifest", name in requested, found) for name, found in causes.items()]
    turned_on += [
        TurnedOn(name, "forced", name in requested, (), source)
        for name, source in forced.items()
        if name not in running and name not in causes
    ]
    usable = end.usable(after)
    changes = leg.comparison.changes(start.usable(before), usable)
    return HopPlan(
        start.release.version or str(start.minor),
        end.release.version or str(end.minor),
        leg.downgrade,
        before,
        after,
        tuple(sorted(turned_on, key=lambda item: item.name)),
        requested - requested_before - before.enabled,
        after.known - before.known - after.enabled,
        frozenset() if end.minor_facts is None else after.enabled - requested - end.always,
        leg.hop.moved(requested_before & before.enabled, before.enabled),
        changes,
        leg.credentials.needed(usable),
        _components(changes.added) if end.minor_facts is None else {},
        tuple(_blockers(leg)),
    )


def _deleted_ids(waypoint: Waypoint, enabled: frozenset[str]) -> frozenset[ResourceId]:
    """Resources that the outgoing release deleted: they are gone, and the CVO goes by the manifest that did it."""
    return frozenset(
        manifest.resource_id
        for manifest in waypoint.loaded
        if manifest.deletes and enabled.issuperset(manifest.capabilities)
    )


def _present_after(leg: Leg, status: CapabilityStatus, present: frozenset[ResourceId]) -> frozenset[ResourceId]:
    usable = leg.end.usable(status)
    included = [item for item in leg.end.loaded if usable is None or usable.issuperset(item.capabilities)]
    gone = {item.resource_id for item in included if item.deletes}
    return (present | {item.resource_id for item in included if not item.deletes}) - gone


def _components(added: tuple[Manifest, ...]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for manifest in added:
        component = component_of(manifest.file) or manifest.file
        counts[component] = counts.get(component, 0) + 1
    return dict(sorted(counts.items()))


def _blockers(leg: Leg) -> list[Blocker]:
    """Return why the cluster refuses this update.

    Source of overrides: openshift/cluster-version-operator:pkg/payload/precondition/clusterversion/upgradeable.go.
    """
    blockers = []
    another_minor = leg.start.minor != leg.end.minor
    feature_set = registry.feature_set(leg.start.facts.feature_set or "")
    if another_minor and feature_set is not None and feature_set.blocks_updates:
        message = f"feature set {feature_set.name} blocks updates to another minor"
        mend = "Set the default feature set first"
        if feature_set.permanent:
            message += ", and a cluster can never leave it"
            mend = "Install a cluster of the new minor in its place"
        blockers.append(Blocker("FeatureSet", message, mend))
    unmanaged = [override for override in leg.start.facts.overrides if override.unmanaged]
    patches_too = leg.start.minor < registry.OVERRIDES_ADMIT_PATCHES.since
    if unmanaged and (another_minor or patches_too):
        named = ", ".join(f"{item.kind} {item.namespace}/{item.name}".replace(" /", " ") for item in unmanaged)
        what = "every update" if patches_too else "updates to another minor"
        message = f"spec.overrides block {what}: {named}"
        blockers.append(Blocker("ClusterVersionOverridesSet", message, "Remove these overrides before the update"))
    return blockers
