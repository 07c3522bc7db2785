# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The cluster as a rollout finds it: what it serves, what it says of itself, and which manifests are for it."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from .._capability.cluster_options import ClusterFacts, ClusterOptions, check_options, inclusion_facts
from .._capability.inclusion import CapabilityStatus, InclusionFacts, included_manifests
from .._cluster.cluster_version import parse_cluster_version
from .._cluster.live import CLUSTER_VERSION, find_cluster_version
from .._cluster.status_change import StatusFacts, status_facts
from .._kubernetes.client import Client
from .._kubernetes.rest_mapper import ServedKinds
from .._problems import ApiError, ClusterError, FactsError, Problem, raise_errors
from .._release.loader import LoadedRelease
from .._release.manifest import Manifest
from .._resources import CLUSTER_VERSIONS, CUSTOM_RESOURCE_DEFINITIONS, FEATURE_GATES, ResourceId, ServedKind
from .._unstructured import Object, walk
from .change_set import Known
from .feature_set import FeatureGate, cluster_options, held_back
from .inventory import Inventory
from .inventory_store import Kept, Members, read_inventory
from .options import Said


class Surroundings(NamedTuple):
    """What a cluster says of itself before a release is looked at; ``cluster_version``: ``None`` where it has none."""

    kinds: ServedKinds
    kept: Kept
    cluster_version: Object | None
    problems: tuple[Problem, ...]

    @property
    def release_image(self) -> str:
        """The pull spec of the release that the cluster has, empty where it does not say."""
        return str(walk(self.cluster_version, "status", "desired", "image") or "")

    @property
    def cluster_profile(self) -> str:
        """The profile of the last rollout, empty before the first one."""
        return self.kept.inventory.cluster_profile if self.kept.inventory else ""

    @property
    def version(self) -> str:
        """The version of the release that the cluster has, empty where nothing tells."""
        told = walk(self.cluster_version, "status", "desired", "version")
        return str(told or (self.kept.inventory.version if self.kept.inventory else ""))


class Scene(NamedTuple):
    """The cluster as the rollout finds it, and the release as the cluster meets it.

    ``loaded`` are the manifests that pass every filter but those for capabilities and overrides. ``members``:
    what the cluster has of earlier rollouts, where somebody asked for it.
    """

    kinds: ServedKinds
    kept: Kept
    options: ClusterOptions
    facts: InclusionFacts
    target: StatusFacts
    loaded: tuple[Manifest, ...]
    problems: tuple[Problem, ...]
    members: Members = Members(MappingProxyType({}), frozenset())

    @property
    def known(self) -> Known:
        """Metadata of what the cluster has of earlier rollouts."""
        return self.members.known


def read_cluster_version(client: Client, kinds: ServedKinds) -> Object | None:
    """Return the ClusterVersion, ``None`` where there is none or the kind is not served. Raises ``ClusterError``."""
    if kinds.find(CLUSTER_VERSIONS.group, CLUSTER_VERSIONS.kind) is None:
        return None
    return find_cluster_version(client)


def read_surroundings(client: Client) -> Surroundings:
    """Return what the cluster says of itself; what the user may not read is a problem. Raises ``ClusterError``."""
    kinds = ServedKinds(client)
    problems: list[Problem] = []
    cluster_version, kept = None, Kept(None)
    try:
        cluster_version = read_cluster_version(client, kinds)
    except ApiError as error:
        problems += _forbidden(error)
    try:
        kept = read_inventory(client)
    except ApiError as error:
        problems += _forbidden(error)
    return Surroundings(kinds, kept, cluster_version, tuple(problems))


def read_scene(
    kinds: ServedKinds,
    kept: Kept,
    loaded: LoadedRelease,
    said: Said,
    release_image: str,
    gate: FeatureGate,
    obj: Object | None,
) -> Scene:
    """Return how ``loaded`` meets a cluster whose ClusterVersion is ``obj``. Raises ``CapabilityError``.

    What was ``said`` counts, else what the cluster says. Nothing is asked of the cluster here.
    """
    problems: list[Problem] = list(gate.problems)
    cluster, found = parse_cluster_version(obj, str(CLUSTER_VERSION), strict=False) if obj else (None, ())
    if obj and cluster is None:
        raise ClusterError(found)
    options = cluster_options(said, gate, kept.inventory, cluster.overrides if cluster else ())
    target, told = status_facts(options, loaded.release, release_image)
    facts = inclusion_facts(checked_facts(options, loaded), loaded.release, [])
    manifests = loaded.release.manifests
    if not gate.readable:
        waiting = [manifest for manifest in manifests if held_back(manifest)]
        if waiting and not gate.problems:
            message = f"cannot be read from the cluster, so {len(waiting)} manifests that name one are held back"
            problems.append(Problem("error", "feature_set", message, "Give feature_set"))
        manifests = tuple(manifest for manifest in manifests if not held_back(manifest))
    passing = included_manifests(manifests, facts._replace(overrides=()))
    return Scene(kinds, kept, options, facts, target, passing, (*problems, *told))


def defines(manifest: Manifest, kind: ServedKind) -> bool:
    """Tell whether a manifest is the CustomResourceDefinition of ``kind``."""
    resource = manifest.resource_id
    return resource.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind and resource.name == kind.resource


def feature_gate_definition(around: Surroundings, loaded: LoadedRelease, said: Said) -> Manifest | None:
    """Return the manifest that defines FeatureGate for a cluster of which nobody knows the feature set yet."""
    overrides = walk(around.cluster_version, "spec", "overrides")
    overrides = overrides if isinstance(overrides, list) else ()
    options = cluster_options(said, FeatureGate(False), around.kept.inventory, overrides)
    facts = inclusion_facts(checked_facts(options, loaded), loaded.release, [])
    # Whether it needs a capability cannot be told yet; none of the real ones does.
    found = (item for item in included_manifests(loaded.release.manifests, facts) if not item.capabilities)
    return next((item for item in found if defines(item, FEATURE_GATES) and not held_back(item)), None)


def checked_facts(options: ClusterOptions, loaded: LoadedRelease) -> ClusterFacts:
    """Return what ``options`` say of a cluster that has ``loaded``. Raises ``FactsError``."""
    found: list[Problem] = []
    checked = check_options(options, loaded.release.minor, found)
    raise_errors(found, FactsError)
    return checked


def included_once(scene: Scene, status: CapabilityStatus) -> tuple[Manifest, ...]:
    """Return what is in, once for each resource: where two manifests are, the later one counts."""
    facts = scene.facts._replace(capability_status=status)
    by_resource: dict[ResourceId, Manifest] = {}
    for manifest in included_manifests(scene.loaded, facts):
        by_resource.pop(manifest.resource_id, None)
        by_resource[manifest.resource_id] = manifest
    return tuple(by_resource.values())


def dropped(inventory: Inventory | None, loaded: LoadedRelease) -> tuple[ResourceId, ...]:
    """Return what an earlier rollout applied and no manifest of ``loaded`` speaks of, sorted."""
    spoken_of = {manifest.resource_id for manifest in loaded.release.manifests}
    return tuple(sorted(set(inventory.entries if inventory else ()) - spoken_of))


def _forbidden(error: ApiError) -> tuple[Problem, ...]:
    if error.code != 403:
        raise error
    return error.problems
