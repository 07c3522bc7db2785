# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What came of a rollout, in the shape that playbooks get."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._module.result import diff_entry
from .._problems import Problem
from .._release.task_graph import run_level_of
from .._resources import ResourceId
from .._unstructured import nested
from .change_set import RETRYABLE, Action, ApplyResult, Rollout

_QUOTED: tuple[Action, ...] = ("forbidden", "unavailable")
"""States of which the server's own words tell more."""

_WRITTEN: tuple[Action, ...] = ("created", "changed", "deleted")
_LISTED = 5
_CREDENTIALS = re.compile(r"//[^\s\"/@:]*:[^\s\"/]*@")
_REASONS: Mapping[Action, tuple[str, str]] = {
    "forbidden": ("may not be applied", "Give the user a role that allows get, list, create and patch on it"),
    "no_namespace": (
        "cannot be applied, because the namespace does not exist",
        "Look at the operator that makes the namespace, or create it",
    ),
    "unanswered": (
        "cannot be applied, because the API server of its group does not answer",
        "Look at the APIService, and at what is behind it",
    ),
    "unavailable": ("could not be applied", "Look at the health of the API server, and run it again"),
    "unserved": ("is not served by this cluster, so it is left out", ""),
}


def rollout_dict(rollout: Rollout, *, show: bool) -> dict[str, Any]:
    """Return a rollout for playbooks; with ``show`` also what changed, for ``--diff``."""
    sent = rollout.outcome.sent
    settled = rollout.settled
    result: dict[str, Any] = {
        "changed": settled.changed
        or any(item.state in _WRITTEN for item in sent)
        or rollout.noted
        or any(item.pruned for item in rollout.leftovers),
        "mode": rollout.mode,
        "version": rollout.version,
        "created": _ids(sent, "created"),
        "changed_resources": _ids(sent, "changed"),
        "unchanged": _ids(sent, "unchanged"),
        "deleted": _ids(sent, "deleted"),
        "failed_resources": [
            {**resource_dict(item.manifest.resource_id), "state": item.state, "file": item.manifest.file}
            for item in sent
            if item.state == "failed" or item.state in RETRYABLE
        ],
        "conflicts": [
            {**resource_dict(found.resource), "manager": found.manager, "field": found.field}
            for item in sent
            for found in item.conflicts
        ],
        "leftovers": [{**resource_dict(item.resource), "pruned": item.pruned} for item in rollout.leftovers],
        "run_levels": _run_levels(rollout),
        "capability_status": {
            "enabled_capabilities": sorted(settled.status.enabled),
            "known_capabilities": sorted(settled.status.known),
            "implicitly_enabled_capabilities": sorted(settled.status.implicitly_enabled),
            "newly_implicitly_enabled_capabilities": sorted(settled.implicit),
            "condition": dict(settled.condition) if settled.condition else None,
        },
    }
    if show:
        result["diff"] = [*_capabilities_diff(rollout), *(_diff(item) for item in sent if item.state in _WRITTEN)]
    return result


def rollout_problems(rollout: Rollout) -> tuple[Problem, ...]:
    """Return all problems: those of manifests that the cluster lacks something for as one for each kind."""
    sent = rollout.outcome.sent
    found = [problem for item in sent if item.state not in _REASONS for problem in item.problems]
    groups: dict[tuple[Action, str], list[ApplyResult]] = {}
    for item in sent:
        if item.state in _REASONS:
            groups.setdefault((item.state, _group(item)), []).append(item)
    for (state, name), items in groups.items():
        message, hint = _REASONS[state]
        names = [str(item.manifest.resource_id) for item in items]
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        said = items[0].problems[0].message if items[0].problems and state in _QUOTED else ""
        text = f"{message}: {', '.join(names[:_LISTED])}{more}" + (f" ({said})" if said else "")
        found.append(Problem("warning" if state == "unserved" else "error", "todo", name, text, hint))
    left = rollout.outcome.left
    if left:
        first = left[0].file
        message = f"{len(left)} manifests were not sent, because of what failed before them; the first is in {first}"
        found.append(
            Problem("error", "todo", "", message, "Mend that, and run this again: it goes on where it stopped")
        )
    return tuple(dict.fromkeys((*rollout.problems, *rollout.outcome.problems, *found)))


def resource_dict(resource: ResourceId) -> dict[str, str]:
    """Return a resource id for playbooks."""
    return resource._asdict()


def _ids(sent: Iterable[ApplyResult], state: Action) -> list[dict[str, str]]:
    return [resource_dict(item.manifest.resource_id) for item in sent if item.state == state]


def _group(item: ApplyResult) -> str:
    resource = item.manifest.resource_id
    if item.state == "no_namespace":
        return f"namespaces {resource.namespace}"
    return f"{resource.kind} ({resource.group}/{item.manifest.version})" if resource.group else resource.kind


def _run_levels(rollout: Rollout) -> list[dict[str, Any]]:
    levels: dict[str, dict[str, Any]] = {}
    for item in rollout.outcome.sent:
        level = run_level_of(item.manifest.file)
        counts = levels.setdefault(level, {"run_level": level, "manifests": 0, **dict.fromkeys(_COUNTED, 0)})
        counts["manifests"] += 1
        counts[item.state if item.state in _COUNTED else "failed"] += item.state != "absent"
    for manifest in rollout.outcome.left:
        level = run_level_of(manifest.file)
        counts = levels.setdefault(level, {"run_level": level, "manifests": 0, **dict.fromkeys(_COUNTED, 0)})
        counts["manifests"] += 1
        counts["not_sent"] += 1
    return [levels[level] for level in sorted(levels)]


_COUNTED = ("created", "changed", "unchanged", "deleted", "failed", "not_sent")


def _capabilities_diff(rollout: Rollout) -> list[dict[str, str]]:
    """Return what changes of the ClusterVersion, which cannot be taken back."""
    before, after = (_capability_lines(found) for found in (rollout.cluster_version, rollout.settled.cluster_version))
    return [diff_entry("clusterversions.config.openshift.io version", before, after)] if before != after else []


def _capability_lines(found: Mapping[str, Any] | None) -> str:
    told = {part: nested(found, part, "capabilities") for part in ("spec", "status")}
    return "" if found is None else json.dumps(told, indent=2, sort_keys=True) + "\n"


def _diff(item: ApplyResult) -> dict[str, str]:
    what = f"{item.manifest.resource_id} ({item.manifest.file})"
    return diff_entry(what, _lines(item.before), _lines(item.after))


def _lines(found: Mapping[str, Any] | None) -> str:
    """Return an object as lines, without what the API server notes of its own, and without secrets."""
    if found is None:
        return ""
    metadata = {
        field: value
        for field, value in found["metadata"].items()
        if field not in ("creationTimestamp", "generation", "managedFields", "resourceVersion", "uid")
    }
    shown = {**{field: value for field, value in found.items() if field != "status"}, "metadata": metadata}
    if found.get("kind") == "Secret" and found.get("apiVersion") == "v1":
        shown = _without_values(shown)
    text = json.dumps(shown, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    # Such as those of the cluster's proxy, which containers get as variables.
    return _CREDENTIALS.sub("//(hidden)@", text)


def _without_values(secret: Mapping[str, Any]) -> dict[str, Any]:
    """Return a Secret with what tells that it changed, and nothing that others noted of it, which may be all of it."""
    metadata = secret["metadata"]
    shown = {field: secret[field] for field in ("apiVersion", "kind", "type", "immutable") if field in secret}
    shown["metadata"] = {
        **{field: metadata[field] for field in ("name", "namespace", "labels") if field in metadata},
        "annotations": sorted(metadata.get("annotations") or ()),
    }
    return {**shown, **{field: _hidden(secret[field]) for field in ("data", "stringData") if field in secret}}


def _hidden(data: object) -> str:
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
    return f"(hidden, sha256 {digest})"
