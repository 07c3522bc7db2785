# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of the check of a site, and its comparison with the selection that the user requests of each site."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .._capability.inclusion import InclusionContext
from .._capability.rules import RuleViolation
from .._data.capabilities import API_FIELDS
from .._data.install_rules import HOSTED
from .._install_config.check import Installation, InstallCheck, check_request
from .._install_config.selection_source import SelectionRequest
from .._problems import Problem, Problems
from .site import BLOCK


class SiteCheckResult(NamedTuple):
    """The result of a check. Problems are located at fields, relative to the object.

    ``block`` is the selection of the site, ``None`` if it has none. ``replacement`` is the block to write instead:
    the desired one, or the smallest correction; ``None`` if there is nothing to write. ``enabled`` is ``None`` if it is
    not known, as is ``context``, in which the CVO of an installation decides. ``compared``: the selection was compared
    with the desired one.
    """

    problems: tuple[Problem, ...]
    block: Any = None
    replacement: dict[str, Any] | None = None
    enabled: frozenset[str] | None = None
    context: InclusionContext | None = None
    compared: bool = False


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
    # They are at the option, not in the file of the site.
    problems += (_at_option(item) for item in errors)
    return None if errors or check.status is None else check


def _at_option(problem: Problem) -> Problem:
    where = problem.where
    return problem._replace(where=where._replace(field=f"option {where.field}")) if where.field else problem


def desired_block(wanted: InstallCheck | None) -> dict[str, Any] | None:
    """The desired selection as a block, ``None`` if there is none."""
    selection = wanted.resolved.selection if wanted is not None and wanted.resolved is not None else None
    return None if selection is None else selection.to_api()


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
