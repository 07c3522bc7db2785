# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares what a plan predicted with the cluster after the update.

A difference is an error: either the prediction or the cluster is wrong. The annotations of resources prove nothing,
because the CVO leaves those of many kinds as they are. Source:
openshift/cluster-version-operator:pkg/cvo/internal/generic.go applyUnstructured, operatorstatus.go Do.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from .._cluster.cluster_version import CLUSTER_VERSION, IMPLICITLY_ENABLED, Condition
from .._cluster.status_change import find_capability_condition
from .._problems import Problems
from .._resources import Object, as_list, as_text, nested
from .._update_plan.planner import PlanResult
from .start import UpdateStart, selection_of

Comparison = Literal["equal", "different", "not_checked"]


class Prediction(NamedTuple):
    """How each part of a prediction compares with the cluster."""

    capabilities: Comparison = "not_checked"
    condition: Comparison = "not_checked"


def check_prediction(plan: PlanResult, start: UpdateStart, cluster_version: Object, problems: Problems) -> Prediction:
    """Compare ``plan`` with the cluster after its update, and report differences."""
    if selection_of(cluster_version) != start.selection:
        message = "was changed since the update was requested, so the prediction was not compared with the cluster"
        problems.warning("changed-selection", f"{CLUSTER_VERSION}: spec.capabilities", message)
        return Prediction()
    capabilities = nested(cluster_version, "status", "capabilities")
    names = frozenset(map(str, as_list(nested(capabilities, "enabledCapabilities"))))
    found = find_capability_condition(nested(cluster_version, "status") or {})
    condition = None if found is None else Condition(*(as_text(found.get(field)) for field in Condition._fields))
    return Prediction(
        _compared("enabledCapabilities", sorted(plan.plan.status.enabled), sorted(names), problems),
        _compared(f"the condition {IMPLICITLY_ENABLED}", plan.plan.condition, condition, problems),
    )


def _compared(what: str, predicted: object, found: object, problems: Problems) -> Comparison:
    if predicted == found:
        return "equal"
    message = f"the plan predicted {_text(predicted)} as {what}, but the cluster has {_text(found)}"
    hint = "Compare both with the releases: either the prediction is wrong, or the cluster"
    problems.error("different-prediction", str(CLUSTER_VERSION), message, hint)
    return "different"


def _text(value: object) -> str:
    if isinstance(value, Condition):
        return f"{value.status} ({value.reason}): {value.message}"
    return ", ".join(map(str, value)) or "nothing" if isinstance(value, list) else "nothing"
