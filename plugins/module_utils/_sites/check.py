# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Checks the selection of a site with every rule for its version, platform and install method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions, check_options
from .._capability.resolved_release import resolve_release
from .._capability.rules import InstallContext, violations
from .._capability.selection import check_selection, parse_selection
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, API_FIELDS, data_of
from .._install_config.check import InstallCheck, check_installation
from .._install_config.selection_source import InstallOptions
from .._problems import Problem, Problems, count_errors, has_errors
from .._references.report import check_references
from .._release.release import Release
from .correction import corrected_cluster_version, corrected_options
from .form import BLOCK, check_form, report_listed_in_set
from .hosted import check_lists, respelled
from .site import Form

_WHERE = "overrides"
_API_SPELLING = {"baseline_capability_set": API_BASELINE, "additional_enabled_capabilities": API_ADDITIONAL}


class Question(NamedTuple):
    """What the check of a site depends on. Sites with equal questions share an answer.

    ``values`` are the overrides of the install-config, or the install-config. ``method`` is ``None`` if its content
    decides. ``desired`` are the options of the module that replace the selection, ``None`` if it is only checked.
    """

    form: Form
    values: Mapping[str, Any]
    method: str | None
    platform: str | None
    release: Release
    desired: Desired | None = None


class Desired(NamedTuple):
    """The selection that each site shall have: ``capabilities`` or a ``solution``."""

    capabilities: object = None
    solution: str | None = None
    solutions: object = None


class Answer(NamedTuple):
    """The result of a check. Problems are located at fields, relative to the object.

    ``block`` is the selection of the site, ``None`` if it has none. ``replacement`` is the block to write instead:
    the desired one, or the smallest correction; ``None`` if there is nothing to write. ``enabled`` is ``None`` if it is
    not known.
    """

    problems: tuple[Problem, ...]
    block: Any = None
    replacement: dict[str, Any] | None = None
    enabled: frozenset[str] | None = None


def check_site(question: Question) -> Answer:
    """Check a selection. Returns all problems and raises nothing."""
    if question.form == "hosted":
        problems, block = Problems(), question.values.get(BLOCK)
        lists = check_lists(block, question.platform, question.release, BLOCK, problems)
        return Answer(tuple(_relative(problems)), block, lists.replacement, lists.enabled)
    if question.form == "cluster-version":
        return _check_cluster_version(question)
    return _check_install(question)


def _check_install(question: Question) -> Answer:
    problems = Problems()
    form = check_form(question.values, _WHERE, problems)
    document = _with_platform(form.values, question.platform)
    options = InstallOptions(document, _WHERE, "pullSecret" in document, method=question.method)
    if form.excluded and _without_fields(form.values.get(BLOCK)):
        options = options._replace(document=_without_block(document))
    check = check_installation(options, question.release)
    problems += check.problems
    block = question.values.get(BLOCK)
    data = data_of(question.release.minor) if question.release.minor is not None else None
    if data is not None:
        report_listed_in_set(form.values.get(BLOCK), data, _WHERE, problems)
    replacement = _replacement(question, options, check, form.excluded, problems)
    if replacement is not None and _same_block(block, replacement):
        replacement = None
    enabled = check.status.enabled if check.status is not None and not form.excluded else None
    return Answer(tuple(_relative(problems)), block, replacement, enabled)


def _replacement(
    question: Question, options: InstallOptions, check: InstallCheck, excluded: tuple[str, ...], problems: Problems
) -> dict[str, Any] | None:
    """The block to write: the desired one, or else the smallest correction of the existing one."""
    release = question.release
    if question.desired is not None:
        desired = options._replace(
            capabilities=question.desired.capabilities,
            solution=question.desired.solution,
            solutions=question.desired.solutions,
            capabilities_option=BLOCK,
        )
        result = check_installation(desired, release)
        of_document = set(check_installation(_only_document(options), release).problems)
        errors = [item for item in result.problems if item.severity == "error" and item not in of_document]
        problems += [item for item in errors if item not in problems]
        return None if errors else _block_of(result)
    if not problems.has_errors:
        return None
    known = check.status.known if check.status is not None else frozenset()
    wanted = corrected_options(options.document.get(BLOCK), excluded, known)
    if wanted is None:
        return None
    suggested = check_installation(options._replace(capabilities=wanted), release).suggested_selection
    if suggested is None:
        return None
    block = suggested.to_api()
    after = check_installation(options._replace(document={**options.document, BLOCK: block}), release)
    return block if count_errors(after.problems) < count_errors(problems) else None


def _check_cluster_version(question: Question) -> Answer:
    """Check the rules of the API: installers do not read a ClusterVersion in a Policy."""
    problems = Problems()
    block = question.values.get(BLOCK)
    where = f"{_WHERE}: {BLOCK}"
    of_selection = Problems()
    selection = parse_selection(block, where, of_selection)
    for item in of_selection:
        if item.code != "missing-baseline":  # the API reads it as vCurrent
            problems.append(respelled(item, _API_SPELLING))
    form = check_form({BLOCK: block}, _WHERE, problems)
    problems[:] = [item for item in problems if item.code != "pinned-selection" and not _covered(item, problems)]
    selection = selection._replace(
        baseline_field=API_BASELINE, additional_field=API_ADDITIONAL, excluded=None, where=where
    )
    release = question.release
    resolved = resolve_release(check_options(ClusterOptions(), release.minor, problems), release, problems)
    if resolved is None or resolved.minor_data is None:
        return Answer(tuple(_relative(problems)), block)
    data = resolved.minor_data
    check_selection(selection, data, resolved.gated, problems)
    install = InstallContext(data, "upi", gated=resolved.gated)
    problems += [item.problem for item in violations(selection, install) if item.rule.layer == "ClusterVersion"]
    report_listed_in_set(form.values.get(BLOCK), data, _WHERE, problems)
    replacement: dict[str, Any] | None = None
    if selection.capability_set in data.sets and has_errors(problems) and not form.excluded:
        corrected = corrected_cluster_version(selection, install)
        if corrected is not None and corrected.additional != selection.additional:
            replacement = {} if selection.baseline is None else {API_BASELINE: selection.baseline}
            replacement[API_ADDITIONAL] = list(corrected.additional)
    enabled = None
    if not has_errors(problems):
        status = resolved.status(selection)
        enabled = status.enabled
        check_references(release, resolved.context._replace(capability_status=status), "error", problems)
    return Answer(tuple(_relative(problems)), block, replacement, enabled)


def _covered(problem: Problem, problems: Problems) -> bool:
    """Whether an unknown field is also reported as an exclusion."""
    return problem.code == "unknown-field" and any(
        other.code == "exclusion-list" and other.where == problem.where for other in problems
    )


def _with_platform(values: Mapping[str, Any], platform: str | None) -> dict[str, Any]:
    document = dict(values)
    if platform is not None and "platform" not in document:
        document["platform"] = {platform: {}}
    return document


def _without_block(document: Mapping[str, Any]) -> dict[str, Any]:
    return {field: value for field, value in document.items() if field != BLOCK}


def _without_fields(block: object) -> bool:
    return isinstance(block, Mapping) and not block


def _only_document(options: InstallOptions) -> InstallOptions:
    return options._replace(document=_without_block(options.document))


def _block_of(check: InstallCheck) -> dict[str, Any] | None:
    selection = check.resolved.selection if check.resolved is not None else None
    return None if selection is None else selection.to_api()


def _same_block(block: object, other: Mapping[str, Any]) -> bool:
    if not isinstance(block, Mapping) or set(block) - set(API_FIELDS):
        return False
    names = block.get(API_ADDITIONAL) or []
    same_names = isinstance(names, list) and sorted(map(str, names)) == sorted(other.get(API_ADDITIONAL, []))
    return same_names and block.get(API_BASELINE) == other.get(API_BASELINE)


def _relative(problems: Problems) -> Iterator[Problem]:
    for problem in problems.unique():
        yield problem._replace(where=problem.where.removeprefix(f"{_WHERE}: "))
