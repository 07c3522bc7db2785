# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the cluster-version operator decides and reports about an update: reasons, texts and their order.

Each function names the one that it follows in openshift/cluster-version-operator, commit 6e719331f, or on the branch
that is given. ``tests/cluster/harness/test_cvo_status.py`` compares it with the tables of the operator's own tests.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

Body = Mapping[str, Any]
NOT_YET = "ClusterOperatorUpdating"
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:[-+].*)?")
_GATE = re.compile(r"ack-[4-5][.]([0-9]+)-[^-]")
_PLURAL = {
    "ClusterOperatorUpdating": "Cluster operators {} are updating versions",
    "ClusterOperatorDegraded": "Cluster operators {} are degraded",
    "ClusterOperatorNotAvailable": "Cluster operators {} are not available",
}
_SUMMARIES = {
    "ClusterOperatorDegraded": "the cluster operator {} is degraded",
    "ClusterOperatorNotAvailable": "the cluster operator {} is not available",
    "ClusterOperatorsNotAvailable": "some cluster operators are not available",
}
_EFFECTS = ("None", "FailAfterInterval", "Fail")


class UpdateError(NamedTuple):
    """Why a payload is not applied yet: pkg/payload UpdateError. ``nested``: the errors of ``MultipleErrors``."""

    effect: str
    reason: str
    message: str
    names: tuple[str, ...] = ()
    nested: tuple[UpdateError, ...] = ()


class Failed(NamedTuple):
    """A precondition that is not met; ``warning``: it does not block."""

    name: str
    reason: str
    message: str
    warning: bool = False


class Worker(NamedTuple):
    """What the status is made of: SyncWorkerStatus of pkg/cvo/sync_worker.go. ``load``: step, message, if it failed."""

    actual: Body
    load: tuple[str, str, bool] = ("", "", False)
    failure: UpdateError | None = None
    done: int = 0
    total: int = 0
    completed: bool = False
    reconciling: bool = False
    verified: bool = False
    accepted_risks: str = ""
    enabled: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    implicit: tuple[str, ...] = ()


def condition_of(item: Body, kind: str) -> dict[str, Any]:
    """Return a condition of an object, empty if there is none."""
    return next((found for found in item.get("status", {}).get("conditions") or () if found["type"] == kind), {})


def validation_errors(config: Body, *, accept_risks: bool = False) -> list[str]:
    """lib/validation ValidateClusterVersion, of ``spec.desiredUpdate``."""
    update = config["spec"].get("desiredUpdate")
    if update is None:
        return []
    where, version = "spec.desiredUpdate", update.get("version") or ""
    named = any(update.get(field) for field in ("architecture", "version", "image"))
    if update.get("acceptRisks") and not accept_risks:
        return [f"{where}.acceptRisks: Forbidden: acceptRisks must not be specified"]
    if not named and not (accept_risks and update.get("acceptRisks")):
        more = ("version, image, or acceptRisks") if accept_risks else "version, or image"
        return [f"{where}: Required value: must specify architecture, {more}"]
    if version and not _VERSION.fullmatch(version):
        return [f'{where}.version: Invalid value: "{version}": must be a semantic version (1.2.3[-...])']
    if version and not update.get("image"):
        count = _count_payloads(config.get("status", {}), version)
        text = "there are multiple possible payloads for this version, specify the exact image"
        text = text if count else "when image is empty the update must be an available update"
        return [] if count == 1 else [f'{where}.version: Invalid value: "{version}": {text}']
    return []


def _count_payloads(status: Body, version: str) -> int:
    """lib/validation countPayloadsForVersion."""
    count = sum(item["version"] == version and bool(item.get("image")) for item in status.get("availableUpdates") or ())
    return count or any(item["version"] == version and item["image"] for item in status.get("history") or ())


def find_update(config: Body) -> tuple[str, str] | None:
    """pkg/cvo/updatepayload.go findUpdateFromConfig: version and image, or nothing if the spec requests none."""
    update = config["spec"].get("desiredUpdate") or {}
    version = update.get("version") or ""
    if update.get("image"):
        return version, update["image"]
    if update.get("architecture") == "Multi":
        version = config["status"]["desired"]["version"]
    for item in config.get("status", {}).get("availableUpdates") or ():
        if version and item["version"] == version and item.get("image"):
            return version, item["image"]
    return None


def _numbers(version: str) -> tuple[int, int, int] | None:
    found = _VERSION.fullmatch(version)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _completed_version(status: Body) -> str:
    """precondition/clusterversion GetCurrentVersion."""
    history = status.get("history") or ()
    done = [item["version"] for item in history if item["state"] == "Completed"]
    return str(done[0]) if done else str(history[-1]["version"]) if history else ""


def preconditions(config: Body, target: str) -> list[Failed]:
    """The checks of pkg/cvo/cvo.go defaultPreconditionChecks, for two versions that can be parsed."""
    current = config["status"]["desired"]["version"]
    now, then = _numbers(current), _numbers(target)
    if now is None or then is None:
        raise ValueError(f"{current} to {target}")
    found = _rollback(config["status"], target) if then < now else []
    if then[0] == now[0] and then[1] > now[1] + 1:
        text = (
            f"{target} is more than one minor version beyond the current target {current}"
            f" ({then[0]}.{then[1]} > {now[0]}.({now[1]}+1)), and only updates within the current minor version or to"
            " the next minor version are supported."
        )
        found.append(Failed("ClusterVersionGiantHop", "MultipleMinorVersionsUpdate", text))
    return [*found, *upgradeable_check(config, target), *_recommended(config, target)]


def _rollback(status: Body, target: str) -> list[Failed]:
    """precondition/clusterversion/rollback.go Run, for a target that is older."""
    current, image = status["desired"]["version"], status["desired"]["image"]
    older = f"{target} is less than the current target {current}"
    before = [item for item in status["history"] if (item["version"], item["image"]) != (current, image)]
    text = f"{older}, and the cluster has no previous Semantic Version"
    if before:
        version = before[0]["version"]
        if version == target and version.split(".")[:2] == current.split(".")[:2]:
            return []
        only = f"the only supported rollback is to the cluster's previous version {version} ({before[0]['image']})"
        text = f"{older}, and {only}"
        if version == target:
            rule = "rollbacks that change major or minor versions are not recommended"
            text = f"{older} and matches the cluster's previous version, but {rule}"
    return [Failed("ClusterVersionRollback", "LowDesiredVersion", text)]


def upgradeable_check(config: Body, target: str) -> list[Failed]:
    """precondition/clusterversion/upgradeable.go Run."""
    name, condition = "ClusterVersionUpgradeable", condition_of(config, "Upgradeable")
    if condition.get("status") != "False":
        return []
    current = config["status"]["desired"]["version"]
    now, then = _numbers(current), _numbers(target)
    if now is None or then is None:
        reason = "InvalidCurrentVersion" if now is None else "InvalidDesiredVersion"
        return [Failed(name, reason, "No Major.Minor.Patch elements found", now is None)]
    patch = now[:2] == then[:2]
    if then > now and not patch:
        return [Failed(name, condition["reason"], condition["message"])]
    if any(item.get("unmanaged") for item in config["spec"].get("overrides") or ()):
        text = (
            f"Retarget from {current} to {target} is not blocked by ClusterVersionOverridesSet. But the cluster-version"
            " operator is not managing these resources; they are currently the responsibility of the agent that set the"
            " overrides: Disabling ownership via cluster version overrides prevents upgrades between minor or major"
            " versions. Please remove overrides before requesting a minor or major version update."
        )
        return [Failed(name, "ClusterVersionOverridesSet", text, True)]
    before = _completed_version(config["status"])
    done = _numbers(before)
    if patch and done and done[:2] != now[:2] and condition_of(config, "Progressing").get("status") == "True":
        kind = "Major" if done[0] != now[0] else "Minor"
        text = f"Retarget to {target} while a {kind.lower()} version update from {before} to {current} is in progress"
        return [Failed(name, f"{kind}VersionClusterUpdateInProgress", text, True)]
    return []


def _recommended(config: Body, target: str) -> list[Failed]:
    """precondition/clusterversion/recommendedupdate.go Run, which never blocks."""
    name, status = "ClusterVersionRecommendedUpdate", config["status"]
    way = f"pdate from {status['desired']['version']} to {target}"
    if any(item["version"] == target for item in status.get("availableUpdates") or ()):
        return []
    for item in status.get("conditionalUpdates") or ():
        if item["release"]["version"] == target:
            (found,) = [each for each in item["conditions"] if each["type"] == "Recommended"]
            state, reason, text = found["status"], found["reason"], found["message"]
            shown = f"U{way} is not recommended:\n\n{text}"
            shown = shown if state == "False" else f"U{way} is Recommended={state}: {reason}: {text}"
            return [] if state == "True" else [Failed(name, reason, shown, True)]
    unknown = f"so the recommended status of updating {way.removeprefix('pdate ')} is unknown."
    if not config["spec"].get("channel"):
        return [Failed(name, "NoChannel", f"Configured channel is unset, {unknown}", True)]
    known = condition_of(config, "RetrievedUpdates")
    if known.get("status") == "True":
        unknown = f"so the u{way} is probably neither recommended nor supported."
    start = f"RetrievedUpdates={known['status']} ({known.get('reason', '')})" if known else "No RetrievedUpdates"
    return [Failed(name, "UnknownUpdate", f"{start}, {unknown}", True)]


def evaluate_conditional_updates(
    available: Iterable[Body], conditional: Iterable[Body], accepted: Collection[str]
) -> tuple[list[Body], list[Body]]:
    """pkg/cvo/availableupdates.go evaluateConditionalUpdates, of risks that all apply.

    An update whose risks are all ``accepted`` becomes an available one.
    """
    updates, others = list(available), []
    text = "The update is recommended, because either risk does not apply to this cluster or it is accepted by"
    for item in conditional:
        if all(risk["name"] in accepted for risk in item["risks"]):
            updates += [] if item["release"] in updates else [item["release"]]
            (found,) = [each for each in item["conditions"] if each["type"] == "Recommended"]
            state = {"status": "True", "reason": "AllExposedRisksAccepted", "message": f"{text} cluster admins."}
            item = {**item, "conditions": [{**found, **state}]}
        others.append(item)
    return updates, others


def summarize(failed: Sequence[Failed]) -> tuple[bool, str]:
    """pkg/payload/precondition Summarize without force: whether they block, and the message."""
    texts = [f'Precondition "{item.name}" failed because of "{item.reason}": {item.message}' for item in failed]
    several = "Multiple precondition checks failed:\n* " + "\n* ".join(texts)
    return any(not item.warning for item in failed), texts[0] if len(texts) == 1 else several if texts else ""


def upgradeable_conditions(
    config: Body, gates: Mapping[str, str], acknowledged: Mapping[str, str] | None, operators: Iterable[Body]
) -> list[dict[str, str]]:
    """release-4.20 pkg/cvo/upgradeable.go setUpgradeableConditions, with the checks of defaultUpgradeableChecks.

    ``acknowledged``: ``None`` without the ConfigMap.
    """
    found: list[dict[str, str]] = []
    if any(item.get("unmanaged") for item in config["spec"].get("overrides") or ()):
        text = "Disabling ownership via cluster version overrides prevents upgrades."
        text += " Please remove overrides before continuing."
        found.append(condition("UpgradeableClusterVersionOverrides", "False", "ClusterVersionOverridesSet", text))
    minor = (_numbers(_completed_version(config.get("status", {}))) or (0, 0, 0))[1]
    applying = {name: text for name, text in gates.items() if int(_GATE.match(name)[1]) == minor}  # type: ignore[index]
    missing = sorted(text for name, text in applying.items() if (acknowledged or {}).get(name) != "true")
    if acknowledged is None:  # clusterAdminAcksCompletedUpgradeable
        text = "admin-acks configmap not found."
        found.append(condition("UpgradeableAdminAckRequired", "False", "UnableToAccessAdminAcksConfigMap", text))
    elif missing:  # checkAdminGate
        found.append(condition("UpgradeableAdminAckRequired", "False", "AdminAckRequired", " ".join(missing)))
    for item in operators:  # clusterOperatorsUpgradeable, for one operator
        own = condition_of(item, "Upgradeable")
        if own.get("status") == "False":
            text = f"Cluster operator {item['metadata']['name']} should not be upgraded between minor versions"
            text += f": {own['message']}"
            found.append(condition("UpgradeableClusterOperators", "False", own["reason"], text))
    if condition_of(config, "Progressing").get("status") == "True":  # upgradeInProgressUpgradeable
        text = "An update is already in progress and the details are in the Progressing condition"
        found.append(condition("UpgradeableUpgradeInProgress", "True", "UpdateInProgress", text))
    if len(found) == 1:
        return [{**found[0], "type": "Upgradeable", "status": "False"}]
    reasons = ",".join(item["reason"] for item in found)
    text = f"Cluster should not be upgraded between minor versions for multiple reasons: {reasons}"
    text = "\n* ".join([text, *(item["message"] for item in found)])
    return [*found, condition("Upgradeable", "False", "MultipleReasons", text)] if found else []


def operator_error(name: str, versions: Mapping[str, str], actual: Body) -> UpdateError | None:
    """pkg/cvo/internal/operatorstatus.go checkOperatorHealth, during an update."""
    status = actual.get("status", {})
    reported = {item["name"]: item["version"] for item in status.get("versions") or ()}
    if condition_of(actual, "Available").get("status") != "True":
        return UpdateError("Fail", "ClusterOperatorNotAvailable", f"Cluster operator {name} is not available", (name,))
    if condition_of(actual, "Degraded").get("status") != "False":
        text = f"Cluster operator {name} is degraded"
        return UpdateError("FailAfterInterval", "ClusterOperatorDegraded", text, (name,))
    if any(reported.get(item) != version for item, version in versions.items()):
        return UpdateError("None", NOT_YET, f"Cluster operator {name} is updating versions", (name,))
    return None


def summary(errors: Sequence[UpdateError]) -> UpdateError | None:
    """pkg/cvo/sync_worker.go summarizeTaskGraphErrors, of errors of ClusterOperators."""
    condensed = []
    for reason in sorted({error.reason for error in errors}):  # condenseClusterOperators
        same = [error for error in errors if error.reason == reason]
        names = tuple(sorted(name for error in same for name in error.names))
        if len(same) > 1:
            effect = max((error.effect for error in same), key=_EFFECTS.index)
            plural = reason.replace("ClusterOperator", "ClusterOperators", 1)
            same = [UpdateError(effect, plural, _PLURAL[reason].format(", ".join(names)), names)]
        condensed += same
    return _multiple(condensed)


def _multiple(errors: Sequence[UpdateError]) -> UpdateError | None:
    """pkg/cvo/sync_worker.go newMultipleError."""
    if len(errors) < 2:
        return errors[0] if errors else None
    texts = "\n* ".join(sorted({error.message for error in errors}))
    text = f"Multiple errors are preventing progress:\n* {texts}"
    return UpdateError("", "MultipleErrors", text, nested=tuple(errors))


def condition(kind: str, status: str, reason: str = "", message: str = "") -> dict[str, str]:
    """Return a condition without its time."""
    found = {"type": kind, "status": status, "reason": reason, "message": message}
    return {field: value for field, value in found.items() if value}


def _to_progressing(error: UpdateError | None, minutes: Mapping[str, float]) -> tuple[str, str, bool, bool]:
    """pkg/cvo/status.go convertErrorToProgressing: reason, message, whether it is no failure, whether it is slow."""
    if error is None or error.effect in ("", "Fail"):
        return "", "", False, False
    spent = {name: minutes.get(name, 0.0) for name in error.names}
    if error.effect == "FailAfterInterval":
        late = [name for name in error.names if spent[name] > 40]
        text = f"wait has exceeded 40 minutes for these operators: {', '.join(late)}"
        return error.reason, text if late else f"waiting up to 40 minutes on {', '.join(error.names)}", not late, False
    late = [name for name in error.names if name != "machine-config" and spent[name] > 30]
    parts = [f"{', '.join(late)} over 30 minutes"] if late else []
    parts += ["machine-config over 90 minutes"] if spent.get("machine-config", 0.0) > 90 else []
    text = f"waiting on {' and '.join(parts)} which is longer than expected"
    return error.reason, text if parts else f"waiting on {', '.join(error.names)}", True, bool(parts)


def progress_conditions(
    worker: Worker, invalid: Sequence[str], minutes: Mapping[str, float], *, history: bool = True
) -> list[dict[str, str]]:
    """pkg/cvo/status.go updateClusterVersionStatus: Failing and Progressing.

    ``minutes`` that each operator has been waited for.
    """
    error, version = worker.failure, worker.actual.get("version", "")
    failure, reason, text, skip, slow = error, "", "", False, False
    if not worker.reconciling and history:
        reason, text, skip, slow = _to_progressing(error, minutes)
        if error and error.reason == "MultipleErrors":  # filterErrorForFailingCondition
            failure = _multiple([item for item in error.nested if item.effect != "None"])
    failing = condition("Failing", "False")
    if failure and slow:
        failing = condition("Failing", "Unknown", "SlowClusterOperator", text)
    elif failure and not skip:
        failing = condition("Failing", "True", failure.reason, failure.message)
    if error and not skip:
        text = text or _SUMMARIES.get(error.reason, f"an unknown error has occurred: {error.reason}").format(
            ", ".join(error.names)
        )
        shown = f"Error while reconciling {version}" if worker.reconciling else f"Unable to apply {version}"
        return [failing, condition("Progressing", str(not worker.reconciling), error.reason, f"{shown}: {text}")]
    reason = reason if skip else "InvalidClusterVersion" if invalid else ""
    if worker.reconciling:
        shown = f"Stopped at {version}: the cluster version is invalid" if invalid else f"Cluster version is {version}"
        return [failing, condition("Progressing", "False", reason, shown)]
    part = worker.done / worker.total if worker.total else 0.0
    counted = f"{worker.done} of {worker.total} done ({math.trunc(part * 100)}% complete)" if part else ""
    shown = ", ".join(filter(None, (counted, text)))
    shown = f"Working towards {version}: {shown}" if shown else f"Working towards {version}"
    if invalid:
        shown = f"Reconciling {version}: the cluster version is invalid"
    return [failing, condition("Progressing", "True", reason, shown)]


def conditions(
    worker: Worker, invalid: Sequence[str], minutes: Mapping[str, float], before: Sequence[Body], now: str
) -> list[dict[str, Any]]:
    """pkg/cvo/status.go updateClusterVersionStatus: all conditions but Upgradeable.

    One that keeps its status keeps its time, as lib/resourcemerge SetOperatorStatusCondition has it.
    """
    found = progress_conditions(worker, invalid, minutes)
    if invalid:
        one = f"The cluster version is invalid: {invalid[0]}"
        found.append(condition("Invalid", "True", "InvalidClusterVersion", one))
    if worker.implicit:  # setImplicitlyEnabledCapabilitiesCondition
        text = f"The following capabilities could not be disabled: {', '.join(sorted(worker.implicit))}"
        found.append(condition("ImplicitlyEnabledCapabilities", "True", "CapabilitiesImplicitlyEnabled", text))
    else:
        text = "Capabilities match configured spec"
        found.append(condition("ImplicitlyEnabledCapabilities", "False", "AsExpected", text))
    step, text, failed = worker.load
    if step:  # setReleaseAcceptedCondition
        state = "True" if step == "PayloadLoaded" else "False" if failed else "Unknown"
        found.append(condition("ReleaseAccepted", state, step, text))
    if worker.completed:
        found.append(condition("Available", "True", "", f"Done applying {worker.actual['version']}"))
    made = {item["type"] for item in found} | {"Invalid"}
    kept = [dict(item) for item in before if item["type"] not in made and not item["type"].startswith("Upgradeable")]
    return timed([*found, *kept], before, now)


def timed(found: Iterable[Body], before: Sequence[Body], now: str) -> list[dict[str, Any]]:
    """Return conditions with the time of their last change."""
    times = {(item["type"], item["status"]): item.get("lastTransitionTime", now) for item in before}
    return [{**item, "lastTransitionTime": times.get((item["type"], item["status"]), now)} for item in found]


def merge_history(history: Sequence[Body], worker: Worker, now: str) -> list[dict[str, Any]]:
    """pkg/cvo/status.go mergeOperatorHistory."""
    entries: list[dict[str, Any]] = json.loads(json.dumps(list(history)))
    same = bool(entries) and entries[0]["image"] == worker.actual["image"]  # mergeEqualVersions
    if not same:
        if entries:
            entries[0]["completionTime"] = entries[0].get("completionTime") or now
        entry = {"version": worker.actual["version"], "image": worker.actual["image"], "state": "Partial"}
        entries.insert(0, {**entry, "startedTime": now, "completionTime": None, "verified": False})
    if worker.completed:
        entries[0]["state"] = "Completed"
        entries[0]["completionTime"] = entries[0].get("completionTime") or now
    if worker.accepted_risks:
        entries[0]["acceptedRisks"] = worker.accepted_risks
    if worker.verified:
        entries[0]["verified"] = True
    return entries
