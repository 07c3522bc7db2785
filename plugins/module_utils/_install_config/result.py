# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""An installation in the shape that playbooks get: the selection in every form that somebody has to write it in."""

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
from .check import InstallCheck, block_of
from .file import OWNER_ALONE, InstallConfigFile
from .secrets import masked
from .selection_source import ResolvedSelection


def installation_dict(found: InstallCheck) -> dict[str, Any]:
    """Return what was found about an installation; without a selection only what does not depend on it."""
    result: dict[str, Any] = {
        "install_method": found.method,
        "platform": found.platform,
        "violations": [_violation_dict(item) for item in found.violations],
    }
    if found.chosen is None or found.status is None:
        return result
    return {**result, **_selection_forms(found, found.chosen, found.status)}


def _selection_forms(found: InstallCheck, chosen: ResolvedSelection, status: CapabilityStatus) -> dict[str, Any]:
    block = {} if chosen.selection is None else block_of(chosen.selection)
    return {
        "capabilities": block,
        "shortest_capabilities": block if found.shortest is None else block_of(found.shortest.selection),
        "suggested_capabilities": block if found.mended is None else block_of(found.mended),
        "explanation": list(chosen.reasons),
        "enabled_capabilities": sorted(status.enabled),
        "known_capabilities": sorted(status.known),
        "cluster_version_spec": _spec(_cluster_version_block(found.method, block, status)),
        "install_config_overrides": json.dumps(_spec(block), separators=(",", ":")),
        "hosted_cluster_spec": _spec(found.hosted.stanza() if found.hosted else {}),
        "hosted_cluster_differences": {
            "stays_on": sorted(found.hosted.stays_on) if found.hosted else [],
            "stays_off": sorted(found.hosted.stays_off) if found.hosted else [],
        },
        "consequences": [item._asdict() for item in found.consequences],
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
    """Return what a selection costs against another in the shape that playbooks get."""
    return {
        "selection": comparison.selection._asdict(),
        "against": comparison.against._asdict(),
        "saved": comparison.saved._asdict(),
        "only_here": {field: list(comparison.only_here[field]) for field in NAMED},
        "only_there": {field: list(comparison.only_there[field]) for field in NAMED},
    }


def install_config_diff(target: InstallConfigFile, before: str | None, after: str | None) -> list[dict[str, str]]:
    """Return the diff of an install-config in the shape that Ansible prints, without a secret of either side."""
    diff: list[dict[str, str]] = []
    if after is None:
        return diff
    if after != before:
        diff.append(diff_entry(target.path, masked(before, None) if before else "", masked(after, before)))
    if target.is_open_to_others:
        diff.append(diff_entry(f"{target.path} (mode)", f"{target.mode:04o}\n", f"{OWNER_ALONE:04o}\n"))
    return diff


def _spec(block: dict[str, Any]) -> dict[str, Any]:
    return {"capabilities": block} if block else {}


def _cluster_version_block(method: str, block: dict[str, Any], status: CapabilityStatus) -> dict[str, Any]:
    """HyperShift writes ``None`` and every name, in the order of their bytes (its support/capabilities)."""
    if method != HOSTED:
        return block
    return block_of(Selection(NONE, tuple(sorted(status.enabled))))
