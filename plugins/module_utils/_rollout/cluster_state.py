# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of a cluster before a rollout, and how a release applies to it. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions, check_options
from .._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
    Override,
    depends_on_feature_set,
    included_manifests,
    is_overridden,
)
from .._capability.release_properties import check_gates
from .._capability.resolved_release import ResolvedRelease
from .._cluster.cluster_properties import (
    FEATURE_GATE,
    ClusterProperty,
    check_feature_set,
    enabled_gates,
    feature_set,
    gates_of_version,
    read_properties,
)
from .._cluster.cluster_version import CLUSTER_VERSION, ClusterVersion, parse_live_cluster_version
from .._cluster.injection import ConfigReading, read_config
from .._cluster.running_cvo import refuse_cvo
from .._cluster.status_change import StatusInputs, status_inputs
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.lookup import ExistingResources, api_identity
from .._kubernetes.rest_mapper import RestMapper
from .._module.argspec import ReleaseOptions
from .._problems import ClusterError, InvalidOptionError, Problem, Problems, Severity, raise_errors, shown_names
from .._release.manifest import Manifest
from .._release.metadata import read_version
from .._release.release import Release
from .._release_image.opened_release import OpenedRelease
from .._resources import (
    CLUSTER_VERSIONS,
    CUSTOM_RESOURCE_DEFINITIONS,
    FEATURE_GATES,
    ApiResource,
    Object,
    ResourceId,
    nested,
)
from .inventory import Inventory
from .inventory_store import StoredInventory, find_members, is_ours, read_inventory, with_unlabelled
from .options import RolloutOptions

_NO_MEMBERS = ExistingResources(MappingProxyType({}), frozenset(), (), 0)


class FeatureGateReading(NamedTuple):
    """The feature set of a cluster, ``None`` if it is not known.

    ``gates`` are the enabled gates of the release, ``None`` if the cluster does not report them.
    """

    feature_set: str | None = ""
    gates: tuple[str, ...] | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def is_unserved(self) -> bool:
        """Whether the cluster does not serve FeatureGate yet, so its feature set is unknown."""
        return self.feature_set is None and not self.problems


def read_feature_gate(
    client: Client, kinds: RestMapper, options: ClusterOptions, release: Release
) -> FeatureGateReading:
    """Read the feature set, unless ``options`` set it. Raises ``ClusterError``.

    A cluster that serves FeatureGate and has no such object has the default feature set.
    Source: openshift/cluster-version-operator:pkg/start/start.go processInitialFeatureGate.
    """
    if options.feature_set is not None and options.feature_gates is not None:
        return FeatureGateReading(options.feature_set)
    if kinds.find(FEATURE_GATES.group, FEATURE_GATES.kind) is None:
        return FeatureGateReading(options.feature_set)
    obj, denied = client.find_permitted(FEATURE_GATE)
    if denied and options.feature_set is None:
        message = f"{denied.message}, so manifests with a feature set are left out"
        problem = denied._replace(message=message, hint=f"{denied.hint}, or set feature_set")
        return FeatureGateReading(None, problems=(problem,))
    if obj is None:
        return FeatureGateReading(options.feature_set or "")
    reported, problems = feature_set(obj), Problems()
    if check_feature_set(options.feature_set, reported, problems):
        return FeatureGateReading(reported, gates_of_version(enabled_gates(obj), release.minor, release.shown_version))
    return FeatureGateReading(options.feature_set or "", problems=tuple(problems))


def cluster_options(
    options: ClusterOptions, gate: FeatureGateReading, cluster_profile: str, overrides: Sequence[Any]
) -> ClusterOptions:
    """Combine ``options`` with what the cluster reports. ``cluster_profile`` is empty if it is not known."""
    return options._replace(
        cluster_profile=options.cluster_profile or cluster_profile or DEFAULT_CLUSTER_PROFILE,
        feature_set=gate.feature_set or "",
        feature_gates=options.feature_gates if options.feature_gates is not None else gate.gates,
        overrides=overrides if options.overrides is None else options.overrides,
    )


class ClusterState(NamedTuple):
    """What a cluster reports before a release is loaded.

    ``cluster_version`` is ``None`` if it has none, and ``cluster`` is the same, parsed.
    ``reported_profile``: the cluster profile of its CVO. It is empty if the cluster does not report one, or if the user
    set one. ``platform``: of a hosted cluster whose profile was read.
    """

    kinds: RestMapper
    stored: StoredInventory
    cluster_version: Object | None
    cluster: ClusterVersion | None
    problems: tuple[Problem, ...]
    reported_profile: str = ""
    platform: str | None = None

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
        reported = self.cluster.version if self.cluster else None
        return reported or (self.inventory.version if self.inventory else "")


class RolloutContext(NamedTuple):
    """Everything that a rollout knows before it writes: the cluster, and how the release applies to it.

    ``resolved`` is the release without ``overrides``, which are those of the cluster. ``target`` is what its status
    depends on. ``dropped`` are the resources of earlier rollouts that the release does not contain. ``members`` and
    ``configuration`` are read only for a rollout.
    """

    state: ClusterState
    release: Release
    options: ClusterOptions
    resolved: ResolvedRelease
    overrides: tuple[Override, ...]
    target: StatusInputs
    dropped: tuple[ResourceId, ...]
    problems: tuple[Problem, ...]
    members: ExistingResources = _NO_MEMBERS
    configuration: ConfigReading = ConfigReading()

    @property
    def recorded(self) -> frozenset[str]:
        """The enabled capabilities that the inventory records."""
        return self.state.inventory.enabled if self.state.inventory else frozenset()

    @property
    def live(self) -> Mapping[ResourceId, Mapping[str, Any]]:
        """Metadata of the objects of earlier rollouts."""
        return self.members.existing

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

    def with_live(self, resource: ResourceId, metadata: Mapping[str, Any]) -> RolloutContext:
        """The same after ``resource`` was written, with the ``metadata`` of its object."""
        return self._replace(members=self.members._replace(existing={**self.live, resource: metadata}))


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
    found: dict[str, ClusterProperty] = {}
    if not cluster_profile and stored.inventory is None and not problems:
        found = read_properties(client, ("cluster_profile",), problems)
        if item := found.get("cluster_profile"):
            message = f"cluster_profile is {item.value}, read from {item.source}"
            problems.info("cluster-read", "cluster", message)
    profile, platform = (found[name].value if name in found else "" for name in ("cluster_profile", "platform"))
    cluster = parse_live_cluster_version(cluster_version, Problems()) if cluster_version else None
    return ClusterState(kinds, stored, cluster_version, cluster, tuple(problems), profile, platform or None)


def load_release_for(
    state: ClusterState, options: ReleaseOptions, opened: OpenedRelease, problems: Problems
) -> Release:
    """Load a release as it applies to a cluster. Raises ``ReleaseError``.

    The release image defaults to the one of the cluster, if the cluster has the same version.
    """
    image = options.release_image or opened.pull_spec
    if not image and read_version(opened.directory, options.openshift_version) == state.version:
        image = state.release_image
    return options._replace(release_image=image, cluster_profile=_profile(state, options)).load(opened, problems)


def load_previous_release(state: ClusterState, options: ReleaseOptions, opened: OpenedRelease) -> Release:
    """Load the release that the cluster has. Raises ``ReleaseError``."""
    return opened.load(Problems(), cluster_profile=_profile(state, options))


def read_context(client: Client, state: ClusterState, release: Release, options: RolloutOptions) -> RolloutContext:
    """Read everything that a rollout of ``release`` depends on.

    Raises ``ClusterError`` if a CVO manages the cluster or something cannot be read, and ``InvalidOptionError`` if the
    options do not fit the cluster.
    """
    context = read_release_context(client, state, release, options)
    entries = state.inventory.entries if state.inventory else {}
    resources = {*entries, *(manifest.resource_id for manifest in context.manifests)}
    # Without both, there was no rollout. If its records were deleted, each apply finds the object that exists.
    is_new = state.inventory is None and state.cluster_version is None
    members = _NO_MEMBERS if is_new else find_members(client, state.kinds, resources)
    members = with_unlabelled(client, state.kinds, members, context.dropped)
    configuration = read_config(client, state.kinds, context.manifests, release.minor)
    problems = Problems(context.problems)
    _report_unread(members.unclear.intersection(context.dropped), options, problems)
    return context._replace(members=members, configuration=configuration, problems=tuple(problems))


def _report_unread(dropped: frozenset[ResourceId], options: RolloutOptions, problems: Problems) -> None:
    """Report resources of earlier rollouts that may be leftovers. With ``prune``, that they stay is an error."""
    if dropped:
        names = shown_names([str(resource) for resource in sorted(dropped)])
        message = f"cannot be read, so it is not known whether they are leftovers: {names}"
        hint = "Grant the user a role that allows get and list on their kinds, or check the API servers of their groups"
        severity: Severity = "error" if options.prune else "warning"
        problems.append(Problem(severity, "unread-leftover", "resources of earlier rollouts", message, hint))


def read_release_context(
    client: Client, state: ClusterState, release: Release, options: RolloutOptions
) -> RolloutContext:
    """Read how ``release`` applies to a cluster, but not what earlier rollouts left. Raises as ``read_context``."""
    raise_errors(state.problems, ClusterError)
    if not options.allow_cvo_managed:
        refuse_cvo(client, state.cluster_version or {}, is_ours)
    gate = read_feature_gate(client, state.kinds, options.cluster, release)
    context = rollout_context(state, release, options.cluster, options.release_image, gate)
    if gate.is_unserved and any(defines(item, FEATURE_GATES) for item in context.managed):
        # No FeatureGate can exist before the rollout defines the kind, so its feature set is the default one.
        gate = FeatureGateReading()
        context = rollout_context(state, release, options.cluster, options.release_image, gate)
    _check_profile(context, options.cluster.cluster_profile)
    return context


def rollout_context(
    state: ClusterState,
    release: Release,
    given: ClusterOptions,
    release_image: str,
    gate: FeatureGateReading,
) -> RolloutContext:
    """Resolve how ``release`` applies to a cluster; sends no requests.

    Options win over what the cluster reports. Raises ``ClusterError`` and ``InvalidOptionError``.
    """
    problems = Problems((*state.problems, *gate.problems))
    overrides = state.cluster.overrides if state.cluster else ()
    options = cluster_options(given, gate, state.cluster_profile, overrides)
    resolution = Problems()
    criteria = check_options(options, release.minor, resolution)._replace(platform=state.platform)
    if given.feature_gates is not None:
        check_gates(criteria.filters.feature_gates or (), [release], resolution)
    target, resolved = status_inputs(criteria.without_overrides(), release, release_image, resolution)
    if gate.feature_set is None:
        rules = resolved.context.rules
        undecided = [item for item in release.manifests if depends_on_feature_set(item, rules)]
        if undecided and not gate.problems:
            message = f"cannot be read from the cluster, so manifests with a feature set are left out: {len(undecided)}"
            problems.error("missing-feature-set", "feature_set", message, "Set feature_set")
        decided = tuple(item for item in resolved.loaded if not depends_on_feature_set(item, rules))
        resolved = resolved._replace(loaded=decided)
    overrides, dropped = criteria.filters.overrides, _dropped_resources(state, release)
    problems += resolution
    return RolloutContext(state, release, options, resolved, overrides, target, dropped, tuple(problems))


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


def _dropped_resources(state: ClusterState, release: Release) -> tuple[ResourceId, ...]:
    """The resources of earlier rollouts that no manifest of ``release`` contains, sorted.

    A manifest that only gains or loses a namespace that the API ignores still contains its resource.
    """
    if state.inventory is None:
        return ()
    in_release = {api_identity(state.kinds, manifest.resource_id) for manifest in release.manifests}
    return tuple(sorted(item for item in state.inventory.entries if api_identity(state.kinds, item) not in in_release))


def _profile(state: ClusterState, options: ReleaseOptions) -> str:
    return options.cluster_profile or state.cluster_profile or DEFAULT_CLUSTER_PROFILE


def _read_cluster_version(client: Client, kinds: RestMapper) -> Object | None:
    if kinds.find(CLUSTER_VERSIONS.group, CLUSTER_VERSIONS.kind) is None:
        return None
    return client.find(CLUSTER_VERSION)


def _check_profile(context: RolloutContext, cluster_profile: str | None) -> None:
    """Raise ``InvalidOptionError`` if the cluster has another profile, or no manifest is in the profile."""
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
