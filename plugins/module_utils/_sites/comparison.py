# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Compares the selection of a site with the one that the user requests of each site."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .._capability.rules import RuleViolation
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, API_FIELDS
from .._data.install_rules import HOSTED
from .._install_config.check import Installation, InstallCheck, check_request
from .._install_config.selection_source import SelectionRequest
from .._problems import Problems
from .site import BLOCK


def desired_check(
    desired: SelectionRequest,
    installation: Installation,
    problems: Problems,
    applies: Callable[[RuleViolation], bool] | None = None,
) -> InstallCheck | None:
    """The check of the desired selection, ``None`` if it has errors in this site, which are reported.

    ``applies``: which violations of rules are errors, ``None``: all.
    """
    check = check_request(installation, desired)
    others = (item.problem for item in check.violations if applies is not None and not applies(item))
    ignored = installation.problems.union(others)
    errors = [item for item in check.problems if item.severity == "error" and item not in ignored]
    problems += [item for item in errors if item not in problems]
    return None if errors or check.status is None else check


def desired_block(wanted: InstallCheck | None) -> dict[str, Any] | None:
    """The desired selection as a block, ``None`` if there is none."""
    selection = wanted.resolved.selection if wanted is not None and wanted.resolved is not None else None
    return None if selection is None else selection.to_api()


def same_block(block: object, other: Mapping[str, Any]) -> bool:
    """Whether ``block`` is the selection ``other``, whose names can have any order."""
    if not isinstance(block, Mapping) or set(block) - set(API_FIELDS):
        return False
    names = block.get(API_ADDITIONAL) or []
    same_names = isinstance(names, list) and sorted(map(str, names)) == sorted(other.get(API_ADDITIONAL, []))
    return same_names and block.get(API_BASELINE) == other.get(API_BASELINE)


def enabled_names(check: InstallCheck) -> frozenset[str] | None:
    """The enabled names, also those that a hosted cluster cannot disable. ``None`` if they are not known."""
    if check.status is None:
        return None
    is_hosted = check.hosted is not None and check.method == HOSTED
    return check.status.enabled | (check.hosted.stays_enabled if is_hosted and check.hosted else frozenset())


def report_difference(own: InstallCheck, wanted: InstallCheck, block: object, hint: str, problems: Problems) -> None:
    """Report in what a selection, which is ``block``, differs from the desired one."""
    mine, theirs = enabled_names(own), enabled_names(wanted)
    if mine is None or theirs is None:
        difference = "which names it enables is not known"
    elif mine == theirs:
        given, expected = block if isinstance(block, Mapping) else {}, desired_block(wanted) or {}
        fields = [name for name in API_FIELDS if given.get(name) != expected.get(name)]
        parts = [f"{name} is {given.get(name, 'missing')}" for name in fields]
        difference = f"it enables the same names, but {' and '.join(parts)}"
    else:
        more, less = (", ".join(sorted(names)) for names in (mine - theirs, theirs - mine))
        parts = [f"it also enables {more}" if more else "", f"it does not enable {less}" if less else ""]
        difference = ", and ".join(filter(None, parts))
    problems.error("different-selection", BLOCK, f"differs from the requested selection: {difference}", hint)


def hint_to_write(block: Mapping[str, Any]) -> str:
    """What to do about a selection that is only checked."""
    return f"Set {BLOCK} to {json.dumps(block)}"
