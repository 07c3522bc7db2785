# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Checks the selection of a site with every rule for its version, platform and install method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._capability.inclusion import InclusionContext
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, API_FIELDS, BRANCHES
from .._data.install_rules import KNOWN_NAMES
from .._install_config.check import (
    Installation,
    InstallCheck,
    check_request,
    check_selection,
    each_mistake_once,
    read_installation,
)
from .._install_config.fields import with_exact_names
from .._install_config.selection_source import InstallOptions, SelectionOptions, SelectionRequest
from .._problems import Problem, Problems, has_errors
from .._release.release import Release
from .._resources import ResourceId
from .correction import corrected_cluster_version, corrected_options
from .hosted import check_lists
from .site import BLOCK, Form
from .site_keys import check_form, report_listed_in_set

_OF_INSTALLERS = frozenset({"duplicate-name", "missing-baseline", "unchecked-rules", "unstable-set"})
"""Codes of problems that a ClusterVersion does not have. For example, the API reads a missing baseline as vCurrent."""
_UNSUPPORTED = "unsupported-version"


class SiteCheckRequest(NamedTuple):
    """What the check of a site depends on. Sites with equal requests and releases share a result.

    ``values`` are the overrides of the install-config, or the install-config. ``method`` is ``None`` if its content
    decides. ``desired`` is the selection that replaces the one of the site, ``None`` if that is only checked.
    ``provided`` are the resources of extra manifests.
    """

    form: Form
    values: Mapping[str, Any]
    method: str | None
    platform: str | None
    desired: SelectionRequest | None = None
    provided: frozenset[ResourceId] = frozenset()


class SiteCheckResult(NamedTuple):
    """The result of a check. Problems are located at fields, relative to the object.

    ``block`` is the selection of the site, ``None`` if it has none. ``replacement`` is the block to write instead:
    the desired one, or the smallest correction; ``None`` if there is nothing to write. ``enabled`` is ``None`` if it is
    not known, as is ``context``, in which the CVO of an installation decides.
    """

    problems: tuple[Problem, ...]
    block: Any = None
    replacement: dict[str, Any] | None = None
    enabled: frozenset[str] | None = None
    context: InclusionContext | None = None


def check_site(request: SiteCheckRequest, release: Release) -> SiteCheckResult:
    """Check a selection for ``release``. Returns all problems and raises nothing."""
    result = _check(request, release)
    # A version without capabilities is wrong only for a selection.
    selects = request.desired is not None or BLOCK in request.values
    hint = f"Remove the selection, or install {min(BRANCHES)} or later"
    problems = (item._replace(hint=hint) if item.code == _UNSUPPORTED else item for item in result.problems)
    return result._replace(problems=tuple(item for item in problems if selects or item.code != _UNSUPPORTED))


def _check(request: SiteCheckRequest, release: Release) -> SiteCheckResult:
    if request.form == "hosted":
        problems, block = Problems(), request.values.get(BLOCK)
        replacement, enabled = check_lists(block, request.platform, release, problems)
        return SiteCheckResult(problems.unique(), block, replacement, enabled)
    if request.form == "cluster-version":
        return _check_cluster_version(request, release)
    return _check_install(request, release)


def _check_install(request: SiteCheckRequest, release: Release) -> SiteCheckResult:
    problems = Problems()
    values = with_exact_names(request.values, "", problems)
    form = check_form(values, problems)
    document = dict(form.values)
    if request.platform is not None:
        document.setdefault("platform", {request.platform: {}})
    if form.excluded and not document.get(BLOCK):
        document.pop(BLOCK, None)
    options = InstallOptions(document, "", "pullSecret" in document, method=request.method, provided=request.provided)
    installation = read_installation(options, release)
    check = check_selection(installation)
    problems += check.problems
    if check.install is not None:
        report_listed_in_set(form.values.get(BLOCK), check.install.minor_data, problems)
    if request.desired is not None:
        replacement = _desired_block(request.desired, installation, problems)
    else:
        replacement = _corrected_block(installation, check, form.excluded)
    block = values.get(BLOCK)
    if replacement is not None and _same_block(block, replacement):
        replacement = None
    if check.status is None or form.excluded:
        return SiteCheckResult(problems.unique(), block, replacement)
    return SiteCheckResult(problems.unique(), block, replacement, check.status.enabled, check.context)


def _desired_block(desired: SelectionRequest, installation: Installation, problems: Problems) -> dict[str, Any] | None:
    """The desired selection as a block, ``None`` if it has errors in this site."""
    check, of_site = check_request(installation, desired), installation.problems
    errors = [item for item in check.problems if item.severity == "error" and item not in of_site]
    problems += [item for item in errors if item not in problems]
    selection = check.resolved.selection if check.resolved is not None else None
    return None if errors or selection is None else selection.to_api()


def _corrected_block(
    installation: Installation, check: InstallCheck, excluded: tuple[str, ...]
) -> dict[str, Any] | None:
    """The smallest correction of a selection that violates a rule, ``None`` if there is none."""
    violated = {item.problem for item in check.violations if item.problem.severity == "error"}
    if check.status is None or not (excluded or violated.difference(installation.problems)):
        return None
    corrected = corrected_options(installation.document.get(BLOCK), excluded, check.status.known)
    if corrected is None:
        return None
    suggested = check_selection(installation, SelectionOptions(corrected)).suggested_selection
    return None if suggested is None else suggested.to_api()


def _check_cluster_version(request: SiteCheckRequest, release: Release) -> SiteCheckResult:
    """Check the rules of the API: installers do not read a ClusterVersion in a Policy."""
    problems = Problems()
    form = check_form(request.values, problems)
    options = InstallOptions(form.values, "", complete=False, method="upi")
    check = check_selection(read_installation(options, release))
    of_rules = {item.problem for item in check.violations}
    problems += [item for item in check.problems if item.code not in _OF_INSTALLERS and item not in of_rules]
    of_api = [item for item in check.violations if item.rule.layer == "ClusterVersion" or item.rule is KNOWN_NAMES]
    problems += [item.problem for item in each_mistake_once(of_api)]
    block = request.values.get(BLOCK)
    if check.install is None or check.resolved is None:
        return SiteCheckResult(problems.unique(), block)
    report_listed_in_set(form.values.get(BLOCK), check.install.minor_data, problems)
    replacement: dict[str, Any] | None = None
    selection = check.resolved.requested
    if has_errors(problems) and not form.excluded:
        corrected = corrected_cluster_version(selection, check.install)
        if corrected is not None and corrected.additional != selection.additional:
            replacement = {} if selection.baseline is None else {API_BASELINE: selection.baseline}
            replacement[API_ADDITIONAL] = list(corrected.additional)
    enabled = check.status.enabled if check.status is not None and not has_errors(problems) else None
    return SiteCheckResult(problems.unique(), block, replacement, enabled)


def _same_block(block: object, other: Mapping[str, Any]) -> bool:
    if not isinstance(block, Mapping) or set(block) - set(API_FIELDS):
        return False
    names = block.get(API_ADDITIONAL) or []
    same_names = isinstance(names, list) and sorted(map(str, names)) == sorted(other.get(API_ADDITIONAL, []))
    return same_names and block.get(API_BASELINE) == other.get(API_BASELINE)
