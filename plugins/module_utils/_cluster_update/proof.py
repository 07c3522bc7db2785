# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares what a plan predicted with the cluster after the update.

A difference is an error: either the prediction or the cluster is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from .._capability.inclusion import is_overridden
from .._cluster.cluster_version import CLUSTER_VERSION, IMPLICITLY_ENABLED, Condition
from .._cluster.status_change import find_capability_condition
from .._data.inclusion_rules import CAPABILITY_ANNOTATION
from .._kubernetes.client import Client
from .._kubernetes.lookup import find_existing
from .._kubernetes.rest_mapper import RestMapper
from .._problems import Problems
from .._resources import Object, as_list, as_text, nested
from .._update_plan.planner import PlanResult
from .start import UpdateStart, selection_of

Comparison = Literal["equal", "different", "not_checked"]


class Prediction(NamedTuple):
    """How each part of a prediction compares with the cluster."""

    capabilities: Comparison = "not_checked"
    condition: Comparison = "not_checked"
    resources: Comparison = "not_checked"


def check_prediction(
    plan: PlanResult, start: UpdateStart, cluster_version: Object, client: Client, problems: Problems
) -> Prediction:
    """Compare ``plan`` with the cluster after its update, and report differences. Raises ``ClusterError``."""
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
        _compare_resources(plan, client, problems),
    )


def _compared(what: str, predicted: object, found: object, problems: Problems) -> Comparison:
    if predicted == found:
        return "equal"
    _report(what, _text(predicted), f"the cluster has {_text(found)}", problems)
    return "different"


def _compare_resources(result: PlanResult, client: Client, problems: Problems) -> Comparison:
    """Compare the capabilities of the resources that caused an enablement with their annotations on the cluster."""
    overrides = result.request.cluster.overrides
    causes = [cause.target for item in result.plan.hops[0].implicitly_enabled for cause in item.causes]
    manifests = {
        manifest.object_id: manifest
        for manifest in causes
        # The CVO leaves their annotations as they are, or removes them.
        if not (manifest.deletes or manifest.is_create_only or is_overridden(manifest.resource_id, overrides))
    }
    if not manifests:
        return "equal" if not causes else "not_checked"
    found = find_existing(client, RestMapper(client), manifests.keys())
    different = [
        manifest
        for resource, manifest in manifests.items()
        if resource not in found.unclear
        and _capabilities_of(found.existing.get(resource)) != set(manifest.capabilities)
    ]
    for manifest in different:
        metadata = found.existing.get(manifest.object_id)
        has = "does not exist" if metadata is None else f"has {_text(sorted(_capabilities_of(metadata)))}"
        predicted = _text(sorted(manifest.capabilities))
        _report(f"the capabilities of {manifest.object_id}", predicted, f"it {has}", problems)
    if different:
        return "different"
    problems += (problem._replace(severity="warning") for problem in found.problems)
    return "not_checked" if found.unclear else "equal"


def _capabilities_of(metadata: Mapping[str, object] | None) -> set[str]:
    annotation = as_text(nested(metadata, "annotations", CAPABILITY_ANNOTATION))
    return {name for name in annotation.split("+") if name}


def _text(value: object) -> str:
    if isinstance(value, Condition):
        return f"{value.status} ({value.reason}): {value.message}"
    return ", ".join(map(str, value)) or "nothing" if isinstance(value, list) else "nothing"


def _report(what: str, predicted: str, found: str, problems: Problems) -> None:
    message = f"the plan predicted {predicted} as {what}, but {found}"
    hint = "Compare both with the releases: either the prediction is wrong, or the cluster"
    problems.error("different-prediction", str(CLUSTER_VERSION), message, hint)
