# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Converts the result of a check to the return values of the module, with the selection in every format."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from .._capability.inclusion import CapabilityStatus
from .._capability.rules import rule_violations
from .._capability.selection import Selection
from .._capability.solution import ResolvedSelection
from .._contents.unmet_references import CONSEQUENCES
from .._data.capabilities import API_FIELDS, NONE
from .._data.hosted_clusters import NAMES_WRITTEN_SINCE, WRITTEN_WITHOUT
from .._data.install_rules import HOSTED
from .._module.result import MASK, diff_entry, masked
from .._problems import has_errors
from .build import EditedFile
from .check import InstallCheck
from .document import read_document, render_document, same_values
from .file import OWNER_ALONE
from .secrets import secret_values

_BLOCK = "capabilities"
_CHANGED = f"{MASK} (changed)"
_SHOWN = frozenset({"apiVersion", "baseDomain", "credentialsMode", "featureSet", "fips", "publish"})
"""Fields whose values a diff shows if they are short."""
_SHORT = re.compile(r"[\w.-]{1,63}")
_SHOWN_LINE = re.compile(r" *(?:- )?[\w.'\" -]{1,63}:?(?: [\w.'\"{}\[\]-]{1,63})?\n")


def installation_dict(check: InstallCheck, *, failed: bool = False) -> dict[str, Any]:
    """Convert a check; without a selection, return only the keys that do not depend on it.

    ``failed``: there are errors. Then the selection is returned only in its corrected form.
    """
    result: dict[str, Any] = {"install_method": check.installation.method, "platform": check.installation.platform}
    if check.resolved is None or check.status is None:
        return result
    block = _block(check.resolved)
    # No rule of a selection knows what its references need.
    dangles = any(item.code in CONSEQUENCES and item.severity == "error" for item in check.problems)
    suggested = None if dangles else check.suggested_selection
    if suggested is not None and check.install is not None:
        broken = (*check.installation.rejected, *rule_violations(suggested, check.install))
        if not has_errors(item.problem for item in broken):
            result["suggested_capabilities"] = suggested.to_api()
    elif check.resolved.selection is None:
        result["suggested_capabilities"] = block
    # The forms of a selection that violates a rule are useless, and would hide the message of the failed task.
    return result if failed else {**result, **_selection_forms(check, block, check.resolved.reasons, check.status)}


def _block(resolved: ResolvedSelection) -> dict[str, Any]:
    return {} if resolved.selection is None else resolved.selection.to_api()


def _selection_forms(
    check: InstallCheck, block: dict[str, Any], reasons: tuple[str, ...], status: CapabilityStatus
) -> dict[str, Any]:
    return {
        "capabilities": block,
        "explanation": list(reasons),
        "enabled_capabilities": sorted(status.enabled),
        "known_capabilities": sorted(status.known),
        "cluster_version_spec": _spec(_cluster_version_block(check, block, status)),
        "install_config_overrides": json.dumps(_spec(block), separators=(",", ":")),
        "hosted_cluster_spec": _spec(check.hosted.stanza() if check.hosted else {}),
    }


def install_config_diff(file: EditedFile | None) -> list[dict[str, str]]:
    """The diff of an install-config as Ansible prints it: its selection, and which other fields change."""
    diff: list[dict[str, str]] = []
    if file is None or file.after is None:
        return diff
    target, before, after = file.target, file.before, file.after
    if after != before:
        old = read_document(before.encode(), target.path).data if before else {}
        diff.append(diff_entry(target.path, *_diff_texts(old, read_document(after.encode(), target.path).data)))
    if target.is_open_to_others:
        diff.append(diff_entry(f"{target.path} (mode)", f"{target.mode:04o}\n", f"{OWNER_ALONE:04o}\n"))
    return diff


def _diff_texts(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, str]:
    """The values of both sides of a diff. A masked value that is not the one before is marked as changed."""
    secrets = secret_values(before) | secret_values(after)
    changed = {name for name in after if before and not same_values({"": before.get(name)}, {"": after[name]})}
    old, new = _shown(before, frozenset()), _shown(after, changed)
    return masked(old, secrets), masked(new, secrets)


def _shown(data: Mapping[str, Any], changed: Collection[str]) -> str:
    return "".join(_shown_field(name, data[name], _CHANGED if name in changed else MASK) for name in sorted(data))


def _shown_field(name: str, value: Any, mask: str) -> str:
    if name == _BLOCK and isinstance(value, Mapping):
        fields = {field: value[field] for field in API_FIELDS if field in value}
        return "".join(
            line if _SHOWN_LINE.fullmatch(line) else f"{mask}\n"
            for line in render_document({_BLOCK: fields}).splitlines(keepends=True)
        )
    harmless = name in _SHOWN and _SHORT.fullmatch(str(value))
    return f"{name if _SHORT.fullmatch(name) else MASK}: {value if harmless else mask}\n"


def _spec(block: dict[str, Any]) -> dict[str, Any]:
    return {"capabilities": block} if block else {}


def _cluster_version_block(check: InstallCheck, block: dict[str, Any], status: CapabilityStatus) -> dict[str, Any]:
    """The block of a ClusterVersion. HyperShift writes ``None`` and every name in byte order, or no block."""
    if check.installation.method != HOSTED:
        return block
    is_without = WRITTEN_WITHOUT in status.known - status.enabled
    if check.install is None or (check.install.minor < NAMES_WRITTEN_SINCE and not is_without):
        return {}
    return Selection(NONE, tuple(sorted(status.enabled))).to_api()
