# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The verdict of each hop of a path: whether the cluster can update, and every reason against it.

The reasons come from the releases, from the settings of the cluster and, for the first hop, from its status. The status
after a hop is not known, so a later hop is not checked against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .._capability.inclusion import Override
from .._capability.resolved_release import ResolvedRelease
from .._cluster.admin_acks import ADMIN_ACKS, AdminAcks, AdminGate, gate_minor, gates_of_minor
from .._data import capabilities as capability_data
from .._data.hosted_clusters import is_same_minor
from .._data.version import Minor, find_minor, is_semantic_version
from .acceptance import Acceptance, accepting
from .path import blockers, is_minor_update, override_blockers
from .plan import Hop, HopPlan
from .signature import ImageSignature, signature_reasons
from .update_reasons import (
    ACK_REQUIRED,
    MISSING_ACKS,
    VERDICTS,
    Unchecked,
    UpdateReason,
    Verdict,
    accept,
    condition_reasons,
    gate_reasons,
    is_of_last_update,
    one_line,
    recommendation_reasons,
    upgradeable_reasons,
)
from .update_status import UpdateStatus


class UpdateState(NamedTuple):
    """What is known of the cluster at the start of the path, besides its capabilities.

    ``status``: ``None`` without a ClusterVersion. ``is_read``: whether a selected cluster was read. ``unkept``: why the
    status may be outdated, empty if its CVO runs.
    ``signature_stores``: the URLs in ``spec.signatureStores`` that were not asked. ``signatures``: the signature of the
    image of each hop, ``None`` for a directory; empty if no image was verified. ``acceptances``: those that concern it.
    ``preflight``: further reasons against the first hop.
    """

    status: UpdateStatus | None = None
    is_read: bool = False
    unkept: str = ""
    acks: AdminAcks = AdminAcks()
    signature_stores: tuple[str, ...] = ()
    signatures: tuple[ImageSignature | None, ...] = ()
    acceptances: tuple[Acceptance, ...] = ()
    preflight: tuple[UpdateReason, ...] = ()


class HopVerdict(NamedTuple):
    """The verdict of a hop.

    ``reasons``: the most serious first, and those that are accepted last. ``not_checked``: what it does not consider.
    ``capabilities``: the acceptances of capabilities that the hop enables.
    """

    reasons: tuple[UpdateReason, ...]
    not_checked: tuple[Unchecked, ...]
    capabilities: tuple[Acceptance, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The most serious of the reasons that are not accepted, or ``go``."""
        return next((reason.verdict for reason in self.reasons if reason.accepted is None), "go")

    @property
    def accepted(self) -> tuple[Acceptance, ...]:
        """The acceptances of reasons and of capabilities, each once."""
        of_reasons = (reason.accepted for reason in self.reasons if reason.accepted is not None)
        return tuple(dict.fromkeys((*of_reasons, *self.capabilities)))


def hop_verdicts(
    hops: Sequence[Hop], plans: Sequence[HopPlan], overrides: tuple[Override, ...], state: UpdateState
) -> tuple[HopVerdict, ...]:
    """Return the verdict of each hop of a path that a cluster with ``overrides`` and ``state`` begins.

    ``plans``: what each hop does to the capabilities of the cluster.
    """
    current, previous = _versions(hops[0].start, state.status)
    verdicts: list[HopVerdict] = []
    signatures = state.signatures or (None,) * len(hops)
    for position, (hop, plan, signature) in enumerate(zip(hops, plans, signatures, strict=True)):
        verdict = _hop_verdict(hop, plan, signature, overrides, state, current, previous, first=position == 0)
        found = (accepting(name, state.acceptances) for name in sorted(plan.newly_enabled))
        verdicts.append(verdict._replace(capabilities=tuple(item for item in found if item is not None)))
        current, previous = hop.end.release.shown_version, current
    return tuple(verdicts)


def _hop_verdict(
    hop: Hop,
    plan: HopPlan,
    signature: ImageSignature | None,
    overrides: tuple[Override, ...],
    state: UpdateState,
    current: str,
    previous: str | None,
    *,
    first: bool,
) -> HopVerdict:
    start, end = hop.start, hop.end
    reasons = [*blockers(current, start, end, previous), *override_blockers(start, end, overrides)]
    unchecked: list[Unchecked] = []
    reasons += signature_reasons(hop, signature, state.signature_stores, unchecked)
    if first and state.status is not None:
        reasons += _mismatch_reasons(hop, state.status, unchecked)
    status = _status_at(hop, state, unchecked) if first else None
    reasons += state.preflight if first else ()
    if start.hosted:
        message = "neither the HostedCluster nor the versions that HyperShift supports were read"
        unchecked.append(Unchecked("hosted-cluster", message))
    if not first:
        runs = start.release.shown_version
        message = f"conditions and recommended updates are known only when the cluster runs {runs}"
        unchecked.append(Unchecked("cluster-state", message))
    if status is not None:
        target = end.release.shown_version
        reasons += condition_reasons(status, target, hosted=start.hosted)
        results = _capability_results(status, plan)
        reasons += recommendation_reasons(status, target, results, unchecked, hosted=start.hosted)
    compared = _compared_minor(status, start)
    blocks_patches = compared != start.minor
    if status is not None and blocks_patches and start.minor == end.minor:
        has_overrides = any(reason.code == "overrides" for reason in reasons)
        found = upgradeable_reasons(status, blocks_patches=True)
        reasons += [item for item in found if item.code != "overrides" or not has_overrides]
    if _blocks_minor(compared, start, end):
        acks = state.acks
        gates = _gates(hop, acks, first=first)
        reported: list[UpdateReason] = []
        if status is not None:
            reported += upgradeable_reasons(status, gates, hosted=start.hosted, blocks_patches=blocks_patches)
        if not first or not _runs(start, state.status):
            acks = acks._replace(gates=None)  # the ConfigMap of the cluster has those of the release that it runs
        unacknowledged = list(_gate_reasons(hop, gates, status, reported, acks, unchecked))
        # The releases and the spec name each gate and override; the condition only summarizes them.
        known = _SUMMARIES.intersection(reason.code for reason in (*reasons, *unacknowledged))
        reasons += [*unacknowledged, *(item for item in reported if item.code not in known or _has_more(item, gates))]
    marked = dict.fromkeys(accept(reasons, state.acceptances))
    ordered = sorted(marked, key=lambda reason: (reason.accepted is not None, -VERDICTS.index(reason.verdict)))
    return HopVerdict(tuple(ordered), tuple(dict.fromkeys(unchecked)))


def _compared_minor(status: UpdateStatus | None, start: ResolvedRelease) -> Minor:
    """The minor with which the CVO compares a target to decide whether ``Upgradeable=False`` blocks it.

    Before 4.17, it is that of the last completed update, so patches are blocked while an update to ``start`` is under
    way.
    """
    is_old = start.minor < capability_data.UPGRADEABLE_OF_CURRENT_MINOR.since and not start.hosted
    completed = find_minor(status.completed) if status is not None and is_old else None
    return start.minor if completed is None else completed


def _blocks_minor(compared: Minor, start: ResolvedRelease, end: ResolvedRelease) -> bool:
    """Whether ``Upgradeable=False`` blocks the update to another minor.

    From 4.14 on, the CVO refuses an earlier one in any case, as HyperShift does, unless it counts both as one.
    """
    accepts_earlier = start.minor < capability_data.DOWNGRADES_REFUSED.since
    if start.hosted:
        accepts_earlier = is_same_minor(start.minor, end.minor)
    return end.minor not in (start.minor, compared) and (accepts_earlier or is_minor_update(start, end))


def _capability_results(status: UpdateStatus, plan: HopPlan) -> dict[str, bool]:
    """Return whether each risk that only asks about a capability applies before the hop, by its name."""
    risks = (risk for update in status.conditional for risk in update.risks)
    found = ((risk.name, risk.result(plan.before)) for risk in risks)
    return {name: result for name, result in found if result is not None}


def acceptable_names(hops: Sequence[Hop], state: UpdateState) -> frozenset[str]:
    """Return the gates and the risks of a cluster, whether they are against a hop or not."""
    gates = (*(gate for hop in hops for gate in hop.gates), *(state.acks.gates or ()))
    risks = () if state.status is None else (risk for update in state.status.conditional for risk in update.risks)
    named = (*gates, *risks, *state.preflight)
    return frozenset({*(item.name for item in named), *(state.acks.acks or ())})


def effective_names(hops: Sequence[Hop], state: UpdateState) -> frozenset[str]:
    """Return the gates that are acknowledged on a cluster, of minors of ``hops``.

    An acceptance of them counts, although they are no longer against an update.
    """
    minors = {hop.start.minor for hop in hops}
    return frozenset(name for name in state.acks.acks or () if gate_minor(name) in minors)


_SUMMARIES = frozenset({ACK_REQUIRED, "invalid-admin-gate", "overrides"})
"""Codes of the condition ``Upgradeable`` that name only some, or none, of what causes them."""


def _has_more(reason: UpdateReason, gates: Iterable[AdminGate]) -> bool:
    """Whether the condition requires to acknowledge more than ``gates``: operators add gates that no release has."""
    texts = {gate.name: one_line(gate.text) for gate in gates}
    if reason.code != ACK_REQUIRED or reason.name in texts:
        return False
    rest = reason.message
    for text in sorted(texts.values(), key=len, reverse=True):
        rest = rest.replace(text, "")
    return bool(rest.strip(" ."))


def _mismatch_reasons(hop: Hop, status: UpdateStatus, unchecked: list[Unchecked]) -> Iterator[UpdateReason]:
    """Yield what is against the hop if the cluster runs another version than the one with which the path begins."""
    expected, runs = hop.start.release.shown_version, status.version
    minor = find_minor(runs)
    if minor is None or runs == expected:
        return
    message = f"the cluster runs or updates to {runs}, but the path begins with {expected}"
    if minor != hop.start.minor:
        hint = "Begin the path with the release that the cluster runs"
        source = "ClusterVersion version: status.desired.version"
        yield UpdateReason("risk", "version-mismatch", "VersionMismatch", message, source, hint)
        return
    unchecked.append(Unchecked("version-mismatch", message))


def _status_at(hop: Hop, state: UpdateState, unchecked: list[Unchecked]) -> UpdateStatus | None:
    """Return the status of the cluster if it runs the minor of the hop, and reports conditions."""
    status = state.status
    if status is None or not status.conditions:
        message = "no conditions of a ClusterVersion are known, nor the updates that the update service recommends"
        code = "cluster-state"
        if state.is_read or (status is not None and status.version):
            cause = "no conditions of the ClusterVersion are known"
            cause = "the options replace the ClusterVersion" if status is None else cause
            code, message = "unused-status", f"{cause}, so the status of the cluster was not used"
        unchecked.append(Unchecked(code, message))
        return None
    runs = find_minor(status.version)
    if runs is not None and runs != hop.start.minor:
        expected = hop.start.release.shown_version
        message = f"the cluster runs {status.version}, not {expected}, so its status was not used"
        unchecked.append(Unchecked("unused-status", message))
        return None
    late = "the operator has not reported the last change of the ClusterVersion yet, which takes up to four minutes"
    outdated = state.unkept or (late if status.is_outdated else "")
    if outdated:
        message = f"{outdated}, so the status may be outdated"
        unchecked.append(Unchecked("outdated-status", message))
    return status


def _runs(start: ResolvedRelease, status: UpdateStatus | None) -> bool:
    """Whether the cluster has completed the update to ``start``, as far as its ClusterVersion is known."""
    return status is None or status.completed == start.release.shown_version


def _gates(hop: Hop, acks: AdminAcks, *, first: bool) -> tuple[AdminGate, ...]:
    """The gates that the CVO considers. A later release replaces the text of a gate, and keeps those that it lacks."""
    gates = {gate.name: gate for gate in hop.gates}
    gates.update((gate.name, gate) for gate in acks.gates or () if first or gate.name not in gates)
    return gates_of_minor(gates.values(), hop.start.minor)


def _gate_reasons(
    hop: Hop,
    gates: tuple[AdminGate, ...],
    status: UpdateStatus | None,
    reported: Iterable[UpdateReason],
    acks: AdminAcks,
    unchecked: list[Unchecked],
) -> Iterator[UpdateReason]:
    """Yield the ``gates`` that are not acknowledged. ``reported``: the reasons of ``Upgradeable=False``."""
    lacks_gates = acks.gates is None and not hop.has_cvo_manifests
    lacks_acks = acks.acks is None and bool(gates or status is not None)
    if lacks_gates or lacks_acks:
        # Without the ConfigMap of acknowledgements, the CVO looks at no gate.
        requires_ack = any(reason.code in (ACK_REQUIRED, MISSING_ACKS) for reason in reported)
        is_completed = status is not None and status.completed == hop.start.release.shown_version
        if status is not None and is_completed and not requires_ack and not is_of_last_update(status):
            return  # the CVO of this release found them acknowledged
    if lacks_gates:
        version = hop.start.release.shown_version
        message = f"the gates of {version} are not known, because its directory lacks the CVO's own manifests"
        unchecked.append(Unchecked("admin-gates", message))
    if lacks_acks:
        place = f"ConfigMap {ADMIN_ACKS.namespace}/{ADMIN_ACKS.name}"
        effect = "each gate counts as not acknowledged" if gates else "gates that operators added are not known"
        unchecked.append(Unchecked("admin-acks", f"{place} was not read, so {effect}"))
    yield from gate_reasons(gates, acks.acks)


def _versions(start: ResolvedRelease, status: UpdateStatus | None) -> tuple[str, str | None]:
    """Return the version that the cluster runs, of the minor of ``start``, and the one before it, completed or not.

    The latter is empty if there is none, and ``None`` if it is not known. Source: rollback.go.
    """
    if status is None or find_minor(status.version) != start.minor:
        return start.release.shown_version, None
    others = (entry for entry in status.history if (entry.version, entry.image) != (status.version, status.image))
    previous = next((entry.version if is_semantic_version(entry.version) else "" for entry in others), "")
    return status.version, previous if status.history else None
