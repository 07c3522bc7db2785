# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of a path of updates: the capabilities that each hop enables and why, and the condition at the end.

A hop has two halves. The outgoing CVO compares the two releases, and enables capabilities implicitly. Then the incoming
CVO resolves the same selection with its own sets. Names that were enabled before stay enabled. On a hosted cluster,
HyperShift writes the names of the new release into the spec instead.
Source: openshift/cluster-version-operator:pkg/cvo/sync_worker.go loadUpdatedPayload; lib/capability/capability.go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from .._capability.implicit_enablement import ImplicitEnablement, MovedResource
from .._capability.inclusion import CapabilityStatus, Override, is_overridden
from .._capability.resolved_release import ResolvedRelease
from .._capability.selection import Selection
from .._cluster.admin_acks import AdminGate
from .._cluster.cluster_version import Condition, ReportedCapabilities, capability_condition
from .._contents.unmet_references import ReleaseReferences
from .._data import capabilities as capability_data
from .._release.manifest import Manifest
from .._resources import ResourceId

Rule = Literal["manifest", "presence"]
"""What the new release is compared with: the old release, as every CVO does, or the resources on the cluster."""

RULES: tuple[Rule, ...] = get_args(Rule)
_Placed = list[tuple[int, Manifest]]
"""Manifests, each with its position in the release."""
_Needs = tuple[tuple[frozenset[str], bool], ...]
"""Of each manifest of a resource: the capabilities that it needs, and whether it deletes the resource."""


class StartingCluster(NamedTuple):
    """A cluster before the first update of its path.

    ``status``: as the cluster reports it, which takes precedence over the capability sets. Without it, the status
    follows from ``selection``. ``present``: the resources that exist on the cluster, ``None`` if not known. The rule
    ``presence`` needs them. ``extra``: resources that extra manifests create.
    """

    selection: Selection
    status: ReportedCapabilities | None = None
    overrides: tuple[Override, ...] = ()
    present: frozenset[ResourceId] | None = None
    rule: Rule = "manifest"
    extra: frozenset[ResourceId] = frozenset()


class EnabledCapability(NamedTuple):
    """A capability that a hop enables implicitly: because of the resources ``causes``, or forced.

    ``source``: the origin of a forced case.
    """

    name: str
    cause: Literal["manifest", "forced"]
    causes: tuple[MovedResource, ...] = ()
    source: str = ""


class HopPlan(NamedTuple):
    """What one hop does to a cluster.

    ``requested``: names that the selection requests of the new release. ``no_longer_optional``: disabled names that the
    new release does not know, so it creates their components. ``not_in_fresh_install``: enabled names that a fresh
    install of the new release with the same selection would not enable. ``moved``: names of the selection, with
    their resources that need other capabilities in the new release.
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
    credentials_requests: tuple[Manifest, ...]

    @property
    def newly_requested(self) -> frozenset[str]:
        """Names that the selection requests of the new release, and that were not enabled."""
        return self.requested - self.before.enabled

    @property
    def newly_known(self) -> frozenset[str]:
        """Names that become known and stay disabled."""
        return self.after.known - self.before.known - self.after.enabled

    @property
    def newly_enabled(self) -> frozenset[str]:
        """Every name whose components the hop creates, for any reason."""
        implicit = {item.name for item in self.implicitly_enabled}
        return (self.after.enabled - self.before.enabled) | implicit | self.no_longer_optional

    def new_credentials_requests(self) -> frozenset[ResourceId]:
        """Return the CredentialsRequests that were not needed before."""
        added = {manifest.resource_id for manifest in self.changes.added}
        return frozenset(added.intersection(item.resource_id for item in self.credentials_requests))


class Plan(NamedTuple):
    """The plan of a path, made with ``rule``. ``condition``: ``None`` if the last release has no capabilities."""

    selection: Selection
    hops: tuple[HopPlan, ...]
    status: CapabilityStatus
    condition: Condition | None
    rule: Rule = "manifest"

    @property
    def newly_enabled(self) -> frozenset[str]:
        """Every name whose components a hop creates, for any reason. No later change can disable it."""
        return frozenset[str]().union(*(hop.newly_enabled for hop in self.hops))

    @property
    def releases(self) -> tuple[str, ...]:
        """Versions of the path."""
        return (self.hops[0].from_version, *(hop.to_version for hop in self.hops))


class Hop(NamedTuple):
    """Two releases of a path, compared once for all clusters.

    ``credentials``: of the new release for the platform. ``gates``: those in ``admin-gates`` of the old release, which
    are not known unless it ``has_cvo_manifests``.
    ``references``: of the new release that some selection leaves dangling.
    """

    start: ResolvedRelease
    end: ResolvedRelease
    implicit_enablement: ImplicitEnablement
    comparison: ReleaseDiff
    credentials: tuple[Manifest, ...]
    downgrade: bool
    gates: tuple[AdminGate, ...]
    references: ReleaseReferences
    has_cvo_manifests: bool


def plan_path(hops: Sequence[Hop], cluster: StartingCluster) -> Plan:
    """Plan the path of ``cluster``."""
    start, selection = hops[0].start, cluster.selection
    current = start.status(selection) if cluster.status is None else _as_reported(cluster.status, start, selection)
    present = cluster.present
    plans: list[HopPlan] = []
    for hop in hops:
        plan = _plan_hop(hop, cluster, current, present)
        current = plan.after
        if present is not None:
            present = _present_after(hop.end.included(current), present)
        plans.append(plan)
    condition = None if hops[-1].end.minor_data is None else capability_condition(current)
    return Plan(selection, tuple(plans), current, condition, cluster.rule)


def _as_reported(status: ReportedCapabilities, start: ResolvedRelease, selection: Selection) -> CapabilityStatus:
    """Return the status that a cluster reports, with the names that its CVO always enables, and the implicit ones."""
    enabled = status.enabled | start.always
    known = start.known if status.known is None else status.known
    return CapabilityStatus(known, enabled, enabled - start.requested(selection))


def _plan_hop(
    hop: Hop, cluster: StartingCluster, before: CapabilityStatus, present: frozenset[ResourceId] | None
) -> HopPlan:
    """Plan one hop of ``cluster``. ``present``: the resources that exist before it, ``None`` if not known."""
    start, end, selection, overrides = hop.start, hop.end, cluster.selection, cluster.overrides
    requested = end.requested(selection)
    # Requested names that the status does not contain yet are enabled before the outgoing CVO compares releases.
    running = (before.enabled | start.requested(selection)) - start.gated
    implicit = _enabled_capabilities(hop, running, present if cluster.rule == "presence" else None)
    stay_enabled = running.union(item.name for item in implicit)
    after = end.status(selection, stay_enabled)
    implicit += [
        EnabledCapability(name, "forced", (), capability_data.ALWAYS_ENABLED.source)
        for name in (after.enabled & end.always) - requested - stay_enabled
    ]
    names = end.capability_filter(after)
    changes = _managed(hop.comparison.changes(start.capability_filter(before), names), overrides)
    no_longer_optional = start.known - running - end.known - end.gated
    return HopPlan(
        from_version=start.release.shown_version,
        to_version=end.release.shown_version,
        downgrade=hop.downgrade,
        before=before,
        after=after,
        implicitly_enabled=tuple(sorted(implicit, key=lambda item: item.name)),
        requested=requested,
        no_longer_optional=no_longer_optional,
        not_in_fresh_install=frozenset() if end.minor_data is None else after.enabled - requested - end.always,
        moved=hop.implicit_enablement.moved(start.requested(selection) & before.enabled, before.enabled),
        changes=changes,
        credentials_requests=tuple(item for item in hop.credentials if names.issuperset(item.capabilities)),
    )


def _enabled_capabilities(
    hop: Hop, running: frozenset[str], present: frozenset[ResourceId] | None
) -> list[EnabledCapability]:
    """Return the capabilities that the outgoing CVO enables; with ``present``, those that the rule presence enables.

    That of a hosted cluster enables none, because it never loads the new release: HyperShift replaces its Deployment.
    Source: openshift/hypershift:control-plane-operator/controllers/hostedcontrolplane/v2/cvo/deployment.go
    PAYLOAD_OVERRIDE; resources.go reconcileClusterVersion clears spec.desiredUpdate (derived from both).
    """
    if hop.end.hosted:
        return []
    if present is None:
        causes = hop.implicit_enablement.implicitly_enabled(running)
    else:
        existing = present | _deleted_ids(hop.start, running)
        target = hop.end.manifests_loaded_by(hop.start)
        found = frozenset(manifest.resource_id for manifest in target if manifest.object_id in existing)
        causes = hop.implicit_enablement.enabled_by_presence(running, found)
    forced = capability_data.forced_capabilities(hop.start.minor, hop.end.minor)
    return [
        *(EnabledCapability(name, "manifest", resources) for name, resources in causes.items()),
        *(
            EnabledCapability(item.capability, "forced", (), item.source)
            for item in forced
            if item.capability not in running and item.capability not in causes
        ),
    ]


def _managed(changes: Changes, overrides: tuple[Override, ...]) -> Changes:
    """Return ``changes`` without the resources that the CVO does not manage because of overrides."""
    if not overrides:
        return changes
    return Changes(
        *(tuple(item for item in side if not is_overridden(item.resource_id, overrides)) for side in changes)
    )


def _deleted_ids(outgoing: ResolvedRelease, enabled: frozenset[str]) -> frozenset[ResourceId]:
    """Resources that the outgoing release deleted. They do not exist, but the CVO still uses their manifests."""
    return frozenset(
        manifest.object_id
        for manifest in outgoing.loaded
        if manifest.deletes and enabled.issuperset(manifest.capabilities)
    )


def _present_after(included: Sequence[Manifest], present: frozenset[ResourceId]) -> frozenset[ResourceId]:
    """Return the resources that exist after a release applied its ``included`` manifests."""
    deleted = {item.object_id for item in included if item.deletes}
    return (present | {item.object_id for item in included if not item.deletes}) - deleted


class Changes(NamedTuple):
    """Manifests in the order of their release, one for each resource.

    ``added``: only the new release applies them. ``removed``: only the old release applies them, so they stay on the
    cluster and are no longer managed. ``deleted``: the new release deletes them and the old one did not.
    """

    added: tuple[Manifest, ...]
    removed: tuple[Manifest, ...]
    deleted: tuple[Manifest, ...]


class ReleaseDiff:
    """Compares the loaded manifests of two releases. Resources that need the same capabilities change together."""

    def __init__(self, old: Iterable[Manifest], new: Iterable[Manifest]) -> None:
        resources: dict[ResourceId, tuple[_Placed, _Placed]] = defaultdict(lambda: ([], []))
        for side, manifests in enumerate((old, new)):
            for position, manifest in enumerate(manifests):
                resources[manifest.object_id][side].append((position, manifest))
        self._groups: dict[tuple[_Needs, _Needs], list[tuple[_Placed, _Placed]]] = defaultdict(list)
        for before, after in resources.values():
            self._groups[_needs(before), _needs(after)].append((before, after))

    def changes(self, before: frozenset[str], after: frozenset[str]) -> Changes:
        """Return what changes. Manifests may require the names ``before`` in the old release, ``after`` in the new."""
        added: _Placed = []
        removed: _Placed = []
        deleted: _Placed = []
        for (old_needs, new_needs), resources in self._groups.items():
            was_applied, was_deleted = _first_included(old_needs, before)
            is_applied, is_deleted = _first_included(new_needs, after)
            if is_deleted is not None:
                if was_deleted is None:
                    deleted += (new[is_deleted] for _old, new in resources)
            elif is_applied is not None and was_applied is None:
                added += (new[is_applied] for _old, new in resources)
            elif is_applied is None and was_applied is not None:
                removed += (old[was_applied] for old, _new in resources)
        return Changes(*(tuple(manifest for _position, manifest in sorted(side)) for side in (added, removed, deleted)))


def _needs(manifests: _Placed) -> _Needs:
    return tuple((frozenset(manifest.capabilities), manifest.deletes) for _position, manifest in manifests)


def _first_included(needs: _Needs, enabled: frozenset[str]) -> tuple[int | None, int | None]:
    """Return the indexes of the first included manifest that applies the resource, and of the first that deletes it."""
    found: dict[bool, int] = {}
    for index, (names, deletes) in enumerate(needs):
        if names <= enabled:
            found.setdefault(deletes, index)
    return found.get(False), found.get(True)
