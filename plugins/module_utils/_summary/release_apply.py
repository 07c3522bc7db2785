# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of release_apply as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .words import listed, resource_text, sorted_names, table

_COLUMNS = {
    "manifests": "MANIFESTS",
    "created": "CREATED",
    "changed": "CHANGED",
    "unchanged": "UNCHANGED",
    "deleted": "DELETED",
    "deleting": "DELETING",
    "failed": "FAILED",
    "not_sent": "NOT APPLIED",
}
"""Numbers of a run level. The first is the sum of the others."""


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """What changed in each run level, the enabled capabilities, conflicts and leftovers."""
    return list(_lines(result, options)) if "run_levels" in result else []


def _lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    is_dry_run, only = bool(options.get("check_mode")), options.get("only")
    levels, status = result["run_levels"], result["capability_status"]
    total = {column: sum(level[column] for level in levels) for column in _COLUMNS}
    mode = "only CRDs" if only else f"mode {result['mode']}"
    yield f"{options['release']}, {mode}{', dry run' if is_dry_run else ''}: {_outcome(result, total)}"
    yield ""
    rows = [(level["run_level"] or "none", *(level[column] for column in _COLUMNS)) for level in levels]
    yield from table([("RUN LEVEL", *_COLUMNS.values()), *rows, ("all", *total.values())])
    yield ""
    yield f"{'definitions of' if only else 'enabled'}: {_names(status['enabled_capabilities'])}"
    if status["newly_implicitly_enabled_capabilities"]:
        enabled = "would be enabled" if is_dry_run else "enabled"
        names = _names(status["newly_implicitly_enabled_capabilities"])
        yield f"{enabled} by this update, permanently: {names}"
    if status["implicitly_enabled_capabilities"] and not only:
        yield f"enabled without being requested: {_names(status['implicitly_enabled_capabilities'])}"
    skipped = sum(item["state"] == "skipped" for item in result["failed_resources"])
    if skipped:
        yield f"skipped, because the cluster does not serve their kind: {skipped}"
    for item in result["conflicts"]:
        yield f"conflict: {resource_text(item)}, {item['field']} is owned by {item['manager']}"
    for item in result["leftovers"]:
        deleted = ", would be deleted" if is_dry_run else ", deleted"
        waits = f", being deleted, waits for {', '.join(item['finalizers'])}"
        pruned = deleted if item["pruned"] else ""
        yield f"leftover{pruned}: {resource_text(item)}{waits if item['finalizers'] and not is_dry_run else ''}"


def _outcome(result: Mapping[str, Any], total: Mapping[str, int]) -> str:
    if not (result["changed"] or total["failed"] or total["not_sent"] or total["deleting"]):
        return "nothing to change"
    pruned = sum(item["pruned"] for item in result["leftovers"])
    parts = {
        f"{total['created']} created": True,
        f"{total['changed']} changed": True,
        f"{total['deleted']} deleted": True,
        f"{total['deleting']} still being deleted": total["deleting"],
        f"{pruned} pruned": pruned,
        f"{total['unchanged']} unchanged": True,
        f"{total['failed']} failed": total["failed"],
        f"{total['not_sent']} not applied": total["not_sent"],
    }
    return ", ".join(part for part, is_shown in parts.items() if is_shown)


def _names(names: list[str]) -> str:
    return listed(sorted_names(names))
