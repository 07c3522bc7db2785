# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A cluster, compared with what a release says should be there. Nothing is written, not even as a dry run.

One list of metadata for each kind tells what is there; what is and should be is then read, several objects at a time,
and of each only what is wrong with it is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._capability.inclusion import CapabilityStatus
from .._capability.resolved_release import resolve_cluster
from .._cluster.cluster_version import parse_cluster_version
from .._cluster.live import CLUSTER_VERSION
from .._cluster.readiness import Readiness
from .._cluster.spec_change import merged_status
from .._kubernetes.client import Client
from .._kubernetes.lookup import ExistingResources, find_existing
from .._kubernetes.rest_mapper import RestMapper
from .._problems import ClusterError, Problem, Problems
from .._release.loader import LoadedRelease
from .._release.manifest import Manifest
from .._resources import ResourceId, Target, target_for
from .._rollout.cluster_state import (
    ClusterState,
    RolloutContext,
    included_by_resource,
    resources_dropped_by,
    rollout_context,
)
from .._rollout.desired_object import PART_OF, check_annotations
from .._rollout.feature_set import FeatureGateReading, needs_feature_set, read_feature_gate
from .._rollout.inventory import applyset_id
from .._unstructured import nested
from .compare import compare, problems_of
from .desired_state import DesiredState, UnexpectedResource, desired_state
from .difference import Difference

_ABSENT = "does not exist"


class Missing(NamedTuple):
    """A manifest whose resource is not there, and why."""

    manifest: Manifest
    reason: str


class Unexpected(NamedTuple):
    """A resource that is there and should not be."""

    resource: ResourceId
    unwanted: UnexpectedResource


class Different(NamedTuple):
    """A manifest whose resource is there with other content."""

    manifest: Manifest
    fields: tuple[Difference, ...]


class Unready(NamedTuple):
    """A manifest whose resource is there and does not work."""

    manifest: Manifest
    readiness: Readiness


class Verification(NamedTuple):
    """What came of a comparison. ``verified``: how many resources could be looked at."""

    status: CapabilityStatus
    verified: int
    missing: tuple[Missing, ...]
    unexpected: tuple[Unexpected, ...]
    different: tuple[Different, ...]
    unready: tuple[Unready, ...]
    problems: tuple[Problem, ...]


def verify(
    client: Client, around: ClusterState, loaded: LoadedRelease, capabilities: object, said: ClusterOptions
) -> Verification:
    """Compare the cluster with ``loaded``. Raises ``CapabilityError`` where it is not known what should be there.

    ``capabilities`` is a selection as it was written; ``None``: those count that the cluster has.
    """
    gate = read_feature_gate(client, around.kinds, said, loaded.release)
    if not gate.readable and not gate.problems:
        message = "FeatureGate is not served, so this goes by the default feature set"
        gate = FeatureGateReading(True, problems=(Problem("info", "todo", "feature_set", message),))
    scene = rollout_context(around, loaded, said, around.release_image, gate)
    status, told = _capability_status(around, scene, loaded, capabilities)
    problems = Problems((*around.problems, *_stale(around, loaded), *scene.problems, *told))
    expected, wrong = _expected(scene, loaded, status, gate)
    kinds = around.kinds
    everything = {*(item.resource_id for item in expected.wanted), *expected.unwanted}
    presence = find_existing(client, kinds, everything)
    missing, there = _missing(kinds, expected.wanted, presence)
    looked = compare(client, kinds, loaded, there, problems)
    missing += [Missing(item.manifest, _ABSENT) for item in looked if item.absent]
    unclear = presence.unclear | {item.manifest.resource_id for item in looked if item.unclear}
    return Verification(
        status,
        len(everything - unclear),
        tuple(missing),
        _unexpected(expected, presence),
        tuple(Different(item.manifest, item.fields) for item in looked if item.fields),
        tuple(Unready(item.manifest, item.readiness) for item in looked if item.readiness),
        tuple(dict.fromkeys((*problems, *wrong, *presence.problems, *problems_of(looked)))),
    )


def _stale(around: ClusterState, loaded: LoadedRelease) -> Iterable[Problem]:
    """Yield what makes findings likely that mean nothing."""
    version = around.version
    if version and version != loaded.release.shown_version:
        message = f"is {loaded.release.shown_version}, and the cluster has {version}"
        yield Problem("warning", "todo", "release", message, "Give the release that the cluster has")
    if around.inventory and around.inventory.unfinished:
        message = f"the last rollout ({around.inventory.unfinished}) did not end well"
        yield Problem("warning", "todo", "", message, "Let release_apply end it")


def _capability_status(
    around: ClusterState, scene: RolloutContext, loaded: LoadedRelease, capabilities: object
) -> tuple[CapabilityStatus, tuple[Problem, ...]]:
    """Return what a selection comes to; without one what the cluster says to have on, in status and inventory."""
    if capabilities is not None:
        options = scene.options._replace(capabilities=capabilities)
        problems = Problems()
        return resolve_cluster(options, loaded.release, problems)[1], tuple(problems)
    inventory, obj = around.inventory, around.cluster_version
    told = parse_cluster_version(obj, str(CLUSTER_VERSION), Problems(), strict=False) if obj else None
    if inventory is None and (told is None or told.status is None):
        message = "does not tell which capabilities the cluster has" if obj else "is not there to tell capabilities"
        problem = Problem(
            "error", "todo", str(CLUSTER_VERSION), message, "Give capabilities to compare the cluster with"
        )
        raise ClusterError([*around.problems, problem])
    kept = inventory.enabled if inventory else frozenset[str]()
    return merged_status(told, scene.target.minor_data, kept), ()


def _expected(
    scene: RolloutContext, loaded: LoadedRelease, status: CapabilityStatus, gate: FeatureGateReading
) -> tuple[DesiredState, tuple[Problem, ...]]:
    """Return what should be there; a manifest that the CVO would not apply whatever it says is a problem."""
    manifests = [item for item in loaded.release.manifests if gate.readable or not needs_feature_set(item)]
    entries = scene.state.inventory.entries if scene.state.inventory else {}
    leftovers = {
        resource: entries[resource].capabilities for resource in resources_dropped_by(scene.state.inventory, loaded)
    }
    facts = scene.inclusion._replace(capability_status=status)
    found = desired_state(included_by_resource(scene, status), manifests, facts, leftovers)
    wanted, wrong = [], Problems()
    for manifest in found.wanted:
        found_here = Problems()
        check_annotations(manifest, found_here)
        wrong += found_here
        if not found_here:
            wanted.append(manifest)
    return found._replace(wanted=tuple(wanted)), tuple(wrong)


def _missing(
    kinds: RestMapper, wanted: Iterable[Manifest], presence: ExistingResources
) -> tuple[list[Missing], list[tuple[Manifest, Target]]]:
    """Return what is not there, and where the rest is."""
    missing, there = [], []
    for manifest in wanted:
        resource = manifest.resource_id
        if resource in presence.unclear:
            continue
        served = kinds.find(resource.group, resource.kind, manifest.version)
        if served is None:
            version = f"{resource.group}/{manifest.version}" if resource.group else manifest.version
            missing.append(Missing(manifest, f"the cluster does not serve {resource.kind} of {version}"))
        elif served.namespaced and not resource.namespace:
            missing.append(Missing(manifest, f"the manifest names no namespace, and {resource.kind} needs one"))
        elif resource not in presence.existing:
            missing.append(Missing(manifest, _ABSENT))
        else:
            there.append((manifest, target_for(served, resource)))
    return missing, there


def _unexpected(expected: DesiredState, presence: ExistingResources) -> tuple[Unexpected, ...]:
    """Return what is there and should not be; a leftover without our mark is somebody else's by now."""
    return tuple(
        Unexpected(resource, unwanted)
        for resource, unwanted in sorted(expected.unwanted.items())
        if resource in presence.existing and (unwanted.manifest is not None or _is_ours(presence.existing[resource]))
    )


def _is_ours(metadata: Mapping[str, Any]) -> bool:
    return bool(nested(metadata, "labels", PART_OF) == applyset_id())
