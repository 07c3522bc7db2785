# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The capabilities of a cluster: read, asked for, and waited for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._capability.release_properties import minor_data
from .._capability.selection import requested
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, DEFAULT_CLUSTER_PROFILE, MinorData
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client, Snapshot
from .._kubernetes.watch import snapshots_of, watch_objects
from .._problems import ClusterError, InvalidOptionError, Problem, Problems, raise_errors
from .._release.release import Release
from .._resources import CLUSTER_OPERATORS, Target
from .._unstructured import Object, nested
from .cluster_version import ClusterVersion, parse_cluster_version
from .live import CLUSTER_VERSION, get_cluster_version, minor_data_of_cluster, update_cluster_version
from .operators import check_availability, operators_of_cluster, operators_of_release
from .spec_change import CapabilityRequest, SpecChange, implicitly_enabled, requested_names, spec_change
from .status_change import find_capability_condition

_LOCATION = str(CLUSTER_VERSION)
_OPERATORS = Target(CLUSTER_OPERATORS)
_STATUS_ALONE = Problem(
    "warning",
    "todo",
    "wait",
    "waited for the status alone, because the cluster has no ClusterOperator of these capabilities yet",
    "Give release, which says what they bring",
)


class CapabilityReading(NamedTuple):
    """A ClusterVersion as it was read, and what its version knows."""

    obj: Mapping[str, Any]
    cluster: ClusterVersion
    facts: MinorData
    problems: tuple[Problem, ...]


class EnableResult(NamedTuple):
    """A wish that was sent: the change, and the object before and after it."""

    change: SpecChange
    before: CapabilityReading
    after: CapabilityReading
    problems: tuple[Problem, ...]


def read_capabilities(client: Client) -> CapabilityReading:
    """Read the ClusterVersion of a cluster. Raises ``ClusterError``."""
    return _reading(client, get_cluster_version(client), None, None)


def enable_capabilities(
    client: Client, wish: CapabilityRequest, release: Release | None, *, dry_run: bool
) -> EnableResult:
    """Ask a cluster for what ``wish`` says, unless its spec does already.

    Where somebody else writes at the same time, what they wrote is read and the wish is looked at anew, so nothing is
    lost. Raises ``CapabilityError``: whatever is wrong with the wish, a removal included; nothing is sent then.
    """
    looked_at: list[tuple[CapabilityReading, SpecChange, tuple[Problem, ...]]] = []

    def propose(obj: Object) -> Object | None:
        known = looked_at[-1][0].facts if looked_at else None
        reading = _reading(client, obj, release, known)
        change, found = spec_change(reading.cluster, wish, reading.facts)
        problems = (*found, *reading.problems)
        raise_errors(problems, InvalidOptionError)
        if change is None:
            raise AssertionError("a change that cannot be told is an error")
        looked_at.append((reading, change, problems))
        return {"spec": {"capabilities": change.body}} if change.changed else None

    try:
        before, after = update_cluster_version(client, CLUSTER_VERSION, propose, dry_run=dry_run)
    except ApiError as error:
        raise _explained(error, looked_at[-1][0] if looked_at else None) from None
    reading, change, problems = next(item for item in looked_at if item[0].obj is before)
    return EnableResult(change, reading, _reading(client, after, release, reading.facts), problems)


def snapshot_for_wait(client: Client) -> Mapping[Target, Snapshot]:
    """Return what ``wait_for_capabilities`` begins with. Taken before anything is written, it tells which rights are
    missing.

    Raises ``ClusterError``.
    """
    return snapshots_of(client, (CLUSTER_VERSION, _OPERATORS))


def wait_for_capabilities(
    client: Client,
    enabled: EnableResult,
    wish: CapabilityRequest,
    release: Release | None,
    before: Mapping[Target, Snapshot],
    seconds: float,
) -> tuple[CapabilityReading, tuple[Problem, ...]]:
    """Wait until status has what was asked for, and the ClusterOperators of that are Available at their version.

    Those are the operators that ``release`` has for them, else those of the cluster that say to belong to them.
    ``before`` is what ``snapshot_for_wait`` returned. Returns what the cluster had in the end; errors among the
    problems
    say what held it up after ``seconds``, or why nobody can tell.
    """
    wanted = enabled.change.requested_after
    if wish.append and wish.selection is not None:
        wanted = wanted & requested(wish.selection, enabled.after.facts)
    is_on = enabled.change.requested_after | enabled.after.cluster.enabled
    expected = None if release is None else operators_of_release(release, wanted, is_on)
    last: Object = enabled.after.obj
    missing: tuple[Problem, ...] = ()
    message = f"it is requested, and not there after {seconds:g} s"
    try:
        for state in watch_objects(client, before, seconds):
            obj = state.objects[CLUSTER_VERSION].get(CLUSTER_VERSION.name)
            last = last if obj is None else obj
            operators = state.objects[_OPERATORS]
            of_cluster = operators_of_cluster(operators, wanted, enabled.after.cluster.version)
            arrival = check_availability(wanted, obj, operators, of_cluster if expected is None else expected)
            if obj is not None and not arrival.missing:
                unsure = (_STATUS_ALONE,) if expected is None and enabled.change.added and not of_cluster else ()
                return _reading(client, obj, release, enabled.after.facts), (*unsure, *arrival.complaints)
            missing = arrival.missing if state.trouble is None else (*arrival.missing, *state.trouble.problems)
    except ClusterError as error:
        message, missing = "it is requested, and nobody can tell whether it is there", error.problems
    held_up = Problem("error", "todo", "wait", message, "Look at what follows, or raise wait_timeout")
    return _reading(client, last, release, enabled.after.facts), (held_up, *missing)


def capabilities_dict(reading: CapabilityReading) -> dict[str, Any]:
    """Return what a cluster has in the shape that playbooks get."""
    cluster, status = reading.cluster, reading.cluster.status
    asked = requested_names(cluster, reading.facts)
    enabled = cluster.enabled
    known = status.known if status and status.known is not None else reading.facts.capabilities
    return {
        "spec": nested(reading.obj, "spec", "capabilities") or {},
        "openshift_version": cluster.version or None,
        "requested_capabilities": sorted(asked),
        "enabled_capabilities": sorted(enabled),
        "known_capabilities": sorted(known),
        "available_capabilities": sorted(known - enabled),
        "pending_capabilities": sorted(asked - enabled),
        "implicitly_enabled_capabilities": sorted(implicitly_enabled(cluster, asked)),
        "condition": find_capability_condition(nested(reading.obj, "status") or {}),
        "metrics": capability_metrics(enabled, known),
    }


def _reading(client: Client, obj: Object, release: Release | None, known: MinorData | None) -> CapabilityReading:
    cluster, found = parse_cluster_version(obj, _LOCATION, strict=False)
    if cluster is None:
        raise ClusterError(found)
    # That status tells nothing yet is so on every new cluster, and told by the result itself.
    problems = Problems(item for item in found if item.severity != "warning")
    if known is None and release is not None:
        problems += _of_another_version(cluster, release)
        known = release.minor and minor_data(release, release.minor, "", DEFAULT_CLUSTER_PROFILE, problems)
    if known is None:
        known = minor_data_of_cluster(client, cluster, problems)
    return CapabilityReading(obj, cluster, known, tuple(problems))


def _of_another_version(cluster: ClusterVersion, release: Release) -> list[Problem]:
    if cluster.version is None or release.version in (None, cluster.version):
        return []
    message = f"is {release.version}, and the cluster runs {cluster.version}"
    return [Problem("error", "todo", "release", message, "Give the release that the cluster runs")]


def _explained(error: ApiError, reading: CapabilityReading | None) -> ClusterError:
    """Return the server's refusal, with what to do where its CustomResourceDefinition is older than its version."""
    if reading is None or not error.unsupported_values:
        return error
    version = reading.cluster.version or reading.facts.minor
    message = (
        f"{error.problems[0].message}. The CustomResourceDefinition is older than {version}, or of another flavour"
    )
    hint = "Leave the name out, or apply the ClusterVersion CustomResourceDefinition of the release that runs"
    return ClusterError([Problem("error", "todo", "", message, hint)])


def spec_lines(obj: Mapping[str, Any]) -> str:
    """Return the block ``spec.capabilities`` of a ClusterVersion as lines for a diff; empty where there is none."""
    block = nested(obj, "spec", "capabilities")
    if not isinstance(block, Mapping) or not block:
        return ""
    lines = [f"{API_BASELINE}: {block.get(API_BASELINE, '')}".rstrip(), f"{API_ADDITIONAL}:"]
    return "\n".join([*lines, *(f"- {name}" for name in block.get(API_ADDITIONAL) or ())]) + "\n"


NAME = "cluster_version_capability"


def capability_metrics(enabled: Iterable[str], known: Iterable[str]) -> str:
    """Return Prometheus' text format: 1 for each name that is on, known or not, 0 for the others that are known.

    Source: openshift/cluster-version-operator:pkg/cvo/metrics.go.
    """
    is_on = frozenset(enabled)
    lines = [
        f"# HELP {NAME} Report currently enabled cluster capabilities.  0 is disabled, and 1 is enabled.",
        f"# TYPE {NAME} gauge",
        *(f'{NAME}{{name="{name}"}} {int(name in is_on)}' for name in sorted({*is_on, *known})),
    ]
    return "\n".join(lines) + "\n"
