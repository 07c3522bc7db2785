# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Which capabilities a rollout goes by: those that the ClusterVersion of the cluster has, once it has what was asked.

Where no CVO runs the rollout does its part: it makes the ClusterVersion, finds what an update turns on implicitly, and
reports all that in the status, before anything else is sent.
Source: openshift/enhancements:enhancements/installer/component-selection.md; openshift/cluster-version-operator:
pkg/cvo/sync_worker.go loadUpdatedPayload.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from .._capability.implicit_enablement import ImplicitEnablement
from .._capability.selection import Selection, capability_status, check_selection, parse_selection, translate
from .._cluster.cluster_version import ClusterVersion, capability_condition, parse_cluster_version
from .._cluster.live import CLUSTER_VERSION, find_cluster_version, update_cluster_version
from .._cluster.spec_change import CapabilityRequest, capabilities_block, merged_status, requested_names, spec_change
from .._cluster.status import UnknownToCrdError, report_status, utc_now
from .._cluster.status_change import StatusInputs, find_capability_condition, next_status
from .._data import capabilities as capability_data
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.crds import create_of_new_kind
from .._kubernetes.rest_mapper import RestMapper
from .._problems import ClusterError, InvalidOptionError, Problem, raise_errors
from .._release.manifest import Manifest
from .._unstructured import Object, nested
from .._version import Minor, find_minor, is_semantic_version, precedence
from .change_set import CapabilityResult
from .inventory import Inventory

_LOCATION = str(CLUSTER_VERSION)
Result = TypeVar("Result")

_ATTEMPTS = 5


class OutgoingRelease(NamedTuple):
    """The release that the cluster has: its version, and the manifests that were included.

    ``manifests`` is ``None`` where nobody knows them.
    """

    version: str | None
    minor: Minor | None
    manifests: Sequence[Manifest] | None


class CapabilityOptions(NamedTuple):
    """What is asked of capabilities: a selection as it was written, ``None`` for what the cluster says.

    ``target``: what the incoming release knows. ``loaded``: its manifests that pass every other filter.
    """

    capabilities: object
    target: StatusInputs
    loaded: Sequence[Manifest]


class EnablementPrediction(NamedTuple):
    """What a rollout knows of capabilities before it sends anything.

    ``kept`` are those of the inventory, ``stay_on`` all that must be on afterwards, ``implicit`` those of them that
    this very run turns on without being asked.
    """

    was_rolled_out: bool
    kept: frozenset[str]
    stay_on: frozenset[str]
    implicit: frozenset[str]
    problems: tuple[Problem, ...]


def outgoing_release(
    obj: Object | None, inventory: Inventory | None, previous: OutgoingRelease | None, incoming: str, *, began: bool
) -> OutgoingRelease:
    """Return the release that the cluster has, by the inventory or its ClusterVersion; ``previous`` was given for it.

    What was given for a cluster that has ``incoming`` already, because the same play runs again, does not count; but
    it does where a rollout ``began``, and there is no inventory: it was killed between the status and that.
    Raises ``InvalidOptionError`` where it is another one.
    """
    version = inventory.version if inventory else nested(obj, "status", "desired", "version")
    known = inventory.manifests() if inventory else None
    if previous is None or (version == incoming and (inventory is not None or not began)):
        return OutgoingRelease(version, find_minor(version), known)
    if version and version != incoming and previous.version and version != previous.version:
        message = f"is {previous.version}, and the cluster has {version}"
        hint = "Give the release that the cluster has, or leave it out: what a rollout applied is remembered"
        raise InvalidOptionError(
            [Problem("error", "todo", "previous_release", message, hint if known else hint.partition(",")[0])]
        )
    told, minor = previous.version or version, previous.minor or find_minor(version)
    return OutgoingRelease(told, minor, (*(known or ()), *(previous.manifests or ())))


def check_request(obj: Object | None, asked: CapabilityOptions) -> tuple[Problem, ...]:
    """Return what is odd about what is asked. Raises ``InvalidOptionError`` where it cannot be, such as a removal.

    Nothing is sent yet.
    """
    selection, problems = _selection(asked)
    if selection is None:
        return problems
    if obj is None:
        problems = (*problems, *check_selection(selection, asked.target.known, asked.target.hidden))
    else:
        _change, found = spec_change(_parsed(obj), CapabilityRequest(selection), asked.target.known)
        problems = (*problems, *found)
    raise_errors(problems, InvalidOptionError)
    return problems


def refuse_downgrade(outgoing: OutgoingRelease, incoming: str) -> None:
    """Raise ``InvalidOptionError`` where the cluster has a later release than ``incoming``."""
    there = outgoing.version
    if not there or not is_semantic_version(there) or not is_semantic_version(incoming):
        return
    if precedence(incoming) < precedence(there):
        message = f"is {incoming}, and the cluster has {there}: older operators may not read what is newer"
        raise InvalidOptionError(
            [Problem("error", "todo", "release", message, "Give a later one, or set allow_downgrade if you mean it")]
        )


def no_capabilities_error() -> ClusterError:
    """Return the error for a cluster without a ClusterVersion where nothing is asked either."""
    message = "does not exist, and no capabilities are given to create it with"
    hint = "Give capabilities, or let whoever creates it do so (with wait, that is waited for)"
    return ClusterError([Problem("error", "todo", _LOCATION, message, hint)])


def predict_enablement(
    obj: Object | None, asked: CapabilityOptions, outgoing: OutgoingRelease, inventory: Inventory | None
) -> EnablementPrediction:
    """Return what is on, and what the rollout turns on implicitly. Raises ``InvalidOptionError`` where nobody can tell.

    Nothing is sent yet.
    """
    kept = inventory.enabled if inventory else frozenset[str]()
    running = kept | (frozenset() if obj is None else _running(obj, asked, outgoing))
    implicit, problems = _implicit(outgoing, asked, running)
    is_told = obj is not None and nested(obj, "status", "capabilities") is not None
    return EnablementPrediction(
        inventory is not None, kept, (running if is_told else kept) | implicit, implicit, problems
    )


def reconcile_cluster_version(
    client: Client,
    kinds: RestMapper,
    obj: Object | None,
    served: bool,
    asked: CapabilityOptions,
    foreseen: EnablementPrediction,
    *,
    settling: bool,
    dry_run: bool,
    deadline: float,
    pause: float,
) -> CapabilityResult:
    """Bring the ClusterVersion to what is asked, and return what the rollout goes by. Raises ``CapabilityError``.

    ``served``: the cluster has the kind (it will have, in a dry run). ``settling``: its definition was written a moment
    ago, so that the API server may still go by the one before. Where there is no object and nothing is asked,
    whoever creates it is waited for until ``deadline`` (of ``time.monotonic``).
    """
    if not served:
        return _without_cluster_version(asked, foreseen)
    changed = False
    selection, _found = _selection(asked)
    if obj is None:
        obj, changed = _created(client, kinds, selection, asked, dry_run=dry_run, deadline=deadline, pause=pause)
    if selection is not None and nested(obj, "metadata", "uid"):
        wish, there = CapabilityRequest(selection), obj
        earlier, obj = _retry_unknown_names(
            settling, pause, lambda: _enabled(client, there, wish, asked, dry_run=dry_run)
        )
        changed = changed or earlier is not obj
    always = asked.target.always_enabled | foreseen.stay_on
    facts = asked.target._replace(always_enabled=always, compared=True)
    status_changed, obj, found = _reported(client, obj, facts, settling=settling, dry_run=dry_run, pause=pause)
    told = _parsed(obj)
    if told.status is None and not foreseen.kept:
        hint = "Mend spec.capabilities of the ClusterVersion"
        wrong = [item._replace(severity="error", hint=item.hint or hint) for item in found if item.severity != "info"]
        raise ClusterError(
            wrong or [Problem("error", "todo", _LOCATION, "its status does not tell capabilities", hint)]
        )
    status = merged_status(told, asked.target.known, foreseen.kept | foreseen.implicit)
    condition = find_capability_condition(nested(obj, "status") or {})
    return CapabilityResult(
        obj, status, condition, foreseen.implicit, changed or status_changed, (*foreseen.problems, *found)
    )


def _selection(asked: CapabilityOptions) -> tuple[Selection | None, tuple[Problem, ...]]:
    if asked.capabilities is None:
        return None, ()
    selection, problems = parse_selection(asked.capabilities)
    raise_errors(problems, InvalidOptionError)
    return selection, problems


def _created(
    client: Client,
    kinds: RestMapper,
    selection: Selection | None,
    asked: CapabilityOptions,
    *,
    dry_run: bool,
    deadline: float,
    pause: float,
) -> tuple[Object, bool]:
    """Create the ClusterVersion, or wait for whoever does."""
    if selection is None:
        return _wait_for_cluster_version(client, deadline, pause), False
    pinned = translate(selection, asked.target.known, asked.target.hidden)
    pinned = pinned._replace(additional=tuple(sorted(set(pinned.additional))))
    body = {
        "apiVersion": CLUSTER_VERSION.kind.api_version,
        "kind": CLUSTER_VERSION.kind.kind,
        "metadata": {"name": CLUSTER_VERSION.name},
        "spec": {"clusterID": str(uuid.uuid4()), "capabilities": capabilities_block(pinned)},
    }
    if dry_run:
        return body, True
    for attempt in range(_ATTEMPTS):
        try:
            created = create_of_new_kind(client, kinds, CLUSTER_VERSION, body)
            return {**body, "metadata": created.object["metadata"]}, True
        except ApiError as error:
            if not error.is_conflict:
                raise
            found = find_cluster_version(client)
            if found is not None:
                return found, error.repeated
        time.sleep(pause * attempt)
    message = "could not be created: the API server says again and again that somebody else does, and nobody did"
    raise ClusterError([Problem("error", "todo", _LOCATION, message, "Look at the API server, and run it again")])


def _wait_for_cluster_version(client: Client, deadline: float, pause: float) -> Object:
    while True:
        found = find_cluster_version(client)
        if found is not None:
            return found
        if time.monotonic() >= deadline:
            raise no_capabilities_error()
        time.sleep(pause)


def _enabled(
    client: Client, obj: Object, wish: CapabilityRequest, asked: CapabilityOptions, *, dry_run: bool
) -> tuple[Object, Object]:
    def propose(obj: Object) -> Object | None:
        change, problems = spec_change(_parsed(obj), wish, asked.target.known)
        raise_errors(problems, InvalidOptionError)
        return {"spec": {"capabilities": change.body}} if change is not None and change.changed else None

    if not dry_run:
        return update_cluster_version(client, CLUSTER_VERSION, propose, dry_run=False)
    # Not asked of the server, which may still have the definition that the rollout replaces.
    body = propose(obj)
    return obj, obj if body is None else {**obj, "spec": {**obj["spec"], **body["spec"]}}


def _running(before: Object, asked: CapabilityOptions, outgoing: OutgoingRelease) -> frozenset[str]:
    """Return what is on before the update: what status tells, and what a valid spec asks of the outgoing release."""
    cluster = _parsed(before)
    facts = (capability_data.data_of(outgoing.minor) if outgoing.minor else None) or asked.target.known
    if check_selection(cluster.selection, facts):
        return cluster.enabled
    if nested(before, "status", "desired", "version") is None and not cluster.enabled:
        return cluster.enabled  # nothing runs yet
    return cluster.enabled | requested_names(cluster, facts)


def _implicit(
    outgoing: OutgoingRelease, asked: CapabilityOptions, running: frozenset[str]
) -> tuple[frozenset[str], tuple[Problem, ...]]:
    """Return what the update turns on because of what is on the cluster, and by force."""
    target = asked.target
    if outgoing.version is None and outgoing.manifests is None:
        return frozenset(), ()
    if outgoing.manifests is None:
        vague = not is_semantic_version(target.version) and outgoing.minor == target.known.minor
        if outgoing.version == target.version or vague:
            return frozenset(), ()
        message = f"is needed: the cluster has {outgoing.version}, and nothing tells which of its resources"
        hint = "Give the release that the cluster has, so that it is known what the update to this one turns on"
        raise InvalidOptionError([Problem("error", "todo", "previous_release", message, hint)])
    causes = ImplicitEnablement(outgoing.manifests, asked.loaded).implicitly_enabled(running)
    forced = capability_data.forced_capabilities(outgoing.minor, target.known.minor) if outgoing.minor else ()
    problems = [
        Problem(
            "warning",
            "todo",
            f"{found[0].target.file}, document {found[0].target.document}",
            f"{found[0].target.resource_id} moved into capability {name}, so that the update turns {name} on for good"
            + _and_others(len({cause.target.resource_id for cause in found}) - 1),
            "It cannot be turned off again",
        )
        for name, found in causes.items()
    ]
    names = {item.capability for item in forced if item.capability not in running}
    return frozenset(causes) | names, tuple(problems)


def _and_others(count: int) -> str:
    return f" (and {count} other resource{'s' if count > 1 else ''})" if count else ""


def _reported(
    client: Client, obj: Object, facts: StatusInputs, *, settling: bool, dry_run: bool, pause: float
) -> tuple[bool, Object, tuple[Problem, ...]]:
    """Write the status, or in a dry run say what it would be; where the API refuses a name, the inventory has it."""
    if dry_run:
        return _computed(obj, facts)
    try:
        reported = _retry_unknown_names(
            settling, pause, lambda: report_status(client, facts, allow_cvo_managed=True, dry_run=False)
        )
    except UnknownToCrdError as error:
        problem = error.problems[0]
        message = f"{problem.message}; the inventory of the rollout has it until then"
        _changed, computed, problems = _computed(obj, facts)
        return False, computed, (problem._replace(severity="warning", message=message), *problems)
    return reported.changed, {**obj, "status": reported.after}, reported.problems


def _retry_unknown_names(settling: bool, pause: float, request: Callable[[], Result]) -> Result:
    """Send a request again that is refused because of names, while the API server may not know them yet."""
    for _attempt in range(_ATTEMPTS if settling else 0):
        try:
            return request()
        except ClusterError as error:
            if not isinstance(error, UnknownToCrdError) and "Unsupported value" not in str(error):
                raise
        time.sleep(pause)
    return request()


def _computed(obj: Object, facts: StatusInputs) -> tuple[bool, Object, tuple[Problem, ...]]:
    change, problems = next_status(obj, facts, utc_now().strftime("%Y-%m-%dT%H:%M:%SZ"))
    if change is None:
        raise ClusterError([item._replace(where=f"{_LOCATION}, {item.where}") for item in problems])
    return change.changed, {**obj, "status": change.after}, problems


def _without_cluster_version(asked: CapabilityOptions, foreseen: EnablementPrediction) -> CapabilityResult:
    """Return what is on where the release has no ClusterVersion and the cluster neither: the inventory remembers.

    Where nothing is asked that is what was on before, and what clusters have by default in the first rollout.
    """
    target = asked.target
    before = Selection(capability_data.NONE, tuple(sorted(foreseen.kept))) if foreseen.was_rolled_out else Selection()
    selection = _selection(asked)[0] or before
    status = capability_status(selection, target.known, target.hidden, foreseen.stay_on | target.always_enabled)
    condition = capability_condition(status)._asdict()
    return CapabilityResult(None, status, condition, foreseen.implicit, False, foreseen.problems)


def _parsed(obj: Object) -> ClusterVersion:
    cluster, found = parse_cluster_version(obj, _LOCATION, strict=False)
    if cluster is None:
        raise ClusterError(found)
    return cluster
