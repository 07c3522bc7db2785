# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares a cluster with the resources that a release should have created, and finds those that are missing.

Writes nothing, not even as a dry run.
One list of metadata per kind shows which resources exist. The existing ones are then read in parallel, and only their
faults are kept in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._capability.inclusion import CapabilityStatus, Reason, depends_on_feature_set
from .._capability.resolved_release import resolve_cluster
from .._cluster.admin_acks import has_cvo_manifests
from .._cluster.cluster_version import CLUSTER_VERSION
from .._cluster.running_cvo import find_running_cvo
from .._cluster.spec_change import merged_status, status_dict
from .._data.aggregated_apis import is_aggregated
from .._data.version import Minor, find_minor
from .._kubernetes.client import Client
from .._kubernetes.lookup import ExistingResources, api_identity, find_existing
from .._kubernetes.rest_mapper import RestMapper
from .._problems import ClusterError, Problem, Problems, has_errors
from .._release.manifest import Manifest, manifest_dict
from .._release.release import Release
from .._resources import CLUSTER_VERSION_CRD, Target, as_text, finalizers_of, mappings_in, nested, target_for
from .._rollout.cluster_state import (
    ClusterState,
    FeatureGateReading,
    RolloutContext,
    included_by_resource,
    read_feature_gate,
    rollout_context,
)
from .._rollout.desired_object import check_annotations
from .._rollout.inventory_store import is_applyset_member, is_ours
from .compare import CheckedResource, Owner, compare_with_cluster, report_checked
from .desired_state import DesiredState, UnexpectedResource, desired_state

ABSENT = "does not exist"
_MOST_FIELDS = 20
_CONTROLLED_SINCE = Minor(4, 13)
"""The first minor whose CVO makes the ClusterVersion the controller (openshift/cluster-version-operator:pkg/cvo)."""


class Missing(NamedTuple):
    """A manifest whose resource does not exist, with the reason."""

    manifest: Manifest
    reason: str


class ExpectedResources(NamedTuple):
    """The expected manifests: ``missing``, ``existing`` with the target, and ``unserved``, which are not compared."""

    missing: tuple[Missing, ...]
    existing: tuple[tuple[Manifest, Target], ...]
    unserved: tuple[Manifest, ...]


def find_missing(
    kinds: RestMapper,
    expected: Iterable[Manifest],
    lookup: ExistingResources,
    is_cvo_running: Callable[[], bool],
    problems: Problems,
) -> ExpectedResources:
    """Split the ``expected`` manifests, except for those that ``lookup`` could not read.

    Without a CVO, a cluster can lack the aggregated API servers of OpenShift. Their kinds are then reported as
    warnings and not as missing resources, because a rollout skips them, too. ``is_cvo_running`` is called only if such
    a kind is not served.
    """
    missing: list[Missing] = []
    existing: list[tuple[Manifest, Target]] = []
    aggregated: list[Missing] = []
    for manifest in expected:
        resource = manifest.resource_id
        if resource in lookup.unclear:
            continue
        served = kinds.find(resource.group, resource.kind, manifest.version)
        if served is None:
            unserved = Missing(manifest, f"the cluster does not serve {resource.kind} of {_api_version(manifest)}")
            (aggregated if is_aggregated(*resource.group_kind) else missing).append(unserved)
        elif served.namespaced and not resource.namespace:
            missing.append(Missing(manifest, f"the manifest has no namespace, but {resource.kind} needs one"))
        elif resource not in lookup.existing:
            missing.append(Missing(manifest, ABSENT))
        else:
            existing.append((manifest, target_for(served, resource)))
    if aggregated and is_cvo_running():
        return ExpectedResources((*missing, *aggregated), tuple(existing), ())
    _warn(aggregated, problems)
    return ExpectedResources(tuple(missing), tuple(existing), tuple(item.manifest for item in aggregated))


def _warn(aggregated: Iterable[Missing], problems: Problems) -> None:
    counts: dict[str, int] = {}
    for item in aggregated:
        where = f"{item.manifest.resource_id.kind} ({_api_version(item.manifest)})"
        counts[where] = counts.get(where, 0) + 1
    for where, count in counts.items():
        message = (
            "is not served, because the cluster lacks this aggregated API server of OpenShift; "
            f"resources not compared: {count}"
        )
        problems.warning("unserved-kind", where, message)


def _api_version(manifest: Manifest) -> str:
    group = manifest.resource_id.group
    return f"{group}/{manifest.version}" if group else manifest.version


class Verification(NamedTuple):
    """Result of a comparison. ``verified`` is the number of resources that could be checked.

    ``checked`` are the existing ones, different or not.
    """

    status: CapabilityStatus
    verified: int
    missing: tuple[Missing, ...]
    unexpected: tuple[UnexpectedResource, ...]
    checked: tuple[CheckedResource, ...]
    problems: tuple[Problem, ...]


def verify(
    client: Client, state: ClusterState, release: Release, capabilities: object, given: ClusterOptions
) -> Verification:
    """Compare the cluster with ``release``. Raises ``CapabilityError`` if the desired state is unknown.

    ``capabilities`` is a selection as given by the user; ``None`` means the capabilities that the cluster reports.
    """
    if state.version and release.version == str(find_minor(state.version)):
        release = release._replace(version=state.version)  # openshift_version can be MAJOR.MINOR
    gate = read_feature_gate(client, state.kinds, given, release)
    if gate.is_unserved:
        message = "the cluster does not serve FeatureGate, so the default feature set is used"
        gate = FeatureGateReading(problems=(Problem("info", "missing-feature-set", "feature_set", message),))
    problems = Problems(state.problems)
    _check_version(state, release, problems)
    context = rollout_context(state, release, given, state.release_image, gate)
    problems += context.problems
    status = _capability_status(context, capabilities, problems)
    desired = _desired_state(context, status, gate, problems)
    resources = {*(item.resource_id for item in desired.expected), *desired.unexpected}
    lookup = find_existing(client, state.kinds, resources)
    problems += lookup.problems
    unread = Problems()
    find_cvo = cache(lambda: _is_cvo_running(client, state, unread))
    found = find_missing(state.kinds, desired.expected, lookup, lambda: find_cvo() is not False, problems)
    is_controller = release.minor is None or release.minor >= _CONTROLLED_SINCE
    uid = str(nested(state.cluster_version, "metadata", "uid") or "") if is_controller else ""
    owner = Owner(uid, lambda: find_cvo() is True)
    checked = compare_with_cluster(client, state.kinds, release, found.existing, owner, problems)
    report_checked(checked, problems)
    problems += [_of_owners(item) for item in unread.unique()]
    unclear = {item.manifest.resource_id for item in checked if item.unclear}
    unserved = {manifest.resource_id for manifest in found.unserved}
    return Verification(
        status,
        len(resources - lookup.unclear - unclear - unserved),
        (*found.missing, *(Missing(item.manifest, ABSENT) for item in checked if item.absent)),
        _unexpected(desired, lookup),
        tuple(checked),
        problems.unique(),
    )


def _is_cvo_running(client: Client, state: ClusterState, problems: Problems) -> bool | None:
    """Whether a CVO manages the cluster, ``None`` if that cannot be read, with the reasons in ``problems``."""
    try:
        return bool(find_running_cvo(client, state.cluster_version or {}, is_ours))
    except ClusterError as error:
        problems += error.problems
        return None


def _of_owners(problem: Problem) -> Problem:
    """The warning for a reason why it is not known whether a CVO manages the cluster."""
    message = f"{problem.message}, and objects without the ClusterVersion as their owner are not reported"
    hint = "Grant the user a role that allows get on what the message names"
    return problem._replace(severity="warning", message=message, hint=hint)


def _check_version(state: ClusterState, release: Release, problems: Problems) -> None:
    """Warn of an unfinished rollout or update, which differs. Raises ``ClusterError`` for another release."""
    if state.version and release.version not in (None, state.version):
        message = f"is {release.version}, but the cluster runs {state.version}"
        problems.error("other-release", "release", message, "Set release to the release that the cluster runs")
        raise ClusterError(problems)
    if state.inventory and state.inventory.unfinished:
        message = f"the last rollout ({state.inventory.unfinished}) is incomplete"
        problems.warning("unfinished-rollout", "", message, "Run release_apply again")
    latest = next(iter(mappings_in(nested(state.cluster_version, "status", "history"))), {})
    if latest.get("state") == "Partial":
        message = f"the cluster-version operator has not completed {as_text(latest.get('version'))}"
        hint = "Wait until oc get clusterversion shows that it is not progressing, and compare again"
        problems.warning("unfinished-rollout", f"{CLUSTER_VERSION}: status.history[0]", message, hint)


def _capability_status(context: RolloutContext, capabilities: object, problems: Problems) -> CapabilityStatus:
    """Resolve the selection, by default the capabilities in the status and the inventory of the cluster."""
    if capabilities is not None:
        own = Problems()  # What cannot be read does not prevent the comparison of the rest.
        _context, status = resolve_cluster(context.options._replace(capabilities=capabilities), context.release, own)
        problems += own
        return status
    reported = context.state.cluster
    if context.state.inventory is None and (reported is None or reported.status is None):
        message = "does not report capabilities" if reported else ABSENT
        hint = "Set capabilities to the selection to compare with"
        if not context.state.problems:  # What cannot be read can exist.
            problems.error("missing-capabilities", str(CLUSTER_VERSION), message, hint)
        raise ClusterError(problems.unique())
    return merged_status(reported, context.target.minor_data, context.recorded)


def _desired_state(
    context: RolloutContext, status: CapabilityStatus, gate: FeatureGateReading, problems: Problems
) -> DesiredState:
    """Compute the desired state without manifests whose annotations make the CVO reject them; those are reported."""
    rules = context.resolved.context.rules
    release, is_known = context.release, gate.feature_set is not None
    manifests = [item for item in release.manifests if is_known or not depends_on_feature_set(item, rules)]
    inventory = context.state.inventory
    entries = inventory.entries if inventory else {}
    leftovers = {resource: entries[resource].capabilities for resource in context.dropped}
    if not has_cvo_manifests(release) and (inventory is None or CLUSTER_VERSION_CRD in entries):
        message = "lacks the CVO's own manifests, so neither they nor what earlier releases left were compared"
        problems.warning("partial-release", "release", message, "Extract the whole image, or name it")
        leftovers = {}
    inclusion = context.resolved.context._replace(capability_status=status, overrides=context.overrides)
    included = context.without_overridden(included_by_resource(context, status))
    desired = desired_state(included, manifests, inclusion, leftovers)
    kinds = context.state.kinds
    identities = {api_identity(kinds, manifest.resource_id) for manifest in desired.expected}
    unexpected = {item: why for item, why in desired.unexpected.items() if api_identity(kinds, item) not in identities}
    expected = []
    for manifest in desired.expected:
        before = len(problems)
        check_annotations(manifest, problems)
        if len(problems) == before:
            expected.append(manifest)
    return DesiredState(tuple(expected), unexpected)


def _unexpected(desired: DesiredState, lookup: ExistingResources) -> tuple[UnexpectedResource, ...]:
    """Return unexpected resources that exist. What can have another owner needs the label of the rollout."""
    found = []
    for resource, item in sorted(desired.unexpected.items()):
        metadata = lookup.existing.get(resource)
        if metadata is not None and (not item.needs_label or is_applyset_member(metadata)):
            found.append(item._replace(reasons=(*item.reasons, *_terminating(metadata))))
    return tuple(found)


def _terminating(metadata: Mapping[str, Any]) -> tuple[Reason, ...]:
    """Why a deleted object still exists."""
    since = metadata.get("deletionTimestamp")
    finalizers = ", ".join(finalizers_of({"metadata": metadata})) or "none in its metadata"
    message = f"it has been terminating since {since}; finalizers: {finalizers}"
    return (Reason("terminating", message),) if since else ()


def verification_dict(verification: Verification) -> dict[str, Any]:
    """Convert a verification to the result of the module."""
    different = [item for item in verification.checked if item.fields]
    unready = [(item.manifest, item.readiness) for item in verification.checked if item.readiness]
    return {
        "differences": _differences(verification, len(different), len(unready)),
        "changed": False,
        "verified": verification.verified,
        "missing": [{**manifest_dict(item.manifest), "reason": item.reason} for item in verification.missing],
        "unexpected": [
            {
                **item.resource._asdict(),
                "file": item.manifest.file if item.manifest else "",
                "capabilities": list(item.capabilities),
                "reasons": [reason._asdict() for reason in item.reasons],
            }
            for item in verification.unexpected
        ],
        "different": [
            {
                **manifest_dict(item.manifest),
                "fields": [field._asdict() for field in item.fields[:_MOST_FIELDS]],
                "more_fields": max(0, len(item.fields) - _MOST_FIELDS),
            }
            for item in different
        ],
        "unready": [
            {**manifest_dict(manifest), "state": readiness.state, "message": readiness.message}
            for manifest, readiness in unready
        ],
        "capability_status": status_dict(verification.status),
    }


def _differences(verification: Verification, different: int, unready: int) -> list[str]:
    """What keeps a cluster from being as its release describes.

    What an earlier rollout left does not: no CVO deletes it.
    """
    unexpected = [item for item in verification.unexpected if not item.needs_label]
    counts = {
        "missing": len(verification.missing),
        "different": different,
        "unready": unready,
        "unexpected": len(unexpected),
    }
    failed = has_errors(verification.problems)
    return [
        *(f"{count} {name}" for name, count in counts.items() if count),
        *(["some resources could not be checked"] if failed else []),
    ]
