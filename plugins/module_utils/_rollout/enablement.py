# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The capabilities that a rollout enables, with and without a request. Plain rules on the data that was read before.

Source: openshift/enhancements:enhancements/installer/component-selection.md; openshift/cluster-version-operator:
pkg/cvo/sync_worker.go loadUpdatedPayload.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .._capability.implicit_enablement import ImplicitEnablement, MovedResource
from .._capability.selection import Selection, check_selection, parse_selection
from .._cluster.cluster_version import CLUSTER_VERSION, ClusterVersion
from .._cluster.spec_change import (
    CapabilityRequest,
    check_unintended_vcurrent,
    requested_names,
    spec_change,
)
from .._cluster.status_change import StatusInputs
from .._data import capabilities as capability_data
from .._data.capabilities import MinorData
from .._data.version import Minor, find_minor, is_semantic_version, precedence
from .._problems import ClusterError, InvalidOptionError, Location, Problem, Problems
from .._release.manifest import Manifest
from .cluster_state import ClusterState, RolloutContext


class OutgoingRelease(NamedTuple):
    """The release that the cluster has. ``manifests`` are those that were included, ``None`` if unknown.

    ``gates``: its enabled feature gates, ``None`` if they are not known, or do not decide.
    """

    version: str | None
    minor: Minor | None
    manifests: Sequence[Manifest] | None
    gates: frozenset[str] | None = None


class CapabilityPlan(NamedTuple):
    """How a rollout changes the ClusterVersion.

    ``served``: the cluster serves the kind, or will do so after the rollout defines it. ``selection`` is ``None`` if
    the spec of the ClusterVersion requests the capabilities. ``stay_enabled`` must be enabled afterwards. Of these,
    ``implicit`` are the ones that this run enables without a request.
    """

    served: bool
    selection: Selection | None
    stay_enabled: frozenset[str]
    implicit: frozenset[str]


def requested_selection(capabilities: object, context: RolloutContext, problems: Problems) -> Selection | None:
    """Check the option ``capabilities`` against the ClusterVersion. ``None`` if it is not set.

    Raises ``InvalidOptionError`` if the selection is invalid or omits a requested capability.
    """
    if capabilities is None:
        return None
    target, cluster = context.target, context.state.cluster
    request_problems = Problems()
    selection = parse_selection(capabilities, Location(field="capabilities"), request_problems)
    request_problems.raise_errors(InvalidOptionError)
    if cluster is None:
        check_selection(selection, target.minor_data, target.gated, request_problems)
        check_unintended_vcurrent(selection, selection.requested(target.minor_data) - target.gated, request_problems)
    else:
        spec_change(cluster, capability_request(selection, target), target.minor_data, request_problems)
    request_problems.raise_errors(InvalidOptionError)
    problems += request_problems
    return selection


def capability_request(selection: Selection, target: StatusInputs) -> CapabilityRequest:
    """Return the request of a rollout to ``target``, whose names may be requested before the status knows them."""
    return CapabilityRequest(selection, new_names=target.minor_data.capabilities - target.gated)


def outgoing_release(
    state: ClusterState, previous: OutgoingRelease | None, incoming: str, *, began: bool
) -> OutgoingRelease:
    """Find the release that the cluster has in the inventory, the ClusterVersion or the option ``previous``.

    ``previous`` is ignored if the cluster already has the version ``incoming``, as in the second run of a playbook.
    The exception is a rollout that ``began`` and was killed after it wrote the status and before the inventory.
    Raises ``InvalidOptionError`` if the cluster has another release than ``previous``.
    """
    inventory = state.inventory
    version = inventory.version if inventory else state.version or None
    recorded = inventory.manifests() if inventory else None
    if previous is None or (version == incoming and (inventory is not None or not began)):
        return OutgoingRelease(version, find_minor(version), recorded, inventory.gates if inventory else None)
    if version and version != incoming and previous.version and version != previous.version:
        message = f"is {previous.version}, but the cluster has {version}"
        hint = "Set the release that the cluster has"
        if recorded:
            hint += ", or remove the option: the inventory of the last rollout replaces it"
        raise InvalidOptionError([Problem("error", "different-version", "previous_release", message, hint)])
    known_version, minor = previous.version or version, previous.minor or find_minor(version)
    return OutgoingRelease(known_version, minor, (*(recorded or ()), *(previous.manifests or ())), previous.gates)


def refuse_downgrade(outgoing: OutgoingRelease, incoming: str) -> None:
    """Raise ``InvalidOptionError`` if the cluster has a later release than ``incoming``."""
    current = outgoing.version
    if not current or not is_semantic_version(current) or not is_semantic_version(incoming):
        return
    if precedence(incoming) < precedence(current):
        message = f"is {incoming}, but the cluster has {current}: older operators may not read newer objects"
        hint = "Set a later release, or allow_downgrade=true"
        raise InvalidOptionError([Problem("error", "older-version", "release", message, hint)])


def plan_capabilities(
    context: RolloutContext,
    selection: Selection | None,
    outgoing: OutgoingRelease,
    manifests: Sequence[Manifest],
    problems: Problems,
    *,
    served: bool,
) -> CapabilityPlan:
    """Predict which capabilities the rollout enables implicitly.

    ``manifests``: of the incoming release, the ones that pass every other filter, by the rules and gates of the
    outgoing CVO if these are known. Raises ``InvalidOptionError`` if that needs the outgoing release, which is unknown.
    """
    cluster = context.state.cluster
    recorded = context.recorded
    running = recorded | (frozenset() if cluster is None else _running(cluster, context.target, outgoing))
    # The CVO compares the releases with the new spec, so what this run requests is not enabled implicitly.
    requested = selection.requested(_outgoing_data(context.target, outgoing)) if selection else frozenset()
    implicit = _implicit(outgoing, context.target, manifests, running | requested, problems)
    is_reported = cluster is not None and cluster.status is not None
    return CapabilityPlan(served, selection, (running if is_reported else recorded) | implicit, implicit)


def no_capabilities_error() -> ClusterError:
    """The error of a cluster without a ClusterVersion and without requested capabilities."""
    message = "does not exist, and no capabilities are given to create it"
    hint = "Set capabilities, or create it"
    return ClusterError([Problem("error", "missing-cluster-version", str(CLUSTER_VERSION), message, hint)])


def _running(cluster: ClusterVersion, target: StatusInputs, outgoing: OutgoingRelease) -> frozenset[str]:
    """Capabilities before the update: those in the status, and those that a valid spec requests of the old release."""
    minor_data = _outgoing_data(target, outgoing)
    wrong_names = Problems()
    check_selection(cluster.selection, minor_data, frozenset(), wrong_names)
    if wrong_names:
        return cluster.enabled
    if cluster.version is None and not cluster.enabled:
        return cluster.enabled  # Nothing runs yet.
    return cluster.enabled | requested_names(cluster, minor_data)


def _outgoing_data(target: StatusInputs, outgoing: OutgoingRelease) -> MinorData:
    """The names and sets of the outgoing release, and of ``target`` if that is not known."""
    if outgoing.minor is None or outgoing.minor == target.minor_data.minor:
        return target.minor_data
    return capability_data.data_of(outgoing.minor) or target.minor_data


def _implicit(
    outgoing: OutgoingRelease,
    target: StatusInputs,
    manifests: Sequence[Manifest],
    running: frozenset[str],
    problems: Problems,
) -> frozenset[str]:
    """Capabilities that the update enables because it moves existing resources into them, or by a forced case."""
    if outgoing.version is None and outgoing.manifests is None:
        return frozenset()
    if outgoing.manifests is None:
        is_vague = not is_semantic_version(target.version) and outgoing.minor == target.minor_data.minor
        if outgoing.version == target.version or is_vague:
            return frozenset()
        message = f"is missing: the cluster has {outgoing.version}, and the resources of that release are unknown"
        hint = "Set the release that the cluster has, so the capabilities that the update enables are known"
        raise InvalidOptionError([Problem("error", "missing-previous-release", "previous_release", message, hint)])
    if outgoing.version == target.version:
        manifests = _changed(outgoing.manifests, manifests)
    moved = ImplicitEnablement(outgoing.manifests, manifests).implicitly_enabled(running)
    forced = capability_data.forced_capabilities(outgoing.minor, target.minor_data.minor) if outgoing.minor else ()
    _warn(moved, problems)
    return frozenset(moved) | {item.capability for item in forced if item.capability not in running}


def _changed(recorded: Iterable[Manifest], manifests: Sequence[Manifest]) -> Sequence[Manifest]:
    """The ``manifests`` of a repeated rollout whose resource none of them describes as it was ``recorded``.

    A CVO does not compare a release with itself, and of several manifests of a resource, one is recorded.
    """
    known = {(item.resource_id, item.capabilities) for item in recorded}
    same = {item.resource_id for item in manifests if (item.resource_id, item.capabilities) in known}
    return [item for item in manifests if item.resource_id not in same]


def _warn(moved: Mapping[str, Sequence[MovedResource]], problems: Problems) -> None:
    for name, resources in moved.items():
        first = resources[0].target
        more = len({moved_resource.target.resource_id for moved_resource in resources}) - 1
        others = f" (and {more} other resource{'s' if more > 1 else ''})" if more else ""
        where = f"{first.file}, document {first.document}"
        message = f"{first.resource_id} moved into capability {name}, so the update enables {name} permanently{others}"
        hint = "Plan each update with update_plan first: what it enables cannot be disabled again"
        problems.warning("implicitly-enabled-capability", where, message, hint)
