# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A release, rolled out to a cluster that no cluster-version operator looks after.

First the ClusterVersion and its status, so that everybody knows what is on, then the inventory, then the manifests.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._capability.cluster_options import inclusion_context
from .._capability.inclusion import CapabilityStatus, included_manifests
from .._cluster.cluster_version import CVO
from .._cluster.status import refuse_cvo
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.retries import retry_while_unreachable
from .._problems import ClusterError, InvalidOptionError, Problem, Problems, raise_errors
from .._release.loader import LoadedRelease
from .._release.manifest import Manifest
from .._release.task_graph import Mode, task_graph
from .._resources import CLUSTER_VERSIONS, FEATURE_GATES, ResourceId
from .._unstructured import Object, nested
from .apply import Applier
from .capabilities import (
    CapabilityOptions,
    OutgoingRelease,
    check_request,
    no_capabilities_error,
    outgoing_release,
    predict_enablement,
    reconcile_cluster_version,
    refuse_downgrade,
)
from .change_set import RETRYABLE, Action, ApplyResult, ChangeSet, Leftover, LiveMetadata, Rollout
from .cluster_state import (
    ClusterState,
    RolloutContext,
    checked_criteria,
    defines,
    feature_gate_definition,
    included_by_resource,
    rollout_context,
)
from .desired_object import PART_OF, OwnershipMetadata, wants_proxy
from .feature_set import FeatureGateReading, read_feature_gate, read_proxy
from .graph_runner import GraphRunner, Pace
from .inventory import Inventory, applyset_id
from .inventory_plan import final_inventory, planned_inventory
from .inventory_store import ApplySetMembers, RunLock, members_of_cluster, write_inventory
from .journal import Journal, RolloutEvents
from .options import REAL_TIMINGS, ApplyOptions, RolloutOptions, Timings
from .prune import as_kept, leftovers_of, prune, refuse_unsafe_prune
from .wait import wait_until_ready

_DONE: frozenset[Action] = frozenset({"created", "changed", "unchanged", "deleted", "absent", "unserved"})
"""What the next run has nothing to do about."""

_FAILED = RETRYABLE - {"unserved"} | {"failed"}


def roll_out(
    client: Client,
    around: ClusterState,
    loaded: LoadedRelease,
    previous: LoadedRelease | None,
    wishes: RolloutOptions,
    journal: Journal,
    timings: Timings = REAL_TIMINGS,
) -> Rollout:
    """Roll ``loaded`` out. Raises ``CapabilityError`` where nothing of it may be sent.

    ``previous`` is the release that the cluster has, where the inventory does not know it.
    """
    raise_errors(around.problems, ClusterError)
    deadline = time.monotonic() + (wishes.wait_timeout if wishes.wait else 0)
    if not wishes.allow_cvo_managed:
        refuse_cvo(client, around.cluster_version or {}, _is_ours)
    run = _Run(client, around, loaded, wishes, journal, deadline, timings, [], [])
    scene = _context(run)
    inventory, obj, version = around.kept.inventory, around.cluster_version, loaded.release.shown_version
    asked = CapabilityOptions(wishes.capabilities, scene.target, scene.loaded)
    problems = [*scene.problems, *check_request(obj, asked)]
    outgoing = outgoing_release(obj, inventory, _outgoing(previous, scene), version, began=bool(scene.known))
    if not wishes.allow_downgrade:
        refuse_downgrade(outgoing, version)
    foreseen = predict_enablement(obj, asked, outgoing, inventory)
    if obj is None and asked.capabilities is None and not wishes.wait and _knows_cluster_version(run):
        raise no_capabilities_error()
    if wishes.prune:
        refuse_unsafe_prune(scene, loaded)
    proxy, no_proxy = _proxy(run, scene)
    served = _serve_cluster_version(run, scene)
    settling = any(sent.state != "unchanged" for sent in run.first)
    settled = reconcile_cluster_version(
        client,
        around.kinds,
        obj,
        served,
        asked,
        foreseen,
        settling=settling,
        dry_run=wishes.dry_run,
        deadline=deadline,
        pause=timings.cluster_version,
    )
    problems += settled.problems
    before = inventory.implicit if inventory is not None and inventory.unfinished else frozenset[str]()
    settled = settled._replace(implicit=settled.implicit | before)
    if settled.implicit:
        journal.note("capabilities", turned_on=sorted(settled.implicit))
    included = included_by_resource(scene, settled.status)
    if any(wants_proxy(manifest) for manifest in included):
        raise_errors(no_proxy, ClusterError)
    problems += _warn_about_cvo(included)
    wanted = _next_mode(inventory, outgoing, version, settled.status)
    mode = wishes.mode or wanted
    planned = planned_inventory(scene, version, settled, included, mode)
    kept = around.kept if wishes.dry_run else write_inventory(client, around.kept, planned, begins=True)
    marks = OwnershipMetadata(applyset_id(), str(nested(settled.cluster_version, "metadata", "uid") or ""), proxy)
    claim = RunLock(client, kept, timings.lock_check)
    outcome = _walk(run, _sender(run, scene.known, mode, marks), included, mode, claim)
    leftovers, found = _leftovers(run, scene, outcome, claim)
    problems += found
    # What an update has to do beyond the mode that was given is still to be done.
    done = not outcome.left and all(sent.state in _DONE for sent in outcome.sent) and mode in (wanted, "update")
    if not wishes.dry_run:
        try:
            final = final_inventory(planned, scene, loaded, outcome, leftovers, None if done else wanted)
            retry_while_unreachable(lambda: write_inventory(client, kept, final))
        except ClusterError as error:
            problems += error.problems  # what was sent has to be told all the same
    noted = inventory is None or (inventory.version, inventory.enabled) != (planned.version, planned.enabled)
    return Rollout(mode, version, obj, settled, outcome, leftovers, noted, tuple(dict.fromkeys(problems)))


class _Run(NamedTuple):
    """One rollout on its way. ``definitions`` are to be sent before everything else, ``first`` is what came of them."""

    client: Client
    around: ClusterState
    loaded: LoadedRelease
    wishes: RolloutOptions
    journal: Journal
    deadline: float
    timings: Timings
    first: list[ApplyResult]
    definitions: list[Manifest]


def _is_ours(obj: Object) -> bool:
    return bool(nested(obj, "metadata", "labels", PART_OF) == applyset_id())


def _context(run: _Run) -> RolloutContext:
    """Return the cluster as the rollout finds it, or will when it can say its feature set."""
    said, around = run.wishes.said, run.around
    gate = read_feature_gate(run.client, around.kinds, said, run.loaded.release)
    if not gate.readable and not gate.problems:
        gate = _feature_gate_to_be(run)
    scene = rollout_context(
        around.kinds, around.kept, run.loaded, said, run.wishes.release_image, gate, around.cluster_version
    )
    _check_profile(run, scene)
    return scene._replace(members=_members(run, scene))


def _check_profile(run: _Run, scene: RolloutContext) -> None:
    """Raise ``InvalidOptionError`` where the profile is another one than that of the cluster, or of no manifest at
    all.
    """
    given, inventory = run.wishes.said.cluster_profile, run.around.kept.inventory
    if given and inventory is not None and given != inventory.cluster_profile:
        message = f"is {given}, and the cluster was rolled out with {inventory.cluster_profile}"
        raise InvalidOptionError(
            [Problem("error", "todo", "cluster_profile", message, "Leave it out: a cluster keeps its profile")]
        )
    if not scene.loaded:
        message = "has no manifest for a cluster like this"
        hint = "Look at cluster_profile, feature_set and exclude_identifier"
        raise InvalidOptionError([Problem("error", "todo", "release", message, hint), *scene.problems])


def _feature_gate_to_be(run: _Run) -> FeatureGateReading:
    """Return what the cluster will say of features once it serves the kind; its definition is going to be sent."""
    crd = feature_gate_definition(run.around, run.loaded, run.wishes.said)
    if crd is None:
        return FeatureGateReading(False)
    run.definitions.append(crd)
    if run.wishes.dry_run:
        message = "FeatureGate is not served yet, so the check goes by the default feature set"
        return FeatureGateReading(True, problems=(Problem("info", "todo", "feature_set", message),))
    return FeatureGateReading(True)


def _members(run: _Run, scene: RolloutContext) -> ApplySetMembers:
    """Return what the cluster has of earlier rollouts, also of one whose inventory is lost."""
    inventory = scene.kept.inventory
    resources = {*(inventory.entries if inventory else ()), *(manifest.resource_id for manifest in scene.loaded)}
    return members_of_cluster(run.client, scene.kinds, sorted(resources))


def _define_feature_gate(run: _Run, scene: RolloutContext) -> None:
    """Send the definition of FeatureGate where the cluster lacks it, and see that it says what was expected."""
    for crd in run.definitions if not run.wishes.dry_run else ():
        _send_first(run, scene.known, crd)
        gate = read_feature_gate(run.client, scene.kinds, run.wishes.said, run.loaded.release)
        if not gate.readable or gate.feature_set != scene.facts.feature_set:
            message = f"says {gate.feature_set or 'nothing yet'}: somebody has just created it"
            raise ClusterError([Problem("error", "todo", str(FEATURE_GATES.resource), message, "Run it again")])


def _serve_cluster_version(run: _Run, scene: RolloutContext) -> bool:
    """Make sure that the API knows ClusterVersion as the release has it; tell whether the cluster serves the kind."""
    _define_feature_gate(run, scene)
    is_served = scene.kinds.find(CLUSTER_VERSIONS.group, CLUSTER_VERSIONS.kind) is not None
    managed = included_manifests(scene.loaded, scene.facts)
    crd = next((item for item in managed if defines(item, CLUSTER_VERSIONS)), None)
    if crd is None and not is_served:
        _refuse_without_definition(run, scene)
    if crd is None:
        return is_served
    if not run.wishes.dry_run:
        _send_first(run, scene.known, crd)
    return True


def _knows_cluster_version(run: _Run) -> bool:
    """Tell whether the cluster or the release has the kind."""
    served = run.around.kinds.find(CLUSTER_VERSIONS.group, CLUSTER_VERSIONS.kind)
    return served is not None or any(defines(item, CLUSTER_VERSIONS) for item in run.loaded.release.manifests)


def _refuse_without_definition(run: _Run, scene: RolloutContext) -> None:
    """Raise ``ClusterError`` where the release defines ClusterVersion, and not for a cluster like this."""
    manifests = run.loaded.release.manifests
    flavours = [item for item in manifests if defines(item, CLUSTER_VERSIONS)]
    if not flavours:
        return
    message = "the release has it, and none of its flavours is for a cluster like this, so nothing can be rolled out"
    hint = (
        "Look at feature_set, cluster_profile and overrides. For a hosted control plane create the definition and the "
        "ClusterVersion first, as whoever hosts it does"
    )
    problem = Problem("error", "todo", f"{flavours[0].file}, {CLUSTER_VERSIONS.resource}", message, hint)
    raise ClusterError([*scene.problems, problem])


def _send_first(run: _Run, known: LiveMetadata, crd: Manifest) -> None:
    """Send a CustomResourceDefinition that the rollout itself needs. Raises ``ClusterError``."""
    terms = ApplyOptions("reconcile", run.wishes.force_conflicts, False, False, run.timings)
    marks = OwnershipMetadata(applyset_id(), "", {})
    around = run.around
    sender = Applier(run.client, run.loaded, around.kinds, marks, terms, known, around.kept.inventory)
    sent = sender.send(crd)
    if sent.pending:
        sent = sender.established(crd, sent, run.timings.establish)
    raise_errors(sent.problems, ClusterError)
    run.first.append(sent)


def _outgoing(previous: LoadedRelease | None, scene: RolloutContext) -> OutgoingRelease | None:
    """Return what the cluster has of the release ``previous``: what passes its filters, and has its capabilities on."""
    if previous is None:
        return None
    release = previous.release
    facts = inclusion_context(checked_criteria(scene.options, previous), release, Problems())
    manifests = included_manifests(release.manifests, facts._replace(overrides=()))
    return OutgoingRelease(release.version, release.minor, manifests)


def _next_mode(inventory: Inventory | None, outgoing: OutgoingRelease, version: str, status: CapabilityStatus) -> Mode:
    """Return what the CVO would do: install, update to another release or set of capabilities, or keep as it is."""
    if inventory is None:
        return "install" if outgoing.version in (None, version) else "update"
    if inventory.version != version or inventory.enabled != status.enabled:
        return "update"
    return inventory.unfinished or "reconcile"


def _warn_about_cvo(included: Sequence[Manifest]) -> list[Problem]:
    """Return a word about the operator that every release brings: where its image can be pulled, it takes over."""
    wanted = ResourceId("apps", "Deployment", *CVO)
    found = [manifest for manifest in included if manifest.resource_id == wanted and not manifest.deletes]
    message = "is the cluster-version operator: where it really runs it looks after the cluster as well"
    hint = "Leave it out with an override if that is not wanted"
    return [Problem("info", "todo", manifest.file, message, hint) for manifest in found]


def _proxy(run: _Run, scene: RolloutContext) -> tuple[Mapping[str, Any], tuple[Problem, ...]]:
    """Return the cluster's proxy, if a manifest may ask for it, and what keeps it from being read."""
    if not any(wants_proxy(manifest) for manifest in scene.loaded):
        return {}, ()
    try:
        return read_proxy(run.client, run.around.kinds), ()
    except ApiError as error:
        if not error.is_forbidden:
            raise
        return {}, error.problems


def _sender(run: _Run, known: LiveMetadata, mode: Mode, marks: OwnershipMetadata) -> Applier:
    wishes, around = run.wishes, run.around
    terms = ApplyOptions(mode, wishes.force_conflicts, wishes.dry_run, wishes.show, run.timings)
    known = {**known, **{sent.manifest.resource_id: sent.metadata for sent in run.first}}
    return Applier(run.client, run.loaded, around.kinds, marks, terms, known, around.kept.inventory)


def _walk(run: _Run, sender: Applier, included: Sequence[Manifest], mode: Mode, claim: RunLock) -> ChangeSet:
    """Send everything, and wait where that is wanted; what was sent first keeps what came of it then."""
    kinds, wishes = run.around.kinds, run.wishes
    chronicle = RolloutEvents(run.journal, included)
    everything: list[ApplyResult] = []
    warnings = Problems()

    written = {sent.manifest.resource_id: sent for sent in run.first if sent.state != "unchanged"}

    def told(sent: ApplyResult) -> None:
        sent = written.get(sent.manifest.resource_id, sent)
        chronicle.manifest(sent.manifest, sent.state, sent.problems)
        if not wishes.dry_run:
            claim.check()

    def waits(left: int, resource: str, message: str) -> None:
        chronicle.waiting(left, resource, message)
        claim.check()

    def settle_stage(since: Sequence[ApplyResult], is_last: bool) -> tuple[Problem, ...]:
        everything.extend(since)
        if not wishes.wait or not (mode == "update" or is_last):
            return ()
        chosen = since if mode == "update" else everything
        manifests = [sent.manifest for sent in chosen if sent.state in ("created", "changed", "unchanged")]
        found = wait_until_ready(run.client, kinds, run.loaded.release, manifests, mode, run.deadline, waits)
        warnings.extend(problem for problem in found if problem.severity != "error")
        return tuple(problem for problem in found if problem.severity == "error")

    chronicle.start(run.loaded.release.shown_version, mode)
    pace = Pace(wishes.parallelism, run.deadline, wishes.dry_run, told, settle_stage, waits, run.timings)
    outcome = GraphRunner(task_graph(included, mode), sender, kinds, pace).walk()
    chronicle.end(outcome.problems)
    sent = tuple(written.get(item.manifest.resource_id, item) for item in outcome.sent)
    return ChangeSet(sent, outcome.left, (*outcome.problems, *warnings))


def _leftovers(
    run: _Run, scene: RolloutContext, outcome: ChangeSet, claim: RunLock
) -> tuple[tuple[Leftover, ...], tuple[Problem, ...]]:
    """Return what is left over, pruned if that is asked for and nothing failed."""
    left = leftovers_of(scene, run.loaded)
    went_well = not outcome.left and all(item.severity != "error" for item in outcome.problems)
    if not run.wishes.prune or not went_well or any(sent.state in _FAILED for sent in outcome.sent):
        return as_kept(left), ()
    return prune(run.client, scene, left, None if run.wishes.dry_run else claim)
