# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Converts the result of a check to the return values of the module, with the selection in every format."""

from __future__ import annotations

import json
from typing import Any

from .._capability.inclusion import CapabilityStatus
from .._capability.rules import RuleViolation
from .._capability.selection import Selection
from .._data.capabilities import NONE
from .._data.install_rules import HOSTED
from .._footprint.footprint import NAMED, FootprintComparison
from .._module.result import diff_entry
from .check import InstallCheck
from .diff_text import diff_texts
from .document import read_document
from .file import OWNER_ALONE, InstallConfigFile
from .selection_source import ResolvedSelection


def installation_dict(check: InstallCheck, *, failed: bool = False) -> dict[str, Any]:
    """Convert a check; without a selection, return only the keys that do not depend on it.

    ``failed``: there are errors. Then the selection is returned only in its corrected form.
    """
    result: dict[str, Any] = {
        "install_method": check.method,
        "platform": check.platform,
        "violations": [_violation_dict(item) for item in check.violations],
    }
    if check.resolved is None or check.status is None:
        return result
    block = _block(check.resolved)
    suggested = block if check.suggested_selection is None else check.suggested_selection.to_api()
    result["suggested_capabilities"] = suggested
    # The forms of a selection that violates a rule are useless, and would hide the message of the failed task.
    return result if failed else {**result, **_selection_forms(check, block, check.resolved.reasons, check.status)}


def _block(resolved: ResolvedSelection) -> dict[str, Any]:
    return {} if resolved.selection is None else resolved.selection.to_api()


def _selection_forms(
    check: InstallCheck, block: dict[str, Any], reasons: tuple[str, ...], status: CapabilityStatus
) -> dict[str, Any]:
    return {
        "capabilities": block,
        "shortest_capabilities": block if check.shortest is None else check.shortest.selection.to_api(),
        "explanation": list(reasons),
        "enabled_capabilities": sorted(status.enabled),
        "known_capabilities": sorted(status.known),
        "cluster_version_spec": _spec(_cluster_version_block(check.method, block, status)),
        "install_config_overrides": json.dumps(_spec(block), separators=(",", ":")),
        "hosted_cluster_spec": _spec(check.hosted.stanza() if check.hosted else {}),
        "hosted_cluster_differences": {
            "stays_enabled": sorted(check.hosted.stays_enabled) if check.hosted else [],
            "stays_disabled": sorted(check.hosted.stays_disabled) if check.hosted else [],
        },
        "consequences": [item._asdict() for item in check.consequences],
    }


def _violation_dict(violation: RuleViolation) -> dict[str, str]:
    return {
        "rule": violation.rule.name,
        "layer": violation.rule.layer,
        "capability": violation.capability,
        "message": violation.rule.message,
        "hint": violation.problem.hint,
        "source": violation.rule.source,
    }


def comparison_dict(comparison: FootprintComparison) -> dict[str, Any]:
    """Convert a comparison: counts of both sides, their difference, and the names that only one side has."""
    return {
        "selection": comparison.selection._asdict(),
        "against": comparison.against._asdict(),
        "saved": comparison.saved._asdict(),
        "only_in_selection": {field: list(comparison.only_in_selection[field]) for field in NAMED},
        "only_in_other": {field: list(comparison.only_in_other[field]) for field in NAMED},
    }


def install_config_diff(target: InstallConfigFile, before: str | None, after: str | None) -> list[dict[str, str]]:
    """The diff of an install-config as Ansible prints it, without secrets of either side."""
    diff: list[dict[str, str]] = []
    if after is None:
        return diff
    if after != before:
        old = read_document(before.encode(), target.path) if before else None
        diff.append(diff_entry(target.path, *diff_texts(old, read_document(after.encode(), target.path))))
    if target.is_open_to_others:
        diff.append(diff_entry(f"{target.path} (mode)", f"{target.mode:04o}\n", f"{OWNER_ALONE:04o}\n"))
    return diff


def _spec(block: dict[str, Any]) -> dict[str, Any]:
    return {"capabilities": block} if block else {}


def _cluster_version_block(method: str, block: dict[str, Any], status: CapabilityStatus) -> dict[str, Any]:
    """The block of a ClusterVersion. HyperShift writes ``None`` and every name, in byte order.

    Source: openshift/hypershift:support/capabilities.
    """
    if method != HOSTED:
        return block
    return Selection(NONE, tuple(sorted(status.enabled))).to_api()
