# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The updates that a ClusterVersion lists, with the risks of each."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._update_plan.update_status import (
    ConditionalRisk,
    read_update_status,
)

RULE: dict[str, Any] = {"type": "PromQL", "promql": {"promql": "a\n  > 1"}}
RISK: dict[str, Any] = {"name": "Slow", "message": "It is slow", "url": "https://example.com", "matchingRules": [RULE]}


def status(conditional: dict[str, Any], **more: Any) -> dict[str, Any]:
    release = {"version": "4.20.5"}
    return {"spec": {}, "status": {"conditionalUpdates": [{"release": release, **conditional}], **more}}


@pytest.mark.parametrize(
    ("conditional", "more"),
    [({"risks": [RISK]}, {}), ({"riskNames": ["Slow", "Unknown", ["Slow"]]}, {"conditionalUpdateRisks": [RISK]})],
)
def test_a_conditional_update_has_its_risks(conditional, more):
    found = read_update_status(status(conditional, **more))

    assert found is not None
    update = found.conditional_update("4.20.5")
    assert update is not None
    assert update.recommended is None
    assert update.risks == (ConditionalRisk("Slow", "It is slow", "https://example.com", ("a > 1",), None),)
    assert found.conditional_update("4.20.6") is None


ALWAYS = [{"type": "Always"}]


def condition(type_: str, status: str, reason: str = "") -> list[dict[str, str]]:
    return [{"type": "Progressing", "status": "True"}, {"type": type_, "status": status, "reason": reason}]


@pytest.mark.parametrize(
    ("rules", "of_risk", "of_update", "applies"),
    [
        # The condition of the risk itself
        ([RULE], condition("Applies", "True"), condition("Recommended", "True"), True),
        ([RULE], condition("Applies", "False"), condition("Recommended", "False", "Slow"), False),
        ([RULE], condition("Applies", "Unknown"), [], None),
        # The condition of the update
        ([RULE], [], condition("Recommended", "True"), False),
        ([RULE], [], condition("Recommended", "False", "Slow"), True),
        ([RULE], [], condition("Recommended", "False", "MultipleReasons"), None),
        ([RULE], [], condition("Recommended", "Unknown", "Slow"), None),
        ([RULE], condition("Applies", "Unknown"), condition("Recommended", "False", "Slow"), True),
        # The rules
        (ALWAYS, [], [], True),
        ([*ALWAYS, RULE], [], [], None),
        (ALWAYS, condition("Applies", "False"), [], False),
        ([], [], [], None),
    ],
)
def test_a_risk_applies_as_the_cluster_reports(rules, of_risk, of_update, applies):
    risk = {**RISK, "matchingRules": rules, "conditions": of_risk}
    update = {"riskNames": ["Slow"], "conditions": of_update}

    found = read_update_status(status(update, conditionalUpdateRisks=[risk]))

    assert found is not None
    conditional = found.conditional_update("4.20.5")
    assert conditional is not None
    assert [item.applies for item in conditional.risks] == [applies]
