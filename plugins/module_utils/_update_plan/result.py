# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans as plain values, for playbooks and reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .._capability.implicit_enablement import MovedResource
from .._data.version import COLLECTION_VERSION
from .._problems import Problem, problem_dicts, shown_names
from .._release.manifest import Manifest, manifest_dict
from .._resources import nested
from .plan import EnabledCapability, HopPlan
from .planner import FleetPlan, PlanResult
from .request import SharedOptions
from .update_reasons import VERDICTS
from .verdict import HopVerdict
from .violations import capability_violations, enabling, verdict_violations


class PlanSerializer:
    """Converts plans. Lists that many plans of a fleet have in common become one object."""

    def __init__(self) -> None:
        self._causes: dict[int, tuple[tuple[MovedResource, ...], list[dict[str, Any]]]] = {}
        self._resources: dict[int, dict[str, Any]] = {}

    def plan(self, result: PlanResult, *, details: bool) -> dict[str, Any]:
        """Convert a plan. Without ``details``, only the first of each list of causes, and none of the other lists."""
        plan = result.plan
        hops = zip(plan.hops, result.verdicts, strict=True)
        return {
            **_headline(result),
            "releases": list(plan.releases),
            "capabilities": plan.selection.to_options(),
            "hops": [self._hop(hop, verdict, details=details) for hop, verdict in hops],
            # The state of the cluster at the end of the path
            "enabled_capabilities": sorted(plan.status.enabled),
            "implicitly_enabled_capabilities": sorted(plan.status.implicitly_enabled),
            "known_capabilities": sorted(plan.status.known),
            "condition": None if plan.condition is None else plan.condition._asdict(),
        }

    def report(self, fleet: FleetPlan, date: str) -> dict[str, Any]:
        """Return the input of a report: all plans with details, the names of their clusters, and their origin."""
        names = _names(fleet)
        plans = [
            {
                "clusters": [_identified(name, fleet) for name in clusters],
                "platform": result.request.platform,
                "cluster_profile": result.request.criteria.filters.cluster_profile,
                "feature_set": result.request.criteria.filters.feature_set,
                **self.plan(result, details=True),
            }
            for result, clusters in zip(fleet.plans, names, strict=True)
        ]
        origin = {
            "date": date,
            "cluster": _identity("", fleet),
            "releases": [{"version": version, "name": name} for version, name in dict.fromkeys(fleet.releases)],
            "collection": COLLECTION_VERSION,
        }
        return {
            "plans": plans,
            "reasons": shared_reasons(fleet.plans, names),
            "required_acceptances": required_acceptances(fleet.plans, names),
            "problems": problem_dicts(all_problems(fleet)),
            "origin": origin,
        }

    def _hop(self, hop: HopPlan, verdict: HopVerdict, *, details: bool) -> dict[str, Any]:
        shape: dict[str, Any] = {
            "from": hop.from_version,
            "to": hop.to_version,
            "verdict": verdict.verdict,
            "reasons": [reason.as_dict() for reason in verdict.reasons],
            "accepted": [item.as_dict() for item in verdict.accepted],
            "not_checked": [item._asdict() for item in verdict.not_checked],
            "downgrade": hop.downgrade,
            "enabled_before": sorted(hop.before.enabled),
            "enabled_after": sorted(hop.after.enabled),
            "known_before": sorted(hop.before.known),
            "known_after": sorted(hop.after.known),
            "newly_enabled": sorted(hop.newly_enabled),
            "implicitly_enabled": [
                {**self._enabled(item, details=details), "requested": item.name in hop.requested}
                for item in hop.implicitly_enabled
            ],
            "newly_requested": sorted(hop.newly_requested),
            "newly_known": sorted(hop.newly_known),
            "no_longer_optional": sorted(hop.no_longer_optional),
            "not_in_fresh_install": sorted(hop.not_in_fresh_install),
        }
        return {**shape, **self._details(hop)} if details else shape

    def _details(self, hop: HopPlan) -> dict[str, Any]:
        new = hop.new_credentials_requests()
        return {
            "moved": [{"name": name, "resources": self._cause_list(causes)} for name, causes in hop.moved.items()],
            "added": self._manifests(hop.changes.added),
            "removed": self._manifests(hop.changes.removed),
            "deleted": self._manifests(hop.changes.deleted),
            "credentials_requests": [
                {**self._manifest(manifest), "new": manifest.resource_id in new}
                for manifest in hop.credentials_requests
            ],
        }

    def _enabled(self, item: EnabledCapability, *, details: bool) -> dict[str, Any]:
        return {
            "name": item.name,
            "cause": item.cause,
            "source": item.source,
            "count": len(item.causes),
            "resources": self._cause_list(item.causes) if details else [_cause(cause) for cause in item.causes[:1]],
        }

    def _cause_list(self, causes: tuple[MovedResource, ...]) -> list[dict[str, Any]]:
        # Stored with the tuple itself, so no other tuple can get its id.
        entry = self._causes.get(id(causes))
        if entry is None:
            entry = self._causes[id(causes)] = (causes, [_cause(cause) for cause in causes])
        return entry[1]

    def _manifests(self, manifests: Iterable[Manifest]) -> list[dict[str, Any]]:
        return [self._manifest(manifest) for manifest in manifests]

    def _manifest(self, manifest: Manifest) -> dict[str, Any]:
        # Manifests exist as long as their releases, so no two of them have the same id.
        resource = self._resources.get(id(manifest))
        if resource is None:
            resource = self._resources[id(manifest)] = manifest_dict(manifest)
        return resource


def planning_result(fleet: FleetPlan, *, of_fleet: bool, details: bool, options: SharedOptions) -> dict[str, Any]:
    """Return the result of the module, apart from the report and the problems."""
    shapes = PlanSerializer()
    names = _names(fleet)
    common: dict[str, Any] = {
        "changed": False,
        "violations": plan_violations(fleet, options),
        "required_acceptances": required_acceptances(fleet.plans, names),
    }
    if not of_fleet:
        return {**common, **shapes.plan(fleet.plans[0], details=details)}
    plans = [
        {**shapes.plan(result, details=details), "problems": problem_dicts(result.problems)} for result in fleet.plans
    ]
    summaries = {name: _summary(fleet.plans[position]) for name, position in fleet.clusters.items()}
    return {
        **common,
        "reasons": shared_reasons(fleet.plans, names),
        "plans": plans,
        "clusters": dict(fleet.clusters),
        "summaries": summaries,
    }


def _summary(result: PlanResult) -> dict[str, Any]:
    return {
        **_headline(result),
        "releases": list(result.plan.releases),
        "implicitly_enabled": sorted(result.plan.status.implicitly_enabled),
    }


def _headline(result: PlanResult) -> dict[str, Any]:
    return {
        "verdict": result.verdict,
        "accepted": [item.as_dict() for item in result.accepted],
        "newly_enabled": sorted(result.plan.newly_enabled),
        "cluster_checked": result.cluster_checked,
    }


def _identified(name: str, fleet: FleetPlan) -> str:
    identity = _identity(name, fleet)
    return f"{name} ({identity})" if identity else name


def _identity(name: str, fleet: FleetPlan) -> str:
    """The name in the cloud and the ID of the cluster ``name``, as far as they are known."""
    cluster_id = nested(fleet.cluster_versions.get(name), "spec", "clusterID")
    return ", ".join(filter(None, (fleet.own_name, cluster_id and f"ID {cluster_id}")))


def plan_violations(fleet: FleetPlan, options: SharedOptions) -> list[dict[str, Any]]:
    """Return the verdicts and the enabled names that ``options`` do not accept, with the clusters of their plans."""
    entries: dict[str, dict[str, Any]] = {}
    for result, clusters in zip(fleet.plans, _names(fleet), strict=True):
        found = capability_violations(result, options.forbidden_capabilities)
        for violation in (*verdict_violations(result, options.fail_on), *found):
            hop = violation.hop
            entry = {"name": violation.name, "from": hop.from_version, "to": hop.to_version, "clusters": []}
            entries.setdefault(violation.message, entry)["clusters"].extend(clusters)
    return [
        {**entry, "message": f"{shown_names(entry['clusters'])}: {text}" if entry["clusters"] else text}
        for text, entry in entries.items()
    ]


def shown_problems(fleet: FleetPlan, *, of_fleet: bool) -> Sequence[Problem]:
    """Return the problems that the module reports. Those of single plans of a fleet are only in the plans."""
    if not of_fleet:
        return all_problems(fleet)
    common = frozenset.intersection(*(frozenset(result.problems) for result in fleet.plans))
    own = sum(1 for result in fleet.plans if any(item.severity != "info" for item in {*result.problems} - common))
    message = f"{own} of {len(fleet.plans)} plans have further problems, see plans[].problems"
    separate = [Problem("warning", "separate-problems", "clusters", message)] if own else []
    return [*fleet.problems, *(item for item in fleet.plans[0].problems if item in common), *separate]


def all_problems(fleet: FleetPlan) -> Sequence[Problem]:
    """Return the problems of the releases and of all plans, each once."""
    return list(dict.fromkeys((*fleet.problems, *(item for result in fleet.plans for item in result.problems))))


def _names(fleet: FleetPlan) -> list[list[str]]:
    """Return the names of the clusters of each plan. A single cluster has no name."""
    names: list[list[str]] = [[] for _result in fleet.plans]
    for name, position in fleet.clusters.items():
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


def shared_reasons(plans: Sequence[PlanResult], clusters: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Return each reason once, with all clusters that have it: the most serious first, then the most frequent.

    ``clusters``: the names of the clusters of each plan. Two reasons with the same name are one, and so are two without
    a name if the cluster reports the same kind, whatever their messages are.
    """
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for plan, names in zip(plans, clusters, strict=True):
        for reason in (reason for verdict in plan.verdicts for reason in verdict.reasons):
            key = (reason.code, reason.name or reason.reason)
            fields = {field: getattr(reason, field) for field in ("name", "verdict", "code", "reason", "message")}
            row = rows.setdefault(key, {**fields, "clusters": {}, "accepted": {}})
            row["clusters"] |= dict.fromkeys(names)
            if reason.accepted is not None:
                row["accepted"] |= dict.fromkeys(names)
    found = [{**row, "clusters": list(row["clusters"]), "accepted": list(row["accepted"])} for row in rows.values()]
    return sorted(found, key=lambda row: (-VERDICTS.index(row["verdict"]), -len(row["clusters"]), row["name"]))


def required_acceptances(plans: Sequence[PlanResult], clusters: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Return the names that ``required`` yields, each with what it is about and with its ``clusters``."""
    rows: dict[str, dict[str, Any]] = {}
    for plan, names in zip(plans, clusters, strict=True):
        for name, message in required(plan):
            row = rows.setdefault(name, {"name": name, "message": message, "clusters": {}})
            row["clusters"] |= dict.fromkeys(names)
    found = [{**row, "clusters": list(row["clusters"])} for row in rows.values()]
    return sorted(found, key=lambda row: (-len(row["clusters"]), row["name"]))


def required(plan: PlanResult) -> Iterator[tuple[str, str]]:
    """Yield what is neither requested nor accepted: names of reasons and capabilities, and what each is about."""
    for hop, verdict in zip(plan.plan.hops, plan.verdicts, strict=True):
        yield from ((item.name, item.message) for item in verdict.reasons if item.name and item.accepted is None)
        accepted = {item.name for item in verdict.capabilities}
        yield from ((name, enabling(name, hop)) for name in sorted(hop.newly_enabled - hop.requested - accepted))
