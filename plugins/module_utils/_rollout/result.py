# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Converts a rollout to the result of the module."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from .._cluster.injected_config import without_credentials
from .._cluster.spec_change import status_dict
from .._module.result import diff_entry
from .._problems import Problem, Problems, plural, shown_names
from .._release.task_graph import run_level_of
from .._resources import conditions_of, nested
from .change_set import Action, ApplyResult, Rollout
from .refusals import EXPLANATIONS, Explanation, Refusal

_COUNTED = ("created", "changed", "unchanged", "deleted", "deleting", "failed", "not_sent")
_COUNTED_AS = {**{action: action for action in _COUNTED}, "absent": "unchanged", "skipped": "not_sent"}
"""All other actions are failures."""
_SERVER_FIELDS = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "uid")


def rollout_dict(rollout: Rollout, *, diff_mode: bool) -> dict[str, Any]:
    """Build the return values, with ``diff_mode`` also for ``--diff``."""
    results, capabilities = rollout.changes.results, rollout.capabilities
    result: dict[str, Any] = {
        "changed": capabilities.changed
        or any(item.is_written for item in results)
        or rollout.inventory_changed
        or any(item.sent for item in rollout.leftovers),
        "mode": rollout.mode,
        "version": rollout.version,
        "created": _ids(results, "created"),
        "changed_resources": _ids(results, "changed"),
        "unchanged": _ids(results, "unchanged"),
        "deleted": _ids(results, "deleted"),
        "failed_resources": [
            {**item.manifest.resource_id._asdict(), "state": item.action, "file": item.manifest.file}
            for item in results
            if item.action == "failed" or item.is_retryable
        ],
        "conflicts": [
            {**item.manifest.resource_id._asdict(), **conflict._asdict()}
            for item in results
            for conflict in item.conflicts
        ],
        "leftovers": [
            {**item.resource._asdict(), "pruned": item.pruned, "finalizers": list(item.finalizers)}
            for item in rollout.leftovers
        ],
        "run_levels": _run_levels(rollout),
        "capability_status": {
            **status_dict(capabilities.status),
            "newly_implicitly_enabled_capabilities": sorted(capabilities.implicit),
            "condition": dict(capabilities.condition) if capabilities.condition else None,
        },
    }
    if diff_mode:
        result["diff"] = [
            *_cluster_version_diff(rollout),
            *(_diff(item) for item in results if item.is_written),
            *(diff_entry(str(item.resource), _lines(item.before), "") for item in rollout.leftovers if item.sent),
        ]
    return result


def rollout_problems(rollout: Rollout) -> tuple[Problem, ...]:
    """All problems. Refusals that affect a whole kind or namespace become one problem for each."""
    problems = Problems((*rollout.problems, *rollout.changes.problems))
    groups: dict[tuple[Refusal, str, str], list[ApplyResult]] = {}
    for item in (*rollout.changes.results, *rollout.changes.refused_later):
        if item.refusal in EXPLANATIONS:
            hint = _group_hint(item, EXPLANATIONS[item.refusal])
            groups.setdefault((item.refusal, _group(item), hint), []).append(item)
        else:
            problems += item.problems
    problems += [_refusal_problem(*group, items) for group, items in groups.items()]
    not_applied = rollout.changes.not_applied
    if not_applied:
        message = f"{plural(len(not_applied), 'manifest')} not applied because of the other errors"
        problems.error("unapplied-manifests", "", message, "Correct the other errors, and run this again to resume")
    return problems.unique()


def _refusal_problem(refusal: Refusal, where: str, hint: str, items: list[ApplyResult]) -> Problem:
    explanation = EXPLANATIONS[refusal]
    names = [str(item.manifest.resource_id) for item in items]
    quoted = items[0].problems[0].message if items[0].problems and explanation.quotes_server else ""
    message = f"{explanation.message}: {shown_names(names)}" + (f" ({quoted})" if quoted else "")
    return Problem(explanation.severity, explanation.code, where, message, hint)


def _group_hint(item: ApplyResult, explanation: Explanation) -> str:
    """The hint for a reason, or for the error of the API server: the same code can have several causes."""
    own = item.problems[0].hint if item.problems and explanation.quotes_server else ""
    return explanation.hint or own


def _ids(results: Iterable[ApplyResult], action: Action) -> list[dict[str, str]]:
    return [item.manifest.resource_id._asdict() for item in results if item.action == action]


def _group(item: ApplyResult) -> str:
    resource = item.manifest.resource_id
    if item.refusal in (Refusal.NAMESPACE_MISSING, Refusal.NAMESPACE_TERMINATING):
        return f"namespaces {resource.namespace}"
    return f"{resource.kind} ({resource.group}/{item.manifest.version})" if resource.group else resource.kind


def _run_levels(rollout: Rollout) -> list[dict[str, Any]]:
    levels: dict[str, dict[str, Any]] = {}

    def counts_of(file: str) -> dict[str, Any]:
        level = run_level_of(file)
        counts = levels.setdefault(level, {"run_level": level, "manifests": 0, **dict.fromkeys(_COUNTED, 0)})
        counts["manifests"] += 1
        return counts

    for item in rollout.changes.results:
        counts = counts_of(item.manifest.file)
        counts[_COUNTED_AS.get(item.action, "failed")] += 1
    for manifest in rollout.changes.not_applied:
        counts_of(manifest.file)["not_sent"] += 1
    return [levels[level] for level in sorted(levels)]


def _cluster_version_diff(rollout: Rollout) -> list[dict[str, str]]:
    """The changes of the ClusterVersion, without times."""
    objects = rollout.cluster_version, rollout.capabilities.cluster_version
    before, after = (_cluster_version_lines(obj) for obj in objects)
    return [diff_entry("clusterversions.config.openshift.io version", before, after)] if before != after else []


def _cluster_version_lines(obj: Mapping[str, Any] | None) -> str:
    if obj is None:
        return ""
    status = {field: nested(obj, "status", field) for field in ("capabilities", "desired")}
    messages = {kind: item.get("message") for kind, item in conditions_of(obj).items()}
    shown = {"spec": {"capabilities": nested(obj, "spec", "capabilities")}, "status": {**status, "messages": messages}}
    return json.dumps(shown, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _diff(item: ApplyResult) -> dict[str, str]:
    title = f"{item.manifest.resource_id} ({item.manifest.file})"
    return diff_entry(title, _lines(item.before), _lines(item.after))


def _lines(obj: Mapping[str, Any] | None) -> str:
    """Format an object without the fields that the API server maintains, and without secrets."""
    if obj is None:
        return ""
    metadata = {field: value for field, value in obj["metadata"].items() if field not in _SERVER_FIELDS}
    shown = {**{field: value for field, value in obj.items() if field != "status"}, "metadata": metadata}
    if obj.get("kind") == "Secret" and obj.get("apiVersion") == "v1":
        shown = _without_values(shown)
    return without_credentials(json.dumps(shown, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def _without_values(secret: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a Secret with digests of its values, and without annotations, which can contain a copy of it."""
    metadata = secret["metadata"]
    shown = {field: secret[field] for field in ("apiVersion", "kind", "type", "immutable") if field in secret}
    shown["metadata"] = {
        **{field: metadata[field] for field in ("name", "namespace", "labels") if field in metadata},
        "annotations": sorted(metadata.get("annotations") or ()),
    }
    for field in {"data", "stringData"}.intersection(secret):
        digest = hashlib.sha256(json.dumps(secret[field], sort_keys=True).encode()).hexdigest()
        shown[field] = f"(hidden, sha256 {digest})"
    return shown
