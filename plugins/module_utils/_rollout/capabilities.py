# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reconciles the ClusterVersion, and returns the capability status that the rollout follows.

Without a CVO, the rollout creates the ClusterVersion or extends its spec, and writes the enabled capabilities to the
status, before it applies any manifest.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from .._capability.selection import Selection, capability_status
from .._cluster.cluster_version import CLUSTER_VERSION, capability_condition, parse_live_cluster_version
from .._cluster.cluster_version_client import UnknownToCrdError, explained, update_cluster_version
from .._cluster.spec_change import merged_status, spec_change
from .._cluster.status_change import StatusInputs, find_capability_condition, next_status
from .._data import capabilities as capability_data
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._problems import ClusterError, InvalidOptionError, Problem, Problems
from .._resources import CLUSTER_VERSIONS, Object, nested
from .change_set import CapabilityResult
from .cluster_state import RolloutContext
from .enablement import CapabilityPlan, capability_request, no_capabilities_error
from .options import RolloutOptions

Result = TypeVar("Result")

_STATUS = CLUSTER_VERSION._replace(subresource="status")
_ATTEMPTS = 5


class _NameRetries(NamedTuple):
    """How often a request is repeated that the API server may reject by an old definition. ``pause`` is in seconds.

    ``dry_run``: the rollout is going to replace that definition, so a rejection predicts nothing.
    """

    number: int
    pause: float
    dry_run: bool


class _Step(NamedTuple):
    obj: Object
    changed: bool


def reconcile_cluster_version(
    client: Client,
    context: RolloutContext,
    plan: CapabilityPlan,
    options: RolloutOptions,
    problems: Problems,
    *,
    crd_changed: bool,
) -> CapabilityResult:
    """Reconcile spec and status of the ClusterVersion with ``plan``. Raises ``CapabilityError``.

    ``crd_changed``: the API server may still use the previous definition of ClusterVersion.
    """
    target, existing = context.target, context.state.cluster_version
    if not plan.served:
        return _without_cluster_version(context, plan)
    attempts = _NameRetries(_ATTEMPTS if crd_changed else 0, options.timings.cluster_version, options.dry_run)
    if existing is not None:
        found = _Step(existing, changed=False)
    else:
        found = _create(client, context, plan.selection, attempts)
    extended = found if found.changed else _extend_spec(client, found.obj, plan.selection, target, attempts)
    inputs = target._replace(always_enabled=target.always_enabled | plan.stay_enabled)
    status_problems = Problems()
    is_new = existing is None and options.dry_run
    reported = _report_status(client, extended.obj, inputs, attempts, status_problems, is_new=is_new)
    cluster = parse_live_cluster_version(reported.obj, Problems())
    if cluster.status is None and not context.recorded:
        raise _unreported(status_problems)
    problems += status_problems
    return CapabilityResult(
        reported.obj,
        merged_status(cluster, target.minor_data, context.recorded | plan.implicit),
        find_capability_condition(nested(reported.obj, "status") or {}),
        plan.implicit,
        found.changed or extended.changed or reported.changed,
    )


def _unreported(status_problems: Problems) -> ClusterError:
    hint = "Correct spec.capabilities of the ClusterVersion"
    wrong = [
        problem._replace(severity="error", hint=problem.hint or hint)
        for problem in status_problems
        if problem.severity != "info"
    ]
    message = "its status does not list capabilities"
    return ClusterError(wrong or [Problem("error", "missing-status", str(CLUSTER_VERSION), message, hint)])


def _create(client: Client, context: RolloutContext, selection: Selection | None, attempts: _NameRetries) -> _Step:
    """Create the ClusterVersion, unless another client has created it."""
    if selection is None:
        raise no_capabilities_error()
    body = _new_cluster_version(selection, context.target)
    predicted = _Step({**body, "metadata": {**body["metadata"], "uid": str(uuid.uuid4())}}, changed=True)
    if attempts.dry_run and context.state.kinds.find(CLUSTER_VERSIONS.group, CLUSTER_VERSIONS.kind) is None:
        for verb in ("create", "patch"):
            client.check_access(verb, CLUSTER_VERSION)
        return predicted

    def create() -> _Step:
        try:
            return _Step(client.apply_new(CLUSTER_VERSION, body, dry_run=attempts.dry_run).object, changed=True)
        except ApiError as error:
            existing = client.find(CLUSTER_VERSION) if error.is_conflict else None
            if existing is None:
                raise explained(error, CLUSTER_VERSION) from None
            return _Step(existing, error.repeated)

    return _retry_unknown_names(attempts, create, lambda: predicted)


def _new_cluster_version(selection: Selection, target: StatusInputs) -> Object:
    pinned = selection.pinned(target.minor_data, target.gated)
    pinned = pinned._replace(additional=tuple(sorted(set(pinned.additional))))
    return {
        "apiVersion": CLUSTER_VERSION.kind.api_version,
        "kind": CLUSTER_VERSION.kind.kind,
        "metadata": {"name": CLUSTER_VERSION.name},
        "spec": {"clusterID": str(uuid.uuid4()), "capabilities": pinned.to_api(keep_empty=True)},
    }


def _extend_spec(
    client: Client, obj: Object, selection: Selection | None, target: StatusInputs, attempts: _NameRetries
) -> _Step:
    if selection is None:
        return _Step(obj, changed=False)

    def propose(live: Object) -> tuple[Object | None, None]:
        problems = Problems()
        cluster = parse_live_cluster_version(live, Problems())
        change = spec_change(cluster, capability_request(selection, target), target.minor_data, problems)
        problems.raise_errors(InvalidOptionError)
        return {"spec": {"capabilities": change.body}} if change is not None and change.changed else None, None

    def extend() -> _Step:
        before, after, _value = update_cluster_version(client, CLUSTER_VERSION, propose, dry_run=attempts.dry_run)
        return _Step(after, before is not after)

    body, _value = propose(obj)
    if body is None:
        return _Step(obj, changed=False)
    predicted = _Step({**obj, "spec": {**obj["spec"], **body["spec"]}}, changed=True)
    return _retry_unknown_names(attempts, extend, lambda: predicted)


def _report_status(
    client: Client, obj: Object, inputs: StatusInputs, attempts: _NameRetries, problems: Problems, *, is_new: bool
) -> _Step:
    """Write the status if it changes. If the API rejects a name, only the inventory records it.

    ``is_new``: in a dry run, the object does not exist.
    """
    expected = Problems()
    computed = _computed(obj, inputs, expected)
    if is_new:
        client.check_access("patch", _STATUS)
    if is_new or not computed.changed:
        problems += expected
        return computed
    spec = obj["spec"] if attempts.dry_run else None
    try:
        changed, status, reported = _retry_unknown_names(
            attempts,
            lambda: write_status(client, inputs, spec),
            lambda: (computed.changed, computed.obj["status"], expected),
        )
    except UnknownToCrdError as error:
        problem = error.problems[0]
        message = f"{problem.message}; the inventory of the rollout records it until then"
        problems.append(problem._replace(severity="warning", message=message))
        return _computed(obj, inputs, problems)._replace(changed=False)
    problems += reported
    return _Step({**obj, "status": status}, changed)


def write_status(
    client: Client, inputs: StatusInputs, predicted_spec: Object | None = None
) -> tuple[bool, Mapping[str, Any], Problems]:
    """Write the status that the CVO would write to the ClusterVersion of a cluster. Raises ``ClusterError``.

    With ``predicted_spec``, that of the rollout, it is a dry run.
    Returns whether it was changed, the status afterwards, and what is wrong with the object. If another client changes
    the object at the same time, it is read again and the status is computed again.
    """

    def propose(obj: Object) -> tuple[Object | None, Problems]:
        problems = Problems()
        obj = obj if predicted_spec is None else {**obj, "spec": predicted_spec}
        change = next_status(obj, inputs, client.server_time() or datetime.now(UTC), problems)
        return {"status": change.body} if change.changed else None, problems

    before, after, problems = update_cluster_version(client, _STATUS, propose, dry_run=predicted_spec is not None)
    return before is not after, nested(after, "status") or {}, problems


def _retry_unknown_names(
    attempts: _NameRetries, request: Callable[[], Result], predict: Callable[[], Result]
) -> Result:
    """Retry a request that is rejected because of a name while the API server may not have the new definition yet.

    It does not have it in a dry run, so ``predict`` returns the result.
    """
    for _attempt in range(attempts.number):
        try:
            return request()
        except UnknownToCrdError:
            if attempts.dry_run:
                return predict()
            time.sleep(attempts.pause)
    return request()


def _computed(obj: Object, inputs: StatusInputs, problems: Problems) -> _Step:
    status_problems = Problems()
    change = next_status(obj, inputs, datetime.now(UTC), status_problems)
    problems += status_problems
    return _Step({**obj, "status": change.after}, change.changed)


def _without_cluster_version(context: RolloutContext, plan: CapabilityPlan) -> CapabilityResult:
    """The capabilities of a cluster that does not serve ClusterVersion: the inventory records them.

    Without a request, the capabilities of the last rollout stay; the first rollout enables the cluster default.
    """
    target = context.target
    recorded = Selection(capability_data.NONE, tuple(sorted(context.recorded)))
    selection = plan.selection or (recorded if context.state.inventory is not None else Selection())
    status = capability_status(selection, target.minor_data, target.gated, plan.stay_enabled | target.always_enabled)
    condition = capability_condition(status)._asdict()
    return CapabilityResult(None, status, condition, plan.implicit, changed=False)
