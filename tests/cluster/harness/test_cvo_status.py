# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The simulated cluster-version operator reports what the unit tests of the real one expect.

Source: openshift/cluster-version-operator, commit 6e719331f.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.control_plane.cvo_status import (
    Failed,
    UpdateError,
    Worker,
    merge_history,
    operator_error,
    preconditions,
    progress_conditions,
    summarize,
    summary,
    upgradeable_check,
    validation_errors,
)

WAITED = {"co-timeout": 60.0, "co-bar-timeout": 60.0, "machine-config": 60.0}
UPDATING = "ClusterOperatorUpdating", "Cluster operator A is updating"
NOT_AVAILABLE = UpdateError("Fail", "ClusterOperatorNotAvailable", "Cluster operator A is not available")
B_UPDATES = UpdateError("None", "ClusterOperatorUpdating", "Cluster operator B is updating versions")
C_DEGRADED = UpdateError("FailAfterInterval", "ClusterOperatorDegraded", "Cluster operator C is degraded")
SLOW = "which is longer than expected"
BOTH = f"co-timeout, co-bar-timeout over 30 minutes and machine-config over 90 minutes {SLOW}"


def several(*errors: UpdateError) -> UpdateError:
    texts = "\n* ".join(error.message for error in errors)
    return UpdateError("Fail", "MultipleErrors", f"Multiple errors are preventing progress:\n* {texts}", nested=errors)


def updating(*names: str) -> UpdateError:
    return UpdateError("None", *UPDATING, names)


def table(status: str, reason: str = "", message: str = "") -> dict[str, str]:
    found = {"type": "Failing", "status": status, "reason": reason, "message": message}
    return {field: value for field, value in found.items() if value}


FAILED = (NOT_AVAILABLE.reason, NOT_AVAILABLE.message)
A_AND_C = several(NOT_AVAILABLE, C_DEGRADED)


# pkg/cvo/status_test.go TestUpdateClusterVersionStatus_FilteringMultipleErrorsForFailingCondition
@pytest.mark.parametrize(
    ("error", "failing", "waiting"),
    [
        (None, table("False"), None),
        (updating("co-not-timeout"), table("False"), "co-not-timeout"),
        (updating("machine-config"), table("False"), "machine-config"),
        (
            updating("co-timeout"),
            table("Unknown", "SlowClusterOperator", f"waiting on co-timeout over 30 minutes {SLOW}"),
            f"co-timeout over 30 minutes {SLOW}",
        ),
        (updating("co-a", "co-b", "co-c"), table("False"), "co-a, co-b, co-c"),
        (
            updating("co-timeout", "co-bar-timeout", "co-c"),
            table("Unknown", "SlowClusterOperator", f"waiting on co-timeout, co-bar-timeout over 30 minutes {SLOW}"),
            f"co-timeout, co-bar-timeout over 30 minutes {SLOW}",
        ),
        (NOT_AVAILABLE, table("True", *FAILED), None),
        (A_AND_C, table("True", "MultipleErrors", A_AND_C.message), None),
        (several(NOT_AVAILABLE, B_UPDATES), table("True", *FAILED), None),
        (several(B_UPDATES, B_UPDATES._replace(message="Cluster operator B is getting conscious")), None, None),
        (
            several(NOT_AVAILABLE, B_UPDATES, C_DEGRADED),
            table("True", "MultipleErrors", A_AND_C.message),
            None,
        ),
    ],
)
def test_failing_and_progressing(
    error: UpdateError | None, failing: dict[str, str] | None, waiting: str | None
) -> None:
    found, progressing = progress_conditions(Worker({"version": "1.2.3"}, failure=error), [], WAITED)
    assert found == (failing or table("False"))
    if waiting:
        message = f"Working towards 1.2.3: waiting on {waiting}"
        assert (progressing["status"], progressing["reason"]) == ("True", "ClusterOperatorUpdating")
        assert progressing["message"] == message


def test_machine_config_may_take_90_minutes() -> None:
    error = updating("co-timeout", "co-bar-timeout", "machine-config")
    failing, _progressing = progress_conditions(
        Worker({"version": "1.2.3"}, failure=error), [], {**WAITED, "machine-config": 120.0}
    )
    assert failing == table("Unknown", "SlowClusterOperator", f"waiting on {BOTH}")


@pytest.mark.parametrize("history", [True, False])
def test_every_error_of_a_reconciled_release_is_a_failure(history: bool) -> None:
    worker = Worker({"version": "1.2.3"}, failure=updating("co-timeout"), reconciling=history)
    failing, _progressing = progress_conditions(worker, [], WAITED, history=False)
    assert failing == table("True", *UPDATING)


def requesting(update: dict[str, Any] | None, *available: str, completed: str = "") -> dict[str, Any]:
    updates = [{"version": version, "image": f"image-of-{index}"} for index, version in enumerate(available)]
    history = [{"version": completed, "image": "image"}] if completed else []
    return {"spec": {"desiredUpdate": update}, "status": {"availableUpdates": updates, "history": history}}


# lib/validation/validation_test.go TestValidateClusterVersion
@pytest.mark.parametrize(
    ("config", "error"),
    [
        (requesting(None), ""),
        (requesting({}), ": Required value: must specify architecture, version, or image"),
        (requesting({"acceptRisks": [{"name": "a"}]}), ".acceptRisks: Forbidden: acceptRisks must not be specified"),
        (requesting({"image": "an-image"}), ""),
        (requesting({"version": "4.1.1"}, "4.1.1"), ""),
        (requesting({"version": "4.1.1"}, completed="4.1.1"), ""),
        (
            requesting({"version": "4.1.1"}, "4.1.2"),
            '.version: Invalid value: "4.1.1": when image is empty the update must be an available update',
        ),
        (
            requesting({"version": "4.1.1"}, "4.1.1", "4.1.1"),
            '.version: Invalid value: "4.1.1": there are multiple possible payloads for this version, specify the exact'
            " image",
        ),
        (
            requesting({"version": "4.1", "image": "an-image"}),
            '.version: Invalid value: "4.1": must be a semantic version (1.2.3[-...])',
        ),
    ],
)
def test_what_the_spec_may_request(config: dict[str, Any], error: str) -> None:
    assert validation_errors(config) == ([f"spec.desiredUpdate{error}"] if error else [])


def test_risks_may_be_accepted_if_the_operator_has_the_gate() -> None:
    assert validation_errors(requesting({"acceptRisks": [{"name": "a"}]}), accept_risks=True) == []
    (error,) = validation_errors(requesting({}), accept_risks=True)
    assert error.endswith("must specify architecture, version, image, or acceptRisks")


def cluster(current: str, upgradeable: str = "", completed: str = "", *, overrides: bool = False) -> dict[str, Any]:
    conditions = [{"type": "Progressing", "status": "True"}] if completed not in ("", current) else []
    if upgradeable:
        text = f"set to {upgradeable}"
        conditions.append({"type": "Upgradeable", "status": upgradeable, "reason": "bla", "message": text})
    history = [{"state": "Completed", "version": completed, "image": "before"}]
    status = {"desired": {"version": current, "image": "now"}, "history": history, "conditions": conditions}
    return {"spec": {"overrides": [{"unmanaged": True}] if overrides else []}, "status": status}


# pkg/payload/precondition/clusterversion/upgradeable_test.go TestUpgradeableRun
@pytest.mark.parametrize(
    ("config", "target", "reason"),
    [
        (cluster("4.1"), "4.2", None),
        (cluster("4.1", "True"), "4.2", None),
        (cluster("4.1", "Unknown"), "4.2", None),
        (cluster("4.1", "False"), "4.2", ("InvalidCurrentVersion", True)),
        (cluster("4.1.1", "False"), "4.2", ("InvalidDesiredVersion", False)),
        (cluster("4.1.1", "False"), "4.2.1", ("bla", False)),
        (cluster("4.1.3", "False"), "4.1.4", None),
        (cluster("4.1.3", "False", overrides=True), "4.1.4", ("ClusterVersionOverridesSet", True)),
        (cluster("4.1.1", "False", overrides=True), "4.2.1", ("bla", False)),
        (cluster("4.16.3", "False"), "4.16.1", None),
        (cluster("4.16.1", "False"), "4.15.3", None),
        (cluster("4.16.1", "False"), "4.18.3", ("bla", False)),
        (cluster("4.2.1", "False", "4.1.1"), "4.2.3", ("MinorVersionClusterUpdateInProgress", True)),
        (cluster("5.0.1", "False", "4.1.1"), "5.0.3", ("MajorVersionClusterUpdateInProgress", True)),
        (cluster("4.2.2", "False", "4.2.1"), "4.2.3", None),
    ],
)
def test_a_minor_has_to_be_upgradeable(config: dict[str, Any], target: str, reason: tuple[str, bool] | None) -> None:
    found = [(item.reason, item.warning) for item in upgradeable_check(config, target)]
    assert found == ([reason] if reason else [])


# by the code of rollback.go, gianthop.go and recommendedupdate.go next to it
@pytest.mark.parametrize(
    ("current", "target", "reasons"),
    [
        ("4.16.3", "4.16.1", ["NoChannel"]),
        ("4.16.3", "4.16.2", ["LowDesiredVersion", "NoChannel"]),
        ("4.17.0", "4.16.1", ["LowDesiredVersion", "NoChannel"]),
        ("4.16.3", "4.18.0", ["MultipleMinorVersionsUpdate", "NoChannel"]),
    ],
)
def test_downgrades_and_skipped_minors(current: str, target: str, reasons: list[str]) -> None:
    config = cluster(current, completed="4.16.1")
    failed = preconditions(config, target)
    assert [item.reason for item in failed] == reasons
    assert summarize(failed)[0] == (len(reasons) > 1)


# precondition_test.go TestSummarize
def test_warnings_alone_do_not_block() -> None:
    blocking, warning = Failed("A", "no", "it is not"), Failed("B", "perhaps", "it may not be", True)
    assert summarize([]) == (False, "")
    assert summarize([warning]) == (False, 'Precondition "B" failed because of "perhaps": it may not be')
    blocked, text = summarize([blocking, warning])
    assert blocked
    assert text == (
        "Multiple precondition checks failed:\n"
        '* Precondition "A" failed because of "no": it is not\n'
        '* Precondition "B" failed because of "perhaps": it may not be'
    )


# sync_worker_test.go Test_condenseClusterOperators
def test_errors_of_operators_with_one_reason_are_one() -> None:
    errors = [operator_error(name, {"operator": "2"}, {"status": {}}) for name in ("b", "a")]
    found = summary(list(filter(None, errors)))
    assert found == UpdateError(
        "Fail", "ClusterOperatorsNotAvailable", "Cluster operators a, b are not available", ("a", "b")
    )
    assert summary([]) is None


# by the code of mergeOperatorHistory: an entry that is not complete when another begins ends, and is not complete
def test_history_of_a_retargeted_update() -> None:
    first = merge_history([], Worker({"version": "1", "image": "a"}, completed=True), "09:00")
    second = merge_history(first, Worker({"version": "2", "image": "b"}, accepted_risks="one"), "10:00")
    third = merge_history(second, Worker({"version": "3", "image": "c"}, verified=True), "11:00")
    shown = [(item["version"], item["state"], item["completionTime"]) for item in third]
    assert shown == [("3", "Partial", None), ("2", "Partial", "11:00"), ("1", "Completed", "09:00")]
    assert [item.get("acceptedRisks") for item in third] == [None, "one", None]
    done = merge_history(third, Worker({"version": "3", "image": "c"}, completed=True), "12:00")
    assert (done[0]["state"], done[0]["completionTime"], done[0]["verified"]) == ("Completed", "12:00", True)
