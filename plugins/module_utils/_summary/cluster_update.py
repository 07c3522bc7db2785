# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of cluster_update as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .update_plan import against_lines
from .words import listed

_STATES = {
    "not_started": "not requested",
    "requested": "requested, and not begun yet",
    "partial": "under way",
    "completed": "completed",
}


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """The state of the update, its plan, and how the prediction compares. ``options`` can have ``check_mode``.

    And the errors, if ``options`` are the ones of the module.
    """
    if not result.get("desired_update"):
        return []
    errors = result.get("msg", "").splitlines() if "fail_on" in options else []
    return [*_lines(result, is_dry_run=bool(options.get("check_mode"))), *errors]


def _lines(result: Mapping[str, Any], *, is_dry_run: bool) -> Iterator[str]:
    update, plan = result["desired_update"], result["plan"]
    state = "would be requested" if is_dry_run and result["changed"] else _STATES[update["state"]]
    yield f"update to {update['version'] or update['image']}: {state}"
    if plan is not None:
        effect = f"enables {listed(plan['newly_enabled'] or ['nothing'])}"
        yield f"plan: {plan['verdict']}: {plan['from']} -> {plan['to']} {effect}"
        yield from against_lines(plan, [reason["name"] or reason["reason"] for reason in plan["reasons"]])
    if update["state"] == "completed":
        prediction = (f"{name} {value.replace('_', ' ')}" for name, value in result["prediction"].items())
        yield f"prediction: {', '.join(prediction)}"
