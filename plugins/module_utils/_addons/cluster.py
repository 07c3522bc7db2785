# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a selection leaves of a release: which kinds, Namespaces and other resources a cluster has, and which need more.

What the release does not contain, or excludes for another reason than capabilities, comes from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from .._capability.inclusion import CapabilityStatus, InclusionContext, loaded_manifests
from .._contents.unmet_references import UnmetReference, missing_names
from .._data.aggregated_apis import AGGREGATED_APIS, OPERATOR_APIS, is_aggregated
from .._data.dependencies import with_required
from .._data.feature_sets import GATES_OF_FEATURE_SETS
from .._data.kinds import kubernetes_serves, kubernetes_versions
from .._data.version import Minor
from .._release.manifest import Manifest
from .._release.release import Release
from .._resources import CUSTOM_RESOURCE_DEFINITIONS, ResourceId
from .objects import CATALOG_SOURCE, Definition, definition_of

Names = tuple[str, ...]
"""Capabilities that have to be enabled for something; empty if it is there."""

_SOURCE = Manifest(ResourceId("", "", "", ""), "", None, "")
_MARKETPLACE = "openshift-marketplace"
_CREATED_IN = {
    ResourceId(*CATALOG_SOURCE, _MARKETPLACE, name): ResourceId("", "Namespace", "", _MARKETPLACE)
    for name in ("certified-operators", "community-operators", "redhat-marketplace", "redhat-operators")
}
"""Catalogs that the marketplace operator creates, and its Namespace.

Source: operator-framework/operator-marketplace:defaults.
"""
_LAST_MINORS = {ResourceId(*CATALOG_SOURCE, _MARKETPLACE, "redhat-marketplace"): Minor(4, 21)}
"""The last minor whose marketplace operator creates a catalog."""


class ServedKind(NamedTuple):
    """A kind of the release. ``definition`` is ``None`` if it has no CustomResourceDefinition."""

    needs: Names
    definition: Definition | None


def selected_cluster(
    release: Release, context: InclusionContext, more: Names = (), *, hosted: bool = False
) -> SelectedCluster:
    """The cluster of ``release`` with the capability status of ``context``. ``more`` are enabled as well."""
    status = context.capability_status or CapabilityStatus(frozenset(), frozenset())
    loaded = loaded_manifests(release.manifests, context)
    enabled, gates = (status.enabled & status.known).union(more), context.feature_gates
    if gates is None:
        gates = GATES_OF_FEATURE_SETS.get(context.feature_set or "", frozenset())
    return SelectedCluster(release, loaded, status.known, enabled, gates, hosted=hosted)


class SelectedCluster:
    """A cluster of ``release`` with ``enabled`` capabilities. ``known`` are those that the release knows.

    ``loaded`` are the manifests that its CVO loads, and ``gates`` the enabled feature gates. ``hosted``: HyperShift
    runs it, and nothing can enable more after its installation.
    """

    def __init__(
        self,
        release: Release,
        loaded: Iterable[Manifest],
        known: frozenset[str],
        enabled: frozenset[str],
        gates: frozenset[str],
        *,
        hosted: bool,
    ) -> None:
        self.release, self.enabled, self.hosted, self._gates = release, enabled, hosted, gates
        # No selection includes a manifest that needs an unknown name.
        self._loaded = [item for item in loaded if not item.deletes and known.issuperset(item.capabilities)]
        operators = {name for item in self._loaded for name in item.capabilities}
        self._undefined = [item for item in AGGREGATED_APIS if item.capability in known]
        self._undefined += [
            item
            for item in OPERATOR_APIS
            if item.capability in operators and (not item.gate or item.gate in gates) and item.is_in(release.minor)
        ]
        self._providers: dict[ResourceId, list[Manifest]] = {}
        self._definitions: dict[str, list[Manifest]] = {}
        for manifest in self._loaded:
            resource = manifest.object_id
            self._providers.setdefault(resource, []).append(manifest)
            if resource.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind:
                self._definitions.setdefault(resource.name.partition(".")[2], []).append(manifest)
        self.kind = cache(self._kind)
        self.added_manifests = cache(self._added_manifests)
        self._definitions_of = cache(self._read_definitions)

    def needs(self, target: ResourceId) -> Names | None:
        """The capabilities that ``target`` needs besides the enabled ones. ``None`` if the release does not have it."""
        providers = self._providers.get(_CREATED_IN.get(target, target))
        if not providers or self.lost_catalog(target):
            return None
        reference = UnmetReference("dangling-definition", _SOURCE, target, tuple(providers))
        names = missing_names(reference, self.enabled) if reference.dangles(self.enabled) else ()
        return tuple(sorted(with_required(frozenset(names), self.release.minor, self._gates) - self.enabled))

    def lost_catalog(self, target: ResourceId) -> bool:
        """Whether ``target`` is a catalog that only the marketplace operators of earlier minors create."""
        last, minor = _LAST_MINORS.get(target), self.release.minor
        return last is not None and minor is not None and minor > last

    def api(self, group: str, plural: str) -> Names | None:
        """The capabilities that the API ``plural`` of ``group`` needs, as ``needs``. ``*`` means all of the group."""
        if plural == "*":
            every = [self.needs(manifest.object_id) for manifest in self._definitions.get(group, ())]
            every += [self._without_definition(api.resource, group) for api in self._undefined if api.group == group]
            absent = [names for names in every if names]
            return min(absent, key=len) if absent and len(absent) == len(every) else None
        definition = ResourceId(*CUSTOM_RESOURCE_DEFINITIONS.group_kind, "", f"{plural}.{group}")
        return self.needs(definition) if definition in self._providers else self._without_definition(plural, group)

    def serves_without_definition(self, group: str, kind: str) -> bool:
        """Whether Kubernetes or one of OpenShift's own API servers serves a kind."""
        return kubernetes_serves(group, kind, self.release.minor) or is_aggregated(group, kind)

    def knows(self, group: str, kind: str) -> bool:
        """Whether Kubernetes or the release serves a kind, whatever its capabilities are."""
        return self.serves_without_definition(group, kind) or self.kind(group, kind) is not None

    def versions_without_definition(self, group: str, kind: str) -> frozenset[str] | None:
        """The versions of a kind that the release does not define, ``None`` if not known."""
        if is_aggregated(group, kind):
            return frozenset({"v1"})
        found = [item for item in self._undefined if (item.resource, item.group) == (_plural(kind), group)]
        if found:
            return frozenset(version for item in found for version in item.versions)
        return kubernetes_versions(group, kind, self.release.minor)

    def _kind(self, group: str, kind: str) -> ServedKind | None:
        """A kind of the release, ``None`` if the release does not define it."""
        for manifest, definition in self._definitions_of(group):
            if definition.kind == kind:
                return ServedKind(self.needs(manifest.object_id) or (), definition)
        needs = self._without_definition(_plural(kind), group)
        return None if needs is None else ServedKind(needs, None)

    def _read_definitions(self, group: str) -> list[tuple[Manifest, Definition]]:
        manifests = self._definitions.get(group, ())
        return [(manifest, definition_of(self.release.read_body(manifest))) for manifest in manifests]

    def _without_definition(self, plural: str, group: str) -> Names | None:
        """The capability of an API of which no release has a definition."""
        names = {item.capability for item in self._undefined if (item.resource, item.group) == (plural, group)}
        return tuple(sorted(names - self.enabled)) if names else None

    def _added_manifests(self, names: Names) -> int:
        """The number of resources that the cluster gets if ``names`` are enabled as well."""
        before, after = (
            {item.object_id for item in self._loaded if enabled.issuperset(item.capabilities)}
            for enabled in (self.enabled, self.enabled.union(names))
        )
        return len(after - before)


def _plural(kind: str) -> str:
    """The resource of a kind of which no release has a definition."""
    return kind.lower() + ("es" if kind.endswith("s") else "s")
