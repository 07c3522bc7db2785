# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Plans in the shape that playbooks and reports get."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._capability.implicit_enablement import MovedResource
from .._capability.selection import Selection
from .._module.result import problem_dicts
from .._problems import Problem
from .._release.manifest import Manifest
from .fail_on import violations
from .plan import EnabledCapability, HopPlan, Plan
from .planner import FleetPlan, PathPlan, shown_names


class PlanShapes:
    """Makes the shapes. What is the same in many plans of a fleet is one object in all of them."""

    def __init__(self) -> None:
        self._causes: dict[int, tuple[tuple[MovedResource, ...], list[dict[str, Any]]]] = {}
        self._resources: dict[int, dict[str, Any]] = {}

    def plan(self, planned: PathPlan, *, details: bool) -> dict[str, Any]:
        """Return a plan; without ``details`` each list of causes is cut to the first and the other lists left out."""
        plan = planned.plan
        return {
            "releases": list(planned.path),
            "capabilities": selection_dict(plan.selection),
            "hops": [self._hop(hop, details) for hop in plan.hops],
            **end_dict(plan),
        }

    def report(self, planning: FleetPlan) -> dict[str, Any]:
        """Return what a report shows: all plans in detail, with the names of their clusters."""
        plans = [
            {"clusters": clusters, **self.plan(planned, details=True)}
            for planned, clusters in zip(planning.plans, _names(planning), strict=True)
        ]
        return {"plans": plans, "problems": problem_dicts(all_problems(planning))}

    def _hop(self, hop: HopPlan, details: bool) -> dict[str, Any]:
        shape: dict[str, Any] = {
            "from": hop.from_version,
            "to": hop.to_version,
            "downgrade": hop.downgrade,
            "enabled_before": sorted(hop.before.enabled),
            "enabled_after": sorted(hop.after.enabled),
            "known_before": sorted(hop.before.known),
            "known_after": sorted(hop.after.known),
            "implicitly_enabled": [
                {**self._turned_on(item, details), "requested": item.name in hop.requested}
                for item in hop.implicitly_enabled
            ],
            "newly_requested": sorted(hop.newly_requested),
            "newly_known": sorted(hop.newly_known),
            "no_longer_optional": sorted(hop.no_longer_optional),
            "not_in_fresh_install": sorted(hop.not_in_fresh_install),
            "blocked_by": [blocker._asdict() for blocker in hop.blockers],
            "created_components": [
                {"component": name, "count": count} for name, count in hop.created_components.items()
            ],
            "counts": {
                "added": len(hop.changes.added),
                "removed": len(hop.changes.removed),
                "deleted": len(hop.changes.deleted),
                "credentials_requests": len(hop.credentials_requests),
            },
        }
        return {**shape, **self._details(hop)} if details else shape

    def _details(self, hop: HopPlan) -> dict[str, Any]:
        removed = self._manifests(hop.changes.removed)
        new = hop.new_credentials_requests()
        return {
            "moved": [{"name": name, "resources": self._cause_list(causes)} for name, causes in hop.moved.items()],
            "added": self._manifests(hop.changes.added),
            "removed": removed,
            "deleted": self._manifests(hop.changes.deleted),
            "credentials_requests": [
                {**self._manifest(manifest), "provider": provider, "new": manifest.resource_id in new}
                for manifest, provider in hop.credentials_requests
            ],
            "left_behind": removed if hop.downgrade else [],
        }

    def _turned_on(self, item: EnabledCapability, details: bool) -> dict[str, Any]:
        return {
            "name": item.name,
            "cause": item.cause,
            "source": item.source,
            "count": len(item.causes),
            "resources": self._cause_list(item.causes) if details else [_cause(cause) for cause in item.causes[:1]],
        }

    def _cause_list(self, causes: tuple[MovedResource, ...]) -> list[dict[str, Any]]:
        # Kept with the tuple itself, so that no other one can get its id.
        found = self._causes.get(id(causes))
        if found is None:
            found = self._causes[id(causes)] = (causes, [_cause(cause) for cause in causes])
        return found[1]

    def _manifests(self, manifests: Iterable[Manifest]) -> list[dict[str, Any]]:
        return [self._manifest(manifest) for manifest in manifests]

    def _manifest(self, manifest: Manifest) -> dict[str, Any]:
        # Manifests live as long as the releases that they belong to, so an id is not given twice.
        found = self._resources.get(id(manifest))
        if found is None:
            found = self._resources[id(manifest)] = {
                **manifest.resource_id._asdict(),
                "file": manifest.file,
                "capabilities": list(manifest.capabilities),
            }
        return found


def end_dict(plan: Plan) -> dict[str, Any]:
    """Return what is at the end of a path."""
    return {
        "enabled_capabilities": sorted(plan.status.enabled),
        "implicitly_enabled_capabilities": sorted(plan.status.implicitly_enabled),
        "known_capabilities": sorted(plan.status.known),
        "condition": None if plan.condition is None else plan.condition._asdict(),
    }


def selection_dict(selection: Selection) -> Mapping[str, Any]:
    """Return a selection as the API has it."""
    return {
        "baseline_capability_set": selection.baseline,
        "additional_enabled_capabilities": list(selection.additional),
    }


def planning_result(planning: FleetPlan, *, fleet: bool, details: bool, fail_on: Sequence[str]) -> dict[str, Any]:
    """Return what the module returns, beside the report and the problems."""
    shapes = PlanShapes()
    result: dict[str, Any] = {"changed": False, "violations": plan_violations(planning, fail_on)}
    if not fleet:
        return {**result, **shapes.plan(planning.plans[0], details=details)}
    plans = [
        {**shapes.plan(planned, details=details), "problems": problem_dicts(planned.problems)}
        for planned in planning.plans
    ]
    return {**result, "plans": plans, "clusters": dict(planning.clusters)}


def plan_violations(planning: FleetPlan, fail_on: Sequence[str]) -> list[dict[str, Any]]:
    """Return what the plans turn on against the policy ``fail_on``, with the clusters that they are for."""
    found: dict[str, dict[str, Any]] = {}
    for planned, clusters in zip(planning.plans, _names(planning), strict=True):
        for violation in violations(planned.plan, fail_on):
            hop = violation.hop
            shape = {"name": violation.name, "from": hop.from_version, "to": hop.to_version, "clusters": []}
            found.setdefault(str(violation), shape)["clusters"].extend(clusters)
    return [
        {**shape, "message": f"{shown_names(shape['clusters'])}: {text}" if shape["clusters"] else text}
        for text, shape in found.items()
    ]


def shown_problems(planning: FleetPlan, *, fleet: bool) -> Sequence[Problem]:
    """Return what is shown to the user; the problems of a fleet's clusters are in their plans, and can be thousands."""
    if not fleet:
        return all_problems(planning)
    common = frozenset.intersection(*(frozenset(planned.problems) for planned in planning.plans))
    own = sum(1 for planned in planning.plans if any(item.severity != "info" for item in {*planned.problems} - common))
    message = f"{own} of {len(planning.plans)} plans have problems of their own, see plans[].problems"
    of_plans = [Problem("warning", "todo", "clusters", message)] if own else []
    return [*planning.problems, *(item for item in planning.plans[0].problems if item in common), *of_plans]


def all_problems(planning: FleetPlan) -> Sequence[Problem]:
    """Return the problems of the releases and of all plans, each once."""
    return list(dict.fromkeys((*planning.problems, *(item for planned in planning.plans for item in planned.problems))))


def _names(planning: FleetPlan) -> list[list[str]]:
    """Return, for each plan, the names of its clusters; none for the one cluster that has no name."""
    names: list[list[str]] = [[] for _planned in planning.plans]
    for name, position in planning.clusters.items():
        if name:
            names[position].append(name)
    return names


def _cause(cause: MovedResource) -> dict[str, Any]:
    current, target = cause
    return {
        **target.resource_id._asdict(),
        "from_file": current.file if current else None,
        "to_file": target.file,
        "from_capabilities": list(current.capabilities) if current else [],
        "to_capabilities": list(target.capabilities),
        "deleted": target.deletes,
    }
