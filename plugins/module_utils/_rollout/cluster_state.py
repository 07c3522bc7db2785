# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The cluster as a rollout finds it: what it serves, what it says of itself, and which manifests are for it."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from .._capability.cluster_options import ClusterOptions, InclusionCriteria, check_options, inclusion_context
from .._capability.inclusion import CapabilityStatus, InclusionContext, included_manifests
from .._cluster.cluster_version import parse_cluster_version
from .._cluster.live import CLUSTER_VERSION, find_cluster_version
from .._cluster.status_change import StatusInputs, status_inputs
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.rest_mapper import RestMapper
from .._problems import ClusterError, InvalidOptionError, Problem, Problems, raise_errors
from .._release.loader import LoadedRelease
from .._release.manifest import Manifest
from .._resources import CLUSTER_VERSIONS, CUSTOM_RESOURCE_DEFINITIONS, FEATURE_GATES, ApiResource, ResourceId
from .._unstructured import Object, nested
from .change_set import LiveMetadata
from .feature_set import FeatureGateReading, cluster_options, needs_feature_set
from .inventory import Inventory
from .inventory_store import ApplySetMembers, StoredInventory, read_inventory
from .options import RolloutCriteria


class ClusterState(NamedTuple):
    """What a cluster says of itself before a release is looked at; ``cluster_version``: ``None`` where it has none."""

    kinds: RestMapper
    kept: StoredInventory
    cluster_version: Object | None
    problems: tuple[Problem, ...]

    @property
    def release_image(self) -> str:
        """The pull spec of the release that the cluster has, empty where it does not say."""
        return str(nested(self.cluster_version, "status", "desired", "image") or "")

    @property
    def cluster_profile(self) -> str:
        """The profile of the last rollout, empty before the first one."""
        return self.kept.inventory.cluster_profile if self.kept.inventory else ""

    @property
    def version(self) -> str:
        """The version of the release that the cluster has, empty where nothing tells."""
        told = nested(self.cluster_version, "status", "desired", "version")
        return str(told or (self.kept.inventory.version if self.kept.inventory else ""))


class RolloutContext(NamedTuple):
    """The cluster as the rollout finds it, and the release as the cluster meets it.

    ``loaded`` are the manifests that pass every filter but those for capabilities and overrides. ``members``:
    what the cluster has of earlier rollouts, where somebody asked for it.
    """

    kinds: RestMapper
    kept: StoredInventory
    options: ClusterOptions
    facts: InclusionContext
    target: StatusInputs
    loaded: tuple[Manifest, ...]
    problems: tuple[Problem, ...]
    members: ApplySetMembers = ApplySetMembers(MappingProxyType({}), frozenset())

    @property
    def known(self) -> LiveMetadata:
        """Metadata of what the cluster has of earlier rollouts."""
        return self.members.known


def read_cluster_version(client: Client, kinds: RestMapper) -> Object | None:
    """Return the ClusterVersion, ``None`` where there is none or the kind is not served. Raises ``ClusterError``."""
    if kinds.find(CLUSTER_VERSIONS.group, CLUSTER_VERSIONS.kind) is None:
        return None
    return find_cluster_version(client)


def read_cluster_state(client: Client) -> ClusterState:
    """Return what the cluster says of itself; what the user may not read is a problem. Raises ``ClusterError``."""
    kinds = RestMapper(client)
    problems = Problems()
    cluster_version, kept = None, StoredInventory(None)
    try:
        cluster_version = read_cluster_version(client, kinds)
    except ApiError as error:
        problems += _forbidden(error)
    try:
        kept = read_inventory(client)
    except ApiError as error:
        problems += _forbidden(error)
    return ClusterState(kinds, kept, cluster_version, tuple(problems))


def rollout_context(
    kinds: RestMapper,
    kept: StoredInventory,
    loaded: LoadedRelease,
    said: RolloutCriteria,
    release_image: str,
    gate: FeatureGateReading,
    obj: Object | None,
) -> RolloutContext:
    """Return how ``loaded`` meets a cluster whose ClusterVersion is ``obj``. Raises ``CapabilityError``.

    What was ``said`` counts, else what the cluster says. Nothing is asked of the cluster here.
    """
    problems = Problems(gate.problems)
    cluster, found = parse_cluster_version(obj, str(CLUSTER_VERSION), strict=False) if obj else (None, ())
    if obj and cluster is None:
        raise ClusterError(found)
    options = cluster_options(said, gate, kept.inventory, cluster.overrides if cluster else ())
    target, told = status_inputs(options, loaded.release, release_image)
    facts = inclusion_context(checked_criteria(options, loaded), loaded.release, Problems())
    manifests = loaded.release.manifests
    if not gate.readable:
        waiting = [manifest for manifest in manifests if needs_feature_set(manifest)]
        if waiting and not gate.problems:
            message = f"cannot be read from the cluster, so {len(waiting)} manifests that name one are held back"
            problems.append(Problem("error", "todo", "feature_set", message, "Give feature_set"))
        manifests = tuple(manifest for manifest in manifests if not needs_feature_set(manifest))
    passing = included_manifests(manifests, facts._replace(overrides=()))
    return RolloutContext(kinds, kept, options, facts, target, passing, (*problems, *told))


def defines(manifest: Manifest, kind: ApiResource) -> bool:
    """Tell whether a manifest is the CustomResourceDefinition of ``kind``."""
    resource = manifest.resource_id
    return resource.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind and resource.name == kind.resource


def feature_gate_definition(around: ClusterState, loaded: LoadedRelease, said: RolloutCriteria) -> Manifest | None:
    """Return the manifest that defines FeatureGate for a cluster of which nobody knows the feature set yet."""
    overrides = nested(around.cluster_version, "spec", "overrides")
    overrides = overrides if isinstance(overrides, list) else ()
    options = cluster_options(said, FeatureGateReading(False), around.kept.inventory, overrides)
    facts = inclusion_context(checked_criteria(options, loaded), loaded.release, Problems())
    # Whether it needs a capability cannot be told yet; none of the real ones does.
    found = (item for item in included_manifests(loaded.release.manifests, facts) if not item.capabilities)
    return next((item for item in found if defines(item, FEATURE_GATES) and not needs_feature_set(item)), None)


def checked_criteria(options: ClusterOptions, loaded: LoadedRelease) -> InclusionCriteria:
    """Return what ``options`` say of a cluster that has ``loaded``. Raises ``InvalidOptionError``."""
    found = Problems()
    checked = check_options(options, loaded.release.minor, found)
    raise_errors(found, InvalidOptionError)
    return checked


def included_by_resource(scene: RolloutContext, status: CapabilityStatus) -> tuple[Manifest, ...]:
    """Return what is in, once for each resource: where two manifests are, the later one counts."""
    facts = scene.facts._replace(capability_status=status)
    by_resource: dict[ResourceId, Manifest] = {}
    for manifest in included_manifests(scene.loaded, facts):
        by_resource.pop(manifest.resource_id, None)
        by_resource[manifest.resource_id] = manifest
    return tuple(by_resource.values())


def resources_dropped_by(inventory: Inventory | None, loaded: LoadedRelease) -> tuple[ResourceId, ...]:
    """Return what an earlier rollout applied and no manifest of ``loaded`` speaks of, sorted."""
    spoken_of = {manifest.resource_id for manifest in loaded.release.manifests}
    return tuple(sorted(set(inventory.entries if inventory else ()) - spoken_of))


def _forbidden(error: ApiError) -> tuple[Problem, ...]:
    if not error.is_forbidden:
        raise error
    return error.problems
