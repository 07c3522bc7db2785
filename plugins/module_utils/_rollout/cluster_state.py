# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The state of a cluster before a rollout, and how a release applies to it. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import NamedTuple

from .._capability.cluster_options import ClusterOptions, check_options
from .._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
    Override,
    depends_on_feature_set,
    included_manifests,
    is_overridden,
)
from .._capability.resolved_release import ResolvedRelease
from .._cluster.cluster_version import CLUSTER_VERSION, parse_live_cluster_version
from .._cluster.live_properties import read_properties
from .._cluster.status import refuse_cvo
from .._cluster.status_change import StatusInputs, status_inputs
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._injection.configuration import ConfigReading, read_config
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.lookup import ListedKinds, api_identity
from .._kubernetes.rest_mapper import RestMapper
from .._problems import ClusterError, InvalidOptionError, Problem, Problems, raise_errors
from .._release.loader import PLACEHOLDER_IMAGE, LoadedRelease, load_release, read_version
from .._release.manifest import Manifest
from .._resources import CLUSTER_VERSIONS, CUSTOM_RESOURCE_DEFINITIONS, FEATURE_GATES, ApiResource, ResourceId
from .._unstructured import Object, nested
from .change_set import LiveMetadata
from .feature_set import FeatureGateReading, cluster_options, read_feature_gate
from .inventory import Inventory
from .inventory_store import ApplySetMembers, StoredInventory, find_members, is_ours, list_members, read_inventory
from .options import RolloutOptions, RolloutReleaseOptions

_NO_MEMBERS = ApplySetMembers(MappingProxyType({}), frozenset())


class ClusterState(NamedTuple):
    """What a cluster reports before a release is loaded. ``cluster_version`` is ``None`` if it has none.

    ``reported_profile``: the profile of its CVO, empty if it reports none or was not read for it. ``members``: the
    objects of the last rollout, of the kinds that were listed.
    """

    kinds: RestMapper
    stored: StoredInventory
    cluster_version: Object | None
    problems: tuple[Problem, ...]
    reported_profile: str = ""
    members: ListedKinds = MappingProxyType({})

    @property
    def inventory(self) -> Inventory | None:
        """The inventory of the last rollout."""
        return self.stored.inventory

    @property
    def release_image(self) -> str:
        """The pull spec of the cluster's release, empty if it does not report one."""
        return str(nested(self.cluster_version, "status", "desired", "image") or "")

    @property
    def cluster_profile(self) -> str:
        """The profile of the last rollout, before the first one that of the CVO; empty if there is neither."""
        return self.inventory.cluster_profile if self.inventory else self.reported_profile

    @property
    def version(self) -> str:
        """The version of the cluster's release, empty if unknown."""
        reported = nested(self.cluster_version, "status", "desired", "version")
        return str(reported or (self.inventory.version if self.inventory else ""))


class RolloutContext(NamedTuple):
    """Everything that a rollout knows before it writes: the cluster, and how the release applies to it.

    ``resolved`` is the release without ``overrides``, which are those of the cluster. ``target`` is what its status
    depends on. ``members`` and ``configuration`` are read only for a rollout. ``feature_gate_crd`` is the manifest that
    defines FeatureGate, if the rollout must apply it first.
    """

    state: ClusterState
    options: ClusterOptions
    resolved: ResolvedRelease
    overrides: tuple[Override, ...]
    target: StatusInputs
    problems: tuple[Problem, ...]
    members: ApplySetMembers = _NO_MEMBERS
    configuration: ConfigReading = ConfigReading()
    feature_gate_crd: Manifest | None = None

    @property
    def live(self) -> LiveMetadata:
        """Metadata of the objects of earlier rollouts."""
        return self.members.live

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """The manifests that pass every filter except capabilities and overrides."""
        return self.resolved.loaded

    @property
    def managed(self) -> tuple[Manifest, ...]:
        """The manifests that pass every filter except capabilities."""
        return self.without_overridden(self.manifests)

    def without_overridden(self, manifests: Iterable[Manifest]) -> tuple[Manifest, ...]:
        """The ones of ``manifests`` that no override of the cluster excludes."""
        return tuple(item for item in manifests if not is_overridden(item.resource_id, self.overrides))


def read_cluster_state(client: Client, cluster_profile: str | None = None) -> ClusterState:
    """Read the state of a cluster. Missing permissions are problems in it. Raises ``ClusterError``.

    ``cluster_profile``: the one that the user set. Then it is not read.
    """
    kinds = RestMapper(client)
    problems = Problems()
    cluster_version, stored = None, StoredInventory(None)
    try:
        cluster_version = _read_cluster_version(client, kinds)
    except ApiError as error:
        problems += _forbidden(error)
    try:
        stored = read_inventory(client)
    except ApiError as error:
        problems += _forbidden(error)
    profile = ""
    if not cluster_profile and stored.inventory is None and not problems:
        profile = _read_profile(client, problems)
    return ClusterState(kinds, stored, cluster_version, tuple(problems), profile)


def load_release_for(state: ClusterState, options: RolloutReleaseOptions) -> LoadedRelease:
    """Load a release as it applies to a cluster. Raises ``ReleaseError``.

    The release image defaults to that of the cluster, if the cluster has the same version.
    """
    image = options.release_image
    if not image and read_version(options.path, options.openshift_version) == state.version:
        image = state.release_image
    return _load(state, options, image or None)


def load_release_and_members(
    client: Client, state: ClusterState, options: RolloutReleaseOptions
) -> tuple[LoadedRelease, ClusterState]:
    """Load a release as ``load_release_for`` does, and list the objects of the last rollout at the same time.

    Returns ``state`` with the objects. Raises ``ReleaseError``, and ``ClusterError`` if discovery fails.
    """
    inventory = state.inventory
    if inventory is None:
        return load_release_for(state, options), state
    with ThreadPoolExecutor(max_workers=1) as executor:
        members = executor.submit(list_members, client, state.kinds, inventory)
        loaded = load_release_for(state, options)
        return loaded, state._replace(members=members.result())


def load_previous_release(state: ClusterState, options: RolloutReleaseOptions, path: str) -> LoadedRelease:
    """Load the release that the cluster has from the directory ``path``. Raises ``ReleaseError``."""
    return _load(state, options._replace(path=path, openshift_version=None), PLACEHOLDER_IMAGE)


def read_context(client: Client, state: ClusterState, loaded: LoadedRelease, options: RolloutOptions) -> RolloutContext:
    """Read everything that a rollout of ``loaded`` depends on.

    Raises ``ClusterError`` if a CVO manages the cluster or something cannot be read, and ``InvalidOptionError`` if the
    options do not fit the cluster.
    """
    raise_errors(state.problems, ClusterError)
    if not options.allow_cvo_managed:
        refuse_cvo(client, state.cluster_version or {}, is_ours)
    gate = read_feature_gate(client, state.kinds, options.cluster, loaded.release)
    context = rollout_context(state, loaded, options.cluster, options.release_image, gate)
    crd = _feature_gate_definition(context) if gate.is_unserved else None
    if crd is not None:
        gate = _expected_feature_gate(dry_run=options.dry_run)
        context = rollout_context(state, loaded, options.cluster, options.release_image, gate)
    _check_profile(context, options.cluster.cluster_profile)
    entries = state.inventory.entries if state.inventory else {}
    resources = {*entries, *(manifest.resource_id for manifest in context.manifests)}
    # Without both, there was no rollout. If its records were deleted, each apply finds the object that exists.
    is_new = state.inventory is None and state.cluster_version is None
    members = _NO_MEMBERS if is_new else find_members(client, state.kinds, sorted(resources), state.members)
    configuration = read_config(client, state.kinds, context.manifests, loaded.release.minor)
    return context._replace(members=members, configuration=configuration, feature_gate_crd=crd)


def rollout_context(
    state: ClusterState,
    loaded: LoadedRelease,
    given: ClusterOptions,
    release_image: str,
    gate: FeatureGateReading,
) -> RolloutContext:
    """Resolve how ``loaded`` applies to a cluster; sends no requests.

    Options win over what the cluster reports. Raises ``ClusterError`` and ``InvalidOptionError``.
    """
    problems = Problems((*state.problems, *gate.problems))
    obj = state.cluster_version
    cluster = parse_live_cluster_version(obj, Problems()) if obj else None
    options = cluster_options(given, gate, state.cluster_profile, cluster.overrides if cluster else ())
    release, resolution = loaded.release, Problems()
    criteria = check_options(options, release.minor, resolution)
    target, resolved = status_inputs(criteria._replace(overrides=()), release, release_image, resolution)
    if not gate.readable:
        rules = resolved.context.rules
        undecided = [item for item in release.manifests if depends_on_feature_set(item, rules)]
        if undecided and not gate.problems:
            message = (
                f"cannot be read from the cluster, so {len(undecided)} manifests with a feature set are not applied"
            )
            problems.error("missing-feature-set", "feature_set", message, "Set feature_set")
        decided = tuple(item for item in resolved.loaded if not depends_on_feature_set(item, rules))
        resolved = resolved._replace(loaded=decided)
    return RolloutContext(state, options, resolved, criteria.overrides, target, (*problems, *resolution))


def defines(manifest: Manifest, kind: ApiResource) -> bool:
    """Whether a manifest is the CustomResourceDefinition of ``kind``."""
    resource = manifest.resource_id
    return resource.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind and resource.name == kind.resource


def included_by_resource(context: RolloutContext, status: CapabilityStatus) -> tuple[Manifest, ...]:
    """The manifests whose capabilities are enabled, one for each resource: of several, the last one wins."""
    by_resource: dict[ResourceId, Manifest] = {}
    for manifest in included_manifests(context.manifests, InclusionContext(capability_status=status)):
        resource = api_identity(context.state.kinds, manifest.resource_id)
        by_resource.pop(resource, None)
        by_resource[resource] = manifest
    return tuple(by_resource.values())


def resources_dropped_by(state: ClusterState, loaded: LoadedRelease) -> tuple[ResourceId, ...]:
    """The resources of earlier rollouts that no manifest of ``loaded`` contains, sorted.

    A manifest that only gains or loses a namespace that the API ignores still contains its resource.
    """
    if state.inventory is None:
        return ()
    in_release = {api_identity(state.kinds, manifest.resource_id) for manifest in loaded.release.manifests}
    return tuple(sorted(item for item in state.inventory.entries if api_identity(state.kinds, item) not in in_release))


def _load(state: ClusterState, options: RolloutReleaseOptions, image: str | None) -> LoadedRelease:
    return load_release(
        options.path,
        openshift_version=options.openshift_version,
        cluster_profile=options.cluster_profile or state.cluster_profile or DEFAULT_CLUSTER_PROFILE,
        release_image=image,
        index_directory=options.index_directory,
    )


def _read_profile(client: Client, problems: Problems) -> str:
    """The profile of the cluster's CVO, empty if the cluster does not report it."""
    profile = read_properties(client, ("cluster_profile",), problems).get("cluster_profile")
    if profile is None:
        return ""
    problems.info("cluster-read", "cluster", f"cluster_profile is {profile.value}, read from {profile.source}")
    return str(profile.value)


def _read_cluster_version(client: Client, kinds: RestMapper) -> Object | None:
    if kinds.find(CLUSTER_VERSIONS.group, CLUSTER_VERSIONS.kind) is None:
        return None
    return client.find(CLUSTER_VERSION)


def _feature_gate_definition(context: RolloutContext) -> Manifest | None:
    """The manifest that defines FeatureGate for a cluster whose feature set is still unknown."""
    # Whether a required capability is enabled is still unknown. No real release has such a definition.
    definitions = (item for item in context.managed if defines(item, FEATURE_GATES) and not item.capabilities)
    return next(definitions, None)


def _expected_feature_gate(*, dry_run: bool) -> FeatureGateReading:
    """The reading of a cluster that serves FeatureGate and has no such object."""
    if not dry_run:
        return FeatureGateReading(readable=True)
    message = "is assumed to be the default one, because the cluster does not serve FeatureGate yet"
    return FeatureGateReading(readable=True, problems=(Problem("info", "assumed-feature-set", "feature_set", message),))


def _check_profile(context: RolloutContext, cluster_profile: str | None) -> None:
    """Raise ``InvalidOptionError`` if the profile is not that of the cluster, or includes no manifest."""
    inventory = context.state.inventory
    if cluster_profile and inventory is not None and cluster_profile != inventory.cluster_profile:
        message = f"is {cluster_profile}, but the profile of the cluster is {inventory.cluster_profile}"
        hint = "Remove the option: the profile of a cluster cannot change"
        raise InvalidOptionError([Problem("error", "different-profile", "cluster_profile", message, hint)])
    if not context.manifests:
        message = "contains no manifest for this cluster"
        hint = "Check cluster_profile, feature_set and exclude_identifier"
        raise InvalidOptionError([Problem("error", "empty-release", "release", message, hint), *context.problems])


def _forbidden(error: ApiError) -> tuple[Problem, ...]:
    if not error.is_forbidden:
        raise error
    return error.problems
