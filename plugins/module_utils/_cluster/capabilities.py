# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The capabilities of a running cluster: reads and requests them, and waits until they are available."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from .._capability.inclusion import InclusionContext
from .._capability.release_properties import read_minor_data
from .._data.capabilities import MinorData
from .._kubernetes.client import Client, Snapshot
from .._kubernetes.watch import snapshots_of, watch_objects
from .._problems import ClusterError, InvalidOptionError, Problem, Problems
from .._progress import Progress
from .._release.release import Release
from .._resources import CLUSTER_OPERATORS, Object, Target, nested
from .cluster_properties import check_hosted, read_inclusion_context
from .cluster_version import CLUSTER_VERSION, ClusterVersion, parse_live_cluster_version
from .cluster_version_client import get_cluster_version, minor_data_of_cluster, update_cluster_version
from .operators import (
    Availability,
    Versions,
    check_availability,
    is_synced,
    operators_of_cluster,
    operators_of_release,
)
from .spec_change import CapabilityRequest, SpecChange, requested_names, spec_change
from .status_change import find_capability_condition

_LOCATION = str(CLUSTER_VERSION)
_OPERATORS = Target(CLUSTER_OPERATORS)
_METRIC = "cluster_version_capability"
_OVERWRITTEN = (
    "HyperShift overwrites spec.capabilities of the ClusterVersion, and the capabilities would stay enabled without a "
    "request"
)
_HOSTED_HINT = "Set spec.capabilities of the HostedCluster before its installation: they cannot change afterwards"


class CapabilityReading(NamedTuple):
    """A ClusterVersion as read, and the names and sets of its version. ``problems``: of its reading.

    ``inclusion``: how the CVO of the cluster decides about the manifests of a release, ``None`` without a release.
    """

    obj: Mapping[str, Any]
    cluster: ClusterVersion
    minor_data: MinorData
    problems: tuple[Problem, ...]
    inclusion: InclusionContext | None = None


class EnableResult(NamedTuple):
    """The change that a request made, and the object before and after it."""

    change: SpecChange
    before: CapabilityReading
    after: CapabilityReading
    problems: tuple[Problem, ...]


def read_capabilities(client: Client) -> CapabilityReading:
    """Read the ClusterVersion of a cluster. Raises ``ClusterError``."""
    return _reading(client, get_cluster_version(client), None, None)


def enable_capabilities(
    client: Client, request: CapabilityRequest, release: Release | None, *, dry_run: bool
) -> EnableResult:
    """Write ``request`` to the spec of the ClusterVersion, unless the spec already has it.

    If another client changes the object at the same time, it is read again and the change is computed again, so no
    write is lost. If the request is not valid, for example because it removes a name, raises ``CapabilityError`` and
    does not write.
    """
    reading: CapabilityReading | None = None

    def propose(obj: Object) -> tuple[Object | None, EnableResult]:
        nonlocal reading
        reading = _reading(client, obj, release, reading)
        problems = Problems()
        change = spec_change(reading.cluster, request, reading.minor_data, problems)
        problems += reading.problems
        if change is not None and change.changed:
            check_hosted(client, _OVERWRITTEN, _HOSTED_HINT, problems)
        if change is None or problems.has_errors:
            raise InvalidOptionError(problems)
        body = {"spec": {"capabilities": change.body}} if change.changed else None
        return body, EnableResult(change, reading, reading, tuple(problems))

    _before, after, result = update_cluster_version(client, CLUSTER_VERSION, propose, dry_run=dry_run)
    return result._replace(after=_reading(client, after, release, result.before))


def snapshot_for_wait(client: Client) -> Mapping[Target, Snapshot]:
    """Return the start of ``wait_for_capabilities``. Take it before writing, because it needs the same permissions.

    Raises ``ClusterError``.
    """
    return snapshots_of(client, (CLUSTER_VERSION, _OPERATORS))


def wait_for_capabilities(
    client: Client,
    enabled: EnableResult,
    request: CapabilityRequest,
    release: Release | None,
    before: Mapping[Target, Snapshot],
    seconds: float,
    progress: Progress,
    problems: Problems,
) -> CapabilityReading:
    """Wait until the status has the requested names, and their ClusterOperators are Available at their version.

    If a CVO reports its progress, also until it has applied the last change of the spec. The operators are those that
    ``release`` has for the names; without a release, those of the cluster with their annotation. ``before`` is the
    result of ``snapshot_for_wait``. Returns the last state of the cluster. Errors among ``problems`` name what is not
    available after ``seconds``, or why the state is not known.
    """
    after = enabled.after
    names = enabled.change.requested_after
    if request.append and request.selection is not None:
        names = names & request.selection.requested(after.minor_data)
    all_enabled = enabled.change.requested_after | after.cluster.enabled
    expected = None
    if release is not None and after.inclusion is not None:
        expected = operators_of_release(release, names, all_enabled, after.inclusion)

    def check(obj: Object | None, operators: Mapping[str, Object]) -> tuple[Availability, Mapping[str, Versions]]:
        present = operators_of_cluster(operators, names, after.cluster.version)
        awaited = present if expected is None else expected
        return check_availability(names, obj, operators, awaited, is_processed=_is_processed(enabled, obj)), present

    last: Object = after.obj
    # The snapshot is older than the write.
    written = Snapshot({CLUSTER_VERSION.name: last}, str(nested(last, "metadata", "resourceVersion") or ""))
    missing: tuple[Problem, ...] = ()
    code, message = "unavailable-capability", f"the requested capabilities are not available after {seconds:g} s"
    try:
        for state in watch_objects(client, {**before, CLUSTER_VERSION: written}, seconds):
            obj = state.objects[CLUSTER_VERSION].get(CLUSTER_VERSION.name)
            last = last if obj is None else obj
            error = state.error
            availability, present = check(obj, state.objects[_OPERATORS])
            is_done = obj is not None and not availability.missing
            if is_done and expected is None:
                # The event of a ClusterOperator can arrive after that of the ClusterVersion.
                try:
                    availability, present = check(obj, client.snapshot(_OPERATORS).objects)
                    is_done = not availability.missing
                except ClusterError as failed:
                    is_done, error = False, failed
            if obj is not None and is_done:
                is_known = present or is_synced(obj) or _is_processed(enabled, obj)
                if expected is None and enabled.change.added and not is_known:
                    _warn_about_status(problems)
                problems += availability.degraded
                return _reading(client, obj, release, after)
            missing = availability.missing if error is None else (*availability.missing, *error.problems)
            if error is not None:
                progress(f"waiting for the API server: {error.problems[0].message}")
            elif missing:
                progress(f"waiting for {len(missing)}: {missing[0]._replace(hint='')}")
    except ClusterError as error:
        code, message = "unknown-availability", "the state of the requested capabilities cannot be read"
        missing = error.problems
    problems.error(code, "wait", message, "Check the following problems, or increase wait_timeout")
    problems += missing
    return _reading(client, last, release, after)


def _is_processed(enabled: EnableResult, obj: Object | None) -> bool:
    """Whether the CVO shows in ``obj`` that it has processed a write that requests what it had applied before.

    It then shows the condition at once, has nothing to apply, and reports the generation minutes later.
    Source: openshift/cluster-version-operator:pkg/cvo/sync_worker.go Update.
    """
    before, after = enabled.before, enabled.after
    if not is_synced(before.obj) or not before.cluster.enabled.issuperset(enabled.change.requested_after):
        return False
    if nested(obj, "metadata", "generation") != nested(after.obj, "metadata", "generation"):
        return False  # Another client has changed the spec since.
    conditions = (find_capability_condition(nested(item, "status") or {}) or {} for item in (before.obj, obj))
    return [item.get("status") for item in conditions] == ["True", "False"]


def capabilities_dict(reading: CapabilityReading) -> dict[str, Any]:
    """Convert to the form that modules return."""
    cluster, status = reading.cluster, reading.cluster.status
    requested = requested_names(cluster, reading.minor_data)
    enabled = cluster.enabled
    known = status.known if status and status.known is not None else reading.minor_data.capabilities
    return {
        "spec": requested_block(reading),
        "openshift_version": cluster.version or None,
        "requested_capabilities": sorted(requested),
        "enabled_capabilities": sorted(enabled),
        "known_capabilities": sorted(known),
        "disabled_capabilities": sorted(known - enabled),
        "pending_capabilities": sorted(requested - enabled),
        "implicitly_enabled_capabilities": sorted(enabled - requested),
        "condition": find_capability_condition(nested(reading.obj, "status") or {}),
    }


def requested_block(reading: CapabilityReading) -> Object:
    """Return the block ``spec.capabilities``, empty if there is none."""
    return nested(reading.obj, "spec", "capabilities") or {}


def capability_metrics(enabled: Collection[str], known: Collection[str]) -> str:
    """Return a metric in the text format of Prometheus: 1 for each enabled name, 0 for all other known names.

    Source: openshift/cluster-version-operator:pkg/cvo/metrics.go.
    """
    lines = [
        f"# HELP {_METRIC} Report currently enabled cluster capabilities.  0 is disabled, and 1 is enabled.",
        f"# TYPE {_METRIC} gauge",
        *(f'{_METRIC}{{name="{name}"}} {int(name in enabled)}' for name in sorted({*enabled, *known})),
    ]
    return "\n".join(lines) + "\n"


def _reading(
    client: Client, obj: Object, release: Release | None, earlier: CapabilityReading | None
) -> CapabilityReading:
    """Parse ``obj``. What an ``earlier`` reading found out about the version is not read again."""
    problems = Problems()
    cluster = parse_live_cluster_version(obj, problems)
    # The warning that the status has no capabilities applies to every new cluster; the result shows it.
    problems = Problems(item for item in problems if item.severity != "warning")
    if earlier is not None:
        found = Problems((*problems, *earlier.problems)).unique()
        return CapabilityReading(obj, cluster, earlier.minor_data, found, earlier.inclusion)
    data: MinorData | None = None
    inclusion: InclusionContext | None = None
    if release is not None:
        _check_version(cluster, release, problems)
        inclusion = read_inclusion_context(client, obj, cluster.version or "", release, problems)
        data = release.minor and read_minor_data(release, release.minor, inclusion, problems)
    if data is None:
        data = minor_data_of_cluster(client, cluster, problems)
    return CapabilityReading(obj, cluster, data, tuple(problems), inclusion)


def _check_version(cluster: ClusterVersion, release: Release, problems: Problems) -> None:
    if cluster.version is not None and release.version not in (None, cluster.version):
        message = f"is {release.version}, but the cluster runs {cluster.version}"
        problems.error("other-release", "release", message, "Set release to the release that the cluster runs")


def _warn_about_status(problems: Problems) -> None:
    message = "waited for the status only, because the cluster has no ClusterOperator of these capabilities yet"
    hint = "Set release, which contains the ClusterOperators of the capabilities"
    problems.warning("missing-operators", "wait", message, hint)
