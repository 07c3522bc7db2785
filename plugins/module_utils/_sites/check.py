# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the selection of a site with every rule for its version, platform and install method.

Compares it also with the selection that the user requests of each site.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from .._capability.hosted_cluster import selectable_names
from .._capability.inclusion import InclusionContext
from .._capability.rules import InstallContext, RuleViolation, rule_violations
from .._data.assisted_fields import ASSISTED_FIELDS
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, API_FIELDS, BRANCHES, V_CURRENT, MinorData, since_of
from .._data.dependencies import DEPENDENCIES
from .._data.hosted_clusters import HOSTED_PLATFORMS
from .._data.install_rules import HOSTED, HOSTED_NAMES, HOSTED_SINCE, KNOWN_NAMES
from .._install_config.check import (
    Installation,
    InstallCheck,
    check_request,
    check_selection,
    each_mistake_once,
    read_installation,
)
from .._install_config.edit import has_selection
from .._install_config.fields import with_exact_names
from .._install_config.selection_source import InstallOptions, SelectionOptions, SelectionRequest, read_request
from .._problems import Problem, Problems, did_you_mean, has_errors, type_name
from .._release.release import Release
from .._resources import ResourceId, as_list
from .overrides import BLOCK, Form
from .rules import REFERENCE_RULES
from .site_keys import check_form, report_listed_in_set

_OF_INSTALLERS = frozenset({"duplicate-name", "missing-baseline", "unchecked-rules", "unstable-set"})
"""Codes of problems that a ClusterVersion does not have. For example, the API reads a missing baseline as vCurrent."""

_UNSUPPORTED, _GATED = "unsupported-version", "gated-capability"
_HINTS = {
    _UNSUPPORTED: f"Select nothing, or install {min(BRANCHES)} or later",
    HOSTED_SINCE.name: f"Select nothing, or install {HOSTED_NAMES.since} or later",
    "impossible-exclusion": "Choose another solution",
    "unknown-version": "Set releases to a release of this version",
    "inst-baremetal-hosts": "List the hosts, or set install_method to agent",
    "unchecked-rules": "Add the platform or the nodes of the site, or check the output of kustomize build",
}
"""Hints in which other modules name their own options."""

_REMOVE = "Remove the list: a cluster disables nothing that it has enabled"
_BESIDE = "Remove platform from the overrides: assisted-service adds it to the one of the site"
_HINTS_OF_FORMS: Mapping[Form, Mapping[str, str]] = {
    "cluster-version": {
        **_HINTS,
        "exclusion-list": _REMOVE,
        _GATED: "Check whether the cluster enables it",
        "ineffective-list": _REMOVE,
    },
    "overrides": {**_HINTS, "several-platforms": _BESIDE},
}

HOSTED_ENABLED, HOSTED_DISABLED = "enabled", "disabled"
_EXCLUDED = "excluded_capabilities"
_FIELDS = {_EXCLUDED: HOSTED_DISABLED, "additional_enabled_capabilities": HOSTED_ENABLED}
_COVERED = frozenset({"unchecked-rules", "unsupported-capability"})
"""Codes of problems that concern options of other modules, or that are errors here."""


class SiteCheckRequest(NamedTuple):
    """What the check of a site depends on. Sites with equal requests and releases share a result.

    ``values`` are the overrides of the install-config, or the install-config. ``method`` is ``None`` if its content
    decides. ``desired`` is the selection that each site must have, ``None`` if there is none. ``provided`` are the
    resources of extra manifests. ``enabled``: the names in the status of a ClusterVersion, ``None`` without one.
    """

    form: Form
    values: Mapping[str, Any]
    method: str | None
    platform: str | None
    external_cloud_controller_manager: bool = False
    pins_cpus: bool = False
    desired: SelectionRequest | None = None
    provided: frozenset[ResourceId] = frozenset()
    enabled: frozenset[str] | None = None


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


def check_site(request: SiteCheckRequest, release: Release, before: Release | None = None) -> SiteCheckResult:
    """Check a selection for ``release``. Returns all problems and raises nothing.

    ``before``: a release of the minor before it, whose API server may still run when the selection is written.
    """
    result = _check(request, release)
    if before is not None:
        result = _during_update(result, _check(request, before), f"{release.minor}", f"{before.minor}")
    # A version without capabilities is wrong only for a selection.
    selects = request.desired is not None or request.values.get(BLOCK) is not None
    hints = _HINTS_OF_FORMS.get(request.form, _HINTS)
    problems = [item._replace(hint=hints.get(item.code, item.hint)) for item in result.problems]
    # If the version has no lists, what is in them is not wrong in addition.
    found = [item for item in problems if item.code == HOSTED_SINCE.name] or problems
    return result._replace(problems=tuple(item for item in found if selects or item.code != _UNSUPPORTED))


def _check(request: SiteCheckRequest, release: Release) -> SiteCheckResult:
    if request.form == "hosted":
        return check_hosted(request.values.get(BLOCK), request.platform, request.desired, release)
    if request.form == "cluster-version":
        return _check_cluster_version(request, release)
    return _check_install(request, release)


def _during_update(after: SiteCheckResult, before: SiteCheckResult, new: str, old: str) -> SiteCheckResult:
    """The result for an object that requests an update: an error about the API of one of two minors is a warning."""
    places = [{(item.code, item.where) for item in result.problems} for result in (after, before)]
    problems = []
    for item in (*after.problems, *before.problems):
        key = item.code, item.where
        if item.severity != "error" or item.code in REFERENCE_RULES or all(key in place for place in places):
            problems += [item] if item in after.problems else []
        else:
            minor, other = (new, old) if item in after.problems else (old, new)
            message = f"{item.message}. This applies while the cluster runs {minor}, not {other}"
            hint = "Update first, and change the selection then"
            problems.append(item._replace(severity="warning", message=message, hint=hint))
    replacement = after.replacement if after.replacement == before.replacement else None
    return after._replace(problems=tuple(problems), replacement=replacement)


def _check_install(request: SiteCheckRequest, release: Release) -> SiteCheckResult:
    problems = Problems()
    values = with_exact_names(request.values, "", problems)
    is_merged = request.form == "overrides"
    form = check_form(values, problems, ASSISTED_FIELDS if is_merged else None)
    document = dict(form.values)
    if is_merged and request.platform is not None:
        document["platform"] = _merged_platform(request, request.platform, document.get("platform"))
    if request.pins_cpus:
        document["cpuPartitioningMode"] = "AllNodes"
    if form.excluded and not document.get(BLOCK):
        document.pop(BLOCK, None)
    is_complete = not is_merged and "pullSecret" in document
    options = InstallOptions(document, "", is_complete, method=request.method, provided=request.provided)
    installation = read_installation(options, release)
    check = check_selection(installation)
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
    problems += _problems_beside(wanted, check)
    if replacement is not None and has_selection(block, replacement):
        replacement = None
    if wanted is not None and replacement is not None:
        report_difference(own, wanted, block, replacement, problems)
    enabled = own.status.enabled if own.status is not None else None
    context = own.context if enabled is not None else None
    return SiteCheckResult(problems.unique(), block, replacement, enabled, context, wanted is not None)


def _merged_platform(request: SiteCheckRequest, name: str, given: object) -> object:
    """The platform ``name`` of a site, with ``given`` of its overrides decoded over it, as Go does."""
    settings = {"cloudControllerManager": "External"} if request.external_cloud_controller_manager else {}
    if given is not None and not isinstance(given, Mapping):
        return given
    platforms = {name: settings, **(given or {})}
    if isinstance(own := platforms[name], Mapping):
        platforms[name] = {**settings, **own}
    return {key: value for key, value in platforms.items() if value is not None}


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
    if suggested is None or check.install.enabled(suggested).intersection(corrected.get(_EXCLUDED, ())):
        return None  # only its author knows whether to keep what a rule requires, or what needs it
    return suggested.to_api()


def _check_cluster_version(request: SiteCheckRequest, release: Release) -> SiteCheckResult:
    """Check the rules of the API: installers do not read a ClusterVersion in a Policy."""
    problems = Problems()
    form = check_form(request.values, problems)
    values = {key: _api_fields(value, problems) for key, value in form.values.items()}
    # A field that is dropped may be a misspelled one, so a correction without it may lose what its author wants.
    is_complete = values == form.values and not form.excluded
    installation = read_installation(InstallOptions(values, "", complete=False, method="upi"), release)
    check = check_selection(installation)
    problems_of = partial(_problems_of_api, reported=request.enabled)
    problems += problems_of(check)
    block = request.values.get(BLOCK)
    if check.install is None:
        return SiteCheckResult(problems.unique(), block)
    report_listed_in_set(values.get(BLOCK), check.install.minor_data, problems)
    _check_baseline(values.get(BLOCK), check.install, problems)
    enabled = check.status.enabled if check.status is not None and not has_errors(problems) else None
    replacement = None
    if has_errors(problems) and is_complete:
        replacement = _corrected_fields(values, check.install, request.enabled)
    desired, wanted = _comparable(request.desired, installation), None
    if desired is not None:
        wanted = desired_check(desired, installation, problems, problems_of)
    if wanted is not None and (expected := desired_block(wanted)) is not None and not has_selection(block, expected):
        report_difference(check, wanted, block, expected, problems)
    return SiteCheckResult(problems.unique(), block, replacement, enabled, compared=wanted is not None)


def _api_fields(block: object, problems: Problems) -> object:
    """The fields of a selection that the API has. It drops others, and those in another case."""
    if not isinstance(block, Mapping):
        return block
    for key in block:
        if key not in API_FIELDS:
            message = "is not a field of a ClusterVersion, so the API server drops it"
            problems.error("unknown-field", f"{BLOCK}.{key}", message, did_you_mean(key, API_FIELDS))
    return {key: value for key, value in block.items() if key in API_FIELDS}


def _check_baseline(block: object, install: InstallContext, problems: Problems) -> None:
    """Report an empty set, and a missing one that a rule of the API reads, which then rejects the object."""
    if not isinstance(block, Mapping):
        return
    where, baseline, names = f"{BLOCK}.{API_BASELINE}", block.get(API_BASELINE), block.get(API_ADDITIONAL)
    if baseline == "":
        problems.error("unknown-capability-set", where, "is empty, expected the name of a set", f"Write {V_CURRENT}")
    for item in DEPENDENCIES if baseline is None else ():
        reads_baseline = item.rule.layer == "ClusterVersion" and item.with_none_alone
        if reads_baseline and item.needed_by in as_list(names) and item.rule.in_force(install.minor, install.method):
            message = (
                f"is missing; with {item.needed_by} in the list, the API server rejects a ClusterVersion without it"
            )
            hint = "Add it, unless the ClusterVersion on the cluster already has it"
            problems.warning(item.rule.name, where, message, hint)


def _comparable(desired: SelectionRequest | None, installation: Installation) -> SelectionRequest | None:
    """``desired``; ``None`` for a solution if the platform is not known, on which its names depend."""
    return None if desired is not None and desired.solution is not None and installation.unchecked else desired


def _corrected_fields(
    values: Mapping[str, Any], install: InstallContext, reported: frozenset[str] | None
) -> dict[str, Any] | None:
    """The fields of a ClusterVersion with correct spellings and the names that the API requires.

    ``reported``: as in ``_problems_of_api``. ``None`` if there is nothing to correct.
    """
    request = read_request(SelectionOptions(), values, "", Problems())
    selection = request.selection if request is not None else None
    if selection is None:
        return None
    names = known_names(selection.additional, install.minor_data.capabilities)
    baseline = spelled_set(selection.baseline, install.minor_data)
    if names is None or baseline not in {None, *install.minor_data.sets}:
        return None
    corrected = selection._replace(additional=tuple(names), baseline=baseline)
    while missing := [
        item.capability
        for item in rule_violations(corrected, install)
        if _needs_status(item) and reported is not None and item.capability not in reported
    ]:
        corrected = corrected.with_names(missing)
    if corrected[:2] == selection[:2]:
        return None
    fields: dict[str, Any] = {} if corrected.baseline is None else {API_BASELINE: corrected.baseline}
    return {**fields, API_ADDITIONAL: list(corrected.additional)} if corrected.additional else fields


def _problems_of_api(check: InstallCheck, *, reported: frozenset[str] | None) -> Iterator[Problem]:
    """Yield the problems of a selection that a ClusterVersion has, too. Its file does not name its feature set.

    ``reported``: the enabled names in the status. The rules of the API accept a name that is missing and among them.
    """
    of_rules = {item.problem for item in check.violations}
    yield from (item for item in check.problems if item.code not in _OF_INSTALLERS and item not in of_rules)
    of_api = (item for item in check.violations if item.rule.layer == "ClusterVersion" or item.rule is KNOWN_NAMES)
    for item in each_mistake_once(of_api):
        if _needs_status(item) and reported is None:
            hint = f"{item.problem.hint}, unless the status of the ClusterVersion on the cluster has {item.capability}"
            yield item.problem._replace(severity="warning", hint=hint)
        elif not _needs_status(item) or item.capability not in (reported or ()):
            yield item.problem._replace(severity="warning") if item.problem.code == _GATED else item.problem


def _needs_status(violation: RuleViolation) -> bool:
    """Whether the API accepts it if the status of the ClusterVersion has the missing name."""
    return violation.rule.layer == "ClusterVersion" and bool(violation.capability)


def check_hosted(
    block: Any, platform: str | None, desired: SelectionRequest | None, release: Release
) -> SiteCheckResult:
    """Check ``spec.capabilities`` of a HostedCluster, and compare it with ``desired`` if that is given.

    The API server rejects a change of the lists after the installation, so nothing is to be written.
    Source: openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go.
    """
    problems = Problems()
    if block is not None and not isinstance(block, Mapping):
        message = f"is {type_name(block)}, expected a map"
        problems.error("not-a-map", BLOCK, message, "Write enabled and disabled below it")
        return SiteCheckResult(problems.unique(), block)
    fields = dict(block or {})
    for field in set(fields) - set(_FIELDS.values()):
        message = "is not a field of a HostedCluster, expected enabled or disabled"
        hint = "List in disabled the capabilities that the cluster does not need"
        problems.error("unknown-field", f"{BLOCK}.{field}", message, hint)
    document: dict[str, Any] = {"platform": {platform: {}}} if platform in HOSTED_PLATFORMS else {}
    installation = read_installation(InstallOptions(document, "", complete=False, method=HOSTED), release)
    check = _check_lists(fields, installation)
    given = desired if check.install is not None else None
    wanted = desired_check(given, installation, problems, _in_one_line) if given is not None else None
    problems += [_respelled(item) for item in _problems_beside(wanted, check) if item.code not in _COVERED]
    if check.install is None:
        return SiteCheckResult(problems.unique(), block)
    _report_not_enabled(fields.get(HOSTED_ENABLED), check.install.minor_data, f"{BLOCK}.{HOSTED_ENABLED}", problems)
    if wanted is not None and enabled_names(check) != enabled_names(wanted):
        report_difference(check, wanted, block, wanted.hosted.stanza() if wanted.hosted else {}, problems)
    enabled = check.status.enabled if check.status else None
    return SiteCheckResult(problems.unique(), block, None, enabled, compared=wanted is not None)


def _in_one_line(check: InstallCheck) -> Iterator[Problem]:
    """Yield the problems of a requested selection, with one about all names that no HostedCluster can disable."""
    kept = {item.capability: item.problem for item in check.violations if item.rule is HOSTED_NAMES}
    yield from (item for item in check.problems if item not in kept.values())
    if kept:
        names, [first, *_others] = ", ".join(sorted(kept)), kept.values()
        message = f"disables {names}, which a hosted cluster cannot disable"
        yield first._replace(message=message, hint=f"Enable {names}")


def _check_lists(fields: Mapping[str, Any], installation: Installation) -> InstallCheck:
    lists = {ours: fields[theirs] for ours, theirs in _FIELDS.items() if theirs in fields}
    selection = {"baseline_capability_set": V_CURRENT, **lists} if lists else None
    return check_selection(installation, SelectionOptions(selection))


def _respelled(problem: Problem) -> Problem:
    """``problem`` with the fields of a HostedCluster instead of the options of modules, which its kind implies."""
    field, message, hint = problem.where.field.removeprefix("install_method"), problem.message, problem.hint
    for ours, theirs in _FIELDS.items():
        field, message, hint = (text.replace(ours, theirs) for text in (field, message, hint))
    return problem._replace(where=problem.where._replace(field=field), message=message, hint=hint)


def _report_not_enabled(names: object, data: MinorData, where: str, problems: Problems) -> None:
    may = selectable_names(data.minor).enabled
    wrong = ", ".join(name for name in known_names(names, data.capabilities) or () if name not in may)
    if wrong and HOSTED_NAMES.in_force(data.minor, HOSTED):
        message = f"contains {wrong}, which a HostedCluster of {data.minor} cannot enable"
        problems.error(HOSTED_NAMES.name, where, message, f"Remove {wrong}")


def _problems_beside(wanted: InstallCheck | None, check: InstallCheck) -> Iterator[Problem]:
    """Yield the problems of a site, without a hint if the desired selection has the same one: it is what is wanted."""
    same = {(item.rule, item.capability) for item in wanted.violations} if wanted is not None else ()
    intended = {item.problem for item in check.violations if (item.rule, item.capability) in same}
    yield from (item._replace(hint="") if item in intended else item for item in check.problems)


def desired_check(
    desired: SelectionRequest,
    installation: Installation,
    problems: Problems,
    problems_of: Callable[[InstallCheck], Iterable[Problem]] = attrgetter("problems"),
) -> InstallCheck | None:
    """The check of the desired selection, ``None`` if it has errors in this site, which are reported.

    ``problems_of``: the problems of a check that count.
    """
    check = check_request(installation, desired)
    ignored = installation.problems
    errors = [item for item in problems_of(check) if item.severity == "error" and item not in ignored]
    for item in errors:  # at the option, not in the file of the site
        field = f"option {item.where.field}" if item.where.field else ""
        problems.append(item._replace(where=item.where._replace(field=field)))
    return None if errors or check.status is None else check


def desired_block(wanted: InstallCheck | None) -> dict[str, Any] | None:
    """The desired selection as a block, ``None`` if there is none."""
    selection = wanted.resolved.selection if wanted is not None and wanted.resolved is not None else None
    return None if selection is None else selection.to_api()


def enabled_names(check: InstallCheck) -> frozenset[str] | None:
    """The enabled names, also those that a hosted cluster cannot disable. ``None`` if they are not known."""
    if check.status is None:
        return None
    is_hosted = check.hosted is not None and check.installation.method == HOSTED
    return check.status.enabled | (check.hosted.stays_enabled if is_hosted and check.hosted else frozenset())


def report_difference(
    own: InstallCheck, wanted: InstallCheck, block: object, expected: Mapping[str, Any], problems: Problems
) -> None:
    """Report in what a selection, which is ``block``, differs from the desired one, which is ``expected``."""
    mine, theirs = enabled_names(own), enabled_names(wanted)
    if mine is None or theirs is None:
        difference = "which names it enables is not known"
    elif mine == theirs:
        given = block if isinstance(block, Mapping) else {}
        fields = [name for name in API_FIELDS if given.get(name) != expected.get(name)]
        parts = [f"{name} is {given.get(name, 'missing')}" for name in fields]
        difference = f"it enables the same names, but {' and '.join(parts)}"
    else:
        more, less = (", ".join(sorted(names)) for names in (mine - theirs, theirs - mine))
        parts = [f"it also enables {more}" if more else "", f"it does not enable {less}" if less else ""]
        difference = ", and ".join(filter(None, parts))
    message, hint = f"differs from the requested selection: {difference}", f"Set {BLOCK} to {json.dumps(expected)}"
    problems.error("different-selection", BLOCK, message, hint)


def corrected_options(block: object, excluded: Sequence[str], install: InstallContext) -> dict[str, Any] | None:
    """The selection of an installation with corrected spellings, as options. ``excluded``: names that it excludes."""
    known = install.names
    if not isinstance(block, Mapping) and not excluded:
        return None
    fields = block if isinstance(block, Mapping) else {}
    baseline, names = fields.get(API_BASELINE), fields.get(API_ADDITIONAL) or []
    if set(fields) - set(API_FIELDS) or (not baseline and (names or not excluded)):
        return None
    corrected = known_names(names, known, install.gated)
    spelling = {name.lower(): name for name in known}
    dropped = [spelling.get(name.strip().lower(), name) for name in excluded]
    if corrected is None:
        return None
    result: dict[str, Any] = {"baseline_capability_set": spelled_set(baseline, install.minor_data) or V_CURRENT}
    if corrected:
        result["additional_enabled_capabilities"] = corrected
    return {**result, _EXCLUDED: dropped} if dropped else result


def spelled_set(baseline: object, data: MinorData) -> Any:
    """``baseline`` in the case of the capability set of that name; unchanged if there is none."""
    spelling = {name.lower(): name for name in data.sets}
    return spelling.get(baseline.lower(), baseline) if isinstance(baseline, str) else baseline


def known_names(names: object, known: Collection[str], gated: Collection[str] = ()) -> list[str] | None:
    """``names`` as ``known`` spells them, each once. Names that only other versions have are dropped.

    ``None`` if a name is unknown or ``gated``: only its author knows what it is for.
    """
    if not isinstance(names, (list, tuple)):
        return None
    spelling = {name.lower(): name for name in known}
    found: list[str] = []
    for name in names:
        if not isinstance(name, str):
            return None
        spelled = spelling.get(name.strip().lower())
        if spelled is not None:
            found.append(spelled)
        elif name in gated or since_of(name) is None:
            return None
    return list(dict.fromkeys(found))
