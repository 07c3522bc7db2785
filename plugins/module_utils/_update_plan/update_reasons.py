# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reasons against an update that the status of a cluster and its gates report.

Source: openshift/cluster-version-operator:pkg/payload/precondition/clusterversion (what the CVO refuses, and what it
only warns about), openshift/oc:pkg/cli/admin/upgrade/upgrade.go (what the client refuses without an option).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from .._cluster.admin_acks import AdminGate
from .._cluster.cluster_version import Condition
from .acceptance import Acceptance, accepting
from .update_status import ConditionalUpdate, UpdateStatus, is_free_of_risks

Verdict = Literal["go", "acknowledge", "risk", "blocked"]
"""What a user has to do before an update, from nothing to the most."""

VERDICTS: tuple[Verdict, ...] = ("go", "acknowledge", "risk", "blocked")

OVERRIDES_SET = "ClusterVersionOverridesSet"
"""Reason of the condition ``Upgradeable`` before 5.0 if overrides cause it."""

ADMIN_ACK_REQUIRED = "AdminAckRequired"
"""Reason of the condition ``Upgradeable`` before 5.0 if an acknowledgement is missing."""

_IN_PROGRESS = ("UpdateInProgress", "ClusterVersionUpdating")
"""Reasons of the condition ``Upgradeable`` during an update: up to 4.22, also two minutes after it; from 4.23 on.

Source: openshift/cluster-version-operator:pkg/cvo/upgradeable.go, pkg/cvo/cvo.go.
"""

_WAIT = "Wait until it is complete"
_UPGRADEABLE = "Upgradeable"
_SEVERAL = "MultipleReasons"
_GATE_RISK = "AdminAck-"
"""Prefix of the risk of a gate, from 5.0 on."""

_OVERRIDES = frozenset({OVERRIDES_SET, "ClusterVersionOverrides"})
_OVERRIDES_TEXT = "Disabling ownership via cluster version overrides prevents "
_INVALID_GATE = frozenset({"AdminAckConfigMapGateNameError", "AdminAckConfigMapGateValueError"})
_INVALID_GATE_TEXT = "admin-gates configmap gate "
"""Start of the message of a gate whose name or text is not valid, from 5.0 on."""

_NO_ACKS = "UnableToAccessAdminAcksConfigMap"
_NO_ACKS_TEXT = "Failed to retrieve ConfigMap admin-acks "
"""Start of the message if the ConfigMap with acknowledgements is missing, from 5.0 on."""

_OBJECT = "ClusterVersion version"

ACK_REQUIRED, MISSING_ACKS = "admin-ack-required", "missing-admin-acks"
"""Codes of a gate that is not acknowledged, and of a missing ConfigMap for acknowledgements."""

ACCEPTABLE_CODES = frozenset(
    {
        "conditional-risk",
        "downgrade",
        "failing",
        "feature-set",
        "invalid-cluster-version",
        MISSING_ACKS,
        "no-channel",
        "release-not-accepted",
        "release-not-signed",
        "skipped-minor",
        "unknown-history",
        "update-in-progress",
        "update-not-listed",
        "updates-not-retrieved",
    }
)
"""Codes that are names: of reasons that are neither gates nor risks, and despite which the CVO can start the update."""

PREFLIGHT = re.compile(r"(degraded|unavailable)-operator/|(degraded|paused|updating)-pool/|no-running-cvo$")
"""The names of reasons that only cluster_update finds, because they change from hour to hour."""


class UpdateReason(NamedTuple):
    """A reason against an update.

    ``verdict``: what it results in. ``code``: its kind, in kebab case. ``reason``: its name in the cluster or the CVO,
    such as the reason of a condition. ``source``: the object, condition, manifest or option that reports it.
    ``name``: the gate, the risk, or else the code, by which an administrator can accept it; empty if the CVO refuses
    the update nevertheless. ``accepted``: the acceptance of it.
    """

    verdict: Verdict
    code: str
    reason: str
    message: str
    source: str
    hint: str
    name: str = ""
    accepted: Acceptance | None = None

    def as_dict(self) -> dict[str, Any]:
        """Convert to an entry of ``reasons`` in the result."""
        return {**self._asdict(), "accepted": None if self.accepted is None else self.accepted.as_dict()}


def accept(reasons: Iterable[UpdateReason], acceptances: Sequence[Acceptance]) -> Iterator[UpdateReason]:
    """Yield ``reasons``, each with the acceptance of its name.

    With all gates, a missing ConfigMap is accepted, too: acknowledging them creates it.
    """
    marked = [reason._replace(accepted=accepting(reason.name, acceptances)) for reason in reasons]
    gates = [reason.accepted for reason in marked if reason.code == ACK_REQUIRED]
    for reason in marked:
        if reason.code == MISSING_ACKS and reason.accepted is None and gates and None not in gates:
            yield reason._replace(accepted=gates[0])
        else:
            yield reason


class Unchecked(NamedTuple):
    """Something that a verdict does not consider, and why."""

    code: str
    message: str


def condition_reasons(status: UpdateStatus, target: str, *, hosted: bool) -> Iterator[UpdateReason]:
    """Yield what the conditions and the history report against any update, here to the version ``target``."""
    invalid, accepted = status.condition("Invalid", "True"), status.condition("ReleaseAccepted", "False")
    if invalid is not None:
        # The CVO ignores the fields that are wrong. A request of an update replaces spec.desiredUpdate.
        # Source: openshift/cluster-version-operator:lib/validation/validation.go ClearInvalidFields.
        code, text = "invalid-cluster-version", "the ClusterVersion is not valid"
        yield _reason("risk", code, invalid, text, "Correct the spec of the ClusterVersion", name=code)
    if accepted is not None:
        if status.requested == target and not status.requests_other_image:
            text = f"the cluster-version operator does not accept the requested update to {target}"
            yield _reason("blocked", "release-not-accepted", accepted, text, "Correct what the message reports")
        else:
            text = f"the cluster-version operator does not accept the release {status.requested}".rstrip()
            hint = "Correct spec.desiredUpdate, or set it to the version that the cluster runs"
            yield _reason("risk", "release-not-accepted", accepted, text, hint, name="release-not-accepted")
    failing = status.condition("Failing", "True", "Unknown")
    if failing is not None:
        text = "the cluster fails to reconcile its release" if failing.status == "True" else "reconciling is slow"
        yield _reason("risk", "failing", failing, text, "Repair the cluster before the update", name="failing")
    if status.is_installing and not hosted:
        yield _installing(status)
    else:
        yield from _in_progress(status, target)


def _installing(status: UpdateStatus) -> UpdateReason:
    """The reason that the CVO ignores another release before it has completed the first one.

    Source: openshift/cluster-version-operator:pkg/cvo/sync_worker.go Update, cvo.go hasNeverReachedLevel. The CVO of a
    hosted cluster never changes its release.
    """
    text = "the installation is not completed, and the cluster-version operator ignores each update until it is"
    progressing = status.condition("Progressing") or Condition("Progressing", "Unknown", "Partial", "")
    hint = "Repair what prevents its end"
    return _reason("blocked", "not-installed", progressing, text, hint, f"{_OBJECT}: status.history")


def _in_progress(status: UpdateStatus, target: str) -> Iterator[UpdateReason]:
    hint, name = _WAIT, "update-in-progress"
    loading = status.condition("ReleaseAccepted", "Unknown")
    if loading is not None and status.requested not in ("", status.version, target):
        text = f"an update to {status.requested} is requested, and the cluster-version operator loads it"
        yield _reason("risk", name, loading, text, hint, name=name)
    latest = status.history[0] if status.history else None
    partial = latest is not None and latest.state == "Partial"
    progressing = status.condition("Progressing", "True")
    if not partial and progressing is None:
        return
    version = status.version or "another version"
    # A change of the capabilities is applied in the same way as an update.
    text = f"an update to {version} is under way" if partial else f"the cluster still applies {version}"
    if progressing is not None:
        yield _reason("risk", name, progressing, text, hint, name=name)
    else:
        yield UpdateReason("risk", name, "Partial", text, f"{_OBJECT}: status.history[0]", hint, name)


def gate_reasons(gates: Iterable[AdminGate], acks: frozenset[str] | None) -> Iterator[UpdateReason]:
    """Yield a reason for each of ``gates`` that is not acknowledged. ``acks``: ``None`` if it is not known."""
    for gate in gates:
        if gate.minor is None:
            message = f"{gate.name} is not the name of a gate, expected ack-MAJOR.MINOR-NAME"
            hint = "Correct or remove it: the cluster-version operator blocks every update to another minor version"
            reason = "AdminAckConfigMapGateNameError"
            yield UpdateReason("blocked", "invalid-admin-gate", reason, message, gate.source, hint)
        elif not gate.text:
            message = f"gate {gate.name} is empty, expected a text"
            hint = "Set a text, or remove it: the cluster-version operator does not accept an empty gate"
            reason = "AdminAckConfigMapGateValueError"
            yield UpdateReason("blocked", "invalid-admin-gate", reason, message, gate.source, hint)
        elif acks is None or gate.name not in acks:
            message = f"{gate.name}: {one_line(gate.text).rstrip('.')}"
            hint = f"Check what it describes, then acknowledge it: {gate.command}"
            yield UpdateReason("acknowledge", ACK_REQUIRED, ADMIN_ACK_REQUIRED, message, gate.source, hint, gate.name)


def upgradeable_reasons(
    status: UpdateStatus, gates: Iterable[AdminGate] = (), *, hosted: bool = False, blocks_patches: bool = False
) -> Iterator[UpdateReason]:
    """Yield what ``Upgradeable=False`` reports against an update to another minor version.

    It does not block an update to another patch, unless ``blocks_patches``. ``gates``: those that the CVO considers.
    Once an update is completed, that it is in progress is out of date, and the CVO will notice that on its own.
    ``Unknown``, which a CVO reports from 4.23 on, blocks the update of a ``hosted`` cluster, too.
    Source: openshift/cluster-version-operator release-5.0:pkg/cvo/status.go setUpgradeableCondition, pkg/risk;
    release-4.21:pkg/cvo/upgradeable.go, also defaultUpgradeableCheckIntervals; openshift/hypershift:
    hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go isUpgrading.
    """
    unknown = status.condition(_UPGRADEABLE, "Unknown") if hosted else None
    if unknown is not None:
        text = "HyperShift refuses updates to another minor version while Upgradeable is Unknown"
        yield _reason("blocked", "not-upgradeable", unknown, text, "Correct what the message reports")
    is_updating = status.condition("Progressing", "False") is None
    names = {one_line(gate.text): gate.name for gate in gates}
    for item in _upgradeable_parts(status):
        message = one_line(item.message)
        if item.reason in _INVALID_GATE or message.startswith(_INVALID_GATE_TEXT):
            hint = "Correct or remove the gate in the ConfigMap openshift-config-managed/admin-gates"
            yield _reason("blocked", "invalid-admin-gate", item, "", hint)
        elif item.reason == ADMIN_ACK_REQUIRED or item.reason.startswith(_GATE_RISK) or message in names:
            hint = "Check what it describes, then acknowledge it in the ConfigMap openshift-config/admin-acks"
            risk = item.reason.removeprefix(_GATE_RISK) if item.reason.startswith(_GATE_RISK) else ""
            yield _reason("acknowledge", ACK_REQUIRED, item, "", hint, name=risk or names.get(message, ""))
        elif item.reason == _NO_ACKS or message.startswith(_NO_ACKS_TEXT):
            hint = "Wait: the cluster-version operator creates it again within minutes"
            yield _reason("acknowledge", MISSING_ACKS, item, "", hint, name=MISSING_ACKS)
        elif item.reason in _OVERRIDES or message.startswith(_OVERRIDES_TEXT):
            yield _reason("blocked", "overrides", item, "", "Remove the overrides before the update")
        elif item.reason not in _IN_PROGRESS or is_updating:
            hint = _WAIT if item.reason in _IN_PROGRESS else "Correct what the message reports"
            hint += "" if blocks_patches else "; updates to another patch are not blocked"
            yield _reason("blocked", "not-upgradeable", item, "", hint)


def is_of_last_update(status: UpdateStatus) -> bool:
    """Whether ``Upgradeable`` is from the time before the last update was completed, so from before its gates."""
    return any(item.reason in _IN_PROGRESS for item in _upgradeable_parts(status))


def _upgradeable_parts(status: UpdateStatus) -> list[Condition]:
    """The reasons of ``Upgradeable=False``, each as a condition.

    Several reasons are separate conditions, whose type begins with ``Upgradeable``. From 5.0 on, they are lines of the
    message, and the reason is the name of a risk, if it is valid as one.
    """
    whole = status.condition(_UPGRADEABLE, "False")
    if whole is None:
        return []
    parts = [item for item in status.conditions if item.type.startswith(_UPGRADEABLE) and item.type != _UPGRADEABLE]
    if parts:
        return parts
    messages = whole.message.split("\n* ")[1:] if whole.reason == _SEVERAL else []
    names = {one_line(risk.message): risk.name for update in status.conditional for risk in update.risks}
    return [
        whole._replace(reason=names.get(one_line(message), whole.reason), message=message)
        for message in messages or [whole.message]
    ]


def recommendation_reasons(
    status: UpdateStatus, target: str, results: Mapping[str, bool], unchecked: list[Unchecked], *, hosted: bool
) -> Iterator[UpdateReason]:
    """Yield why the update service does not recommend an update to ``target``. ``unchecked`` gets what is not known.

    ``results``: whether a risk applies, by its name, for risks of which the CVO reports no result. An update that is
    not recommended is a risk, because the CVO only warns about it.
    Source: openshift/cluster-version-operator:pkg/payload/precondition/clusterversion/recommendedupdate.go. HyperShift
    replaces the channel of a ``hosted`` cluster, see openshift/hypershift resources.go reconcileClusterVersion.
    """
    if target == status.version:
        return
    update, retrieved = status.conditional_update(target), status.condition("RetrievedUpdates")
    if update is not None or target in status.available:
        if retrieved is not None and retrieved.status == "False":  # the CVO keeps the list for up to a day
            message = "the list of updates was not retrieved again, so risks that were published since are not known: "
            unchecked.append(Unchecked("recommended-updates", message + one_line(retrieved.message)))
        if update is not None:
            yield from _conditional(update, target, status, results, unchecked)
    elif retrieved is None:
        message = f"the status lists no updates, so it is not known whether the update to {target} is recommended"
        unchecked.append(Unchecked("recommended-updates", message))
    elif not status.channel:
        text = f"no channel is set, so it is not known whether the update to {target} is recommended"
        command = "oc adm upgrade channel CHANNEL"
        hint = f"Set the channel: {'spec.channel of its HostedCluster' if hosted else command}"
        yield UpdateReason("risk", "no-channel", "NoChannel", text, f"{_OBJECT}: spec.channel", hint, "no-channel")
    elif retrieved.status == "True":
        text = f"the channel {status.channel} has no update from {status.version} to {target}"
        hint = "Choose a version that oc adm upgrade lists, or another channel"
        source, name = f"{_OBJECT}: status.availableUpdates", "update-not-listed"
        yield UpdateReason("risk", name, "UnknownUpdate", text, source, hint, name)
    else:
        yield not_retrieved(retrieved, f"it is not known whether the update to {target} is recommended")


def not_retrieved(condition: Condition, text: str) -> UpdateReason:
    """The reason that the CVO cannot retrieve updates, as ``condition`` reports; ``text`` says what depends on them."""
    hint = "Correct what the message reports, such as the channel or the access to the update service"
    name = "updates-not-retrieved"
    return _reason("risk", name, condition, text, hint, name=name)


def _conditional(
    update: ConditionalUpdate,
    target: str,
    status: UpdateStatus,
    results: Mapping[str, bool],
    unchecked: list[Unchecked],
) -> Iterator[UpdateReason]:
    if is_free_of_risks(update.recommended):
        return
    source = f"{_OBJECT}: status.conditionalUpdates[{target}]"
    blocking = {one_line(part.message) for part in _upgradeable_parts(status)}
    for risk in update.risks:
        if one_line(risk.message) in blocking:
            continue  # from 5.0 on, each update to another minor version also has the risks that block it
        applies = results.get(risk.name) if risk.applies is None else risk.applies
        if applies is False:
            continue
        if applies is None:
            expressions = f": {'; '.join(risk.promql)}" if risk.promql else ""
            unchecked.append(Unchecked("promql", f"PromQL of the risk {risk.name} was not evaluated{expressions}"))
        text = one_line(risk.message) or risk.name
        text = text if applies else f"it is not known whether this risk applies: {text}"
        if risk.name in status.accepted_risks:
            text = f"spec.desiredUpdate.acceptRisks accepts this risk for all updates: {text}"
        hint = f"Read {risk.url}, and decide" if risk.url else "Decide"
        hint += " whether to accept the risk"
        yield UpdateReason("risk", "conditional-risk", risk.name, text, source, hint, risk.name)
    if not update.risks:
        text, hint = f"the update to {target} is not recommended", "Check it with oc adm upgrade"
        reported = update.recommended or Condition("Recommended", "Unknown", "UnknownConditionType", "")
        yield _reason("risk", "conditional-risk", reported, text, hint, source, name="conditional-risk")


def _reason(
    verdict: Verdict, code: str, condition: Condition, text: str, hint: str, source: str = "", *, name: str = ""
) -> UpdateReason:
    reported = one_line(condition.message) or condition.reason
    message = f"{text}: {reported}" if text and reported else text or reported
    place = source or f"{_OBJECT}: status.conditions[{condition.type}]"
    return UpdateReason(verdict, code, condition.reason or condition.type, message, place, hint, name)


def one_line(text: str) -> str:
    """``text`` of a condition in one line, without a period at its end."""
    return " ".join(text.split()).rstrip(".")
