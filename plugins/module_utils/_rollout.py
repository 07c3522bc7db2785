# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A release, rolled out to a cluster that no cluster-version operator looks after.

First the ClusterVersion and its status, so that everybody knows what is on, then the inventory, then the manifests.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from ._client import FIELD_MANAGER, Client, Target
from ._cluster_status import refuse_cvo
from ._domain.applied_object import PART_OF, Marks
from ._domain.body import walk
from ._domain.cluster_facts import ClusterFacts, ClusterOptions, check_options, inclusion_facts
from ._domain.cluster_version import parse_cluster_version
from ._domain.errors import ApiError, ClusterError, FactsError, Problem, raise_errors
from ._domain.inclusion import InclusionFacts, included_manifests
from ._domain.manifest import Manifest, ResourceId
from ._domain.rollout_inventory import Entry, Inventory, applyset_id, owned_digest
from ._domain.runlevel import Mode, task_graph
from ._domain.selection import CapabilityStatus
from ._domain.served_kind import CLUSTER_VERSIONS
from ._domain.status_change import StatusFacts, status_facts
from ._graph_walk import GraphWalk, Outcome, Pace
from ._inventory import Kept, members_of_cluster, read_inventory, write_inventory
from ._journal import Journal
from ._live_cluster_version import CLUSTER_VERSION, Object
from ._release import LoadedRelease
from ._rollout_capabilities import Asked, Outgoing, Settled, check_wish, outgoing_release, settle
from ._rollout_facts import (
    FEATURE_GATE_CRD,
    FeatureGate,
    Said,
    cluster_options,
    held_back,
    read_feature_gate,
    read_proxy,
)
from ._rollout_wait import wait_until_ready
from ._sending import Known, Sender, Sent, State, Terms
from ._served_kinds import ServedKinds

_CREATION_ORDER_LAST = ("Namespace", "CustomResourceDefinition")
_ESTABLISH_SECONDS = 60.0
_DONE: frozenset[State] = frozenset({"created", "changed", "unchanged", "deleted", "absent", "unserved"})
"""What the next run has nothing to do about."""


class Wishes(NamedTuple):
    """What the user wants of a rollout. ``mode``: ``None`` for what the CVO would choose.

    ``release_image``: pull spec for the status, empty where nobody said it. ``wait_timeout`` is in seconds.
    """

    capabilities: object
    said: Said
    mode: Mode | None
    parallelism: int
    wait: bool
    wait_timeout: float
    force_conflicts: bool
    prune: bool
    allow_cvo_managed: bool
    release_image: str
    dry_run: bool
    show: bool


class Leftover(NamedTuple):
    """A resource of an earlier rollout that the release no longer has; ``pruned``: it was deleted."""

    resource: ResourceId
    pruned: bool


class Rollout(NamedTuple):
    """What came of a rollout."""

    mode: Mode
    settled: Settled
    outcome: Outcome
    leftovers: tuple[Leftover, ...]
    problems: tuple[Problem, ...]


class _Scene(NamedTuple):
    """The cluster as the rollout finds it, and the release as the cluster meets it.

    ``loaded`` are the manifests that pass every filter but that for capabilities.
    """

    kinds: ServedKinds
    kept: Kept
    known: Known
    options: ClusterOptions
    facts: InclusionFacts
    target: StatusFacts
    loaded: tuple[Manifest, ...]
    problems: tuple[Problem, ...]


def roll_out(
    client: Client, loaded: LoadedRelease, previous: LoadedRelease | None, wishes: Wishes, journal: Journal
) -> Rollout:
    """Roll ``loaded`` out. Raises ``CapabilityError`` where nothing of it may be sent.

    ``previous`` is the release that the cluster has, where the inventory does not know it.
    """
    deadline = time.monotonic() + (wishes.wait_timeout if wishes.wait else 0)
    kinds = ServedKinds(client)
    obj = _cluster_version(client, kinds)
    if not wishes.allow_cvo_managed:
        refuse_cvo(client, obj or {}, _is_ours)
    kept = read_inventory(client)
    first: list[Sent] = []
    gate = read_feature_gate(client, kinds, wishes.said, loaded.release)
    if not gate.readable and not gate.problems:
        gate = _with_feature_gate_crd(client, kinds, loaded, wishes, kept, first)
    scene = _scene(client, kinds, kept, loaded, wishes, gate, obj)
    asked = Asked(wishes.capabilities, scene.target, scene.loaded)
    problems = [*scene.problems, *check_wish(obj, asked)]
    served = _serve_cluster_version(client, scene, loaded, wishes, first)
    outgoing = outgoing_release(obj, kept.inventory, _outgoing(previous, scene))
    settled = settle(client, obj, served, asked, outgoing, kept.inventory, dry_run=wishes.dry_run, deadline=deadline)
    included = _included(scene, settled.status)
    mode = wishes.mode or _mode(kept.inventory, loaded, settled.status)
    known = {**scene.known, **{sent.manifest.resource_id: sent.metadata for sent in first}}
    planned = _planned(loaded, scene, settled, included, kept.inventory, mode)
    if not wishes.dry_run:
        kept = write_inventory(client, kept, planned)
    sender = _sender(client, loaded, scene, wishes, mode, known, kept.inventory, settled.cluster_version)
    outcome = _walk(client, loaded, scene, sender, included, mode, wishes, deadline, journal)
    written = {sent.manifest.resource_id: sent for sent in first if sent.state != "unchanged"}
    outcome = outcome._replace(sent=tuple(written.get(sent.manifest.resource_id, sent) for sent in outcome.sent))
    left = _leftovers(scene, loaded, kept.inventory)
    if wishes.prune and not outcome.left and not outcome.problems:
        left = _pruned(client, kinds, scene, left, wishes.dry_run)
    if not wishes.dry_run:
        write_inventory(client, kept, _final(planned, scene, outcome, left, mode))
    problems += settled.problems
    return Rollout(mode, settled, outcome, tuple(left), tuple(dict.fromkeys(problems)))


def _cluster_version(client: Client, kinds: ServedKinds) -> Object | None:
    if kinds.find(CLUSTER_VERSIONS.group, CLUSTER_VERSIONS.kind) is None:
        return None
    try:
        return client.get(CLUSTER_VERSION)
    except ApiError as error:
        if error.code != 404:
            raise
        return None


def _is_ours(obj: Object) -> bool:
    return bool(walk(obj, "metadata", "labels", PART_OF) == applyset_id())


def _with_feature_gate_crd(
    client: Client, kinds: ServedKinds, loaded: LoadedRelease, wishes: Wishes, kept: Kept, first: list[Sent]
) -> FeatureGate:
    """Send the CustomResourceDefinition of FeatureGate, so that the cluster can say which features it has."""
    crd = next((item for item in loaded.release.manifests if item.resource_id.name == FEATURE_GATE_CRD), None)
    if crd is None or held_back(crd):
        return FeatureGate(False)
    if wishes.dry_run:
        message = "FeatureGate is not served yet, so the check goes by the default feature set"
        return FeatureGate(True, problems=(Problem("info", "feature_set", message),))
    first.append(_send_first(client, kinds, loaded, wishes, {}, kept.inventory, crd))
    return read_feature_gate(client, kinds, wishes.said, loaded.release)


def _scene(
    client: Client,
    kinds: ServedKinds,
    kept: Kept,
    loaded: LoadedRelease,
    wishes: Wishes,
    gate: FeatureGate,
    obj: Object | None,
) -> _Scene:
    problems: list[Problem] = list(gate.problems)
    cluster, found = parse_cluster_version(obj, str(CLUSTER_VERSION), strict=False) if obj else (None, ())
    if obj and cluster is None:
        raise ClusterError(found)
    options = cluster_options(wishes.said, gate, kept.inventory, cluster.overrides if cluster else ())
    target, told = status_facts(options, loaded.release, wishes.release_image)
    facts = inclusion_facts(_checked(options, loaded), loaded.release, [])
    manifests = loaded.release.manifests
    if not gate.readable:
        waiting = [manifest for manifest in manifests if held_back(manifest)]
        if waiting and not gate.problems:
            message = f"cannot be read from the cluster, so {len(waiting)} manifests that name one are held back"
            problems.append(Problem("error", "feature_set", message, "Give feature_set"))
        manifests = tuple(manifest for manifest in manifests if not held_back(manifest))
    passing = included_manifests(manifests, facts._replace(overrides=()))
    known: Known = {}
    if kept.inventory is not None:
        resources = {*kept.inventory.entries, *(manifest.resource_id for manifest in passing)}
        known = members_of_cluster(client, kinds, sorted(resources))
    return _Scene(kinds, kept, known, options, facts, target, passing, (*problems, *told))


def _checked(options: ClusterOptions, loaded: LoadedRelease) -> ClusterFacts:
    found: list[Problem] = []
    checked = check_options(options, loaded.release.minor, found)
    raise_errors(found, FactsError)
    return checked


def _serve_cluster_version(
    client: Client, scene: _Scene, loaded: LoadedRelease, wishes: Wishes, first: list[Sent]
) -> bool:
    """Make sure that the API knows ClusterVersion as the release has it; tell whether the cluster serves the kind."""
    is_served = scene.kinds.find(CLUSTER_VERSIONS.group, CLUSTER_VERSIONS.kind) is not None
    crd = next((item for item in _unmanaged_out(scene) if item.resource_id.name == CLUSTER_VERSIONS.resource), None)
    if crd is None and not is_served:
        _refuse_without_definition(scene, loaded)
    if crd is None:
        return is_served
    if wishes.dry_run:
        return True
    first.append(_send_first(client, scene.kinds, loaded, wishes, scene.known, scene.kept.inventory, crd))
    return True


def _refuse_without_definition(scene: _Scene, loaded: LoadedRelease) -> None:
    """Raise ``ClusterError`` where the release defines ClusterVersion, and not for a cluster like this."""
    flavours = [item for item in loaded.release.manifests if item.resource_id.name == CLUSTER_VERSIONS.resource]
    if not flavours:
        return
    message = "the release has it, and none of its flavours is for a cluster like this, so nothing can be rolled out"
    mend = "Look at feature_set, cluster_profile and overrides"
    problem = Problem("error", f"{flavours[0].file}, {CLUSTER_VERSIONS.resource}", message, mend)
    raise ClusterError([*scene.problems, problem])


def _send_first(
    client: Client,
    kinds: ServedKinds,
    loaded: LoadedRelease,
    wishes: Wishes,
    known: Known,
    inventory: Inventory | None,
    crd: Manifest,
) -> Sent:
    """Send a CustomResourceDefinition that the rollout itself needs. Raises ``ClusterError``."""
    terms = Terms("reconcile", wishes.force_conflicts, False, False)
    sender = Sender(client, loaded, kinds, Marks(applyset_id(), "", {}), terms, known, inventory)
    sent = sender.send(crd)
    if sent.pending:
        sent = sender.established(crd, sent, _ESTABLISH_SECONDS)
    raise_errors(sent.problems, ClusterError)
    return sent


def _outgoing(previous: LoadedRelease | None, scene: _Scene) -> Outgoing | None:
    """Return what the cluster has of the release ``previous``: what passes its filters, and has its capabilities on."""
    if previous is None:
        return None
    release = previous.release
    facts = inclusion_facts(_checked(scene.options, previous), release, [])
    manifests = included_manifests(release.manifests, facts._replace(overrides=()))
    return Outgoing(release.version, release.minor, manifests)


def _included(scene: _Scene, status: CapabilityStatus) -> tuple[Manifest, ...]:
    """Return what is in, once for each resource: where two manifests are, the later one counts."""
    facts = scene.facts._replace(capability_status=status)
    by_resource: dict[ResourceId, Manifest] = {}
    for manifest in included_manifests(scene.loaded, facts):
        by_resource.pop(manifest.resource_id, None)
        by_resource[manifest.resource_id] = manifest
    return tuple(by_resource.values())


def _unmanaged_out(scene: _Scene) -> tuple[Manifest, ...]:
    return included_manifests(scene.loaded, scene.facts)


def _mode(inventory: Inventory | None, loaded: LoadedRelease, status: CapabilityStatus) -> Mode:
    """Return what the CVO would do: install, update to another release or set of capabilities, or keep as it is."""
    if inventory is None:
        return "install"
    if inventory.version != loaded.release.shown_version or inventory.enabled != status.enabled:
        return "update"
    return inventory.unfinished or "reconcile"


def _planned(
    loaded: LoadedRelease,
    scene: _Scene,
    settled: Settled,
    included: Sequence[Manifest],
    inventory: Inventory | None,
    mode: Mode,
) -> Inventory:
    """Return the inventory before anything is sent: what was there, what is going to be, and what is on."""
    entries = dict(inventory.entries) if inventory else {}
    for manifest in included:
        if not manifest.deletes:
            there = entries.get(manifest.resource_id)
            entries[manifest.resource_id] = Entry(manifest.capabilities, there.owned if there else "")
    planned = Inventory(
        loaded.release.shown_version, scene.facts.cluster_profile or "", settled.status.enabled, "", entries
    )
    return planned if planned == inventory else planned._replace(unfinished=mode)


def _sender(
    client: Client,
    loaded: LoadedRelease,
    scene: _Scene,
    wishes: Wishes,
    mode: Mode,
    known: Known,
    inventory: Inventory | None,
    obj: Object | None,
) -> Sender:
    marks = Marks(applyset_id(), str(walk(obj, "metadata", "uid") or ""), read_proxy(client, scene.kinds))
    terms = Terms(mode, wishes.force_conflicts, wishes.dry_run, wishes.show)
    return Sender(client, loaded, scene.kinds, marks, terms, known, inventory)


def _walk(
    client: Client,
    loaded: LoadedRelease,
    scene: _Scene,
    sender: Sender,
    included: Sequence[Manifest],
    mode: Mode,
    wishes: Wishes,
    deadline: float,
    journal: Journal,
) -> Outcome:
    total, done = len(included), 0
    everything: list[Sent] = []

    def told(sent: Sent) -> None:
        nonlocal done
        done += 1
        resource = sent.manifest.resource_id
        journal.note(
            "manifest",
            file=sent.manifest.file,
            **resource._asdict(),
            state=sent.state,
            problems=[str(problem) for problem in sent.problems],
        )

    def settle_level(level: str, since: Sequence[Sent], is_last: bool) -> tuple[Problem, ...]:
        everything.extend(since)
        percent = 100 * done // max(total, 1)
        journal.note("run_level", run_level=level, done=done, total=total, percent=percent)
        if not wishes.wait or not (mode == "update" or is_last):
            return ()
        chosen = since if mode == "update" else everything
        manifests = [sent.manifest for sent in chosen if sent.state in ("created", "changed", "unchanged")]
        found = wait_until_ready(client, scene.kinds, loaded.release, manifests, mode, deadline)
        warnings.extend(problem for problem in found if problem.severity != "error")
        return tuple(problem for problem in found if problem.severity == "error")

    warnings: list[Problem] = []
    journal.note("start", release=loaded.release.shown_version, mode=mode, total=total)
    pace = Pace(wishes.parallelism, deadline, wishes.dry_run, told, settle_level)
    outcome = GraphWalk(task_graph(included, mode), sender, scene.kinds, pace).walk()
    journal.note("end", done=done, total=total, problems=[str(problem) for problem in outcome.problems])
    return outcome._replace(problems=(*outcome.problems, *warnings))


def _leftovers(scene: _Scene, loaded: LoadedRelease, inventory: Inventory | None) -> list[Leftover]:
    """Return what an earlier rollout made, is there, and no manifest of the release speaks of."""
    spoken_of = {manifest.resource_id for manifest in loaded.release.manifests}
    entries = inventory.entries if inventory else {}
    return [
        Leftover(resource, False)
        for resource in sorted(entries)
        if resource not in spoken_of and resource in scene.known
    ]


def _pruned(
    client: Client, kinds: ServedKinds, scene: _Scene, left: Sequence[Leftover], dry_run: bool
) -> list[Leftover]:
    """Delete what is left over, definitions and namespaces last because the rest goes with them."""
    ordered = sorted(left, key=lambda item: item.resource.kind in _CREATION_ORDER_LAST)
    pruned = []
    for item in ordered:
        resource = item.resource
        served = kinds.find(resource.group, resource.kind)
        if served is None:
            continue
        target = Target(served, resource.name, resource.namespace if served.namespaced else "")
        client.delete(target, uid=scene.known[resource]["uid"], dry_run=dry_run)
        pruned.append(Leftover(resource, True))
    return sorted(pruned)


def _final(planned: Inventory, scene: _Scene, outcome: Outcome, left: Sequence[Leftover], mode: Mode) -> Inventory:
    """Return the inventory after the rollout: what is or should be there, with what of it is ours."""
    entries = dict(planned.entries)
    tried = {sent.manifest.resource_id for sent in outcome.sent} | {item.resource_id for item in outcome.left}
    gone = {resource for resource in entries if resource not in tried and resource not in scene.known}
    gone |= {sent.manifest.resource_id for sent in outcome.sent if sent.state in ("deleted", "absent")}
    gone |= {item.resource for item in left if item.pruned}
    for sent in outcome.sent:
        resource = sent.manifest.resource_id
        if resource in entries and sent.metadata:
            entries[resource] = entries[resource]._replace(owned=owned_digest(sent.metadata, FIELD_MANAGER))
    done = not outcome.left and all(sent.state in _DONE for sent in outcome.sent)
    return planned._replace(
        entries={resource: entry for resource, entry in entries.items() if resource not in gone},
        unfinished="" if done else mode,
    )
