# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A run as plain values, for playbooks."""

from __future__ import annotations

from typing import Any

from .._update_plan.result import PlanSerializer
from .run import UpdateRun


def update_result(run: UpdateRun) -> dict[str, Any]:
    """Return the result of the module as far as ``run`` came."""
    target, plan = run.target, run.plan
    return {
        "changed": bool(run.changes),
        "plan": None if plan is None else PlanSerializer().plan(plan, details=False)["hops"][0],
        "desired_update": None
        if target is None
        else {"version": target.version, "image": target.image, "state": run.phase},
        "prediction": run.prediction._asdict(),
    }
