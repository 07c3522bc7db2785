# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the selection of a site with every rule for its version, platform and install method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._capability.rules import InstallContext, RuleViolation
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, BRANCHES
from .._data.install_rules import KNOWN_NAMES
from .._install_config.check import Installation, InstallCheck, check_selection, each_mistake_once, read_installation
from .._install_config.edit import has_selection
from .._install_config.fields import with_exact_names
from .._install_config.selection_source import InstallOptions, SelectionOptions, SelectionRequest, read_request
from .._problems import Problems, has_errors
from .._release.release import Release
from .._resources import ResourceId
from .comparison import SiteCheckResult, desired_block, desired_check, hint_to_write, report_difference
from .correction import corrected_cluster_version, corrected_options
from .hosted import check_hosted
from .site import BLOCK, Form
from .site_keys import check_form, report_listed_in_set

_OF_INSTALLERS = frozenset({"duplicate-name", "missing-baseline", "unchecked-rules", "unstable-set"})
"""Codes of problems that a ClusterVersion does not have. For example, the API reads a missing baseline as vCurrent."""

_UNSUPPORTED = "unsupported-version"
_HINTS = {
    _UNSUPPORTED: f"Remove the selection, or install {min(BRANCHES)} or later",
    "unknown-version": "Set releases to a release of this version",
    "unchecked-rules": "Write the platform of the site or its nodes, or check the output of kustomize build",
}
"""Hints in which other modules name their own options."""


class SiteCheckRequest(NamedTuple):
    """What the check of a site depends on. Sites with equal requests and releases share a result.

    ``values`` are the overrides of the install-config, or the install-config. ``method`` is ``None`` if its content
    decides. ``desired`` is the selection that each site must have, ``None`` if there is none. ``provided`` are the
    resources of extra manifests.
    """

    form: Form
    values: Mapping[str, Any]
    method: str | None
    platform: str | None
    external_cloud_controller_manager: bool = False
    desired: SelectionRequest | None = None
    provided: frozenset[ResourceId] = frozenset()


def check_site(request: SiteCheckRequest, release: Release) -> SiteCheckResult:
    """Check a selection for ``release``. Returns all problems and raises nothing."""
    result = _check(request, release)
    # A version without capabilities is wrong only for a selection.
    selects = request.desired is not None or BLOCK in request.values
    problems = (item._replace(hint=_HINTS.get(item.code, item.hint)) for item in result.problems)
    return result._replace(problems=tuple(item for item in problems if selects or item.code != _UNSUPPORTED))


def _check(request: SiteCheckRequest, release: Release) -> SiteCheckResult:
    if request.form == "hosted":
        return check_hosted(request.values.get(BLOCK), request.platform, request.desired, release)
    if request.form == "cluster-version":
        return _check_cluster_version(request, release)
    return _check_install(request, release)


def _check_install(request: SiteCheckRequest, release: Release) -> SiteCheckResult:
    problems = Problems()
    values = with_exact_names(request.values, "", problems)
    form = check_form(values, problems)
    document = dict(form.values)
    if request.platform is not None:
        settings = {"cloudControllerManager": "External"} if request.external_cloud_controller_manager else {}
        document.setdefault("platform", {request.platform: settings})
    if form.excluded and not document.get(BLOCK):
        document.pop(BLOCK, None)
    options = InstallOptions(document, "", "pullSecret" in document, method=request.method, provided=request.provided)
    installation = read_installation(options, release)
    check = check_selection(installation)
    problems += check.problems
    if check.install is not None:
        report_listed_in_set(form.values.get(BLOCK), check.install.minor_data, problems)
    # What a list of exclusions enables is not what its author expects.
    own = check._replace(status=None) if form.excluded else check
    block, wanted = values.get(BLOCK), None
    desired = _comparable(request.desired, installation)
    if desired is not None:
        wanted = desired_check(desired, installation, problems)
        replacement = desired_block(wanted)
    else:
        replacement = _corrected_block(installation, check, form.excluded)
    if replacement is not None and has_selection(block, replacement):
        replacement = None
    if wanted is not None and replacement is not None:
        report_difference(own, wanted, block, "Correct it with state=fixed", problems)
    enabled = own.status.enabled if own.status is not None else None
    context = own.context if enabled is not None else None
    return SiteCheckResult(problems.unique(), block, replacement, enabled, context, wanted is not None)


def _corrected_block(
    installation: Installation, check: InstallCheck, excluded: tuple[str, ...]
) -> dict[str, Any] | None:
    """The smallest correction of a selection that violates a rule, ``None`` if there is none."""
    violated = {item.problem for item in check.violations if item.problem.severity == "error"}
    if check.install is None or not (excluded or violated.difference(installation.problems)):
        return None
    corrected = corrected_options(installation.document.get(BLOCK), excluded, check.install)
    if corrected is None:
        return None
    suggested = check_selection(installation, SelectionOptions(corrected)).suggested_selection
    return None if suggested is None else suggested.to_api()


def _check_cluster_version(request: SiteCheckRequest, release: Release) -> SiteCheckResult:
    """Check the rules of the API: installers do not read a ClusterVersion in a Policy."""
    problems = Problems()
    form = check_form(request.values, problems)
    installation = read_installation(InstallOptions(form.values, "", complete=False, method="upi"), release)
    check = check_selection(installation)
    of_rules = {item.problem for item in check.violations}
    problems += [item for item in check.problems if item.code not in _OF_INSTALLERS and item not in of_rules]
    problems += [item.problem for item in each_mistake_once(filter(_is_of_api, check.violations))]
    block = request.values.get(BLOCK)
    if check.install is None:
        return SiteCheckResult(problems.unique(), block)
    report_listed_in_set(form.values.get(BLOCK), check.install.minor_data, problems)
    enabled = check.status.enabled if check.status is not None and not has_errors(problems) else None
    replacement = _corrected_fields(form.values, check.install) if has_errors(problems) and not form.excluded else None
    desired, wanted = _comparable(request.desired, installation), None
    if desired is not None:
        wanted = desired_check(desired, installation, problems, _is_of_api)
    if wanted is not None and (expected := desired_block(wanted)) is not None and not has_selection(block, expected):
        report_difference(check, wanted, block, hint_to_write(expected), problems)
    return SiteCheckResult(problems.unique(), block, replacement, enabled, compared=wanted is not None)


def _comparable(desired: SelectionRequest | None, installation: Installation) -> SelectionRequest | None:
    """``desired``; ``None`` for a solution if the platform is not known, on which its names depend."""
    return None if desired is not None and desired.solution is not None and installation.unchecked else desired


def _corrected_fields(values: Mapping[str, Any], install: InstallContext) -> dict[str, Any] | None:
    """The fields of a ClusterVersion with the smallest correction, ``None`` if there is nothing to correct."""
    request = read_request(SelectionOptions(), values, "", Problems())
    selection = request.selection if request is not None else None
    corrected = corrected_cluster_version(selection, install) if selection is not None else None
    if selection is None or corrected is None or corrected[:2] == selection[:2]:
        return None
    fields: dict[str, Any] = {} if corrected.baseline is None else {API_BASELINE: corrected.baseline}
    return {**fields, API_ADDITIONAL: list(corrected.additional)} if corrected.additional else fields


def _is_of_api(violation: RuleViolation) -> bool:
    return violation.rule.layer == "ClusterVersion" or violation.rule is KNOWN_NAMES
