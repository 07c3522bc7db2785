# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the lists ``enabled`` and ``disabled`` of a HostedCluster.

Source: openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._capability.hosted_cluster import selectable_names
from .._capability.rules import RuleViolation
from .._data.capabilities import V_CURRENT, MinorData
from .._data.hosted_clusters import HOSTED_PLATFORMS
from .._data.install_rules import HOSTED, HOSTED_NAMES
from .._install_config.check import Installation, InstallCheck, check_selection, read_installation
from .._install_config.selection_source import InstallOptions, SelectionOptions, SelectionRequest
from .._problems import Problem, Problems, type_name
from .._release.release import Release
from .comparison import SiteCheckResult, desired_check, enabled_names, hint_to_write, report_difference
from .correction import known_names
from .site import BLOCK

HOSTED_ENABLED, HOSTED_DISABLED = "enabled", "disabled"
_FIELDS = {"excluded_capabilities": HOSTED_DISABLED, "additional_enabled_capabilities": HOSTED_ENABLED}
_COVERED = frozenset({"unchecked-rules", "unsupported-capability"})
"""Codes of problems that concern options of other modules, or that are errors here."""


def check_hosted(
    block: Any, platform: str | None, desired: SelectionRequest | None, release: Release
) -> SiteCheckResult:
    """Check ``spec.capabilities`` of a HostedCluster, and compare it with ``desired`` if that is given.

    The API server rejects a change of the lists after the installation, so nothing is to be written.
    """
    problems = Problems()
    if block is not None and not isinstance(block, Mapping):
        message = f"is {type_name(block)}, expected a map"
        problems.error("not-a-map", BLOCK, message, "Write enabled and disabled below it")
        return SiteCheckResult(problems.unique(), block)
    fields = dict(block or {})
    for field in set(fields) - set(_FIELDS.values()):
        message = "is not a field of a HostedCluster, expected enabled or disabled"
        problems.error("unknown-field", f"{BLOCK}.{field}", message, "List what is not needed in disabled")
    document: dict[str, Any] = {"platform": {platform: {}}} if platform in HOSTED_PLATFORMS else {}
    installation = read_installation(InstallOptions(document, "", complete=False, method=HOSTED), release)
    check = _check(fields, installation)
    disabled = {item.problem: item for item in check.violations if item.capability}
    problems += [_respelled(item, disabled.get(item)) for item in check.problems if item.code not in _COVERED]
    if check.install is None:
        return SiteCheckResult(problems.unique(), block)
    _report_not_enabled(fields.get(HOSTED_ENABLED), check.install.minor_data, f"{BLOCK}.{HOSTED_ENABLED}", problems)
    wanted = desired_check(desired, installation, problems) if desired is not None else None
    if wanted is not None and enabled_names(check) != enabled_names(wanted):
        lists = wanted.hosted.stanza() if wanted.hosted is not None else {}
        report_difference(check, wanted, block, hint_to_write(lists), problems)
    enabled = check.status.enabled if check.status else None
    return SiteCheckResult(problems.unique(), block, None, enabled, compared=wanted is not None)


def _check(fields: Mapping[str, Any], installation: Installation) -> InstallCheck:
    lists = {ours: fields[theirs] for ours, theirs in _FIELDS.items() if theirs in fields}
    selection = {"baseline_capability_set": V_CURRENT, **lists} if lists else None
    return check_selection(installation, SelectionOptions(selection))


def _respelled(problem: Problem, broken: RuleViolation | None) -> Problem:
    """``problem`` with the fields of a HostedCluster instead of the options of modules. ``broken``: what it reports."""
    field, message, hint = problem.where.field, problem.message, problem.hint
    for ours, theirs in _FIELDS.items():
        field, message, hint = (text.replace(ours, theirs) for text in (field, message, hint))
    if broken is not None and field == f"{BLOCK}.{HOSTED_DISABLED}":
        message = f"contains {broken.capability}, but {broken.rule.message}"
    return problem._replace(where=problem.where._replace(field=field), message=message, hint=hint)


def _report_not_enabled(names: object, data: MinorData, where: str, problems: Problems) -> None:
    may = selectable_names(data).enabled
    wrong = ", ".join(name for name in known_names(names, data.capabilities) or () if name not in may)
    if wrong and HOSTED_NAMES.in_force(data.minor, HOSTED):
        message = f"contains {wrong}, which a HostedCluster of {data.minor} cannot enable"
        problems.error(HOSTED_NAMES.name, where, message, f"Remove {wrong}")
