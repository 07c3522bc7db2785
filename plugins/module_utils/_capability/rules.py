# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of installers and of the API: which ones a selection violates, and the fewest names that fix this."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from .._data.capabilities import NONE, V_CURRENT, MinorData
from .._data.dependencies import DEPENDENCIES, Dependency
from .._data.install_rules import (
    ASSISTED_CONSOLE,
    BAREMETAL_HOSTS,
    BAREMETAL_HOSTS_ALWAYS,
    BASELINE_REQUIRED,
    BLOCK_IGNORED,
    HOSTED,
    HOSTED_NAMES,
    HOSTED_SINCE,
    SET_NAME_MISSING,
    Rule,
)
from .._data.version import Minor
from .._problems import Location, Problem, Severity
from .hosted_cluster import hosted_capabilities, hosted_data, selectable_names
from .selection import Selection


class InstallContext(NamedTuple):
    """What the rules depend on besides the selection. ``None`` means not known.

    ``gates``: the enabled feature gates. ``gated``: names whose feature gates are disabled. ``namespaces``: those that
    extra manifests create. ``source``: the install-config, in problems. ``feature_set``: empty for the default one.
    """

    minor_data: MinorData
    method: str
    platform: str | None = None
    external_cloud_controller_manager: bool = False
    has_hosts: bool | None = None
    gates: frozenset[str] = frozenset()
    gated: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    source: str = ""
    feature_set: str = ""

    @property
    def minor(self) -> Minor:
        """The installed minor."""
        return self.minor_data.minor

    @property
    def names(self) -> frozenset[str]:
        """Capabilities that exist in the minor with these feature gates."""
        return self.minor_data.capabilities - self.gated

    def enabled(self, selection: Selection) -> frozenset[str]:
        """The names that ``selection`` enables. A hosted cluster has no sets: no set means its default names."""
        data = hosted_data(self.minor_data) if self.method == HOSTED else self.minor_data
        return selection.requested(data) - self.gated


class RuleViolation(NamedTuple):
    """A rule that a selection violates. ``capability`` is the missing name, empty if no name is missing."""

    rule: Rule
    capability: str
    problem: Problem


def rule_violations(
    selection: Selection | None, install: InstallContext, given: Selection | None = None
) -> tuple[RuleViolation, ...]:
    """Every rule that ``selection`` violates, including those that only the documentation states.

    ``selection`` is the one to write, ``None`` for none. ``given`` is the one of the user, if it differs; locations and
    hints refer to it.
    """
    if selection is None:
        return tuple(_hosts_missing(install.enabled(Selection()), install))
    return tuple(_violations(selection, install, given or selection))


def suggested_selection(
    selection: Selection, install: InstallContext, *, solution_without: Collection[str] | None = None
) -> tuple[Selection, tuple[RuleViolation, ...]]:
    """``selection`` with the fewest names added that satisfy every rule, and the rules that require them.

    It has an explicit baseline. Repeated names and names that do not exist are removed. Violations that no additional
    name resolves remain. ``solution_without``: the selection is that of a solution that excludes these names, so the
    names that solutions need are added too, unless they are excluded.
    """
    known = tuple(name for name in dict.fromkeys(selection.additional) if name in install.names)
    selection = selection._replace(baseline=selection.capability_set, additional=known)
    reasons: list[RuleViolation] = []
    while True:
        missing = [
            item
            for item in rule_violations(selection, install)
            if item.capability and (item.problem.severity == "error" or _is_solved(item, solution_without))
        ]
        if not missing:
            return selection, tuple(reasons)
        reasons += missing
        selection = selection.with_names(item.capability for item in missing)


def unchecked_rules(install: InstallContext, enabled: Collection[str] = ()) -> tuple[Rule, ...]:
    """The rules that cannot be checked because the platform is not known, without those that ``enabled`` meets."""
    if install.platform is not None:
        return ()
    return tuple(
        item.rule
        for item in DEPENDENCIES
        if (item.platforms is not None or item.except_platforms)
        and item.rule.in_force(install.minor, install.method)
        and item.capability not in enabled
    )


def _is_solved(violation: RuleViolation, solution_without: Collection[str] | None) -> bool:
    if solution_without is None or not violation.rule.solved_by_solutions:
        return False
    return violation.capability not in solution_without


def _violations(selection: Selection, install: InstallContext, given: Selection) -> Iterator[RuleViolation]:
    for rule in (BLOCK_IGNORED, HOSTED_SINCE):
        if rule.in_force(install.minor, install.method):
            hint = "Remove the selection, or use another install method" if rule is HOSTED_SINCE else ""
            yield violation(rule, given.where, hint)
    if selection.baseline is None and BASELINE_REQUIRED.in_force(install.minor, install.method):
        hint = f"Write {NONE} and the list of what the cluster needs, or remove the block for the default, {V_CURRENT}"
        yield violation(BASELINE_REQUIRED, given.where.child(given.baseline_field), hint)
    if selection.baseline == "v4.17" and SET_NAME_MISSING.in_force(install.minor, install.method):
        yield violation(SET_NAME_MISSING, given.where.child(given.baseline_field), "Write v4.16")
    enabled = install.enabled(selection)
    is_unexpected = selection.baseline != NONE and "Console" in install.names - enabled
    if is_unexpected and ASSISTED_CONSOLE.in_force(install.minor, install.method):
        hint = "Write None, and list the capabilities"
        yield violation(ASSISTED_CONSOLE, given.where.child(given.baseline_field), hint)
    for requirement in DEPENDENCIES:
        if requirement.capability in install.names and _breaks(requirement, selection, enabled, install):
            needed_by = _hinted(requirement, selection, given, install)
            broken = _missing(requirement.rule, requirement.capability, given, needed_by)
            yield _with_namespace(broken, requirement.namespace) if requirement.namespace else broken
    if HOSTED_NAMES.in_force(install.minor, install.method):
        for name in sorted(hosted_capabilities(enabled, install.minor_data, install.gated).stays_enabled):
            yield _missing(HOSTED_NAMES, name, given)
    yield from _hosts_missing(enabled, install)


def _hosts_missing(enabled: frozenset[str], install: InstallContext) -> Iterator[RuleViolation]:
    if install.platform != "baremetal" or install.has_hosts is not False:
        return
    where = Location(install.source, field="platform.baremetal.hosts")
    hint = "List the hosts, or use the agent-based installer"
    if BAREMETAL_HOSTS_ALWAYS.in_force(install.minor, install.method):
        yield violation(BAREMETAL_HOSTS_ALWAYS, where, hint)
    elif "MachineAPI" in enabled and BAREMETAL_HOSTS.in_force(install.minor, install.method):
        yield violation(BAREMETAL_HOSTS, where, hint)


def _breaks(requirement: Dependency, selection: Selection, enabled: frozenset[str], install: InstallContext) -> bool:
    names = selection.additional if requirement.by_list else enabled
    return (
        requirement.capability not in names
        and (not requirement.needed_by or requirement.needed_by in names)
        and requirement.rule.in_force(install.minor, install.method)
        and (not requirement.with_none_alone or selection.baseline == NONE)
        and _concerns_platform(requirement, install)
        and install.gates.issuperset(requirement.gates)
        and (not requirement.feature_sets or install.feature_set in requirement.feature_sets)
        and requirement.namespace not in install.namespaces
        and (not requirement.external_cloud_controller_manager or install.external_cloud_controller_manager)
    )


def _concerns_platform(requirement: Dependency, install: InstallContext) -> bool:
    if requirement.platforms is None and not requirement.except_platforms:
        return True
    if install.platform is None or install.platform in requirement.except_platforms:
        return False
    return requirement.platforms is None or install.platform in requirement.platforms


def _hinted(requirement: Dependency, selection: Selection, given: Selection, install: InstallContext) -> str:
    """The name that needs the missing one if a hint may propose to disable it, or else ``""``."""
    name = requirement.needed_by
    may = install.method != HOSTED or name in selectable_names(install.minor_data.minor).disabled
    # Without its name in the list, the set enables it as well.
    is_twice = name in given.additional and name in install.enabled(given._replace(additional=()))
    rest = selection._replace(additional=tuple(each for each in selection.additional if each != name))
    enabled, concerned = install.enabled(selection) - {name}, (name, requirement.capability)
    others = (item for item in DEPENDENCIES if item.capability in concerned)
    return name if may and not is_twice and not any(_breaks(item, rest, enabled, install) for item in others) else ""


def _missing(rule: Rule, capability: str, given: Selection, needed_by: str = "") -> RuleViolation:
    excluded = capability in (given.excluded or ())
    field = given.excluded_field if excluded else given.additional_field
    hint = f"Remove {capability} from {field}" if excluded else f"Add {capability} to {field}"
    if needed_by and needed_by in given.additional:
        hint = f"{hint}, or remove {needed_by} from {given.additional_field}"
    elif needed_by and needed_by not in (given.excluded or (needed_by,)):
        hint = f"{hint}, or add {needed_by} to {given.excluded_field}"
    for name in given.additional:
        if name != capability and name.startswith(capability):
            hint = f"{hint}; {name} is another capability"
    return violation(rule, given.where.child(field), hint, capability, excluded=excluded)


def _with_namespace(broken: RuleViolation, namespace: str) -> RuleViolation:
    """``broken`` with a hint that begins with what can be reverted: an enabled capability stays enabled."""
    hint = broken.problem.hint
    hint = f"Create Namespace {namespace} with an extra manifest, or {hint[:1].lower()}{hint[1:]}"
    return broken._replace(problem=broken.problem._replace(hint=hint))


def violation(rule: Rule, where: Location, hint: str, capability: str = "", *, excluded: bool = False) -> RuleViolation:
    """The violation of ``rule`` at ``where``. ``capability``: the name that is missing, or ``excluded``, if any."""
    fault = f"excludes {capability}, but" if excluded else f"{capability} is missing:"
    message = f"{fault} {rule.message}" if capability else rule.message
    severity: Severity = "warning" if rule.layer == "documentation" else "error"
    return RuleViolation(rule, capability, Problem(severity, rule.name, where, message, hint))
