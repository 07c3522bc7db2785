# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Why the update service does not recommend an update. Which updates a status lists is in test_update_status."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._update_plan.update_reasons import (
    Unchecked,
    recommendation_reasons,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.update_status import read_update_status

TARGET = "4.20.5"
RISKS = {"Slow": {"name": "Slow", "message": "It is slow.", "matchingRules": [{"type": "Always"}]}}
RISKS["Broken"] = {**RISKS["Slow"], "name": "Broken", "message": "It\n breaks"}
RISKS["Some"] = {"name": "Some", "message": "It may break", "matchingRules": [{"promql": {"promql": "up"}}]}


def condition(type_: str, status: str, reason: str = "Why", message: str = "so") -> dict[str, str]:
    return {"type": type_, "status": status, "reason": reason, "message": message}


OUTDATED = condition("RetrievedUpdates", "False", "RemoteFailed", "no route")


def conditional(*names: str, recommended: str = "") -> dict[str, Any]:
    conditions = [condition("Recommended", recommended)] if recommended else []
    update = {"release": {"version": TARGET}, "risks": [RISKS[name] for name in names], "conditions": conditions}
    return {"conditionalUpdates": [update]}


def reasons(status: dict[str, Any], results: dict[str, bool], spec: Any) -> tuple[list[tuple[str, str]], list[str]]:
    """Code and reason of each, and the codes of what was not checked."""
    found = read_update_status({"spec": spec, "status": {"desired": {"version": "4.20.3"}, **status}})
    assert found is not None
    unchecked: list[Unchecked] = []
    given = list(recommendation_reasons(found, TARGET, results, unchecked, hosted=False))
    assert {reason.verdict for reason in given} <= {"risk"}
    return [(reason.code, reason.reason) for reason in given], [item.code for item in unchecked]


@pytest.mark.parametrize(
    ("status", "results", "expected", "unchecked"),
    [
        ({"availableUpdates": [{"version": TARGET}]}, {}, [], []),
        ({"availableUpdates": [{"version": TARGET}], "conditions": [OUTDATED]}, {}, [], ["recommended-updates"]),
        ({**conditional("Slow"), "conditions": [OUTDATED]}, {}, ["Slow"], ["recommended-updates"]),
        (conditional("Slow", "Broken"), {}, ["Slow", "Broken"], []),
        (conditional("Slow", recommended="True"), {}, [], []),
        (conditional("Some"), {}, ["Some"], ["promql"]),
        (conditional("Some"), {"Some": True}, ["Some"], []),
        (conditional("Some"), {"Some": False}, [], []),
        (conditional(), {}, ["UnknownConditionType"], []),
        (conditional(recommended="False"), {}, ["Why"], []),
        # What blocks the update is no risk in addition.
        (
            {**conditional("Slow", "Broken"), "conditions": [condition("Upgradeable", "False", "Bad", "It breaks.")]},
            {},
            ["Slow"],
            [],
        ),
    ],
)
def test_an_update_that_is_not_recommended_is_a_risk(status, results, expected, unchecked):
    found, left = reasons(status, results, {})

    assert found == [("conditional-risk", reason) for reason in expected]
    assert left == unchecked


@pytest.mark.parametrize(
    ("recommended", "reason", "applies", "expected"),
    [
        ("False", "Slow", "", ["Slow"]),
        ("True", "AllExposedRisksAccepted", "True", ["Slow"]),
        ("True", "AllExposedRisksAccepted", "", ["Slow"]),
        ("True", "NotExposedToRisks", "False", []),
    ],
)
def test_a_risk_counts_although_the_spec_accepts_it(recommended, reason, applies, expected):
    accepted = {"desiredUpdate": {"version": TARGET, "acceptRisks": [{"name": "Slow"}]}}
    status = conditional("Slow")
    status["conditionalUpdates"][0]["conditions"] = [condition("Recommended", recommended, reason)]
    status["availableUpdates"] = [{"version": TARGET}] if recommended == "True" else []
    conditions = [condition("Applies", applies)] if applies else []
    status["conditionalUpdateRisks"] = [{**RISKS["Slow"], "conditions": conditions}]

    assert reasons(status, {}, accepted)[0] == [("conditional-risk", name) for name in expected]


def test_the_message_of_a_risk_names_the_field_that_accepts_it():
    accepted = {"desiredUpdate": {"acceptRisks": [{"name": "Slow"}]}}
    status = read_update_status({"spec": accepted, "status": conditional("Slow")})
    (found,) = recommendation_reasons(status, TARGET, {}, [], hosted=False)

    assert found.message == "spec.desiredUpdate.acceptRisks accepts this risk for all updates: It is slow"
